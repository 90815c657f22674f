#include "check_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "deadlock_settings.h"
#include "depscope/replay/check.h"
#include "depscope/replay/file.h"
#include "depscope/replay/sarif.h"
#include "depscope/replay/sizing_report.h"
#include "open_input.h"
#include "sizing.h"
#include "what_if.h"

namespace depscope::app {
namespace {

constexpr std::string_view kSarif = "sarif";
constexpr std::array<std::string_view, 3> kFormats{"text", "json", kSarif};

void print(std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); }

/// The file that lines of findings are lines of: the input, or the dump in it that was run. What a recording was made of lies
/// elsewhere, only its name is known.
std::string file_of_lines(const std::string& input, const Opened& opened) {
  namespace fs = std::filesystem;
  const std::string& name = opened.recording.input_name;
  if (name.empty()) return input;
  if (opened.kind == InputKind::RecordingFile || opened.kind == InputKind::Bundle) return name;
  std::error_code ignored;
  if (!fs::is_directory(input, ignored)) return input;
  for (const fs::path& folder : {fs::path(input), fs::path(input) / "passes_dump", fs::path(input) / "dfx_outputs"}) {
    if (fs::is_regular_file(folder / name, ignored)) return (folder / name).lexically_normal().string();
  }
  return input;
}

}  // namespace

void CheckCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_,
                 "A recording, a program (*.py), a dump or build directory, a trace (*.trace.json), a deps.json, a bundle")
      ->required();
  app.add_option("--format", format_,
                 "text (the default), json: depscope.findings/1, sarif: a SARIF 2.1.0 log for code scanning of CI systems")
      ->option_text("text|json|sarif");
  app.add_flag("--json", json_, "The same as --format json");
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
  if (format_ && std::find(kFormats.begin(), kFormats.end(), *format_) == kFormats.end()) {
    throw UsageError(
        fmt::format("--format {}: no such format (formats: {})", format_->empty() ? "''" : *format_, fmt::join(kFormats, ", ")));
  }
  if (json_ && format_ && format_ != "json")
    throw UsageError(fmt::format("--json means --format json, and --format {} is given as well", *format_));
  if (format_ != kSarif) return check();
  // A CI system wants its log also when the input cannot be read.
  try {
    return check();
  } catch (const InputError& e) {
    replay::write_sarif_errors(e.diagnostics(), input_, print);
    throw;
  } catch (const replay::FileError& e) {
    Diagnostic d;
    d.message = e.what();
    replay::write_sarif_errors({d}, input_, print);
    throw;
  }
}

int CheckCommand::check() {
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
  std::vector<replay::CheckMember> members;
  if (sizing_) members.push_back({"sizing", replay::sizing_json(sizing)});
  if (moved) members.push_back({"what_if", json_of(*moved)});
  if (json()) {
    replay::write_check_json(check, options, print, members);
  } else if (format_ == kSarif) {
    const replay::FindingSource findings = [&](const auto& tell) { check.each(options, tell); };
    replay::write_sarif(findings, file_of_lines(input_, opened), print, members);
  } else {
    replay::write_check_text(check, options, opened.recording.input_name, print);
    if (sizing_) replay::write_sizing_text(sizing, print);
    if (moved) print(text_of(*moved));
  }
  return check.alarming() ? kFindings : kDone;
}

}  // namespace depscope::app
