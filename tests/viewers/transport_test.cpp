#include "depscope/viewers/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "depscope/replay/row_names.h"
#include "sample_recording.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

class TransportTest : public ::testing::Test {
 protected:
  TransportTest() {
    selection_.attach(&recording());
    transport_.attach(&document_, &selection_);
  }
  [[nodiscard]] const recording::Recording& recording() const { return document_.recording(); }
  void frame() { transport_.tick(0.0, 100); }
  void run(bool forward) {
    transport_.run(forward);
    for (int frames = 0; transport_.running(); ++frames) {
      ASSERT_LT(frames, 1000);
      frame();
    }
  }

  /// Every other task comes from the second call site.
  static recording::Recording with_call_sites() {
    recording::Recording r = sample_recording(30);
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) r.tasks.call_site[task] = task % 2;
    return r;
  }

  Document document_{with_call_sites(), "sample"};
  Selection selection_;
  Transport transport_;
};

TEST_F(TransportTest, OnlyTheNewestWishIsCarriedOutAndOnlyByTheFrame) {
  transport_.seek(10);
  transport_.seek(20);
  transport_.seek(15);
  EXPECT_EQ(transport_.position(), 0U);
  EXPECT_EQ(transport_.target(), 15U);
  frame();
  EXPECT_EQ(transport_.position(), 15U);
  transport_.step();
  transport_.step();
  transport_.back();
  frame();
  EXPECT_EQ(transport_.position(), 16U);
  transport_.last();
  transport_.step();
  frame();
  EXPECT_EQ(transport_.position(), transport_.size());
  transport_.first();
  transport_.back();
  frame();
  EXPECT_EQ(transport_.position(), 0U);
}

TEST_F(TransportTest, SearchesStartAtTheWish) {
  transport_.last();
  ASSERT_TRUE(transport_.previous(runtime::EventKind::Complete));
  const std::uint32_t last_complete = transport_.target();
  frame();
  EXPECT_EQ(transport_.position(), last_complete);
  EXPECT_EQ(recording().events.kind[last_complete], static_cast<std::uint8_t>(runtime::EventKind::Complete));
  for (std::uint32_t event = last_complete + 1; event < transport_.size(); ++event)
    EXPECT_NE(recording().events.kind[event], static_cast<std::uint8_t>(runtime::EventKind::Complete));
}

TEST_F(TransportTest, EventsOfWhatIsSelectedAreAllMet) {
  const auto& r = recording();
  const auto met = [&](Item item) {
    selection_.select(item);
    transport_.first();
    frame();
    std::set<std::uint32_t> events;
    while (transport_.next_of_selection()) {
      frame();
      EXPECT_TRUE(events.insert(transport_.current_event()).second);
    }
    std::set<std::uint32_t> backward;
    transport_.last();
    frame();
    while (transport_.previous_of_selection()) {
      frame();
      EXPECT_TRUE(backward.insert(transport_.position()).second);
    }
    EXPECT_EQ(events, backward);
    return events;
  };
  std::set<std::uint32_t> of_task;
  std::set<std::uint32_t> of_site;
  std::set<std::uint32_t> of_edge;
  using runtime::EventKind;
  for (std::uint32_t event = 0; event < r.events.rows(); ++event) {
    const std::uint32_t task = replay::task_of_event(r, event);
    if (task == 5) of_task.insert(event);
    if (task != kNoRow && r.tasks.call_site[task] == r.tasks.call_site[5]) of_site.insert(event);
    const auto kind = static_cast<EventKind>(r.events.kind[event]);
    const bool from_producer = r.events.subject[event] == r.edges.producer[3] && r.events.object[event] == r.edges.consumer[3];
    const bool from_consumer = r.events.subject[event] == r.edges.consumer[3] && r.events.object[event] == r.edges.producer[3];
    if ((kind == EventKind::EdgeAdd && r.events.subject[event] == 3) ||
        (kind == EventKind::EdgeReduce && r.events.subject[event] == 3) || (kind == EventKind::WaitCount && from_consumer) ||
        ((kind == EventKind::PinClaim || kind == EventKind::PinRelease) && from_producer)) {
      of_edge.insert(event);
    }
  }
  EXPECT_FALSE(of_task.empty());
  EXPECT_FALSE(of_site.empty());
  EXPECT_GT(of_edge.size(), 1U);
  EXPECT_EQ(met({ItemKind::Task, 5}), of_task);
  EXPECT_EQ(met({ItemKind::CallSite, r.tasks.call_site[5]}), of_site);
  EXPECT_EQ(met({ItemKind::Edge, 3}), of_edge);
  selection_.clear();
  EXPECT_FALSE(transport_.next_of_selection());
}

TEST_F(TransportTest, BreakpointsStopARunInBothDirections) {
  EXPECT_THAT(transport_.add_breakpoint("task:t900"), HasSubstr("t900"));
  EXPECT_TRUE(transport_.breakpoints().empty());
  transport_.run(true);
  EXPECT_FALSE(transport_.running());
  EXPECT_THAT(transport_.stopped_at(), HasSubstr("there is no breakpoint"));
  EXPECT_EQ(transport_.add_breakpoint("task:t5 = completed"), "");
  EXPECT_EQ(transport_.add_breakpoint("task:t5 = completed"), "");
  EXPECT_EQ(transport_.breakpoints().size(), 1U);
  const std::uint32_t complete = document_.moments().completed[5];
  run(true);
  EXPECT_EQ(transport_.current_event(), complete);
  EXPECT_EQ(transport_.stopped_at(), "task:" + replay::task_row_name(recording(), 5) + ": running -> completed");
  run(true);
  EXPECT_EQ(transport_.position(), transport_.size());
  EXPECT_EQ(transport_.stopped_at(), "no breakpoint was hit up to the end");
  run(false);
  EXPECT_EQ(transport_.position(), complete);
  transport_.breakpoints().front().enabled = false;
  transport_.run(true);
  EXPECT_FALSE(transport_.running());
}

TEST_F(TransportTest, AMoveEndsARun) {
  ASSERT_EQ(transport_.add_breakpoint("tasks:consumed >= 30"), "");
  transport_.run(true);
  transport_.tick(0.0, 5);
  ASSERT_TRUE(transport_.running());
  EXPECT_EQ(transport_.position(), 5U);
  transport_.seek(2);
  frame();
  EXPECT_FALSE(transport_.running());
  EXPECT_EQ(transport_.position(), 2U);
}

TEST_F(TransportTest, SuggestionsOfTheSelectionCanBeAdded) {
  selection_.select({ItemKind::Edge, 4});
  const auto suggested = transport_.suggested_breakpoints();
  ASSERT_GE(suggested.size(), 3U);
  for (const std::string& text : suggested) EXPECT_EQ(transport_.add_breakpoint(text), "") << text;
  EXPECT_EQ(transport_.breakpoints().size(), suggested.size());
}

TEST_F(TransportTest, BreakpointsGoOverToTheNextRecordingWhereTheyFit) {
  ASSERT_EQ(transport_.add_breakpoint("task:t25"), "");
  ASSERT_EQ(transport_.add_breakpoint("tasks:ready > 2"), "");
  transport_.breakpoints()[1].enabled = false;
  Document smaller(sample_recording(10), "smaller");
  transport_.attach(&smaller, &selection_);
  ASSERT_EQ(transport_.breakpoints().size(), 1U);
  EXPECT_EQ(transport_.breakpoints()[0].breakpoint.text, "tasks:ready > 2");
  EXPECT_FALSE(transport_.breakpoints()[0].enabled);
}

TEST_F(TransportTest, PlayingStopsAtTheEndAndStartsAgain) {
  while (transport_.speed() < 1e6) transport_.faster();
  transport_.toggle_play();
  for (int frames = 0; frames < 100 && transport_.playing(); ++frames) transport_.tick(1.0 / 60.0, 1);
  EXPECT_FALSE(transport_.playing());
  EXPECT_EQ(transport_.position(), transport_.size());
  transport_.toggle_play();
  transport_.tick(0.0, 1);
  EXPECT_EQ(transport_.position(), 0U);
}

}  // namespace
}  // namespace depscope::viewers
