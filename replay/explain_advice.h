// What would change a decision of the passes, as the end of a sentence. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/recording/tables.h"
#include "depscope/replay/decision_words.h"

namespace depscope::replay {

/// For a call at which a region falls back, whichever call of it was the first to.
struct FallbackAsked {
  std::string_view reason;
  std::uint32_t site = recording::kNoRow, arg = 0;  ///< the offending call, and the position of its argument
  std::uint32_t prior = recording::kNoRow;          ///< the call to wait for, if it is a conflict
  std::string_view lineage;                         ///< the last step from the argument back
  bool virtual_body = false;                        ///< the region is the whole body of a function
};
[[nodiscard]] std::string fallback_advice(const recording::Recording& r, const FallbackAsked& asked);

}  // namespace depscope::replay
