#include "memory_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace depscope::viewers {
namespace {

using runtime::TaskState;

bool gives_back(const replay::Cursor& cursor, std::uint32_t task, std::int64_t watermark) {
  return cursor.full() ? cursor.state().reclaimed[task] != 0 : runtime::local_of(cursor.recording().tasks.id[task]) < watermark;
}

std::uint64_t largest_free_run(const replay::RingUse& use) {
  const auto top = static_cast<std::uint64_t>(use.heap_top);
  const auto tail = static_cast<std::uint64_t>(use.heap_tail);
  const auto size = static_cast<std::uint64_t>(use.heap_bytes);
  if (top == tail) return size;  // empty: the next allocation may begin at 0 again
  if (top < tail) return tail - top;
  return std::max(size > top ? size - top : 0, tail);
}

}  // namespace

TaskState SlotCell::state() const {
  return static_cast<TaskState>(std::max_element(in_state.begin(), in_state.end()) - in_state.begin());
}

RingTasks::RingTasks(const Document& document) {
  const auto& tasks = document.recording().tasks;
  for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
    const std::uint32_t ring = runtime::ring_of(tasks.id[task]);
    if (ring >= runtime::kRingCount) continue;
    tasks_[ring].push_back(task);
    slots_seen_[ring] = std::max(slots_seen_[ring], std::min(tasks.slot[task], tasks.rows()) + 1);
    bytes_seen_[ring] = std::max(bytes_seen_[ring], tasks.heap_end[task]);
  }
  for (auto& list : tasks_) {
    const auto local = [&](std::uint32_t task) { return runtime::local_of(tasks.id[task]); };
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return local(a) < local(b); };
    if (!std::is_sorted(list.begin(), list.end(), before)) std::stable_sort(list.begin(), list.end(), before);
  }
}

RingView RingView::at(const replay::Cursor& cursor, const RingTasks& tasks, std::uint32_t ring) {
  const auto& table = cursor.recording().tasks;
  RingView view;
  view.use = replay::ring_use(cursor, ring);
  view.slots = view.use.slots > 0 ? static_cast<std::uint32_t>(view.use.slots) : tasks.slots_seen(ring);
  view.heap_bytes = view.use.heap_bytes > 0 ? static_cast<std::uint64_t>(view.use.heap_bytes) : tasks.bytes_seen(ring);
  if (view.use.heap_bytes > 0) view.largest_free = largest_free_run(view.use);
  if (view.slots > 0) {
    view.next_slot = static_cast<std::uint32_t>(view.use.next % view.slots);
    view.watermark_slot = static_cast<std::uint32_t>(view.use.watermark % view.slots);
  }
  const auto& list = tasks.tasks(ring);
  const auto local = [&](std::uint32_t task) { return std::int64_t{runtime::local_of(table.id[task])}; };
  // Slots go back in order, a window at a time: what has one lies between the watermark, less what is passed but not yet reset,
  // and next.
  const std::int64_t from = view.use.watermark - std::max<std::int64_t>(view.slots, 1);
  auto at = std::partition_point(list.begin(), list.end(), [&](std::uint32_t task) { return local(task) < from; });
  for (; at != list.end() && local(*at) < view.use.next; ++at) {
    if (static_cast<TaskState>(cursor.state().task_state[*at]) == TaskState::Unborn) continue;
    if (!gives_back(cursor, *at, view.use.watermark)) view.taken.push_back({table.slot[*at], *at});
  }
  // Rows of one slot: the newest one has it.
  std::stable_sort(view.taken.begin(), view.taken.end(), [](const TakenSlot& a, const TakenSlot& b) { return a.slot < b.slot; });
  const auto same = [](const TakenSlot& a, const TakenSlot& b) { return a.slot == b.slot; };
  view.taken.erase(view.taken.begin(), std::unique(view.taken.rbegin(), view.taken.rend(), same).base());
  view.heap = replay::heap_map(cursor, ring);
  return view;
}

std::uint32_t RingView::task_in(std::uint32_t slot) const {
  const auto found = std::lower_bound(taken.begin(), taken.end(), slot,
                                      [](const TakenSlot& t, std::uint32_t wanted) { return t.slot < wanted; });
  return found != taken.end() && found->slot == slot ? found->task : kNoRow;
}

std::vector<SlotCell> slot_cells(const RingView& view, const replay::State& state, std::uint32_t first, std::uint32_t last,
                                 std::uint32_t per_cell) {
  last = std::min(last, view.slots);
  std::vector<SlotCell> cells;
  if (first >= last) return cells;
  per_cell = std::max({per_cell, 1U, (last - first + kMaxCells - 1) / kMaxCells});
  first -= first % per_cell;  // cells stand still while the drawing is panned
  for (std::uint32_t slot = first; slot < last; slot += per_cell)
    cells.push_back({.first = slot, .last = std::min(slot + per_cell, view.slots), .task = kNoRow, .taken = 0, .in_state = {}});
  auto at = std::partition_point(view.taken.begin(), view.taken.end(), [&](const TakenSlot& t) { return t.slot < first; });
  for (; at != view.taken.end() && at->slot < cells.back().last; ++at) {
    SlotCell& cell = cells[(at->slot - first) / per_cell];
    if (cell.taken++ == 0) cell.task = at->task;
    ++cell.in_state[state.task_state[at->task]];
  }
  return cells;
}

std::vector<HeapCell> heap_cells(const std::vector<replay::HeapBlock>& blocks, std::uint64_t begin, std::uint64_t end,
                                 std::uint64_t least) {
  std::vector<HeapCell> cells;
  auto at = std::partition_point(blocks.begin(), blocks.end(), [&](const replay::HeapBlock& b) { return b.end <= begin; });
  bool open = false;  // the last cell takes narrow neighbours
  for (; at != blocks.end() && at->begin < end; ++at) {
    if (at->begin == at->end) continue;
    const bool narrow = at->end - at->begin < least;
    const bool joins = open && narrow && at->begin - cells.back().end < least;
    if (joins) {
      cells.back().end = std::max(cells.back().end, at->end);
      ++cells.back().count;
    } else {
      cells.push_back({at->begin, at->end, static_cast<std::uint32_t>(at - blocks.begin()), 1});
    }
    // A joined cell that has become wide enough to be seen by itself is closed.
    open = narrow && cells.back().end - cells.back().begin < 2 * least;
  }
  return cells;
}

std::string holder_words(const Document& document, const replay::Holder& holder) {
  switch (holder.kind) {
    case replay::HolderKind::Unfinished: return "it has not completed";
    case replay::HolderKind::Scope: return fmt::format("{} holds a reference until it ends", document.scope_label(holder.scope));
    case replay::HolderKind::Consumer:
      return fmt::format("consumer {} holds a reference (edge {})", document.task_label(holder.task), holder.edge);
    case replay::HolderKind::OlderTask:
      if (holder.task == kNoRow) return "it is consumed; the watermark is on its way to its slot";
      return fmt::format("it is consumed; older task {} is not, and slots go back in order", document.task_label(holder.task));
    case replay::HolderKind::HeapTail:
      return "its slot is given back; the heap's tail passes its bytes when the orchestrator looks";
  }
  return {};
}

std::vector<std::string> holders_words(const Document& document, std::uint32_t task, std::size_t limit) {
  const auto holders = replay::holders_of(document.cursor(), task);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < holders.size() && i < limit; ++i) lines.push_back(holder_words(document, holders[i]));
  if (holders.size() > limit) lines.push_back(fmt::format("and {} more", holders.size() - limit));
  if (lines.empty() && static_cast<TaskState>(document.cursor().state().task_state[task]) == TaskState::Completed)
    lines.emplace_back("nothing holds it any more: it is about to be consumed");
  return lines;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string bytes_words(std::uint64_t bytes) {
  constexpr double kKibi = 1024.0;
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  if (bytes < 1024ULL * 1024) return fmt::format("{:.6g} KiB", value / kKibi);
  if (bytes < 1024ULL * 1024 * 1024) return fmt::format("{:.6g} MiB", value / kKibi / kKibi);
  return fmt::format("{:.6g} GiB", value / kKibi / kKibi / kKibi);
}

char state_letter(TaskState state) {
  // Completed and consumed begin alike: the second one, whose slot goes back, is Z as in the runtime's own notation.
  constexpr std::array<char, 6> kLetters{'U', 'P', 'R', 'X', 'C', 'Z'};
  return kLetters[static_cast<std::size_t>(state) % kLetters.size()];
}

}  // namespace depscope::viewers
