// What the passes decided, in the words of `depscope explain`: names of calls, arguments and places, and phrases for reasons.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/pass/decisions.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

/// How names that stand together are shown: as the source has them, with their version where two would look the same.
class ShownNames {
 public:
  /// `names`: strings.
  ShownNames(const recording::Recording& r, std::vector<std::uint32_t> names);
  [[nodiscard]] std::string_view text(std::uint32_t name) const;

 private:
  const recording::Recording& r_;
  std::vector<std::uint32_t> alike_;  // sorted: those shown whole
};

/// "call 3 copy (line 21)"; "a call that is gone" for none.
[[nodiscard]] std::string call_text(const recording::Recording& r, std::uint32_t site);
/// Name of an argument as the source has it; "argument 2" where there is no such row.
[[nodiscard]] std::string argument_text(const recording::Recording& r, std::uint32_t site, std::uint32_t arg);
/// "x", "x [0:64, 0:16]", "part of x", "x at run time", "somewhere in x"; "no known place" for none.
[[nodiscard]] std::string storage_text(const recording::Recording& r, std::uint32_t storage);
/// "RAW+WAW".
[[nodiscard]] std::string kinds_text(std::uint8_t kinds);
/// "RAW on x after call 0 fill (line 17), argument x".
[[nodiscard]] std::string hazard_text(const recording::Recording& r, std::uint32_t hazard);
/// What became of a hazard: "compiler edge t", "user edge tids (whole_array)", "disjoint", …
[[nodiscard]] std::string verdict_text(const recording::Recording& r, std::uint32_t hazard, const ShownNames& ids);
/// "compiler edge t from call 0 fill (line 17)", with what happened to it.
[[nodiscard]] std::string edge_text(const recording::Recording& r, std::uint32_t edge, const ShownNames& ids);
/// "stays: no hazard", "-> no_dep: an edge orders every hazard", …; empty if there is nothing to say.
[[nodiscard]] std::string_view rewrite_words(pass::RewriteReason reason);
/// One sentence for a reason of a fallback.
[[nodiscard]] std::string_view fallback_words(std::string_view reason);
/// " (line 12)", or nothing for line 0.
[[nodiscard]] std::string at_line(std::uint32_t line);

// What would change a decision, as the end of a sentence.
/// For a region that fell back or was not analysed; empty for one that was. `prior` is the call that the offending one would have
/// to wait for, none if there is none; `lineage` the last step from the offending argument back.
[[nodiscard]] std::string region_advice(const recording::Recording& r, std::uint32_t region, std::uint32_t prior,
                                        std::string_view lineage);
/// For an argument whose direction stays; empty where a rewrite was made or no pass looked.
[[nodiscard]] std::string rewrite_advice(pass::RewriteReason reason);
/// Whether a rewrite is refused although an edge could stand for what the runtime would find: worth a line wherever it is shown.
[[nodiscard]] bool rewrite_refused(pass::RewriteReason reason);

}  // namespace depscope::replay
