#include "depscope/replay/watch.h"

#include <array>
#include <vector>

#include "cursor_impl.h"
#include "watch_fields.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::EventKind;
using runtime::TaskState;

EventKinds state_kinds() {
  return event_kinds({EventKind::Submit, EventKind::Ready, EventKind::Dispatch, EventKind::Complete, EventKind::Consume});
}

EventKinds kinds_of_ring_field(std::string_view name) {
  struct Row {
    std::string_view name;
    EventKinds kinds;
  };
  static const std::array kRows{
      Row{"next", event_kinds({EventKind::Submit})},
      Row{"watermark", event_kinds({EventKind::Watermark})},
      Row{"published", event_kinds({EventKind::Publish})},
      Row{"heap_top", event_kinds({EventKind::HeapAlloc})},
      Row{"heap_tail", event_kinds({EventKind::HeapFree})},
      Row{"heap_guard", event_kinds({EventKind::HeapGuard})},
      Row{"dep_top", event_kinds({EventKind::NodeTake})},
      Row{"dep_tail", event_kinds({EventKind::DepReclaim})},
      Row{"spill_top", event_kinds({EventKind::SpillTake})},
      Row{"spill_tail", event_kinds({EventKind::SpillReclaim})},
      Row{"cached_watermark", event_kinds({EventKind::TensorMapSync})},
      Row{"lock_owner", event_kinds({EventKind::AdvanceLock})},
      Row{"advance_pending", event_kinds({EventKind::AdvanceFail, EventKind::AdvanceRetry})},
      Row{"request", event_kinds({EventKind::Request})},
      Row{"acknowledge", event_kinds({EventKind::Acknowledge})},
      Row{"task_window", event_kinds({EventKind::Config})},
      Row{"heap_bytes", event_kinds({EventKind::Config})},
      Row{"dep_pool", event_kinds({EventKind::Config})},
  };
  for (const Row& row : kRows) {
    if (row.name == name) return row.kinds;
  }
  return EventKinds().set();  // a field that is new in RingState: any event may change it
}

/// Who has the slot now.
std::int64_t slot_value(const Cursor& cursor, std::uint32_t ring, std::uint32_t slot) {
  const State& s = cursor.state();
  const auto& ids = cursor.recording().tasks.id;
  const auto& tasks = cursor.impl().tasks_of_slot(ring, slot);
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const std::uint32_t task = tasks[i];
    if (s.task_state[task] == static_cast<std::uint8_t>(TaskState::Unborn)) continue;
    const bool free = cursor.full() ? s.reclaimed[task] != 0 : runtime::local_of(ids[task]) < s.rings[ring].watermark;
    if (!free) return (std::int64_t{s.task_state[task]} << 32U) | task;
  }
  return kNothing;
}

std::int64_t row_or_nothing(std::uint32_t row) { return row == kNoRow ? kNothing : std::int64_t{row}; }

}  // namespace

std::span<const TaskField> task_fields() {
  static const std::array kFields{
      TaskField{"state", nullptr, &State::task_state, state_kinds()},
      TaskField{"need", &State::need, nullptr, event_kinds({EventKind::Need})},
      TaskField{"have", &State::have, nullptr, event_kinds({EventKind::WaitCount})},
      TaskField{"claimed", &State::claimed, nullptr, event_kinds({EventKind::PinClaim})},
      TaskField{"released", &State::released, nullptr, event_kinds({EventKind::PinRelease})},
      TaskField{"block_cursor", &State::block_cursor, nullptr, event_kinds({EventKind::BlockClaim})},
      TaskField{"subtasks_done", &State::subtasks_done, nullptr, event_kinds({EventKind::SubtaskCount})},
      TaskField{"scope_released", nullptr, &State::scope_released, event_kinds({EventKind::ScopeRelease})},
      TaskField{"own_released", nullptr, &State::own_released, event_kinds({EventKind::Release})},
      TaskField{"payload_phase", nullptr, &State::payload_phase, event_kinds({EventKind::PayloadFlush, EventKind::PayloadInit})},
      TaskField{"aborted", nullptr, &State::aborted, event_kinds({EventKind::AbortSubmit})},
      TaskField{"reclaimed", nullptr, &State::reclaimed, event_kinds({EventKind::SlotReclaim})},
  };
  return kFields;
}

std::span<const RingField> ring_fields() {
  static const std::vector<RingField> kFields = [] {
    std::vector<RingField> out;
    const RingState ring;
    RingState::fields(ring, [&](std::string_view name, std::int64_t) { out.push_back({name, kinds_of_ring_field(name)}); });
    return out;
  }();
  return kFields;
}

EventKinds kinds_of(const Watch& watch, bool full) {
  switch (watch.kind) {
    case WatchKind::Task: return task_fields()[watch.part].kinds;
    case WatchKind::TasksInState: return state_kinds();
    case WatchKind::Slot: return state_kinds() | event_kinds({full ? EventKind::SlotReclaim : EventKind::Watermark});
    case WatchKind::Ring: return ring_fields()[watch.part].kinds;
    case WatchKind::Edge: return event_kinds({EventKind::EdgeAdd, EventKind::EdgeReduce, EventKind::EdgeLost});
    case WatchKind::Scope: return event_kinds({EventKind::ScopeBegin, EventKind::ScopeEnd});
    case WatchKind::Queue: return event_kinds({EventKind::QueuePush, EventKind::QueuePop});
    case WatchKind::Core: return event_kinds({EventKind::Place, EventKind::Observe});
    case WatchKind::TensorMap:
    case WatchKind::TensorMapEntry:
      return event_kinds({EventKind::TensorMapInsert, EventKind::TensorMapRemove, EventKind::TensorMapCleanup});
    case WatchKind::Buffered: return event_kinds({EventKind::Defer, EventKind::ReleaseBegin});
    case WatchKind::Config: return event_kinds({EventKind::Config});
  }
  return {};
}

std::int64_t value(const Cursor& cursor, const Watch& watch) {
  const State& s = cursor.state();
  switch (watch.kind) {
    case WatchKind::Task: {
      const TaskField& field = task_fields()[watch.part];
      return field.wide != nullptr ? std::int64_t{(s.*field.wide)[watch.row]} : std::int64_t{(s.*field.narrow)[watch.row]};
    }
    case WatchKind::TasksInState: return s.tasks_in_state[watch.row];
    case WatchKind::Slot: return slot_value(cursor, watch.row, watch.part);
    case WatchKind::Ring: {
      std::int64_t out = 0;
      std::uint32_t part = 0;
      RingState::fields(s.rings[watch.row], [&](std::string_view, std::int64_t field) {
        if (part++ == watch.part) out = field;
      });
      return out;
    }
    case WatchKind::Edge: return s.edge_flags[watch.row];
    case WatchKind::Scope: return s.scope_state[watch.row];
    case WatchKind::Queue: return s.queue_length[watch.row];
    case WatchKind::Core: return row_or_nothing(watch.part == 0 ? s.core_task[watch.row] : s.core_pending[watch.row]);
    case WatchKind::TensorMap: return s.tensormap_entries;
    case WatchKind::TensorMapEntry: return cursor.impl().now.tensormap.holds(watch.row) ? 1 : 0;
    case WatchKind::Buffered: return s.buffered_releases[watch.row];
    case WatchKind::Config: return s.config[watch.row];
  }
  return 0;
}

}  // namespace depscope::replay
