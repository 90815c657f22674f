#include "debugger.h"

#include <algorithm>
#include <array>

#include "debugger_completion.h"
#include "debugger_session.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/why.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

void help(DebuggerSession& session, std::string_view rest, Reply& reply);

void quit(DebuggerSession& /*session*/, std::string_view rest, Reply& reply) {
  no_more(rest, "quit");
  reply.quit = true;
}

constexpr std::string_view kWhat = "WHAT: kind=NAME[,NAME…], task=TASK, scope=ROW[+tasks], tensor=TENSOR[+tasks], actor=N";
constexpr std::string_view kCondition =
    "COND: a value to watch (it changes), WATCH OP VALUE with = != < <= > >= between blanks, or WHAT an event is";

constexpr std::array kCommands{
    DebuggerCommand{"help", "help [COMMAND]", "the commands, or one of them", help, false, Operand::Command},
    DebuggerCommand{"step", "step [N]", "N events forward, 1 without N", moves::step, true},
    DebuggerCommand{"back", "back [N]", "N events backward, 1 without N", moves::back, true},
    DebuggerCommand{"next", "next WHAT", "to just after the next event of which all of WHAT holds", moves::next, true,
                    Operand::Query},
    DebuggerCommand{"prev", "prev WHAT", "to just before the last event of which all of WHAT holds", moves::previous, true,
                    Operand::Query},
    DebuggerCommand{"to", "to N", "to the position after N events", moves::to},
    DebuggerCommand{"start", "start", "to the position before the first event", moves::start},
    DebuggerCommand{"end", "end", "to the position after the last event", moves::end},
    DebuggerCommand{"break", "break COND | break list | break delete N", "sets, lists or deletes a breakpoint",
                    moves::set_breakpoint, false, Operand::Break},
    DebuggerCommand{"continue", "continue", "forward until a breakpoint is hit", moves::go_on, true},
    DebuggerCommand{"reverse-continue", "reverse-continue (rc)", "backward until a breakpoint is hit", moves::go_back, true},
    DebuggerCommand{"until", "until [back] COND", "forward, or back, until a condition holds", moves::until, true,
                    Operand::Until},
    DebuggerCommand{"watch", "watch [EXPR]", "shows a value after each move; without EXPR: lists what is shown", moves::add_watch,
                    false, Operand::Watch},
    DebuggerCommand{"unwatch", "unwatch N", "shows value N no more", moves::remove_watch},
    DebuggerCommand{"print", "print EXPR", "a value, a task, an edge (A->B), a tensor (tensor=T) or a scope (scope=ROW)",
                    answers::print, false, Operand::Print},
    DebuggerCommand{"why", "why X Y", "why task X waits, or does not wait, for task Y", answers::why, false, Operand::Task},
    DebuggerCommand{"waits", "waits TASK", "what a task waits for now", answers::waits, false, Operand::Task},
    DebuggerCommand{"alive", "alive TASK|TENSOR", "what keeps a task's slot, or the bytes of a tensor, now", answers::alive,
                    false, Operand::TaskOrTensor},
    DebuggerCommand{"rings", "rings", "slots, heap and pools of the rings in use", answers::rings},
    DebuggerCommand{"heap", "heap [RING]", "allocations in the heap, by address", answers::heap, false, Operand::Ring},
    DebuggerCommand{"tensormap", "tensormap [TENSOR]", "writes that are in the TensorMap", answers::tensormap, false,
                    Operand::Tensor},
    DebuggerCommand{"list", "list [N]", "N events around the position; => stands before the last one that happened",
                    answers::list},
    DebuggerCommand{"tasks", "tasks [STATE]", "how many tasks are in which state, or the tasks in one", answers::tasks, false,
                    Operand::State},
    DebuggerCommand{"info", "info", "the position and the recording", answers::info},
    DebuggerCommand{"quit", "quit", "leaves", quit},
};

void help(DebuggerSession& /*session*/, std::string_view rest, Reply& reply) {
  const std::string_view word = take_word(rest);
  no_more(rest, "help [COMMAND]");
  ordered_json list = ordered_json::array();
  const auto add = [&](const DebuggerCommand& command) {
    reply.line("{:<28} {}", command.usage, command.help);
    list.push_back({{"name", command.name}, {"usage", command.usage}, {"help", command.help}});
  };
  if (!word.empty()) {
    const DebuggerCommand& command = find_command(word);
    add(command);
    if (command.operand == Operand::Query) reply.line("{}", kWhat);
    if (command.operand == Operand::Break || command.operand == Operand::Until) reply.line("{}\n{}", kCondition, kWhat);
  } else {
    for (const DebuggerCommand& command : kCommands) add(command);
    reply.line("{}\n{}", kWhat, kCondition);
    reply.line("TASK: r0t5 (ring, local index), t5 (row), fill#3 (fourth of a kernel). TENSOR: a name or a row.");
    reply.line("Words may be shortened. An empty line does the last move again. # begins a comment. Ctrl+C ends a long move,");
    reply.line("Ctrl+D leaves. A script (--script FILE) goes on after an error, and ends at it with --stop-on-error.");
  }
  reply.json["commands"] = std::move(list);
}

/// Without blanks around it, and without a comment: '#' at the begin of a word (a task may be called fill#3).
std::string_view command_of(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) line = line.substr(0, i);
  }
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace

std::span<const DebuggerCommand> debugger_commands() { return kCommands; }

const DebuggerCommand& find_command(std::string_view word) {
  if (word == "rc") word = "reverse-continue";
  if (word == "previous") word = "prev";
  std::array<std::string_view, kCommands.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCommands[i].name;
  const std::string_view* found = find_word(names, word);
  if (found == nullptr) throw CommandError(fmt::format("there is no command '{}': help lists them", word));
  return kCommands[static_cast<std::size_t>(found - names.data())];
}

const std::string_view* find_word(std::span<const std::string_view> words, std::string_view word) {
  const std::string_view* found = nullptr;
  std::string several;
  for (const std::string_view& known : words) {
    if (known == word) return &known;
    if (word.empty() || !known.starts_with(word)) continue;
    several += fmt::format("{}{}", several.empty() ? "" : " or ", known);
    if (found != nullptr) continue;
    found = &known;
  }
  if (found != nullptr && several != *found) throw CommandError(fmt::format("'{}' may be {}", word, several));
  return found;
}

std::string_view take_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks, end), text.size()));
  return word;
}

void no_more(std::string_view rest, std::string_view usage) {
  if (!rest.empty()) throw CommandError(fmt::format("'{}' is too much: write {}", rest, usage));
}

std::uint32_t number_of(std::string_view text, std::uint32_t fallback, std::string_view usage) {
  if (text.empty()) return fallback;
  std::uint32_t number = 0;
  if (!replay::parse_number(text, recording::kNoRow - 1, number))
    throw CommandError(fmt::format("'{}' is no number: write {}", text, usage));
  return number;
}

std::uint32_t task_of(const DebuggerSession& session, std::string_view text) {
  return text.find('#') == std::string_view::npos && text.find(' ') == std::string_view::npos
             ? replay::task_row(session.r, text)
             : replay::task_row_of_any_name(session.r, text);
}

std::string at_event(std::uint32_t event) {
  return event == recording::kNoRow ? std::string() : fmt::format(" (event {})", event);
}

void answer_position(DebuggerSession& s, Reply& reply) {
  const std::uint32_t position = s.cursor.position();
  const std::string last = position == 0 ? std::string() : replay::describe_event(s.r, position - 1);
  reply.line("event {} of {}: {}", position, s.cursor.size(), position == 0 ? "before the first event" : last);
  if (position > 0) reply.json["last_event"] = last;
  if (s.watches.empty()) return;
  ordered_json watches = ordered_json::array();
  for (NumberedWatch& watch : s.watches) {
    const std::int64_t now = replay::value(s.cursor, watch.watch);
    const std::string before = replay::value_text(s.r, watch.watch, watch.last);
    const std::string after = replay::value_text(s.r, watch.watch, now);
    reply.line("  {} {}: {}{}", watch.number, to_text(s.r, watch.watch), now == watch.last ? "" : before + " -> ", after);
    watches.push_back({{"number", watch.number}, {"watch", to_text(s.r, watch.watch)}, {"value", after}});
    if (now != watch.last) watches.back()["before"] = before;
    watch.last = now;
  }
  reply.json["watches"] = std::move(watches);
}

Debugger::Debugger(const recording::Recording& recording, DebuggerSettings settings)
    : session_(std::make_unique<DebuggerSession>(recording, std::move(settings))) {}
Debugger::~Debugger() = default;

replay::Cursor& Debugger::cursor() { return session_->cursor; }

void Debugger::add_watch(std::string_view text) {
  Reply ignored;
  moves::add_watch(*session_, text, ignored);
}

std::string Debugger::where() const {
  Reply reply;
  answer_position(*session_, reply);
  return reply.text;
}

std::vector<std::string> Debugger::complete(std::string_view line) const { return completions(session_->cursor, line); }

DebuggerAnswer Debugger::execute(std::string_view line) {
  DebuggerSession& s = *session_;
  std::string command(command_of(line));
  DebuggerAnswer out;
  if (command.empty()) {
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!s.settings.repeat || !blank || last_move_.empty()) return out;
    command = last_move_;
  }
  last_move_.clear();
  Reply reply;
  try {
    std::string_view rest = command;
    const DebuggerCommand& known = find_command(take_word(rest));
    if (known.repeats) last_move_ = command;
    known.function(s, rest, reply);
  } catch (const CommandError& e) {
    out.error = e.what();
  } catch (const replay::QueryError& e) {
    out.error = e.what();
  } catch (const replay::WhyError& e) {  // its message names the option of `depscope explain`
    constexpr std::string_view kOption = "--";
    out.error = e.what();
    if (out.error.starts_with(kOption)) out.error.erase(0, kOption.size());
  }
  out.quit = reply.quit;
  if (!s.settings.json) {
    if (out.error.empty()) out.text = std::move(reply.text);
    return out;
  }
  ordered_json object{{"schema", "depscope.replay/1"}, {"findings", ordered_json::array()}};
  object["command"] = command;
  object["position"] = s.cursor.position();
  if (out.error.empty()) {
    object.update(reply.json);
  } else {
    object["error"] = out.error;
  }
  // Names of a recording, and what was typed, may hold any bytes.
  out.text = object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return out;
}

}  // namespace depscope::app
