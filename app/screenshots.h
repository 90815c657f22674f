// Pictures of the window for a bundle, where a display can be had.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/bundle.h"

namespace depscope::app {

struct Screenshots {
  std::vector<replay::BundleExtra> pictures;
  std::string missing;  ///< why there is none, or not all; empty if all are there
};

/// The passes at the first call site that made a region fall back, and the run at the first event that a finding names. `file` is
/// where the recording is. A virtual display is used if there is none and xvfb-run is installed.
[[nodiscard]] Screenshots take_screenshots(const recording::Recording& recording, const std::filesystem::path& file);

}  // namespace depscope::app
