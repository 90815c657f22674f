// Readers of the files of real runs: what the samples do not have (artefacts.md 4, 6, 14.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/artefacts/graph_views.h"
#include "depscope/replay/artefacts/run_times.h"
#include "depscope/replay/artefacts/scope_stats.h"
#include "depscope/replay/artefacts/swimlane.h"
#include "depscope/replay/deps_json_reader.h"

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SourceFile text(std::string content) { return {"run.json", std::move(content)}; }

template <class Read>
Diagnostic error_of(Read&& read) {
  try {
    read();
  } catch (const InputError& e) {
    return e.diagnostics().front();
  }
  ADD_FAILURE() << "no error";
  return {};
}

const std::string kHeader =
    R"({"version": 6, "fatal": false, "dropped": 0, "total": 3, "task_window_max": [8, 8, 8, 8], "heap_max": [64, 64, 64, 64], "dep_pool_max": [9, 9, 9, 9], "tensormap_max": 16})";

std::string sample(const std::string& site, const std::string& phase, int ring, int window_start, int window_end) {
  return R"({"site": ")" + site + R"(", "phase": ")" + phase + R"(", "depth": 1, "ring": )" + std::to_string(ring) +
         R"(, "task_window_start": )" + std::to_string(window_start) + R"(, "task_window_end": )" + std::to_string(window_end) +
         R"(, "heap_start": 0, "heap_end": 0, "dep_pool_start": 1, "dep_pool_end": 1, "tensormap": 0})";
}

TEST(ScopeStatsReader, SitesAreTakenAsTheyStand) {
  const std::string odd = R"(a\b"c.cpp:7)";  // the writer does not escape
  const ScopeStats s =
      read_scope_stats(text(kHeader + "\n" + sample(odd, "begin", 1, 0, 2) + "\n" + sample(odd, "end", 1, 0, 5) + "\n"));
  ASSERT_EQ(s.rows(), 2U);
  EXPECT_THAT(s.sites, ElementsAre(odd));
  const ScopePeaks peaks = scope_peaks(s);
  EXPECT_EQ(peaks.pairs, 1U);
  EXPECT_EQ(peaks.peaks.front().peak, 5);
}

TEST(ScopeStatsReader, NestedScopesOfOneSiteAndWhatHasNoPartner) {
  std::string lines = kHeader + "\n";
  for (const auto& [phase, end] : {std::pair("end", 1), std::pair("begin", 1), std::pair("begin", 2), std::pair("end", 7),
                                   std::pair("end", 4), std::pair("begin", 4)})
    lines += sample("x.cpp:1", phase, 2, 0, end) + "\n";
  const ScopePeaks peaks = scope_peaks(read_scope_stats(text(lines)));
  EXPECT_EQ(peaks.pairs, 2U);
  EXPECT_EQ(peaks.unmatched, 1U);
  EXPECT_EQ(peaks.open, 1U);
  EXPECT_EQ(peaks.peaks.front().peak, 7);
  EXPECT_EQ(peaks.peaks.front().index, 0U);
}

TEST(ScopeStatsReader, OnlyTheLastLineMayBeCut) {
  const std::string good = sample("x.cpp:1", "begin", 1, 0, 2);
  const ScopeStats s = read_scope_stats(text(kHeader + "\n" + good + "\n" + good.substr(0, 60)));
  EXPECT_EQ(s.rows(), 1U);
  ASSERT_TRUE(s.cut.has_value());
  EXPECT_EQ(s.cut->line, 3U);
  const Diagnostic d = error_of([&] { (void)read_scope_stats(text(kHeader + "\n" + good.substr(0, 60) + "\n" + good + "\n")); });
  EXPECT_EQ(d.line, 2U);
  EXPECT_EQ(read_scope_stats(text("")).version, 0U);
  EXPECT_THAT(error_of([] { (void)read_scope_stats(text("{\"version\": 9}\n")); }).message, HasSubstr("allowed: 3 to 6"));
}

TEST(SwimlaneReader, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(error_of([] { (void)read_swimlane(text(R"({"metadata":{},"aicore_tasks":[]})")); }).message,
              HasSubstr("clock_freq_hz"));
  const Diagnostic row =
      error_of([] { (void)read_swimlane(text(R"({"metadata":{"clock_freq_hz":1},"aicore_tasks":[[0,0,1,2,3,0],[1,2]]})")); });
  EXPECT_THAT(row.message, HasSubstr("5 or 6 numbers"));
  EXPECT_EQ(row.json_path, "aicore_tasks[1]");
  EXPECT_THAT(
      error_of([] {
        (void)read_swimlane(text(
            R"({"metadata":{"clock_freq_hz":1,"orchestrator_source":"host"},"aicore_tasks":[],"aicpu_orchestrator_phases":[[{"submit_idx":0,"task_id":0,"start_cycles":1,"end_cycles":2}]]})"));
      }).message,
      HasSubstr("whose clock"));
}

/// Levels that are missing or unknown follow from the sections; lost rows stay apart from what the reference computes.
TEST(SwimlaneReader, LostRowsAndUnknownLevels) {
  const Swimlane s = read_swimlane(text(
      R"({"chip_swimlane_level":5,"metadata":{"clock_freq_hz":50000000,"core_types":["aic"]},
          "aicore_tasks":[[0,7,1,18446744073709551000,18446744073709551010,5],[0,8,2,30,40,0],[3,9,1,50,60,0]],
          "aicpu_tasks":[[0,1,18446744073709550900,18446744073709551100],[0,9,1,2]],
          "aicpu_scheduler_phases":[[{"kind":"weird","start_cycles":20,"end_cycles":21,"loop_iter":1,"tasks_processed":0}]]})"));
  EXPECT_TRUE(s.level_derived);
  EXPECT_EQ(s.level, 3U);
  EXPECT_EQ(s.unknown_kinds, 1U);
  const RunTimes t = run_times(s);
  ASSERT_EQ(t.joined.rows(), 1U);
  EXPECT_EQ(t.joined.start[0], 18446744073709551000U);  // beyond what a double holds
  EXPECT_EQ(t.without_core, 1U);
  EXPECT_THAT(t.without_aicpu.task, ElementsAre(8U, 9U));
  EXPECT_EQ(t.base, 20U);
  EXPECT_EQ(t.core_type(3), 1U);  // beyond core_types: AIV
}

std::string task(int id, const std::string& args) {
  return R"({"task_id":")" + std::to_string(id) +
         R"(","scope":"auto","early_dispatch":false,"kernel_ids":[-1,0,-1],"block_num":1,"args":[)" + args + "]}";
}
std::string argument(const std::string& type) {
  return R"({"idx":0,"type":")" + type + R"(","tensor_id":"5","dtype":"FLOAT32","shape":[16],"start_offset":"0","strides":[1]})";
}
std::string creator(int from, int to) {
  return R"({"pred":")" + std::to_string(from) + R"(","succ":")" + std::to_string(to) +
         R"(","arg":0,"source":"creator","flags":["wait","retain"],"tensor_id":"5","consumer_dtype":"FLOAT32","consumer_shape":[16],"consumer_start_offset":"0","consumer_strides":[1]})";
}
std::string overlap(int from, int to) {
  return R"({"pred":")" + std::to_string(from) + R"(","succ":")" + std::to_string(to) +
         R"(","arg":0,"source":"tensormap","flags":["wait"],"overlap":"covered","tensor_id":"5","consumer_dtype":"FLOAT32","consumer_shape":[16],"consumer_start_offset":"0","consumer_strides":[1],"producer_shape":[16],"producer_start_offset":"0","producer_strides":[1]})";
}

/// 0 makes a buffer that 1, 2 and 3 update one after the other: the pairs (0,2) and (0,3) are redundant by order.
TEST(GraphViewsTest, PairsWithTheCreatorStayUnlessTheirBytesAreCarriedOn) {
  const std::string file =
      R"({"tasks":[)" + task(0, R"({"idx":0,"type":"OUTPUT"})") + "," + task(1, argument("INOUT")) + "," +
      task(2, argument("INOUT")) + "," + task(3, argument("INOUT")) +
      R"(],"tensors":[{"tensor_id":"5","buffer_addr":"4096","version":0,"dtype":"FLOAT32","buffer_numel":"16"}],"edges":[)" +
      creator(0, 1) + "," + creator(0, 2) + "," + overlap(1, 2) + "," + creator(0, 3) + "," + overlap(2, 3) + "]}";
  const DepsFile deps = read_deps_json(text(file));
  const GraphViews v = graph_views(deps.recording);
  EXPECT_THAT(v.nodes, ElementsAre(0U, 1U, 2U, 3U));
  EXPECT_EQ(v.unique_edges, 5U);
  EXPECT_THAT(v.reduced_removed, IsEmpty());
  // Of task 2 every byte comes from 1 and goes on to 3; what 3 leaves is read by nobody.
  ASSERT_EQ(v.dataflow_removed.size(), 1U);
  EXPECT_EQ(deps.recording.edges.consumer[v.dataflow_removed[0]], 2U);
}

TEST(GraphViewsTest, AnEdgeThatLeadsBackLeavesTheGraphAsItIs) {
  const auto edge = [](int from, int to) {
    return R"({"pred":")" + std::to_string(from) + R"(","succ":")" + std::to_string(to) +
           R"(","arg":-1,"source":"explicit","flags":["wait","retain"]})";
  };
  const std::string tasks = R"({"tasks":[)" + task(0, "") + "," + task(1, "") + "," + task(2, "") + R"(],"tensors":[],"edges":[)";
  const GraphViews straight =
      graph_views(read_deps_json(text(tasks + edge(0, 1) + "," + edge(0, 2) + "," + edge(1, 2) + "]}")).recording);
  EXPECT_EQ(straight.reduced_removed.size(), 1U);
  const GraphViews back = graph_views(
      read_deps_json(text(tasks + edge(0, 1) + "," + edge(0, 2) + "," + edge(1, 2) + "," + edge(2, 0) + "]}")).recording);
  EXPECT_TRUE(back.cyclic);
  EXPECT_THAT(back.reduced_removed, IsEmpty());
}

}  // namespace
}  // namespace depscope::replay
