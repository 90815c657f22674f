// What the passes decided and why, for a person: what `depscope explain` prints without --json.
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

struct ExplainOptions {
  std::uint32_t function = recording::kNoRow;   ///< functions row: only this one, with all its call sites
  std::uint32_t call_site = recording::kNoRow;  ///< call_sites row: only this one, with everything known of it
  std::uint32_t max_calls = 20;                 ///< call sites of each function, unless one function is asked for
  std::uint32_t max_items = 8;                  ///< of each list, unless one call site is asked for; the rest is counted
};

/// By Orchestration function: regions with outcome, reason and what was lost; call sites with arguments, edges and hazards;
/// scopes, phase fences, carried values, warnings. Lines end in a newline and are at most about 100 columns wide. A recording
/// without functions (a trace) gives the summary.
[[nodiscard]] std::string explain_text(const recording::Recording& recording, const ExplainOptions& options = {});

}  // namespace depscope::replay
