// Command line of depscope-view.
#pragma once

#include <string>
#include <vector>

namespace depscope::app {

/// Sides of the window in pixels.
inline constexpr int kMinWindowSize = 320;
inline constexpr int kMaxWindowSize = 16384;

struct ViewOptions {
  std::vector<std::string> files;        ///< to open: none, one, or two to compare
  std::vector<std::string> run_options;  ///< behind `--`: for `depscope run`, where something is run first
  std::string screenshot;                ///< PNG to write after the last frame, empty if none
  std::string script;                    ///< commands to run, empty if none
  std::string bench;                     ///< what to measure, empty if nothing
  std::string panel;                     ///< panel to bring to the front
  std::string fonts;                     ///< directory of the DejaVu fonts
  int frames = 0;                        ///< frames to draw, 0 = until closed (or until the script ends)
  int width = 1280, height = 800;
  bool size_given = false;
  float scale = 0.0F;       ///< 0 = what the screen asks for
  std::string ground;       ///< "dark", "light", empty if not given
  std::string settings;     ///< file of settings; empty: the user's own, none when headless
  std::string screenshots;  ///< directory of the pictures of F12, empty: the working directory
  bool help = false, version = false;

  /// No user sits in front of it: time runs in fixed steps and bad input ends the program.
  [[nodiscard]] bool headless() const { return !screenshot.empty() || !script.empty() || !bench.empty() || frames > 0; }
};

/// Throws InputError that says what is wrong with the arguments (program name left out).
[[nodiscard]] ViewOptions parse_view_options(const std::vector<std::string>& arguments);
[[nodiscard]] const char* view_usage();

}  // namespace depscope::app
