#include "run_input.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../temporary_directory.h"
#include "../view_program.h"
#include "child_process.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunProgram = "depscope";
constexpr std::string_view kProgress = "progress: ";
constexpr std::size_t kMaxErrorBytes = std::size_t{1} << 20U;

[[noreturn]] void fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError(std::move(diagnostic));
}

/// "pass 3 of 12 Simplify" is a fraction of the work; how many events there will be is not known.
float fraction_of(std::string_view text) {
  constexpr std::string_view kPass = "pass ";
  if (!text.starts_with(kPass)) return -1.0F;
  const char* end = text.data() + text.size();
  int pass = 0;
  int passes = 0;
  const auto [behind, error] = std::from_chars(text.data() + kPass.size(), end, pass);
  constexpr std::string_view kOf = " of ";
  if (error != std::errc() || !std::string_view(behind, static_cast<std::size_t>(end - behind)).starts_with(kOf)) return -1.0F;
  const auto [last, bad] = std::from_chars(behind + kOf.size(), end, passes);
  static_cast<void>(last);
  if (bad != std::errc() || passes < 1) return -1.0F;
  return static_cast<float>(pass - 1) / static_cast<float>(passes);
}

std::unique_ptr<viewers::Document> run(const viewers::LoadRequest& request, viewers::LoadProgress& progress) {
  const auto program = find_program(kRunProgram);
  if (!program)
    fail(fmt::format("{} has to be run first, but the program {} is neither beside this one nor on PATH", request.path,
                     kRunProgram));
  const TemporaryDirectory directory("the recording");
  const fs::path recording = directory.path() / "run.depscope";
  std::vector<std::string> arguments{"run", "--progress", "-o", recording.string()};
  arguments.insert(arguments.end(), request.options.begin(), request.options.end());
  // A name that looks like an option is none.
  arguments.push_back(request.path.starts_with('-') ? "./" + request.path : request.path);
  progress.set("starting", -1.0F);
  std::string said;
  // What it unpacks goes with the directory, even if it is ended before it can take it away itself.
  ChildProcess child(*program, arguments, {{"TMPDIR", directory.path().string()}});
  const int status = child.wait(
      [&](const std::string& line) {
        if (line.starts_with(kProgress)) {
          const std::string_view text = std::string_view(line).substr(kProgress.size());
          progress.set(std::string(text), fraction_of(text));
        } else if (said.size() + line.size() < kMaxErrorBytes) {
          said += line + '\n';
        }
      },
      [&] { return progress.cancelled(); });
  if (progress.cancelled()) return nullptr;
  if (status != 0 || !fs::exists(recording)) {
    if (said.empty()) said = fmt::format("{}: {} run ended with status {} and said nothing", request.path, kRunProgram, status);
    fail(said.substr(0, said.find_last_not_of('\n') + 1));
  }
  progress.set("reading the recording", -1.0F);
  return std::make_unique<viewers::Document>(replay::load(recording.string()), request.path);
}

}  // namespace

std::unique_ptr<viewers::Document> open_anything(const viewers::LoadRequest& request, viewers::LoadProgress& progress) {
  std::error_code error;
  const fs::file_status status = fs::status(request.path, error);
  const bool file = fs::is_regular_file(status);
  const bool directory = fs::is_directory(status);
  // A pipe would be waited for, and a device may never end.
  if (fs::exists(status) && !file && !directory) fail(request.path + ": is neither a file nor a directory");
  const replay::ContainerKind kind = file ? replay::container_kind(request.path) : replay::ContainerKind::None;
  if (kind == replay::ContainerKind::Bundle) {
    const bool recorded = request.options.empty() && !replay::read_bundle(request.path).recording.empty();
    return recorded ? viewers::load_recorded(request, progress) : run(request, progress);
  }
  // What is only called a recording is told so by its reader.
  const bool recording = kind == replay::ContainerKind::Recording || (request.path.ends_with(".depscope") && !directory);
  return recording ? viewers::load_recorded(request, progress) : run(request, progress);
}

}  // namespace depscope::app
