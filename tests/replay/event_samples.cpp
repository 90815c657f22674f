#include "event_samples.h"

#include <type_traits>

#include "synthetic_recording.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

Recording recording_without_events() {
  Recording r = synthetic_recording({.tasks = 20, .max_fanin = 4});
  recording::EventsTable::columns(r.events, [](std::string_view, auto& values, recording::Target) { values.clear(); });
  return r;
}

runtime::Event sample_event(EventKind kind) {
  const auto event = [kind](std::uint32_t subject, std::uint32_t object, std::int64_t from, std::int64_t to,
                            std::uint16_t extra = 0) {
    return runtime::Event{.kind = kind, .extra = extra, .subject = subject, .object = object, .old_value = from, .new_value = to};
  };
  const auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  switch (kind) {
    case EventKind::Config: return event(number(runtime::ConfigItem::TaskWindow), 1, 0, 16384);
    case EventKind::ScopeBegin: return event(0, kNoRow, 0, 2);
    case EventKind::ScopeEnd: return event(0, kNoRow, 2, 0);
    case EventKind::Submit: return event(3, 1, 0, 1);
    case EventKind::EdgeAdd: return event(2, 3, 0, 3);
    case EventKind::EdgeReduce: return event(2, 1, 0, 2);
    case EventKind::EdgeLost: return event(2, 3, 0, 1);
    case EventKind::Ready: return event(3, kNoRow, 0, 2);
    case EventKind::Dispatch: return event(3, 5, 0, 3);
    case EventKind::Complete: return event(3, 5, 0, 4);
    case EventKind::Consume: return event(3, kNoRow, 0, 5);
    case EventKind::WaitCount: return event(3, 1, 0, 2);
    case EventKind::PinClaim: return event(3, 4, 0, 1);
    case EventKind::PinRelease: return event(3, 4, 0, 1, number(runtime::ReleaseCause::Consumer));
    case EventKind::ScopeRelease:
    case EventKind::Release: return event(3, kNoRow, 0, 1);
    case EventKind::Watermark: return event(kNoRow, 1, 0, 2);
    case EventKind::HeapAlloc: return event(3, 1, 0, 2048);
    case EventKind::HeapFree: return event(kNoRow, 1, 0, 1024);
    case EventKind::TensorMapInsert: return event(3, kNoRow, 0, 1);
    case EventKind::TensorMapRemove: return event(3, 4, 0, 7);
    case EventKind::TensorMapHit: return event(4, 3, 0, 2);
    case EventKind::Need: return event(3, kNoRow, 0, 4);
    case EventKind::Block: return event(7, 1, 4, 5, number(runtime::Resource::DepPool));
    case EventKind::Unblock: return event(kNoRow, 1, 0, 5, number(runtime::Resource::Heap));
    case EventKind::Error: return event(7, 1, 0, 4, number(runtime::ErrorClass::Structural));
    case EventKind::RunEnd: return event(kNoRow, kNoRow, 0, 20);
    case EventKind::SubmitBegin: return event(kNoRow, 1, 0, 3);
    case EventKind::SubmitIgnored: return event(kNoRow, kNoRow, 0, 0);
    case EventKind::SlotReset: return event(3, 3, 0, 1);
    case EventKind::SeqAssign: return event(3, kNoRow, -1, 0);
    case EventKind::Bind: return event(3, 3, 3, 4);
    case EventKind::Record: return event(3, kNoRow, 0, 4);
    case EventKind::TensorMapSync: return event(kNoRow, 1, 0, 2);
    case EventKind::TensorMapCleanup: return event(3, 1, 0, 6);
    case EventKind::DepSkip: return event(3, 1, 0, 0, number(runtime::SkipReason::Gone));
    case EventKind::SpillTake: return event(3, 1, 1, 2);
    case EventKind::DescriptorWrite: return event(3, 3, -1, 3);
    case EventKind::ReachPublish: return event(3, kNoRow, 0, -2);
    case EventKind::PayloadFlush: return event(3, 2, 0, 1, 1);
    case EventKind::PayloadInit: return event(3, 2, 0, 2);
    case EventKind::NodeTake: return event(4, 3, 1, 2);
    case EventKind::QueuePush: return event(3, number(runtime::QueueId::SyncMix), 0, 1);
    case EventKind::QueuePop: return event(3, number(runtime::QueueId::Aic), 0, 2);
    case EventKind::BlockClaim: return event(3, 2, 0, 2);
    case EventKind::Place: return event(3, 24, 0, 1, 1);
    case EventKind::CoreAck: return event(3, 24, 0, 0);
    case EventKind::Finish: return event(3, 24, 0, 1);
    case EventKind::Observe: return event(3, 24, 0, 1, 1);
    case EventKind::SubtaskCount: return event(3, 24, 0, 1);
    case EventKind::WalkNode: return event(3, 4, 0, 1);
    case EventKind::Defer: return event(3, 2, 0, 1);
    case EventKind::ReleaseBegin: return event(3, 2, 0, 3);
    case EventKind::AdvanceLock: return event(kNoRow, 1, 0, 2);
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry: return event(kNoRow, 1, 0, 1);
    case EventKind::SlotReclaim: return event(3, 3, 0, 1);
    case EventKind::Publish: return event(kNoRow, 0, 0, 16);
    case EventKind::Request:
    case EventKind::Acknowledge: return event(kNoRow, 1, 0, 1);
    case EventKind::DepReclaim: return event(kNoRow, 1, 1, 5);
    case EventKind::SpillReclaim: return event(kNoRow, 1, 1, 3);
    case EventKind::HeapGuard: return event(kNoRow, 1, -1, 5);
    case EventKind::AbortSubmit: return event(3, kNoRow, 0, 1);
    case EventKind::Layout: return event(kNoRow, kNoRow, 0, 2048);
    case EventKind::Predicate: return event(3, kNoRow, 0, 1);
  }
  return {};
}

void add_event(Recording& r, const runtime::Event& event) {
  r.events.kind.push_back(static_cast<std::uint8_t>(event.kind));
  r.events.actor.push_back(event.actor);
  r.events.extra.push_back(event.extra);
  r.events.time.push_back(event.time);
  r.events.subject.push_back(event.subject);
  r.events.object.push_back(event.object);
  r.events.old_value.push_back(event.old_value);
  r.events.new_value.push_back(event.new_value);
}

StateField field_of(State& s, const Recording& r, const runtime::Event& e) {
  const auto ring = [&]() -> RingState& { return s.rings[e.object]; };
  switch (e.kind) {
    case EventKind::Config:
      if (e.object == kNoRow) return &s.config[e.subject];
      if (e.subject == static_cast<std::uint32_t>(runtime::ConfigItem::TaskWindow)) return &ring().task_window;
      if (e.subject == static_cast<std::uint32_t>(runtime::ConfigItem::HeapBytes)) return &ring().heap_bytes;
      return &ring().dep_pool;
    case EventKind::Submit: return &ring().next;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::EdgeLost: return &s.edge_flags[e.subject];
    case EventKind::Ready:
    case EventKind::Dispatch:
    case EventKind::Complete:
    case EventKind::Consume: return &s.task_state[e.subject];
    case EventKind::WaitCount: return &s.have[e.subject];
    case EventKind::Need: return &s.need[e.subject];
    case EventKind::PinClaim: return &s.claimed[e.subject];
    case EventKind::PinRelease: return &s.released[e.subject];
    case EventKind::ScopeRelease: return &s.scope_released[e.subject];
    case EventKind::Release: return &s.own_released[e.subject];
    case EventKind::PayloadFlush:
    case EventKind::PayloadInit: return &s.payload_phase[e.subject];
    case EventKind::BlockClaim: return &s.block_cursor[e.subject];
    case EventKind::SubtaskCount: return &s.subtasks_done[e.subject];
    case EventKind::AbortSubmit: return &s.aborted[e.subject];
    case EventKind::SlotReclaim: return &s.reclaimed[e.subject];
    case EventKind::Watermark: return &ring().watermark;
    case EventKind::Publish: return &ring().published;
    case EventKind::HeapAlloc: return &ring().heap_top;
    case EventKind::HeapFree: return &ring().heap_tail;
    case EventKind::HeapGuard: return &ring().heap_guard;
    case EventKind::NodeTake: return &s.rings[runtime::ring_of(r.tasks.id[e.subject])].dep_top;
    case EventKind::DepReclaim: return &ring().dep_tail;
    case EventKind::SpillTake: return &ring().spill_top;
    case EventKind::SpillReclaim: return &ring().spill_tail;
    case EventKind::AdvanceLock: return &ring().lock_owner;
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry: return &ring().advance_pending;
    case EventKind::Request: return &ring().request;
    case EventKind::Acknowledge: return &ring().acknowledge;
    case EventKind::TensorMapSync: return &ring().cached_watermark;
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup: return &s.tensormap_entries;
    case EventKind::QueuePush:
    case EventKind::QueuePop: return &s.queue_length[e.object];
    case EventKind::Defer:
    case EventKind::ReleaseBegin: return &s.buffered_releases[e.object];
    default: return {};
  }
}

bool has_field(const StateField& field) { return !std::holds_alternative<std::monostate>(field); }

std::int64_t value_of(const StateField& field) {
  return std::visit(
      [](auto at) -> std::int64_t {
        if constexpr (std::is_same_v<decltype(at), std::monostate>) {
          return 0;
        } else {
          return *at;
        }
      },
      field);
}

void set_value(const StateField& field, std::int64_t value) {
  std::visit(
      [value](auto at) {
        if constexpr (!std::is_same_v<decltype(at), std::monostate>) *at = static_cast<std::decay_t<decltype(*at)>>(value);
      },
      field);
}

}  // namespace depscope::replay
