// What --timing names, as a text that the engine reads: kernel durations, raw timing of a run, or any other form of a run.
#pragma once

#include <string>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

/// A file of durations or of raw timing as it is. The directory of a run, a recording of one and timing in microseconds become
/// durations (replay/timing_text.h), under the name "timing.json". Throws InputError, also where nothing was measured.
[[nodiscard]] SourceFile read_timing(const std::string& path);

}  // namespace depscope::app
