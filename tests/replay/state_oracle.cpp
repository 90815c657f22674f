#include "state_oracle.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/replay/event_sets.h"
#include "depscope/replay/watch.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;

StateOracle::StateOracle(const Recording& recording)
    : r_(recording),
      state_(recording.tasks.rows(), TaskState::Unborn),
      scope_released_(recording.tasks.rows()),
      own_released_(recording.tasks.rows()),
      reclaimed_(recording.tasks.rows()),
      flags_(recording.edges.rows()) {
  for (const std::uint8_t kind : recording.events.kind) {
    full_ = full_ || !told_by_summary(static_cast<EventKind>(kind));
    pins_ = pins_ || kind == static_cast<std::uint8_t>(EventKind::PinClaim);
  }
}

std::uint32_t StateOracle::ring_of(std::uint32_t task) const { return runtime::ring_of(r_.tasks.id[task]); }

void StateOracle::apply(std::uint32_t i) {
  const std::uint32_t subject = r_.events.subject[i];
  const std::uint32_t object = r_.events.object[i];
  const std::int64_t to = r_.events.new_value[i];
  switch (static_cast<EventKind>(r_.events.kind[i])) {
    case EventKind::Submit:
      state_[subject] = TaskState::Pending;
      ring_[object].push_back(subject);
      break;
    case EventKind::Ready:
    case EventKind::Dispatch:
    case EventKind::Complete:
    case EventKind::Consume: state_[subject] = static_cast<TaskState>(to); break;
    case EventKind::ScopeBegin: open_.push_back(subject); break;
    case EventKind::ScopeEnd: open_.pop_back(); break;
    case EventKind::ScopeRelease: scope_released_[subject] = true; break;
    case EventKind::Release: own_released_[subject] = true; break;
    case EventKind::SlotReclaim: reclaimed_[subject] = true; break;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::EdgeLost: flags_[subject] = static_cast<std::uint8_t>(to); break;
    case EventKind::PinClaim: ++pinned_[{subject, object}]; break;
    case EventKind::PinRelease: --pinned_[{subject, object}]; break;
    case EventKind::Watermark:
      while (!ring_[object].empty() && runtime::local_of(r_.tasks.id[ring_[object].front()]) < to) ring_[object].pop_front();
      break;
    case EventKind::HeapAlloc: heap_[object].push_back(subject); break;
    case EventKind::HeapFree:
      if (to == 0) heap_[object].clear();
      while (!heap_[object].empty()) {
        const std::uint64_t end = r_.tasks.heap_end[heap_[object].front()];
        heap_[object].pop_front();
        if (end == static_cast<std::uint64_t>(to)) break;
      }
      break;
    case EventKind::TensorMapInsert: map_.insert(subject); break;
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup: map_.erase(subject); break;
    case EventKind::Place: {
      auto& core = cores_.try_emplace(object, kNoRow, kNoRow).first->second;
      (r_.events.extra[i] == 0 ? core.first : core.second) = subject;
      break;
    }
    case EventKind::Observe: {
      auto& core = cores_.at(object);
      if (r_.events.extra[i] == 0) core.first = core.second;
      core.second = kNoRow;
      break;
    }
    default: break;
  }
}

bool StateOracle::given_back(std::uint32_t task) const {
  if (full_) return reclaimed_[task];
  const auto& list = ring_[ring_of(task)];
  return std::find(list.begin(), list.end(), task) == list.end();
}

std::vector<HeapBlock> StateOracle::heap(std::uint32_t ring) const {
  std::vector<HeapBlock> out;
  for (const std::uint32_t task : heap_[ring])
    out.push_back({task, r_.tasks.heap_begin[task], r_.tasks.heap_end[task], state_[task]});
  std::sort(out.begin(), out.end(), [](const HeapBlock& a, const HeapBlock& b) { return a.begin < b.begin; });
  return out;
}

std::vector<Holder> StateOracle::holders(std::uint32_t task) const {
  std::vector<Holder> out;
  const TaskState state = state_[task];
  if (state == TaskState::Unborn) return out;
  const std::uint32_t ring = ring_of(task);
  if (state == TaskState::Consumed) {
    if (!given_back(task)) {
      const std::uint32_t head = ring_[ring].empty() ? kNoRow : ring_[ring].front();
      const bool holds = head != kNoRow && state_[head] != TaskState::Consumed &&
                         runtime::local_of(r_.tasks.id[head]) < runtime::local_of(r_.tasks.id[task]);
      out.push_back({.kind = HolderKind::OlderTask, .task = holds ? head : kNoRow});
    } else if (std::find(heap_[ring].begin(), heap_[ring].end(), task) != heap_[ring].end()) {
      out.push_back({.kind = HolderKind::HeapTail});
    }
    return out;
  }
  if (state < TaskState::Completed) out.push_back({.kind = HolderKind::Unfinished});
  const std::uint32_t scope = r_.tasks.scope[task];
  const bool open = std::find(open_.begin(), open_.end(), scope) != open_.end();
  if (full_ ? !scope_released_[task] : open) out.push_back({.kind = HolderKind::Scope, .scope = scope});
  for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) {
    if (r_.edges.producer[e] != task) continue;
    const std::uint32_t consumer = r_.edges.consumer[e];
    const auto pin = pinned_.find({task, consumer});
    const bool holds =
        pins_ ? pin != pinned_.end() && pin->second > 0 : (flags_[e] & runtime::kRetain) != 0 && !own_released_[consumer];
    if (holds) out.push_back({.kind = HolderKind::Consumer, .edge = e, .task = consumer});
  }
  return out;
}

std::string StateOracle::difference_of_slots(const Cursor& cursor) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> holder;
  for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
    auto& value = holder.try_emplace({ring_of(t), r_.tasks.slot[t]}, kNothing).first->second;
    if (state_[t] != TaskState::Unborn && !given_back(t)) value = (static_cast<std::int64_t>(state_[t]) << 32U) + t;
  }
  for (const auto& [slot, expected] : holder) {
    if (value(cursor, {WatchKind::Slot, slot.first, slot.second}) != expected)
      return fmt::format("slot {} of ring {}", slot.second, slot.first);
  }
  return "";
}

std::string StateOracle::difference(const Cursor& cursor) const {
  for (std::uint8_t s = 0; s <= static_cast<std::uint8_t>(TaskState::Consumed); ++s) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t t = 0; t < state_.size(); ++t) {
      if (state_[t] == static_cast<TaskState>(s)) rows.push_back(t);
    }
    const std::size_t count = rows.size();
    const RowList all = tasks_in(cursor, static_cast<TaskState>(s), count + 3);
    const RowList some = tasks_in(cursor, static_cast<TaskState>(s), count / 2);
    if (all.total != count || all.rows != rows || some.total != count) return fmt::format("tasks in state {}", s);
    rows.resize(count / 2);
    if (some.rows != rows) return fmt::format("a part of the tasks in state {}", s);
  }
  for (std::uint32_t t = 0; t < state_.size(); ++t) {
    if (holders_of(cursor, t) != holders(t)) return fmt::format("holders of task {}", t);
  }
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    const auto blocks = heap(ring);
    if (heap_map(cursor, ring) != blocks) return fmt::format("heap of ring {}", ring);
    const RingUse use = ring_use(cursor, ring);
    std::int64_t bytes = 0;
    for (const HeapBlock& block : blocks) bytes += static_cast<std::int64_t>(block.end - block.begin);
    if (use.heap_used && !blocks.empty()) {
      // What a wrap leaves unused at the end counts as used.
      const std::int64_t end = static_cast<std::int64_t>(blocks.back().end);
      const bool low_only = end <= use.heap_top;
      const std::int64_t left = !use.heap_wrapped ? 0 : use.heap_bytes - (low_only ? use.heap_tail : end);
      if (*use.heap_used != bytes + left)
        return fmt::format("bytes used of ring {}: {} and {}", ring, *use.heap_used, bytes + left);
    }
    if (use.slots_used != static_cast<std::int64_t>(ring_[ring].size())) return fmt::format("slots used of ring {}", ring);
    if (use.dep_used.has_value() != full_ || use.spill_used.has_value() != full_) return "pools of a summary";
  }
  const auto entries = tensormap_entries(cursor, map_.size() + 3);
  if (entries.has_value() != full_) return "TensorMap of a summary";
  if (entries) {
    if (entries->total != map_.size() || entries->rows != std::vector<std::uint32_t>(map_.begin(), map_.end()))
      return "TensorMap";
    const auto one = tensormap_entries(cursor, 1);
    if (one->total != map_.size() || one->rows.size() != std::min<std::size_t>(1, map_.size())) return "part of the TensorMap";
  }
  std::vector<OpenScope> scopes;
  for (const std::uint32_t scope : open_) {
    OpenScope& s = scopes.emplace_back(OpenScope{scope, 0, 0});
    for (std::uint32_t t = 0; t < state_.size(); ++t) {
      if (r_.tasks.scope[t] != scope || state_[t] == TaskState::Unborn) continue;
      ++s.submitted;
      s.live += state_[t] != TaskState::Consumed ? 1 : 0;
    }
  }
  if (open_scopes(cursor) != scopes) return "open scopes";
  const auto busy = busy_cores(cursor);
  if (busy.has_value() != full_) return "cores of a summary";
  if (busy) {
    std::vector<CoreUse> expected;
    for (const auto& [core, places] : cores_) {
      if (places.first != kNoRow || places.second != kNoRow) expected.push_back({core, places.first, places.second});
    }
    if (*busy != expected) return "busy cores";
  }
  return difference_of_slots(cursor);
}

}  // namespace depscope::replay
