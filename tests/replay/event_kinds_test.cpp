// Each kind of event by itself: what it changes, that undoing gives it back, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cursor_state.h"
#include "depscope/replay/file.h"
#include "event_samples.h"
#include "validate.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::Event;
using runtime::EventKind;
using runtime::TaskState;
using ::testing::HasSubstr;

std::vector<EventKind> all_kinds() {
  std::vector<EventKind> out;
  for (std::uint8_t kind = 0; kind < runtime::kEventKindCount; ++kind) out.push_back(static_cast<EventKind>(kind));
  return out;
}

Recording recording_of(const std::vector<Event>& events) {
  Recording r = recording_without_events();
  for (const Event& event : events) add_event(r, event);
  return r;
}

std::vector<Event> events_before(EventKind kind) {
  if (kind == EventKind::ScopeEnd) return {sample_event(EventKind::ScopeBegin)};
  if (kind == EventKind::Observe) return {sample_event(EventKind::Place)};
  return {};
}

void expect_refused(const Recording& r, const std::string& what) {
  try {
    const Cursor cursor(r);
    ADD_FAILURE() << "not refused: " << describe_event(r, r.events.rows() - 1);
  } catch (const FileError& error) {
    EXPECT_EQ(error.fault(), FileFault::Corrupt);
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_THAT(error.what(), HasSubstr(describe_event(r, r.events.rows() - 1)));
  }
}

class EventKindTest : public ::testing::TestWithParam<EventKind> {};

TEST_P(EventKindTest, SampleIsValid) {
  EXPECT_NO_THROW(validate(recording_of({sample_event(GetParam())}), "a.depscope"));
  std::vector<Event> events = events_before(GetParam());
  events.push_back(sample_event(GetParam()));
  EXPECT_NO_THROW(Cursor(recording_of(events)));
}

TEST_P(EventKindTest, SetsItsFieldAndNothingElse) {
  const Event event = sample_event(GetParam());
  const Recording r = recording_of({event});
  const EdgeIndex edges(r);
  ReplayState now = initial_state(r);
  const std::uint64_t before = now.state.digest();
  const StateField field = field_of(now.state, r, event);
  if (!has_field(field)) return;
  ASSERT_EQ(value_of(field), event.old_value);
  apply_event(r, edges, 0, /*check=*/true, now);
  EXPECT_EQ(value_of(field), event.new_value);
  EXPECT_NE(now.state.digest(), before);
  // All that is left of the event once the field is put back.
  set_value(field, event.old_value);
  if (GetParam() == EventKind::Submit) {
    EXPECT_EQ(now.state.task_state[event.subject], static_cast<std::uint8_t>(TaskState::Pending));
    now.state.task_state[event.subject] = static_cast<std::uint8_t>(TaskState::Unborn);
  }
  const std::size_t moved_to = GetParam() == EventKind::Submit ? std::size_t{1} : static_cast<std::size_t>(event.new_value);
  if (now.state.tasks_in_state[0] != r.tasks.rows()) {
    EXPECT_EQ(now.state.tasks_in_state[moved_to], 1U);
    --now.state.tasks_in_state[moved_to];
    ++now.state.tasks_in_state[0];
  }
  EXPECT_EQ(now.state.digest(), before);
}

TEST_P(EventKindTest, KindsWithoutStateChangeNothing) {
  const std::set<EventKind> without{
      EventKind::TensorMapHit, EventKind::Block,     EventKind::Unblock,         EventKind::Error,        EventKind::RunEnd,
      EventKind::SubmitBegin,  EventKind::SlotReset, EventKind::SubmitIgnored,   EventKind::SeqAssign,    EventKind::Bind,
      EventKind::Record,       EventKind::DepSkip,   EventKind::DescriptorWrite, EventKind::ReachPublish, EventKind::CoreAck,
      EventKind::Finish,       EventKind::WalkNode,  EventKind::Layout,          EventKind::Predicate};
  std::vector<Event> events = events_before(GetParam());
  events.push_back(sample_event(GetParam()));
  const Recording r = recording_of(events);
  Cursor cursor(r);
  cursor.seek(cursor.size() - 1);
  const std::uint64_t before = cursor.state().digest();
  cursor.step();
  EXPECT_EQ(cursor.state().digest() == before, without.contains(GetParam()));
}

TEST_P(EventKindTest, IsUndone) {
  std::vector<Event> events = events_before(GetParam());
  events.push_back(sample_event(GetParam()));
  const Recording r = recording_of(events);
  const EdgeIndex edges(r);
  ReplayState now = initial_state(r);
  std::vector<std::uint64_t> digests;
  std::vector<std::vector<std::uint8_t>> progress;
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    digests.push_back(now.state.digest());
    progress.push_back(now.edge_progress);
    apply_event(r, edges, i, /*check=*/true, now);
  }
  for (std::uint32_t i = r.events.rows(); i-- > 0;) {
    undo_event(r, edges, i, now);
    EXPECT_EQ(now.state.digest(), digests[i]);
    EXPECT_EQ(now.edge_progress, progress[i]);
  }
}

TEST_P(EventKindTest, IsRefusedWithAnotherOldValue) {
  Event event = sample_event(GetParam());
  Recording bare = recording_without_events();
  add_event(bare, event);
  ReplayState now = initial_state(bare);
  if (!has_field(field_of(now.state, bare, event))) return;
  ++event.old_value;
  expect_refused(recording_of({event}), "the event says");
}

INSTANTIATE_TEST_SUITE_P(Kinds, EventKindTest, ::testing::ValuesIn(all_kinds()), [](const auto& info) {
  std::string name(runtime::event_kind_name(info.param));
  std::erase(name, '-');
  return name;
});

Event at_core(EventKind kind, std::uint32_t task, std::uint32_t core, std::uint16_t place) {
  return {.kind = kind, .extra = place, .subject = task, .object = core};
}

TEST(EventKindsTest, PlacesOfACore) {
  const Recording r = recording_of({
      at_core(EventKind::Place, 1, 2, 0),
      at_core(EventKind::Place, 2, 2, 1),
      at_core(EventKind::Place, 3, 0, 0),
      at_core(EventKind::Observe, 1, 2, 0),  // 2 becomes the running one
      at_core(EventKind::Place, 4, 2, 1),
      at_core(EventKind::Observe, 4, 2, 1),  // seen in one poll: pending first
      at_core(EventKind::Observe, 2, 2, 0),
      at_core(EventKind::Observe, 3, 0, 0),
  });
  using Cores = std::vector<std::uint32_t>;
  const std::vector<std::pair<Cores, Cores>> expected{
      {{kNoRow, kNoRow, kNoRow}, {kNoRow, kNoRow, kNoRow}}, {{kNoRow, kNoRow, 1}, {kNoRow, kNoRow, kNoRow}},
      {{kNoRow, kNoRow, 1}, {kNoRow, kNoRow, 2}},           {{3, kNoRow, 1}, {kNoRow, kNoRow, 2}},
      {{3, kNoRow, 2}, {kNoRow, kNoRow, kNoRow}},           {{3, kNoRow, 2}, {kNoRow, kNoRow, 4}},
      {{3, kNoRow, 2}, {kNoRow, kNoRow, kNoRow}},           {{3, kNoRow, kNoRow}, {kNoRow, kNoRow, kNoRow}},
      {{kNoRow, kNoRow, kNoRow}, {kNoRow, kNoRow, kNoRow}}};
  Cursor cursor(r);
  const auto expect_places = [&] {
    EXPECT_EQ(cursor.state().core_task, expected[cursor.position()].first) << cursor.position();
    EXPECT_EQ(cursor.state().core_pending, expected[cursor.position()].second) << cursor.position();
  };
  do expect_places();
  while (cursor.step());
  do expect_places();
  while (cursor.back());
}

TEST(EventKindsTest, PlacesThatAreTakenOrFreeAreRefused) {
  const Event place = at_core(EventKind::Place, 1, 2, 0);
  const Event second = at_core(EventKind::Place, 2, 2, 1);
  expect_refused(recording_of({place, at_core(EventKind::Place, 3, 2, 0)}), "the running place of the core holds task t1");
  expect_refused(recording_of({place, second, at_core(EventKind::Place, 3, 2, 1)}),
                 "the pending place of the core holds task t2");
  expect_refused(recording_of({at_core(EventKind::Observe, 1, 2, 0)}), "the running place of the core is free");
  expect_refused(recording_of({place, at_core(EventKind::Observe, 1, 2, 1)}), "the pending place of the core is free");
  expect_refused(recording_of({place, second, at_core(EventKind::Observe, 2, 2, 0)}), "holds task t1");
  expect_refused(recording_of({place, second, at_core(EventKind::Observe, 1, 2, 1)}), "holds task t2");
}

TEST(EventKindsTest, SubmittedTwiceOrOutOfOrderScopesAreRefused) {
  Event submit = sample_event(EventKind::Submit);
  Event again = submit;
  again.old_value = submit.new_value;
  expect_refused(recording_of({submit, again}), "submitted before");
  const Event begin = sample_event(EventKind::ScopeBegin);
  Event inner = begin;
  inner.subject = 1;
  expect_refused(recording_of({begin, begin}), "begun before");
  expect_refused(recording_of({begin, inner, sample_event(EventKind::ScopeEnd)}), "not the innermost");
  expect_refused(recording_of({sample_event(EventKind::ScopeEnd)}), "not the innermost");
}

TEST(EventKindsTest, DispatchAndCompleteDoNotTouchCores) {
  const Recording r = recording_of({sample_event(EventKind::Dispatch)});
  Cursor cursor(r);
  cursor.step();
  EXPECT_TRUE(cursor.state().core_task.empty());
}

/// Fills in the events of a pair that has an edge; the sizes are of waiting_for(consumer) and kept_alive_by(producer) after each.
struct PairStory {
  std::uint32_t edge = 3, producer = 0, consumer = 0;
  Recording r = recording_without_events();
  std::vector<std::size_t> waits, pins;

  PairStory() {
    producer = r.edges.producer[edge];
    consumer = r.edges.consumer[edge];
    add({.kind = EventKind::Submit, .subject = producer, .object = 1, .old_value = 0, .new_value = 1}, 0, 0);
    add({.kind = EventKind::Submit, .subject = consumer, .object = 1, .old_value = 1, .new_value = 2}, 0, 0);
    add({.kind = EventKind::PinClaim, .subject = producer, .object = consumer, .new_value = 1}, 0, 1);
    add({.kind = EventKind::EdgeAdd, .subject = edge, .object = consumer, .new_value = runtime::kWait}, 1, 1);
  }
  void add(const Event& event, std::size_t waits_after, std::size_t pins_after) {
    add_event(r, event);
    waits.push_back(waits_after);
    pins.push_back(pins_after);
  }
  void check() const {
    Cursor cursor(r);
    while (cursor.step()) {
      EXPECT_EQ(cursor.waiting_for(consumer).size(), waits[cursor.position() - 1]) << describe_event(r, cursor.position() - 1);
      EXPECT_EQ(cursor.kept_alive_by(producer).size(), pins[cursor.position() - 1]) << describe_event(r, cursor.position() - 1);
    }
  }
};

TEST(EventKindsTest, ALinkedConsumerWaitsUntilTheWalkReachesIt) {
  PairStory story;
  const auto [producer, consumer] = std::pair{story.producer, story.consumer};
  story.add({.kind = EventKind::Need, .subject = consumer, .new_value = 2}, 1, 1);
  story.add({.kind = EventKind::NodeTake, .subject = consumer, .object = producer, .old_value = 1, .new_value = 2}, 1, 1);
  story.add({.kind = EventKind::PinRelease, .subject = producer, .object = consumer, .new_value = 1}, 1, 0);
  story.add({.kind = EventKind::WaitCount, .subject = consumer, .new_value = 1}, 1, 0);  // its own unit
  story.add({.kind = EventKind::Complete, .subject = producer, .old_value = 1, .new_value = 4}, 1, 0);
  story.add({.kind = EventKind::WalkNode, .subject = producer, .object = consumer, .new_value = 1}, 1, 0);
  story.add({.kind = EventKind::WaitCount, .subject = consumer, .object = producer, .old_value = 1, .new_value = 2}, 0, 0);
  story.check();
}

TEST(EventKindsTest, AProducerThatCompletesBeforeTheWiringIsNotWaitedFor) {
  PairStory story;
  const auto [producer, consumer] = std::pair{story.producer, story.consumer};
  story.add({.kind = EventKind::Complete, .subject = producer, .old_value = 1, .new_value = 4}, 0, 1);
  story.add({.kind = EventKind::Need, .subject = consumer, .new_value = 2}, 0, 1);
  story.add({.kind = EventKind::WaitCount, .subject = consumer, .new_value = 2}, 0, 1);  // all units at once
  story.add({.kind = EventKind::PinRelease, .extra = 1, .subject = producer, .object = consumer, .new_value = 1}, 0, 0);
  story.check();
}

TEST(EventKindsTest, AnEdgeThatLosesItsWaitIsNotWaitedFor) {
  PairStory story;
  story.add({.kind = EventKind::EdgeLost, .subject = story.edge, .object = story.consumer, .old_value = runtime::kWait}, 0, 1);
  story.check();
}

struct BadOperand {
  EventKind kind;
  const char* column;  ///< of events
  std::int64_t value;
};

class ShapeTest : public ::testing::TestWithParam<BadOperand> {};

TEST_P(ShapeTest, RefusesOperandsThatDoNotFit) {
  const auto [kind, column, value] = GetParam();
  Recording r = recording_of({sample_event(kind)});
  const std::string_view name(column);
  if (name == "subject") r.events.subject[0] = static_cast<std::uint32_t>(value);
  if (name == "object") r.events.object[0] = static_cast<std::uint32_t>(value);
  if (name == "extra") r.events.extra[0] = static_cast<std::uint16_t>(value);
  if (name == "old_value") r.events.old_value[0] = value;
  if (name == "new_value") r.events.new_value[0] = value;
  try {
    validate(r, "a.depscope");
    ADD_FAILURE() << runtime::event_kind_name(kind) << " with " << column << " " << value;
  } catch (const FileError& error) {
    EXPECT_EQ(error.fault(), FileFault::Corrupt);
    EXPECT_THAT(error.what(), HasSubstr(std::string("table events, column ") + column + ", row 0"));
  }
}

constexpr std::int64_t kTasks = 20;
constexpr std::int64_t kNone = kNoRow;
constexpr std::int64_t kTooMany = 0x100000000LL;

INSTANTIATE_TEST_SUITE_P(Operands, ShapeTest,
                         ::testing::ValuesIn(std::vector<BadOperand>{
                             {EventKind::Config, "subject", runtime::kConfigItemCount},
                             {EventKind::Config, "subject", kNone},
                             {EventKind::Config, "object", 4},
                             {EventKind::Config, "object", kNone},  // a task window is of a ring
                             {EventKind::Config, "new_value", -1},
                             {EventKind::ScopeBegin, "subject", 100},
                             {EventKind::ScopeEnd, "old_value", -1},
                             {EventKind::Submit, "object", kNone},
                             {EventKind::EdgeAdd, "new_value", 4},
                             {EventKind::EdgeReduce, "object", kTasks},
                             {EventKind::EdgeLost, "subject", kNone},
                             {EventKind::EdgeLost, "subject", 1000},
                             {EventKind::EdgeLost, "new_value", 4},
                             {EventKind::Ready, "new_value", 6},
                             {EventKind::Dispatch, "object", 65536},
                             {EventKind::Complete, "subject", kTasks},
                             {EventKind::WaitCount, "object", kTasks},
                             {EventKind::PinClaim, "new_value", kTooMany},
                             {EventKind::PinRelease, "extra", 3},
                             {EventKind::ScopeRelease, "new_value", 2},
                             {EventKind::Watermark, "object", 4},
                             {EventKind::Watermark, "new_value", -1},
                             {EventKind::TensorMapRemove, "subject", 1000},
                             {EventKind::TensorMapHit, "object", kNone},
                             {EventKind::TensorMapHit, "new_value", 3},
                             {EventKind::Block, "subject", kTasks},
                             {EventKind::Block, "object", 4},
                             {EventKind::Block, "extra", runtime::kResourceCount},
                             {EventKind::Unblock, "extra", runtime::kResourceCount},
                             {EventKind::Unblock, "old_value", -1},
                             {EventKind::Error, "subject", kTasks},
                             {EventKind::Error, "object", 4},
                             {EventKind::Error, "extra", runtime::kErrorClassCount},
                             {EventKind::SubmitBegin, "object", 100},
                             {EventKind::SlotReset, "subject", kNone},
                             {EventKind::SlotReset, "object", 1LL << 31},
                             {EventKind::SeqAssign, "subject", kTasks},
                             {EventKind::Bind, "object", kNone},
                             {EventKind::Bind, "new_value", -1},
                             {EventKind::Record, "subject", kNone},
                             {EventKind::TensorMapSync, "object", kNone},
                             {EventKind::TensorMapCleanup, "subject", kNone},
                             {EventKind::TensorMapCleanup, "object", kNone},
                             {EventKind::DepSkip, "object", kTasks},
                             {EventKind::DepSkip, "extra", 3},
                             {EventKind::SpillTake, "object", 4},
                             {EventKind::DescriptorWrite, "old_value", -2},
                             {EventKind::DescriptorWrite, "object", kNone},
                             {EventKind::ReachPublish, "subject", kNone},
                             {EventKind::PayloadFlush, "new_value", 3},
                             {EventKind::PayloadInit, "old_value", -1},
                             {EventKind::NodeTake, "object", kNone},
                             {EventKind::NodeTake, "subject", kTasks},
                             {EventKind::QueuePush, "object", runtime::kQueueCount},
                             {EventKind::QueuePop, "object", kNone},
                             {EventKind::QueuePop, "new_value", -1},
                             {EventKind::BlockClaim, "object", 255},
                             {EventKind::BlockClaim, "new_value", kTooMany},
                             {EventKind::Place, "extra", 2},
                             {EventKind::Place, "object", kNone},
                             {EventKind::CoreAck, "extra", 2},
                             {EventKind::Finish, "object", 65536},
                             {EventKind::Observe, "extra", 2},
                             {EventKind::Observe, "subject", kNone},
                             {EventKind::SubtaskCount, "new_value", kTooMany},
                             {EventKind::WalkNode, "object", kNone},
                             {EventKind::Defer, "object", kNone},
                             {EventKind::ReleaseBegin, "object", 255},
                             {EventKind::AdvanceLock, "new_value", 256},
                             {EventKind::AdvanceFail, "new_value", 2},
                             {EventKind::AdvanceRetry, "object", kNone},
                             {EventKind::SlotReclaim, "new_value", 2},
                             {EventKind::Publish, "object", kNone},
                             {EventKind::Request, "new_value", 2},
                             {EventKind::Acknowledge, "old_value", -1},
                             {EventKind::DepReclaim, "object", 4},
                             {EventKind::SpillReclaim, "new_value", -1},
                             {EventKind::HeapGuard, "new_value", -2},
                             {EventKind::AbortSubmit, "new_value", 2},
                             {EventKind::Layout, "new_value", -1},
                             {EventKind::Predicate, "new_value", 2},
                         }));

}  // namespace
}  // namespace depscope::replay
