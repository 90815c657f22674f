#include "explain_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "depscope/replay/explain_text.h"
#include "depscope/replay/facts_json.h"
#include "open_input.h"

namespace depscope::app {

using recording::kNoRow;
using recording::Recording;

void ExplainCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_, "A recording, a program (*.py), a dump or build directory")->required();
  app.add_flag("--json", json_, "Print depscope.facts/1 instead of text");
  app.add_option("--function", function_, "Only this Orchestration function, with all its call sites")->option_text("F");
  app.add_option("--call", call_, "Only this call site (its index within the function), with everything known of it")
      ->option_text("N");
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
    if (!function_.empty() && name == function_) selection.function = f;
    names += fmt::format("{}{}", count == 0 ? "" : ", ", name);
    only = f;
    ++count;
  }
  if (!function_.empty() && selection.function == kNoRow) {
    throw UsageError(
        fmt::format("--function {}: no such function (Orchestration functions: {})", function_, names.empty() ? "none" : names));
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

int ExplainCommand::run() {
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
