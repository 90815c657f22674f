// Recordings of the programs and traces in samples/, made with the real program once per test binary.
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

/// `depscope run samples/NAME.py OPTIONS`, or of a NAME with its own ending, as "traces/diamond.trace.json"; with the data that
/// the sample reads. Adds a test failure if that does not work.
[[nodiscard]] const recording::Recording& sample_run(const std::string& name, const std::string& options = "");

}  // namespace depscope::viewers
