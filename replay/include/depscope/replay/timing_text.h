// The durations of a measured run as a file of kernel durations (--timing).
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Units of logical time a second in such a file: those of a swimlane recording (execute/durations.h).
inline constexpr double kTimingUnitsPerSecond = 50e6;

/// depscope.timing/1: each task with the longest of its rows, each kernel that has a name with the mean of its tasks; in units of
/// 20 ns, at least one. Empty if nothing was measured.
[[nodiscard]] std::string timing_text(const recording::Recording& run);

}  // namespace depscope::replay
