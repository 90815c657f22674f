// What subject, object, extra and values of an event are, by kind: runtime/sink.h as a table.
#pragma once

#include <cstdint>
#include <limits>

#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"

namespace depscope::runtime {

/// What a subject or object is: a row of a table, or a number with a limit of its own.
enum class Operand : std::uint8_t { Any, Task, Edge, Access, Scope, Ring, Core, Slot, Queue, Thread, ConfigItem };

/// Enumeration that `extra` holds. Any: a number, or unused.
enum class Extra : std::uint8_t { Any, Resource, ErrorClass, SkipReason, ReleaseCause, Place };

/// Limits of old and new value, both included.
struct ValueRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

struct EventShape {
  Operand subject = Operand::Any;
  bool subject_none = true;
  Operand object = Operand::Any;
  bool object_none = true;
  ValueRange values{};
  Extra extra = Extra::Any;
};

/// Cores that an event may name, far above the 3 · 36 of the largest platform.
inline constexpr std::uint32_t kMaxCores = 65536;
static_assert(kMaxCores >= 3 * 36);
/// Scheduler threads that an event may name: actors are 8-bit numbers, of which one is the orchestrator and one stands for cores.
inline constexpr std::uint32_t kMaxThreads = kCoreActor - 1;

/// True if the configured value belongs to a ring and not to the whole run.
[[nodiscard]] constexpr bool is_ring_limit(ConfigItem item) {
  return item == ConfigItem::TaskWindow || item == ConfigItem::HeapBytes || item == ConfigItem::DepPool;
}

/// Last value that an extra of this kind may have.
[[nodiscard]] constexpr std::uint16_t extra_limit(Extra extra) {
  switch (extra) {
    case Extra::Resource: return kResourceCount - 1;
    case Extra::ErrorClass: return kErrorClassCount - 1;
    case Extra::SkipReason: return static_cast<std::uint16_t>(SkipReason::OwnSlot);
    case Extra::ReleaseCause: return static_cast<std::uint16_t>(ReleaseCause::Consumer);
    case Extra::Place: return 1;
    case Extra::Any: break;
  }
  return std::numeric_limits<std::uint16_t>::max();
}

namespace shape {
inline constexpr ValueRange kAnyValue{};
inline constexpr ValueRange kNotNegative{0, std::numeric_limits<std::int64_t>::max()};
inline constexpr ValueRange kCount{0, 0xffffffffLL};
inline constexpr ValueRange kIndexOrNone{-1, 0xffffffffLL};
inline constexpr ValueRange kBit{0, 1};
inline constexpr ValueRange kOverlap{0, 2};
inline constexpr ValueRange kFlags{0, kWaitRetain};
inline constexpr ValueRange kState{0, static_cast<std::int64_t>(TaskState::Consumed)};
inline constexpr ValueRange kPhase{0, static_cast<std::int64_t>(PayloadPhase::Initialised)};
inline constexpr ValueRange kLockOwner{0, kCoreActor};

/// The subject has to be there, the object not.
[[nodiscard]] constexpr EventShape of(Operand subject, ValueRange values, Operand object = Operand::Any,
                                      Extra extra = Extra::Any) {
  return {subject, subject == Operand::Any, object, true, values, extra};
}
/// Both have to be there.
[[nodiscard]] constexpr EventShape with(Operand subject, Operand object, ValueRange values, Extra extra = Extra::Any) {
  return {subject, subject == Operand::Any, object, false, values, extra};
}
}  // namespace shape

[[nodiscard]] constexpr EventShape event_shape(EventKind kind) {
  using namespace shape;
  switch (kind) {
    case EventKind::Config: return of(Operand::ConfigItem, kNotNegative, Operand::Ring);
    case EventKind::ScopeBegin:
    case EventKind::ScopeEnd: return of(Operand::Scope, kCount);
    case EventKind::SubmitBegin: return {Operand::Any, true, Operand::Scope, true, kCount};
    case EventKind::Submit: return with(Operand::Task, Operand::Ring, kNotNegative);
    case EventKind::SlotReset: return with(Operand::Task, Operand::Slot, kNotNegative);
    case EventKind::SeqAssign:
    case EventKind::ReachPublish: return of(Operand::Task, kAnyValue);
    case EventKind::Bind: return with(Operand::Task, Operand::Slot, kCount);
    case EventKind::Record: return of(Operand::Task, kNotNegative);
    case EventKind::DescriptorWrite: return with(Operand::Task, Operand::Slot, kIndexOrNone);
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::EdgeLost: return of(Operand::Edge, kFlags, Operand::Task);
    case EventKind::DepSkip: return of(Operand::Task, kAnyValue, Operand::Task, Extra::SkipReason);
    case EventKind::Ready:
    case EventKind::Consume: return of(Operand::Task, kState);
    case EventKind::Dispatch:
    case EventKind::Complete: return of(Operand::Task, kState, Operand::Core);
    case EventKind::Need: return of(Operand::Task, kCount);
    case EventKind::WaitCount:
    case EventKind::PinClaim: return of(Operand::Task, kCount, Operand::Task);
    case EventKind::PinRelease: return of(Operand::Task, kCount, Operand::Task, Extra::ReleaseCause);
    case EventKind::NodeTake: return with(Operand::Task, Operand::Task, kNotNegative);
    case EventKind::WalkNode: return with(Operand::Task, Operand::Task, kCount);
    case EventKind::ScopeRelease:
    case EventKind::Release:
    case EventKind::AbortSubmit:
    case EventKind::Predicate: return of(Operand::Task, kBit);
    case EventKind::SlotReclaim: return with(Operand::Task, Operand::Slot, kBit);
    case EventKind::PayloadFlush:
    case EventKind::PayloadInit: return of(Operand::Task, kPhase);  // their object is a number of edges
    case EventKind::Watermark:
    case EventKind::Publish:
    case EventKind::TensorMapSync:
    case EventKind::HeapFree:
    case EventKind::DepReclaim:
    case EventKind::SpillReclaim: return with(Operand::Any, Operand::Ring, kNotNegative);
    case EventKind::HeapGuard: return with(Operand::Any, Operand::Ring, kIndexOrNone);
    case EventKind::AdvanceLock: return with(Operand::Any, Operand::Ring, kLockOwner);
    case EventKind::AdvanceFail:
    case EventKind::AdvanceRetry:
    case EventKind::Request:
    case EventKind::Acknowledge: return with(Operand::Any, Operand::Ring, kBit);
    case EventKind::HeapAlloc:
    case EventKind::SpillTake: return with(Operand::Task, Operand::Ring, kNotNegative);
    case EventKind::TensorMapInsert: return of(Operand::Access, kNotNegative);
    case EventKind::TensorMapRemove: return of(Operand::Access, kNotNegative, Operand::Task);
    case EventKind::TensorMapCleanup: return with(Operand::Access, Operand::Ring, kNotNegative);
    case EventKind::TensorMapHit: return with(Operand::Access, Operand::Access, kOverlap);
    case EventKind::Block:
    case EventKind::Unblock: return {Operand::Task, true, Operand::Ring, true, kNotNegative, Extra::Resource};
    case EventKind::Error: return {Operand::Task, true, Operand::Ring, true, kNotNegative, Extra::ErrorClass};
    case EventKind::QueuePush:
    case EventKind::QueuePop: return with(Operand::Task, Operand::Queue, kCount);
    case EventKind::BlockClaim:
    case EventKind::Defer:
    case EventKind::ReleaseBegin: return with(Operand::Task, Operand::Thread, kCount);
    case EventKind::Place:
    case EventKind::CoreAck:
    case EventKind::Finish:
    case EventKind::Observe: return with(Operand::Task, Operand::Core, kCount, Extra::Place);
    case EventKind::SubtaskCount: return of(Operand::Task, kCount, Operand::Core);
    case EventKind::Layout:
    case EventKind::RunEnd: return of(Operand::Any, kNotNegative);
    case EventKind::SubmitIgnored: break;
  }
  return {};
}

}  // namespace depscope::runtime
