#include "explain_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/explain_text.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/why.h"
#include "open_input.h"

namespace depscope::app {

using recording::kNoRow;
using recording::Recording;

void ExplainCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_, "A recording, a program (*.py), a dump or build directory, a bundle")->required();
  app.add_flag("--json", json_, "Print depscope.facts/1 instead of text");
  app.add_option_function<std::string>(
         "--function", [this](const std::string& name) { function_ = name; },
         "Only this Orchestration function, with all its call sites")
      ->option_text("F");
  CLI::Option* call =
      app.add_option("--call", call_, "Only this call site (its index within the function), with everything known of it")
          ->option_text("N");
  app.add_option(
         "--why", why_,
         "Why there is, or is not, an edge from call A to call B: each is a task id, a result, FUNCTION:CALL, a line or a "
         "kernel")
      ->expected(2)
      ->option_text("A B")
      ->excludes(call);
  add_run_options(app, texts_);
}

ExplainCommand::Selection ExplainCommand::select(const Recording& r) const {
  Selection selection;
  std::string names;
  std::uint32_t only = kNoRow;
  std::uint32_t count = 0;
  for (std::uint32_t f = 0; f < r.functions.rows(); ++f) {
    if (r.text(r.functions.kind[f]) != "Orchestration") continue;
    const std::string_view name = r.text(r.functions.name[f]);
    if (function_ && name == *function_) selection.function = f;
    names += fmt::format("{}{}", count == 0 ? "" : ", ", name);
    only = f;
    ++count;
  }
  if (function_ && selection.function == kNoRow) {
    throw UsageError(fmt::format("--function {}: no such function (Orchestration functions: {})",
                                 function_->empty() ? "''" : *function_, names.empty() ? "none" : names));
  }
  if (!call_) return selection;
  if (selection.function == kNoRow) {
    if (count != 1) {
      throw UsageError(fmt::format("--call {}: which function? Choose with --function (Orchestration functions: {})", *call_,
                                   names.empty() ? "none" : names));
    }
    selection.function = only;
  }
  std::uint32_t sites = 0;
  for (std::uint32_t s = 0; s < r.call_sites.rows(); ++s) {
    if (r.call_sites.function[s] != selection.function) continue;
    ++sites;
    if (r.call_sites.index[s] == *call_) selection.call_site = s;
  }
  if (selection.call_site == kNoRow) {
    throw UsageError(fmt::format("--call {}: '{}' has {} call sites, counted from 0", *call_,
                                 r.text(r.functions.name[selection.function]), sites));
  }
  return selection;
}

int ExplainCommand::answer_why() const {
  // What a run finds is part of the answer; what the passes decided is there without one.
  const RunOptions options = parse(texts_);
  Opened opened;
  replay::WhyOptions asked;
  try {
    opened = open_input(input_, options, Depth::Run);
  } catch (const InputError& e) {
    opened = open_input(input_, options, Depth::Passes);
    if (!e.diagnostics().empty()) asked.not_run = e.diagnostics().front().message;
  }
  const recording::Recording& r = opened.recording;
  asked.function = select(r).function;
  try {
    const replay::WhyAnswer answer = replay::why(r, why_[0], why_[1], asked);
    const std::string text = json_ ? replay::why_json(r, answer) : replay::why_text(answer);
    std::fwrite(text.data(), 1, text.size(), stdout);
  } catch (const replay::WhyError& e) {
    throw UsageError(e.what());
  }
  return kDone;
}

int ExplainCommand::run() {
  if (texts_.print_ir || texts_.print_plan)
    throw UsageError(std::string(texts_.print_ir ? "--print-ir" : "--print-plan") + " belongs to 'run'");
  if (!texts_.save_schedule.empty()) throw UsageError("--save-schedule belongs to 'run'");
  if (!why_.empty()) return answer_why();
  const Opened opened = open_input(input_, parse(texts_), Depth::Passes);
  const Selection selection = select(opened.recording);
  const auto print = [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); };
  if (json_) {
    replay::write_facts_json(opened.recording, {selection.function, selection.call_site}, print);
  } else {
    print(replay::explain_text(opened.recording, {.function = selection.function, .call_site = selection.call_site}));
  }
  return kDone;
}

}  // namespace depscope::app
