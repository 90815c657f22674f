#include "depscope/replay/event_sets.h"

#include "depscope/replay/cursor.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;

}  // namespace

EventKinds event_kinds(std::initializer_list<EventKind> list) {
  EventKinds out;
  for (const EventKind kind : list) out.set(static_cast<std::size_t>(kind));
  return out;
}

bool told_by_summary(EventKind kind) {
  static const EventKinds kTold =
      event_kinds({EventKind::Config,     EventKind::ScopeBegin, EventKind::ScopeEnd,  EventKind::Submit,   EventKind::EdgeAdd,
                   EventKind::EdgeReduce, EventKind::Ready,      EventKind::Dispatch,  EventKind::Complete, EventKind::Release,
                   EventKind::Consume,    EventKind::Watermark,  EventKind::HeapAlloc, EventKind::HeapFree, EventKind::Block,
                   EventKind::Error,      EventKind::RunEnd,     EventKind::Unblock,   EventKind::EdgeLost, EventKind::HeapGuard,
                   EventKind::AbortSubmit});
  return kTold.test(static_cast<std::size_t>(kind));
}

EventKinds kinds_of_scopes() { return event_kinds({EventKind::ScopeBegin, EventKind::ScopeEnd, EventKind::ScopeRelease}); }

EventKinds kinds_of_tensors() {
  return event_kinds({EventKind::TensorMapInsert, EventKind::TensorMapRemove, EventKind::TensorMapCleanup,
                      EventKind::TensorMapHit, EventKind::EdgeAdd, EventKind::EdgeReduce, EventKind::EdgeLost});
}

bool event_of_scope(const Recording& recording, std::uint32_t event, std::uint32_t scope, bool tasks) {
  const auto kind = static_cast<EventKind>(recording.events.kind[event]);
  switch (kind) {
    case EventKind::ScopeBegin:
    case EventKind::ScopeEnd: return recording.events.subject[event] == scope;
    case EventKind::SubmitBegin: return tasks && recording.events.object[event] == scope;
    default: break;
  }
  if (!tasks && kind != EventKind::ScopeRelease) return false;
  const std::uint32_t task = task_of_event(recording, event);
  return task != kNoRow && recording.tasks.scope[task] == scope;
}

TensorEvents::TensorEvents(const Recording& recording, std::uint32_t tensor)
    : recording_(&recording), tensor_(tensor), edges_(recording.edges.rows()), has_access_(recording.tasks.rows()) {
  for (std::uint32_t a = 0; a < recording.accesses.rows(); ++a) {
    if (recording.accesses.tensor[a] != tensor) continue;
    const std::uint32_t task = recording.accesses.task[a];
    if (tasks_.empty() || tasks_.back() != task) tasks_.push_back(task);  // accesses are grouped by task
    has_access_[task] = true;
  }
  const auto& reasons = recording.edge_reasons;
  for (std::uint32_t i = 0; i < reasons.rows(); ++i) {
    if (is_access(reasons.consumer_access[i]) || is_access(reasons.producer_access[i])) edges_[reasons.edge[i]] = true;
  }
}

bool TensorEvents::holds(std::uint32_t event, bool tasks) const {
  const auto& events = recording_->events;
  switch (static_cast<EventKind>(events.kind[event])) {
    case EventKind::TensorMapInsert:
    case EventKind::TensorMapRemove:
    case EventKind::TensorMapCleanup:
      if (is_access(events.subject[event])) return true;
      break;
    case EventKind::TensorMapHit:
      if (is_access(events.subject[event]) || is_access(events.object[event])) return true;
      break;
    case EventKind::EdgeAdd:
    case EventKind::EdgeReduce:
    case EventKind::EdgeLost:
      if (edges_[events.subject[event]]) return true;
      break;
    default: break;
  }
  if (!tasks) return false;
  const std::uint32_t task = task_of_event(*recording_, event);
  return task != kNoRow && has_access_[task];
}

}  // namespace depscope::replay
