#include "open_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/execute/trace_reader.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/model.h"

namespace depscope::app {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string message) {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

/// FNV-1a over the bytes, 16 hexadecimal digits.
std::string digest_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

/// Name, digest and, unless it is very large, text of the input.
void describe_input(const SourceFile& source, recording::Recording& recording) {
  recording.input_name = std::filesystem::path(source.name()).filename().string();
  recording.input_digest = digest_of(source.text());
  if (source.text().size() <= kKeptInputBytes) recording.input_text = std::string(source.text());
}

runtime::EventLevel event_level(EventChoice choice, std::uint64_t tasks) {
  if (choice == EventChoice::Auto) return tasks <= kFullEventsUpTo ? runtime::EventLevel::Full : runtime::EventLevel::Summary;
  return choice == EventChoice::Full ? runtime::EventLevel::Full : runtime::EventLevel::Summary;
}

recording::Recording run_trace(const std::string& path, const RunOptions& options) {
  const SourceFile source = SourceFile::read(path, execute::kMaxTraceBytes);
  recording::Recording recording;
  describe_input(source, recording);
  runtime::ModelOptions model_options;
  model_options.platform = options.platform;
  model_options.edges = options.edges;
  model_options.reduction = options.reduction.value_or(runtime::ReductionOptions{.kind = runtime::ReductionKind::None});
  model_options.events = event_level(options.events, execute::count_trace_tasks(source.text()));
  record_options(options, model_options, options.profile.value_or(Profile::Seed), recording);

  recording::RuntimeRecorder recorder(recording);
  runtime::Model model(model_options, recorder);
  execute::read_trace(source, model);
  model.finish();
  recording.window_misses = static_cast<std::uint32_t>(model.window_misses());
  return recording;
}

}  // namespace

InputKind kind_of_input(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse(path, fmt::format("cannot open: {}", std::strerror(error ? error.value() : ENOENT)));
  if (std::filesystem::is_directory(status)) return InputKind::Directory;
  if (replay::is_recording_file(path)) return InputKind::RecordingFile;
  const std::string name = std::filesystem::path(path).filename().string();
  if (name.ends_with(".py")) return InputKind::Program;
  if (name.ends_with(".trace.json")) return InputKind::Trace;
  if (name.ends_with(".depscope")) return InputKind::RecordingFile;  // the loader says what is wrong with it
  std::ifstream file(path, std::ios::binary);
  char first = '\0';
  if (file >> first && first == '{') return InputKind::Trace;
  refuse(path, "what kind of input is this? A program (*.py), a submission trace (*.trace.json), a recording (*.depscope) or a "
               "dump directory was expected");
}

Opened open_input(const std::string& path, const RunOptions& options) {
  const InputKind kind = kind_of_input(path);
  switch (kind) {
    case InputKind::Trace: return {run_trace(path, options), kind};
    case InputKind::RecordingFile: return {replay::load(path), kind};
    case InputKind::Program:
    case InputKind::Directory: break;
  }
  refuse(path, "programs are not built yet");
}

}  // namespace depscope::app
