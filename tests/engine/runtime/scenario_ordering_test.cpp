// Scenarios 12.1 (pure ordering) and 12.15 (more on reduction).
#include "scenario.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- 12.1

DEPSCOPE_SCENARIO(S1a_WaitOnlyDiamond) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  EXPECT_EQ(s.show(a), "P, ready 1/1, pins 0/0, scope 0");
  EXPECT_EQ(s.ring().nodes(), 0);
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  EXPECT_EQ(s.pins(a), "1/1");
  EXPECT_EQ(s.show(b), "P, ready 1/2, pins 0/0, scope 0");
  EXPECT_EQ(s.ring().nodes(), 1);
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.pins(a), "2/2");
  EXPECT_EQ(s.pins(b), "1/1");
  EXPECT_EQ(s.flags(a, c), kNone);
  EXPECT_EQ(s.flags(b, c), kWait);
  EXPECT_EQ(s.task(c).edges, 2);
  EXPECT_EQ(s.task(c).waits, 1);
  EXPECT_EQ(s.ready(c), "1/2");
  EXPECT_EQ(s.ring().nodes(), 2);
  EXPECT_EQ(s.task(a).reach, 0);
  EXPECT_EQ(s.task(b).reach, 1);
  EXPECT_EQ(s.task(c).reach, 3);

  s.complete(a);
  EXPECT_EQ(s.state(a), "C");
  EXPECT_EQ(s.task(a).visited, 1U);  // B only
  EXPECT_EQ(s.ready(b), "2/2");
  EXPECT_TRUE(s.queued(b));
  EXPECT_EQ(s.ready(c), "1/2");
  EXPECT_EQ(s.ring().nodes(), 2);
  s.complete(b);
  EXPECT_EQ(s.state(b), "C");
  EXPECT_EQ(s.ready(c), "2/2");
  EXPECT_TRUE(s.queued(c));
  EXPECT_EQ(s.ring().nodes(), 2);
  s.end();
  s.release(a);
  s.release(b);
  EXPECT_EQ(s.state(a), "Z");
  EXPECT_EQ(s.state(b), "Z");
  EXPECT_EQ(s.state(c), "P");
  s.retire(c);
  EXPECT_EQ(s.state(c), "Z");
  s.finish();
}

DEPSCOPE_SCENARIO(S1a_WithoutReduction) {
  ModelOptions o = bench.options();
  o.reduction = {};
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.ready(c), "1/3");
  EXPECT_EQ(s.ring().nodes(), 3);
  s.complete(a);
  EXPECT_EQ(s.ready(c), "2/3");
  s.finish();
}

DEPSCOPE_SCENARIO(S1b_DefaultFlagsKeepRetain) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.dep(a)});
  const std::uint32_t c = s.submit({}, {s.dep(a), s.dep(b)});
  EXPECT_EQ(s.flags(a, c), kRetain);
  EXPECT_EQ(s.flags(b, c), kWaitRetain);
  EXPECT_EQ(s.pins(a), "0/2");
  for (const std::uint32_t t : {a, b, c}) s.complete(t);
  s.release(a);
  EXPECT_EQ(s.pins(a), "0/2");
  s.release(b);
  EXPECT_EQ(s.pins(a), "1/2");
  s.release(c);
  EXPECT_EQ(s.pins(a), "2/2");
  s.finish();
}

DEPSCOPE_SCENARIO(S1c_CompletedProducerIsStillReduced) {
  const auto wire = [&](ReductionKind kind) {
    ModelOptions o = bench.options();
    o.reduction.kind = kind;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.wait_on(a)});
    s.complete(a);
    const std::int64_t before = s.ring().nodes();
    const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
    const bool reduced = kind == ReductionKind::Bitmap;
    EXPECT_EQ(s.flags(a, c), reduced ? kNone : kWait);
    EXPECT_EQ(s.pins(a), "2/2");  // given back at wiring
    EXPECT_EQ(s.ready(c), reduced ? "1/2" : "2/3");
    EXPECT_EQ(s.sink.edges[s.edge(a, c)].at_add, ProducerStatus::Completed);
    EXPECT_LT(s.first(EventKind::NodeTake, c), s.first(EventKind::WaitCount, c));  // live path
    const std::int64_t nodes = s.ring().nodes() - before;
    s.finish();
    return nodes;
  };
  EXPECT_EQ(wire(ReductionKind::Bitmap), 1);
  EXPECT_EQ(wire(ReductionKind::None), 1);
}

DEPSCOPE_SCENARIO(S1d_FastPath) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  s.complete(a);
  s.complete(b);
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.flags(a, c), kNone);
  EXPECT_EQ(s.flags(b, c), kWait);
  EXPECT_EQ(s.ready(c), "2/2");
  EXPECT_TRUE(s.queued(c));
  EXPECT_EQ(s.pins(a), "2/2");
  EXPECT_EQ(s.pins(b), "1/1");
  std::size_t fast = 0;
  for (const Event& e : s.sink.events) {
    fast += e.kind == EventKind::PinRelease && e.extra == static_cast<std::uint16_t>(ReleaseCause::FastPath) ? 1 : 0;
  }
  EXPECT_EQ(fast, 2U);
  const std::size_t given_back = s.count(EventKind::PinRelease);
  s.retire(c);
  EXPECT_EQ(s.count(EventKind::PinRelease), given_back);
  s.finish();
}

DEPSCOPE_SCENARIO(S1e_DepthThree) {
  for (const ReductionKind kind : {ReductionKind::Bitmap, ReductionKind::Exact, ReductionKind::OneHop, ReductionKind::None}) {
    ModelOptions o = bench.options();
    o.reduction.kind = kind;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.dep(a)});
    const std::uint32_t c = s.submit({}, {s.dep(b)});
    const std::uint32_t d = s.submit({}, {s.dep(c), s.dep(a)});
    const bool reduced = kind == ReductionKind::Bitmap || kind == ReductionKind::Exact;
    EXPECT_EQ(s.flags(a, d), reduced ? kRetain : kWaitRetain);
    EXPECT_EQ(s.flags(c, d), kWaitRetain);
    s.finish();
  }
}

// ---------------------------------------------------------------- 12.15

/// A, B(A), fillers, C(A, B); C's flags on A.
struct Boundary {
  std::int64_t flags_a = 0, flags_b = 0, reach = 0;
};
Boundary boundary(Bench& bench, std::uint32_t window, std::uint32_t fillers) {
  ModelOptions o = bench.options();
  o.reduction.window = window;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  for (std::uint32_t i = 0; i < fillers; ++i) s.submit();
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  const Boundary result{s.flags(a, c), s.flags(b, c), s.task(c).reach};
  EXPECT_EQ(s.constructed(a, c), kWait);
  s.finish();
  return result;
}

DEPSCOPE_SCENARIO(X1_WindowBoundary) {
  for (const std::uint32_t window : {64U, 128U, 256U}) {
    EXPECT_EQ(boundary(bench, window, window - 2).flags_a, kNone) << window;
    EXPECT_EQ(boundary(bench, window, window - 1).flags_a, kWait) << window;
  }
}

DEPSCOPE_SCENARIO(X2_LastBitOfTheWindow) {
  const Boundary inside = boundary(bench, 64, 62);
  EXPECT_EQ(inside.flags_a, kNone);
  EXPECT_EQ(static_cast<std::uint64_t>(inside.reach), std::uint64_t{3} << 62U);
  const Boundary outside = boundary(bench, 64, 63);
  EXPECT_EQ(outside.flags_b, kWait);
  EXPECT_EQ(static_cast<std::uint64_t>(outside.reach), std::uint64_t{1} << 63U);  // B alone
}

DEPSCOPE_SCENARIO(X3_SubmissionCounterWraps) {
  ModelOptions o = bench.options();
  o.first_submission_number = ~std::uint64_t{0} - 1;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.sink.events[s.first(EventKind::SeqAssign, a)].old_value, -2);
  EXPECT_EQ(s.sink.events[s.first(EventKind::SeqAssign, c)].old_value, 0);
  EXPECT_EQ(s.flags(a, c), kNone);
  s.finish();
}

DEPSCOPE_SCENARIO(X4_AcrossRings) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  s.begin();
  const std::uint32_t b = s.submit({}, {s.dep(a)});
  const std::uint32_t c = s.submit({}, {s.dep(a), s.dep(b)});
  EXPECT_EQ(ring_of(s.id(b)), 1U);
  EXPECT_EQ(s.flags(a, c), kRetain);
  EXPECT_EQ(s.ring(0).nodes(), 0);  // nodes are the consumer's ring's
  EXPECT_EQ(s.ring(1).nodes(), 2);
  s.end();
  s.finish();
}

DEPSCOPE_SCENARIO(X5_AllocationTask) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.allocate(4096);
  EXPECT_EQ(s.show(a), "C, ready 0/0, pins 0/0, scope 0");
  const std::uint32_t b = s.submit({inout(s.output(a))});
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.dep(b)});
  EXPECT_EQ(s.constructed(a, c), kWaitRetain);
  EXPECT_EQ(s.flags(a, c), kRetain);
  s.finish();
}

DEPSCOPE_SCENARIO(X6_WaitOnlyCover) {
  for (const ReductionKind kind : {ReductionKind::Bitmap, ReductionKind::OneHop}) {
    ModelOptions o = bench.options();
    o.reduction.kind = kind;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.wait_on(a)});
    const std::uint32_t c = s.submit({}, {s.dep(a), s.dep(b)});
    EXPECT_EQ(s.flags(a, c), kind == ReductionKind::Bitmap ? kRetain : kWaitRetain);
    s.finish();
  }
}

/// One hop: reduced only while the covering producer is not completed.
DEPSCOPE_SCENARIO(X6_OneHopNeedsALiveCover) {
  for (const bool completed : {false, true}) {
    ModelOptions o = bench.options();
    o.reduction.kind = ReductionKind::OneHop;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.dep(a)});
    if (completed) {
      s.complete(a);
      s.complete(b);
    }
    const std::uint32_t c = s.submit({}, {s.dep(a), s.dep(b)});
    EXPECT_EQ(s.flags(a, c), completed ? kWaitRetain : kRetain);
    s.finish();
  }
}

constexpr std::uint32_t kTasks = 5;

/// Bit (p, c) of a graph on five tasks.
constexpr std::uint32_t pair_bit(std::uint32_t p, std::uint32_t c) { return 1U << (c * (c - 1) / 2 + p); }

TEST_P(OnPlatform, X7_AllGraphsOnFiveTasks) {
  for (std::uint32_t graph = 0; graph < 1024; ++graph) {
    // reach[c]: tasks with a path to c; a pair is redundant if another path leads along.
    std::array<std::uint32_t, kTasks> reach{};
    std::uint32_t redundant = 0;
    for (std::uint32_t c = 0; c < kTasks; ++c) {
      std::uint32_t by_others = 0;
      for (std::uint32_t p = 0; p < c; ++p) {
        if ((graph & pair_bit(p, c)) == 0) continue;
        by_others |= reach[p];
        reach[c] |= reach[p] | 1U << p;
      }
      for (std::uint32_t p = 0; p < c; ++p) {
        if ((graph & pair_bit(p, c)) != 0 && (by_others >> p & 1U) != 0) redundant |= pair_bit(p, c);
      }
    }
    for (std::uint32_t window = 0; window <= 4; ++window) {
      ModelOptions o = Bench(GetParam()).options();
      o.reduction = window == 0 ? ReductionOptions{.kind = ReductionKind::Exact}
                                : ReductionOptions{.kind = ReductionKind::Bitmap, .window = window};
      Scenario s(o);
      for (std::uint32_t c = 0; c < kTasks; ++c) {
        std::vector<ExplicitDep> deps;
        for (std::uint32_t p = 0; p < c; ++p) {
          if ((graph & pair_bit(p, c)) != 0) deps.push_back(s.wait_on(p));
        }
        s.submit({}, deps);
      }
      std::uint32_t removed = 0, expected = 0;
      for (const EdgeRow& e : s.sink.edges) {
        if (e.flags_final == kNone) removed |= pair_bit(e.producer, e.consumer);
        const bool near = window == 0 || e.consumer - e.producer <= window;
        if (near) expected |= redundant & pair_bit(e.producer, e.consumer);
      }
      ASSERT_EQ(removed, expected) << "graph " << graph << ", window " << window;
    }
  }
}

DEPSCOPE_SCENARIO(X8_CoverIsGone) {
  Scenario& s = bench.run();
  s.begin();
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  s.end();
  const std::uint32_t keeper = s.submit({}, {s.dep(a)});
  s.retire(a);
  s.retire(b);
  EXPECT_EQ(s.state(a), "C");
  EXPECT_EQ(s.state(b), "Z");
  const std::uint32_t c = s.submit({}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.flags(a, c), kWait);
  EXPECT_EQ(s.flags(b, c), -1);
  EXPECT_EQ(s.task(c).edges, 1);
  EXPECT_EQ(s.ready(c), "2/2");
  s.retire(keeper);
  EXPECT_EQ(s.state(a), "Z");
  s.finish();
}

}  // namespace
}  // namespace depscope::runtime
