// Scenarios 12.12: deadlocks, their codes and classes. D6 is with G2.
#include "scenario.h"

namespace depscope::runtime {
namespace {

void expect_error(const Scenario& s, std::int32_t code, ErrorClass error_class) {
  EXPECT_EQ(s.model.error_code(), code);
  EXPECT_EQ(s.sink.error, code);
  EXPECT_EQ(error_class_name(s.sink.error_class), error_class_name(error_class));
  EXPECT_TRUE(s.model.enabled().empty());
}

DEPSCOPE_SCENARIO(D1_ScopeLargerThanTheWindow) {
  ModelOptions o = bench.options();
  o.limits[0].task_window = 4;
  Scenario& s = bench.run(o);
  for (int i = 0; i < 3; ++i) EXPECT_NE(s.submit(), kNoRow);
  EXPECT_EQ(s.submit(), kNoRow);
  EXPECT_EQ(s.model.error_code(), 1);
  EXPECT_EQ(s.ring().next, 3);
  // After a fatal nothing happens any more, and no reference is given back.
  EXPECT_EQ(s.submit(), kNoRow);
  EXPECT_EQ(s.count(EventKind::SubmitIgnored), 1U);
  EXPECT_FALSE(s.model.begin_scope(false));
  s.end();
  EXPECT_EQ(s.count(EventKind::ScopeRelease), 0U);
  EXPECT_EQ(s.sink.error, 1);
}

DEPSCOPE_SCENARIO(D2_OutputLargerThanTheHeap) {
  ModelOptions o = bench.options();
  o.limits[0].heap = 1024;
  Scenario& s = bench.run(o);
  EXPECT_EQ(s.submit({out(32 * 1024)}), kNoRow);
  expect_error(s, 2, ErrorClass::Backstop);
  EXPECT_EQ(s.ring().next, 0);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.resource, Resource::Heap);
  EXPECT_EQ(f.requested, 32U * 1024);
  EXPECT_EQ(f.capacity, 1024U);
  EXPECT_EQ(f.head, kNoRow);
}

DEPSCOPE_SCENARIO(D3_NestedScopesFillARing) {
  ModelOptions o = bench.options();
  o.limits[3].task_window = 4;
  Scenario& s = bench.run(o);
  for (int depth = 1; depth <= 3; ++depth) s.begin();
  const std::uint32_t first = s.submit();
  s.submit();
  s.begin();
  EXPECT_NE(s.submit(), kNoRow);
  EXPECT_EQ(s.submit(), kNoRow);
  expect_error(s, 3, ErrorClass::Structural);
  EXPECT_EQ(s.ring(3).next, 3);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.head, first);
  EXPECT_EQ(f.resource, Resource::TaskWindow);
  EXPECT_EQ(f.next_index, 3);
  EXPECT_EQ(f.watermark, 0);
  EXPECT_FALSE(f.head_scope_released);
}

DEPSCOPE_SCENARIO(D4_DepPoolTooSmall) {
  ModelOptions o = bench.options();
  o.limits[0].dep_pool = 4;
  Scenario& s = bench.run(o);
  std::vector<ExplicitDep> deps;
  for (std::uint32_t i = 0; i < 5; ++i) {
    s.submit();
    deps.push_back(s.dep(i));
  }
  EXPECT_EQ(s.submit({}, deps), kNoRow);
  expect_error(s, 4, ErrorClass::Structural);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(s.pins(i), "0/1");
  EXPECT_EQ(s.ring().next, 6);
  EXPECT_TRUE(s.task(5).aborted);
  const RunFinding& f = s.finding(RunFindingKind::Deadlock);
  EXPECT_EQ(f.resource, Resource::DepPool);
  EXPECT_EQ(f.requested, 5U);
  EXPECT_EQ(f.used, 0U);
  EXPECT_EQ(f.head, 0U);
}

DEPSCOPE_SCENARIO(D5_ChildWhoseScopeHasEnded) {
  for (const bool ends : {false, true}) {
    ModelOptions o = bench.options();
    o.limits[3].heap = 4096;
    Scenario& s = bench.run(o);
    for (int depth = 1; depth <= 4; ++depth) s.begin();
    Submission child = kernel();
    child.args = {out(3072)};
    child.duration = ends ? 5 : kNeverFinishes;
    const std::uint32_t c = s.submit(child);
    s.end();
    s.submit({out(1024)});
    const std::uint32_t next = s.submit({out(1024)});
    EXPECT_EQ(s.count(EventKind::Block), 1U);
    if (!ends) {
      EXPECT_EQ(next, kNoRow);
      expect_error(s, 2, ErrorClass::Backstop);
      EXPECT_EQ(s.finding(RunFindingKind::Deadlock).head, c);
      EXPECT_TRUE(s.finding(RunFindingKind::Deadlock).head_scope_released);
      continue;
    }
    EXPECT_EQ(s.state(c), "Z");
    EXPECT_EQ(s.sink.tasks[next].heap_begin, 0U);
    EXPECT_EQ(s.ring(3).heap_tail, 3072);
    s.finish();
  }
}

DEPSCOPE_SCENARIO(D7_KernelThatNeverFinishes) {
  Scenario& s = bench.run();
  s.submit();
  Submission endless = kernel();
  endless.duration = kNeverFinishes;
  const std::uint32_t task = s.submit(endless);
  s.submit({}, {s.dep(task)});
  s.model.finish();
  EXPECT_EQ(s.model.error_code(), 100);
  EXPECT_EQ(s.sink.error_class, ErrorClass::S1);
  const RunFinding& f = s.finding(RunFindingKind::Error);
  EXPECT_EQ(f.task, task);
  EXPECT_EQ(f.count, s.sink.events[s.first(EventKind::Dispatch, task)].object);  // its core
}

/// The first task has begun and has blocks left, but it is the second that holds the cores.
DEPSCOPE_SCENARIO(D7_BlocksBehindAKernelThatNeverFinishes) {
  Scenario& s = bench.run();
  Submission finite = kernel();
  finite.block_num = 100;
  const std::uint32_t first = s.submit(finite);
  Submission endless = finite;
  endless.duration = kNeverFinishes;
  const std::uint32_t second = s.submit(endless);
  s.model.finish();
  EXPECT_TRUE(s.queued(first));
  EXPECT_EQ(s.model.error_code(), 100);
  EXPECT_EQ(s.sink.error_class, ErrorClass::S1);
  const RunFinding& f = s.finding(RunFindingKind::Error);
  EXPECT_EQ(f.task, second);
  EXPECT_EQ(s.sink.cores.at(f.count).front(), second);
}

DEPSCOPE_SCENARIO(D8_HostAccessToItsOutput) {
  Scenario& s = bench.run();
  Submission endless = kernel();
  endless.args = {out(256)};
  endless.duration = kNeverFinishes;
  const std::uint32_t task = s.submit(endless);
  EXPECT_FALSE(s.model.host_access(s.output(task), false));
  expect_error(s, 8, ErrorClass::Backstop);
}

DEPSCOPE_SCENARIO(D9_TensorMapFull) {
  ModelOptions o = bench.options();
  o.tensor_map_entries = 4;
  Scenario& s = bench.run(o);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_NE(s.submit({inout(external(i))}), kNoRow);
  EXPECT_EQ(s.sink.entries, 4);
  EXPECT_EQ(s.submit({inout(external(4))}), kNoRow);
  expect_error(s, 11, ErrorClass::Backstop);
  EXPECT_TRUE(s.task(4).aborted);
}

DEPSCOPE_SCENARIO(D10_DepPoolInterval) {
  for (const bool faithful : {true, false}) {
    ModelOptions o = bench.options();
    o.limits[1].task_window = 16;
    o.limits[1].dep_pool = 8;
    o.hazards.set(11, faithful);
    Scenario& s = bench.run(o);
    int round = 1;
    for (; round <= 300; ++round) {
      s.begin();
      const std::uint32_t p = s.submit();
      const std::uint32_t c = s.submit({}, {s.wait_on(p)});
      if (c == kNoRow) break;
      s.end();
      s.retire(p);
      s.retire(c);
      EXPECT_EQ(s.ring(1).watermark, 2 * round);
    }
    if (!faithful) {
      EXPECT_EQ(round, 301);
      s.finish();
      continue;
    }
    EXPECT_EQ(round, 9);
    EXPECT_EQ(s.ring(1).nodes(), 8);
    EXPECT_EQ(s.ring(1).watermark, 16);
    expect_error(s, 4, ErrorClass::Structural);
  }
}

}  // namespace
}  // namespace depscope::runtime
