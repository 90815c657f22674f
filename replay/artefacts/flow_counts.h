// How many arrows the trace views of a run have, and how many lead backward (artefacts.md 14.2). Private.
#pragma once

#include "depscope/replay/artefacts/run_quantities.h"
#include "timed_tasks.h"

namespace depscope::replay {

[[nodiscard]] FlowCounts flow_counts(const Swimlane& file, const RunTimes& times, const TimedTasks& tasks,
                                     const recording::Recording& graph);
/// Func id of a row by the core that ran it; -1 if not known.
[[nodiscard]] std::int32_t function_of(const recording::Recording& graph, std::uint32_t task, std::uint8_t core_type);

}  // namespace depscope::replay
