#include "open_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "bundle_run.h"
#include "command.h"
#include "depscope/base/diagnostics.h"
#include "depscope/execute/trace_reader.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/deps_json_reader.h"
#include "depscope/replay/deps_json_stream.h"
#include "depscope/replay/file.h"
#include "depscope/replay/run_findings.h"
#include "depscope/runtime/choice_error.h"
#include "depscope/runtime/model.h"
#include "dump_directory.h"
#include "given_options.h"
#include "imported_input.h"
#include "input_description.h"
#include "model_options.h"
#include "program_input.h"
#include "progress.h"
#include "schedule_file.h"

namespace depscope::app {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 20U;

[[noreturn]] void refuse(const std::string& path, std::string message) {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

runtime::EventLevel event_level(EventChoice choice, std::uint64_t tasks) {
  if (choice == EventChoice::Auto) return tasks <= kFullEventsUpTo ? runtime::EventLevel::Full : runtime::EventLevel::Summary;
  return choice == EventChoice::Full ? runtime::EventLevel::Full : runtime::EventLevel::Summary;
}

recording::Recording run_trace(const std::string& path, const RunOptions& options) {
  const SourceFile source = SourceFile::read(path, execute::kMaxTraceBytes);
  recording::Recording recording;
  describe_input(source, recording);
  const runtime::EventLevel events = event_level(options.events, execute::count_trace_tasks(source.text()));
  const runtime::ModelOptions setup =
      model_options(options, ModelInput::Trace, options.profile.value_or(Profile::Seed), events, recording);

  recording::RuntimeRecorder recorder(recording);
  EventProgress progress(recorder);
  runtime::Model model(setup, options.progress ? static_cast<runtime::RuntimeSink&>(progress) : recorder);
  execute::read_trace(source, model, options.durations.get());
  model.finish();
  if (!options.save_schedule.empty()) write_choices(options.save_schedule, model.choices());
  recording.window_misses = static_cast<std::uint32_t>(model.window_misses());
  replay::add_run_findings(recording, recorder.found());
  return recording;
}

/// A directory is read with all that its run left there.
recording::Recording read_deps_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return read_run(path);
  SourceFile source = SourceFile::read(path, replay::kMaxDepsBytes);
  recording::Recording description;
  describe_input(source, description);
  recording::Recording recording = replay::read_deps_json(std::move(source)).recording;
  recording.input_name = std::move(description.input_name);
  recording.input_digest = std::move(description.input_digest);
  recording.input_text = std::move(description.input_text);
  return recording;
}

/// In it, or in a build's own place for it.
bool has_run_output(const std::filesystem::path& directory) {
  return replay::has_run_files(directory.string()) || replay::has_run_files((directory / "dfx_outputs").string());
}

/// Diagnostic output of a run, or a build that has one, without the dumps of its compilation.
bool is_run_output(const std::filesystem::path& directory) {
  std::error_code error;
  if (!has_run_output(directory)) return false;
  if (std::filesystem::exists(directory / "passes_dump", error)) return false;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".py" && entry.path().filename() != "kernel_config.py") return false;
  }
  return true;
}

/// A container that says what it is neither as a recording nor as a bundle: damaged, of something else, or only named like one.
bool like_container(const std::string& path, const std::string& name) {
  constexpr std::string_view kBegin = "PK\3\4";
  std::array<char, kBegin.size()> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return name.ends_with(".zip") || std::string_view(head.data(), head.size()) == kBegin;
}

/// Of text that begins with '{'.
InputKind kind_of_json(const std::string& path, const std::string& name) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  switch (replay::json_content(head)) {
    case replay::JsonContent::Deps: return InputKind::DepsJson;
    case replay::JsonContent::Trace: return InputKind::Trace;
    case replay::JsonContent::Unknown: break;
  }
  return name.ends_with(kDepsName) ? InputKind::DepsJson : InputKind::Trace;  // the reader says what is wrong with it
}

recording::Recording open_bundle(const std::string& path, const RunOptions& options, Depth depth) {
  const replay::Bundle bundle = replay::read_bundle(path);
  const bool recorded = !bundle.recording.empty() && options.given_for_run.empty();
  if (recorded || bundle.run.input.empty()) {
    if (bundle.run.input.empty()) refuse_run_options(path, options, InputKind::RecordingFile);
    return replay::load_bytes(bundle.recording, path + ": recording.depscope");
  }
  const UnpackedRun run(bundle.run, path);
  return run.open(run.options(options.given), depth).recording;
}

Opened opened(const std::string& path, const RunOptions& options, Depth depth) {
  const InputKind kind = kind_of_input(path);
  if (!is_run(kind)) refuse_run_options(path, options, kind);
  switch (kind) {
    case InputKind::Trace: return {run_trace(path, options), kind};
    case InputKind::RecordingFile: return {replay::load(path), kind};
    case InputKind::Bundle: return {open_bundle(path, options, depth), kind};
    case InputKind::DepsJson: return {read_deps_file(path), kind};
    case InputKind::Program: return {run_program_file(path, options, depth).recording, kind};
    case InputKind::Directory: return {run_dump_directory(path, options, depth).recording, kind};
  }
  throw InternalError("an input of no kind");
}

}  // namespace

InputKind kind_of_input(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    refuse(path, fmt::format("cannot open: {}", std::strerror(error ? error.value() : ENOENT)));
  if (std::filesystem::is_directory(status)) return is_run_output(path) ? InputKind::DepsJson : InputKind::Directory;
  // A pipe would be waited for, and can be read only once.
  if (!std::filesystem::is_regular_file(status)) refuse(path, "is neither a file nor a directory");
  switch (replay::container_kind(path)) {
    case replay::ContainerKind::Recording: return InputKind::RecordingFile;
    case replay::ContainerKind::Bundle: return InputKind::Bundle;
    case replay::ContainerKind::None: break;
  }
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.ends_with(".py")) return InputKind::Program;
  if (name.ends_with(".trace.json")) return InputKind::Trace;
  if (name.ends_with(".depscope")) return InputKind::RecordingFile;  // the loader says what is wrong with it
  if (like_container(path, name)) return InputKind::Bundle;          // and here the reader of bundles
  std::ifstream file(path, std::ios::binary);
  char first = '\0';
  if (file >> first && first == '{') return kind_of_json(path, name);
  if (name.ends_with(kDepsName)) return InputKind::DepsJson;
  refuse(path,
         "what kind of input is this? A program (*.py), a submission trace (*.trace.json), a recording (*.depscope), a "
         "bundle, a task graph (deps.json) or a dump directory was expected");
}

RunOptions to_run_again(RunOptions options) {
  options.save_schedule.clear();
  options.dump_passes.clear();
  options.check_invariants = false;
  options.progress = false;
  return options;
}

bool can_stream(InputKind kind, const RunOptions& options) {
  return kind == InputKind::Trace && options.save_schedule.empty() && !options.check_invariants &&
         options.schedule.kind == runtime::ScheduleKind::Canonical;
}

void stream_deps_json(const std::string& path, const RunOptions& options, replay::DepsFaults faults,
                      const replay::TextOutput& output) {
  const SourceFile source = SourceFile::read(path, execute::kMaxTraceBytes);
  recording::Recording effective;  // takes the effective options, which nobody asks for here
  const runtime::ModelOptions setup =
      model_options(options, ModelInput::Trace, options.profile.value_or(Profile::Seed), runtime::EventLevel::Summary, effective);
  replay::DepsJsonStream sink(output, faults);
  runtime::Model model(setup, sink);
  execute::read_trace(source, model, options.durations.get());
  sink.finish();
}

void refuse_run_options(const std::string& path, const RunOptions& options, InputKind kind) {
  if (options.given_for_run.empty()) return;
  throw UsageError(fmt::format("{} says how a program is run, and {} is {}: leave it out, or give the program",
                               options.given_for_run.front(), std::filesystem::path(path).filename().string(),
                               kind == InputKind::DepsJson ? "the task graph of a run" : "the recording of a run"));
}

void refuse_overwriting(std::string_view option, const std::string& output, const std::string& input, const RunOptions& options) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_regular_file(output, ignored)) return;
  const auto is_output = [&](const std::string& path) { return !path.empty() && fs::equivalent(path, output, ignored); };
  std::vector<std::string> read{input};
  if (fs::is_directory(input, ignored)) {
    read = dump_files(input);
    if (has_run_output(input)) {
      const std::vector<std::string> files = run_files(replay::find_runs(input));
      read.insert(read.end(), files.begin(), files.end());
    }
  }
  if (std::any_of(read.begin(), read.end(), is_output))
    throw UsageError(fmt::format("{} {}: would overwrite the input", option, output));
  for (const GivenOption& given : given_options(options.given)) {
    if (is_output(given.path))
      throw UsageError(fmt::format("{} {}: would overwrite the file of {}", option, output, given.option));
  }
}

Opened open_input(const std::string& path, const RunOptions& options, Depth depth) {
  refuse_overwriting("--save-schedule", options.save_schedule, path, options);
  try {
    return opened(path, options, depth);
  } catch (const runtime::ChoiceError& e) {
    if (options.schedule_source == nullptr) throw;
    const SourceFile& source = *options.schedule_source;
    throw InputError(source.diagnostic(Severity::Error, offset_of_choice(source, e.index()), e.diagnostics().front().message));
  }
}

}  // namespace depscope::app
