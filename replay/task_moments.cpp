#include "depscope/replay/task_moments.h"

#include <algorithm>

#include "depscope/runtime/submission.h"

namespace depscope::replay {

using recording::kNoRow;
using runtime::EventKind;
using runtime::kRingCount;

TaskMoments::TaskMoments(const recording::Recording& r) {
  const auto& events = r.events;
  for (auto* column : {&submitted, &ready, &dispatched, &completed, &released, &last_reader, &consumed, &reclaimed})
    column->assign(r.tasks.rows(), kNever);
  reused_by.assign(r.tasks.rows(), kNoRow);
  scope_begin.assign(r.scopes.rows(), kNever);
  scope_end.assign(r.scopes.rows(), kNever);
  std::array<std::vector<std::uint32_t>, kRingCount> order;  // tasks rows as submitted, so that gaps between ids do not count
  std::array<std::vector<std::uint32_t>, kRingCount> in_slot;
  std::array<std::size_t, kRingCount> passed{};
  std::array<std::int64_t, kRingCount> top{};
  std::array<std::int64_t, kRingCount> tail{};
  std::array<std::int64_t, kRingCount> heap_bytes{};
  for (std::uint32_t e = 0; e < events.rows(); ++e) {
    const std::uint32_t subject = events.subject[e];
    const std::uint32_t ring = events.object[e];
    const std::int64_t to = events.new_value[e];
    ++count[events.kind[e]];
    switch (static_cast<EventKind>(events.kind[e])) {
      case EventKind::Config:
        if (subject == static_cast<std::uint32_t>(runtime::ConfigItem::HeapBytes) && ring < kRingCount) heap_bytes[ring] = to;
        break;
      case EventKind::ScopeBegin: scope_begin[subject] = e; break;
      case EventKind::ScopeEnd: scope_end[subject] = e; break;
      case EventKind::Submit: {
        submitted[subject] = e;
        order[ring].push_back(subject);
        ++tasks[ring];
        slots[ring] = std::max(slots[ring], static_cast<std::int64_t>(order[ring].size() - passed[ring]));
        const std::uint32_t slot = r.tasks.slot[subject];
        std::vector<std::uint32_t>& holders = in_slot[ring];
        if (slot < r.tasks.rows()) {  // a ring uses its slots from 0 on
          if (slot >= holders.size()) holders.resize(slot + std::size_t{1}, kNoRow);
          if (holders[slot] != kNoRow) reused_by[holders[slot]] = subject;
          holders[slot] = subject;
        }
        break;
      }
      case EventKind::Ready: ready[subject] = e; break;
      case EventKind::Dispatch: dispatched[subject] = e; break;
      case EventKind::Complete: completed[subject] = e; break;
      case EventKind::PinRelease:
        if (events.extra[e] == static_cast<std::uint16_t>(runtime::ReleaseCause::Consumer)) last_reader[subject] = e;
        break;
      case EventKind::Release: released[subject] = e; break;
      case EventKind::Consume: consumed[subject] = e; break;
      case EventKind::Watermark:
        while (passed[ring] < order[ring].size() && runtime::local_of(r.tasks.id[order[ring][passed[ring]]]) < to)
          reclaimed[order[ring][passed[ring]++]] = e;
        break;
      case EventKind::HeapAlloc:
        top[ring] = to;
        // Below the tail, the top has begun again at the start of the heap.
        heap[ring] = std::max(heap[ring], top[ring] - tail[ring] + (top[ring] < tail[ring] ? heap_bytes[ring] : 0));
        break;
      case EventKind::HeapFree: tail[ring] = to; break;
      case EventKind::TensorMapInsert:
        tensormap = std::max(tensormap, to);
        tensormap_known = true;
        break;
      default: break;
    }
  }
  tensormap_known = tensormap_known || count[static_cast<std::size_t>(EventKind::Record)] != 0;
  if (count[static_cast<std::size_t>(EventKind::PinRelease)] != 0) return;
  // Without the references one by one: the consumer's release has given back all that it held when it is over, the last of them
  // perhaps earlier, at the latest when the producer is consumed.
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
    if ((r.edges.flags_final[e] & runtime::kRetain) == 0) continue;
    const std::uint32_t producer = r.edges.producer[e];
    const std::uint32_t at = std::min(released[r.edges.consumer[e]], consumed[producer]);
    std::uint32_t& last = last_reader[producer];
    if (at != kNever && (last == kNever || at > last)) last = at;
  }
}

}  // namespace depscope::replay
