// Scenarios 12.10: slots and their generations.
#include "scenario.h"

namespace depscope::runtime {
namespace {

/// A task alone in a scope of its own.
std::uint32_t alone(Scenario& s, const std::vector<Argument>& args = {}, const std::vector<ExplicitDep>& deps = {}) {
  s.begin();
  const std::uint32_t task = s.submit(args, deps);
  s.end();
  return task;
}

/// Ring 0 with a window of 4 of which all slots were used and freed; the next task has index 4.
Scenario& used_window(Bench& bench, ModelOptions options) {
  options.limits[0].task_window = 4;
  Scenario& s = bench.run(options);
  s.end();  // scopes of the test are at depth 0
  for (int i = 0; i < 4; ++i) s.retire(alone(s));
  return s;
}

TensorDescriptor owned_by(TaskId owner) {
  TensorDescriptor t = external(9);
  t.owner = owner;
  return t;
}

DEPSCOPE_SCENARIO(G1_OldIds) {
  Scenario& s = used_window(bench, bench.options());
  s.begin();
  const std::uint32_t four = s.submit({}, {{.task = make_task_id(0, 0)}});
  EXPECT_EQ(s.task(four).slot, 0);
  EXPECT_EQ(s.task(four).edges, 0);
  const Event& skip = s.sink.events[s.first(EventKind::DepSkip, four)];
  EXPECT_EQ(static_cast<SkipReason>(skip.extra), SkipReason::Watermark);
  s.submit();
  const std::uint32_t six = s.submit({in(owned_by(make_task_id(0, 1)))});
  EXPECT_EQ(s.task(six).slot, 2);
  EXPECT_EQ(s.task(six).edges, 0);
  EXPECT_EQ(static_cast<SkipReason>(s.sink.events[s.first(EventKind::DepSkip, six)].extra), SkipReason::Gone);
  EXPECT_EQ(s.flags(1, six), -1);
  EXPECT_EQ(s.sink.edges[s.edge(1, six)].at_add, ProducerStatus::Gone);
  EXPECT_TRUE(s.found(RunFindingKind::StaleHandle));
  s.finish();
}

DEPSCOPE_SCENARIO(G2_OwnSlotAliasIsReported) {
  Scenario& s = used_window(bench, bench.options());
  s.begin();
  const std::uint32_t four = s.submit({in(owned_by(make_task_id(0, 0)))});
  EXPECT_EQ(s.finding(RunFindingKind::OwnSlotAlias).task, four);
  EXPECT_EQ(s.task(four).edges, 0);
  EXPECT_EQ(s.show(four), "P, ready 1/1, pins 0/0, scope 0");
  s.finish();
}

void expect_self_edge(Scenario& s, std::uint32_t task) {
  EXPECT_EQ(s.task(task).edges, 1);
  EXPECT_EQ(s.flags(task, task), kWaitRetain);
  EXPECT_EQ(s.show(task), "P, ready 1/2, pins 0/1, scope 0");
  s.model.finish();
  EXPECT_EQ(s.model.error_code(), 100);
  EXPECT_EQ(s.sink.error_class, ErrorClass::S4);
  EXPECT_EQ(s.ready(task), "1/2");
}

/// D6 as well.
DEPSCOPE_SCENARIO(G2_D6_OwnSlotAliasNeverRuns) {
  ModelOptions o = bench.options();
  o.hazards.set(1, true);
  Scenario& s = used_window(bench, o);
  s.begin();
  const std::uint32_t four = s.submit({in(owned_by(make_task_id(0, 0)))});
  expect_self_edge(s, four);
}

DEPSCOPE_SCENARIO(G3_FirstTaskNamesItself) {
  ModelOptions o = bench.options();
  Scenario& fixed = bench.run(o);
  const std::uint32_t task = fixed.submit({}, {{.task = make_task_id(0, 0)}});
  EXPECT_TRUE(fixed.found(RunFindingKind::OwnSlotAlias));
  EXPECT_EQ(fixed.task(task).edges, 0);
  const std::uint32_t later = fixed.submit({}, {{.task = make_task_id(0, 1)}});
  EXPECT_EQ(fixed.task(later).edges, 0);
  fixed.finish();
  o.hazards.set(1, true);
  Scenario& faithful = bench.run(o);
  expect_self_edge(faithful, faithful.submit({}, {{.task = make_task_id(0, 0)}}));
}

DEPSCOPE_SCENARIO(G3_OwnIdOfALaterTaskIsGone) {
  ModelOptions o = bench.options();
  o.hazards.set(1, true);
  Scenario& s = bench.run(o);
  s.submit();
  const std::uint32_t one = s.submit({}, {{.task = make_task_id(0, 1)}});
  EXPECT_EQ(s.task(one).edges, 0);
  EXPECT_EQ(static_cast<SkipReason>(s.sink.events[s.first(EventKind::DepSkip, one)].extra), SkipReason::Gone);
  s.finish();
}

DEPSCOPE_SCENARIO(G4_SeenEpochWraps) {
  for (const std::uint32_t before : {0xfffffffeU, 0xffffffffU}) {
    ModelOptions o = bench.options();
    o.reduction = {};
    o.first_seen_epoch = before;
    Scenario& s = bench.run(o);
    const std::uint32_t a = s.submit();
    const std::uint32_t b = s.submit({}, {s.dep(a)});
    const std::uint32_t c = s.submit({}, {s.dep(a), s.dep(b)});
    const std::uint32_t d = s.submit({}, {s.dep(a), s.dep(b), s.dep(c), s.dep(a, kWait)});
    EXPECT_EQ(s.task(b).edges, 1);
    EXPECT_EQ(s.task(c).edges, 2);
    EXPECT_EQ(s.task(d).edges, 3);
    EXPECT_EQ(s.pins(a), "0/3");
    s.finish();
  }
}

DEPSCOPE_SCENARIO(G5_EntryOfAnotherRing) {
  Scenario& s = bench.run();
  s.begin();
  const std::uint32_t m = s.submit({inout(external(1))});
  s.end();
  s.retire(m);
  EXPECT_EQ(s.state(m), "Z");
  EXPECT_EQ(s.ring(1).published, 1);
  EXPECT_EQ(s.sink.entries, 1);
  const std::uint32_t n = s.submit({inout(external(1))});
  EXPECT_EQ(s.count(EventKind::TensorMapHit), 1U);
  EXPECT_EQ(static_cast<SkipReason>(s.sink.events[s.first(EventKind::DepSkip, n)].extra), SkipReason::Gone);
  EXPECT_EQ(s.task(n).edges, 0);
  EXPECT_EQ(s.count(EventKind::TensorMapRemove), 1U);
  EXPECT_EQ(s.sink.entries, 1);  // its own
  s.finish();
}

/// Entries of several rings interleave: one that is stale does not end the lookup.
DEPSCOPE_SCENARIO(G5_StaleEntryDoesNotEndTheLookup) {
  Scenario& s = bench.run();
  const std::uint32_t older = s.submit({inout(external(1))});
  TensorDescriptor half = external(1);
  half.shape = {32};
  s.begin();
  const std::uint32_t newer = s.submit({existing(half)});
  s.end();
  s.retire(newer);
  EXPECT_EQ(s.ring(1).published, 1);
  s.begin();
  const std::uint32_t reader = s.submit({in(external(1))});
  EXPECT_EQ(s.flags(newer, reader), -1);
  EXPECT_EQ(s.flags(older, reader), kWait);
  s.end();
  s.finish();
}

DEPSCOPE_SCENARIO(G6_CleanUpKeepsTheNewerGeneration) {
  ModelOptions o = bench.options();
  o.limits[0].task_window = 4;
  Scenario& s = bench.run(o);
  s.end();
  const std::uint32_t old = alone(s, {inout(external(1))});
  s.retire(old);
  for (int i = 1; i < 4; ++i) s.retire(alone(s));
  s.begin();
  const std::uint32_t reuser = s.submit({inout(external(2))});
  EXPECT_EQ(s.task(reuser).slot, s.task(old).slot);
  EXPECT_EQ(s.count(EventKind::TensorMapCleanup), 1U);
  EXPECT_EQ(s.sink.entries, 1);
  const std::uint32_t reader = s.submit({in(external(2)), in(external(1))});
  EXPECT_EQ(s.flags(reuser, reader), kWait);
  EXPECT_EQ(s.flags(old, reader), -1);
  s.finish();
}

DEPSCOPE_SCENARIO(G7_BitmapResidue) {
  ModelOptions o = bench.options();
  o.reach_residue = ~std::uint64_t{0};
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  EXPECT_EQ(s.task(a).reach, 0);
  EXPECT_EQ(s.sink.events[s.first(EventKind::SeqAssign, a)].old_value, 0);
  const std::uint32_t b = s.submit();
  const std::uint32_t alloc = s.allocate(1024);
  const std::uint32_t c = s.submit({in(s.output(alloc))}, {s.wait_on(a), s.wait_on(b)});
  EXPECT_EQ(s.flags(a, c), kWait);  // nothing covers it
  EXPECT_EQ(s.flags(b, c), kWait);
  EXPECT_EQ(s.task(c).reach, 7);
  s.finish();
}

struct LateRelease {
  std::uint32_t p = 0, t = 0, p2 = 0, q = 0;
};

/// T's release stays in its thread's buffer while Q takes T's slot.
LateRelease late_release(Scenario& s) {
  LateRelease r;
  r.p = s.submit();
  r.p2 = s.submit();
  s.begin();
  r.t = s.submit({}, {s.dep(r.p)});
  s.retire(r.p);
  s.complete(r.t);
  s.end();
  EXPECT_EQ(s.state(r.t), "Z");
  EXPECT_EQ(s.ring(1).watermark, 1);
  for (int i = 0; i < 3; ++i) s.retire(alone(s));
  s.begin();
  r.q = s.submit({}, {s.dep(r.p2)});
  EXPECT_EQ(s.task(r.q).slot, s.task(r.t).slot);
  s.end();
  EXPECT_EQ(s.pins(r.p), "0/1");
  EXPECT_EQ(s.pins(r.p2), "0/1");
  s.release(r.t);
  return r;
}

DEPSCOPE_SCENARIO(G8_LateReleaseOnItsOwnEdges) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 4;
  Scenario& s = bench.run(o);
  const LateRelease r = late_release(s);
  EXPECT_EQ(s.pins(r.p), "1/1");
  EXPECT_EQ(s.pins(r.p2), "0/1");
  s.retire(r.p2);
  s.retire(r.q);
  EXPECT_EQ(s.pins(r.p2), "1/1");
  s.finish();
}

DEPSCOPE_SCENARIO(G8_LateReleaseOnTheNewTasksEdges) {
  ModelOptions o = bench.options();
  o.limits[1].task_window = 4;
  o.hazards.set(10, true);
  Scenario& s = bench.run(o);
  const LateRelease r = late_release(s);
  EXPECT_EQ(s.pins(r.p), "0/1");
  EXPECT_EQ(s.pins(r.p2), "1/1");
  EXPECT_EQ(s.state(r.q), "P");
  EXPECT_EQ(s.finding(RunFindingKind::LateRelease).task, r.t);
  EXPECT_EQ(s.finding(RunFindingKind::LateRelease).other, r.q);
  s.complete(r.p2);
  s.complete(r.q);
  s.release(r.q);
  s.release(r.p2);
  EXPECT_EQ(s.pins(r.p2), "2/1");
  s.model.finish();
  EXPECT_EQ(s.state(r.p), "C");
  EXPECT_EQ(s.state(r.p2), "C");
  EXPECT_EQ(s.pins(r.p), "0/1");
}

}  // namespace
}  // namespace depscope::runtime
