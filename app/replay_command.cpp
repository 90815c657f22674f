#include "replay_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "depscope/replay/cursor.h"
#include "depscope/replay/row_names.h"
#include "open_input.h"
#include "replay_output.h"

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
  app.add_flag("--json", json_, "Print the state as JSON");
  app.add_flag("--round-trip", round_trip_,
               "Go to the end, back to the start, and to the end again by single steps; fail if a digest differs");
  add_run_options(app, texts_);
}

int ReplayCommand::run() {
  const Opened opened = open_input(input_, parse(texts_));
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
