// depscope-view: the window.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "depscope/viewers/script.h"
#include "depscope/viewers/settings_file.h"
#include "depscope/viewers/shell.h"
#include "picture_name.h"
#include "run_input.h"
#include "script_runner.h"
#include "view_options.h"
#include "window.h"

namespace depscope::app {

namespace colour = viewers::colour;

namespace {

constexpr int kExitExpectation = 1;
constexpr int kExitInput = 2;
constexpr int kExitInternal = 3;
constexpr int kExitSignal = 128;
constexpr int kFramesForScreenshot = 4;  // sizes settle in the first ones
constexpr int kFramesForBench = 200;
constexpr std::uint64_t kMaxScriptBytes = 1U << 20U;

void complain(std::string_view message) { fmt::print(stderr, "depscope: error: {}\n", message); }

/// What the shell asks of the program around it, before and after a frame.
class Host {
 public:
  Host(const ViewOptions& options, Window& window, viewers::Shell& shell, float scale)
      : options_(options), window_(window), shell_(shell), scale_(scale) {}

  std::function<void()> fonts_renewed;

  void frame() {
    if (const auto scale = shell_.take_wanted_scale()) {
      shell_.use_theme(viewers::install_theme(
          {.scale = *scale > 0.0F ? *scale : scale_, .ground = viewers::colour::ground(), .font_directory = options_.fonts}));
      window_.renew_fonts();
      if (fonts_renewed) fonts_renewed();
    }
    const double seconds = window_.begin_frame();
    shell_.draw(seconds);
    window_.render();
    shell_.after_frame();
    if (shell_.take_wanted_picture()) take_picture();
    window_.show();
  }

 private:
  void take_picture() {
    try {
      const std::string path = next_picture_name(options_.screenshots);
      window_.write_png(path);
      shell_.context().status = fmt::format("the picture is in {}", path);
    } catch (const InputError& problem) {
      shell_.context().status = problem.diagnostics().front().headline();
    }
  }

  const ViewOptions& options_;
  Window& window_;
  viewers::Shell& shell_;
  float scale_;  // at first
};

volatile std::sig_atomic_t end_wanted = 0;  // the number of the signal

/// Ended from outside: nothing of a run that is going on stays behind.
constexpr std::array kCaught{SIGINT, SIGTERM, SIGHUP};

void catch_signals() {
  for (const int signal : kCaught) {
    const auto before = std::signal(signal, [](int number) {
      end_wanted = number;
      std::signal(number, SIG_DFL);  // a second one ends it at once
    });
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup asks for
  }
}

/// Frames of a script or a fixed number of frames; the same on every machine.
int run_headless(const ViewOptions& options, Window& window, viewers::Shell& shell, Host& host) {
  if (end_wanted != 0) return 0;
  if (!options.bench.empty()) {
    for (const int signal : kCaught) std::signal(signal, SIG_DFL);
    run_bench(options.bench, options.frames > 0 ? options.frames : kFramesForBench, window, shell);
    return 0;
  }
  std::optional<ScriptRunner> script;
  if (!options.script.empty()) {
    const SourceFile source = SourceFile::read(options.script, kMaxScriptBytes);
    script.emplace(options.script, viewers::parse_script(options.script, source.text()), shell,
                   [&](const std::string& path) { window.write_png(path); });
    host.fonts_renewed = [&] { script->forget_fonts(); };
  }
  const int frames = options.frames > 0 ? options.frames : script ? 0 : kFramesForScreenshot;
  for (int frame = 0; frames == 0 || frame < frames; ++frame) {
    if (script && !script->before_frame()) break;
    host.frame();
    if (script) script->after_frame();
    // A file opened by the script is there in the next frame, unless the script looks on.
    if (!script || !script->opens_meanwhile()) shell.wait_until_open([] { return end_wanted != 0; });
    if (shell.quit_wanted() || end_wanted != 0) break;
  }
  if (!options.screenshot.empty() && end_wanted == 0) window.write_png(options.screenshot);
  host.fonts_renewed = nullptr;
  if (script && !script->failure().empty()) {
    complain(script->failure());
    return kExitExpectation;
  }
  return 0;
}

int run_window(Window& window, viewers::Shell& shell, Host& host, viewers::SettingsFile& settings) {
  constexpr double kIdleSeconds = 0.25;
  constexpr int kFramesBetweenSaves = 30;
  int lively = 0;  // frames still to be drawn at full speed after something happened
  int frames = 0;
  window.on_key = [&](const viewers::Key& key) { shell.context().actions.press(key); };
  window.on_drop = [&](const std::vector<std::string>& paths) { shell.drop(paths); };
  while (!window.close_wanted() && !shell.quit_wanted() && end_wanted == 0) {
    const bool moving = shell.context().transport.playing() || shell.context().transport.running() || shell.loading();
    if (!moving && lively == 0) {
      window.wait_for_input(kIdleSeconds);
      lively = 3;
    }
    if (lively > 0) --lively;
    host.frame();
    if (++frames % kFramesBetweenSaves == 0 && !settings.save(shell.settings())) shell.context().status = settings.problem();
  }
  return 0;
}

colour::Ground ground_of(const ViewOptions& options, const viewers::Settings& settings) {
  const std::string name = options.ground.empty() ? settings.text("window.ground", "dark") : options.ground;
  return name == "light" ? colour::Ground::Light : colour::Ground::Dark;
}

int run(const std::vector<std::string>& arguments) {
  ViewOptions options = parse_view_options(arguments);
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
  const bool own = options.settings.empty();
  viewers::SettingsFile file(!own ? options.settings : options.headless() ? std::string() : viewers::default_settings_path());
  const viewers::Settings& settings = file.settings();
  if (!options.size_given) {
    options.width = static_cast<int>(settings.number("window.width", options.width, kMinWindowSize, kMaxWindowSize));
    options.height = static_cast<int>(settings.number("window.height", options.height, kMinWindowSize, kMaxWindowSize));
  }
  Window window({options.width, options.height, options.headless()});
  const float first = options.scale > 0.0F ? options.scale : options.headless() ? 1.0F : window.content_scale();
  const auto kept = static_cast<float>(settings.number("window.scale", 0.0, 0.0, 8.0));
  const float scale = options.scale > 0.0F || kept < 0.5F ? first : kept;
  viewers::Shell shell(
      viewers::install_theme({.scale = scale, .ground = ground_of(options, settings), .font_directory = options.fonts}),
      open_anything);
  shell.restore(settings);
  window.start();
  catch_signals();
  if (!options.panel.empty() && !shell.show_panel(options.panel)) {
    complain(fmt::format("no panel '{}'; there are {}", options.panel, shell.panel_names()));
    return kExitInput;
  }
  file.begin(shell.settings());
  if (!file.problem().empty()) shell.context().status = file.problem();
  shell.set_run_options(options.run_options);
  if (!options.files.empty()) shell.open(viewers::LoadRequest{options.files[0], options.run_options});
  if (options.files.size() > 1) shell.open_for_comparison({options.files[1], options.run_options});
  Host host(options, window, shell, first);
  int status = 0;
  if (options.headless()) {
    if (const std::string error = shell.wait_until_open([] { return end_wanted != 0; }); !error.empty()) {
      complain(error);
      return kExitInput;
    }
    if (!file.problem().empty()) shell.context().status = file.problem();
    status = run_headless(options, window, shell, host);
    // Not what was asked for: whoever waits for it is told.
    if (end_wanted != 0) status = kExitSignal + end_wanted;
  } else {
    status = run_window(window, shell, host, file);
  }
  if (!file.save(shell.settings())) complain(file.problem());
  return status;
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
  } catch (const replay::FileError& error) {
    app::complain(error.what());
    return app::kExitInput;
  } catch (const std::exception& error) {
    app::complain(fmt::format("internal fault: {}", error.what()));
    return app::kExitInternal;
  }
}
