#include "invariants.h"

#include <fmt/format.h>

#include "depscope/runtime/event_shape.h"
#include "discovery.h"

namespace depscope::runtime {
namespace {

/// No action of a thread and no step of the orchestrator is under way, except what a thread or a scope end says of itself.
bool between_actions(EventKind kind) { return kind == EventKind::SubmitBegin || kind == EventKind::RunEnd; }

}  // namespace

InvariantWatch::InvariantWatch(State& state, const Discovery& discovery, const Reduction& reduction)
    : s_(state), discovery_(discovery), reduction_(reduction), on_core_(state.cores.size()) {}

void InvariantWatch::report(int number, std::uint32_t task, std::string text, std::uint32_t other, std::uint32_t ring) {
  if (reported_.size() >= kMostFindings || !reported_.insert({number, task}).second) return;
  RunFinding f;
  f.kind = RunFindingKind::Invariant;
  f.code = number;
  f.task = task;
  f.other = other;
  f.ring = ring;
  f.text = fmt::format("I{}: {}.", number, text);
  s_.finding(f);
}

std::size_t InvariantWatch::live() const {
  std::size_t count = entries_.size();
  for (const Ring& ring : s_.rings) count += ring.tasks.size() - std::min(ring.passed, ring.tasks.size());
  return count;
}

void InvariantWatch::after(EventKind kind, std::uint32_t subject, std::uint32_t object, std::uint8_t actor) {
  ++events_;
  check_tried(kind, subject, actor);
  if (kind == EventKind::Submit) new_task(subject);
  const EventShape shape = event_shape(kind);
  const bool task = shape.subject == Operand::Task && subject != kNoRow;
  if (task && !known(subject)) return;  // told before its submit: nothing is known of it
  check_error(kind);
  scope_event(kind, subject);
  edge_event(kind, subject, object);
  list_event(kind, subject, object);
  task_event(kind, subject, object);
  core_event(kind, subject, object);
  ring_event(kind, subject, object);
  map_event(kind, subject, object);
  reach_event(kind, subject);
  if (task) {
    check_task(subject);
    check_ring(s_.tasks[subject].ring, kind);
  } else if (shape.object == Operand::Ring && object < kRingCount) {
    check_ring(object, kind);
  }
  const std::size_t size = live();
  if (size <= kSmall || events_ - swept_at_ >= size || kind == EventKind::RunEnd) sweep(kind);
}

void InvariantWatch::sweep(EventKind kind) {
  swept_at_ = events_;
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const Ring& ring = s_.rings[r];
    check_ring(r, kind);
    for (std::size_t i = std::min(ring.reset, ring.passed); i < ring.tasks.size(); ++i) {
      const std::uint32_t task = ring.tasks[i];
      if (!known(task)) continue;
      check_task(task);
      check_edges(task);
      check_list(task);
    }
  }
  check_walks();
  check_queues(between_actions(kind));
  check_buffers();
  check_scopes(true);
  check_map();
}

void InvariantWatch::at_end() {
  for (std::uint32_t row = 0; row < seen_.size(); ++row) {
    const Task& t = s_.tasks[row];
    if (t.state != TaskState::Consumed) {
      report(37, row, fmt::format("task row {} is {} at the end of the run, not consumed", row, task_state_name(t.state)));
    }
    if (t.claimed != t.released) {
      report(37, row, fmt::format("task row {} ends with {} of {} references given back", row, t.released, t.claimed));
    }
  }
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const Ring& ring = s_.rings[r];
    if (ring.passed != ring.tasks.size() || ring.published_count != ring.tasks.size() || ring.reset != ring.tasks.size()) {
      report(37, kNoRow,
             fmt::format("ring {} ends with {} tasks, {} behind the watermark, {} published and {} reset", r, ring.tasks.size(),
                         ring.passed, ring.published_count, ring.reset),
             kNoRow, r);
    }
    if (ring.tasks.empty()) continue;
    if (ring.watermark != ring.next || ring.published != ring.next) {
      report(37, kNoRow,
             fmt::format("ring {} ends with next index {}, watermark {} and published watermark {}", r, ring.next, ring.watermark,
                         ring.published),
             kNoRow, r);
    }
  }
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    if (s_.queues[q].empty()) continue;
    report(37, s_.queues[q].front(),
           fmt::format("queue {} still holds {} tasks at the end", queue_name(static_cast<QueueId>(q)), s_.queues[q].size()));
  }
  for (std::size_t i = 0; i < s_.threads.size(); ++i) {
    if (s_.threads[i].buffer.empty() && !s_.threads[i].busy()) continue;
    report(37, kNoRow, fmt::format("scheduler thread {} ends with {} releases not done", i, s_.threads[i].buffer.size()));
  }
  for (std::size_t core = 0; core < s_.cores.size(); ++core) {
    if (s_.cores[core].idle()) continue;
    report(37, s_.cores[core].running.task, fmt::format("core {} is still busy at the end", core));
  }
  scope_event(EventKind::RunEnd, kNoRow);
  sweep(EventKind::RunEnd);
}

}  // namespace depscope::runtime
