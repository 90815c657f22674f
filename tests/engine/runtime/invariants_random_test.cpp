// Random programs under pressure: no schedule violates an invariant, whatever the outcome.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

#include "random_program.h"

namespace depscope::runtime {
namespace {

struct Outcomes {
  std::uint32_t ended = 0, failed = 0;
};

void check(const RandomProgram& program, Platform platform, const ScheduleOptions& schedule, Outcomes& outcomes) {
  ModelOptions options = random_options(program, platform);
  options.schedule = schedule;
  FindingSink sink;
  {
    Model model(options, sink);
    play(model, program, options.clusters);
    ++(model.error_code() == 0 ? outcomes.ended : outcomes.failed);
    EXPECT_NE(model.error_code(), 100);  // a legal program never starves
  }
  EXPECT_EQ(sink.all(), "") << "program " << program.seed << (program.wide ? " wide" : "") << " on " << platform_name(platform)
                            << ", schedule " << static_cast<int>(schedule.kind) << '/' << static_cast<int>(schedule.granularity)
                            << '/' << schedule.seed;
  EXPECT_EQ(sink.wrong_registrations, 0U);
}

void sweep(std::uint64_t first, std::uint64_t count, std::uint32_t random_seeds) {
  Outcomes outcomes;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    const bool wide = seed % 10 == 0;
    const RandomProgram program{.seed = seed,
                                .submits = wide ? 130U : 40U,
                                .most_in_scope = wide ? 100U : 2 + static_cast<std::uint32_t>(seed % 2),
                                .wide = wide};
    for (const Platform platform : {Platform::A2A3, Platform::A5}) {
      check(program, platform, {}, outcomes);
      check(program, platform, {.granularity = Granularity::Fine, .choices = {}}, outcomes);
      RandomProgram by_hand = program;
      by_hand.by_hand = true;
      for (const Granularity granularity : {Granularity::Coarse, Granularity::Fine}) {
        check(by_hand, platform, {.kind = ScheduleKind::Manual, .granularity = granularity, .choices = {}}, outcomes);
      }
      for (std::uint32_t s = 1; s <= random_seeds; ++s) {
        for (const Granularity granularity : {Granularity::Coarse, Granularity::Fine}) {
          check(program, platform,
                {.kind = ScheduleKind::Random, .granularity = granularity, .seed = seed * 31 + s, .choices = {}}, outcomes);
        }
      }
    }
  }
  // Deadlocks are legal ends, but most programs should come through.
  EXPECT_GT(outcomes.ended, outcomes.failed / 2);
}

/// Hazards played as they are may violate invariants, but the run and the watch come to their end.
TEST(InvariantsRandom, FaithfulHazardsEnd) {
  std::uint32_t violated = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomProgram program{.seed = seed,
                                .submits = seed % 10 == 0 ? 130U : 60U,
                                .most_in_scope = seed % 10 == 0 ? 100U : 2U,
                                .wide = seed % 10 == 0};
    for (const Granularity granularity : {Granularity::Coarse, Granularity::Fine}) {
      ModelOptions options = random_options(program, seed % 2 == 0 ? Platform::A5 : Platform::A2A3);
      options.schedule = {.kind = ScheduleKind::Random, .granularity = granularity, .seed = seed, .choices = {}};
      options.hazards = HazardSwitches::all_faithful();
      if (seed % 3 == 0) options.edges = EdgeRepresentation::MaskBug;
      FindingSink sink;
      Model model(options, sink);
      play(model, program, options.clusters);
      violated += sink.all().empty() ? 0 : 1;
      EXPECT_LE(sink.findings.size(), 1000U);
    }
  }
  EXPECT_GT(violated, 0U);
}

/// In parts that run side by side.
class InvariantsRandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(InvariantsRandomPrograms, Hold) {
  const std::uint64_t count = std::getenv("DEPSCOPE_SOAK") != nullptr ? 1250 : 25;
  sweep(1 + GetParam() * count, count, 1);
}

INSTANTIATE_TEST_SUITE_P(Parts, InvariantsRandomPrograms, ::testing::Range(std::uint64_t{0}, std::uint64_t{8}));

/// Ids come from a trace, with gaps, in one scope, and some producers have no record.
TEST(InvariantsRandom, IdsOfTraces) {
  for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    ModelOptions options{.reduction = {.kind = ReductionKind::Bitmap, .window = 64}, .check_invariants = true};
    options.lift_limits();
    if (seed % 2 == 0)
      options.schedule = {.kind = ScheduleKind::Random, .granularity = Granularity::Fine, .seed = seed, .choices = {}};
    FindingSink sink;
    Model model(options, sink);
    std::vector<TaskId> ids;
    std::array<std::uint32_t, kRingCount> next{};
    for (std::uint32_t i = 0; i < 80; ++i) {
      const std::uint32_t ring = below(kRingCount);
      const TaskId id = make_task_id(ring, next[ring]);
      next[ring] += 1 + below(2);
      Submission s;
      s.kernel_ids = {-1, 0, -1};
      s.forced_id = id;
      s.manual_scope = below(6) == 0;
      for (std::uint32_t d = below(4); d > 0 && !ids.empty(); --d) {
        s.deps.push_back(
            {.task = ids[below(static_cast<std::uint32_t>(ids.size()))], .flags = static_cast<std::uint8_t>(below(4))});
      }
      for (std::uint32_t a = below(3); a > 0; --a) {
        Argument argument;
        argument.kind = below(2) == 0 ? ArgKind::Input : ArgKind::InOut;
        argument.tensor.address = 4096 * (1 + std::uint64_t{below(4)});
        argument.tensor.buffer_elements = argument.tensor.shape[0] = 16;
        argument.tensor.rank = 1;
        argument.tensor.strides[0] = 1;
        if (below(3) == 0 && !ids.empty() && !s.manual_scope)
          argument.tensor.owner = ids[below(static_cast<std::uint32_t>(ids.size()))];
        s.args.push_back(argument);
      }
      ids.push_back(id);
      if (below(8) != 0) model.submit(s);
    }
    model.finish();
    EXPECT_EQ(model.error_code(), 0) << seed;
    EXPECT_EQ(sink.all(), "") << seed;
  }
}

/// The cost per event stays bounded while thousands of tasks live.
TEST(InvariantsRandom, ManyLiveTasks) {
  ModelOptions options{.reduction = {.kind = ReductionKind::Bitmap, .window = 64}, .check_invariants = true};
  for (const std::uint32_t most_in_scope : {3U, 100000U}) {
    FindingSink sink;
    Model model(options, sink);
    play(model, {.seed = 5, .submits = 3000, .most_in_scope = most_in_scope}, 24);
    EXPECT_EQ(model.error_code(), 0);
    EXPECT_EQ(sink.all(), "");
  }
}

}  // namespace
}  // namespace depscope::runtime
