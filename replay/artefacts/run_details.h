// Argument dumps, hardware counters, host phases and logs of one imported run.
#pragma once

#include "depscope/replay/artefacts/imported_run.h"
#include "health_page.h"

namespace depscope::replay {

/// Reads what there is into `run`, and tells it on the health page; hangs that logs tell of become findings.
void add_details(ImportedRun& run, const RunFiles& files, HealthPage& page);

}  // namespace depscope::replay
