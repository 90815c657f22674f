#include "replay_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "debugger.h"
#include "debugger_script.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/row_names.h"
#include "open_input.h"
#include "replay_output.h"
#include "terminal.h"

namespace depscope::app {
namespace {

/// Bad moves, watches and tasks are bad usage of the option that gave them.
template <class F>
auto given_by(const char* option, F&& parse) {
  try {
    return parse();
  } catch (const replay::QueryError& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace

void ReplayCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_, "A recording, a bundle, or an input that is run first")->required();
  app.add_option("--to", to_, "Stop after this many events (default: all; none if there are moves)")->option_text("N");
  app.add_option("--move", moves_,
                 "Then move, once for each: to N, start, end, step [N], back [N], next WHAT, previous WHAT, change WATCH, "
                 "change-back WATCH. WHAT: kind=NAME, task=TASK, scope=ROW[+tasks], tensor=ROW[+tasks], actor=N")
      ->option_text("MOVE ...")
      ->allow_extra_args(false);
  app.add_option("--watch", watches_,
                 "Print a value: task:r0t5, task:r0t5.have, slot:r0.3, ring:0.watermark, edge:r0t1->r0t4, scope:2, queue:AIC, "
                 "core:3, tensormap, tensormap:r0t5.1, tasks:ready, …")
      ->option_text("WATCH ...")
      ->allow_extra_args(false);
  app.add_option("--task", tasks_, "Print what a task waits for and what keeps it")
      ->option_text("TASK ...")
      ->allow_extra_args(false);
  app.add_option("--limit", limit_, "Items of each list (default: 20)")->option_text("N");
  app.add_flag("--json", json_, "Print the state as JSON; with a script: one object a command");
  app.add_flag("--round-trip", round_trip_,
               "Go to the end, back to the start, and to the end again by single steps; fail if a digest differs");
  app.add_option_function<std::string>(
         "--script", [this](const std::string& name) { script_ = name; },
         "Read commands from a file, or from standard input (-): help lists them. --to and --move say where to begin")
      ->option_text("FILE");
  app.add_flag("--interactive", interactive_,
               "Read commands from standard input; with a terminal and no other option above the default");
  app.add_flag("--stop-on-error", stop_on_error_, "End a script at its first error");
  add_run_options(app, texts_);
}

bool ReplayCommand::reads_commands() const {
  if (script_ || interactive_) return true;
  const bool asked = to_ || !moves_.empty() || json_ || !tasks_.empty() || !watches_.empty() || round_trip_ || stop_on_error_;
  return !asked && at_terminal();
}

void ReplayCommand::refuse_with_commands() const {
  const char* option = script_ ? "--script" : "--interactive";
  if (script_ && interactive_) throw UsageError("--script and --interactive both say where commands come from: choose one");
  if (round_trip_) throw UsageError(fmt::format("--round-trip does not go with {}", option));
  if (!tasks_.empty()) throw UsageError(fmt::format("--task does not go with {}: use the commands waits and alive", option));
}

int ReplayCommand::debug(const recording::Recording& recording) const {
  // A terminal has lines that are edited; everything else is a script.
  const bool terminal = !script_ && !json_ && at_terminal();
  const std::string name = script_.value_or("-");
  std::ifstream file;
  if (name != "-") {
    file.open(name);
    std::error_code ignored;
    if (!file || std::filesystem::is_directory(name, ignored)) throw UsageError(fmt::format("--script: cannot open {}", name));
  }
  Debugger debugger(recording, {.limit = limit_,
                                .json = json_,
                                .repeat = terminal,
                                .interrupted = terminal ? std::function<bool()>(take_interrupt) : nullptr});
  replay::Cursor& cursor = debugger.cursor();
  if (to_ && *to_ > cursor.size()) throw UsageError(fmt::format("--to {}: the recording has {} events", *to_, cursor.size()));
  std::vector<replay::Move> moves;
  for (const std::string& text : moves_) moves.push_back(given_by("--move", [&] { return replay::parse_move(cursor, text); }));
  cursor.seek(to_.value_or(0));
  for (const replay::Move& move : moves) replay::perform(cursor, move);
  for (const std::string& text : watches_) given_by("--watch", [&] { debugger.add_watch(text); });
  if (terminal) {
    run_terminal(debugger);
    return kDone;
  }
  std::istream& lines = name == "-" ? std::cin : file;
  return run_script(debugger, lines, {.name = name, .json = json_, .stop_on_error = stop_on_error_}) ? kDone : kBadInput;
}

int ReplayCommand::run() {
  const bool commands = reads_commands();
  if (commands) refuse_with_commands();
  if (!commands && stop_on_error_) throw UsageError("--stop-on-error belongs to --script");
  const Opened opened = open_input(input_, parse(texts_));
  if (commands) return debug(opened.recording);
  replay::Cursor cursor(opened.recording);
  if (to_ && *to_ > cursor.size()) throw UsageError(fmt::format("--to {}: the recording has {} events", *to_, cursor.size()));
  if (round_trip_) {
    const std::uint64_t start = cursor.state().digest();
    while (cursor.step()) {
    }
    const std::uint64_t end = cursor.state().digest();
    while (cursor.back()) {
    }
    const bool back = cursor.state().digest() == start;
    while (cursor.step()) {
    }
    if (!back || cursor.state().digest() != end) throw InternalError("stepping back and forth does not give the same states");
    if (!json_) fmt::print("round trip: start {:016x}, end {:016x}, both again after stepping back and forth\n", start, end);
  }
  ReplayReport report;
  report.limit = limit_;
  // All of it is understood before anything moves.
  for (const std::string& text : moves_) {
    MadeMove& made = report.moves.emplace_back();
    made.move = given_by("--move", [&] { return replay::parse_move(cursor, text); });
  }
  for (const std::string& text : watches_)
    report.watches.push_back(given_by("--watch", [&] { return replay::parse_watch(cursor, text); }));
  for (const std::string& text : tasks_)
    report.tasks.push_back(given_by("--task", [&] { return replay::task_row(opened.recording, text); }));
  cursor.seek(to_.value_or(moves_.empty() ? cursor.size() : 0));
  for (MadeMove& made : report.moves) {
    made.outcome = replay::perform(cursor, made.move);
    made.position = cursor.position();
  }
  const std::string out = json_ ? replay_json(cursor, report) : replay_text(cursor, report);
  std::fwrite(out.data(), 1, out.size(), stdout);
  return kDone;
}

}  // namespace depscope::app
