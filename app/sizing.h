// What a run needs of its rings: with its limits, without them, and the least of each that will do.
#pragma once

#include <string>

#include "depscope/replay/sizing_report.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {

/// For `check --sizing`. Runs `input` again without limits, and again with smaller ones if it came through and has no more than
/// kMaxTasksRunAgain tasks. Recordings, task graphs and prescribed schedules are not run again: what is missing is said in the
/// report. `opened` is what open_input made of the same input and options.
[[nodiscard]] replay::SizingReport sizing_of(const std::string& input, const RunOptions& options, const Opened& opened);

}  // namespace depscope::app
