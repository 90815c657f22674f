// The GLFW window with its OpenGL context and Dear ImGui, and pictures of what it shows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "depscope/viewers/keys.h"

struct GLFWwindow;

namespace depscope::app {

struct WindowOptions {
  int width = 1280, height = 800;  ///< pixels
  bool headless = false;           ///< invisible to the user's input: no callbacks, fixed time step
};

class Window {
 public:
  /// Throws InputError if there is no display or no OpenGL 3.2.
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Dots per inch of the screen divided by 96.
  [[nodiscard]] float content_scale() const;
  /// Creates the OpenGL objects; call after fonts were added.
  void start();
  /// Begins an ImGui frame; input must have been set before when headless. Returns seconds since the last one.
  double begin_frame();
  /// Makes the font texture anew after the theme was installed again; between frames.
  void renew_fonts();
  /// Renders into the back buffer, which write_png reads.
  void render();
  /// Shows what was rendered, unless headless.
  void show();
  void end_frame() {
    render();
    show();
  }
  /// Waits until the graphics card has drawn everything.
  void finish();
  [[nodiscard]] bool close_wanted() const;
  void wait_for_input(double seconds);
  /// Writes what the last render() drew as PNG, whole or not at all. Throws InputError if the file cannot be written, or is no
  /// regular file.
  void write_png(const std::string& path);
  /// Called for every press and repetition of a key.
  std::function<void(const viewers::Key&)> on_key;
  /// Called with the paths of files that were dropped onto the window.
  std::function<void(const std::vector<std::string>&)> on_drop;

 private:
  GLFWwindow* window_ = nullptr;
  bool headless_ = false;
  bool started_ = false;
};

}  // namespace depscope::app
