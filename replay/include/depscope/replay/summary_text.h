// The short text a person reads first: what `run` prints without --json, and report.md inside a recording file.
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

struct SummaryOptions {
  bool markdown = false;        ///< headings and tables of report.md instead of plain text
  std::uint32_t max_rows = 20;  ///< of each list; the rest is counted
};

/// Program, passes (changed or no-op), regions with outcome, tasks by kernel, edges by provenance and flags, findings. Sections
/// for which the recording has no rows are left out. Lines end in a newline.
[[nodiscard]] std::string summary_text(const recording::Recording& recording, const SummaryOptions& options = {});

}  // namespace depscope::replay
