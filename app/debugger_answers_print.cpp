// print: a value, a task, an edge, a tensor or a scope.
#include <algorithm>
#include <set>

#include "debugger_session.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/wait_questions.h"
#include "state_json.h"
#include "state_words.h"

namespace depscope::app::answers {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;

/// "a FLOAT32, version 1 (tensor 3)".
std::string tensor_text(const DebuggerSession& s, std::uint32_t tensor) {
  const auto& t = s.r.tensors;
  const std::string_view name = s.r.text(t.name[tensor]);
  return fmt::format("{}{}, version {} (tensor {})", name.empty() ? "" : std::string(name) + " ",
                     runtime::element_type_name(static_cast<runtime::ElementType>(t.dtype[tensor])), t.version[tensor], tensor);
}

void print_value(const DebuggerSession& s, const replay::Watch& watch, Reply& reply) {
  const std::string text = replay::value_text(s.r, watch, replay::value(s.cursor, watch));
  reply.line("{}: {}", to_text(s.r, watch), text);
  reply.json["watch"] = to_text(s.r, watch);
  reply.json["value"] = text;
}

std::string site_text(const DebuggerSession& s, std::uint32_t task) {
  const std::uint32_t site = s.r.tasks.call_site[task];
  if (site == kNoRow) return "";
  std::string out =
      fmt::format(", call {} of {}", s.r.call_sites.index[site], s.r.text(s.r.functions.name[s.r.call_sites.function[site]]));
  if (s.r.call_sites.line[site] != 0) out += fmt::format(" (line {})", s.r.call_sites.line[site]);
  const std::uint32_t loops = s.r.tasks.iteration_begin_count[task];
  if (loops == 0) return out;
  const auto begin = s.r.pool.begin() + s.r.tasks.iteration_begin[task];
  return out + fmt::format(", iteration {}", fmt::join(begin, begin + loops, "."));
}

/// Other ends of the edges of a task.
void print_edges(const DebuggerSession& s, std::string_view word, const std::vector<std::uint32_t>& edges,
                 const std::vector<std::uint32_t>& other_end, std::string_view key, Reply& reply) {
  ordered_json list = ordered_json::array();
  const std::size_t shown = std::min(edges.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::uint32_t task = other_end[edges[i]];
    const std::uint8_t flags = s.cursor.state().edge_flags[edges[i]];
    reply.line("  {} {}, {}: {}", word, replay::task_text(s.r, task), state_text(s.cursor, task), flags_text(flags));
    ordered_json edge = task_state_json(s.cursor, task);
    edge["flags"] = flags_json(flags);
    list.push_back(std::move(edge));
  }
  reply.more(edges.size(), shown, key);
  reply.json[std::string(key)] = {{"total", edges.size()}, {"edges", std::move(list)}};
}

void print_task(const DebuggerSession& s, std::uint32_t task, Reply& reply) {
  const replay::State& state = s.cursor.state();
  const auto& t = s.r.tasks;
  reply.json.update(task_detail_json(s.cursor, task));
  reply.json["slot"] = t.slot[task];
  reply.line("{}: {}{}", replay::task_text(s.r, task), state_text(s.cursor, task), site_text(s, task));
  std::string place = fmt::format("  slot {} of ring {}", t.slot[task], runtime::ring_of(t.id[task]));
  if (t.scope[task] != kNoRow) {
    place += fmt::format(", scope s{}", t.scope[task]);
    reply.json["scope"] = t.scope[task];
  }
  if (t.heap_end[task] > t.heap_begin[task]) {
    place += fmt::format(", heap {}..{}", t.heap_begin[task], t.heap_end[task]);
    reply.json["heap"] = {t.heap_begin[task], t.heap_end[task]};
  }
  reply.line("{}", place);
  if (s.cursor.full()) {
    reply.line("  readiness {} of {} units, references {} of {} released, blocks {} of {} handed out", state.have[task],
               state.need[task], state.released[task], state.claimed[task], state.block_cursor[task], t.block_num[task]);
  }
  const auto [first, last] = std::equal_range(s.r.accesses.task.begin(), s.r.accesses.task.end(), task);
  for (auto at = first; at != last; ++at) {
    const auto access = static_cast<std::uint32_t>(at - s.r.accesses.task.begin());
    const std::uint32_t tensor = s.r.accesses.tensor[access];
    reply.line("  argument {} {}{}", s.r.accesses.arg[access],
               runtime::arg_kind_name(static_cast<runtime::ArgKind>(s.r.accesses.kind[access])),
               tensor == kNoRow ? "" : " " + tensor_text(s, tensor));
  }
  print_edges(s, "after", s.cursor.fanin(task), s.r.edges.producer, "producers", reply);
  print_edges(s, "before", s.cursor.fanout(task), s.r.edges.consumer, "consumers", reply);
  const auto holders = replay::holders_of(s.cursor, task);
  const std::size_t shown = std::min(holders.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) reply.line("  kept by {}", holder_text(s.r, holders[i]));
  reply.more(holders.size(), shown, "holders");
}

void print_edge(const DebuggerSession& s, std::uint32_t producer, std::uint32_t consumer, Reply& reply) {
  const std::uint32_t edge = replay::edge_between(s.cursor, producer, consumer);
  const std::string ends = fmt::format("{} -> {}", replay::task_text(s.r, producer), replay::task_text(s.r, consumer));
  if (edge == kNoRow) throw CommandError(fmt::format("there is no edge {}", ends));
  const auto& e = s.r.edges;
  const std::uint8_t now = s.cursor.state().edge_flags[edge];
  reply.line("{}: discovered {}, now {}, at the end {}", ends, flags_text(e.flags[edge]), flags_text(now),
             flags_text(e.flags_final[edge]));
  const auto reasons = replay::reasons_of_edge(s.r, edge);
  const std::size_t shown = std::min(reasons.size(), s.settings.limit);
  ordered_json texts = ordered_json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    texts.push_back(replay::edge_reason_text(s.r, reasons[i]));
    reply.line("  because {}", texts.back().get<std::string>());
  }
  reply.more(reasons.size(), shown, "reasons");
  reply.json["producer"] = task_state_json(s.cursor, producer);
  reply.json["consumer"] = task_state_json(s.cursor, consumer);
  reply.json["edge"] = edge_json(s.cursor, edge);
  reply.json["edge"]["reasons"] = std::move(texts);
  if (e.via[edge] == kNoRow) return;
  reply.line("  the reduction takes its WAIT away, because {} stands between the two", replay::task_text(s.r, e.via[edge]));
  reply.json["edge"]["via"] = task_json(s.r, e.via[edge]);
}

void print_tensor(const DebuggerSession& s, std::uint32_t tensor, Reply& reply) {
  const auto& t = s.r.tensors;
  const auto type = static_cast<runtime::ElementType>(t.dtype[tensor]);
  reply.line("{}: {} elements at 0x{:x}{}", tensor_text(s, tensor), t.buffer_elements[tensor], t.address[tensor],
             t.manual_dep[tensor] != 0 ? ", dependencies by hand" : "");
  reply.json["tensor"] = tensor;
  reply.json["name"] = s.r.text(t.name[tensor]);
  reply.json["type"] = runtime::element_type_name(type);
  reply.json["version"] = t.version[tensor];
  reply.json["elements"] = t.buffer_elements[tensor];
  std::vector<std::uint32_t> rows;
  for (std::uint32_t access = 0; access < s.r.accesses.rows(); ++access) {
    if (s.r.accesses.tensor[access] == tensor) rows.push_back(access);
  }
  std::set<std::uint32_t> in_map;
  if (const auto entries = replay::tensormap_entries(s.cursor, kNoRow)) in_map = {entries->rows.begin(), entries->rows.end()};
  ordered_json accesses = ordered_json::array();
  const std::size_t shown = std::min(rows.size(), s.settings.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::uint32_t task = s.r.accesses.task[rows[i]];
    const auto kind = runtime::arg_kind_name(static_cast<runtime::ArgKind>(s.r.accesses.kind[rows[i]]));
    const bool entry = in_map.contains(rows[i]);
    reply.line("  {} {}, {}{}", kind, access_text(s.r, rows[i]), state_text(s.cursor, task), entry ? ", in the TensorMap" : "");
    ordered_json access = access_json(s.r, rows[i]);
    access["kind"] = kind;
    access["in_map"] = entry;
    accesses.push_back(std::move(access));
  }
  reply.more(rows.size(), shown, "accesses");
  reply.json["accesses"] = {{"total", rows.size()}, {"accesses", std::move(accesses)}};
}

void print_scope(const DebuggerSession& s, std::uint32_t scope, Reply& reply) {
  constexpr std::array<std::string_view, 3> kStates{"not begun", "open", "ended"};
  const std::string_view state = kStates.at(s.cursor.state().scope_state[scope]);
  std::array<std::uint32_t, 6> counts{};
  std::uint32_t total = 0;
  for (std::uint32_t task = 0; task < s.r.tasks.rows(); ++task) {
    if (s.r.tasks.scope[task] != scope) continue;
    ++total;
    ++counts.at(s.cursor.state().task_state[task]);
  }
  const bool manual = s.r.scopes.manual[scope] != 0;
  reply.line("scope s{} {} on ring {}, depth {}: {}", scope, manual ? "MANUAL" : "AUTO", s.r.scopes.ring[scope],
             s.r.scopes.depth[scope], state);
  std::string by_state;
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string name = state_name(static_cast<runtime::TaskState>(i));
    json[name] = counts.at(i);
    if (counts.at(i) != 0) by_state += fmt::format("{}{} {}", by_state.empty() ? ": " : ", ", counts.at(i), name);
  }
  reply.line("  {} of its own{}", count_text(total, "task", "tasks"), by_state);
  reply.json["scope"] = scope;
  reply.json["mode"] = manual ? "MANUAL" : "AUTO";
  reply.json["ring"] = s.r.scopes.ring[scope];
  reply.json["depth"] = s.r.scopes.depth[scope];
  reply.json["state"] = state;
  reply.json["tasks_in_state"] = std::move(json);
}

/// Removes `name` and what separates it ("=", or blanks) from the begin of the text; true if it was there.
bool take_name(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || text.size() <= name.size()) return false;
  const char after = text[name.size()];
  if (after != '=' && after != ' ' && after != '\t') return false;
  text.remove_prefix(name.size() + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return true;
}

}  // namespace

void print(DebuggerSession& s, std::string_view rest, Reply& reply) {
  if (rest.empty()) throw CommandError("what? Write print EXPR: a watch, a task, A->B, tensor=T or scope=ROW");
  if (take_name(rest, "tensor")) return print_tensor(s, replay::tensor_row(s.r, rest), reply);
  if (take_name(rest, "scope")) return print_scope(s, replay::scope_row(s.r, rest), reply);
  if (take_name(rest, "task")) return print_task(s, task_of(s, rest), reply);
  if (rest == "tensormap" || rest.find(':') != std::string_view::npos) {
    return print_value(s, replay::parse_watch(s.cursor, rest), reply);
  }
  if (const std::size_t arrow = rest.find("->"); arrow != std::string_view::npos) {
    std::string_view from = rest.substr(0, arrow);
    std::string_view to = rest.substr(arrow + 2);
    from = from.substr(0, from.find_last_not_of(" \t") + 1);
    to.remove_prefix(std::min(to.find_first_not_of(" \t"), to.size()));
    return print_edge(s, task_of(s, from), task_of(s, to), reply);
  }
  std::uint32_t task = kNoRow;
  try {
    task = task_of(s, rest);
  } catch (const replay::UnknownName&) {
    std::uint32_t number = 0;
    if (replay::parse_number(rest, kNoRow - 1, number))
      throw CommandError(fmt::format("{} of what? Write t{}, tensor={} or scope={}", number, number, number, number));
    try {
      return print_tensor(s, replay::tensor_row(s.r, rest), reply);
    } catch (const replay::UnknownName&) {
      throw CommandError(fmt::format(
          "'{}' is neither a watch nor a task nor a tensor: write task:r0t5, r0t5, r0t1->r0t5, tensor=a or scope=1", rest));
    }
  }
  print_task(s, task, reply);
}

}  // namespace depscope::app::answers
