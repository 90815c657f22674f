#include "check_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "deadlock_settings.h"
#include "depscope/replay/check.h"
#include "depscope/replay/sizing_report.h"
#include "open_input.h"
#include "sizing.h"
#include "what_if.h"

namespace depscope::app {

void CheckCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_,
                 "A recording, a program (*.py), a dump or build directory, a trace (*.trace.json), a deps.json, a bundle")
      ->required();
  app.add_flag("--json", json_, "Print depscope.findings/1 instead of text");
  app.add_flag("--facts{shown}", facts_,
               fmt::format("Also what is no alarm: fallbacks, rewrites, where every edge comes from (the first {} edges; "
                           "--facts=all: all of them, and every pair of a group)",
                           replay::kMaxProvenance));
  app.add_flag("--what-if{auto}", what_if_,
               "Also what moving a scope would do. --what-if: moves that may let a stopped run through; "
               "--what-if=split:TASK, own:TASK, join:TASK: that one, for a task as findings name it (fill#3)");
  app.add_flag("--sizing", sizing_,
               "Also what the run needs of windows, heaps and pools, which limits it meets first, and the least that will do");
  add_run_options(app, texts_);
}

int CheckCommand::run() {
  if (!facts_.empty() && facts_ != "shown" && facts_ != "all")
    throw UsageError(fmt::format("--facts={}: only --facts and --facts=all are known", facts_));
  if (texts_.print_ir || texts_.print_plan)
    throw UsageError(std::string(texts_.print_ir ? "--print-ir" : "--print-plan") +
                     " belongs to 'run': nothing is checked there");
  const RunOptions run_options = parse(texts_);
  Opened opened = open_input(input_, run_options);
  add_smallest_settings(input_, run_options, opened);
  std::optional<WhatIf> moved;
  if (!what_if_.empty()) moved = what_if(input_, run_options, opened, what_if_);
  const replay::SizingReport sizing = sizing_ ? sizing_of(input_, run_options, opened) : replay::SizingReport{};
  const replay::Check check(opened.recording);
  const replay::CheckOptions options{.facts = !facts_.empty(), .all = facts_ == "all"};
  const auto print = [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); };
  if (json_) {
    std::vector<replay::CheckMember> members;
    if (sizing_) members.push_back({"sizing", replay::sizing_json(sizing)});
    if (moved) members.push_back({"what_if", json_of(*moved)});
    replay::write_check_json(check, options, print, members);
  } else {
    replay::write_check_text(check, options, opened.recording.input_name, print);
    if (sizing_) replay::write_sizing_text(sizing, print);
    if (moved) print(text_of(*moved));
  }
  return check.alarming() ? kFindings : kDone;
}

}  // namespace depscope::app
