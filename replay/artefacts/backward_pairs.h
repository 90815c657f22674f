// Edges whose consumer started before its producer had ended. Private.
#pragma once

#include <vector>

#include "depscope/replay/artefacts/imported_run.h"

namespace depscope::replay {

/// By edge; of a task of several rows the last end and the first start count.
[[nodiscard]] std::vector<BackwardPair> backward_pairs(const recording::Recording& graph, const RunTimes& times);
/// Findings of missing order that was observed, the first kMaxBackwardFindings of them.
void add_backward_findings(recording::Recording& graph, const RunTimes& times, const std::vector<BackwardPair>& pairs);

}  // namespace depscope::replay
