// The most that is in use: against an oracle over random programs, in a summary, where a run stops, and what the report says.
#include "depscope/replay/sizing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "depscope/recording/recorder.h"
#include "depscope/replay/sizing_report.h"
#include "model_run.h"
#include "random_program.h"
#include "sizing_oracle.h"

namespace depscope::replay {
namespace {

using recording::Recording;
using runtime::EventLevel;
using ::testing::HasSubstr;

Recording played(const runtime::RandomProgram& program, const runtime::ModelOptions& options) {
  Recording r;
  recording::RuntimeRecorder recorder(r);
  runtime::Model model(options, recorder);
  runtime::play(model, program, options.clusters);
  return r;
}

struct Seed {
  runtime::RandomProgram program;
  runtime::ModelOptions options;
};

Seed seed_of(std::uint64_t seed) {
  Seed out;
  out.program.seed = seed;
  out.program.wide = seed % 7 == 0;
  out.program.submits = out.program.wide ? 130 : 60;
  out.program.most_in_scope = out.program.wide ? 100 : 2 + seed % 4;
  out.options = runtime::random_options(out.program, seed % 2 == 0 ? runtime::Platform::A5 : runtime::Platform::A2A3);
  out.options.check_invariants = false;
  out.options.events = EventLevel::Full;
  out.options.schedule.kind = seed % 3 == 0 ? runtime::ScheduleKind::Canonical : runtime::ScheduleKind::Random;
  out.options.schedule.granularity = seed % 5 < 2 ? runtime::Granularity::Fine : runtime::Granularity::Coarse;
  out.options.schedule.seed = seed;
  if (seed % 4 == 0) out.options.hazards = runtime::HazardSwitches::all_faithful();
  return out;
}

constexpr std::uint64_t kSeeds = 250;

TEST(Sizing, RandomProgramsAgainstTheOracle) {
  std::uint64_t wasted = 0, lazy = 0, waits = 0, stopped = 0, spilled = 0, exceeded = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Seed s = seed_of(seed);
    const Recording r = played(s.program, s.options);
    const RunUse own = use_of_run(r);
    ASSERT_TRUE(own.run && own.full);
    // Half of what there is, so that something is exceeded.
    Capacities half = own.capacity;
    for (auto& rings : half) {
      for (std::uint64_t& capacity : rings) capacity /= 2;
    }
    const RunUse run = use_of_run(r, &half);
    ASSERT_EQ(difference(sizing_oracle(r, own.capacity), own.use), "");
    ASSERT_EQ(difference(sizing_oracle(r, half), run.use), "");
    stopped += run.stop.stopped ? 1 : 0;
    for (const auto& rings : run.use) {
      for (const ResourceUse& use : rings) {
        wasted += use.wasted != 0 ? 1 : 0;
        lazy += use.most_held != 0 && use.most_held < use.most ? 1 : 0;
        waits += use.waits;
        exceeded += use.needed != 0 ? 1 : 0;
      }
    }
    for (std::uint32_t ring = 0; ring < kAllRings; ++ring) {
      spilled += at(run.use, SizedResource::SpillPool, ring).most;
      // With its own limits nothing is ever exceeded.
      for (std::size_t i = 0; i < kSizedResources; ++i) EXPECT_EQ(own.use[i][ring].needed, 0U);
    }
  }
  // The programs bring out what is to be measured.
  EXPECT_GT(wasted, 10U);
  EXPECT_GT(lazy, 10U);
  EXPECT_GT(waits, 100U);
  EXPECT_GT(stopped, 10U);
  EXPECT_GT(spilled, 10U);
  EXPECT_GT(exceeded, 100U);
}

TEST(Sizing, ASummaryTellsScopesWindowsAndHeaps) {
  for (std::uint64_t seed = 1; seed < 40; seed += 2) {  // a2a3: on a5 the orchestrator may know an older watermark
    SCOPED_TRACE(seed);
    Seed s = seed_of(seed);
    s.options.schedule.granularity = runtime::Granularity::Coarse;
    const RunUse full = use_of_run(played(s.program, s.options));
    s.options.events = EventLevel::Summary;
    const RunUse summary = use_of_run(played(s.program, s.options));
    EXPECT_FALSE(summary.full);
    for (std::size_t i = 0; i < kSizedResources; ++i) {
      const auto resource = static_cast<SizedResource>(i);
      const bool told =
          resource == SizedResource::Scope || resource == SizedResource::TaskWindow || resource == SizedResource::Heap;
      for (std::uint32_t ring = 0; ring < kAllRings; ++ring) {
        EXPECT_EQ(summary.use[i][ring].told, told);
        EXPECT_EQ(summary.use[i][ring].waits, full.use[i][ring].waits);
        if (!told) continue;
        EXPECT_EQ(summary.use[i][ring].most, full.use[i][ring].most) << sized_resource_name(resource) << ring;
        EXPECT_EQ(summary.use[i][ring].at.task, full.use[i][ring].at.task);
        EXPECT_EQ(summary.use[i][ring].wasted, full.use[i][ring].wasted);
      }
    }
    EXPECT_EQ(summary.stop.stopped, full.stop.stopped);
    EXPECT_EQ(summary.stop.code, full.stop.code);
  }
}

runtime::ModelOptions small(std::uint64_t window, std::uint64_t heap, std::uint64_t dep_pool) {
  runtime::ModelOptions o;
  for (runtime::RingLimits& l : o.limits) l = {.task_window = window, .heap = heap, .dep_pool = dep_pool};
  o.implicit_root_scope = false;
  return o;
}

/// runtime.md 12.12, D1: a window of 4, the fourth task of a scope.
TEST(Sizing, AFullScopeStopsTheRun) {
  ModelRun run(small(4, 1U << 20U, 16));
  run.begin();
  for (int i = 0; i < 4; ++i) run.task({});
  const RunUse use = use_of_run(run.done());
  EXPECT_EQ(at(use.use, SizedResource::Scope, 0).most, 3U);
  EXPECT_EQ(at(use.capacity, SizedResource::Scope, 0), 3U);
  EXPECT_TRUE(use.stop.stopped && use.stop.by_resource);
  EXPECT_EQ(use.stop.resource, SizedResource::Scope);
  EXPECT_EQ(use.stop.ring, 0U);
  EXPECT_EQ(use.stop.code, 1);
  EXPECT_EQ(use.stop.task, 3U);
}

/// D2: one output larger than the heap; the run ends before its first task.
TEST(Sizing, AHeapThatIsTooSmallFromTheBeginning) {
  ModelRun run(small(16, 1024, 16));
  run.begin();
  run.task({creates(32768)});
  const RunUse use = use_of_run(run.done());
  EXPECT_TRUE(use.run);
  EXPECT_EQ(at(use.use, SizedResource::Heap, 0).most, 0U);
  EXPECT_EQ(use.stop.resource, SizedResource::Heap);
  EXPECT_EQ(use.stop.code, 2);
  EXPECT_EQ(use.stop.task, 0U);
}

/// D4: five live producers and a dep pool of four.
TEST(Sizing, OneTaskMayNeedMoreThanThePoolHas) {
  const auto play = [](ModelRun& run) {
    run.begin();
    std::vector<runtime::ExplicitDep> all(5);
    for (runtime::ExplicitDep& dep : all) dep = run.task({}).all();
    run.task({}, all);
    run.end();
  };
  ModelRun limited(small(16, 1U << 20U, 4));
  play(limited);
  const RunUse set = use_of_run(limited.done());
  EXPECT_EQ(set.stop.resource, SizedResource::DepPool);
  EXPECT_EQ(set.stop.code, 4);
  runtime::ModelOptions lifted = small(16, 1U << 20U, 4);
  lifted.lift_limits();
  ModelRun unlimited(lifted);
  play(unlimited);
  const SizingReport report = sizing_report(limited.r, set, &unlimited.done(), "");
  ASSERT_EQ(report.caps.size(), 1U);
  EXPECT_EQ(report.caps[0].needed, 5U);  // of the whole submit, not of its first node too many
  EXPECT_EQ(report.caps[0].capacity, 4U);
  EXPECT_EQ(report.caps[0].at.row, 5U);
  EXPECT_EQ(report.caps[0].outcome, CapOutcome::Stops);
  EXPECT_EQ(report.unlimited.capacity[0][0], 0U);  // lifted limits are none
}

/// H11: eight rounds of {p; c waits for p} take the eight nodes; intended, they come back as soon as the pool runs short.
TEST(Sizing, APoolThatGivesBackLateCountsWhatItHasNotGivenBack) {
  const auto rounds = [](bool faithful) {
    runtime::ModelOptions o = small(16, 1U << 20U, 8);
    o.hazards.set(11, faithful);
    o.schedule.kind = runtime::ScheduleKind::Manual;
    ModelRun run(o);
    run.begin();
    for (int i = 0; i < 12; ++i) {
      run.begin();
      const ModelRun::Task p = run.task({});
      run.task({}, {p.all()});
      run.end();
      run.run_all();
    }
    run.end();
    return use_of_run(run.done());
  };
  const RunUse fixed = rounds(false);
  EXPECT_FALSE(fixed.stop.stopped);
  EXPECT_EQ(at(fixed.use, SizedResource::DepPool, 1).most, 8U);
  EXPECT_EQ(at(fixed.use, SizedResource::DepPool, 1).most_held, 1U);
  const RunUse faithful = rounds(true);
  EXPECT_TRUE(faithful.stop.stopped);
  EXPECT_EQ(faithful.stop.code, 4);
  EXPECT_EQ(at(faithful.use, SizedResource::DepPool, 1).most, 8U);
  EXPECT_EQ(at(faithful.use, SizedResource::DepPool, 1).most_held, 1U);
}

TEST(Sizing, TheTensorMapIsSharedByAllRings) {
  ModelRun run(small(64, 1U << 20U, 64));
  run.begin();
  const auto buffers = run.allocate(4096);
  run.task({both(buffers.output)});
  run.begin();
  const auto inner = run.allocate(4096);
  run.task({both(inner.output)});
  const RunUse use = use_of_run(run.done());
  EXPECT_EQ(at(use.use, SizedResource::TensorMap, 0).most, 1U);
  EXPECT_EQ(at(use.use, SizedResource::TensorMap, 1).most, 1U);
  EXPECT_EQ(at(use.use, SizedResource::TensorMap, kAllRings).most, 2U);
  EXPECT_EQ(at(use.capacity, SizedResource::TensorMap, kAllRings), 65536U);
}

TEST(Sizing, WithoutARunNothingIsKnown) {
  const Recording empty;
  const RunUse use = use_of_run(empty);
  EXPECT_FALSE(use.run);
  const SizingReport report = sizing_report(empty, use, nullptr, "there is none");
  std::string text;
  write_sizing_text(report, [&](std::string_view piece) { text += piece; });
  EXPECT_THAT(text, HasSubstr("nothing is known"));
  const auto json = nlohmann::json::parse(sizing_json(report));
  EXPECT_EQ(json["as_set"]["events"], "none");
  EXPECT_TRUE(json["unlimited"].is_null());
  EXPECT_TRUE(json["caps"].is_null());
  EXPECT_TRUE(json["peaks"].empty());
}

TEST(Sizing, BytesAreExactWhereNoDecimalStands) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1000), "1000 bytes");
  EXPECT_EQ(bytes_text(1025), "1025 bytes");
  EXPECT_EQ(bytes_text(33792), "33 KiB");
  EXPECT_EQ(bytes_text(20000), "19.5 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{256} << 20U), "256 MiB");
  EXPECT_EQ(bytes_text((std::uint64_t{256} << 20U) + 8192), "262152 KiB");  // not 256.0 MiB
  EXPECT_EQ(bytes_text(std::uint64_t{3} << 29U), "1.5 GiB");
  EXPECT_EQ(bytes_text(~std::uint64_t{0}), "16383.9 PiB");
}

}  // namespace
}  // namespace depscope::replay
