#include "window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "depscope/replay/output_file.h"
#include "png.h"

namespace depscope::app {
namespace {

[[noreturn]] void fail(std::string message, std::string file = {}) {
  Diagnostic diagnostic;
  diagnostic.file = std::move(file);
  diagnostic.message = std::move(message);
  throw InputError(std::move(diagnostic));
}

std::string glfw_problem() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description == nullptr ? "unknown reason" : description;
}

}  // namespace

Window::Window(const WindowOptions& options) : headless_(options.headless) {
  if (glfwInit() == GLFW_FALSE) {
    fail(
        fmt::format("cannot open a window: no display ({}). Set DISPLAY, or run under a virtual one: xvfb-run -a depscope-view …",
                    glfw_problem()));
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, headless_ ? GLFW_FALSE : GLFW_TRUE);
  window_ = glfwCreateWindow(options.width, options.height, "DepScope", nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string problem = glfw_problem();
    glfwTerminate();
    fail(fmt::format("cannot open a window with OpenGL 3.2: {}", problem));
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(headless_ ? 0 : 1);
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  if (headless_) {
    io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    io.MousePos = {-1.0F, -1.0F};
  }
  glfwSetWindowUserPointer(window_, this);
  if (!headless_) {  // before Dear ImGui's own, which passes the keys on
    glfwSetKeyCallback(window_, [](GLFWwindow* window, int code, int, int action, int mods) {
      const auto* self = static_cast<Window*>(glfwGetWindowUserPointer(window));
      if (action == GLFW_RELEASE || code < 0 || !self->on_key) return;
      self->on_key({code, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_ALT) != 0});
    });
  }
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    const auto* self = static_cast<Window*>(glfwGetWindowUserPointer(window));
    if (count > 0 && self->on_drop) self->on_drop(std::vector<std::string>(paths, paths + count));
  });
}

Window::~Window() {
  if (started_) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

float Window::content_scale() const {
  float x = 1.0F;
  float y = 1.0F;
  glfwGetWindowContentScale(window_, &x, &y);
  return x > y ? x : y;
}

void Window::start() {
  ImGui_ImplGlfw_InitForOpenGL(window_, !headless_);
  ImGui_ImplOpenGL3_Init("#version 150");
  ImGui_ImplOpenGL3_NewFrame();  // makes the font atlas
  started_ = true;
}

double Window::begin_frame() {
  glfwPollEvents();
  ImGui_ImplOpenGL3_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  if (headless_) {
    io.DeltaTime = 1.0F / 60.0F;
  } else {
    ImGui_ImplGlfw_NewFrame();
  }
  ImGui::NewFrame();
  return static_cast<double>(io.DeltaTime);
}

void Window::renew_fonts() {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
}

void Window::render() {
  ImGui::Render();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(0.09F, 0.10F, 0.12F, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Window::show() {
  if (!headless_) glfwSwapBuffers(window_);
}

void Window::finish() { glFinish(); }

bool Window::close_wanted() const { return glfwWindowShouldClose(window_) != GLFW_FALSE; }

void Window::wait_for_input(double seconds) { glfwWaitEventsTimeout(seconds); }

void Window::write_png(const std::string& path) {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  const std::size_t row = static_cast<std::size_t>(width) * 3;
  std::vector<unsigned char> pixels(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  // OpenGL's first row is the lowest.
  std::vector<unsigned char> upright(pixels.size());
  for (int y = 0; y < height; ++y) {
    const auto from = static_cast<std::ptrdiff_t>(row) * (height - 1 - y);
    std::copy_n(pixels.begin() + from, row, upright.begin() + static_cast<std::ptrdiff_t>(row) * y);
  }
  const std::string bytes = png_of(upright.data(), static_cast<std::size_t>(width), static_cast<std::size_t>(height));
  if (bytes.empty()) fail("cannot encode the picture", path);
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("cannot write the picture: not a regular file", path);
  try {
    replay::OutputFile file(path);
    file.write(bytes);
    file.commit();
  } catch (const replay::FileError& problem) {
    fail(fmt::format("cannot write the picture: {}", problem.what()));
  }
}

}  // namespace depscope::app
