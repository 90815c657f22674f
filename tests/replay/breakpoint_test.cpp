#include "depscope/replay/breakpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "depscope/replay/row_names.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using ::testing::HasSubstr;

class BreakpointTest : public ::testing::Test {
 protected:
  BreakpointTest() : recording_(synthetic_recording({.tasks = 40})), cursor_(recording_) {}

  /// Events at which the breakpoint is hit, by a plain walk with another cursor.
  std::vector<std::uint32_t> expected(const Breakpoint& breakpoint) {
    Cursor walk(recording_);
    std::vector<std::uint32_t> events;
    const auto truth = [&](std::int64_t value) {
      switch (breakpoint.op) {
        case CompareOp::Equal: return value == breakpoint.value;
        case CompareOp::NotEqual: return value != breakpoint.value;
        case CompareOp::Less: return value < breakpoint.value;
        case CompareOp::LessOrEqual: return value <= breakpoint.value;
        case CompareOp::Greater: return value > breakpoint.value;
        case CompareOp::GreaterOrEqual: return value >= breakpoint.value;
        case CompareOp::Changes: break;
      }
      return false;
    };
    for (std::uint32_t event = 0; event < walk.size(); ++event) {
      if (!breakpoint.watch) {
        const EventQuery& q = breakpoint.query;
        if ((q.kinds.none() || q.kinds.test(recording_.events.kind[event])) &&
            (q.task == recording::kNoRow || task_of_event(recording_, event) == q.task)) {
          events.push_back(event);
        }
        walk.step();
        continue;
      }
      const std::int64_t before = value(walk, *breakpoint.watch);
      walk.step();
      const std::int64_t after = value(walk, *breakpoint.watch);
      const bool hit = breakpoint.op == CompareOp::Changes ? before != after : !truth(before) && truth(after);
      if (hit) events.push_back(event);
    }
    return events;
  }

  /// Events at which runs over the whole recording stop, `slice` events at a time.
  std::vector<std::uint32_t> hits(const Breakpoint& breakpoint, bool forward, std::uint32_t slice) {
    cursor_.seek(forward ? 0 : cursor_.size());
    std::vector<std::uint32_t> events;
    for (;;) {
      BreakpointRun run(cursor_, {breakpoint}, forward);
      std::optional<BreakpointHit> hit;
      while (!run.over()) hit = run.advance(slice);
      if (!hit) break;
      EXPECT_EQ(cursor_.position(), forward ? hit->event + 1 : hit->event);
      events.push_back(hit->event);
    }
    EXPECT_EQ(cursor_.position(), forward ? cursor_.size() : 0);
    return events;
  }

  recording::Recording recording_;
  Cursor cursor_;
};

TEST_F(BreakpointTest, RunsStopWhereAPlainWalkSeesTheHit) {
  const std::string edge = "edge:" + task_row_name(recording_, recording_.edges.producer[5]) + "->" +
                           task_row_name(recording_, recording_.edges.consumer[5]);
  const std::string ring = "ring:" + std::to_string(runtime::ring_of(recording_.tasks.id[0]));
  const std::vector<std::string> texts{
      "task:t5",          "task:t5 = completed", "task:t5 != pending", edge,
      "tasks:ready >= 3", "tasks:running < 2",   ring + ".watermark",  ring + ".watermark > 7",
      "tensormap <= 4",   "core:1 = idle",       "kind=complete",      "kind=complete,dispatch task=t7",
      "task=t9"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const Breakpoint breakpoint = parse_breakpoint(cursor_, "  " + text + " ");
    EXPECT_EQ(breakpoint.text, text);
    const auto wanted = expected(breakpoint);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(hits(breakpoint, true, 1), wanted);
    EXPECT_EQ(hits(breakpoint, true, 1000), wanted);
    EXPECT_EQ(hits(breakpoint, false, 7), std::vector(wanted.rbegin(), wanted.rend()));
  }
}

TEST_F(BreakpointTest, TheFirstOfSeveralIsTold) {
  const Breakpoint early = parse_breakpoint(cursor_, "task:t2");
  const Breakpoint late = parse_breakpoint(cursor_, "task:t30 = consumed");
  BreakpointRun run(cursor_, {late, early}, true);
  const auto hit = run.advance(cursor_.size());
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->breakpoint, 1U);
  ASSERT_TRUE(hit->change);
  EXPECT_EQ(change_text(recording_, *early.watch, *hit->change), "task:" + task_row_name(recording_, 2) + ": unborn -> pending");
}

TEST_F(BreakpointTest, WhatCannotBeMeantIsRefusedInOneSentence) {
  const auto error = [&](std::string_view text) {
    try {
      static_cast<void>(parse_breakpoint(cursor_, text));
    } catch (const QueryError& problem) {
      return std::string(problem.what());
    }
    ADD_FAILURE() << text << " was taken";
    return std::string();
  };
  EXPECT_THAT(error("  "), HasSubstr("a breakpoint is"));
  EXPECT_THAT(error("task:t5 ="), HasSubstr("lacks the value after '='"));
  EXPECT_THAT(error("task:t5 ~ 3"), HasSubstr("'~' is no comparison"));
  EXPECT_THAT(error("task:t5 = flying"), HasSubstr("'flying' is no value of task:"));
  EXPECT_THAT(error("task:t4000"), HasSubstr("t4000"));
  EXPECT_THAT(error("kind=nothing"), HasSubstr("nothing"));
  EXPECT_THAT(error("weather"), HasSubstr("cannot be watched"));
}

}  // namespace
}  // namespace depscope::replay
