// Whether edges of the program lead from one call to another through others. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"
#include "why_program.h"
#include "why_rows.h"

namespace depscope::replay {

/// Call sites on a shortest way from `first` to `second` over edges that stayed, without the two; empty if there is none. Time:
/// O(edges of the calls between the two).
[[nodiscard]] std::vector<std::uint32_t> calls_between(const recording::Recording& recording, const WhyProgram& program,
                                                       const PairRows& rows, std::uint32_t first, std::uint32_t second);

}  // namespace depscope::replay
