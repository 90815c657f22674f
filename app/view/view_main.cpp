// depscope-view: the window.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench.h"
#include "depscope/base/diagnostics.h"
#include "depscope/viewers/script.h"
#include "depscope/viewers/shell.h"
#include "script_runner.h"
#include "view_options.h"
#include "window.h"

namespace depscope::app {
namespace {

constexpr int kExitExpectation = 1;
constexpr int kExitInput = 2;
constexpr int kExitInternal = 3;
constexpr int kFramesForScreenshot = 4;  // sizes settle in the first ones
constexpr int kFramesForBench = 200;
constexpr std::uint64_t kMaxScriptBytes = 1U << 20U;

void complain(std::string_view message) { fmt::print(stderr, "depscope: error: {}\n", message); }

/// Frames of a script or a fixed number of frames; the same on every machine.
int run_headless(const ViewOptions& options, Window& window, viewers::Shell& shell) {
  if (!options.bench.empty()) {
    run_bench(options.bench, options.frames > 0 ? options.frames : kFramesForBench, window, shell);
    return 0;
  }
  std::optional<ScriptRunner> script;
  if (!options.script.empty()) {
    const SourceFile source = SourceFile::read(options.script, kMaxScriptBytes);
    script.emplace(options.script, viewers::parse_script(options.script, source.text()), shell,
                   [&](const std::string& path) { window.write_png(path); });
  }
  const int frames = options.frames > 0 ? options.frames : script ? 0 : kFramesForScreenshot;
  for (int frame = 0; frames == 0 || frame < frames; ++frame) {
    if (script && !script->before_frame()) break;
    const double seconds = window.begin_frame();
    shell.draw(seconds);
    window.end_frame();
    if (script) script->after_frame();
    shell.wait_until_open();  // a file opened by the script is there in the next frame
    if (shell.quit_wanted()) break;
  }
  if (!options.screenshot.empty()) window.write_png(options.screenshot);
  if (script && !script->failure().empty()) {
    complain(script->failure());
    return kExitExpectation;
  }
  return 0;
}

int run_window(Window& window, viewers::Shell& shell) {
  constexpr double kIdleSeconds = 0.25;
  int lively = 0;  // frames still to be drawn at full speed after something happened
  window.on_key = [&](const viewers::Key& key) { shell.context().actions.press(key); };
  window.on_drop = [&](const std::string& path) { shell.open(path); };
  while (!window.close_wanted() && !shell.quit_wanted()) {
    const bool moving = shell.context().transport.playing() || shell.loading();
    if (!moving && lively == 0) {
      window.wait_for_input(kIdleSeconds);
      lively = 3;
    }
    if (lively > 0) --lively;
    const double seconds = window.begin_frame();
    shell.draw(seconds);
    window.end_frame();
  }
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const ViewOptions options = parse_view_options(arguments);
  if (options.help) {
    std::fputs(view_usage(), stdout);
    return 0;
  }
  if (options.version) {
    std::puts("depscope-view " DEPSCOPE_VERSION);
    return 0;
  }
  if (!options.bench.empty() && !is_bench(options.bench)) {
    complain(fmt::format("no bench '{}'; there are {}", options.bench, kBenchNames));
    return kExitInput;
  }
  Window window({options.width, options.height, options.headless()});
  const float scale = options.scale > 0.0F ? options.scale : options.headless() ? 1.0F : window.content_scale();
  viewers::Shell shell(viewers::install_theme({scale, options.fonts}));
  window.start();
  if (!options.panel.empty() && !shell.show_panel(options.panel)) {
    complain(fmt::format("no panel '{}'; there are {}", options.panel, shell.panel_names()));
    return kExitInput;
  }
  if (!options.file.empty()) shell.open(options.file);
  if (!options.headless()) return run_window(window, shell);
  if (const std::string error = shell.wait_until_open(); !error.empty()) {
    complain(error);
    return kExitInput;
  }
  return run_headless(options, window, shell);
}

}  // namespace
}  // namespace depscope::app

int main(int argc, char** argv) {
  using namespace depscope;
  try {
    return app::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const InputError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics())
      app::complain(diagnostic.file.empty() ? diagnostic.message : diagnostic.headline());
    return app::kExitInput;
  } catch (const std::exception& error) {
    app::complain(fmt::format("internal fault: {}", error.what()));
    return app::kExitInternal;
  }
}
