// Measures frames while something moves, for comparing machines and versions. Wall-clock times are its output.
#pragma once

#include <string>

#include "depscope/viewers/shell.h"
#include "window.h"

namespace depscope::app {

inline constexpr const char* kBenchNames = "idle, play, scroll, passes, pan-zoom, scrub";
[[nodiscard]] bool is_bench(const std::string& name);

/// Draws `frames` frames and prints median, 95th percentile and maximum of the time to build a frame and of the whole frame, and
/// the most shapes, labels, texts and triangles of one. pan-zoom and scrub do so for each panel that draws.
void run_bench(const std::string& name, int frames, Window& window, viewers::Shell& shell);

}  // namespace depscope::app
