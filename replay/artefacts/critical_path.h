// The longest chain and the chain that was observed (artefacts.md 14.5). Private.
#pragma once

#include "depscope/replay/artefacts/run_quantities.h"
#include "timed_tasks.h"

namespace depscope::replay {

/// There is at least one timed task.
[[nodiscard]] CriticalPath critical_path(const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges);

}  // namespace depscope::replay
