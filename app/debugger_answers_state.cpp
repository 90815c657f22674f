// Commands of the debugger about the whole state: rings, heaps, TensorMap, tasks by state, events around, where it is.
#include <algorithm>
#include <array>

#include "debugger_session.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/wait_questions.h"
#include "orchestrator_words.h"
#include "state_json.h"
#include "state_words.h"

namespace depscope::app::answers {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using runtime::TaskState;

std::string actor_text(std::uint8_t actor) {
  if (actor == 0) return "orchestrator";
  return actor == runtime::kCoreActor ? "core" : fmt::format("scheduler {}", actor);
}

void heap_of(const DebuggerSession& s, std::uint32_t ring, Reply& reply) {
  const auto map = replay::heap_map(s.cursor, ring);
  const std::size_t shown = std::min(map.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    reply.line("heap of ring {}: {}..{} {}, {}{}", ring, map[i].begin, map[i].end, replay::task_text(s.r, map[i].task),
               state_text(s.cursor, map[i].task), holders_text(s.cursor, map[i].task));
  }
  reply.more(map.size(), shown, "allocations");
}

/// The tensors rows of a name or a number: a buffer has a row for each version and type that it was used with.
std::vector<std::uint32_t> tensor_rows(const DebuggerSession& s, std::string_view text) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t tensor = 0; tensor < s.r.tensors.rows(); ++tensor) {
    if (s.r.text(s.r.tensors.name[tensor]) == text) rows.push_back(tensor);
  }
  if (rows.empty()) rows.push_back(replay::tensor_row(s.r, text));
  return rows;
}

}  // namespace

void rings(DebuggerSession& s, std::string_view rest, Reply& reply) {
  no_more(rest, "rings");
  reply.json["rings"] = rings_json(s.cursor);
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    if (s.cursor.state().rings[ring].next != 0) reply.line("ring {}: {}", ring, ring_text(s.cursor, ring));
  }
  if (reply.text.empty()) reply.line("no ring has a task yet");
}

void heap(DebuggerSession& s, std::string_view rest, Reply& reply) {
  const bool one = !rest.empty();
  const std::uint32_t ring = number_of(rest, 0, "heap [RING]");
  if (ring >= runtime::kRingCount)
    throw CommandError(fmt::format("there is no ring {}: rings are numbered 0 to {}", ring, runtime::kRingCount - 1));
  for (std::uint32_t i = one ? ring : 0; i < (one ? ring + 1 : runtime::kRingCount); ++i) heap_of(s, i, reply);
  if (reply.text.empty()) reply.line("nothing is allocated{}", one ? " on the ring" : "");
  reply.json["heaps"] =
      one ? ordered_json::array({heap_json(s.cursor, ring, s.settings.limit)}) : heaps_json(s.cursor, s.settings.limit);
}

void tensormap(DebuggerSession& s, std::string_view rest, Reply& reply) {
  const auto all = replay::tensormap_entries(s.cursor, rest.empty() ? s.settings.limit : kNoRow);
  if (!all)
    throw CommandError(s.cursor.measured() ? "the run was measured: what is in the TensorMap is not recorded"
                                           : "the recording is a summary, which does not tell what is in the TensorMap");
  std::vector<std::uint32_t> rows = all->rows;
  std::size_t total = all->total;
  if (!rest.empty()) {
    const auto tensors = tensor_rows(s, rest);
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](std::uint32_t access) {
                                return !std::binary_search(tensors.begin(), tensors.end(), s.r.accesses.tensor[access]);
                              }),
               rows.end());
    total = rows.size();
    rows.resize(std::min(rows.size(), s.settings.limit));
  }
  ordered_json entries = ordered_json::array();
  for (const std::uint32_t access : rows) {
    reply.line("TensorMap: {}", access_text(s.r, access));
    entries.push_back(access_json(s.r, access));
  }
  reply.more(total, rows.size(), "entries");
  if (total == 0) reply.line("{}", rest.empty() ? "the TensorMap is empty" : "no write of it is in the TensorMap");
  reply.json["tensormap"] = {{"total", total}, {"entries", std::move(entries)}};
}

void list(DebuggerSession& s, std::string_view rest, Reply& reply) {
  const std::uint32_t wanted = number_of(rest, 10, "list [N]");
  const std::uint32_t size = s.cursor.size();
  const std::uint32_t shown = std::min<std::uint32_t>({wanted, size, static_cast<std::uint32_t>(s.settings.limit)});
  const std::uint32_t position = s.cursor.position();
  // The last event that happened stands in the middle, unless the recording begins or ends before.
  const std::uint32_t first = std::min(position - std::min(position, shown / 2 + 1), size - shown);
  ordered_json events = ordered_json::array();
  for (std::uint32_t event = first; event < first + shown; ++event) {
    const bool current = event + 1 == position;
    reply.line("{} {:>6}  {:<12}  {}", current ? "=>" : "  ", event, actor_text(s.r.events.actor[event]),
               replay::describe_event(s.r, event));
    events.push_back({{"event", event},
                      {"actor", s.r.events.actor[event]},
                      {"text", replay::describe_event(s.r, event)},
                      {"current", current}});
  }
  reply.more(std::min(wanted, size), shown, "events: see --limit");
  if (size == 0) reply.line("the recording has no events");
  reply.json["list"] = std::move(events);
}

void tasks(DebuggerSession& s, std::string_view rest, Reply& reply) {
  const replay::State& state = s.cursor.state();
  if (rest.empty()) {
    ordered_json counts = ordered_json::object();
    for (std::size_t i = 0; i < state_names().size(); ++i) {
      reply.line("{:<9} {}", state_names()[i], state.tasks_in_state[i]);
      counts[std::string(state_names()[i])] = state.tasks_in_state[i];
    }
    reply.json["tasks_in_state"] = std::move(counts);
    return;
  }
  const std::string_view* found = find_word(state_names(), rest);
  if (found == nullptr) throw CommandError(fmt::format("'{}' is no state of tasks: {}", rest, fmt::join(state_names(), ", ")));
  const auto wanted = static_cast<TaskState>(found - state_names().data());
  const replay::RowList rows = replay::tasks_in(s.cursor, wanted, s.settings.limit);
  ordered_json listed = ordered_json::array();
  for (const std::uint32_t task : rows.rows) {
    reply.line("{}{}{}", replay::task_text(s.r, task), waits_text(s.cursor, task),
               wanted >= TaskState::Completed ? holders_text(s.cursor, task) : "");
    listed.push_back(task_json(s.r, task));
  }
  reply.more(rows.total, rows.rows.size(), fmt::format("{} tasks", *found));
  if (rows.total == 0) reply.line("no task is {}", *found);
  reply.json["tasks"] = {{"state", *found}, {"total", rows.total}, {"tasks", std::move(listed)}};
}

void info(DebuggerSession& s, std::string_view rest, Reply& reply) {
  no_more(rest, "info");
  const std::string_view level = level_name(s.cursor);
  reply.line("{}{}: {}, {}, {}", s.r.input_name, s.r.program_name.empty() ? "" : " (" + s.r.program_name + ")",
             count_text(s.cursor.size(), "event", "events"), count_text(s.r.tasks.rows(), "task", "tasks"),
             count_text(s.r.edges.rows(), "edge", "edges"));
  if (s.cursor.size() != 0 && !s.cursor.full()) reply.line("{}", not_told_text(s.cursor));
  reply.json["input"] = s.r.input_name;
  reply.json["program"] = s.r.program_name;
  reply.json["events"] = s.cursor.size();
  reply.json["level"] = level;
  reply.json["tasks"] = s.r.tasks.rows();
  reply.json["edges"] = s.r.edges.rows();
  reply.json["digest"] = fmt::format("{:016x}", s.cursor.state().digest());
  answer_position(s, reply);
  if (s.cursor.position() < s.cursor.size()) {
    reply.json["next_event"] = replay::describe_event(s.r, s.cursor.position());
    reply.line("next: {}", replay::describe_event(s.r, s.cursor.position()));
  }
  for (const replay::OpenScope& scope : replay::open_scopes(s.cursor)) {
    reply.line("scope s{} {} on ring {}: {}, {} not consumed", scope.scope,
               s.r.scopes.manual[scope.scope] != 0 ? "MANUAL" : "AUTO", s.r.scopes.ring[scope.scope],
               count_text(scope.submitted, "task", "tasks"), scope.live);
  }
  reply.json["open_scopes"] = open_scopes_json(s.cursor);
  answer_orchestrator(s, reply);
  for (std::uint32_t f = 0; f < s.r.findings.rows(); ++f) {
    if (s.r.findings.severity[f] == static_cast<std::uint8_t>(Severity::Error))
      reply.line("{}: {}", s.r.text(s.r.findings.kind[f]), s.r.text(s.r.findings.summary[f]));
  }
  reply.json["findings"] = errors_json(s.r);
}

}  // namespace depscope::app::answers
