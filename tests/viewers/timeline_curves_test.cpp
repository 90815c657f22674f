#include "depscope/viewers/timeline_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "depscope/replay/cursor.h"
#include "depscope/replay/state_queries.h"
#include "depscope/viewers/timeline_scale.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using runtime::TaskState;

void expect_counts_of_the_cursor(const recording::Recording& recording) {
  replay::Cursor cursor(recording);
  const Curves curves(recording);
  std::int64_t most_ready = 0;
  std::int64_t most_running = 0;
  for (std::uint32_t position = 0; position <= cursor.size(); ++position) {
    cursor.seek(position);
    const auto& counts = cursor.state().tasks_in_state;
    const std::int64_t ready = counts[static_cast<std::size_t>(TaskState::Ready)];
    const std::int64_t running = counts[static_cast<std::size_t>(TaskState::Running)];
    ASSERT_EQ(curves.ready.at(position), ready) << position;
    ASSERT_EQ(curves.running.at(position), running) << position;
    most_ready = std::max(most_ready, ready);
    most_running = std::max(most_running, running);
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring)
      ASSERT_EQ(curves.slots[ring].at(position), replay::ring_use(cursor, ring).slots_used) << ring << " at " << position;
  }
  EXPECT_GT(most_ready, 0);
  EXPECT_GT(most_running, 0);
  EXPECT_EQ(curves.ready.most(), most_ready);
  EXPECT_EQ(curves.running.most(), most_running);
}

TEST(TimelineCurves, CountWhatTheCursorCounts) {
  for (const char* name : {"02_softmax_tiles", "07_manual_pipeline", "09_scopes_and_lifetimes"})
    expect_counts_of_the_cursor(sample_run(name));
  expect_counts_of_the_cursor(sample_run("09_scopes_and_lifetimes", "--events summary --ring-task-window 16"));
  expect_counts_of_the_cursor(replay::synthetic_recording({.tasks = 300}));
  expect_counts_of_the_cursor(replay::synthetic_recording({.tasks = 60, .faults = true}));
}

TEST(TimelineCurves, ExtremesAreThoseOfAllValuesBetween) {
  std::mt19937 random(7);
  for (const std::uint32_t changes : {0U, 1U, 15U, 16U, 17U, 255U, 256U, 257U, 5000U}) {
    StepCurve curve;
    std::vector<std::int64_t> values{0};  // per position
    for (std::uint32_t event = 0; event < changes * 2; ++event) {
      std::int64_t value = values.back();
      if (event % 2 == 1) {
        value = static_cast<std::int64_t>(random() % 1000) - 200;
        curve.add(event, value);
      }
      values.push_back(value);
    }
    curve.finish();
    const auto size = static_cast<std::uint32_t>(values.size());
    for (int i = 0; i < 500; ++i) {
      std::uint32_t first = static_cast<std::uint32_t>(random()) % size;
      std::uint32_t last = static_cast<std::uint32_t>(random()) % size;
      if (first > last) std::swap(first, last);
      const auto [least, most] = std::minmax_element(values.begin() + first, values.begin() + last + 1);
      ASSERT_EQ(curve.between(first, last), (Extremes{*least, *most})) << changes << ": " << first << " to " << last;
      ASSERT_EQ(curve.at(first), values[first]);
    }
    StepCurve::Walk walk(curve, 0);
    std::uint32_t reached = 0;
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t last = std::min(size - 1, reached + static_cast<std::uint32_t>(random()) % 300);
      ASSERT_EQ(walk.to(last), curve.between(reached, last));
      reached = last;
    }
    EXPECT_EQ(curve.most(), std::max<std::int64_t>(0, *std::max_element(values.begin(), values.end())));
  }
}

TEST(TimelineCurves, AnEventThatChangesTwiceHasItsLastValue) {
  StepCurve curve;
  curve.add(3, 5);
  curve.add(3, 7);
  curve.finish();
  EXPECT_EQ(curve.at(3), 0);
  EXPECT_EQ(curve.at(4), 7);
  EXPECT_EQ(curve.most(), 7);
}

TEST(TimelineScale, FindsEventsByTimeAndByPosition) {
  const std::vector<std::uint32_t> times{0, 0, 0, 2, 2, 5, 9, 9};
  TimelineScale scale(times);
  EXPECT_EQ(scale.end(), 9.0);
  EXPECT_EQ(scale.first_at(0.0), 0U);
  EXPECT_EQ(scale.first_at(0.5), 3U);
  EXPECT_EQ(scale.first_at(2.0), 3U);
  EXPECT_EQ(scale.first_at(9.5), 8U);
  EXPECT_EQ(scale.first_at(5.0, 4), 5U);
  // After a click on 2, all that happened at 2 has happened.
  EXPECT_EQ(scale.position_at(2.0), 5U);
  EXPECT_EQ(scale.position_at(-1.0), 0U);
  EXPECT_EQ(scale.position_at(100.0), 8U);
  EXPECT_EQ(scale.of_position(0), 0.0);
  EXPECT_EQ(scale.of_position(5), 2.0);
  EXPECT_EQ(scale.of_event(100), 9.0);
  scale.by_event = true;
  EXPECT_EQ(scale.end(), 8.0);
  EXPECT_EQ(scale.of_event(0), 1.0);
  for (std::uint32_t position = 0; position <= times.size(); ++position) {
    EXPECT_EQ(scale.of_position(position), static_cast<double>(position));
    EXPECT_EQ(scale.position_at(static_cast<double>(position)), position);
  }
}

TEST(TimelineScale, GallopsToTheFirst) {
  for (std::uint32_t size = 0; size < 70; ++size) {
    for (std::uint32_t from = 0; from <= size; ++from) {
      for (std::uint32_t first = from; first <= size; ++first)
        ASSERT_EQ(gallop(from, size, [&](std::uint32_t i) { return i >= first; }), first) << from << " of " << size;
    }
  }
  // Near the start it asks few questions, however many follow.
  int asked = 0;
  EXPECT_EQ(gallop(10, 0xfffffff0U, [&](std::uint32_t i) { return ++asked, i >= 14; }), 14U);
  EXPECT_LE(asked, 8);
}

}  // namespace
}  // namespace depscope::viewers
