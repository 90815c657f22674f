// Scenarios 12.11 (more than 64 producers) and the edges of the heap ring (6.5).
#include "scenario.h"

namespace depscope::runtime {
namespace {

std::vector<ExplicitDep> independent(Scenario& s, std::uint32_t count) {
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t p = s.submit();
    deps.push_back(s.dep(p));
  }
  return deps;
}

DEPSCOPE_SCENARIO(F1_SixtyFiveProducers) {
  Scenario& s = bench.run();
  const std::vector<ExplicitDep> deps = independent(s, 65);
  const std::uint32_t c = s.submit({}, deps);
  EXPECT_EQ(s.task(c).edges, 65);
  EXPECT_EQ(s.ring().spilled(), 1);
  EXPECT_EQ(s.ready(c), "1/66");
  EXPECT_EQ(s.ring().nodes(), 65);
  s.finish();
}

DEPSCOPE_SCENARIO(F2_DuplicateOfASpilledProducer) {
  Scenario& s = bench.run();
  std::vector<ExplicitDep> deps = independent(s, 66);
  for (ExplicitDep& d : deps) d.flags = kWait;
  deps.push_back(s.dep(65, kRetain));
  deps.push_back(s.dep(64, kNone));
  const std::uint32_t c = s.submit({}, deps);
  EXPECT_EQ(s.flags(65, c), kWaitRetain);
  EXPECT_EQ(s.flags(64, c), kWait);
  EXPECT_EQ(s.task(c).edges, 66);
  EXPECT_EQ(s.task(c).waits, 66);
  EXPECT_EQ(s.ring().spilled(), 2);
  EXPECT_EQ(s.pins(65), "0/1");
  EXPECT_EQ(s.pins(64), "1/1");
  s.finish();
}

DEPSCOPE_SCENARIO(F3_ReductionOfASpilledEdge) {
  Scenario& s = bench.run();
  std::vector<ExplicitDep> deps = independent(s, 65);
  const std::uint32_t a = s.submit();
  const std::uint32_t b = s.submit({}, {s.dep(a)});
  deps.push_back(s.dep(b));
  deps.push_back(s.dep(a));
  const std::uint32_t c = s.submit({}, deps);
  EXPECT_EQ(s.edge(a, c) - s.edge(0, c), 66U);
  EXPECT_EQ(s.flags(a, c), kRetain);
  EXPECT_EQ(s.task(c).edges, 67);
  EXPECT_EQ(s.task(c).waits, 66);
  EXPECT_EQ(s.ring().spilled(), 3);
  s.finish();
}

DEPSCOPE_SCENARIO(F4_SpillPoolTooSmall) {
  ModelOptions o = bench.options();
  o.limits[0].dep_pool = 4;
  Scenario& s = bench.run(o);
  const std::vector<ExplicitDep> deps = independent(s, 69);
  EXPECT_EQ(s.submit({}, deps), kNoRow);
  EXPECT_EQ(s.ring().spilled(), 4);
  EXPECT_EQ(s.model.error_code(), 4);
  EXPECT_EQ(s.sink.error_class, ErrorClass::Backstop);
  EXPECT_EQ(s.pins(68), "0/1");
  EXPECT_TRUE(s.task(69).aborted);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.resource, Resource::SpillPool);
  EXPECT_EQ(f.used, 4U);
  EXPECT_EQ(f.capacity, 4U);
}

/// Ring 1 with 8 entries: three retired consumers took 6, L has the other two, M asks for three.
struct Lagging {
  std::uint32_t l = 0, m = 0;
};
Lagging lagging_cursor(Scenario& s) {
  std::vector<ExplicitDep> deps = independent(s, 67);
  for (std::uint32_t p = 0; p < 67; ++p) s.retire(p);  // the scope keeps them: no nodes are needed
  const auto two_spilled = std::vector(deps.begin(), deps.begin() + 66);
  const auto in_scope = [&](const std::vector<ExplicitDep>& of) {
    s.begin();
    const std::uint32_t t = s.submit({}, of);
    s.end();
    return t;
  };
  for (int i = 0; i < 3; ++i) s.retire(in_scope(two_spilled));
  EXPECT_EQ(s.ring(1).spilled(), 6);
  // Fillers until L's slot is that of a retired index that the cursor has not seen.
  while (s.ring(1).next < 256 + 100) s.retire(in_scope({}));
  Lagging r;
  r.l = in_scope(two_spilled);
  EXPECT_EQ(s.ring(1).spilled(), 8);
  EXPECT_EQ(s.ring(1).spill_tail, 1);
  s.begin();
  r.m = s.submit({}, deps);
  EXPECT_NE(r.m, kNoRow);
  EXPECT_EQ(s.state(r.l), "P");
  return r;
}

DEPSCOPE_SCENARIO(F5_LaggingCursor) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 256;
  o.limits[1].dep_pool = 8;
  Scenario& s = bench.run(o);
  lagging_cursor(s);
  EXPECT_EQ(s.ring(1).spill_tail, 7);  // L's two entries stay
  EXPECT_EQ(s.ring(1).spill_top, 12);
  EXPECT_FALSE(s.found(RunFindingKind::SpillOverrun));
  s.end();
  s.finish();
}

DEPSCOPE_SCENARIO(F5_LaggingCursorPassesLiveEdges) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 256;
  o.limits[1].dep_pool = 8;
  o.hazards.set(2, true);
  Scenario& s = bench.run(o);
  const Lagging r = lagging_cursor(s);
  EXPECT_EQ(s.ring(1).spill_tail, 9);
  EXPECT_EQ(s.finding(RunFindingKind::SpillOverrun).task, r.l);
}

// ---------------------------------------------------------------- 6.5

/// Tasks of their own scopes on ring 0, whose heap has 4 KiB.
Scenario& small_heap(Bench& bench) {
  ModelOptions o = bench.options();
  o.limits[0].heap = 4096;
  Scenario& s = bench.run(o);
  s.end();
  return s;
}

std::uint32_t with_output(Scenario& s, std::uint32_t bytes) {
  s.begin();
  const std::uint32_t task = bytes == 0 ? s.submit() : s.submit({out(bytes)});
  s.end();
  return task;
}

/// A request as large as the free beginning does not go there: top = tail would mean empty.
DEPSCOPE_SCENARIO(Heap_WrapIsStrict) {
  Scenario& s = small_heap(bench);
  const std::uint32_t a = with_output(s, 2048);
  const std::uint32_t b = with_output(s, 1024);
  s.retire(a);
  const std::uint32_t c = with_output(s, 2048);
  EXPECT_EQ(s.count(EventKind::Block), 1U);
  EXPECT_EQ(s.state(b), "Z");  // it had to go first
  EXPECT_EQ(s.sink.tasks[c].heap_begin, 0U);
  const std::uint32_t d = with_output(s, 1024);
  EXPECT_EQ(s.sink.tasks[d].heap_begin, 2048U);
  s.finish();
}

/// While the ring is empty but for a task without memory, the heap starts again at 0; that task's end belongs to the time before.
DEPSCOPE_SCENARIO(Heap_RebaseGuard) {
  Scenario& s = small_heap(bench);
  const std::uint32_t a = with_output(s, 3072);
  s.retire(a);
  const std::uint32_t nothing = with_output(s, 0);
  EXPECT_EQ(s.sink.tasks[nothing].heap_begin, 3072U);
  EXPECT_EQ(s.sink.tasks[nothing].heap_end, 3072U);
  const std::uint32_t b = with_output(s, 4096);
  EXPECT_EQ(s.sink.tasks[b].heap_begin, 0U);
  EXPECT_EQ(s.ring().guard, local_of(s.id(b)));
  EXPECT_EQ(s.ring().heap_tail, 0);
  s.retire(nothing);
  EXPECT_EQ(s.ring().watermark, 2);
  const std::uint32_t c = with_output(s, 1024);
  EXPECT_EQ(s.state(b), "Z");  // its bytes were not handed out before
  EXPECT_EQ(s.ring().guard, -1);
  EXPECT_EQ(s.ring().heap_tail, 4096);
  EXPECT_EQ(s.sink.tasks[c].heap_begin, 0U);
  EXPECT_LT(s.first(EventKind::Consume, b), s.first(EventKind::HeapAlloc, c));
  s.finish();
}

}  // namespace
}  // namespace depscope::runtime
