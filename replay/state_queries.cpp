#include "depscope/replay/state_queries.h"

#include <algorithm>
#include <span>

#include "cursor_impl.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::TaskState;

TaskState state_of(const Cursor& cursor, std::uint32_t task) { return static_cast<TaskState>(cursor.state().task_state[task]); }

std::uint32_t ring_of(const Cursor& cursor, std::uint32_t task) {
  return runtime::ring_of(cursor.recording().tasks.id[task]) % runtime::kRingCount;
}

/// The tasks whose bytes lie between tail and top: allocations come and go in one order, so they are a run of it.
std::span<const std::uint32_t> in_heap(const Cursor& cursor, std::uint32_t ring) {
  const RingState& state = cursor.state().rings[ring];
  if (state.heap_top == state.heap_tail) return {};
  const auto top = static_cast<std::uint64_t>(state.heap_top);
  const auto tail = static_cast<std::uint64_t>(state.heap_tail);
  const auto& tasks = cursor.recording().tasks;
  const std::uint32_t end = cursor.impl().now.heap_allocated[ring];
  const auto all = std::span(cursor.impl().heap_tasks[ring]).first(end);
  // An empty heap that begins again: the tail is at 0 already, the allocation that asked for it is still to come.
  const bool begins_again =
      state.heap_tail == 0 && end > 0 &&
      runtime::local_of(tasks.id[all.back()]) < static_cast<std::uint64_t>(std::max<std::int64_t>(state.heap_guard, 0));
  if (begins_again) return {};
  bool low = top < tail;  // in the part before the wrap, which starts at byte 0
  std::uint64_t limit = top;
  std::uint32_t begin = end;
  for (; begin > 0; --begin) {
    const std::uint64_t first = tasks.heap_begin[all[begin - 1]];
    const std::uint64_t last = tasks.heap_end[all[begin - 1]];
    if (last <= limit && (low || first >= tail)) {
      limit = first;
    } else if (low && first >= tail) {  // the last one before the wrap
      low = false;
      limit = first;
    } else {
      break;
    }
  }
  return all.subspan(begin);
}

bool slot_given_back(const Cursor& cursor, std::uint32_t task) {
  if (cursor.full()) return cursor.state().reclaimed[task] != 0;
  return runtime::local_of(cursor.recording().tasks.id[task]) < cursor.state().rings[ring_of(cursor, task)].watermark;
}

bool scope_holds(const Cursor& cursor, std::uint32_t task) {
  const State& s = cursor.state();
  if (cursor.measured()) return false;
  if (cursor.full()) return s.scope_released[task] == 0;
  const std::uint32_t scope = cursor.recording().tasks.scope[task];
  return scope != kNoRow && s.scope_state[scope] == 1;
}

}  // namespace

std::uint32_t ring_head(const Cursor& cursor, std::uint32_t ring) {
  const auto& list = cursor.impl().ring_tasks[ring];
  const auto& ids = cursor.recording().tasks.id;
  const std::int64_t watermark = cursor.state().rings[ring].watermark;
  const auto passed = [&](std::uint32_t task) { return runtime::local_of(ids[task]) < watermark; };
  const auto head = cursor.impl().ring_in_order[ring] ? std::partition_point(list.begin(), list.end(), passed)
                                                      : std::find_if_not(list.begin(), list.end(), passed);
  if (head == list.end()) return kNoRow;
  const TaskState state = state_of(cursor, *head);
  return state == TaskState::Unborn || state == TaskState::Consumed ? kNoRow : *head;
}

std::uint32_t older_task(const recording::Recording& recording, std::uint32_t head, std::uint32_t task) {
  const auto& ids = recording.tasks.id;
  return head != kNoRow && runtime::local_of(ids[head]) < runtime::local_of(ids[task]) ? head : kNoRow;
}

RowList tasks_in(const Cursor& cursor, TaskState state, std::size_t limit) {
  RowList out;
  const auto& states = cursor.state().task_state;
  out.total = cursor.state().tasks_in_state[static_cast<std::size_t>(state)];
  const std::size_t listed = std::min<std::size_t>(limit, out.total);
  out.rows.reserve(listed);
  auto at = states.begin();
  while (out.rows.size() < listed) {
    at = std::find(at, states.end(), static_cast<std::uint8_t>(state));
    out.rows.push_back(static_cast<std::uint32_t>(at++ - states.begin()));
  }
  return out;
}

std::vector<Holder> holders_of(const Cursor& cursor, std::uint32_t task) {
  std::vector<Holder> out;
  const TaskState state = state_of(cursor, task);
  if (state == TaskState::Unborn) return out;
  if (state != TaskState::Consumed) {
    if (state != TaskState::Completed) out.push_back({.kind = HolderKind::Unfinished});
    if (scope_holds(cursor, task)) out.push_back({.kind = HolderKind::Scope, .scope = cursor.recording().tasks.scope[task]});
    for (const std::uint32_t edge : cursor.kept_alive_by(task))
      out.push_back({.kind = HolderKind::Consumer, .edge = edge, .task = cursor.recording().edges.consumer[edge]});
    return out;
  }
  const std::uint32_t ring = ring_of(cursor, task);
  if (!slot_given_back(cursor, task)) {
    out.push_back({.kind = HolderKind::OlderTask, .task = older_task(cursor.recording(), ring_head(cursor, ring), task)});
    return out;
  }
  const auto held = in_heap(cursor, ring);
  if (std::find(held.begin(), held.end(), task) != held.end()) out.push_back({.kind = HolderKind::HeapTail});
  return out;
}

RingUse ring_use(const Cursor& cursor, std::uint32_t ring) {
  const RingState& s = cursor.state().rings[ring];
  RingUse out;
  out.next = s.next;
  out.watermark = s.watermark;
  out.slots_used = s.next - s.watermark;
  out.slots = s.task_window;
  out.heap_top = s.heap_top;
  out.heap_tail = s.heap_tail;
  out.heap_wrapped = s.heap_top < s.heap_tail;
  out.heap_bytes = s.heap_bytes;
  if (!out.heap_wrapped) {
    out.heap_used = s.heap_top - s.heap_tail;
  } else if (s.heap_bytes != 0) {
    out.heap_used = s.heap_bytes - s.heap_tail + s.heap_top;
  }
  if (cursor.full()) {
    out.dep_used = s.dep_top - s.dep_tail;
    out.spill_used = s.spill_top - s.spill_tail;
  }
  out.dep_pool = s.dep_pool;
  return out;
}

std::vector<HeapBlock> heap_map(const Cursor& cursor, std::uint32_t ring) {
  std::vector<HeapBlock> out;
  const auto& tasks = cursor.recording().tasks;
  for (const std::uint32_t task : in_heap(cursor, ring))
    out.push_back({task, tasks.heap_begin[task], tasks.heap_end[task], state_of(cursor, task)});
  std::stable_sort(out.begin(), out.end(), [](const HeapBlock& a, const HeapBlock& b) { return a.begin < b.begin; });
  return out;
}

std::optional<RowList> tensormap_entries(const Cursor& cursor, std::size_t limit) {
  if (!cursor.full()) return std::nullopt;
  const LiveEntries& entries = cursor.impl().now.tensormap;
  RowList out;
  for (std::uint32_t block = 0; block < entries.in_block.size(); ++block) {
    out.total += entries.in_block[block];
    std::uint32_t left = entries.in_block[block];
    for (std::uint32_t access = block * LiveEntries::kBlock; left > 0 && out.rows.size() < limit; ++access) {
      if (!entries.holds(access)) continue;
      out.rows.push_back(access);
      --left;
    }
  }
  return out;
}

std::vector<OpenScope> open_scopes(const Cursor& cursor) {
  std::vector<OpenScope> out;
  const ReplayState& now = cursor.impl().now;
  for (const std::uint32_t scope : now.state.open_scopes)
    out.push_back({scope, now.scope_submitted[scope], now.scope_live[scope]});
  return out;
}

std::optional<std::vector<CoreUse>> busy_cores(const Cursor& cursor) {
  if (!cursor.full() && !cursor.measured()) return std::nullopt;
  const State& s = cursor.state();
  std::vector<CoreUse> out;
  for (std::uint32_t core = 0; core < s.core_task.size(); ++core) {
    if (s.core_task[core] != kNoRow || s.core_pending[core] != kNoRow)
      out.push_back({core, s.core_task[core], s.core_pending[core]});
  }
  return out;
}

}  // namespace depscope::replay
