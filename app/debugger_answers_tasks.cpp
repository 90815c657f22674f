// why, waits and alive: what one task waits for, and what keeps it.
#include <algorithm>
#include <optional>

#include "debugger_session.h"
#include "depscope/pass/decisions.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/wait_questions.h"
#include "depscope/replay/why.h"
#include "orchestrator_words.h"
#include "state_json.h"
#include "state_words.h"

namespace depscope::app::answers {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using replay::kNever;
using replay::WaitVerdict;
using runtime::EventKind;
using runtime::TaskState;

constexpr std::uint64_t kOutside = ~std::uint64_t{0};  // owner of what the runtime did not allocate

TaskState state_of(const DebuggerSession& s, std::uint32_t task) {
  return static_cast<TaskState>(s.cursor.state().task_state[task]);
}

/// "r1t3 total is running".
std::string is_text(const DebuggerSession& s, std::uint32_t task) {
  return fmt::format("{} is {}", replay::task_text(s.r, task), state_text(s.cursor, task));
}

std::string not_submitted(const DebuggerSession& s, std::uint32_t task) {
  const std::uint32_t event = replay::event_of_task(s.cursor, task, EventKind::Submit);
  return fmt::format("{} is not submitted yet{}", replay::task_text(s.r, task), at_event(event));
}

/// State of a producer that is waited for. One that has completed walks through its consumers, one after another.
std::string still_text(const DebuggerSession& s, std::uint32_t producer) {
  const bool walks = state_of(s, producer) >= TaskState::Completed;
  return fmt::format("{}{}", state_text(s.cursor, producer), walks ? ", but has not reached it in its list of consumers" : "");
}

std::string sentence(const DebuggerSession& s, const replay::WaitAnswer& a) {
  std::string x = replay::task_text(s.r, a.consumer);
  const std::string y = replay::task_text(s.r, a.producer);
  switch (a.verdict) {
    case WaitVerdict::Waits: return fmt::format("{} waits for {}, which is {}", x, y, still_text(s, a.producer));
    case WaitVerdict::WaitsThrough: {
      std::string path;
      const std::size_t shown = std::min(a.path.size(), s.settings.limit);
      for (std::size_t i = a.path.size() - shown; i < a.path.size(); ++i)
        path += fmt::format("{}{}", path.empty() ? "" : ", ", replay::task_text(s.r, a.path[i]));
      if (shown < a.path.size()) path += fmt::format(" and {} more", a.path.size() - shown);
      return fmt::format("{} waits for {}, but only by way of {}", x, y, path);
    }
    case WaitVerdict::Satisfied:
      return fmt::format("{} is pending, but no longer because of {}, which is {}", x, y, state_text(s.cursor, a.producer));
    case WaitVerdict::NoWait: return fmt::format("{} does not wait for {}: the edge between them asks for no order", x, y);
    case WaitVerdict::NotFoundYet:
      return fmt::format("the submit of {} is at work, and is still to discover the edge from {}{}", x, y, at_event(a.added));
    case WaitVerdict::NotSubmitted: return not_submitted(s, a.consumer);
    case WaitVerdict::Started: return fmt::format("{} is {}: it waits for nothing", x, state_text(s.cursor, a.consumer));
    case WaitVerdict::NoEdge:
      return fmt::format("{} does not wait for {}: no edge, and no path of edges that wait, leads from one to the other", x, y);
    case WaitVerdict::Later: return fmt::format("{} does not wait for {}, which comes after it in the order of submits", x, y);
  }
  return x;
}

void answer_edge(const DebuggerSession& s, const replay::WaitAnswer& a, Reply& reply) {
  const auto& e = s.r.edges;
  ordered_json edge = edge_json(s.cursor, a.edge);
  std::string now = flags_text(a.flags_now);
  if (a.added == kNever || a.added >= s.cursor.position()) now = "not discovered yet";
  reply.line("  edge: {}, now {}, at the end {}", flags_text(e.flags[a.edge]), now, flags_text(e.flags_final[a.edge]));
  ordered_json reasons = ordered_json::array();
  const std::size_t shown = std::min(a.reasons.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text = replay::edge_reason_text(s.r, a.reasons[i]);
    reply.line("  because {}", text);
    reasons.push_back({{"source", runtime::provenance_names(s.r.edge_reasons.source[a.reasons[i]])},
                       {"hazards", pass::hazard_kind_names(replay::edge_reason_hazards(s.r, a.reasons[i]))},
                       {"flags", flags_json(s.r.edge_reasons.flags[a.reasons[i]])},
                       {"text", text}});
  }
  reply.more(a.reasons.size(), shown, "reasons");
  edge["reasons"] = std::move(reasons);
  if (e.via[a.edge] != kNoRow) {
    edge["via"] = task_json(s.r, e.via[a.edge]);
    reply.line("  the reduction takes its WAIT away, because {} stands between the two{}", replay::task_text(s.r, e.via[a.edge]),
               at_event(a.reduced));
  }
  if (a.lost != kNever) reply.line("  payload init changes its stored flags{}", at_event(a.lost));
  reply.json["edge"] = std::move(edge);
}

void answer_moments(const DebuggerSession& s, const replay::WaitAnswer& a, Reply& reply) {
  std::string text;
  ordered_json events = ordered_json::object();
  const auto add = [&](std::string_view name, std::string_view key, std::uint32_t event) {
    if (event == kNever) return;
    text += fmt::format("{}{} at event {}", text.empty() ? "" : ", ", name, event);
    events[std::string(key)] = event;
  };
  add("submitted", "submitted", a.submitted);
  add("edge discovered", "discovered", a.added);
  add("reduced", "reduced", a.reduced);
  add("producer completed", "completed", a.completed);
  add("ready", "ready", a.ready);
  if (!text.empty() && a.edge != kNoRow) reply.line("  in this run: {}", text);
  reply.json["events"] = std::move(events);
  if (a.skipped != kNever) {
    reply.line("  a dependency gave no edge: {}{}", replay::describe_event(s.r, a.skipped), at_event(a.skipped));
    reply.json["skipped"] = a.skipped;
  }
}

/// What the program says about the calls of the two tasks, as `depscope explain --why` does.
void answer_calls(const DebuggerSession& s, const std::string& first, const std::string& second, Reply& reply) {
  const replay::WhyAnswer answer = replay::why(s.r, first, second);
  reply.text += replay::why_text(answer);
  reply.json["program"] = ordered_json::parse(replay::why_json(s.r, answer))["why"];
}

/// FUNCTION:CALL of a task, empty for one that no call site has submitted.
std::string call_of(const DebuggerSession& s, std::uint32_t task) {
  const std::uint32_t site = s.r.tasks.call_site[task];
  if (site == kNoRow) return {};
  return fmt::format("{}:{}", s.r.text(s.r.functions.name[s.r.call_sites.function[site]]), s.r.call_sites.index[site]);
}

std::optional<std::uint32_t> task_if(const DebuggerSession& s, std::string_view text) {
  try {
    return task_of(s, text);
  } catch (const replay::QueryError&) {
    return std::nullopt;
  }
}

std::string core_text(const DebuggerSession& s, std::uint32_t task) {
  std::string out;
  const auto cores = replay::busy_cores(s.cursor);
  if (!cores) return out;
  std::size_t more = 0;
  for (const replay::CoreUse& core : *cores) {
    if (core.running != task) continue;
    if (out.empty()) {
      out = fmt::format(" on core {}", core.core);
    } else {
      ++more;
    }
  }
  return more == 0 ? out : fmt::format("{} and {} more", out, more);
}

void answer_pending(const DebuggerSession& s, std::uint32_t task, Reply& reply) {
  const auto edges = s.cursor.waiting_for(task);
  if (edges.empty()) {
    reply.line("{}, but every producer that is known here has completed: it becomes ready{}", is_text(s, task),
               at_event(replay::event_of_task(s.cursor, task, EventKind::Ready)));
  } else {
    reply.line("{} and waits for {}", is_text(s, task), count_text(edges.size(), "task", "tasks"));
  }
  ordered_json waits = ordered_json::array();
  const std::size_t shown = std::min(edges.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::uint32_t producer = s.r.edges.producer[edges[i]];
    const auto names = runtime::provenance_names(s.r.edges.provenance[edges[i]]);
    reply.line("  {}, {}: {} edge", replay::task_text(s.r, producer), still_text(s, producer), fmt::join(names, "+"));
    ordered_json wait = task_state_json(s.cursor, producer);
    wait["provenance"] = names;
    waits.push_back(std::move(wait));
  }
  reply.more(edges.size(), shown, "tasks");
  reply.json["total"] = edges.size();
  reply.json["waits_for"] = std::move(waits);
}

/// The bytes of a tensor are those of the task that owns its buffer.
std::uint32_t owner_of(const DebuggerSession& s, std::uint32_t tensor, Reply& reply) {
  const std::uint64_t owner = s.r.tensors.owner[tensor];
  const std::string_view name = s.r.text(s.r.tensors.name[tensor]);
  const std::string called = name.empty() ? fmt::format("tensor {}", tensor) : fmt::format("tensor {} ({})", tensor, name);
  reply.json["tensor"] = tensor;
  if (owner == kOutside) {
    reply.line("{} is memory from outside: the runtime neither keeps it nor gives it back", called);
    reply.json["owner"] = nullptr;
    return kNoRow;
  }
  const auto found = std::find(s.r.tasks.id.rbegin(), s.r.tasks.id.rend(), owner);
  if (found == s.r.tasks.id.rend()) throw CommandError(fmt::format("the task that owns {} is not in the recording", called));
  const auto task = static_cast<std::uint32_t>(s.r.tasks.id.rend() - found - 1);
  reply.line("{} lies in the buffer of {}", called, replay::task_text(s.r, task));
  reply.json["owner"] = task_json(s.r, task);
  return task;
}

void answer_given_back(const DebuggerSession& s, std::uint32_t task, Reply& reply) {
  const std::uint32_t now = replay::holder_of_slot(s.cursor, task);
  std::string text = fmt::format("{} is consumed, and its slot and bytes are given back", replay::task_text(s.r, task));
  if (now != kNoRow && now != task) {
    text += fmt::format("; {} has slot {} now", replay::task_text(s.r, now), s.r.tasks.slot[task]);
    reply.json["slot_of"] = task_json(s.r, now);
  }
  reply.line("{}", text);
}

std::string holder_detail(const DebuggerSession& s, const replay::Holder& holder) {
  if (holder.kind == replay::HolderKind::Consumer) {
    return fmt::format(", {}: {}", state_text(s.cursor, holder.task), flags_text(s.cursor.state().edge_flags[holder.edge]));
  }
  if (holder.kind == replay::HolderKind::Scope) return ", which has not ended for it";
  if (holder.kind == replay::HolderKind::OlderTask && holder.task != kNoRow)
    return fmt::format(", {}: slots go back in order", state_text(s.cursor, holder.task));
  if (holder.kind == replay::HolderKind::HeapTail) return ": its bytes go back when the orchestrator looks for memory";
  return "";
}

}  // namespace

void why(DebuggerSession& s, std::string_view rest, Reply& reply) {
  const std::string_view first = take_word(rest);
  const std::string_view second = take_word(rest);
  if (second.empty() || !rest.empty()) throw CommandError("why needs two: write why X Y for why X waits for Y");
  const auto consumer = task_if(s, first);
  const auto producer = task_if(s, second);
  if (!consumer || !producer) {
    // What is no task may be a call of the program; where one is a task, the other one was meant to be one.
    if (consumer.has_value() != producer.has_value()) static_cast<void>(task_of(s, consumer ? second : first));
    if (s.r.call_sites.rows() == 0) static_cast<void>(task_of(s, first));
    return answer_calls(s, std::string(second), std::string(first), reply);
  }
  if (*consumer == *producer) throw CommandError(fmt::format("{} does not wait for itself", replay::task_text(s.r, *consumer)));
  const replay::WaitAnswer answer = replay::why_waits(s.cursor, *consumer, *producer);
  reply.json["consumer"] = task_state_json(s.cursor, *consumer);
  reply.json["producer"] = task_state_json(s.cursor, *producer);
  reply.json["verdict"] = replay::wait_verdict_name(answer.verdict);
  reply.json["sentence"] = sentence(s, answer);
  reply.line("{}", sentence(s, answer));
  if (answer.verdict == WaitVerdict::WaitsThrough) {
    ordered_json path = ordered_json::array();
    for (const std::uint32_t task : answer.path) path.push_back(task_json(s.r, task));
    reply.json["path"] = std::move(path);
  }
  if (answer.edge != kNoRow) {
    answer_edge(s, answer, reply);
  } else if (answer.verdict == WaitVerdict::NotSubmitted || answer.verdict == WaitVerdict::Started) {
    reply.line("  no edge leads from {} to it", replay::task_text(s.r, *producer));
  }
  answer_moments(s, answer, reply);
  const std::string consumer_call = call_of(s, *consumer);
  const std::string producer_call = call_of(s, *producer);
  if (consumer_call.empty() || producer_call.empty()) return;
  try {
    answer_calls(s, producer_call, consumer_call, reply);
  } catch (const replay::WhyError&) {  // two tasks of one call: the program has nothing to add
  }
}

void waits(DebuggerSession& s, std::string_view rest, Reply& reply) {
  if (rest.empty()) throw CommandError("which task? Write waits TASK, as in waits r0t5");
  const std::uint32_t task = task_of(s, rest);
  reply.json.update(task_state_json(s.cursor, task));
  reply.json["waits_for"] = ordered_json::array();
  switch (state_of(s, task)) {
    case TaskState::Unborn: reply.line("{}", not_submitted(s, task)); return answer_orchestrator(s, reply);
    case TaskState::Pending: return answer_pending(s, task, reply);
    case TaskState::Ready: {
      const bool dummy = static_cast<runtime::TaskKind>(s.r.tasks.kind[task]) == runtime::TaskKind::Dummy;
      const std::uint32_t event = replay::event_of_task(s.cursor, task, dummy ? EventKind::Complete : EventKind::Dispatch);
      return reply.line("{} and waits for {}{}", is_text(s, task), dummy ? "a scheduler to complete it" : "a core",
                        at_event(event));
    }
    case TaskState::Running: return reply.line("{}{}: it waits for nothing", is_text(s, task), core_text(s, task));
    case TaskState::Completed:
    case TaskState::Consumed: return reply.line("{}: it waits for nothing", is_text(s, task));
  }
}

void alive(DebuggerSession& s, std::string_view rest, Reply& reply) {
  if (rest.empty()) throw CommandError("what? Write alive TASK or alive TENSOR");
  constexpr std::string_view kTensor = "tensor=";
  const std::optional<std::uint32_t> named = rest.starts_with(kTensor) ? std::nullopt : task_if(s, rest);
  std::uint32_t task = kNoRow;
  if (named) {
    task = *named;
  } else {
    const bool looks_like_task = rest.find('#') != std::string_view::npos;
    if (looks_like_task) static_cast<void>(task_of(s, rest));
    const std::string_view tensor = rest.starts_with(kTensor) ? rest.substr(kTensor.size()) : rest;
    try {
      task = owner_of(s, replay::tensor_row(s.r, tensor), reply);
    } catch (const replay::UnknownName&) {
      if (rest.starts_with(kTensor)) throw;
      throw CommandError(fmt::format("'{}' names neither a task nor a tensor: write r0t5, t5 or a name of a tensor", rest));
    }
    if (task == kNoRow) return;
  }
  reply.json.update(task_state_json(s.cursor, task));
  const auto holders = replay::holders_of(s.cursor, task);
  reply.json["total"] = holders.size();
  reply.json["kept_by"] = holders_json(s.cursor, holders, s.settings.limit);
  if (state_of(s, task) == TaskState::Unborn) return reply.line("{}", not_submitted(s, task));
  if (holders.empty()) {
    if (s.cursor.measured())
      return reply.line("{}: what keeps its slot and buffer is not recorded in a real run", is_text(s, task));
    if (state_of(s, task) == TaskState::Consumed) return answer_given_back(s, task, reply);
    return reply.line("{}, and nothing keeps it: it is about to be consumed", is_text(s, task));
  }
  reply.line("{} and kept by", is_text(s, task));
  const std::size_t shown = std::min(holders.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) reply.line("  {}{}", holder_text(s.r, holders[i]), holder_detail(s, holders[i]));
  reply.more(holders.size(), shown, "holders");
}

}  // namespace depscope::app::answers
