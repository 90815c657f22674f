// Scenarios 12.2 (output of a task that only retains) and 12.4 (producer that is only waited for).
#include "scenario_lifetime.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- 12.2

DEPSCOPE_SCENARIO(S2a_ReaderRetainsTheOwner) { reader_retains_the_owner(bench, bench.options()); }

/// The edge of the reader is forced to NONE: the scope is MANUAL, and the program asks for it.
DEPSCOPE_SCENARIO(S2b_WithoutRetainTheBytesAreReused) {
  ModelOptions o = bench.options();
  o.limits[0].heap = 4096;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  s.begin(true);
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.wait_on(b), s.dep(a, kNone)});
  s.end();
  EXPECT_EQ(s.flags(a, c), kNone);
  EXPECT_EQ(s.pins(a), "2/2");
  s.end();
  s.complete(a);
  s.complete(b);
  s.release(a);
  EXPECT_EQ(s.state(a), "Z");
  s.release(b);
  s.start(c);
  EXPECT_TRUE(s.running(c));
  EXPECT_TRUE(s.found(RunFindingKind::EarlyReclaim));
  EXPECT_FALSE(s.found(RunFindingKind::BytesReused));
  s.begin();
  const std::uint32_t d = s.submit({out(4096)});
  EXPECT_EQ(s.sink.tasks[d].heap_begin, s.sink.tasks[a].heap_begin);
  EXPECT_TRUE(s.running(c));
  const RunFinding& f = s.finding(RunFindingKind::BytesReused);
  EXPECT_EQ(f.task, a);
  EXPECT_EQ(f.other, c);
  EXPECT_EQ(f.head, d);
  s.finish();
}

DEPSCOPE_SCENARIO(S2c_ScopeEndLast) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(4096)});
  const std::uint32_t b = s.submit({}, {s.wait_on(a)});
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.dep(b)});
  for (const std::uint32_t t : {a, b, c}) s.retire(t);
  EXPECT_EQ(s.show(a), "C, ready 1/1, pins 2/2, scope 0");
  EXPECT_EQ(s.ring().watermark, 0);
  s.end();
  EXPECT_EQ(s.show(a), "Z, ready 1/1, pins 2/2, scope 1");
  EXPECT_EQ(s.ring().watermark, 3);
  s.finish();
}

DEPSCOPE_SCENARIO(S2d_TwoReaders) {
  for (const bool swapped : {false, true}) {
    Scenario& s = bench.run();
    const std::uint32_t a = s.submit({out(4096)});
    const std::uint32_t b = s.submit({}, {s.wait_on(a)});
    std::array<std::uint32_t, 2> readers{};
    for (std::uint32_t& c : readers) c = s.submit({in(s.output(a))}, {s.dep(b)});
    EXPECT_EQ(s.pins(a), "1/3");
    s.end();
    s.retire(a);
    s.retire(b);
    s.complete(readers[0]);
    s.complete(readers[1]);
    if (swapped) std::swap(readers[0], readers[1]);
    s.release(readers[0]);
    EXPECT_EQ(s.pins(a), "2/3");
    EXPECT_EQ(s.state(a), "C");
    s.release(readers[1]);
    EXPECT_EQ(s.pins(a), "3/3");
    EXPECT_EQ(s.state(a), "Z");
    s.finish();
  }
}

// ---------------------------------------------------------------- 12.4

DEPSCOPE_SCENARIO(S4a_ModifierLeavesEarly) { modifier_leaves_early(bench, bench.options()); }

DEPSCOPE_SCENARIO(S4a_CoupledModifierStays) {
  ModelOptions o = bench.options();
  o.edges = EdgeRepresentation::Coupled;
  Scenario& s = bench.run(o);
  const std::uint32_t m = s.submit({inout(external(1))});
  const std::uint32_t c = s.submit({in(external(1))});
  EXPECT_EQ(s.pins(m), "0/1");
  s.retire(m);
  s.end();
  EXPECT_EQ(s.state(m), "C");
  s.complete(c);
  EXPECT_EQ(s.state(m), "C");
  s.release(c);
  EXPECT_EQ(s.state(m), "Z");
  s.finish();
}

DEPSCOPE_SCENARIO(S4b_ScopeEndsFirst) {
  Scenario& s = bench.run();
  const std::uint32_t m = s.submit({inout(external(1))});
  const std::uint32_t c = s.submit({in(external(1))});
  s.end();
  s.complete(m);
  EXPECT_EQ(s.state(m), "C");
  s.release(m);
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_EQ(s.state(c), "P");
  s.finish();
}

DEPSCOPE_SCENARIO(S4c_FastPath) {
  Scenario& s = bench.run();
  const std::uint32_t m = s.submit({inout(external(1))});
  s.retire(m);
  const std::uint32_t c = s.submit({in(external(1))});
  EXPECT_EQ(s.show(m), "C, ready 1/1, pins 1/1, scope 0");
  EXPECT_EQ(s.ready(c), "2/2");
  EXPECT_EQ(s.count(EventKind::Consume), 0U);
  s.end();
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_EQ(s.count(EventKind::Consume), 1U);
  s.finish();
  EXPECT_EQ(s.count(EventKind::Consume), 2U);
}

DEPSCOPE_SCENARIO(S4d_WindowPressure) {
  for (const EdgeRepresentation edges : {EdgeRepresentation::Split, EdgeRepresentation::Coupled}) {
    ModelOptions o = bench.options();
    o.edges = edges;
    o.limits[1].task_window = 4;
    Scenario& s = bench.run(o);
    s.begin();
    const std::uint32_t first = s.submit({inout(external(1))});
    s.end();
    Submission endless = kernel();
    endless.args = {in(external(1))};
    endless.duration = kNeverFinishes;
    const std::uint32_t reader = s.submit(endless);
    for (int i = 1; i < 100 && s.model.error_code() == 0; ++i) {
      s.begin();
      s.submit({inout(external(1))});
      s.end();
    }
    if (edges == EdgeRepresentation::Split) {
      EXPECT_EQ(s.model.error_code(), 0);
      EXPECT_EQ(s.ring(1).next, 100);
      EXPECT_EQ(s.state(first), "Z");
      EXPECT_EQ(s.state(reader), "P");
    } else {
      EXPECT_EQ(s.model.error_code(), 3);
      EXPECT_EQ(s.sink.error_class, ErrorClass::Backstop);
      EXPECT_EQ(s.ring(1).next, 3);
      EXPECT_EQ(s.ring(1).watermark, 0);
      EXPECT_EQ(s.finding(RunFindingKind::Deadlock).head, first);
    }
  }
}

DEPSCOPE_SCENARIO(S4e_OwnReleaseOutstanding) {
  Scenario& s = bench.run();
  const std::uint32_t p = s.submit();
  s.begin();
  const std::uint32_t m = s.submit({}, {s.dep(p)});
  s.retire(p);
  s.complete(m);
  EXPECT_EQ(s.state(m), "C");
  s.end();
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_EQ(s.ring(1).watermark, 1);
  EXPECT_EQ(s.task(m).own_release, 0);
  EXPECT_EQ(s.pins(p), "0/1");
  s.release(m);
  EXPECT_EQ(s.pins(p), "1/1");
  EXPECT_EQ(s.pins(m), "0/0");
  s.finish();
}

}  // namespace
}  // namespace depscope::runtime
