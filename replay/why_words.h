// Phrases of the answer to --why. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// "put (main:0, line 16)".
[[nodiscard]] std::string why_call_text(const recording::Recording& r, std::uint32_t site);
/// "two.py:16"; the function and index where no line is known.
[[nodiscard]] std::string why_place(const recording::Recording& r, std::uint32_t site);
/// "argument p, input (callee_in), then no_dep: an edge orders every hazard".
[[nodiscard]] std::string why_argument(const recording::Recording& r, std::uint32_t site, std::uint32_t arg);
/// "reads", "writes", "reads and writes" for bits 1 (reads) and 2 (writes).
[[nodiscard]] std::string_view why_verb(std::uint8_t mode);
/// "region 2 auto_scope (line 30): fell_back, producer_without_task_id at call 4 put (line 33), argument a"; empty for none.
[[nodiscard]] std::string why_region(const recording::Recording& r, std::uint32_t region);
/// Section of passes.md and its rule for a code of an answer.
[[nodiscard]] std::string_view why_rule(std::string_view code);

}  // namespace depscope::replay
