// Moves, watches and questions on runs of the model and on made-up ones, full and summary: the same whichever way a position is
// reached, and what looking at every event gives.
#include <gtest/gtest.h>

#include <string>

#include "depscope/recording/recorder.h"
#include "random_program.h"
#include "synthetic_recording.h"
#include "walks.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using runtime::EventKind;
using runtime::EventLevel;

/// A random program on a small machine under pressure: rings wrap, heaps fill, slots come back.
Recording model_recording(std::uint32_t seed, EventLevel level) {
  runtime::RandomProgram program;
  program.seed = seed;
  program.submits = 10 + seed * 13 % 190;
  program.most_in_scope = 2 + seed % 5;
  runtime::ModelOptions options =
      runtime::random_options(program, seed % 2 == 0 ? runtime::Platform::A2A3 : runtime::Platform::A5);
  options.check_invariants = false;
  options.events = level;
  options.schedule.kind = seed % 3 == 0 ? runtime::ScheduleKind::Canonical : runtime::ScheduleKind::Random;
  options.schedule.granularity = seed % 4 == 0 ? runtime::Granularity::Fine : runtime::Granularity::Coarse;
  options.schedule.seed = seed;
  Recording r;
  recording::RuntimeRecorder recorder(r);
  runtime::Model model(options, recorder);
  runtime::play(model, program, options.clusters);
  return r;
}

bool is(const Recording& r, std::uint32_t event, EventKind kind) {
  return r.events.kind[event] == static_cast<std::uint8_t>(kind);
}

template <class Matches>
bool holds(const Recording& r, Matches&& matches) {
  std::uint32_t i = 0;
  while (i < r.events.rows() && !matches(i)) ++i;
  return i < r.events.rows();
}

class CursorWalk : public ::testing::TestWithParam<EventLevel> {
 protected:
  [[nodiscard]] static bool full() { return GetParam() == EventLevel::Full; }
  static Recording synthetic(std::uint32_t tasks, std::uint64_t seed) {
    return synthetic_recording({.tasks = tasks, .in_flight = 40, .seed = seed, .pins = full(), .program = false});
  }
};

TEST_P(CursorWalk, TwoHundredWalksEndWhereSteppingEnds) {
  EXPECT_EQ(error_of_walks(synthetic(300, 5), 1, 200), "");
  for (std::uint32_t seed = 1; seed <= 12; ++seed) EXPECT_EQ(error_of_walks(model_recording(seed, GetParam()), seed, 200), "");
}

TEST_P(CursorWalk, AnswersAreThoseOfAPlainReplay) {
  EXPECT_EQ(error_of_answers(synthetic(80, 6), 1), "");
  EXPECT_EQ(error_of_answers(synthetic(700, 7), 250), "");
  bool begins_again = false;
  bool wraps = false;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Recording r = model_recording(seed, GetParam());
    EXPECT_EQ(error_of_answers(r, 1), "") << seed;
    begins_again =
        begins_again || holds(r, [&](std::uint32_t i) { return is(r, i, EventKind::HeapGuard) && r.events.new_value[i] >= 0; });
    wraps = wraps || holds(r, [&](std::uint32_t i) {
              return is(r, i, EventKind::HeapAlloc) && r.events.new_value[i] < r.events.old_value[i];
            });
  }
  EXPECT_TRUE(begins_again);
  EXPECT_TRUE(wraps);
}

TEST_P(CursorWalk, ChangesAreThoseOfTheValues) {
  EXPECT_EQ(error_of_watches(synthetic(100, 8), 1, 120), "");
  for (std::uint32_t seed = 1; seed <= 15; ++seed) EXPECT_EQ(error_of_watches(model_recording(seed, GetParam()), seed, 100), "");
}

TEST_P(CursorWalk, MovesFindTheEventsThatTheyMean) {
  EXPECT_EQ(error_of_moves(synthetic(60, 9), 1, 20), "");
  for (std::uint32_t seed = 1; seed <= 10; ++seed) EXPECT_EQ(error_of_moves(model_recording(seed, GetParam()), seed, 20), "");
}

INSTANTIATE_TEST_SUITE_P(Levels, CursorWalk, ::testing::Values(EventLevel::Full, EventLevel::Summary),
                         [](const auto& level) { return level.param == EventLevel::Full ? "Full" : "Summary"; });

/// More events than are looked at one after another.
TEST(CursorFarMoves, FindEventsOfScopesAndTensorsFarAway) {
  const Recording r = synthetic_recording({.tasks = 3000, .in_flight = 40, .seed = 2, .program = false});
  ASSERT_GT(r.events.rows(), 2U << 16U);
  EXPECT_EQ(error_of_moves(r, 3, 4), "");
  EXPECT_EQ(error_of_walks(r, 4, 60), "");
}

}  // namespace
}  // namespace depscope::replay
