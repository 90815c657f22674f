// The names of kernels and what the build says, for one imported run.
#pragma once

#include "depscope/replay/artefacts/imported_run.h"
#include "health_page.h"

namespace depscope::replay {

/// Fills run.kernels and, where the task graph has kernels, the names of its tasks. Name maps of the run hold; without one that
/// can be used, the configuration of the build does (artefacts.md 9.2).
void add_names(ImportedRun& run, const RunFiles& files, HealthPage& page);
/// Platform and parameters, on the health page.
void add_build(ImportedRun& run, const RunFiles& files, HealthPage& page);

}  // namespace depscope::replay
