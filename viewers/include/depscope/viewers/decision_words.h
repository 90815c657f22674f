// What the values of the passes' decisions are called, what each of them means, and where passes.md says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "depscope/pass/decisions.h"

namespace depscope::viewers {

struct DecisionWords {
  std::string_view name;      ///< as in facts: "callee_in", "fell_back"
  std::string_view sentence;  ///< what it means, for a reader who does not know the specification
  std::string_view section;   ///< "passes.md 4.4, row 2"

  /// The sentence and the section, for a tooltip.
  [[nodiscard]] std::string explained() const;
};

// Values that a recording of a newer version may hold and that are not known give the name "?".
[[nodiscard]] DecisionWords region_kind_words(std::uint8_t kind);
[[nodiscard]] DecisionWords region_outcome_words(std::uint8_t outcome);
[[nodiscard]] DecisionWords direction_rule_words(std::uint8_t rule);
[[nodiscard]] DecisionWords rewrite_reason_words(std::uint8_t reason);
[[nodiscard]] DecisionWords hazard_verdict_words(std::uint8_t verdict);
/// Of a reason of a fallback by its name; the construct's own name and no sentence for what is not modelled.
[[nodiscard]] DecisionWords fallback_reason_words(std::string_view reason);
[[nodiscard]] DecisionWords fence_reason_words(std::string_view reason);

inline constexpr std::size_t kRegionKinds = 4, kRegionOutcomes = 5, kDirectionRules = 11, kRewriteReasons = 14,
                             kHazardVerdicts = 6, kArgDirections = 7;

/// "In", "Out", "InOut" of an ir::ParamDirection.
[[nodiscard]] std::string_view callee_direction_name(std::uint8_t direction);
/// "input", "no_dep", …; "-" for none.
[[nodiscard]] std::string_view direction_name(std::uint8_t direction);
[[nodiscard]] std::optional<pass::RewriteReason> rewrite_reason_from_name(std::string_view name);

}  // namespace depscope::viewers
