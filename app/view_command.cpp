#include "view_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "open_input.h"
#include "temporary_directory.h"
#include "view_program.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

fs::path view_program() {
  if (const auto found = find_program(kViewProgram)) return *found;
  Diagnostic diagnostic;
  diagnostic.message = fmt::format(
      "the window is not installed: no {} beside depscope and none on PATH. Every other command works without it; to "
      "build it, configure with -DDEPSCOPE_VIEW=ON.",
      kViewProgram);
  throw InputError(std::move(diagnostic));
}

}  // namespace

void ViewCommand::add_options(CLI::App& app) {
  app.add_option("FILE", file_, "A recording, a bundle, or an input that is run first");
  app.add_option("--screenshot", screenshot_, "Draw, write a PNG, end");
  app.add_option("--script", script_, "Run the commands of a file, then end");
  app.add_option("--frames", frames_, "End after N frames")->check(CLI::Range(1, 1000000));
  app.add_option("--bench", bench_, "Measure frames: idle, play, scroll, passes");
  app.add_option("--panel", panel_, "Panel to bring to the front");
  app.add_option("--size", size_, "Size of the window in pixels, as in 1280x800");
  add_run_options(app, texts_);
}

int ViewCommand::run() {
  const RunOptions options = parse(texts_);
  const fs::path program = view_program();
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("{}={}", option, value));
  };
  add("--screenshot", screenshot_);
  add("--script", script_);
  add("--bench", bench_);
  add("--panel", panel_);
  add("--size", size_);
  if (frames_ > 0) add("--frames", std::to_string(frames_));
  if (file_.empty()) return run_program(program, arguments).value_or(kInternalFault);
  arguments.emplace_back("--");
  if (kind_of_input(file_) == InputKind::RecordingFile) {
    arguments.push_back(file_);
    return run_program(program, arguments).value_or(kInternalFault);
  }
  const Opened opened = open_input(file_, options);
  const TemporaryDirectory directory("the recording");
  const fs::path recording = directory.path() / (fs::path(file_).filename().string() + ".depscope");
  replay::save(opened.recording, recording.string());
  arguments.push_back(recording.string());
  return run_program(program, arguments).value_or(kInternalFault);
}

}  // namespace depscope::app
