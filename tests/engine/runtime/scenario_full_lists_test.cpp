// Lists of a fixed size that the documented sizes keep from being full: ready queues (hazard H6) and the list of the open scopes
// (hazard H7, error 10). Here they are small.
#include "scenario.h"

namespace depscope::runtime {
namespace {

DEPSCOPE_SCENARIO(H6_AFullQueueGrows) {
  ModelOptions o = bench.options();
  o.ready_queue_entries = 2;
  Scenario& s = bench.run(o);
  s.submit();
  s.submit();
  EXPECT_FALSE(s.found(RunFindingKind::QueueOverflow));
  const std::uint32_t third = s.submit();
  const std::uint32_t fourth = s.submit();
  EXPECT_TRUE(s.queued(third));
  EXPECT_TRUE(s.queued(fourth));
  std::size_t told = 0;
  for (const RunFinding& f : s.sink.findings) told += f.kind == RunFindingKind::QueueOverflow ? 1 : 0;
  EXPECT_EQ(told, 1U);  // once by queue
  const RunFinding& f = s.finding(RunFindingKind::QueueOverflow);
  EXPECT_EQ(f.task, third);
  EXPECT_EQ(f.capacity, 2U);
  EXPECT_EQ(f.count, 0U);
  EXPECT_EQ(f.text, "AIV");
  s.finish();
}

DEPSCOPE_SCENARIO(H6_AFailedPushIsNotLookedAt) {
  ModelOptions o = bench.options();
  o.ready_queue_entries = 2;
  o.hazards.set(6, true);
  Scenario& s = bench.run(o);
  const std::uint32_t first = s.submit();
  s.submit();
  const std::uint32_t third = s.submit();
  const std::uint32_t waits = s.submit({}, {s.dep(third)});
  EXPECT_TRUE(s.queued(first));
  EXPECT_FALSE(s.queued(third));
  EXPECT_EQ(s.ready(third), "1/1");
  EXPECT_EQ(s.finding(RunFindingKind::QueueOverflow).count, 1U);
  s.model.finish();
  EXPECT_EQ(s.model.error_code(), 100);
  EXPECT_EQ(s.sink.error_class, ErrorClass::S3);
  EXPECT_EQ(s.state(first), "Z");
  EXPECT_EQ(s.state(third), "P");
  EXPECT_EQ(s.state(waits), "P");
}

/// Each queue counts for itself, and what has left it makes room.
DEPSCOPE_SCENARIO(H6_QueuesCountForThemselves) {
  ModelOptions o = bench.options();
  o.ready_queue_entries = 1;
  o.hazards.set(6, true);
  Scenario& s = bench.run(o);
  const std::uint32_t first = s.submit();
  s.retire(first);
  const std::uint32_t second = s.submit();
  EXPECT_TRUE(s.queued(second));
  EXPECT_FALSE(s.found(RunFindingKind::QueueOverflow));
  s.finish();
}

DEPSCOPE_SCENARIO(H7_AFullScopeListRefuses) {
  ModelOptions o = bench.options();
  o.scope_list_entries = 2;
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  s.begin();
  s.submit();
  EXPECT_EQ(s.submit({}, {s.dep(a)}), kNoRow);
  EXPECT_EQ(s.model.error_code(), 10);
  EXPECT_EQ(s.sink.tasks.size(), 2U);
  EXPECT_EQ(s.pins(a), "0/0");
  EXPECT_EQ(s.finding(RunFindingKind::Error).code, 10);
}

/// What a scope gives back makes room.
DEPSCOPE_SCENARIO(H7_EndedScopesDoNotCount) {
  ModelOptions o = bench.options();
  o.scope_list_entries = 2;
  Scenario& s = bench.run(o);
  s.submit();
  for (int i = 0; i < 10; ++i) {
    s.begin();
    EXPECT_NE(s.submit(), kNoRow);
    s.end();
  }
  EXPECT_EQ(s.model.error_code(), 0);
  s.finish();
}

DEPSCOPE_SCENARIO(H7_TheSubmitGoesOn) {
  ModelOptions o = bench.options();
  o.scope_list_entries = 2;
  o.hazards.set(7, true);
  Scenario& s = bench.run(o);
  const std::uint32_t a = s.submit();
  s.submit();
  const std::uint32_t third = s.submit({}, {s.dep(a)});
  ASSERT_EQ(third, 2U);
  EXPECT_EQ(s.model.error_code(), 10);
  EXPECT_FALSE(s.task(third).aborted);
  EXPECT_EQ(s.flags(a, third), kWaitRetain);
  EXPECT_EQ(s.pins(a), "0/1");
  EXPECT_EQ(s.show(third), "P, ready 1/2, pins 0/0, scope 0");
  EXPECT_EQ(s.submit(), kNoRow);  // the error stands
  EXPECT_EQ(s.sink.tasks.size(), 3U);
}

}  // namespace
}  // namespace depscope::runtime
