#include "depscope/replay/wait_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cursor_impl.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/watch.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;

TaskState state_of(const Cursor& cursor, std::uint32_t task) { return static_cast<TaskState>(cursor.state().task_state[task]); }

std::string flags_text(std::uint8_t flags) {
  const auto names = runtime::dep_flag_names(flags);
  return names.empty() ? "no flag" : fmt::format("{}", fmt::join(names, "|"));
}

/// The tasks between, along edges that are waited for; empty if the producer is not reached. Breadth first, so that it is one of
/// the shortest paths.
std::vector<std::uint32_t> waiting_path(const Cursor& cursor, std::uint32_t producer, std::uint32_t consumer) {
  const auto& producers = cursor.recording().edges.producer;
  std::vector<std::uint32_t> after(consumer + std::size_t{1}, kNoRow);  // the next task on the way to the consumer
  std::vector<std::uint32_t> queue{consumer};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t edge : cursor.waiting_for(queue[i])) {
      const std::uint32_t next = producers[edge];
      if (next < producer || next >= after.size() || after[next] != kNoRow) continue;
      after[next] = queue[i];
      if (next != producer) {
        queue.push_back(next);
        continue;
      }
      std::vector<std::uint32_t> out;
      for (std::uint32_t task = after[next]; task != consumer; task = after[task]) out.push_back(task);
      return out;
    }
  }
  return {};
}

/// What the events of the consumer say about the edge and its dependency on the producer.
void find_moments(const Cursor& cursor, WaitAnswer& out) {
  const auto& events = cursor.recording().events;
  const auto first = [](std::uint32_t& moment, std::uint32_t event) { moment = std::min(moment, event); };
  for (const std::uint32_t event : cursor.impl().events_of(out.consumer)) {
    const std::uint32_t subject = events.subject[event];
    switch (static_cast<EventKind>(events.kind[event])) {
      case EventKind::Submit: first(out.submitted, event); break;
      case EventKind::Ready: first(out.ready, event); break;
      case EventKind::EdgeAdd:
        if (subject == out.edge) first(out.added, event);
        break;
      case EventKind::EdgeReduce:
        if (subject == out.edge) first(out.reduced, event);
        break;
      case EventKind::EdgeLost:
        if (subject == out.edge) first(out.lost, event);
        break;
      case EventKind::DepSkip:
        if (events.object[event] == out.producer) first(out.skipped, event);
        break;
      default: break;
    }
  }
  out.completed = event_of_task(cursor, out.producer, EventKind::Complete);
}

WaitVerdict verdict_of(const Cursor& cursor, WaitAnswer& out) {
  if (out.producer > out.consumer) return WaitVerdict::Later;
  const TaskState state = state_of(cursor, out.consumer);
  if (state == TaskState::Unborn) return WaitVerdict::NotSubmitted;
  if (state != TaskState::Pending) return WaitVerdict::Started;
  const auto waiting = cursor.waiting_for(out.consumer);
  if (out.edge != kNoRow && std::find(waiting.begin(), waiting.end(), out.edge) != waiting.end()) return WaitVerdict::Waits;
  out.path = waiting_path(cursor, out.producer, out.consumer);
  if (!out.path.empty()) return WaitVerdict::WaitsThrough;
  if (out.edge == kNoRow) return WaitVerdict::NoEdge;
  if (out.added != kNever && out.added >= cursor.position()) return WaitVerdict::NotFoundYet;
  const bool asked = (cursor.recording().edges.flags[out.edge] & runtime::kWait) != 0;
  const bool done = (out.flags_now & runtime::kWait) != 0 || state_of(cursor, out.producer) >= TaskState::Completed;
  return asked && done ? WaitVerdict::Satisfied : WaitVerdict::NoWait;
}

/// "argument 0 a (INPUT)".
std::string argument_of(const Recording& r, std::uint32_t access) {
  const std::uint32_t tensor = r.accesses.tensor[access];
  const std::string_view name = tensor == kNoRow ? std::string_view() : r.text(r.tensors.name[tensor]);
  return fmt::format("argument {}{}{} ({})", r.accesses.arg[access], name.empty() ? "" : " ", name,
                     runtime::arg_kind_name(static_cast<runtime::ArgKind>(r.accesses.kind[access])));
}

std::string tensormap_reason(const Recording& r, std::uint32_t reason) {
  const std::uint32_t own = r.edge_reasons.consumer_access[reason];
  const std::uint32_t write = r.edge_reasons.producer_access[reason];
  std::string out = "the TensorMap: ";
  out += own == kNoRow ? fmt::format("argument {}", r.edge_reasons.arg[reason]) : argument_of(r, own);
  out += r.edge_reasons.overlap[reason] == 2 ? ", which covers the write of " : ", which overlaps the write of ";
  out += write == kNoRow ? "the producer" : argument_of(r, write);
  return out;
}

std::string creator_reason(const Recording& r, std::uint32_t reason) {
  const std::uint32_t own = r.edge_reasons.consumer_access[reason];
  std::string out = "the producer owns the buffer";
  if (own != kNoRow) out += " of " + argument_of(r, own);
  return out;
}

/// f(hazards row) for each conflict of the passes between the calls of the two tasks that was not found to be none.
template <class F>
void for_each_conflict(const Recording& r, std::uint32_t edge, F&& f) {
  const std::uint32_t prior = r.tasks.call_site[r.edges.producer[edge]];
  const std::uint32_t current = r.tasks.call_site[r.edges.consumer[edge]];
  if (prior == kNoRow || current == kNoRow) return;
  for (std::uint32_t h = 0; h < r.hazards.rows(); ++h) {
    if (r.hazards.current[h] != current || r.hazards.verdict[h] == static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint))
      continue;
    if (recording::hazard_has_prior(r, h, prior)) f(h);
  }
}

std::string compiler_reason(const Recording& r, std::uint32_t reason) {
  std::uint32_t found = kNoRow;
  for_each_conflict(r, r.edge_reasons.edge[reason], [&](std::uint32_t h) { found = std::min(found, h); });
  if (found == kNoRow) return "the compiler added it, for an id that was carried on";
  return "the compiler added it, for " + replay::hazard_text(r, found);
}

}  // namespace

std::string_view wait_verdict_name(WaitVerdict verdict) {
  constexpr std::array<std::string_view, 9> kNames{"waits",         "waits_through", "satisfied", "no_wait", "not_found_yet",
                                                   "not_submitted", "started",       "no_edge",   "later"};
  return kNames[static_cast<std::size_t>(verdict)];
}

WaitAnswer why_waits(const Cursor& cursor, std::uint32_t consumer, std::uint32_t producer) {
  WaitAnswer out;
  out.consumer = consumer;
  out.producer = producer;
  out.edge = edge_between(cursor, producer, consumer);
  if (out.edge != kNoRow) {
    out.flags_now = cursor.state().edge_flags[out.edge];
    out.reasons = reasons_of_edge(cursor.recording(), out.edge);
  }
  find_moments(cursor, out);
  out.verdict = verdict_of(cursor, out);
  return out;
}

std::uint32_t edge_between(const Cursor& cursor, std::uint32_t producer, std::uint32_t consumer) {
  return cursor.impl().edges.find(producer, consumer);
}

std::vector<std::uint32_t> reasons_of_edge(const Recording& r, std::uint32_t edge) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t row = 0; row < r.edge_reasons.rows(); ++row) {
    if (r.edge_reasons.edge[row] == edge) out.push_back(row);
  }
  return out;
}

std::string edge_reason_text(const Recording& r, std::uint32_t reason) {
  std::string out;
  switch (r.edge_reasons.source[reason]) {
    case runtime::kUser: out = "the user named it in deps="; break;
    case runtime::kCompiler: out = compiler_reason(r, reason); break;
    case runtime::kFence: out = "a phase fence: the producer is, or stands for, a barrier"; break;
    case runtime::kExplicit: out = "an explicit dependency of the submit"; break;
    case runtime::kCreator: out = creator_reason(r, reason); break;
    case runtime::kTensorMap: out = tensormap_reason(r, reason); break;
    default: out = "an origin that is not known"; break;
  }
  const bool told = r.edge_reasons.source[reason] == runtime::kCompiler;  // the conflict is in the text
  if (const std::uint8_t kinds = edge_reason_hazards(r, reason); kinds != 0 && !told) out += ": " + kinds_text(kinds);
  return out + "; gives " + flags_text(r.edge_reasons.flags[reason]);
}

std::uint8_t edge_reason_hazards(const Recording& r, std::uint32_t reason) {
  std::uint8_t out = 0;
  if (r.edge_reasons.source[reason] == runtime::kCompiler) {
    for_each_conflict(r, r.edge_reasons.edge[reason], [&](std::uint32_t h) { out |= r.hazards.kinds[h]; });
  } else if (r.edge_reasons.source[reason] == runtime::kTensorMap) {
    const std::uint32_t own = r.edge_reasons.consumer_access[reason];
    if (own == kNoRow) return out;
    const auto kind = static_cast<runtime::ArgKind>(r.accesses.kind[own]);
    // What is in the map is written.
    if (kind == runtime::ArgKind::Input || kind == runtime::ArgKind::InOut) out |= pass::kRaw;
    if (kind == runtime::ArgKind::InOut || kind == runtime::ArgKind::OutputExisting) out |= pass::kWaw;
  }
  return out;
}

std::optional<OrchestratorWait> orchestrator_wait(const Cursor& cursor) {
  const auto& events = cursor.recording().events;
  for (std::uint32_t i = cursor.position(); i > 0; --i) {
    const std::uint32_t event = i - 1;
    const auto kind = static_cast<EventKind>(events.kind[event]);
    if (kind == EventKind::Unblock || kind == EventKind::Error || kind == EventKind::RunEnd) return std::nullopt;
    if (kind != EventKind::Block) continue;
    OrchestratorWait out;
    out.event = event;
    out.task = events.subject[event];
    out.ring = events.object[event];
    out.resource = static_cast<runtime::Resource>(events.extra[event]);
    out.used = events.old_value[event];
    out.wanted = events.new_value[event];
    if (out.ring < runtime::kRingCount) out.head = ring_head(cursor, out.ring);
    return out;
  }
  return std::nullopt;
}

std::uint32_t error_before(const Cursor& cursor) {
  const auto& kinds = cursor.recording().events.kind;
  const auto end = kinds.begin() + cursor.position();
  const auto found = std::find(kinds.begin(), end, static_cast<std::uint8_t>(EventKind::Error));
  return found == end ? kNoRow : static_cast<std::uint32_t>(found - kinds.begin());
}

std::uint32_t event_of_task(const Cursor& cursor, std::uint32_t task, EventKind kind) {
  const auto events = cursor.impl().events_of(task);
  const auto found = std::find_if(events.begin(), events.end(), [&](std::uint32_t event) {
    return cursor.recording().events.kind[event] == static_cast<std::uint8_t>(kind);
  });
  return found == events.end() ? kNever : *found;
}

std::uint32_t holder_of_slot(const Cursor& cursor, std::uint32_t task) {
  const std::uint32_t ring = runtime::ring_of(cursor.recording().tasks.id[task]) % runtime::kRingCount;
  const std::int64_t held = value(cursor, {WatchKind::Slot, ring, cursor.recording().tasks.slot[task]});
  return held == kNothing ? kNoRow : static_cast<std::uint32_t>(held);
}

}  // namespace depscope::replay
