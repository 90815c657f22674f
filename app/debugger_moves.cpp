// Commands of the debugger that move, and those that say where to stop and what to show.
#include <algorithm>
#include <array>
#include <optional>

#include "debugger_session.h"
#include "depscope/replay/moves.h"
#include "depscope/replay/row_names.h"
#include "state_words.h"

namespace depscope::app::moves {
namespace {

using nlohmann::ordered_json;
using replay::Breakpoint;
using replay::BreakpointHit;

constexpr std::uint32_t kSlice = 1U << 14U;  // events between two looks whether the move was interrupted

struct RunResult {
  std::optional<BreakpointHit> hit;
  bool interrupted = false;
};

RunResult run(DebuggerSession& s, std::vector<Breakpoint> breakpoints, bool forward) {
  RunResult out;
  if (breakpoints.empty()) {
    s.cursor.seek(forward ? s.cursor.size() : 0);
    return out;
  }
  replay::BreakpointRun going(s.cursor, std::move(breakpoints), forward);
  while (!going.over() && !out.interrupted) {
    out.hit = going.advance(kSlice);
    out.interrupted = !going.over() && s.settings.interrupted && s.settings.interrupted();
  }
  return out;
}

/// The change that the hit is, after what was hit.
void answer_hit(const DebuggerSession& s, const std::string& what, const Breakpoint& breakpoint, const BreakpointHit& hit,
                Reply& reply) {
  reply.json["event"] = hit.event;
  reply.json["event_text"] = replay::describe_event(s.r, hit.event);
  if (!hit.change) {
    reply.line("{}", what);
    return;
  }
  const std::string before = replay::value_text(s.r, *breakpoint.watch, hit.change->before);
  const std::string after = replay::value_text(s.r, *breakpoint.watch, hit.change->after);
  reply.json["before"] = before;
  reply.json["after"] = after;
  reply.line("{}: {} -> {}", what, before, after);
}

void answer_moved(DebuggerSession& s, bool moved, Reply& reply) {
  reply.json["moved"] = moved;
  answer_position(s, reply);
}

void answer_interrupted(DebuggerSession& s, Reply& reply) {
  reply.line("interrupted");
  reply.json["interrupted"] = true;
  answer_moved(s, true, reply);
}

void by(DebuggerSession& s, std::string_view rest, bool forward, Reply& reply) {
  const std::string_view name = forward ? "step" : "back";
  const std::string usage = fmt::format("{} [N]", name);
  const std::uint32_t wanted = number_of(rest, 1, usage);
  const std::uint32_t position = s.cursor.position();
  const std::uint32_t there = forward ? s.cursor.size() - position : position;
  if (wanted == 0) throw CommandError(fmt::format("{} 0 goes nowhere: write {}", name, usage));
  if (there == 0) throw CommandError(fmt::format("there is no event {} event {}", forward ? "after" : "before", position));
  const std::uint32_t made = std::min(wanted, there);
  s.cursor.seek(forward ? position + made : position - made);
  if (made < wanted) reply.line("stopped at the {} after {}", forward ? "end" : "start", count_text(made, "event", "events"));
  reply.json["moved"] = made == wanted;
  answer_position(s, reply);
}

void by_query(DebuggerSession& s, std::string_view rest, bool forward, Reply& reply) {
  const replay::Move move = replay::parse_move(s.cursor, fmt::format("{} {}", forward ? "next" : "previous", rest));
  const std::uint32_t position = s.cursor.position();
  if (!replay::perform(s.cursor, move).moved)
    throw CommandError(fmt::format("there is no event with {} {} event {}", rest, forward ? "after" : "before", position));
  answer_moved(s, true, reply);
}

void to_position(DebuggerSession& s, std::uint32_t position, Reply& reply) {
  s.cursor.seek(position);
  answer_moved(s, true, reply);
}

void until_breakpoints(DebuggerSession& s, std::string_view rest, bool forward, Reply& reply) {
  no_more(rest, forward ? "continue" : "reverse-continue");
  std::vector<Breakpoint> breakpoints;
  for (const NumberedBreakpoint& numbered : s.breakpoints) breakpoints.push_back(numbered.breakpoint);
  const std::uint32_t position = s.cursor.position();
  if (position == (forward ? s.cursor.size() : 0))
    throw CommandError(fmt::format("there is no event {} event {}", forward ? "after" : "before", position));
  const RunResult result = run(s, std::move(breakpoints), forward);
  if (result.interrupted) return answer_interrupted(s, reply);
  if (result.hit) {
    const NumberedBreakpoint& hit = s.breakpoints[result.hit->breakpoint];
    reply.json["breakpoint"] = {{"number", hit.number}, {"text", hit.breakpoint.text}};
    answer_hit(s, fmt::format("breakpoint {}, {}", hit.number, hit.breakpoint.text), hit.breakpoint, *result.hit, reply);
  } else {
    reply.line("no breakpoint was hit: this is the {}", forward ? "end" : "start");
    reply.json["breakpoint"] = nullptr;
  }
  answer_moved(s, true, reply);
}

void list_breakpoints(const DebuggerSession& s, Reply& reply) {
  ordered_json list = ordered_json::array();
  for (const NumberedBreakpoint& numbered : s.breakpoints) {
    list.push_back({{"number", numbered.number}, {"text", numbered.breakpoint.text}});
    reply.line("{} {}", numbered.number, numbered.breakpoint.text);
  }
  if (s.breakpoints.empty()) reply.line("there is no breakpoint");
  reply.json["breakpoints"] = std::move(list);
}

/// Removes what has this number.
template <class T>
void remove_numbered(std::vector<T>& list, std::uint32_t number, std::string_view what) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& numbered) { return numbered.number == number; });
  if (found == list.end()) throw CommandError(fmt::format("there is no {} {}", what, number));
  list.erase(found);
}

}  // namespace

void step(DebuggerSession& s, std::string_view rest, Reply& reply) { by(s, rest, /*forward=*/true, reply); }
void back(DebuggerSession& s, std::string_view rest, Reply& reply) { by(s, rest, /*forward=*/false, reply); }
void next(DebuggerSession& s, std::string_view rest, Reply& reply) { by_query(s, rest, /*forward=*/true, reply); }
void previous(DebuggerSession& s, std::string_view rest, Reply& reply) { by_query(s, rest, /*forward=*/false, reply); }

void to(DebuggerSession& s, std::string_view rest, Reply& reply) {
  if (rest.empty()) throw CommandError(fmt::format("to where? Write to N, with N from 0 to {}", s.cursor.size()));
  const std::uint32_t position = number_of(rest, 0, "to N");
  if (position > s.cursor.size())
    throw CommandError(fmt::format("to {}: the recording has {} events", position, s.cursor.size()));
  to_position(s, position, reply);
}

void start(DebuggerSession& s, std::string_view rest, Reply& reply) {
  no_more(rest, "start");
  to_position(s, 0, reply);
}

void end(DebuggerSession& s, std::string_view rest, Reply& reply) {
  no_more(rest, "end");
  to_position(s, s.cursor.size(), reply);
}

void go_on(DebuggerSession& s, std::string_view rest, Reply& reply) { until_breakpoints(s, rest, /*forward=*/true, reply); }
void go_back(DebuggerSession& s, std::string_view rest, Reply& reply) { until_breakpoints(s, rest, /*forward=*/false, reply); }

void until(DebuggerSession& s, std::string_view rest, Reply& reply) {
  constexpr std::array<std::string_view, 1> kBack{"back"};
  std::string_view after = rest;
  const bool forward = find_word(kBack, take_word(after)) == nullptr;
  if (!forward) rest = after;
  if (rest.empty()) throw CommandError("until what? Write until [back] COND, as in until tasks:ready >= 2");
  const Breakpoint condition = replay::parse_breakpoint(s.cursor, rest);
  if (replay::holds(s.cursor, condition)) {
    reply.line("{} holds already", condition.text);
    return answer_moved(s, false, reply);
  }
  const std::uint32_t position = s.cursor.position();
  // Backward it has to hold where the move ends: just before the event that made it false.
  const Breakpoint stop = forward ? condition : replay::opposite(condition);
  const RunResult result = run(s, {stop}, forward);
  if (result.interrupted) return answer_interrupted(s, reply);
  if (!result.hit) {
    s.cursor.seek(position);
    throw CommandError(fmt::format("{} does not come about {} event {}", condition.text, forward ? "after" : "before", position));
  }
  answer_hit(s, condition.text, condition, *result.hit, reply);
  answer_moved(s, true, reply);
}

void set_breakpoint(DebuggerSession& s, std::string_view rest, Reply& reply) {
  constexpr std::array<std::string_view, 2> kWords{"list", "delete"};
  std::string_view after = rest;
  const std::string_view first = take_word(after);
  const bool plain = first.find_first_of(":=") == std::string_view::npos;
  const std::string_view* word = plain ? find_word(kWords, first) : nullptr;
  if (rest.empty()) throw CommandError("where? Write break COND, as in break task:r0t5 = ready, break list or break delete N");
  if (word != nullptr && *word == "list") {
    no_more(after, "break list");
    return list_breakpoints(s, reply);
  }
  if (word != nullptr) {
    if (after.empty()) throw CommandError("which one? Write break delete N, with a number of break list");
    const std::uint32_t number = number_of(after, 0, "break delete N");
    remove_numbered(s.breakpoints, number, "breakpoint");
    reply.line("breakpoint {} is deleted", number);
    reply.json["deleted"] = number;
    return;
  }
  s.breakpoints.push_back({s.next_breakpoint, replay::parse_breakpoint(s.cursor, rest)});
  const NumberedBreakpoint& added = s.breakpoints.back();
  ++s.next_breakpoint;
  reply.line("breakpoint {}: {}", added.number, added.breakpoint.text);
  reply.json["breakpoint"] = {{"number", added.number}, {"text", added.breakpoint.text}};
}

void add_watch(DebuggerSession& s, std::string_view rest, Reply& reply) {
  ordered_json list = ordered_json::array();
  const auto show = [&](NumberedWatch& numbered) {
    numbered.last = replay::value(s.cursor, numbered.watch);
    const std::string value = replay::value_text(s.r, numbered.watch, numbered.last);
    reply.line("{} {}: {}", numbered.number, to_text(s.r, numbered.watch), value);
    list.push_back({{"number", numbered.number}, {"watch", to_text(s.r, numbered.watch)}, {"value", value}});
  };
  if (rest.empty()) {
    for (NumberedWatch& numbered : s.watches) show(numbered);
    if (s.watches.empty()) reply.line("nothing is shown");
  } else {
    s.watches.push_back({s.next_watch, replay::parse_watch(s.cursor, rest)});
    ++s.next_watch;
    show(s.watches.back());
  }
  reply.json["watches"] = std::move(list);
}

void remove_watch(DebuggerSession& s, std::string_view rest, Reply& reply) {
  if (rest.empty()) throw CommandError("which one? Write unwatch N, with a number of watch");
  const std::uint32_t number = number_of(rest, 0, "unwatch N");
  remove_numbered(s.watches, number, "watch");
  reply.line("watch {} is gone", number);
  reply.json["removed"] = number;
}

}  // namespace depscope::app::moves
