#include "view_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "given_options.h"
#include "open_input.h"
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
  app.add_option("FILE", files_, "A recording, a bundle, or an input that is run first; two are compared")->expected(0, 2);
  app.add_option("--screenshot", screenshot_, "Draw, write a PNG, end")->option_text("FILE");
  app.add_option("--script", script_, "Run the commands of a file, then end")->option_text("FILE");
  app.add_option("--frames", frames_, "End after N frames")->check(CLI::Range(1, 1000000));
  app.add_option("--bench", bench_, "Measure frames")->option_text("idle|play|scroll|passes|pan-zoom|scrub");
  app.add_option("--panel", panel_, "Panel to bring to the front")->option_text("NAME");
  app.add_option("--size", size_, "Size of the window in pixels, as in 1280x800")->option_text("WxH");
  app.add_option("--scale", scale_, "Size of text and lines: 1 for 96 dots per inch")->option_text("S");
  app.add_option("--ground", ground_, "Colours (default: dark)")->option_text("dark|light");
  app.add_option("--settings", settings_, "What the window remembers its layout in")->option_text("FILE");
  app.add_option("--screenshots", screenshots_, "Where the pictures that F12 takes go")->option_text("DIR");
  app.add_option("--fonts", fonts_, "Where DejaVuSans.ttf is")->option_text("DIR");
  add_run_options(app, texts_);
}

int ViewCommand::run() {
  const RunOptions options = parse(texts_);  // what is wrong with them is said here, before a window opens
  if (options.print_ir || options.print_plan) throw UsageError("--print-ir and --print-plan belong to run: view shows no text");
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
  add("--scale", scale_);
  add("--ground", ground_);
  add("--settings", settings_);
  add("--screenshots", screenshots_);
  add("--fonts", fonts_);
  if (frames_ > 0) add("--frames", std::to_string(frames_));
  for (const std::string& file : files_) {
    const InputKind kind = kind_of_input(file);
    // Of two files the options are for the one that is run.
    const bool other_is_run = std::any_of(files_.begin(), files_.end(), [](const auto& f) { return is_run(kind_of_input(f)); });
    if (!other_is_run) refuse_run_options(file, options, kind);
    arguments.push_back(file.starts_with('-') ? "./" + file : file);
  }
  // The window runs what has to be run itself, so that it can show how far it is.
  std::vector<std::string> words;
  for (const GivenOption& given : given_options(texts_))
    words.push_back(fmt::format("{}={}{}", given.option, given.value, given.path));
  if (!texts_.dump_passes.empty()) words.push_back("--dump-passes=" + texts_.dump_passes);
  if (!texts_.save_schedule.empty()) words.push_back("--save-schedule=" + texts_.save_schedule);
  if (!words.empty()) arguments.emplace_back("--");
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run_program(program, arguments).value_or(kInternalFault);
}

}  // namespace depscope::app
