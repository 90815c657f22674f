#include "diff_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "depscope/replay/compare.h"
#include "diff_options.h"
#include "open_input.h"

namespace depscope::app {
namespace {

constexpr std::uint32_t kListedInText = 20;
constexpr std::uint32_t kListedInJson = 1000;

Opened open_side(const std::string& path, const OptionTexts& both, const std::string& option, const std::string& text) {
  const RunOptions options = parse(side_options(both, option, text));
  if (!split_words(option, text).empty() && !is_run(kind_of_input(path))) {
    throw UsageError(fmt::format("{} gives run options, but {} is the record of a run: nothing is run again", option, path));
  }
  return open_input(path, options);
}

}  // namespace

void DiffCommand::add_options(CLI::App& app) {
  app.add_option("A", input_a_, "A recording, a program (*.py), a dump or build directory, a trace, a deps.json, a bundle")
      ->required();
  app.add_option("B", input_b_, "What it is compared with")->required();
  app.add_option("--a", options_a_, "Run options of A only, in one string: --a=\"--platform a5 --arg n=4\"")
      ->option_text("OPTIONS");
  app.add_option("--b", options_b_, "Run options of B only")->option_text("OPTIONS");
  app.add_option("--ignore", ignore_, "Kinds of differences to leave out")->option_text("KIND,...")->allow_extra_args(false);
  app.add_option("--only", only_, "The only kinds to compare")->option_text("KIND,...")->allow_extra_args(false);
  app.add_option("--threshold", thresholds_,
                 "Least difference of a number that counts, or of a hundredth part: KIND=N or KIND=N%")
      ->option_text("KIND=N")
      ->allow_extra_args(false);
  app.add_option(
         "--max-differences", max_differences_,
         fmt::format("Rows listed of each kind; all are counted (default: {}, with --json {})", kListedInText, kListedInJson))
      ->option_text("N");
  app.add_flag("--facts", facts_, "Also what is no difference by itself");
  app.add_flag("--json", json_, "Print depscope.diff/1 instead of text");
  add_run_options(app, texts_);
}

int DiffCommand::run() {
  if (!texts_.save_schedule.empty()) throw UsageError("--save-schedule belongs to 'run', or to one side (--a or --b)");
  replay::CompareOptions options;
  choose_kinds(ignore_, only_, thresholds_, options);
  options.max_listed = max_differences_.value_or(json_ ? kListedInJson : kListedInText);
  const Opened a = open_side(input_a_, texts_, "--a", options_a_);
  const Opened b = open_side(input_b_, texts_, "--b", options_b_);
  const replay::Comparison comparison = replay::compare(a.recording, b.recording, options);
  const std::string text = json_ ? replay::comparison_json(comparison, facts_) : replay::comparison_text(comparison, facts_);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return comparison.total() == 0 ? kDone : kFindings;
}

}  // namespace depscope::app
