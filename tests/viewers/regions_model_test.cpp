#include "depscope/viewers/regions_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "depscope/pass/decisions.h"
#include "depscope/replay/explain_text.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

std::string words_of(const std::vector<AnswerLine>& lines) { return answer_text({{}, lines}); }

bool fell_back(const recording::Recording& r, std::uint32_t region) {
  return r.regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
}

/// Text without line breaks and margins, so that it can be searched for sentences.
std::string flat(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || out.empty() || out.back() != ' ') out += shown;
  }
  return out;
}

TEST(RegionsModelTest, ParentsComeBeforeTheirChildren) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const auto lines = region_tree(r);
  std::vector<std::uint32_t> seen;
  std::vector<std::uint32_t> depth(r.regions.rows(), kNoRow);
  std::uint32_t function = kNoRow;
  for (const RegionLine& line : lines) {
    if (line.region == kNoRow) {
      function = line.function;
      continue;
    }
    EXPECT_EQ(r.regions.function[line.region], function);
    const std::uint32_t parent = r.regions.parent[line.region];
    if (parent == kNoRow) {
      EXPECT_EQ(line.depth, 0U);
    } else {
      ASSERT_NE(depth[parent], kNoRow) << "the parent of " << line.region << " comes later";
      EXPECT_EQ(line.depth, depth[parent] + 1);
    }
    depth[line.region] = line.depth;
    seen.push_back(line.region);
  }
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end())) << "source order";
  EXPECT_EQ(seen.size(), r.regions.rows());
  EXPECT_EQ(*std::max_element(depth.begin(), depth.end()), 2U) << "scope L holds a scope";
}

TEST(RegionsModelTest, ACircleOfParentsHidesNothing) {
  recording::Recording r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  r.regions.parent[3] = 4;
  r.regions.parent[4] = 3;
  std::vector<std::uint32_t> seen;
  for (const RegionLine& line : region_tree(r)) {
    if (line.region != kNoRow) seen.push_back(line.region);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), r.regions.rows());
}

TEST(RegionsModelTest, CountsAreThoseOfTheTables) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const RegionIndex index(r);
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    const RegionCounts& counts = index.counts(region);
    EXPECT_EQ(counts.stripped, r.regions.stripped_edges[region]);
    EXPECT_EQ(counts.undone,
              static_cast<std::uint64_t>(std::count(r.rewrites_undone.region.begin(), r.rewrites_undone.region.end(), region)));
    if (fell_back(r, region)) {
      EXPECT_EQ(counts.kept, 0U) << "a scope that fell back keeps no edge";
    }
  }
  EXPECT_EQ(index.counts(1).hazards, 1U);
  EXPECT_EQ(index.counts(1).kept, 1U) << "scope A";
  EXPECT_EQ(index.counts(5).kept, 0U) << "scope E has the user's edge only";
  EXPECT_EQ(counts_text(index.counts(6)), "1 hazard, 1 edge stripped, 1 rewrite undone");
  EXPECT_EQ(counts_text(index.counts(3)), "no hazards");
}

TEST(RegionsModelTest, EveryFallbackTellsItsCallItsArgumentAndTheWayBack) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const Document document(r, "fallbacks");
  const RegionIndex index(r);
  std::size_t found = 0;
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    const RegionDetail detail = region_detail(document, index, region);
    if (!fell_back(r, region)) {
      EXPECT_TRUE(detail.call.empty()) << region;
      EXPECT_TRUE(detail.steps.empty()) << region;
      continue;
    }
    ++found;
    const std::uint32_t site = r.regions.offending_site[region];
    const std::string call = words_of(detail.call);
    EXPECT_THAT(call, HasSubstr("call " + std::to_string(r.call_sites.index[site]) + " ")) << region;
    EXPECT_THAT(call, HasSubstr("(number " + std::to_string(r.regions.offending_arg[region]) + ")"));
    EXPECT_THAT(call, HasSubstr("^")) << "the argument is marked in its line";
    EXPECT_EQ(call.find("The conflict:") != std::string::npos, r.regions.offending_hazard[region] != kNoRow);
    EXPECT_EQ(detail.steps.size(), index.lineage(region).size());
    ASSERT_FALSE(detail.steps.empty());
    EXPECT_EQ(detail.steps.front().site, site) << "the first step is the call itself";
    for (const RegionDetail::Step& step : detail.steps) {
      EXPECT_THAT(words_of(step.lines), HasSubstr(std::string(r.text(r.lineage.what[step.row]))));
      EXPECT_EQ(step.lines.back().source_line, step.line);
      const std::string source(source_line(document, step.line));
      EXPECT_THAT(source, HasSubstr(step.lines.back().parts.front().text));
    }
    EXPECT_FALSE(detail.change.empty());
  }
  EXPECT_GE(found, 7U);
}

TEST(RegionsModelTest, TheWordsAreThoseOfExplain) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const Document document(r, "fallbacks");
  const RegionIndex index(r);
  replay::ExplainOptions all;
  all.function = 0;
  for (std::uint32_t f = 0; f < r.functions.rows(); ++f) {
    if (r.text(r.functions.name[f]) == "main") all.function = f;
  }
  const std::string explained = flat(replay::explain_text(r, all));
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    const RegionDetail detail = region_detail(document, index, region);
    if (!detail.change.empty()) {
      EXPECT_THAT(explained, HasSubstr(detail.change));
    }
    for (const RegionDetail::Step& step : detail.steps) EXPECT_THAT(explained, HasSubstr(step.lines.front().parts.front().text));
  }
  for (std::uint32_t row = 0; row < r.scope_decisions.rows(); ++row) EXPECT_THAT(explained, HasSubstr(scope_line(r, row).text));
  for (std::uint32_t row = 0; row < r.carries.rows(); ++row) EXPECT_THAT(explained, HasSubstr(carry_line(r, row).text));
}

TEST(RegionsModelTest, WhatWasLostIsNamed) {
  const auto& r = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const Document document(r, "fallbacks");
  const std::string lost = words_of(region_detail(document, RegionIndex(r), 6).lost);
  EXPECT_THAT(lost, HasSubstr("edge f0 of call 11 bump (line 140)"));
  EXPECT_THAT(lost, HasSubstr("inout → output_existing for argument f0 of call 11 bump (line 140)"));
}

TEST(RegionsModelTest, FencesSayWhatTheySave) {
  recording::Recording r = replay::synthetic_recording({.tasks = 1});
  ASSERT_GT(r.fences.rows(), 0U);
  const DecisionLine line = fence_line(r, 0);
  EXPECT_EQ(line.accepted, r.fences.accepted[0] != 0);
  EXPECT_THAT(flat(replay::explain_text(r)), HasSubstr(line.text));
  r.fences.accepted[0] = 0;
  r.fences.reason[0] = r.strings.add("no_profit");
  EXPECT_THAT(fence_line(r, 0).text, HasSubstr("no barrier, no_profit"));
  EXPECT_THAT(fence_line(r, 0).explained, HasSubstr("passes.md 6.4"));
}

TEST(RegionsModelTest, ARecordingWithoutProgramHasNoRegions) {
  EXPECT_TRUE(region_tree(replay::synthetic_recording({.program = false})).empty());
}

}  // namespace
}  // namespace depscope::viewers
