#include "import_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "depscope/execute/durations.h"
#include "depscope/recording/findings.h"
#include "depscope/replay/artefacts/run_summary.h"
#include "depscope/replay/file.h"
#include "depscope/replay/join_run.h"
#include "depscope/replay/timing_text.h"
#include "imported_input.h"
#include "open_input.h"

namespace depscope::app {

void ImportCommand::add_options(CLI::App& app) {
  app.add_option(
         "PATH", input_,
         "deps.json, chip_swimlane_records.json, scope_stats.jsonl, or a directory of them (dfx_outputs, a build, rank*/d*)")
      ->required();
  app.add_option("-o,--output", output_, "Write the run as a recording (*.depscope)")->option_text("FILE");
  app.add_option("--run", run_, "Of several dispatches only this one: rank0/d1")->option_text("WHERE");
  app.add_option(
         "--join", join_,
         "A recording of the model, a program or a trace of the same run: match its tasks, and put what was measured into it. A "
         "program is run with the measured durations")
      ->option_text("INPUT");
  app.add_flag("--json", json_, "Print depscope.summary/1 instead of text");
}

int ImportCommand::run() {
  replay::RunTree tree = replay::find_runs(input_);
  choose_run(tree, run_);
  if (!output_.empty() && tree.runs.size() > 1)
    throw UsageError(fmt::format("-o writes one run, and there are {}: {}", tree.runs.size(), give_one(tree)));
  refuse_overwriting("-o", output_, input_, {});
  if (!join_.empty() && tree.runs.size() > 1)
    throw UsageError(fmt::format("--join takes one run, and there are {}: {}", tree.runs.size(), give_one(tree)));
  if (!join_.empty()) refuse_overwriting("-o", output_, join_, {});
  std::vector<replay::ImportedRun> runs;
  for (const replay::RunFiles& files : tree.runs)
    add_quantities(runs.emplace_back(replay::import_run(files, input_, {.digests = !output_.empty()})));
  if (!output_.empty()) {
    describe_run(tree, runs.front().health, runs.front().recording);
    add_run_notes(runs.front());
  }
  if (!join_.empty()) runs.front().join = join(runs.front());
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
    replay::save(joined_ ? *joined_ : runs.front().recording, output_);
  }
  return alarming ? kFindings : kDone;
}

std::vector<std::string> ImportCommand::join(replay::ImportedRun& run) {
  RunOptions options = parse({});
  const bool runs_now = is_run(kind_of_input(join_));
  std::string durations = runs_now ? replay::timing_text(run.recording) : std::string();
  const bool timed = !durations.empty();
  if (timed) {
    options.timing_source = std::make_shared<const SourceFile>("timing.json", std::move(durations));
    options.durations = std::make_shared<const execute::Durations>(execute::Durations::read(*options.timing_source));
  }
  joined_ = open_input(join_, options).recording;
  recording::Recording& model = *joined_;
  if (timed) {
    model.options.name.push_back(model.strings.add("time-unit-us"));
    model.options.value.push_back(model.strings.add(fmt::format("{}", 1e6 / replay::kTimingUnitsPerSecond)));
  }
  const std::uint32_t own = model.findings.rows();
  const replay::RunJoin joined = replay::join_run(model, run.recording);
  // Those of the join only: what the run itself shows is there already.
  for (std::uint32_t i = own + run.recording.findings.rows(); i < model.findings.rows(); ++i)
    recording::add_finding(run.recording, model.text(model.findings.kind[i]), static_cast<Severity>(model.findings.severity[i]),
                           model.text(model.findings.summary[i]), model.text(model.findings.fields[i]), 0);
  std::vector<std::string> lines = replay::join_lines(joined);
  const std::uint32_t section = model.strings.add("join");
  for (const std::string& line : lines) {
    model.run_notes.section.push_back(section);
    model.run_notes.text.push_back(model.strings.add(line));
  }
  return lines;
}

}  // namespace depscope::app
