#include "run_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "bundle_run.h"
#include "depscope/ir/text.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/deps_json.h"
#include "depscope/replay/file.h"
#include "depscope/replay/summary_text.h"
#include "open_input.h"
#include "progress.h"
#include "submission_plan.h"

namespace depscope::app {

void RunCommand::add_options(CLI::App& app) {
  app.add_option("INPUT", input_,
                 "A program (*.py), a dump or build directory, a submission trace (*.trace.json), a bundle, a recording")
      ->required();
  app.add_option("-o,--output", output_, "Write the recording")->option_text("FILE");
  app.add_flag("--json", json_, "Print depscope.deps/1 instead of the summary");
  app.add_flag("--progress", progress_, "Say on standard error how far the run is, one line at a time");
  add_run_options(app, texts_);
}

Opened RunCommand::open(const RunOptions& options) const {
  try {
    return open_input(input_, options);
  } catch (const InputError&) {
    // A dump directory whose program lacks data cannot be executed, but its passes were run and compared.
    if (json_ || kind_of_input(input_) != InputKind::Directory) throw;
    std::optional<Opened> passes;
    try {
      passes = open_input(input_, options, Depth::Passes);
    } catch (const InputError&) {
    }
    if (passes) std::fputs(replay::summary_text(passes->recording).c_str(), stdout);
    throw;
  }
}

int RunCommand::run() {
  RunOptions options = parse(texts_);
  options.progress = progress_;
  refuse_overwriting("--output", output_, input_, options);
  refuse_overwriting("--save-schedule", options.save_schedule, input_, options);
  if (kind_of_input(input_) != InputKind::Bundle) return run(options);
  const replay::Bundle bundle = replay::read_bundle(input_);
  if (bundle.run.input.empty())
    throw UsageError(fmt::format("{} has a recording but no input: it cannot be run again, only looked at", input_));
  const UnpackedRun unpacked(bundle.run, input_);
  input_ = unpacked.input();
  try {
    RunOptions again = unpacked.options(texts_);
    again.progress = progress_;
    const int status = run(again);
    if (!bundle.recording.empty() && !bundle.difference.empty() && options.given_for_run.empty())
      fmt::print(stderr, "depscope: this is not the recording in the bundle: {}\n", bundle.difference);
    return status;
  } catch (const InputError& error) {
    throw unpacked.without_directories(error);
  }
}

int RunCommand::run(const RunOptions& options) {
  if (options.print_ir || options.print_plan) {
    // The program after the last pass, or what the code generator makes of it; nothing is executed, so no data is needed.
    const InputKind kind = kind_of_input(input_);
    if (kind != InputKind::Program && kind != InputKind::Directory) {
      throw UsageError(std::string(options.print_ir ? "--print-ir" : "--print-plan") + " needs a program or a dump directory");
    }
    if (options.print_ir && options.print_plan) throw UsageError("--print-ir and --print-plan: one of them");
    if (json_ || !output_.empty() || !options.save_schedule.empty()) {
      const char* other = json_ ? "--json" : output_.empty() ? "--save-schedule" : "--output";
      throw UsageError(fmt::format("{} prints one text and runs nothing: {} does not go with it",
                                   options.print_ir ? "--print-ir" : "--print-plan", other));
    }
    const ProgramRun run = kind == InputKind::Program ? run_program_file(input_, options, Depth::Passes)
                                                      : run_dump_directory(input_, options, Depth::Passes);
    const std::string text = options.print_ir ? ir::print_program(run.last) : entry_plan_text(run, options.entry);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kDone;
  }
  if (!output_.empty() && output_ == options.save_schedule)
    throw UsageError(fmt::format("--output and --save-schedule name one file: {}", output_));
  const Opened opened = open(options);
  if (options.progress && !output_.empty()) print_progress("writing the recording");
  if (!output_.empty()) replay::save(opened.recording, output_);
  if (json_) {
    replay::write_deps_json(opened.recording, replay::DepsSchema::Depscope,
                            [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
  } else {
    std::fputs(replay::summary_text(opened.recording).c_str(), stdout);
    if (!output_.empty()) std::printf("recording: %s\n", output_.c_str());
  }
  return kDone;
}

}  // namespace depscope::app
