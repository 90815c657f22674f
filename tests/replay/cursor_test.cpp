#include "depscope/replay/cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "depscope/replay/file.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;
using ::testing::HasSubstr;
using ::testing::Not;

class CursorTest : public ::testing::TestWithParam<std::uint32_t> {};  // keyframe interval

TEST_P(CursorTest, BackwardReachesTheSameStates) {
  const Recording r = synthetic_recording({.tasks = 60, .seed = 3});
  Cursor cursor(r, GetParam());
  std::vector<std::uint64_t> digests{cursor.state().digest()};
  while (cursor.step()) digests.push_back(cursor.state().digest());
  ASSERT_EQ(digests.size(), r.events.rows() + 1U);
  EXPECT_FALSE(cursor.step());
  std::size_t changes = 0;
  for (std::size_t i = 1; i < digests.size(); ++i) changes += digests[i] != digests[i - 1];
  EXPECT_GT(changes, digests.size() / 2);
  do {
    ASSERT_EQ(cursor.state().digest(), digests[cursor.position()]) << cursor.position();
  } while (cursor.back());
  EXPECT_EQ(cursor.position(), 0U);
}

TEST_P(CursorTest, SeekReachesTheSameStates) {
  const Recording r = synthetic_recording({.tasks = 500, .seed = 4});
  Cursor cursor(r, GetParam());
  std::vector<std::uint64_t> digests{cursor.state().digest()};
  while (cursor.step()) digests.push_back(cursor.state().digest());
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    const std::uint32_t to = random() % (r.events.rows() + 5);
    cursor.seek(to);
    ASSERT_EQ(cursor.position(), std::min(to, r.events.rows()));
    ASSERT_EQ(cursor.state().digest(), digests[cursor.position()]) << cursor.position();
    for (std::uint32_t k = random() % 20; k > 0; --k) (random() % 2 == 0 ? cursor.step() : cursor.back());
    ASSERT_EQ(cursor.state().digest(), digests[cursor.position()]) << cursor.position();
  }
}

INSTANTIATE_TEST_SUITE_P(Intervals, CursorTest, ::testing::Values(0U, 1U, 7U, 1000U));

TEST(CursorRunTest, EndStateOfAFullRun) {
  const Recording r = synthetic_recording({.tasks = 200});
  Cursor cursor(r);
  cursor.seek(cursor.size());
  const State& s = cursor.state();
  EXPECT_EQ(s.tasks_in_state[static_cast<std::size_t>(TaskState::Consumed)], 200U);
  EXPECT_EQ(s.rings[1].next, 200);
  EXPECT_EQ(s.rings[1].watermark, 200);
  EXPECT_EQ(s.rings[1].published, 200);
  EXPECT_EQ(s.rings[1].heap_top, s.rings[1].heap_tail);
  EXPECT_EQ(s.rings[1].dep_top, s.rings[1].dep_tail);
  EXPECT_EQ(s.rings[1].spill_top, s.rings[1].spill_tail);
  EXPECT_EQ(s.rings[1].lock_owner, 0);
  EXPECT_EQ(s.rings[1].task_window, 4096);
  EXPECT_EQ(s.config[static_cast<std::size_t>(runtime::ConfigItem::SchedulerThreads)], 1);
  EXPECT_EQ(s.have, s.need);
  EXPECT_EQ(s.claimed, s.released);
  EXPECT_EQ(s.edge_flags, r.edges.flags_final);
  EXPECT_TRUE(s.open_scopes.empty());
  ASSERT_EQ(s.core_task.size(), 4U);
  ASSERT_EQ(s.core_pending.size(), 4U);
  for (const std::uint32_t task : s.core_task) EXPECT_EQ(task, kNoRow);
  for (const std::uint32_t task : s.core_pending) EXPECT_EQ(task, kNoRow);
  for (const std::int64_t length : s.queue_length) EXPECT_EQ(length, 0);
  EXPECT_EQ(s.buffered_releases, std::vector<std::int64_t>{0});
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    EXPECT_EQ(s.payload_phase[t], static_cast<std::uint8_t>(runtime::PayloadPhase::Initialised));
    EXPECT_EQ(s.block_cursor[t], r.tasks.block_num[t]);
    EXPECT_EQ(s.subtasks_done[t], 1U);
    EXPECT_EQ(s.aborted[t], 0);
    EXPECT_EQ(s.reclaimed[t], 1);
  }
}

TEST(CursorRunTest, EndStateOfARunThatFails) {
  const Recording r = synthetic_recording({.tasks = 20, .faults = true});
  Cursor cursor(r);
  cursor.seek(cursor.size());
  const State& s = cursor.state();
  EXPECT_EQ(s.task_state[20], static_cast<std::uint8_t>(TaskState::Pending));
  EXPECT_EQ(s.aborted[20], 1);
  EXPECT_EQ(s.aborted[19], 0);
  EXPECT_EQ(s.edge_flags[0], 0);
  EXPECT_FALSE(s.open_scopes.empty());
}

/// Compares the two questions with answers found by scanning the events.
TEST(CursorRunTest, WaitingForAndKeptAliveByAgreeWithAScan) {
  const Recording r = synthetic_recording({.tasks = 120, .seed = 9});
  Cursor cursor(r);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> edge_of;
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e) edge_of[{r.edges.producer[e], r.edges.consumer[e]}] = e;
  std::set<std::uint32_t> pinned, missing, linked;  // edges rows
  std::size_t waits = 0, pins = 0;
  do {
    if (cursor.position() > 0) {
      const std::uint32_t i = cursor.position() - 1;
      const std::uint32_t subject = r.events.subject[i], object = r.events.object[i];
      switch (static_cast<EventKind>(r.events.kind[i])) {
        case EventKind::PinClaim: pinned.insert(edge_of.at({subject, object})); break;
        case EventKind::PinRelease: pinned.erase(edge_of.at({subject, object})); break;
        case EventKind::EdgeAdd:
        case EventKind::EdgeReduce:
          missing.erase(subject);
          if ((r.events.new_value[i] & runtime::kWait) != 0) missing.insert(subject);
          break;
        case EventKind::NodeTake: linked.insert(edge_of.at({object, subject})); break;
        case EventKind::WaitCount:
          if (object != kNoRow) missing.erase(edge_of.at({object, subject}));
          break;
        default: break;
      }
    }
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      std::vector<std::uint32_t> expected_waits, expected_pins;
      for (const std::uint32_t e : cursor.fanin(t)) {
        // A producer that completes before the wiring is not waited for.
        const bool completed = cursor.state().task_state[r.edges.producer[e]] >= static_cast<std::uint8_t>(TaskState::Completed);
        if (missing.contains(e) && (linked.contains(e) || !completed) &&
            cursor.state().task_state[t] == static_cast<std::uint8_t>(TaskState::Pending))
          expected_waits.push_back(e);
      }
      for (const std::uint32_t e : cursor.fanout(t)) {
        if (pinned.contains(e)) expected_pins.push_back(e);
      }
      ASSERT_EQ(cursor.waiting_for(t), expected_waits) << t << " at " << cursor.position();
      ASSERT_EQ(cursor.kept_alive_by(t), expected_pins) << t << " at " << cursor.position();
      waits += expected_waits.size();
      pins += expected_pins.size();
    }
  } while (cursor.step());
  EXPECT_GT(waits, 100U);
  EXPECT_GT(pins, 100U);
}

TEST(CursorRunTest, SummaryRecordingsAnswerFromFlagsAndReleases) {
  const Recording r = synthetic_recording({.tasks = 120, .seed = 9, .pins = false});
  Cursor cursor(r);
  std::size_t waits = 0, pins = 0;
  do {
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      waits += cursor.waiting_for(t).size();
      for (const std::uint32_t e : cursor.kept_alive_by(t)) {
        EXPECT_NE(cursor.state().edge_flags[e] & runtime::kRetain, 0);
        EXPECT_LT(cursor.state().task_state[t], static_cast<std::uint8_t>(TaskState::Consumed));
        ++pins;
      }
    }
  } while (cursor.step());
  EXPECT_GT(waits, 100U);
  EXPECT_GT(pins, 100U);
}

TEST(CursorRunTest, NextAndPreviousOfAKind) {
  const Recording r = synthetic_recording({.tasks = 50});
  Cursor cursor(r);
  std::vector<std::uint32_t> forward, backward;
  while (cursor.next(EventKind::Complete)) forward.push_back(cursor.position() - 1);
  EXPECT_EQ(forward.size(), 50U);
  for (const std::uint32_t i : forward) EXPECT_EQ(r.events.kind[i], static_cast<std::uint8_t>(EventKind::Complete));
  const std::uint32_t at = cursor.position();
  EXPECT_FALSE(cursor.next(EventKind::Complete));
  EXPECT_EQ(cursor.position(), at);
  while (cursor.previous(EventKind::Complete)) backward.push_back(cursor.position());
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(CursorRunTest, NextAndPreviousOfATask) {
  const Recording r = synthetic_recording({.tasks = 50});
  Cursor cursor(r);
  std::vector<std::uint32_t> expected, forward, backward;
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (task_of_event(r, i) == 7) expected.push_back(i);
  }
  while (cursor.next_of_task(7)) forward.push_back(cursor.position() - 1);
  while (cursor.previous_of_task(7)) backward.push_back(cursor.position());
  std::reverse(backward.begin(), backward.end());
  EXPECT_GT(expected.size(), 8U);
  EXPECT_EQ(forward, expected);
  EXPECT_EQ(backward, expected);
  EXPECT_FALSE(cursor.next_of_task(50));
}

TEST(CursorRunTest, ContradictionsAreNamed) {
  const auto first = [](const Recording& r, EventKind kind) {
    for (std::uint32_t i = 0;; ++i) {
      if (r.events.kind[i] == static_cast<std::uint8_t>(kind)) return i;
    }
  };
  for (const EventKind kind :
       {EventKind::Submit, EventKind::Ready, EventKind::Complete, EventKind::WaitCount, EventKind::PinClaim, EventKind::EdgeAdd,
        EventKind::Watermark, EventKind::HeapAlloc, EventKind::TensorMapInsert}) {
    Recording r = synthetic_recording({.tasks = 30});
    const std::uint32_t i = first(r, kind);
    ++r.events.old_value[i];
    try {
      const Cursor cursor(r);
      ADD_FAILURE() << runtime::event_kind_name(kind);
    } catch (const FileError& error) {
      EXPECT_EQ(error.fault(), FileFault::Corrupt);
      EXPECT_THAT(error.what(), HasSubstr("event " + std::to_string(i) + " ("));
      EXPECT_THAT(error.what(), HasSubstr(describe_event(r, i)));
    }
  }
  Recording r = synthetic_recording({.tasks = 30});
  r.events.kind[first(r, EventKind::ScopeBegin)] = static_cast<std::uint8_t>(EventKind::ScopeEnd);
  EXPECT_THROW(Cursor{r}, FileError);
  r = synthetic_recording({.tasks = 30});
  r.events.kind[first(r, EventKind::Place)] = static_cast<std::uint8_t>(EventKind::Finish);  // seen to end on a core that is idle
  EXPECT_THROW(Cursor{r}, FileError);
}

TEST(CursorRunTest, EveryEventHasALineOfText) {
  const Recording r = synthetic_recording({.tasks = 60, .in_flight = 6, .faults = true});
  std::set<std::string> lines;
  std::set<std::uint8_t> kinds;
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    const auto kind = static_cast<EventKind>(r.events.kind[i]);
    const std::string line = describe_event(r, i);
    EXPECT_EQ(line.rfind(runtime::event_kind_name(kind), 0), 0U) << line;
    if (kind != EventKind::SubmitIgnored) {
      EXPECT_NE(line, runtime::event_kind_name(kind)) << "says nothing more than its kind";
    }
    EXPECT_THAT(line, Not(HasSubstr("?")));
    lines.insert(line);
    kinds.insert(r.events.kind[i]);
  }
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind)
    EXPECT_TRUE(kinds.contains(kind)) << runtime::event_kind_name(static_cast<EventKind>(kind));
  EXPECT_TRUE(lines.contains("submit fill t0 on ring 1"));
  EXPECT_TRUE(lines.contains("submit dummy t16 on ring 1"));
}

TEST(CursorRunTest, RecordingWithoutEvents) {
  const Recording r;
  Cursor cursor(r);
  EXPECT_FALSE(cursor.step());
  EXPECT_FALSE(cursor.back());
  cursor.seek(10);
  EXPECT_EQ(cursor.position(), 0U);
  EXPECT_TRUE(cursor.full());  // nothing is left out
}

}  // namespace
}  // namespace depscope::replay
