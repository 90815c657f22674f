#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "recorded_run.h"

namespace depscope::runtime {
namespace {

using Graph = std::vector<std::vector<std::pair<std::uint32_t, std::uint8_t>>>;  // by consumer: producer, flags
using PairSet = std::set<std::pair<std::uint32_t, std::uint32_t>>;

RecordedRun run(const Graph& graph, ReductionOptions reduction) {
  ModelOptions options{.reduction = reduction};
  options.lift_limits();
  RecordedRun run(options);
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    Submission s = kernel();
    for (const auto& [producer, flags] : graph[task]) s.deps.push_back({.task = producer, .flags = flags});
    run.model.submit(s);
  }
  run.model.finish();
  return run;
}

PairSet cleared(const RecordedRun& run) {
  PairSet out;
  for (const EdgeRow& e : run.sink.edges) {
    if (e.flags != e.flags_final) out.insert({e.producer, e.consumer});
  }
  return out;
}

std::vector<std::set<std::uint32_t>> ancestors(const Graph& graph) {
  std::vector<std::set<std::uint32_t>> out(graph.size());
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    for (const auto& [producer, flags] : graph[task]) {
      if ((flags & kWait) == 0) continue;
      out[task].insert(producer);
      out[task].insert(out[producer].begin(), out[producer].end());
    }
  }
  return out;
}

/// P→C is redundant iff another direct WAIT producer of C has P among its ancestors.
PairSet redundant(const Graph& graph, std::uint32_t window) {
  const auto reach = ancestors(graph);
  PairSet out;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    for (const auto& [p, flags] : graph[task]) {
      if ((flags & kWait) == 0 || task - p > window) continue;
      for (const auto& [q, other] : graph[task]) {
        if (q != p && (other & kWait) != 0 && reach[q].count(p) != 0) out.insert({p, task});
      }
    }
  }
  return out;
}

void expect_sound(const Graph& graph, const RecordedRun& run) {
  const auto reach = ancestors(graph);
  for (const EdgeRow& e : run.sink.edges) {
    EXPECT_EQ(e.flags & kRetain, e.flags_final & kRetain);
    if (e.flags == e.flags_final) {
      EXPECT_EQ(e.via, kNoRow);
      continue;
    }
    bool direct = false;
    for (const auto& [q, flags] : graph[e.consumer]) direct = direct || (q == e.via && (flags & kWait) != 0);
    EXPECT_TRUE(direct) << e.producer << " to " << e.consumer << " via " << e.via;
    EXPECT_EQ(reach[e.via].count(e.producer), 1U);
  }
}

/// All WAIT graphs on five tasks (X7), with every window up to 4.
TEST(Reduction, AllGraphsOnFiveTasks) {
  constexpr std::uint32_t kTasks = 5;
  for (std::uint32_t bits = 0; bits < 1U << 10U; ++bits) {
    Graph graph(kTasks);
    std::uint32_t bit = 0;
    for (std::uint32_t c = 0; c < kTasks; ++c) {
      for (std::uint32_t p = 0; p < c; ++p, ++bit) {
        if ((bits >> bit & 1U) != 0) graph[c].emplace_back(p, kWait);
      }
    }
    const RecordedRun exact = run(graph, {.kind = ReductionKind::Exact});
    EXPECT_EQ(cleared(exact), redundant(graph, kTasks)) << bits;
    expect_sound(graph, exact);
    for (std::uint32_t window = 1; window <= 4; ++window) {
      const RecordedRun bitmap = run(graph, {.kind = ReductionKind::Bitmap, .window = window});
      EXPECT_EQ(cleared(bitmap), redundant(graph, window)) << bits << " window " << window;
      expect_sound(graph, bitmap);
    }
  }
}

/// Sparse random graphs with all flag values, longer than any window.
TEST(Reduction, RandomGraphs) {
  std::mt19937 random(11);
  for (std::uint32_t round = 0; round < 30; ++round) {
    Graph graph(300);
    for (std::uint32_t c = 1; c < graph.size(); ++c) {
      std::set<std::uint32_t> producers;
      for (std::uint32_t i = random() % 6; i > 0; --i) {
        const std::uint32_t reach = std::min<std::uint32_t>(c, i % 2 == 0 ? 8 : 290);
        producers.insert(c - 1 - static_cast<std::uint32_t>(random() % reach));
      }
      std::vector<std::uint32_t> order(producers.begin(), producers.end());
      std::shuffle(order.begin(), order.end(), random);
      for (const std::uint32_t p : order) graph[c].emplace_back(p, static_cast<std::uint8_t>(random() % 4));
    }
    std::uint64_t waits = 0;
    const RecordedRun exact = run(graph, {.kind = ReductionKind::Exact});
    EXPECT_EQ(cleared(exact), redundant(graph, 300));
    expect_sound(graph, exact);
    for (const std::uint32_t window : {1U, 7U, 63U, 64U, 65U, 128U, 200U, 256U, 299U}) {
      const RecordedRun bitmap = run(graph, {.kind = ReductionKind::Bitmap, .window = window});
      EXPECT_EQ(cleared(bitmap), redundant(graph, window)) << "window " << window;
      expect_sound(graph, bitmap);
      waits = 0;
      for (const EdgeRow& e : bitmap.sink.edges) waits += (e.flags & kWait) != 0 && e.consumer - e.producer > window ? 1 : 0;
      EXPECT_EQ(bitmap.model.window_misses(), waits);
    }
    const RecordedRun one_hop = run(graph, {.kind = ReductionKind::OneHop});
    expect_sound(graph, one_hop);
    const PairSet upper = redundant(graph, 300);
    for (const auto& pair : cleared(one_hop)) EXPECT_EQ(upper.count(pair), 1U);
  }
}

/// X1: a diamond whose far edge spans exactly the window, and one more.
TEST(Reduction, WindowBoundary) {
  for (const std::uint32_t window : {64U, 128U, 256U}) {
    for (const std::uint32_t distance : {window, window + 1}) {
      Graph graph(distance + 1);
      graph[1] = {{0, kWaitRetain}};
      graph[distance] = {{0, kWaitRetain}, {1, kWaitRetain}};
      const RecordedRun r = run(graph, {.kind = ReductionKind::Bitmap, .window = window});
      EXPECT_EQ(cleared(r).size(), distance == window ? 1U : 0U) << window << " " << distance;
      EXPECT_EQ(r.model.window_misses(), distance == window ? 0U : 1U);
    }
  }
}

/// 1e and X6: what one-hop does not do.
TEST(Reduction, OneHopNeedsADirectRetainingCover) {
  const Graph diamond{{}, {{0, kWaitRetain}}, {{0, kWaitRetain}, {1, kWaitRetain}}};
  EXPECT_EQ(cleared(run(diamond, {.kind = ReductionKind::OneHop})), (PairSet{{0, 2}}));
  const Graph wait_only{{}, {{0, kWait}}, {{0, kWait}, {1, kWait}}};
  EXPECT_TRUE(cleared(run(wait_only, {.kind = ReductionKind::OneHop})).empty());
  const Graph depth3{{}, {{0, kWaitRetain}}, {{1, kWaitRetain}}, {{0, kWaitRetain}, {2, kWaitRetain}}};
  EXPECT_TRUE(cleared(run(depth3, {.kind = ReductionKind::OneHop})).empty());
  EXPECT_EQ(cleared(run(depth3, {.kind = ReductionKind::Exact})), (PairSet{{0, 3}}));
}

/// F3: the covered producer is far behind the inline entries.
TEST(Reduction, CoversProducersBeyondTheInlineEntries) {
  Graph graph(68);
  graph[66] = {{65, kWaitRetain}};
  for (std::uint32_t p = 0; p < 65; ++p) graph[67].emplace_back(p, kWaitRetain);
  graph[67].emplace_back(66, kWaitRetain);
  graph[67].emplace_back(65, kWaitRetain);
  for (const ReductionKind kind : {ReductionKind::Exact, ReductionKind::Bitmap}) {
    EXPECT_EQ(cleared(run(graph, {.kind = kind, .window = 64})), (PairSet{{65, 67}}));
  }
  EXPECT_TRUE(cleared(run(graph, {.kind = ReductionKind::OneHop})).empty());
}

TEST(Reduction, LongChainWithFarEdgesStaysCheap) {
  Graph graph(20000);
  for (std::uint32_t c = 1; c < graph.size(); ++c) {
    graph[c].emplace_back(c - 1, kWait);
    if (c > 50) graph[c].emplace_back(c - 50, kWait);
  }
  const RecordedRun r = run(graph, {.kind = ReductionKind::Exact});
  EXPECT_EQ(cleared(r).size(), graph.size() - 51);
}

}  // namespace
}  // namespace depscope::runtime
