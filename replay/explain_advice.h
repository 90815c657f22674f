// What would change a decision of the passes, as the end of a sentence. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/pass/decisions.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

/// For a region that fell back or was not analysed; empty for one that was. `prior` is the call that the offending one would have
/// to wait for, none if there is none; `lineage` the last step from the offending argument back.
[[nodiscard]] std::string region_advice(const recording::Recording& r, std::uint32_t region, std::uint32_t prior,
                                        std::string_view lineage);
/// For a call at which a region falls back, whichever call of it was the first to.
struct FallbackAsked {
  std::string_view reason;
  std::uint32_t site = recording::kNoRow, arg = 0;  ///< the offending call, and the position of its argument
  std::uint32_t prior = recording::kNoRow;          ///< the call to wait for, if it is a conflict
  std::string_view lineage;                         ///< the last step from the argument back
  bool virtual_body = false;                        ///< the region is the whole body of a function
};
[[nodiscard]] std::string fallback_advice(const recording::Recording& r, const FallbackAsked& asked);
/// For an argument whose direction stays; empty where a rewrite was made or no pass looked.
[[nodiscard]] std::string rewrite_advice(pass::RewriteReason reason);
/// Whether a rewrite is refused although an edge could stand for what the runtime would find: worth a line wherever it is shown.
[[nodiscard]] bool rewrite_refused(pass::RewriteReason reason);

}  // namespace depscope::replay
