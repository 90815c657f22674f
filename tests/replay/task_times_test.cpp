// Times and peaks read off the events agree with a cursor that walks them.
#include "task_times.h"
#include "depscope/replay/task_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/submission.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::TaskState;

void expect_agreement(const Recording& r) {
  const TaskTimes times(r);
  Cursor cursor(r);
  std::array<std::int64_t, runtime::kRingCount> slots{};
  std::int64_t tensormap = 0;
  std::vector<std::uint32_t> completed(r.tasks.rows(), kNever);
  std::vector<std::uint32_t> consumed = completed;
  std::vector<std::uint32_t> submitted = completed;
  std::vector<std::uint32_t> scope_end(r.scopes.rows(), kNever);
  while (cursor.step()) {
    const State& state = cursor.state();
    const std::uint32_t now = r.events.time[cursor.position() - 1];
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
      const auto at = static_cast<TaskState>(state.task_state[t]);
      if (at >= TaskState::Pending) submitted[t] = std::min(submitted[t], now);
      if (at >= TaskState::Completed) completed[t] = std::min(completed[t], now);
      if (at == TaskState::Consumed) consumed[t] = std::min(consumed[t], now);
    }
    for (std::uint32_t s = 0; s < r.scopes.rows(); ++s) {
      if (state.scope_state[s] == 2) scope_end[s] = std::min(scope_end[s], now);
    }
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring)
      slots[ring] = std::max(slots[ring], state.rings[ring].next - state.rings[ring].watermark);
    tensormap = std::max(tensormap, state.tensormap_entries);
  }
  EXPECT_EQ(times.submitted, submitted);
  EXPECT_EQ(times.completed, completed);
  EXPECT_EQ(times.consumed, consumed);
  EXPECT_EQ(times.scope_end, scope_end);
  EXPECT_EQ(times.slots, slots);
  EXPECT_EQ(times.tensormap, tensormap);
  EXPECT_EQ(times.end, r.events.time.back());
  std::uint64_t events = 0;
  for (const std::uint64_t n : times.count) events += n;
  EXPECT_EQ(events, r.events.rows());
}

TEST(TaskTimes, AgreeWithTheCursor) { expect_agreement(synthetic_recording({.tasks = 60})); }
TEST(TaskTimes, AgreeWithTheCursorOnASummary) { expect_agreement(synthetic_recording({.tasks = 60, .pins = false})); }
TEST(TaskTimes, AgreeWithTheCursorOnARunThatStops) { expect_agreement(synthetic_recording({.tasks = 40, .faults = true})); }

TEST(TaskMoments, TheLastReaderIsTheLastConsumerThatRetains) {
  const Recording r = synthetic_recording({.tasks = 60});
  const TaskMoments moments(r);
  std::uint32_t with_reader = 0;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    std::uint32_t last = kNever;
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      if (r.edges.producer[e] != t || (r.edges.flags_final[e] & runtime::kRetain) == 0) continue;
      // The event of the edge's own reference.
      std::uint32_t at = kNever;
      for (std::uint32_t event = 0; event < r.events.rows(); ++event) {
        if (r.events.kind[event] == static_cast<std::uint8_t>(runtime::EventKind::PinRelease) && r.events.subject[event] == t &&
            r.events.object[event] == r.edges.consumer[e] &&
            r.events.extra[event] == static_cast<std::uint16_t>(runtime::ReleaseCause::Consumer))
          at = event;
      }
      if (at != kNever) last = last == kNever ? at : std::max(last, at);
    }
    EXPECT_EQ(moments.last_reader[t], last) << t;
    if (last != kNever) {
      EXPECT_LT(last, moments.consumed[t]) << t;
    }
    with_reader += last == kNever ? 0U : 1U;
  }
  EXPECT_GT(with_reader, 0U);
}

TEST(TaskMoments, OnASummaryTheLastReaderIsNotLaterThanTheProducersEnd) {
  const Recording r = synthetic_recording({.tasks = 60, .pins = false});
  const TaskMoments moments(r);
  std::uint32_t with_reader = 0;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    if (moments.last_reader[t] == kNever) continue;
    ++with_reader;
    EXPECT_LE(moments.last_reader[t], moments.consumed[t]) << t;
  }
  EXPECT_GT(with_reader, 0U);
}

TEST(TaskTimes, SlotsAreUsedAgainByLaterTasks) {
  const Recording r = synthetic_recording({.tasks = 200, .in_flight = 8});
  const TaskTimes times(r);
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const std::uint32_t next = times.reused_by[t];
    if (next == kNoRow) continue;
    EXPECT_GT(next, t);
    EXPECT_EQ(r.tasks.slot[next], r.tasks.slot[t]);
    EXPECT_EQ(runtime::ring_of(r.tasks.id[next]), runtime::ring_of(r.tasks.id[t]));
    EXPECT_LE(times.reclaimed[t], times.submitted[next]);
  }
}

}  // namespace
}  // namespace depscope::replay
