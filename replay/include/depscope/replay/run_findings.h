// What the runtime model found while it ran, as rows of the recording's findings.
#pragma once

#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

inline constexpr std::size_t kMaxRunFindings = 1000;  ///< rows, besides the fatal error; one more says how many are left out

/// Deadlocks, errors, lost flags, reused bytes, stale handles, violated invariants … (casebook, findings contract: `deadlock`).
/// What `check` finds by itself from the events (early reclaim, missing RETAIN) gets no row. Call once, after the run.
void add_run_findings(recording::Recording& recording, const std::vector<runtime::RunFinding>& found);

}  // namespace depscope::replay
