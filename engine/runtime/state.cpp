#include "state.h"

#include "invariants.h"

namespace depscope::runtime {
namespace {

/// Kinds that a summary has.
constexpr std::array kSummary{
    EventKind::Config,      EventKind::ScopeBegin, EventKind::ScopeEnd,  EventKind::Submit,   EventKind::EdgeAdd,
    EventKind::EdgeReduce,  EventKind::Ready,      EventKind::Dispatch,  EventKind::Complete, EventKind::Release,
    EventKind::Consume,     EventKind::Watermark,  EventKind::HeapAlloc, EventKind::HeapFree, EventKind::Block,
    EventKind::Error,       EventKind::RunEnd,     EventKind::Unblock,   EventKind::EdgeLost, EventKind::HeapGuard,
    EventKind::AbortSubmit,
};

}  // namespace

State::State(const ModelOptions& model_options, RuntimeSink& row_sink)
    : options(model_options),
      topology(topology_of(model_options)),
      sink(row_sink),
      chooser(model_options.schedule),
      cores(topology.cores()),
      threads(topology.scheduler_threads),
      submission_counter(model_options.first_submission_number) {
  level_.fill(options.events == EventLevel::Full);
  for (const EventKind kind : kSummary) level_[static_cast<std::size_t>(kind)] = true;
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    Ring& ring = rings[r];
    ring.limits = options.limits[r];
    ring.heap.size = ring.limits.heap;
    ring.heap.mutation = options.mutation;
    ring.dep.capacity = ring.spill.capacity = static_cast<std::int64_t>(ring.limits.dep_pool);
  }
}

void State::emit(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t old_value, std::int64_t new_value,
                 std::uint8_t actor, std::uint16_t extra) {
  if (wants(kind)) {
    sink.event({.kind = kind,
                .actor = actor,
                .extra = extra,
                .time = time,
                .subject = subject,
                .object = object,
                .old_value = old_value,
                .new_value = new_value});
    ++event_count;
  }
  if (watch != nullptr) watch->after(kind, subject, object, actor);
}

void State::finding(RunFinding f) {
  f.event = event_count;
  sink.finding(f);
}

}  // namespace depscope::runtime
