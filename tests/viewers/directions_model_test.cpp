#include "depscope/viewers/directions_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/pass/decisions.h"
#include "depscope/viewers/decision_words.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint32_t> found(const recording::Recording& r, std::string_view text) {
  const ParsedDirectionFilter parsed = parse_direction_filter(text);
  EXPECT_EQ(parsed.error, "") << text;
  FilteredDirections rows;
  rows.restart(&r, parsed.filter);
  while (!rows.advance(3)) {
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < rows.size(); ++i) out.push_back(rows.at(i));
  return out;
}

TEST(DirectionsModelTest, EveryArgumentSaysWhatItsTablesSay) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  ASSERT_EQ(direction_count(r), r.arguments.rows() + r.wrapper_arguments.rows());
  for (std::uint32_t i = 0; i < r.arguments.rows(); ++i) {
    const DirectionRow row = direction_row(r, i);
    const std::string text = direction_text(row);
    EXPECT_FALSE(row.wrapper);
    EXPECT_EQ(row.site, r.arguments.call_site[i]);
    EXPECT_EQ(r.call_sites.argument_begin[row.site] + row.position, i);
    EXPECT_THAT(text, HasSubstr(std::string(callee_direction_name(r.arguments.callee_direction[i])) + ", "));
    EXPECT_THAT(
        text, HasSubstr(std::string(pass::arg_direction_name(static_cast<pass::ArgDirection>(r.arguments.derived[i]))) + " by " +
                        std::string(pass::direction_rule_name(static_cast<pass::DirectionRule>(r.arguments.rule[i])))));
    EXPECT_THAT(
        text, HasSubstr(", " + std::string(pass::arg_direction_name(static_cast<pass::ArgDirection>(r.arguments.direction[i]))) +
                        ": " + (r.arguments.derived[i] == r.arguments.direction[i] ? "stays" : "rewritten")));
  }
}

TEST(DirectionsModelTest, KnownArgumentsOfTheFallbacks) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < r.arguments.rows(); ++i) all.push_back(direction_text(direction_row(r, i)));
  EXPECT_THAT(all, ::testing::Contains("a0: In, input by callee_in, no_dep: rewritten: an edge orders every hazard"));
  EXPECT_THAT(all,
              ::testing::Contains("b0: InOut, inout by callee_inout, output_existing: rewritten: an edge orders every hazard"));
  EXPECT_THAT(all, ::testing::Contains("d_win: In, input by callee_in, input: stays: its window is known at run time only"));
  EXPECT_THAT(all, ::testing::Contains("f_flat: In, input by callee_in, input: stays: the region fell back"));
}

TEST(DirectionsModelTest, FiltersFindWhatTheySay) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  EXPECT_EQ(found(r, "").size(), direction_count(r));
  const auto rewritten = found(r, "rewritten");
  EXPECT_EQ(rewritten, found(r, "changed"));
  EXPECT_FALSE(rewritten.empty());
  for (std::uint32_t i = 0; i < r.arguments.rows(); ++i) {
    const bool listed = std::find(rewritten.begin(), rewritten.end(), i) != rewritten.end();
    EXPECT_EQ(listed, r.arguments.derived[i] != r.arguments.direction[i]) << i;
  }
  for (const std::uint32_t i : found(r, "reason:region_fell_back"))
    EXPECT_EQ(r.arguments.rewrite[i], static_cast<std::uint8_t>(pass::RewriteReason::RegionFellBack));
  EXPECT_FALSE(found(r, "direction:no_dep").empty());
  for (const std::uint32_t i : found(r, "direction:no_dep")) EXPECT_EQ(direction_name(r.arguments.direction[i]), "no_dep");
  EXPECT_EQ(found(r, "GET_FLAT f_flat").size(), 1U);
  EXPECT_TRUE(found(r, "get_flat no-such-word").empty());
}

TEST(DirectionsModelTest, BadFiltersAreTold) {
  EXPECT_EQ(parse_direction_filter("reason:nothing").error, "no reason is called 'nothing'");
  EXPECT_EQ(parse_direction_filter("direction:up").error, "no direction is called 'up'");
  EXPECT_EQ(parse_direction_filter("  put   direction:inout ").filter.words, std::vector<std::string>{"put"});
}

TEST(DirectionsModelTest, ArgumentsOfWrappersComeLast) {
  const recording::Recording r = replay::synthetic_recording({.tasks = 1});
  ASSERT_GT(r.wrapper_arguments.rows(), 0U);
  const DirectionRow row = direction_row(r, r.arguments.rows());
  EXPECT_TRUE(row.wrapper);
  EXPECT_EQ(row.row, 0U);
  EXPECT_EQ(row.site, kNoRow);
  EXPECT_EQ(row.callee, r.text(r.wrapper_calls.callee[r.wrapper_arguments.call[0]]));
  EXPECT_EQ(found(r, "wrapper").size(), r.wrapper_arguments.rows());
}

TEST(DirectionsModelTest, PlacesInAFilteredList) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  FilteredDirections rows;
  rows.restart(&r, parse_direction_filter("rewritten").filter);
  while (!rows.advance(100)) {
  }
  ASSERT_GT(rows.size(), 1U);
  EXPECT_EQ(rows.place_of(rows.at(1)), 1U);
  EXPECT_EQ(rows.place_of(rows.at(0) + 1), 1U);
  rows.restart(&r, {});
  EXPECT_EQ(rows.place_of(7), 7U);
}

}  // namespace
}  // namespace depscope::viewers
