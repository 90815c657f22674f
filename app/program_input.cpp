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
#include "depscope/recording/findings.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/output_file.h"
#include "depscope/runtime/model.h"
#include "dump_directory.h"
#include "input_description.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

void add_finding(recording::Recording& r, std::string_view kind, Severity severity, const std::string& summary,
                 std::uint32_t line, const ordered_json& fields) {
  recording::add_finding(r, kind, severity, summary, fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace), line);
}

void add_diagnostics(recording::Recording& r, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    ordered_json fields;
    fields["file"] = std::filesystem::path(d.file).filename().string();
    if (d.line != 0) {
      fields["line"] = d.line;
      fields["column"] = d.column;
    }
    add_finding(r, "input_error", d.severity, d.message, d.line, fields);
  }
}

const ir::Program& select_program(const std::vector<ir::Program>& programs, const std::string& name, const std::string& path) {
  if (name.empty()) return programs.front();
  std::string known;
  for (const ir::Program& p : programs) {
    if (p.name == name) return p;
    known += (known.empty() ? "" : ", ") + p.name;
  }
  Diagnostic d;
  d.file = path;
  d.message = fmt::format("--program {}: no such program in this file (it has {})", name, known);
  throw InputError(std::move(d));
}

/// A text of the directory that lies before the start of the run; it takes its place in the list of passes.
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

/// Writes a passes_dump directory while the passes run (--dump-passes).
class DumpWriter final : public pass::PassObserver {
 public:
  explicit DumpWriter(std::string directory) : directory_(std::move(directory)) {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) fail(error.message());
  }
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool,
                  const std::vector<Diagnostic>&) override {
    const std::string name = pass == nullptr ? "00_frontend.py" : fmt::format("{:02}_after_{}.py", index, pass->name());
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
};

/// Shifts the numbers of the passes behind texts that were recorded before.
class OffsetObserver final : public pass::PassObserver {
 public:
  OffsetObserver(pass::PassObserver& target, std::uint32_t offset) : target_(target), offset_(offset) {}
  void after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                  const std::vector<Diagnostic>& diagnostics) override {
    if (pass == nullptr && offset_ != 0) return;  // the start text is already there
    target_.after_pass(index + offset_, pass, program, changed, diagnostics);
  }

 private:
  pass::PassObserver& target_;
  std::uint32_t offset_;
};

/// False if the run was given up because it has more tasks than `stop_after_tasks`.
bool execute_program(ProgramRun& run, const recording::PassRecorder& passes, const RunOptions& options,
                     const runtime::ModelOptions& model_options, std::uint64_t stop_after_tasks) {
  recording::RuntimeRecorder recorder(run.recording);
  runtime::Model model(model_options, recorder);
  execute::ProgramInput input;
  input.limits.stop_after_tasks = stop_after_tasks;
  input.entry = options.entry;
  input.args = options.args;
  input.data = options.data;
  const execute::RunHost host{[&](std::string_view name) { return run.recording.strings.add(name); },
                              [&](ir::StmtId site) { return passes.call_site_of(site); }};
  const execute::RunResult result = execute::run_program(run.last, input, host, model);
  if (result.too_long) return false;
  model.finish();
  run.recording.window_misses = static_cast<std::uint32_t>(model.window_misses());
  for (const execute::RunNotice& n : result.notices) {
    ordered_json fields;
    if (n.kind == "user_edge_lost") {
      fields["consumer"] = n.consumer;
      fields["dep"] = n.name;
      fields["pass"] = "codegen";
    } else {
      fields["what"] = n.name;
    }
    if (n.line != 0) fields["line"] = n.line;
    add_finding(run.recording, n.kind, n.kind == "user_edge_lost" ? Severity::Error : Severity::Warning, n.message, n.line,
                fields);
  }
  return true;
}

/// How long a program is shows only when it runs: `--events auto` records everything until there are too many tasks, and then
/// starts again with a summary.
void execute_program(ProgramRun& run, const recording::PassRecorder& passes, const RunOptions& options,
                     runtime::ModelOptions model_options) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  if (options.events != EventChoice::Auto) {
    execute_program(run, passes, options, model_options, kNoLimit);
    return;
  }
  recording::Recording before = run.recording;
  if (execute_program(run, passes, options, model_options, kFullEventsUpTo)) return;
  run.recording = std::move(before);
  recording::Recording& r = run.recording;
  for (std::size_t i = 0; i < r.options.name.size(); ++i) {
    if (r.text(r.options.name[i]) == "events") r.options.value[i] = r.strings.add("summary");
  }
  model_options.events = runtime::EventLevel::Summary;
  execute_program(run, passes, options, model_options, kNoLimit);
}

pass::Profile profile_of(const RunOptions& options, Profile fallback) {
  return options.profile.value_or(fallback) == Profile::Seed ? pass::Profile::Seed : pass::Profile::Upstream202608;
}

/// Passes, execution and recording of a program; `earlier` are texts that stand before it.
struct Earlier {
  std::string pass;
  ir::Program program;
};

ProgramRun run(const ir::Program& program, const std::vector<Earlier>& earlier, const std::string& start_pass,
               const std::vector<std::string>& pass_names, const RunOptions& options, Profile default_profile, Depth depth,
               recording::Recording recording) {
  ProgramRun out;
  out.recording = std::move(recording);
  out.recording.program_name = program.name;
  pass::Options pass_options;
  pass_options.analyze_auto_scopes = options.analyze_auto_scopes;
  pass_options.profile = profile_of(options, default_profile);

  runtime::ModelOptions model_options;
  model_options.platform = options.platform;
  model_options.edges = options.edges;
  model_options.reduction =
      options.reduction.value_or(runtime::ReductionOptions{.kind = runtime::ReductionKind::Bitmap, .window = 64});
  model_options.events = options.events == EventChoice::Summary ? runtime::EventLevel::Summary : runtime::EventLevel::Full;
  record_options(options, model_options, options.profile.value_or(default_profile), out.recording);

  recording::PassRecorder recorder(out.recording);
  std::uint32_t offset = 0;
  std::string before;
  for (const Earlier& e : earlier) {
    const std::string text = ir::print_program(e.program);
    const DumpedPass dumped(e.pass);
    recorder.after_pass(offset, offset == 0 ? nullptr : &dumped, e.program, offset != 0 && text != before, {});
    before = text;
    ++offset;
  }
  if (!earlier.empty()) {
    const DumpedPass dumped(start_pass);
    recorder.after_pass(offset, &dumped, program, ir::print_program(program) != before, {});
  }
  pass::PassManager manager(pass_names, pass_options);
  if (!options.stop_after.empty()) manager.stop_after(options.stop_after);
  OffsetObserver shifted(recorder, offset);
  manager.add_observer(shifted);
  std::unique_ptr<DumpWriter> dumps;
  if (!options.dump_passes.empty()) {
    dumps = std::make_unique<DumpWriter>(options.dump_passes);
    manager.add_observer(*dumps);
  }
  out.last = manager.run(program, recorder);
  recorder.finish(out.last);
  if (depth == Depth::Run) execute_program(out, recorder, options, model_options);
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
    add_finding(recording, "other_programs", Severity::Info,
                fmt::format("the file holds {} programs ({}): '{}' was run; choose with --program", read.programs.size(), others,
                            program.name),
                0, ordered_json::object());
  }
  std::vector<std::string> names = options.passes ? *options.passes : pass::default_passes(program);
  return run(program, {}, "", names, options, Profile::Seed, depth, std::move(recording));
}

ProgramRun run_dump_directory(const std::string& path, const RunOptions& options, Depth depth) {
  const DumpDirectory directory = read_dump_directory(path);
  // One text at a time: each has nodes of its own, and only those up to the start are needed.
  std::vector<Earlier> earlier;
  for (std::size_t i = 0; i < directory.start; ++i) {
    const ir::ReadResult read = ir::read_file(directory.dumps[i].path);
    earlier.push_back({directory.dumps[i].pass, select_program(read.programs, options.program, directory.dumps[i].path)});
  }
  const Dump& start = directory.dumps[directory.start];
  const ir::ReadResult read = ir::read_file(start.path);
  const ir::Program& program = select_program(read.programs, options.program, start.path);
  recording::Recording recording;
  describe_input(*program.source, recording);
  recording.input_name = std::filesystem::path(start.path).filename().string();
  add_diagnostics(recording, directory.warnings);
  add_diagnostics(recording, read.diagnostics);
  std::vector<std::string> names;
  if (options.passes) {
    names = *options.passes;
  } else {
    names = pass::default_passes(program);
    const auto derive = std::find(names.begin(), names.end(), "DeriveCallDirections");
    names.erase(names.begin(), derive);
  }
  return run(program, earlier, start.pass, names, options, Profile::Upstream2026_08, depth, std::move(recording));
}

}  // namespace depscope::app
