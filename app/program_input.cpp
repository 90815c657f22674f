#include "program_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "depscope/execute/program_runner.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/output_file.h"
#include "depscope/replay/run_findings.h"
#include "depscope/runtime/model.h"
#include "dump_comparison.h"
#include "dump_directory.h"
#include "dump_reader.h"
#include "finding.h"
#include "input_description.h"
#include "model_options.h"
#include "progress.h"
#include "schedule_file.h"
#include "submission_plan.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

void add_diagnostics(recording::Recording& r, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) add_finding(r, input_error(d));
}

/// A text of a directory, up to the start of the run; it takes its place in the list of passes.
class DumpedPass final : public pass::Pass {
 public:
  explicit DumpedPass(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] ir::Program run(const ir::Program& program, const pass::Options&, pass::DecisionSink&) const override {
    return program;
  }

 private:
  std::string name_;
};

/// Writes a passes_dump directory while the passes run (--dump-passes); where the input is one, with its numbers.
class DumpWriter final : public pass::PassObserver {
 public:
  DumpWriter(std::string directory, const Dump* start) : directory_(std::move(directory)) {
    if (start != nullptr) {
      first_ = start->number;
      if (start->pass != "frontend") first_name_ = fmt::format("{}_after_{}.py", start->label(), start->pass);
    }
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) fail(error.message());
  }
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool,
                  const std::vector<Diagnostic>&) override {
    const std::string name = pass == nullptr ? first_name_ : fmt::format("{:02}_after_{}.py", first_ + index, pass->name());
    const std::string path = (std::filesystem::path(directory_) / name).string();
    replay::OutputFile file(path);
    file.write(ir::print_program(program));
    file.commit();
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    Diagnostic d;
    d.file = directory_;
    d.message = "cannot create the directory: " + why;
    throw InputError(std::move(d));
  }
  std::string directory_;
  std::uint32_t first_ = 0;
  std::string first_name_ = "00_frontend.py";
};

/// Hands the passes on behind texts that were recorded before.
class BehindTexts final : public pass::PassObserver {
 public:
  BehindTexts(pass::PassObserver& target, std::uint32_t texts) : target_(target), texts_(texts) {}
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override {
    if (texts_ == 0) {
      target_.after_pass(index, pass, program, changed, diagnostics);
    } else if (pass != nullptr) {  // the input is the last of the texts
      target_.after_pass(index + texts_ - 1, pass, program, changed, diagnostics);
    }
  }

 private:
  pass::PassObserver& target_;
  std::uint32_t texts_;
};

/// False if the run was given up because it has more tasks than `stop_after_tasks`.
bool execute_program(ProgramRun& run, const recording::PassRecorder& passes, const RunOptions& options,
                     const runtime::ModelOptions& model_setup, std::uint64_t stop_after_tasks) {
  recording::RuntimeRecorder recorder(run.recording);
  EventProgress progress(recorder);
  runtime::Model model(model_setup, options.progress ? static_cast<runtime::RuntimeSink&>(progress) : recorder);
  execute::ProgramInput input;
  input.limits.stop_after_tasks = stop_after_tasks;
  input.limits.max_tasks = options.max_tasks;
  input.entry = options.entry;
  input.args = options.args;
  input.data = options.data;
  input.durations = options.durations.get();
  input.moved_scopes = options.scope_moves.any();
  const execute::RunHost host{[&](std::string_view name) { return run.recording.strings.add(name); },
                              [&](ir::StmtId site) { return passes.call_site_of(site); },
                              [&](const execute::TouchedPart& part) {
                                recorder.touched(
                                    part.argument, static_cast<std::uint8_t>((part.reads ? 1 : 0) | (part.writes ? 2 : 0)),
                                    static_cast<std::uint8_t>((part.loads ? 1 : 0) | (part.stores ? 2 : 0)), part.view);
                              }};
  const execute::RunResult result = execute::run_program(run.last, input, host, model);
  if (result.too_long) return false;
  model.finish();
  if (!options.save_schedule.empty()) write_choices(options.save_schedule, model.choices());
  run.recording.window_misses = static_cast<std::uint32_t>(model.window_misses());
  replay::add_run_findings(run.recording, recorder.found());
  for (const execute::RunNotice& n : result.notices) {
    if (n.kind == "runtime_error") continue;               // the model says more of it
    if (is_said(run.recording, n.kind, n.line)) continue;  // by the plan, for all executions
    ordered_json fields;
    if (n.kind == "user_edge_lost") {
      fields["consumer"]["callee"] = n.consumer;
      fields["dep"] = n.name;
      fields["pass"] = "codegen";
    } else {
      fields["what"] = n.name;
    }
    if (n.line != 0) fields["line"] = n.line;
    add_finding(run.recording,
                {n.kind, n.kind == "user_edge_lost" ? Severity::Error : Severity::Warning, n.message, std::move(fields), n.line});
  }
  return true;
}

/// How long a program is shows only when it runs: `--events auto` records everything until there are too many tasks, and then
/// starts again with a summary.
void execute_program(ProgramRun& run, const recording::PassRecorder& passes, const RunOptions& options,
                     runtime::ModelOptions model_setup) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  if (options.events != EventChoice::Auto) {
    execute_program(run, passes, options, model_setup, kNoLimit);
    return;
  }
  recording::Recording before = run.recording;
  if (execute_program(run, passes, options, model_setup, kFullEventsUpTo)) return;
  run.recording = std::move(before);
  recording::Recording& r = run.recording;
  for (std::size_t i = 0; i < r.options.name.size(); ++i) {
    if (r.text(r.options.name[i]) == "events") r.options.value[i] = r.strings.add("summary");
  }
  model_setup.events = runtime::EventLevel::Summary;
  execute_program(run, passes, options, model_setup, kNoLimit);
}

pass::Profile profile_of(const RunOptions& options, Profile fallback) {
  return options.profile.value_or(fallback) == Profile::Seed ? pass::Profile::Seed : pass::Profile::Upstream202608;
}

void check_entry(const ir::Program& program, const RunOptions& options) {
  if (!options.entry_given) return;
  std::string known;
  for (const ir::Function& f : program.functions) {
    const std::string_view name = program.store->text(f.name);
    if (name == options.entry) return;
    if (f.kind == ir::FunctionKind::Orchestration) known += (known.empty() ? "" : ", ") + std::string(name);
  }
  Diagnostic d;
  d.message = fmt::format("--entry {}: no such function (Orchestration functions: {})",
                          options.entry.empty() ? "''" : options.entry, known.empty() ? "none" : known);
  throw InputError(std::move(d));
}

/// A dump directory beside the run of the passes.
struct DumpRun {
  const Dump& start;
  DumpComparison comparison;
  AnalysisChoice analysis;
  std::string stop_after;  ///< --stop-after as the manager understands it
};

/// Passes, execution and recording of a program; `dumps` is null for one that is no dump.
ProgramRun run(const ir::Program& program, DumpRun* dumps, const std::vector<std::string>& pass_names, const RunOptions& options,
               Profile default_profile, Depth depth, recording::Recording recording) {
  check_entry(program, options);
  ProgramRun out;
  out.recording = std::move(recording);
  out.recording.program_name = program.name;
  pass::Options pass_options;
  pass_options.analyze_auto_scopes = options.analyze_auto_scopes;
  pass_options.profile = profile_of(options, default_profile);

  const runtime::EventLevel events =
      options.events == EventChoice::Summary ? runtime::EventLevel::Summary : runtime::EventLevel::Full;
  const runtime::ModelOptions model_setup =
      model_options(options, ModelInput::Program, options.profile.value_or(default_profile), events, out.recording);

  recording::PassRecorder recorder(out.recording);
  std::uint32_t texts = 0;
  if (dumps != nullptr) {
    dumps->comparison.read_to_start(program, [&](const Dump& dump, const ir::Program& text, bool changed) {
      const DumpedPass dumped(dump.pass);
      recorder.after_pass(texts++, &dumped, text, changed, {});
    });
  }
  pass::PassManager manager(pass_names, pass_options);
  const std::string& stop_after = dumps != nullptr ? dumps->stop_after : options.stop_after;
  if (options.stop_after_given) manager.stop_after(stop_after);
  BehindTexts behind(recorder, texts);
  manager.add_observer(behind);
  if (dumps != nullptr) manager.add_observer(dumps->comparison);
  PassProgress progress(pass_names);
  if (options.progress) manager.add_observer(progress);
  std::unique_ptr<DumpWriter> writer;
  if (!options.dump_passes.empty()) {
    writer = std::make_unique<DumpWriter>(options.dump_passes, dumps != nullptr ? &dumps->start : nullptr);
    manager.add_observer(*writer);
  }
  out.last = manager.run(program, recorder);
  recorder.finish(out.last);
  if (dumps != nullptr) {
    dumps->comparison.finish();
    for (const Finding& f : dumps->comparison.findings(dumps->analysis)) add_finding(out.recording, f);
  }
  if (ready_to_lower(out.recording)) {
    out.plan = lower::lower_program(out.last, {pass_options.profile, options.entry, !options.print_plan});
    add_plan_findings(out.recording, out.last, *out.plan, depth);
  }
  if (depth == Depth::Run) execute_program(out, recorder, options, model_setup);
  return out;
}

}  // namespace

ProgramRun run_program_file(const std::string& path, const RunOptions& options, Depth depth) {
  const ir::ReadResult read = ir::read_file(path);
  const ir::Program& program = select_program(read.programs, options.program, path);
  recording::Recording recording;
  describe_input(*program.source, recording);
  add_diagnostics(recording, read.diagnostics);
  if (read.programs.size() > 1 && options.program.empty()) {
    std::string others;
    for (const ir::Program& p : read.programs) others += (others.empty() ? "" : ", ") + p.name;
    add_finding(recording, {.kind = "other_programs",
                            .summary = fmt::format("the file holds {} programs ({}): '{}' was run; choose with --program",
                                                   read.programs.size(), others, program.name)});
  }
  std::vector<std::string> names = options.passes ? *options.passes : pass::default_passes(program);
  return run(program, nullptr, names, options, Profile::Seed, depth, std::move(recording));
}

ProgramRun run_dump_directory(const std::string& path, const RunOptions& given, Depth depth) {
  const DumpDirectory directory = read_dump_directory(path);
  std::error_code error;
  if (!given.dump_passes.empty() && std::filesystem::equivalent(given.dump_passes, directory.path, error)) {
    Diagnostic d;
    d.file = given.dump_passes;
    d.message = "--dump-passes: this is the input, its dumps would be overwritten";
    throw InputError(std::move(d));
  }
  const Dump& start = directory.dumps[directory.start];
  const ReadDump read = DumpReader(given.program).read(start);
  recording::Recording recording;
  describe_input(*read.program.source, recording);
  add_diagnostics(recording, directory.warnings);
  add_diagnostics(recording, read.warnings);

  RunOptions options = given;
  std::vector<std::string> names =
      options.passes ? *options.passes : passes_after_start(directory, pass::default_passes(read.program));
  pass::Options pass_options;
  pass_options.profile = profile_of(options, Profile::Upstream2026_08);
  AnalysisChoice analysis = choose_analysis(directory, names, pass_options, options.program);
  if (options.analyze_auto_scopes_given || options.analyze_auto_scopes) {
    const bool other = analysis.from_dumps && analysis.on != options.analyze_auto_scopes;
    analysis.reason = other ? fmt::format("given; with it {} {}", analysis.on ? "on" : "off", analysis.reason) : "given";
    analysis.on = options.analyze_auto_scopes;
  }
  options.analyze_auto_scopes = pass_options.analyze_auto_scopes = analysis.on;
  // The Simplify behind DeriveCallDirections is the second of the pipeline, though the first that runs here.
  std::string stop_after = options.stop_after;
  if (!options.passes && stop_after == "Simplify#2") stop_after = "Simplify";
  DumpRun dumps{start, DumpComparison(directory, names, pass_options, options.program), std::move(analysis),
                std::move(stop_after)};
  return run(read.program, &dumps, names, options, Profile::Upstream2026_08, depth, std::move(recording));
}

}  // namespace depscope::app
