#include "import_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "depscope/replay/artefacts/run_summary.h"
#include "depscope/replay/file.h"
#include "imported_input.h"

namespace depscope::app {

void ImportCommand::add_options(CLI::App& app) {
  app.add_option(
         "PATH", input_,
         "deps.json, chip_swimlane_records.json, scope_stats.jsonl, or a directory of them (dfx_outputs, a build, rank*/d*)")
      ->required();
  app.add_option("-o,--output", output_, "Write the run as a recording (*.depscope)")->option_text("FILE");
  app.add_option("--run", run_, "Of several dispatches only this one: rank0/d1")->option_text("WHERE");
  app.add_flag("--json", json_, "Print depscope.summary/1 instead of text");
}

int ImportCommand::run() {
  replay::RunTree tree = replay::find_runs(input_);
  choose_run(tree, run_);
  if (!output_.empty() && tree.runs.size() > 1)
    throw UsageError(fmt::format("-o writes one run, and there are {}: {}", tree.runs.size(), give_one(tree)));
  if (!output_.empty()) refuse_overwriting_run(tree, output_);
  std::vector<replay::ImportedRun> runs;
  for (const replay::RunFiles& files : tree.runs) runs.push_back(replay::import_run(files, input_));
  const auto print = [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); };
  if (json_) {
    replay::write_summary_json(tree, runs, print);
  } else {
    replay::write_summary_text(tree, runs, print);
  }
  bool alarming = false;
  for (const replay::ImportedRun& run : runs) {
    const auto& severities = run.recording.findings.severity;
    alarming = alarming || std::any_of(severities.begin(), severities.end(),
                                       [](std::uint8_t s) { return static_cast<Severity>(s) != Severity::Info; });
  }
  if (!output_.empty()) {
    describe_run(tree, runs.front().recording);
    replay::save(runs.front().recording, output_);
  }
  return alarming ? kFindings : kDone;
}

}  // namespace depscope::app
