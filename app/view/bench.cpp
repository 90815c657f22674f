#include "bench.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <vector>

namespace depscope::app {
namespace {

constexpr std::array<std::string_view, 4> kNames{"idle", "play", "scroll", "passes"};
constexpr int kWarmUp = 10;
constexpr std::uint32_t kEventsPerFrame = 997;

using Clock = std::chrono::steady_clock;
double milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string quantiles(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return fmt::format("median {:.2f} ms, 95 % {:.2f} ms, most {:.2f} ms", times[times.size() / 2], times[times.size() * 95 / 100],
                     times.back());
}

/// Makes something move before a frame.
void move(std::string_view name, int frame, viewers::Shell& shell) {
  viewers::Context& context = shell.context();
  ImGuiIO& io = ImGui::GetIO();
  io.MouseWheel = 0.0F;
  if (name == "play" && context.transport.size() > 0) {
    context.transport.seek((context.transport.position() + kEventsPerFrame) % context.transport.size());
  } else if (name == "scroll") {
    io.MousePos = {io.DisplaySize.x * 0.3F, io.DisplaySize.y * 0.9F};  // over the event list
    io.MouseWheel = -7.0F;
  } else if (name == "passes" && context.document != nullptr) {
    const std::uint32_t passes = context.document->recording().passes.rows();
    if (passes > 0) context.selection.select({viewers::ItemKind::Pass, static_cast<std::uint32_t>(frame) % passes});
  }
}

}  // namespace

bool is_bench(const std::string& name) { return std::find(kNames.begin(), kNames.end(), name) != kNames.end(); }

void run_bench(const std::string& name, int frames, Window& window, viewers::Shell& shell) {
  std::vector<double> build;
  std::vector<double> whole;
  for (int frame = -kWarmUp; frame < frames; ++frame) {
    move(name, std::max(frame, 0), shell);
    const Clock::time_point begin = Clock::now();
    const double seconds = window.begin_frame();
    shell.draw(seconds);
    const Clock::time_point built = Clock::now();
    window.end_frame();
    window.finish();
    const Clock::time_point end = Clock::now();
    if (frame < 0) continue;
    build.push_back(milliseconds(begin, built));
    whole.push_back(milliseconds(begin, end));
  }
  fmt::print("{}: {} frames\n  build: {}\n  frame: {}\n", name, frames, quantiles(build), quantiles(whole));
}

}  // namespace depscope::app
