#include "depscope/viewers/graph_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <set>

#include "graph_recording.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Edges of random flags from earlier to later tasks.
recording::Recording random_graph(std::uint32_t seed, std::uint32_t tasks) {
  std::mt19937 random(seed);
  GraphRecording g;
  for (std::uint32_t i = 0; i < tasks; ++i) g.task("k");
  for (std::uint32_t consumer = 1; consumer < tasks; ++consumer) {
    for (std::uint32_t producer = 0; producer < consumer; ++producer) {
      if (random() % 4 != 0) continue;
      const auto flags = static_cast<std::uint8_t>(1 + random() % 3);
      const auto kept = static_cast<std::uint8_t>(flags & (random() % 3 == 0 ? runtime::kRetain : runtime::kWaitRetain));
      g.edge(producer, consumer, flags, kept);
    }
  }
  return g.r;
}

bool waits(const recording::Recording& r, std::uint32_t edge) { return (r.edges.flags_final[edge] & runtime::kWait) != 0; }

TEST(GraphPaths, TheCriticalPathIsTheLongestOfAll) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const recording::Recording r = random_graph(seed, 9);
    replay::TaskMoments moments(r);
    // Durations by hand: two events for some tasks.
    recording::Recording timed = r;
    for (std::uint32_t task = 0; task < r.tasks.rows(); task += 2) {
      for (const std::uint32_t time : {task, task + task % 5}) {
        const std::uint32_t event = GraphRecording::add_row(timed.events);
        timed.events.time[event] = time;
      }
      moments.dispatched[task] = timed.events.rows() - 2;
      moments.completed[task] = timed.events.rows() - 1;
    }
    const std::function<std::uint64_t(std::uint32_t)> longest = [&](std::uint32_t task) {
      std::uint64_t before = 0;
      for (std::uint32_t edge = 0; edge < timed.edges.rows(); ++edge) {
        if (timed.edges.consumer[edge] == task && waits(timed, edge))
          before = std::max(before, longest(timed.edges.producer[edge]));
      }
      return before + (task % 2 == 0 ? task % 5 : 1);
    };
    std::uint64_t expected = 0;
    for (std::uint32_t task = 0; task < timed.tasks.rows(); ++task) expected = std::max(expected, longest(task));
    const CriticalPath path = critical_path(timed, moments);
    EXPECT_EQ(path.length, expected) << seed;
    std::uint64_t length = 0;
    ASSERT_EQ(path.edges.size() + 1, path.tasks.size());
    for (std::size_t i = 0; i < path.tasks.size(); ++i) {
      length += task_duration(timed, moments, path.tasks[i]);
      if (i + 1 == path.tasks.size()) break;
      EXPECT_TRUE(waits(timed, path.edges[i]));
      EXPECT_EQ(timed.edges.producer[path.edges[i]], path.tasks[i]);
      EXPECT_EQ(timed.edges.consumer[path.edges[i]], path.tasks[i + 1]);
    }
    EXPECT_EQ(length, path.length);
  }
  const recording::Recording none;
  EXPECT_THAT(critical_path(none, replay::TaskMoments(none)).tasks, IsEmpty());
}

TEST(GraphPaths, NeighboursAreThoseWithinTheHops) {
  const Document document(random_graph(5, 40), "");
  const auto& r = document.recording();
  const auto within = [&](std::uint32_t start, std::uint32_t hops, bool up) {
    std::set<std::uint32_t> found{start};
    std::set<std::uint32_t> ring{start};
    for (std::uint32_t hop = 0; hop < hops; ++hop) {
      std::set<std::uint32_t> next;
      for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
        const std::uint32_t from = up ? r.edges.consumer[edge] : r.edges.producer[edge];
        if (ring.contains(from)) next.insert(up ? r.edges.producer[edge] : r.edges.consumer[edge]);
      }
      found.insert(next.begin(), next.end());
      ring = next;
    }
    return found;
  };
  for (const auto& [up, down] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 1U}, {2U, 1U}, {1U, 3U}}) {
    std::set<std::uint32_t> expected = within(20, up, true);
    expected.merge(within(20, down, false));
    const Neighbourhood near = neighbourhood(document, std::vector<std::uint32_t>{20}, up, down, 1000);
    EXPECT_EQ(near.tasks, std::vector<std::uint32_t>(expected.begin(), expected.end())) << up << " up, " << down << " down";
    EXPECT_FALSE(near.cut);
  }
  const Neighbourhood cut = neighbourhood(document, std::vector<std::uint32_t>{20}, 3, 3, 5);
  EXPECT_EQ(cut.tasks.size(), 5U);
  EXPECT_TRUE(cut.cut);
}

TEST(GraphPaths, AWitnessLeadsOnThroughItsOwnWay) {
  GraphRecording g;
  for (int i = 0; i < 5; ++i) g.task("k");
  const std::uint32_t a = g.edge(0, 1);
  const std::uint32_t b = g.edge(1, 2);
  const std::uint32_t kept = g.edge(0, 3, runtime::kWait, runtime::kWait);
  const std::uint32_t c = g.edge(2, 3);
  const std::uint32_t gone = g.edge(0, 4, runtime::kWaitRetain, runtime::kRetain, 2);
  const std::uint32_t d = g.edge(3, 4);
  const Document document(g.r, "");
  // Through task 2, as recorded: not the shorter way over edge `kept`.
  EXPECT_THAT(witness_path(document, gone), ElementsAre(a, b, c, d));
  EXPECT_THAT(witness_path(document, kept), IsEmpty());
  g.r.edges.via[gone] = recording::kNoRow;
  const Document without(g.r, "");
  EXPECT_THAT(witness_path(without, gone), ElementsAre(kept, d));
}

TEST(GraphPaths, WitnessesAreFoundIfThereAreAny) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Document document(random_graph(seed, 14), "");
    const auto& r = document.recording();
    const std::function<bool(std::uint32_t, std::uint32_t)> reaches = [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
        if (r.edges.producer[edge] != from || !waits(r, edge)) continue;
        if (r.edges.consumer[edge] == to || reaches(r.edges.consumer[edge], to)) return true;
      }
      return false;
    };
    for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
      const std::vector<std::uint32_t> way = witness_path(document, edge);
      const bool removed = (r.edges.flags[edge] & ~r.edges.flags_final[edge] & runtime::kWait) != 0;
      ASSERT_EQ(!way.empty(), removed && reaches(r.edges.producer[edge], r.edges.consumer[edge]));
      if (way.empty()) continue;
      EXPECT_EQ(r.edges.producer[way.front()], r.edges.producer[edge]);
      EXPECT_EQ(r.edges.consumer[way.back()], r.edges.consumer[edge]);
      for (std::size_t i = 0; i < way.size(); ++i) {
        EXPECT_TRUE(waits(r, way[i]));
        EXPECT_TRUE(i == 0 || r.edges.consumer[way[i - 1]] == r.edges.producer[way[i]]);
      }
    }
  }
}

}  // namespace
}  // namespace depscope::viewers
