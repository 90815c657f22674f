// What subject, object and values of an event are, by kind: runtime/sink.h as a table.
#pragma once

#include <cstdint>

#include "depscope/runtime/sink.h"

namespace depscope::replay {

enum class Operand : std::uint8_t { Any, Task, Edge, Access, Scope, Ring, Core };

struct EventShape {
  Operand subject = Operand::Any;
  bool subject_none = true;
  Operand object = Operand::Any;
  bool object_none = true;
  std::int64_t max_value = 0;  ///< old and new values lie in 0..max_value; 0 = any
};

[[nodiscard]] constexpr EventShape event_shape(runtime::EventKind kind) {
  using runtime::EventKind;
  constexpr auto kLastState = static_cast<std::int64_t>(runtime::TaskState::Consumed);
  constexpr std::int64_t kMaxCount = 0xffffffffLL;
  switch (kind) {
    case EventKind::ScopeBegin:
    case EventKind::ScopeEnd: return {Operand::Scope, false, Operand::Any, true, 0};
    case EventKind::Submit: return {Operand::Task, false, Operand::Ring, false, 0};
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce: return {Operand::Edge, false, Operand::Task, true, runtime::kWaitRetain};
    case EventKind::Ready:
    case EventKind::Consume: return {Operand::Task, false, Operand::Any, true, kLastState};
    case EventKind::Dispatch:
    case EventKind::Complete: return {Operand::Task, false, Operand::Core, true, kLastState};
    case EventKind::WaitCount:
    case EventKind::PinClaim:
    case EventKind::PinRelease: return {Operand::Task, false, Operand::Task, true, kMaxCount};
    case EventKind::Need: return {Operand::Task, false, Operand::Any, true, kMaxCount};
    case EventKind::ScopeRelease:
    case EventKind::Release: return {Operand::Task, false, Operand::Any, true, 1};
    case EventKind::Watermark:
    case EventKind::HeapFree: return {Operand::Any, true, Operand::Ring, false, 0};
    case EventKind::HeapAlloc: return {Operand::Task, false, Operand::Ring, false, 0};
    case EventKind::TensorMapInsert: return {Operand::Access, false, Operand::Any, true, 0};
    case EventKind::TensorMapRemove: return {Operand::Access, false, Operand::Task, true, 0};
    case EventKind::TensorMapHit: return {Operand::Access, false, Operand::Access, false, 0};
    case EventKind::Config:
    case EventKind::Block:
    case EventKind::Error:
    case EventKind::RunEnd: break;
  }
  return {};
}

}  // namespace depscope::replay
