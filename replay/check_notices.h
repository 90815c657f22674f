// Which recorded findings a check repeats, and how loud. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "check_order.h"
#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Severity of every findings row in a check. A warning that the passes give about a blind spot of their analysis says that
/// order may be missing. Where the function ran to its end, the executed instance tells whether it is: without a missing order at
/// the call that it speaks of (or, where it names none, in its function) it is information only. Everything else stays as it is.
[[nodiscard]] std::vector<Severity> judged_severities(const recording::Recording& recording,
                                                      const std::vector<UnorderedPair>& missing);

}  // namespace depscope::replay
