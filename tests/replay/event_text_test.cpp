// The line of text of each kind of event.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "event_samples.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::Event;
using runtime::EventKind;

/// Task rows 0 to 4 and 7 of the sample are fill, matmul, softmax, store, fill, store; edge 2 is made to go from 1 to 3.
Recording recording_of(const Event& event) {
  Recording r = recording_without_events();
  r.edges.producer[2] = 1;
  r.edges.consumer[2] = 3;
  add_event(r, event);
  return r;
}

std::string text_of(const Event& event) { return describe_event(recording_of(event), 0); }

TEST(EventTextTest, OneLineForEachKind) {
  const std::map<EventKind, std::string> expected{
      {EventKind::Config, "config task_window of ring 1: 16384"},
      {EventKind::ScopeBegin, "scope-begin s0 AUTO at depth 2"},
      {EventKind::ScopeEnd, "scope-end s0"},
      {EventKind::Submit, "submit store t3 on ring 1"},
      {EventKind::EdgeAdd, "edge-add matmul t1 -> store t3: wait|retain"},
      {EventKind::EdgeReduce, "edge-reduce matmul t1 -> store t3: none to retain, reached through matmul t1"},
      {EventKind::EdgeLost, "edge-lost matmul t1 -> store t3: none to wait"},
      {EventKind::Ready, "ready store t3"},
      {EventKind::Dispatch, "dispatch store t3 on core 5"},
      {EventKind::Complete, "complete store t3 on core 5"},
      {EventKind::Consume, "consume store t3"},
      {EventKind::WaitCount, "have-add store t3: 0 to 2 of its units, from matmul t1"},
      {EventKind::PinClaim, "pin-claim store t3: 0 to 1, by fill t4"},
      {EventKind::PinRelease, "pin-release store t3: 0 to 1, by fill t4 at its release"},
      {EventKind::ScopeRelease, "scope-release store t3"},
      {EventKind::Release, "release store t3"},
      {EventKind::Watermark, "watermark of ring 1: 0 to 2"},
      {EventKind::HeapAlloc, "heap-alloc store t3 on ring 1: top 0 to 2048"},
      {EventKind::HeapFree, "heap-free on ring 1: tail 0 to 1024"},
      {EventKind::TensorMapInsert, "tm-insert buffer3 of store t3: 1 entries"},
      {EventKind::TensorMapRemove, "tm-remove buffer3 of store t3: 7 entries, by fill t4"},
      {EventKind::TensorMapHit, "tm-hit buffer4 of fill t4 on buffer3 of store t3: covered"},
      {EventKind::Need, "need store t3: 4 units"},
      {EventKind::Block, "block store t7 on ring 1: dep_pool, 4 in use, 5 asked for"},
      {EventKind::Unblock, "unblock on ring 1: heap, 0 in use, 5 asked for"},
      {EventKind::Error, "error 4 on ring 1 at store t7: structural"},
      {EventKind::RunEnd, "run-end: 20 tasks completed"},
      {EventKind::SubmitBegin, "submit-begin in s1, which has 3 tasks"},
      {EventKind::SubmitIgnored, "submit-ignored"},
      {EventKind::SlotReset, "slot-reset store t3: slot 3, generation 0 to 1"},
      {EventKind::SeqAssign, "seq-assign store t3: submission counter 18446744073709551615 to 0"},
      {EventKind::Bind, "bind store t3 to slot 3: 4 tasks in the open scopes"},
      {EventKind::Record, "record store t3: 4 records"},
      {EventKind::TensorMapSync, "tm-sync ring 1: cached watermark 0 to 2"},
      {EventKind::TensorMapCleanup, "tm-cleanup buffer3 of store t3 on ring 1: 6 entries"},
      {EventKind::DepSkip, "dep-skip store t3 on matmul t1: gone"},
      {EventKind::SpillTake, "spill-take store t3 on ring 1: top 1 to 2"},
      {EventKind::DescriptorWrite, "descriptor-write store t3: slot 3, index none to 3"},
      {EventKind::ReachPublish, "reach-publish store t3: 0xfffffffffffffffe"},
      {EventKind::PayloadFlush, "payload-flush store t3: 2 edges, 1 with wait"},
      {EventKind::PayloadInit, "payload-init store t3: changes the flags of 2 edges"},
      {EventKind::NodeTake, "node-take fill t4 in the list of store t3: dep-pool top 1 to 2"},
      {EventKind::QueuePush, "queue-push store t3 to sync MIX: 1 in it"},
      {EventKind::QueuePop, "queue-pop store t3 from AIC: 2 in it"},
      {EventKind::BlockClaim, "block-claim store t3 by thread 2: blocks 0 to 2"},
      {EventKind::Place, "place store t3 block 1 on core 24, pending place"},
      {EventKind::CoreAck, "core-ack store t3 on core 24, running place"},
      {EventKind::Finish, "finish store t3 block 1 on core 24, running place"},
      {EventKind::Observe, "observe store t3 block 1 on core 24, pending place"},
      {EventKind::SubtaskCount, "subtask-count store t3 on core 24: 1 done"},
      {EventKind::WalkNode, "walk-node store t3: reaches fill t4, 1 visited"},
      {EventKind::Defer, "defer store t3 by thread 2: 1 in its buffer"},
      {EventKind::ReleaseBegin, "release-begin store t3 by thread 2: 3 in its buffer"},
      {EventKind::AdvanceLock, "adv-lock ring 1: taken by scheduler 1"},
      {EventKind::AdvanceFail, "adv-fail ring 1: the lock is taken, pending bit 0 to 1"},
      {EventKind::AdvanceRetry, "adv-retry ring 1: pending bit 0 to 1"},
      {EventKind::SlotReclaim, "slot-reclaim store t3: slot 3"},
      {EventKind::Publish, "publish ring 0: 0 to 16"},
      {EventKind::Request, "request ring 1: 0 to 1"},
      {EventKind::Acknowledge, "acknowledge ring 1: 0 to 1"},
      {EventKind::DepReclaim, "dep-reclaim ring 1: tail 1 to 5"},
      {EventKind::SpillReclaim, "spill-reclaim ring 1: tail 1 to 3"},
      {EventKind::HeapGuard, "heap-guard ring 1: none to 5"},
      {EventKind::AbortSubmit, "abort-submit store t3"},
      {EventKind::Layout, "layout: 2048 bytes"},
      {EventKind::Predicate, "predicate store t3: holds"},
  };
  ASSERT_EQ(expected.size(), runtime::kEventKindCount);
  for (const auto& [kind, line] : expected) EXPECT_EQ(text_of(sample_event(kind)), line);
}

TEST(EventTextTest, WhatIsNotThereIsLeftOut) {
  EXPECT_EQ(text_of({.kind = EventKind::Error, .new_value = 9}), "error 9");
  EXPECT_EQ(text_of({.kind = EventKind::Block, .extra = 4, .old_value = 8, .new_value = 2}),
            "block: tensormap, 8 in use, 2 asked for");
  EXPECT_EQ(text_of({.kind = EventKind::Config, .subject = 0, .new_value = 1}), "config platform: a5");
  EXPECT_EQ(text_of({.kind = EventKind::AdvanceLock, .object = 1, .old_value = 2}), "adv-lock ring 1: released");
  EXPECT_EQ(text_of({.kind = EventKind::AdvanceLock, .object = 1, .new_value = 1}), "adv-lock ring 1: taken by the orchestrator");
  EXPECT_EQ(text_of({.kind = EventKind::PayloadInit, .subject = 3, .object = 0, .old_value = 1, .new_value = 2}),
            "payload-init store t3");
  EXPECT_EQ(text_of({.kind = EventKind::DepSkip, .subject = 3}).substr(0, 17), "dep-skip store t3");
  EXPECT_EQ(text_of({.kind = EventKind::Predicate, .subject = 3}), "predicate store t3: does not hold");
}

TEST(EventTextTest, TasksThatEventsAreAbout) {
  for (std::uint8_t i = 0; i < runtime::kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    const Event event = sample_event(kind);
    const std::uint32_t task = task_of_event(recording_of(event), 0);
    switch (kind) {
      case EventKind::Config:
      case EventKind::ScopeBegin:
      case EventKind::ScopeEnd: EXPECT_EQ(task, kNoRow); break;
      case EventKind::EdgeAdd:
      case EventKind::EdgeReduce:
      case EventKind::EdgeLost: EXPECT_EQ(task, 3U); break;
      default: EXPECT_EQ(task, event.subject) << runtime::event_kind_name(kind);  // an access has the row of its task here
    }
  }
}

}  // namespace
}  // namespace depscope::replay
