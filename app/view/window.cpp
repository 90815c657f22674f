#include "window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <stb_image_write.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"

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

void append_bytes(void* context, void* data, int size) {
  auto& bytes = *static_cast<std::vector<char>*>(context);
  bytes.insert(bytes.end(), static_cast<char*>(data), static_cast<char*>(data) + size);
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
    if (count > 0 && self->on_drop) self->on_drop(paths[0]);
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

void Window::end_frame() {
  ImGui::Render();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(0.09F, 0.10F, 0.12F, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  // Headless frames stay in the back buffer, where write_png reads them.
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
  std::vector<char> bytes;
  if (stbi_write_png_to_func(append_bytes, &bytes, width, height, 3, upright.data(), static_cast<int>(row)) == 0) {
    fail("cannot encode the picture", path);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0) {
    fail("cannot write the picture", path);
  }
}

}  // namespace depscope::app
