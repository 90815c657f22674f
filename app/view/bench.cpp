#include "bench.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string_view>
#include <vector>

#include "depscope/viewers/frame_text.h"

namespace depscope::app {
namespace {

constexpr std::array<std::string_view, 6> kNames{"idle", "play", "scroll", "passes", "pan-zoom", "scrub"};
constexpr std::array<std::string_view, 3> kDrawings{"Graph", "Timeline", "Memory"};
constexpr int kWarmUp = 10;
constexpr std::uint32_t kEventsPerFrame = 997;

using Clock = std::chrono::steady_clock;
double milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

/// Processor time of this thread: what others do on the machine does not count.
double busy_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

std::string quantiles(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return fmt::format("median {:.2f} ms, 95 % {:.2f} ms, most {:.2f} ms", times[times.size() / 2], times[times.size() * 95 / 100],
                     times.back());
}

/// Zooms in to the pointer and out again while the pointer wanders over the drawing and drags it; the same every time.
void pan_and_zoom(int frame) {
  ImGuiIO& io = ImGui::GetIO();
  const float width = io.DisplaySize.x;
  const float height = io.DisplaySize.y;
  const int phase = frame % 60;
  const auto part = static_cast<float>(phase) / 60.0F;
  io.MousePos = {width * (0.1F + 0.45F * part), height * (0.25F + 0.2F * part)};
  io.MouseWheel = phase < 20 ? 1.0F : phase < 40 ? 0.0F : -1.0F;
  io.MouseDown[0] = phase >= 22 && phase < 38;
  const int key = phase < 50 ? 0 : phase < 55 ? GLFW_KEY_D : GLFW_KEY_A;
  io.KeysDown[GLFW_KEY_D] = key == GLFW_KEY_D;
  io.KeysDown[GLFW_KEY_A] = key == GLFW_KEY_A;
}

/// Makes something move before a frame.
void move(std::string_view name, int frame, viewers::Shell& shell) {
  viewers::Context& context = shell.context();
  ImGuiIO& io = ImGui::GetIO();
  io.MouseWheel = 0.0F;
  const std::uint32_t events = context.transport.size();
  if (name == "play" && events > 0) {
    context.transport.seek((context.transport.position() + kEventsPerFrame) % events);
  } else if (name == "scrub" && events > 0) {
    // Jumps that no keyframe lies near, as a dragged slider makes them.
    context.transport.seek(static_cast<std::uint32_t>(std::uint64_t{2654435761U} * static_cast<std::uint32_t>(frame) % events));
  } else if (name == "pan-zoom") {
    pan_and_zoom(frame);
  } else if (name == "scroll") {
    io.MousePos = {io.DisplaySize.x * 0.3F, io.DisplaySize.y * 0.85F};  // over the event list
    io.MouseWheel = -7.0F;
  } else if (name == "passes" && context.document != nullptr) {
    const std::uint32_t passes = context.document->recording().passes.rows();
    if (passes > 0) context.selection.select({viewers::ItemKind::Pass, static_cast<std::uint32_t>(frame) % passes});
  }
}

void run_frames(std::string_view name, std::string_view told, int frames, Window& window, viewers::Shell& shell) {
  std::vector<double> build;
  std::vector<double> whole;
  viewers::FrameText text;
  std::uint32_t primitives = 0;
  std::uint32_t labels = 0;
  std::size_t texts = 0;
  int triangles = 0;
  for (int frame = -kWarmUp; frame < frames; ++frame) {
    move(name, std::max(frame, 0), shell);
    const Clock::time_point begin = Clock::now();
    const double busy_before = busy_milliseconds();
    const double seconds = window.begin_frame();
    shell.draw(seconds);
    const double busy = busy_milliseconds() - busy_before;
    window.end_frame();
    window.finish();
    const Clock::time_point end = Clock::now();
    if (frame < 0) continue;
    build.push_back(busy);
    whole.push_back(milliseconds(begin, end));
    const viewers::FrameCost& cost = shell.context().cost;
    primitives = std::max(primitives, cost.primitives);
    labels = std::max(labels, cost.labels);
    triangles = std::max(triangles, ImGui::GetDrawData()->TotalIdxCount / 3);
    text.collect(*ImGui::GetDrawData(), *ImGui::GetIO().Fonts);
    texts = std::max(texts, text.runs().size());
  }
  fmt::print(
      "{}: {} frames\n  build (processor time): {}\n  frame: {}\n  at most {} shapes and {} labels in drawings; {} texts and {} "
      "triangles in "
      "all\n",
      told, frames, quantiles(build), quantiles(whole), primitives, labels, texts, triangles);
}

}  // namespace

bool is_bench(const std::string& name) { return std::find(kNames.begin(), kNames.end(), name) != kNames.end(); }

void run_bench(const std::string& name, int frames, Window& window, viewers::Shell& shell) {
  if (name != "pan-zoom" && name != "scrub") {
    run_frames(name, name, frames, window, shell);
    return;
  }
  for (const std::string_view panel : kDrawings) {
    if (!shell.show_panel(panel)) continue;
    run_frames(name, fmt::format("{} {}", name, panel), frames, window, shell);
    if (panel != "Graph") continue;
    shell.context().actions.run("Open all groups");
    run_frames(name, fmt::format("{} {}, all groups open", name, panel), frames, window, shell);
    shell.context().actions.run("Close all groups");
  }
}

}  // namespace depscope::app
