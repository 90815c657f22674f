#include "sizing_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "depscope/replay/cursor.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::Resource;

std::uint32_t ring_of(const Recording& r, std::uint32_t task) { return static_cast<std::uint32_t>(r.tasks.id[task] >> 32U); }
std::int64_t local_of(const Recording& r, std::uint32_t task) {
  return static_cast<std::int64_t>(r.tasks.id[task] & 0xffffffffU);
}

SizedResource sized(std::uint16_t extra) {
  switch (static_cast<Resource>(extra)) {
    case Resource::TaskWindow: return SizedResource::TaskWindow;
    case Resource::Heap: return SizedResource::Heap;
    case Resource::DepPool: return SizedResource::DepPool;
    case Resource::SpillPool: return SizedResource::SpillPool;
    default: return SizedResource::TensorMap;
  }
}

}  // namespace

BySizedResource<ResourceUse> sizing_oracle(const Recording& r, const Capacities& exceeding) {
  BySizedResource<ResourceUse> out;
  Cursor cursor(r);
  std::set<std::uint32_t> entries;            // accesses in the TensorMap
  std::vector<std::uint32_t> nodes, spilled;  // tasks that took them
  std::uint32_t block = kNoRow;
  for (std::uint32_t event = 0; cursor.step(); ++event) {
    const State& s = cursor.state();
    const auto kind = static_cast<EventKind>(r.events.kind[event]);
    const std::uint32_t subject = r.events.subject[event];
    const std::uint32_t object = r.events.object[event];
    const auto note = [&](SizedResource resource, std::uint32_t ring, std::uint64_t used, std::uint32_t task) -> ResourceUse& {
      ResourceUse& use = at(out, resource, ring);
      const UseMoment now{.event = event, .time = r.events.time[event], .task = task};
      if (used > use.most) {
        use.most = used;
        use.at = now;
        if (resource == SizedResource::Heap) {
          // What no task has that is not freed. The tail stays where it is while the rebased heap's first task is not passed.
          const RingState& state = s.rings[ring];
          const std::int64_t first = std::max(state.published, state.heap_guard);
          use.wasted = used;
          for (std::uint32_t t = 0; t <= task; ++t) {
            if (ring_of(r, t) == ring && local_of(r, t) >= first) use.wasted -= r.tasks.heap_end[t] - r.tasks.heap_begin[t];
          }
        }
      }
      if (const std::uint64_t capacity = at(exceeding, resource, ring); capacity != 0 && used > capacity) {
        if (use.exceeded.event == kNoRow) use.exceeded = now;
        if (use.exceeded.task == task) use.needed = std::max(use.needed, used);
      }
      return use;
    };
    const auto held = [&](const std::vector<std::uint32_t>& takers, std::uint32_t ring) {
      return static_cast<std::uint64_t>(std::count_if(takers.begin(), takers.end(), [&](std::uint32_t task) {
        return ring_of(r, task) == ring && local_of(r, task) >= s.rings[ring].published;
      }));
    };
    switch (kind) {
      case EventKind::Submit: {
        const std::uint32_t scope = r.tasks.scope[subject];
        note(SizedResource::Scope, object,
             static_cast<std::uint64_t>(std::count(r.tasks.scope.begin(), r.tasks.scope.begin() + subject + 1, scope)), subject);
        note(SizedResource::TaskWindow, object, static_cast<std::uint64_t>(s.rings[object].next - s.rings[object].published),
             subject);
        break;
      }
      case EventKind::HeapAlloc: {
        const RingState& ring = s.rings[object];
        const std::int64_t used =
            ring.heap_top >= ring.heap_tail ? ring.heap_top - ring.heap_tail : ring.heap_bytes - ring.heap_tail + ring.heap_top;
        note(SizedResource::Heap, object, static_cast<std::uint64_t>(used), subject);
        break;
      }
      case EventKind::NodeTake: {
        const std::uint32_t ring = ring_of(r, subject);
        nodes.push_back(subject);
        ResourceUse& use = note(SizedResource::DepPool, ring,
                                static_cast<std::uint64_t>(s.rings[ring].dep_top - s.rings[ring].dep_tail), subject);
        use.most_held = std::max(use.most_held, held(nodes, ring));
        break;
      }
      case EventKind::SpillTake: {
        spilled.push_back(subject);
        ResourceUse& use = note(SizedResource::SpillPool, object,
                                static_cast<std::uint64_t>(s.rings[object].spill_top - s.rings[object].spill_tail), subject);
        use.most_held = std::max(use.most_held, held(spilled, object));
        break;
      }
      case EventKind::TensorMapInsert: {
        entries.insert(subject);
        const std::uint32_t task = r.accesses.task[subject];
        const std::uint32_t ring = ring_of(r, task);
        const auto on_ring = [&](std::uint32_t access) { return ring_of(r, r.accesses.task[access]) == ring; };
        note(SizedResource::TensorMap, ring, static_cast<std::uint64_t>(std::count_if(entries.begin(), entries.end(), on_ring)),
             task);
        note(SizedResource::TensorMap, kAllRings, static_cast<std::uint64_t>(s.tensormap_entries), task);
        break;
      }
      case EventKind::TensorMapRemove:
      case EventKind::TensorMapCleanup: entries.erase(subject); break;
      case EventKind::Block:
      case EventKind::Unblock: {
        if (static_cast<Resource>(r.events.extra[event]) == Resource::HostAccess) break;
        const SizedResource resource = sized(r.events.extra[event]);
        ResourceUse& use = at(out, resource, resource == SizedResource::TensorMap ? kAllRings : object);
        if (kind == EventKind::Block) {
          block = event;
          const std::uint32_t rows = s.tasks_in_state[0];  // not born yet
          if (use.first_wait == kNoRow) use.first_wait = subject != kNoRow ? subject : r.tasks.rows() - rows;
        } else {
          ++use.waits;
          use.waited += r.events.time[event] - r.events.time[block];
        }
        break;
      }
      case EventKind::Error:
        if (r.events.new_value[event] == 1) at(out, SizedResource::Scope, object).first_wait = r.tasks.rows();
        break;
      default: break;
    }
  }
  return out;
}

std::string difference(const BySizedResource<ResourceUse>& expected, const BySizedResource<ResourceUse>& got) {
  for (std::size_t i = 0; i < kSizedResources; ++i) {
    for (std::uint32_t ring = 0; ring <= kAllRings; ++ring) {
      const auto text = [](const ResourceUse& u) {
        return fmt::format(
            "most {} at event {} (time {}, task {}), wasted {}, held {}, needed {} at event {} (task {}), waits {} {} {}", u.most,
            u.at.event, u.at.time, u.at.task, u.wasted, u.most_held, u.needed, u.exceeded.event, u.exceeded.task, u.waits,
            u.waited, u.first_wait);
      };
      const std::string a = text(expected[i][ring]);
      const std::string b = text(got[i][ring]);
      if (a != b) return fmt::format("{} of ring {}: {}, not {}", sized_resource_name(static_cast<SizedResource>(i)), ring, b, a);
    }
  }
  return "";
}

}  // namespace depscope::replay
