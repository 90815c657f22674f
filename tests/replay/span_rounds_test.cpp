// Spans by invocation: trees, rounds and averages (artefacts.md 13.2, 14.8).
#include "depscope/replay/artefacts/span_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_text.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kWall = "chip.run.runner_run.device_wall";

RunLog read(std::string text) { return read_run_log(source_of(std::move(text))); }

/// Names with as many dots before them as they have parents.
std::vector<std::string> tree_of(const RunLog& log, const SpanTrees& trees, const Invocation& of) {
  std::vector<std::string> out;
  for (std::uint32_t i = of.begin; i < of.end; ++i) {
    std::string line;
    for (std::uint32_t at = trees.parent[i]; at != kNoSpan; at = trees.parent[at]) line += ".";
    out.push_back(line + std::string(log.text(log.spans.name[trees.span[i]])));
  }
  return out;
}

TEST(SpanRoundsTest, TheSample) {
  const RunLog log = read(sample_text("logs/run.log"));
  const SpanTrees trees = span_trees(log);
  ASSERT_EQ(trees.invocations.size(), 2U);
  EXPECT_EQ(trees.left_out, 0U);
  const auto tree = ElementsAre("chip.run", ".chip.run.bind", "..chip.run.bind.args", ".chip.run.runner_run", ".." + kWall,
                                "..." + kWall + ".orch", "..." + kWall + ".sched", "..." + kWall + ".task_slot_3");
  EXPECT_THAT(tree_of(log, trees, trees.invocations[0]), tree);
  EXPECT_THAT(tree_of(log, trees, trees.invocations[1]), tree);

  const SpanRounds r = span_rounds(log, trees);
  EXPECT_EQ(log.text(r.hid), "abcdef12");
  EXPECT_EQ(r.other_invocations, 0U);
  ASSERT_EQ(r.rounds.size(), 2U);
  EXPECT_EQ(r.rounds[0].inv, 1U);
  EXPECT_EQ(r.rounds[0].pid, 77U);
  EXPECT_THAT(r.rounds[0].time, ElementsAre(100'000U, 61'400U, 61'400U, 12'000U, 59'400U));
  EXPECT_THAT(r.rounds[1].time, ElementsAre(100'000U, 60'000U, 59'000U, 11'000U, 58'000U));
  EXPECT_EQ(r.rounds[1].of(RoundTime::Effective), 59'000U);
  const std::array<double, kRoundTimes> means{100'000, 60'700, 60'200, 11'500, 58'700};
  for (std::size_t i = 0; i < kRoundTimes; ++i) {
    EXPECT_EQ(r.averages[i].rounds, 2U);
    EXPECT_DOUBLE_EQ(r.averages[i].mean, means[i]) << round_time_name(static_cast<RoundTime>(i));
    EXPECT_EQ(r.averages[i].trimmed, std::nullopt);
  }
}

TEST(SpanRoundsTest, TheBusiestProgramGivesTheRoundsInTheirOrder) {
  std::string text;
  for (const std::uint64_t inv : {9, 3, 5}) text += span_record(inv, 0, "chip.run", 1, inv, "", "ab") + "\n";
  for (const std::uint64_t inv : {21, 22, 23, 24}) text += span_record(inv, 0, "other.family", 1, 100, "", "ef") + "\n";
  for (const std::uint64_t inv : {1, 2}) text += span_record(inv, 0, "chip.run", 1, 100, "", "cd") + "\n";
  const RunLog log = read(text);
  const SpanRounds r = span_rounds(log, span_trees(log));
  EXPECT_EQ(log.text(r.hid), "ab");
  EXPECT_EQ(r.other_invocations, 6U);
  ASSERT_EQ(r.rounds.size(), 3U);
  EXPECT_EQ(r.rounds[0].inv, 3U);
  EXPECT_EQ(r.rounds[1].inv, 5U);
  EXPECT_EQ(r.rounds[2].inv, 9U);
}

TEST(SpanRoundsTest, AveragesAreOverWhatIsThereAndTrimmedFromTwentyOneOn) {
  const auto rounds = [](std::uint64_t count) {
    std::string text;
    for (std::uint64_t i = 1; i <= count; ++i) text += span_record(i, 0, "chip.run", 1, i == 1 ? 1'000'000 : i * 10) + "\n";
    // One with a device, and without a host's span.
    text += span_record(count + 1, 2, kWall, 0, 77, "clk=dev") + "\n";
    const RunLog log = read(text);
    return span_rounds(log, span_trees(log));
  };
  const SpanRounds few = rounds(20);
  EXPECT_EQ(few.rounds.size(), 21U);
  EXPECT_EQ(few.averages[0].rounds, 20U);
  EXPECT_EQ(few.averages[0].trimmed, std::nullopt);
  EXPECT_EQ(few.averages[1].rounds, 1U);
  EXPECT_DOUBLE_EQ(few.averages[1].mean, 77);
  EXPECT_EQ(few.averages[2].rounds, 0U);
  const SpanRounds more = rounds(21);
  ASSERT_TRUE(more.averages[0].trimmed.has_value());
  EXPECT_DOUBLE_EQ(*more.averages[0].trimmed, 120);  // the one in the middle of 20, 30, … 210, 1000000
  EXPECT_DOUBLE_EQ(more.averages[0].mean, (1'000'000 + 2'300) / 21.0);
}

TEST(SpanRoundsTest, OfDuplicatesTheEarliestCounts) {
  const RunLog log = read(span_record(1, 0, "chip.run", 50, 1) + "\n" + span_record(1, 0, "chip.run", 10, 2) + "\n" +
                          span_record(1, 0, "chip.run", 10, 3) + "\n");
  EXPECT_EQ(span_rounds(log, span_trees(log)).rounds.at(0).of(RoundTime::Host), 2U);
}

TEST(SpanRoundsTest, EffectiveNeedsOneAxis) {
  const auto effective = [](const std::string& text) {
    const RunLog log = read(text);
    return span_rounds(log, span_trees(log)).rounds.at(0).of(RoundTime::Effective);
  };
  const std::string orch = span_record(1, 3, kWall + ".orch", 100, 50, "clk=dev") + "\n";
  EXPECT_EQ(effective(orch), 50U);
  EXPECT_EQ(effective(orch + span_record(1, 3, kWall + ".sched", 90, 20, "clk=dev")), 60U);
  EXPECT_EQ(effective(orch + span_record(1, 3, kWall + ".sched", 90, 20)), 0U);
  // An end beyond 64 bits is held there.
  EXPECT_EQ(effective(orch + span_record(1, 3, kWall + ".sched", 90, ~std::uint64_t{0}, "clk=dev")), ~std::uint64_t{0} - 90);
}

TEST(SpanRoundsTest, FamiliesWithOtherIdsAreLeftOutAndUnknownOnesKept) {
  const RunLog log = read(span_record(1, 0, "node.dispatch", 1, 2) + "\n" + span_record(1, 0, "network2.submit", 1, 2) + "\n" +
                          span_record(1, 0, "ext.tool.step", 1, 2) + "\n" + span_record(1, 0, "nodes.other", 1, 2) + "\n" +
                          span_record(1, 0, "network", 1, 2) + "\n");
  const SpanTrees trees = span_trees(log);
  EXPECT_EQ(trees.left_out, 3U);
  EXPECT_THAT(tree_of(log, trees, trees.invocations.at(0)), ElementsAre("nodes.other", "network"));
}

TEST(SpanRoundsTest, AParentThatIsMissingIsSkipped) {
  const RunLog log =
      read(span_record(1, 3, "a.x.y.z", 5, 1) + "\n" + span_record(1, 1, "a.b", 2, 1) + "\n" + span_record(1, 2, "a.c.d", 1, 1) +
           "\n" + span_record(1, 0, "a", 0, 9) + "\n" + span_record(1, 2, "late", 20, 1) + "\n");
  const SpanTrees trees = span_trees(log);
  EXPECT_THAT(tree_of(log, trees, trees.invocations.at(0)), ElementsAre("a", ".a.c.d", ".a.b", "..a.x.y.z", "late"));
}

TEST(SpanRoundsTest, AnEmptyLogAndADeepOne) {
  const RunLog empty = read("nothing\n");
  EXPECT_THAT(span_rounds(empty, span_trees(empty)).rounds, IsEmpty());
  constexpr int kDepth = 50'000;
  std::string text;
  for (int depth = kDepth; depth-- > 0;) text += span_record(1, depth, "x", 1, 1) + "\n";
  const RunLog deep = read(text);
  const SpanTrees trees = span_trees(deep);
  ASSERT_EQ(trees.span.size(), static_cast<std::size_t>(kDepth));
  EXPECT_EQ(trees.parent.front(), kNoSpan);
  EXPECT_EQ(trees.parent.back(), static_cast<std::uint32_t>(kDepth - 2));
}

}  // namespace
}  // namespace depscope::replay
