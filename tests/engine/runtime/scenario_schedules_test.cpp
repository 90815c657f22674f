// Any schedule of any program: readiness, references, pools and watermarks come out right (the checks of ScenarioSink at every
// event), every task is consumed, and the choices of a run give the same run again.
#include <random>

#include "scenario.h"

namespace depscope::runtime {
namespace {

/// Scopes, all kinds of tasks and discoveries, on small rings so that the orchestrator waits often.
void play(Scenario& s, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::vector<std::vector<std::uint32_t>> scopes{{}};
  const auto known = [&] {  // a task whose handle is still valid
    const std::vector<std::uint32_t>& scope = scopes[below(static_cast<std::uint32_t>(scopes.size()))];
    return scope.empty() ? kNoRow : scope[below(static_cast<std::uint32_t>(scope.size()))];
  };
  for (int step = 0; step < 400; ++step) {
    const std::uint32_t what = below(10);
    if (what == 0 && scopes.size() < 5) {
      s.begin();
      scopes.emplace_back();
      continue;
    }
    const std::size_t most = scopes.size() == 1 ? 40 : 5;
    if ((what == 1 || scopes.back().size() >= most) && scopes.size() > 1) {
      s.end();
      scopes.pop_back();
      continue;
    }
    if (scopes.back().size() >= most) continue;
    Submission t = kernel();
    if (what == 2) {
      t.kind = TaskKind::Alloc;
      t.args = {out(1024)};
      scopes.back().push_back(s.submit(t));
      continue;
    }
    if (what == 3) {
      t.kind = TaskKind::Dummy;
      t.kernel_ids = {-1, -1, -1};
    }
    if (what == 4) t.kernel_ids = {0, 0, below(2) == 0 ? 0 : -1};
    if (what == 5) t.block_num = 1 + below(6);
    if (what == 6) t.predicate_false = true;
    t.sync_start = what == 7;
    t.duration = 1 + below(4);
    for (std::uint32_t i = below(3); i > 0; --i) {
      const std::uint32_t p = known();
      if (p != kNoRow) t.deps.push_back(s.dep(p, static_cast<std::uint8_t>(below(4))));
    }
    for (std::uint32_t i = below(3); i > 0; --i) {
      const TensorDescriptor x = external(below(6));
      t.args.push_back(below(3) == 0 ? in(x) : below(2) == 0 ? inout(x) : existing(x));
    }
    const std::uint32_t owner = known();
    if (owner != kNoRow && s.sink.tasks[owner].heap_end != s.sink.tasks[owner].heap_begin) {
      t.args.push_back(below(2) == 0 ? in(s.output(owner)) : inout(s.output(owner)));
    }
    if (below(4) == 0) t.args.push_back(out(1024 * (1 + below(2))));
    scopes.back().push_back(s.submit(t));
    ASSERT_NE(scopes.back().back(), kNoRow) << "error " << s.model.error_code();
  }
  while (scopes.size() > 1) {
    s.end();
    scopes.pop_back();
  }
  s.finish();
}

ModelOptions small_rings(Platform platform, Granularity granularity) {
  ModelOptions o = Bench(platform, granularity).options();
  o.clusters = 2;
  o.scheduler_threads = 2;
  for (RingLimits& ring : o.limits) ring = {.task_window = 64, .heap = 256 * 1024, .dep_pool = 512};
  for (const std::size_t ring : {1U, 2U}) o.limits[ring].dep_pool = 96;
  o.limits[1].task_window = 8;
  o.limits[2].heap = 16 * 1024;
  o.tensor_map_entries = 250;
  return o;
}

class AnySchedule : public ::testing::TestWithParam<std::tuple<Platform, Granularity>> {};

TEST_P(AnySchedule, EveryTaskIsConsumed) {
  const auto [platform, granularity] = GetParam();
  std::size_t blocks = 0, tasks = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    for (const ReductionKind kind : {ReductionKind::None, ReductionKind::Bitmap, ReductionKind::OneHop, ReductionKind::Exact}) {
      ModelOptions o = small_rings(platform, granularity);
      o.reduction.kind = kind;
      o.schedule.kind = seed % 4 == 0 ? ScheduleKind::Canonical : ScheduleKind::Random;
      o.schedule.seed = seed;
      Scenario s(o);
      play(s, seed);
      EXPECT_TRUE(s.sink.findings.empty());
      blocks += s.count(EventKind::Block);
      tasks += s.sink.tasks.size();
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tasks, 10000U);
  EXPECT_GT(blocks, 100U) << "the rings are too large for these programs";
}

TEST_P(AnySchedule, ChoicesGiveTheRunAgain) {
  const auto [platform, granularity] = GetParam();
  for (std::uint32_t seed = 1; seed < 6; ++seed) {
    ModelOptions o = small_rings(platform, granularity);
    o.schedule.kind = ScheduleKind::Random;
    o.schedule.seed = seed;
    Scenario first(o);
    play(first, seed);
    o.schedule.kind = ScheduleKind::List;
    o.schedule.choices = first.model.choices();
    Scenario second(o);
    play(second, seed);
    ASSERT_EQ(first.sink.events.size(), second.sink.events.size());
    for (std::size_t i = 0; i < first.sink.events.size(); ++i) {
      const Event& a = first.sink.events[i];
      const Event& b = second.sink.events[i];
      ASSERT_EQ(std::tie(a.kind, a.actor, a.extra, a.time, a.subject, a.object, a.old_value, a.new_value),
                std::tie(b.kind, b.actor, b.extra, b.time, b.subject, b.object, b.old_value, b.new_value))
          << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenario, AnySchedule,
                         ::testing::Combine(::testing::Values(Platform::A2A3, Platform::A5),
                                            ::testing::Values(Granularity::Coarse, Granularity::Fine)),
                         [](const auto& parameter) {
                           return std::string(platform_name(std::get<0>(parameter.param))) +
                                  (std::get<1>(parameter.param) == Granularity::Fine ? "_fine" : "_coarse");
                         });

}  // namespace
}  // namespace depscope::runtime
