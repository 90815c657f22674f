// Path queries against the transitive closure.
#include <gtest/gtest.h>
// after gtest: adds its support for it
#include <rapidcheck/gtest.h>

#include <vector>

#include "check_reach.h"

namespace depscope::replay {
namespace {

recording::EdgesTable edges_of(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  recording::EdgesTable e;
  for (const auto& [producer, consumer] : pairs) {
    e.producer.push_back(producer);
    e.consumer.push_back(consumer);
    e.flags.push_back(1);
    e.flags_final.push_back(1);
    e.provenance.push_back(1);
    e.via.push_back(recording::kNoRow);
    e.at_add.push_back(0);
    e.at_wiring.push_back(0);
  }
  return e;
}

std::vector<std::vector<bool>> closure(std::uint32_t tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<std::vector<bool>> out(tasks, std::vector<bool>(tasks, false));
  for (const auto& [a, b] : pairs) {
    if (a < b) out[a][b] = true;
  }
  for (std::uint32_t via = 0; via < tasks; ++via) {
    for (std::uint32_t a = 0; a < tasks; ++a) {
      for (std::uint32_t b = 0; b < tasks; ++b) {
        if (out[a][via] && out[via][b]) out[a][b] = true;
      }
    }
  }
  return out;
}

void expect_closure(std::uint32_t tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  Reach reach(tasks, edges_of(pairs), [](std::uint32_t) { return true; });
  const auto expected = closure(tasks, pairs);
  for (std::uint32_t a = 0; a < tasks; ++a) {
    for (std::uint32_t b = 0; b < tasks; ++b) ASSERT_EQ(reach.reaches(a, b), expected[a][b]) << a << " to " << b;
  }
}

RC_GTEST_PROP(CheckReach, IsTheClosure, ()) {
  const auto tasks = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto count = *rc::gen::inRange<std::size_t>(0, 90);
  const auto span = *rc::gen::inRange<std::uint32_t>(1, 40);  // short edges give long paths
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto to = *rc::gen::inRange<std::uint32_t>(0, tasks);
    const auto back = *rc::gen::inRange<std::uint32_t>(0, span + 1);
    if (back <= to) pairs.emplace_back(to - back, to);
  }
  expect_closure(tasks, pairs);
}

TEST(CheckReach, EdgesThatDoNotLeadForwardAreNone) { expect_closure(4, {{1, 0}, {2, 2}, {0, 3}, {3, 1}}); }

TEST(CheckReach, RowsThatAreNotKeptAreNone) {
  const auto edges = edges_of({{0, 1}, {1, 2}});
  Reach reach(3, edges, [](std::uint32_t e) { return e == 0; });
  EXPECT_TRUE(reach.reaches(0, 1));
  EXPECT_FALSE(reach.reaches(0, 2));
  EXPECT_TRUE(reach.direct(0, 1));
  EXPECT_FALSE(reach.direct(1, 2));
}

TEST(CheckReach, DirectAsksForOneEdge) {
  const auto edges = edges_of({{0, 1}, {1, 2}});
  Reach reach(3, edges, [](std::uint32_t) { return true; });
  EXPECT_FALSE(reach.direct(0, 2));
  EXPECT_TRUE(reach.reaches(0, 2));
  EXPECT_TRUE(reach.direct(1, 2));
  EXPECT_TRUE(reach.direct(0, 1));
  EXPECT_FALSE(reach.direct(1, 1));
}

/// A graph that no interval decides everywhere: many queries go to the search.
TEST(CheckReach, ManyCrossingPaths) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  constexpr std::uint32_t kTasks = 300;
  for (std::uint32_t t = 1; t < kTasks; ++t) {
    for (const std::uint32_t back : {7 + t % 5, 11 + t % 3, 29U}) {
      if (back <= t) pairs.emplace_back(t - back, t);
    }
  }
  expect_closure(kTasks, pairs);
}

}  // namespace
}  // namespace depscope::replay
