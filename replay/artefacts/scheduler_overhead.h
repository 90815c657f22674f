// Quantities of a run that need the AICPU's times (artefacts.md 14.4). Private.
#pragma once

#include "depscope/replay/artefacts/run_quantities.h"
#include "timed_tasks.h"

namespace depscope::replay {

/// Overhead, switch, head and tail times, and the path of part 6.
void add_overhead(RunQuantities& out, const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges);
/// Of phases; `graph` may be null.
[[nodiscard]] std::vector<SchedulerThread> scheduler_threads(const Swimlane& file, const RunTimes& times, const TimedTasks& tasks,
                                                             const recording::Recording* graph);

}  // namespace depscope::replay
