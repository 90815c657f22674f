// Scenarios 12.13 (what the runtime does not track) and 12.14 (MANUAL scopes). That the hazard pass reports the missing orders of
// W1 and W4 is tested with the pass.
#include "scenario.h"

namespace depscope::runtime {
namespace {

// ---------------------------------------------------------------- 12.13

DEPSCOPE_SCENARIO(W1_WriteAfterRead) {
  Scenario& s = bench.run();
  const std::uint32_t w0 = s.submit({inout(external(1))});
  const std::uint32_t r = s.submit({in(external(1))});
  const std::uint32_t w1 = s.submit({inout(external(1))});
  EXPECT_EQ(s.flags(w0, r), kWait);
  EXPECT_EQ(s.flags(w0, w1), kWait);
  EXPECT_EQ(s.edge(r, w1), kNoRow);
  s.complete(w0);
  s.start(w1);
  s.start(r);
  EXPECT_TRUE(s.running(r));
  EXPECT_TRUE(s.running(w1));
  s.finish();
}

DEPSCOPE_SCENARIO(W2_ReaderNamedByTheWriter) {
  for (const std::uint8_t flags : {std::uint8_t{kWaitRetain}, std::uint8_t{kWait}}) {
    Scenario& s = bench.run();
    const std::uint32_t w0 = s.submit({inout(external(1))});
    const std::uint32_t r = s.submit({in(external(1))});
    const std::uint32_t w1 = s.submit({inout(external(1))}, {s.dep(r, flags)});
    EXPECT_EQ(s.flags(r, w1), flags);
    s.complete(w0);
    EXPECT_FALSE(s.queued(w1));
    s.complete(r);
    EXPECT_TRUE(s.queued(w1));
    s.finish();
  }
}

DEPSCOPE_SCENARIO(W3_ReadersAsInOut) {
  Scenario& s = bench.run();
  const std::uint32_t w0 = s.submit({inout(external(1))});
  const std::uint32_t r1 = s.submit({inout(external(1))});
  const std::uint32_t r2 = s.submit({inout(external(1))});
  const std::uint32_t w1 = s.submit({inout(external(1))});
  EXPECT_EQ(s.flags(w0, r1), kWait);
  EXPECT_EQ(s.flags(r1, r2), kWait);  // they serialize
  EXPECT_EQ(s.flags(r2, w1), kWait);
  EXPECT_EQ(s.sink.edges.size(), 3U);
  s.finish();
}

DEPSCOPE_SCENARIO(W4_TwoOutputExistingWriters) {
  Scenario& s = bench.run();
  const std::uint32_t first = s.submit({existing(external(1))});
  const std::uint32_t second = s.submit({existing(external(1))});
  EXPECT_TRUE(s.sink.edges.empty());
  const std::uint32_t reader = s.submit({in(external(1))});
  EXPECT_EQ(s.flags(first, reader), kWait);  // both stay visible
  EXPECT_EQ(s.flags(second, reader), kWait);
  // Through a creator they have an edge to it, still not to each other.
  const std::uint32_t owner = s.submit({out(256)});
  const std::uint32_t third = s.submit({existing(s.output(owner))});
  const std::uint32_t fourth = s.submit({existing(s.output(owner))});
  EXPECT_EQ(s.flags(owner, third), kWaitRetain);
  EXPECT_EQ(s.flags(owner, fourth), kWaitRetain);
  EXPECT_EQ(s.edge(third, fourth), kNoRow);
  s.finish();
}

DEPSCOPE_SCENARIO(W5_HostWriteAndReaders) {
  for (const bool faithful : {true, false}) {
    for (const bool inout_reader : {false, true}) {
      ModelOptions o = bench.options();
      o.hazards.set(4, faithful);
      Scenario& s = bench.run(o);
      const std::uint32_t w0 = s.submit({inout(external(1))});
      const std::uint32_t r = s.submit({inout_reader ? inout(external(1)) : in(external(1))});
      EXPECT_TRUE(s.model.host_access(external(1), true));
      EXPECT_EQ(s.state(w0), "C");
      EXPECT_EQ(s.state(r), faithful && !inout_reader ? "P" : "C");
      s.finish();
    }
  }
}

DEPSCOPE_SCENARIO(W6_ElementTypeAlias) {
  for (const bool faithful : {true, false}) {
    ModelOptions o = bench.options();
    o.hazards.set(3, faithful);
    Scenario& s = bench.run(o);
    TensorDescriptor floats = external(1);
    floats.shape = {16};
    TensorDescriptor bytes = external(1);
    bytes.dtype = ElementType::Int8;
    bytes.shape = {16};
    bytes.start_offset = 32;
    const std::uint32_t w = s.submit({inout(floats)});
    const std::uint32_t r = s.submit({in(bytes)});
    if (faithful) {
      EXPECT_EQ(s.edge(w, r), kNoRow);
    } else {
      EXPECT_EQ(s.flags(w, r), kWait);
    }
    s.finish();
  }
}

// ---------------------------------------------------------------- 12.14

DEPSCOPE_SCENARIO(M1_NoEdgeWithoutExplicitDependency) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(256)});
  s.begin(true);
  const std::uint32_t c = s.submit({in(s.output(a))});
  EXPECT_TRUE(s.sink.edges.empty());
  EXPECT_TRUE(s.sink.tasks[c].manual_scope);
  const RunFinding& f = s.finding(RunFindingKind::NoEdgeToOwner);
  EXPECT_EQ(f.task, a);
  EXPECT_EQ(f.other, c);
  s.finish();
}

DEPSCOPE_SCENARIO(M2_WritesAreNotRegistered) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit();
  const std::uint32_t writer = s.submit({inout(external(1))});
  s.begin(true);
  const std::uint32_t c = s.submit({inout(external(1))}, {s.dep(a)});
  s.end();
  const std::uint32_t later = s.submit({in(external(1))});
  EXPECT_EQ(s.flags(a, c), kWaitRetain);
  EXPECT_EQ(s.edge(writer, c), kNoRow);
  EXPECT_EQ(s.sink.entries, 1);
  EXPECT_EQ(s.edge(c, later), kNoRow);
  EXPECT_EQ(s.flags(writer, later), kWait);
  EXPECT_FALSE(s.found(RunFindingKind::NoEdgeToOwner));
  s.finish();
}

DEPSCOPE_SCENARIO(M3_NestedManualScopes) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(256)});
  s.begin(true);
  s.begin(true);
  s.submit({in(s.output(a))});
  s.end();
  const std::uint32_t still_manual = s.submit({in(s.output(a))});
  EXPECT_TRUE(s.sink.tasks[still_manual].manual_scope);
  EXPECT_TRUE(s.sink.edges.empty());
  EXPECT_FALSE(s.model.begin_scope(false));
  EXPECT_EQ(s.model.error_code(), 5);
  EXPECT_EQ(s.submit(), kNoRow);
}

DEPSCOPE_SCENARIO(M4_WaitOnlyOnTheOwner) {
  ModelOptions o = bench.options();
  o.limits[0].heap = 4096;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit({out(4096)});
  s.begin(true);
  const std::uint32_t c = s.submit({in(s.output(a))}, {s.wait_on(a)});
  const RunFinding& warning = s.finding(RunFindingKind::WaitOnlyOnOwner);
  EXPECT_EQ(warning.task, a);
  EXPECT_EQ(warning.other, c);
  s.end();
  s.end();
  EXPECT_EQ(s.pins(a), "1/1");
  s.retire(a);
  EXPECT_EQ(s.state(a), "Z");
  EXPECT_EQ(s.state(c), "P");
  s.begin();
  const std::uint32_t d = s.submit({out(4096)});
  EXPECT_EQ(s.sink.tasks[d].heap_begin, s.sink.tasks[a].heap_begin);
  EXPECT_EQ(s.state(c), "P");
  EXPECT_EQ(s.finding(RunFindingKind::EarlyReclaim).task, a);
  EXPECT_EQ(s.finding(RunFindingKind::BytesReused).other, c);
  s.finish();
}

DEPSCOPE_SCENARIO(M5_TrackingResumes) {
  Scenario& s = bench.run();
  const std::uint32_t a = s.submit({out(256)});
  s.begin(true);
  s.begin(true);
  s.end();
  s.end();
  s.begin();
  const std::uint32_t m = s.submit({inout(s.output(a))});
  const std::uint32_t c = s.submit({in(s.output(a))});
  EXPECT_FALSE(s.sink.tasks[c].manual_scope);
  EXPECT_EQ(s.flags(a, m), kWaitRetain);
  EXPECT_EQ(s.flags(m, c), kWait);
  EXPECT_EQ(s.constructed(a, c), kWaitRetain);
  s.end();
  s.finish();
}

}  // namespace
}  // namespace depscope::runtime
