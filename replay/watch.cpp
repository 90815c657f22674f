#include "depscope/replay/watch.h"

#include <array>
#include <initializer_list>
#include <vector>

#include "cursor_impl.h"
#include "watch_fields.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using runtime::EventKind;
using runtime::TaskState;

EventKinds kinds(std::initializer_list<EventKind> list) {
  EventKinds out;
  for (const EventKind kind : list) out.set(static_cast<std::size_t>(kind));
  return out;
}

EventKinds state_kinds() {
  return kinds({EventKind::Submit, EventKind::Ready, EventKind::Dispatch, EventKind::Complete, EventKind::Consume});
}

EventKinds kinds_of_ring_field(std::string_view name) {
  struct Row {
    std::string_view name;
    EventKinds kinds;
  };
  static const std::array kRows{
      Row{"next", kinds({EventKind::Submit})},
      Row{"watermark", kinds({EventKind::Watermark})},
      Row{"published", kinds({EventKind::Publish})},
      Row{"heap_top", kinds({EventKind::HeapAlloc})},
      Row{"heap_tail", kinds({EventKind::HeapFree})},
      Row{"heap_guard", kinds({EventKind::HeapGuard})},
      Row{"dep_top", kinds({EventKind::NodeTake})},
      Row{"dep_tail", kinds({EventKind::DepReclaim})},
      Row{"spill_top", kinds({EventKind::SpillTake})},
      Row{"spill_tail", kinds({EventKind::SpillReclaim})},
      Row{"cached_watermark", kinds({EventKind::TensorMapSync})},
      Row{"lock_owner", kinds({EventKind::AdvanceLock})},
      Row{"advance_pending", kinds({EventKind::AdvanceFail, EventKind::AdvanceRetry})},
      Row{"request", kinds({EventKind::Request})},
      Row{"acknowledge", kinds({EventKind::Acknowledge})},
      Row{"task_window", kinds({EventKind::Config})},
      Row{"heap_bytes", kinds({EventKind::Config})},
      Row{"dep_pool", kinds({EventKind::Config})},
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
      TaskField{"need", &State::need, nullptr, kinds({EventKind::Need})},
      TaskField{"have", &State::have, nullptr, kinds({EventKind::WaitCount})},
      TaskField{"claimed", &State::claimed, nullptr, kinds({EventKind::PinClaim})},
      TaskField{"released", &State::released, nullptr, kinds({EventKind::PinRelease})},
      TaskField{"block_cursor", &State::block_cursor, nullptr, kinds({EventKind::BlockClaim})},
      TaskField{"subtasks_done", &State::subtasks_done, nullptr, kinds({EventKind::SubtaskCount})},
      TaskField{"scope_released", nullptr, &State::scope_released, kinds({EventKind::ScopeRelease})},
      TaskField{"own_released", nullptr, &State::own_released, kinds({EventKind::Release})},
      TaskField{"payload_phase", nullptr, &State::payload_phase, kinds({EventKind::PayloadFlush, EventKind::PayloadInit})},
      TaskField{"aborted", nullptr, &State::aborted, kinds({EventKind::AbortSubmit})},
      TaskField{"reclaimed", nullptr, &State::reclaimed, kinds({EventKind::SlotReclaim})},
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
    case WatchKind::Slot: return state_kinds() | kinds({full ? EventKind::SlotReclaim : EventKind::Watermark});
    case WatchKind::Ring: return ring_fields()[watch.part].kinds;
    case WatchKind::Edge: return kinds({EventKind::EdgeAdd, EventKind::EdgeReduce, EventKind::EdgeLost});
    case WatchKind::Scope: return kinds({EventKind::ScopeBegin, EventKind::ScopeEnd});
    case WatchKind::Queue: return kinds({EventKind::QueuePush, EventKind::QueuePop});
    case WatchKind::Core: return kinds({EventKind::Place, EventKind::Observe});
    case WatchKind::TensorMap:
    case WatchKind::TensorMapEntry:
      return kinds({EventKind::TensorMapInsert, EventKind::TensorMapRemove, EventKind::TensorMapCleanup});
    case WatchKind::Buffered: return kinds({EventKind::Defer, EventKind::ReleaseBegin});
    case WatchKind::Config: return kinds({EventKind::Config});
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
