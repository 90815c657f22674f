#include "depscope/viewers/decision_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Every value has a name of its own, a sentence of its own and a section; what is no value has none.
template <class Words>
void expect_complete(std::size_t count, Words&& words) {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  for (std::size_t i = 0; i < count; ++i) {
    const DecisionWords w = words(static_cast<std::uint8_t>(i));
    EXPECT_NE(w.name, "?") << i;
    EXPECT_FALSE(w.name.empty()) << i;
    EXPECT_TRUE(names.insert(w.name).second) << w.name;
    EXPECT_TRUE(sentences.insert(w.sentence).second) << w.name;
    EXPECT_GT(w.sentence.size(), 15U) << w.name;
    EXPECT_THAT(std::string(w.section), StartsWith("passes.md ")) << w.name;
    EXPECT_THAT(w.explained(), HasSubstr(w.section));
  }
  EXPECT_EQ(words(static_cast<std::uint8_t>(count)).name, "?");
}

TEST(DecisionWordsTest, EveryValueHasWords) {
  expect_complete(kRegionKinds, region_kind_words);
  expect_complete(kRegionOutcomes, region_outcome_words);
  expect_complete(kDirectionRules, direction_rule_words);
  expect_complete(kRewriteReasons, rewrite_reason_words);
  expect_complete(kHazardVerdicts, hazard_verdict_words);
}

TEST(DecisionWordsTest, NamesAreThoseOfFacts) {
  EXPECT_EQ(region_outcome_words(static_cast<std::uint8_t>(pass::RegionOutcome::FellBack)).name, "fell_back");
  EXPECT_EQ(direction_rule_words(static_cast<std::uint8_t>(pass::DirectionRule::RSeq)).section, "passes.md 4.4, row 4");
  EXPECT_EQ(rewrite_reason_words(static_cast<std::uint8_t>(pass::RewriteReason::CrossScope)).name, "cross_scope");
  EXPECT_EQ(direction_name(static_cast<std::uint8_t>(pass::ArgDirection::OutputExisting)), "output_existing");
  EXPECT_EQ(direction_name(0), "-");
  EXPECT_EQ(direction_name(kArgDirections), "?");
  EXPECT_EQ(callee_direction_name(2), "InOut");
  EXPECT_EQ(callee_direction_name(3), "?");
}

TEST(DecisionWordsTest, ReasonsAreFoundByTheirName) {
  for (std::uint8_t i = 0; i < kRewriteReasons; ++i)
    EXPECT_EQ(rewrite_reason_from_name(rewrite_reason_words(i).name), static_cast<pass::RewriteReason>(i));
  EXPECT_EQ(rewrite_reason_from_name("no_such_reason"), std::nullopt);
}

TEST(DecisionWordsTest, ReasonsOfFallbacksAndFencesAreExplained) {
  for (const std::string_view reason :
       {"unresolved_storage.unknown", "unresolved_storage.dynamic_access", "unresolved_storage.mixed_merge",
        "unresolved_storage.too_many_roots", "producer_without_task_id", "prior_in_closed_dynamic_loop",
        "prior_in_loop_without_summary"}) {
    EXPECT_FALSE(fallback_reason_words(reason).sentence.empty()) << reason;
    EXPECT_EQ(fallback_reason_words(reason).section, "passes.md 5.9");
  }
  EXPECT_TRUE(fallback_reason_words("match statement").sentence.empty());
  for (const std::string_view reason :
       {"not_manual_scope", "not_orchestration", "parallel_trip_not_positive_constant", "zero_trip", "loop_iter_arg",
        "defined_in_body", "updated_in_body", "mixed_or_multiple_deps", "scalar_dep", "no_profit"})
    EXPECT_EQ(fence_reason_words(reason).section, "passes.md 6.4") << reason;
  EXPECT_TRUE(fence_reason_words("else").section.empty());
}

}  // namespace
}  // namespace depscope::viewers
