// The events that a real run becomes (artefacts.md 4), and what a cursor over them says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/compare.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/measured_run.h"
#include "depscope/replay/state_queries.h"
#include "depscope/replay/timing_text.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSamples = DEPSCOPE_TEST_DATA "/artefacts/";

Recording run_of(const std::string& name) {
  const RunTree tree = find_runs(kSamples + name);
  return import_run(tree.runs.front(), kSamples + name).recording;
}

std::uint32_t task(const Recording& r, std::uint32_t local) {
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    if (r.tasks.id[t] == runtime::make_task_id(1, local)) return t;
  }
  ADD_FAILURE() << "no task r1t" << local;
  return 0;
}

/// "200 dispatch" for all that happens to a task, edges left out; times in units.
std::vector<std::string> life(const Recording& r, std::uint32_t local) {
  std::vector<std::string> out;
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    const auto kind = static_cast<EventKind>(r.events.kind[e]);
    if (kind == EventKind::Config || kind == EventKind::EdgeAdd || kind == EventKind::RunEnd ||
        r.events.subject[e] != task(r, local))
      continue;
    const bool on_core = kind == EventKind::Place || kind == EventKind::Observe;
    out.push_back(fmt::format("{} {}{}", r.events.time[e], runtime::event_kind_name(kind),
                              on_core ? fmt::format(" {}", r.events.object[e]) : ""));
  }
  return out;
}

TEST(MeasuredEvents, OfTheSampleAtLevelFour) {
  const Recording r = run_of("l2_full");
  EXPECT_TRUE(has_measured_events(r));
  EXPECT_DOUBLE_EQ(microseconds_per_unit(r), 0.02);
  // Dispatched at 4 us, on its core from 5 to 15, the end noticed at 16.
  const std::vector<std::string> first = life(r, 0);
  EXPECT_THAT(std::vector<std::string>(first.end() - 5, first.end()),
              ElementsAre("200 dispatch", "250 place 0", "750 finish", "750 observe 0", "800 complete"));
  // Two blocks on two cores; ready with its producer r1t0.
  const std::vector<std::string> blocks = life(r, 1);
  EXPECT_THAT(std::vector<std::string>(blocks.begin() + 1, blocks.end()),
              ElementsAre("800 ready", "850 dispatch", "900 place 1", "920 place 2", "1400 finish", "1400 observe 1",
                          "1500 finish", "1500 observe 2", "1550 complete"));
  // It began before its producer r1t2 had ended: it was ready when it was dispatched, whatever the graph says.
  const std::vector<std::string> backward = life(r, 5);
  EXPECT_THAT(std::vector<std::string>(backward.begin() + 1, backward.end()),
              ElementsAre("1800 ready", "1800 dispatch", "2050 place 1", "2200 finish", "2200 observe 1", "2250 complete"));
  // A barrier has no core: it completes where the AICPU says so.
  EXPECT_THAT(life(r, 3).back(), HasSubstr("complete"));
}

TEST(MeasuredEvents, ACursorGoesThroughThemAndBack) {
  for (const char* name :
       {"l2_full", "l2_levels/level1", "l2_levels/level2", "l2_levels/level3", "host_graph", "legacy/v2_5col"}) {
    const Recording r = run_of(name);
    ASSERT_TRUE(has_measured_events(r)) << name;
    EXPECT_TRUE(std::is_sorted(r.events.time.begin(), r.events.time.end())) << name;
    Cursor cursor(r);
    EXPECT_TRUE(cursor.measured());
    EXPECT_FALSE(cursor.full()) << "slots, references and queues are not recorded";
    const std::uint64_t start = cursor.state().digest();
    while (cursor.step()) {
    }
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      EXPECT_EQ(cursor.state().task_state[t], static_cast<std::uint8_t>(TaskState::Completed)) << name << " task " << t;
      EXPECT_TRUE(holders_of(cursor, t).empty()) << "what keeps it is not recorded";
    }
    EXPECT_EQ(r.events.new_value.back(), r.tasks.rows()) << "completed tasks";
    while (cursor.back()) {
    }
    EXPECT_EQ(cursor.state().digest(), start) << name;
  }
}

TEST(MeasuredEvents, ASubmitThatIsNotRecordedIsAsLateAsItCanBe) {
  // Level 2 has no orchestrator: before the dispatch of the task and of all behind it.
  const Recording r = run_of("l2_levels/level2");
  EXPECT_THAT(life(r, 0).front(), HasSubstr("0 submit")) << "its own dispatch is the earliest time of the file";
  const std::vector<std::string> fourth = life(r, 4);
  EXPECT_EQ(fourth.front(), "1600 submit")
      << "r1t5, which comes behind it, was dispatched then: 36 us, 4 us after the zero of level 2";
}

TEST(MeasuredEvents, CoresAreBusyAsMeasured) {
  const Recording r = run_of("l2_full");
  Cursor cursor(r);
  while (cursor.position() < cursor.size() && r.events.time[cursor.position()] <= 1000) cursor.step();
  const auto busy = busy_cores(cursor);
  ASSERT_TRUE(busy.has_value());
  ASSERT_EQ(busy->size(), 2U) << "20 us: both blocks of r1t1";
  EXPECT_EQ((*busy)[0].core, 1U);
  EXPECT_EQ((*busy)[0].running, task(r, 1));
  EXPECT_EQ((*busy)[1].core, 2U);
  EXPECT_FALSE(tensormap_entries(cursor, 10).has_value());
  // r1t2 waits for r1t1 until that is complete.
  const auto waits = cursor.waiting_for(task(r, 2));
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(r.edges.producer[waits[0]], task(r, 1));
}

TEST(MeasuredEvents, AreNoRunOfTheModelToACompare) {
  const Recording full = run_of("l2_full");
  const Recording level2 = run_of("l2_levels/level2");
  const Comparison same = compare(full, full);
  EXPECT_EQ(same.total(), 0U);
  for (const Difference& d : compare(full, level2).differences)
    EXPECT_NE(d.kind, DifferenceKind::CompletionOrder) << "two real runs never end alike";
}

TEST(TimingText, TheLongestRowOfATaskAndTheMeanOfAKernel) {
  const Recording r = run_of("l2_full");
  EXPECT_EQ(timing_text(r),
            R"({"schema":"depscope.timing/1","tasks":{"4294967296":500,"4294967297":580,"4294967298":600,)"
            R"("4294967300":500,"4294967301":150},"kernels":{"attn_aic + attn_aiv":600,"mm":500,"vadd":500,"vexp":365}})"
            "\n");
  EXPECT_EQ(timing_text(Recording{}), "");
}

}  // namespace
}  // namespace depscope::replay
