#include "depscope/viewers/event_filter.h"

#include <gmock/gmock.h>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/sink.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using runtime::EventKind;
using ::testing::HasSubstr;

EventKinds bit(EventKind kind) { return EventKinds().set(static_cast<std::size_t>(kind)); }

TEST(EventFilter, EachKindIsInOneGroup) {
  EventKinds seen;
  for (const EventGroup& group : event_groups()) {
    for (const EventKind kind : group.kinds) {
      EXPECT_FALSE(seen.test(static_cast<std::size_t>(kind))) << runtime::event_kind_name(kind);
      seen |= bit(kind);
    }
  }
  EXPECT_TRUE(seen.all());
}

TEST(EventFilter, ParsesTerms) {
  const ParsedFilter parsed = parse_event_filter("  task:12 kind:submit,complete actor:1 Fill ");
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.filter.task, 12U);
  EXPECT_EQ(parsed.filter.kinds, bit(EventKind::Submit) | bit(EventKind::Complete));
  EXPECT_EQ(parsed.filter.actor, 1);
  EXPECT_THAT(parsed.filter.words, ::testing::ElementsAre("fill"));
  EXPECT_EQ(parse_event_filter("kind:predicate").filter.kinds, bit(EventKind::Predicate));
  EXPECT_TRUE(parse_event_filter("").filter.all());
}

TEST(EventFilter, SaysWhatIsWrong) {
  EXPECT_THAT(parse_event_filter("kind:sumbit").error, HasSubstr("unknown event kind 'sumbit'"));
  EXPECT_THAT(parse_event_filter("task:x").error, HasSubstr("task:12"));
  EXPECT_THAT(parse_event_filter("actor:300").error, HasSubstr("0 to 255"));
  EXPECT_THAT(parse_event_filter("kind:").error, HasSubstr("names of event kinds"));
}

TEST(EventFilter, ListsExactlyTheMatchingEvents) {
  const auto recording = replay::synthetic_recording({});
  for (const char* text : {"kind:submit", "task:3", "task:3 kind:ready", "fill", "actor:1 complete", "no such text"}) {
    const EventFilter filter = parse_event_filter(text).filter;
    FilteredEvents events;
    events.restart(&recording, filter);
    while (!events.advance(50)) {
    }
    std::uint32_t next = 0;
    for (std::uint32_t event = 0; event < recording.events.rows(); ++event) {
      if (!filter.matches(recording, event)) continue;
      ASSERT_LT(next, events.size()) << text;
      EXPECT_EQ(events.event(next), event) << text;
      EXPECT_EQ(events.index_of(event), next) << text;
      ++next;
    }
    EXPECT_EQ(next, events.size()) << text;
  }
}

TEST(EventFilter, WithoutFilterAllEventsAreThereAtOnce) {
  const auto recording = replay::synthetic_recording({});
  FilteredEvents events;
  events.restart(&recording, {});
  EXPECT_TRUE(events.complete());
  EXPECT_EQ(events.size(), recording.events.rows());
  EXPECT_EQ(events.event(5), 5U);
}

TEST(EventFilter, OneSliceDoesNotScanEverything) {
  const auto recording = replay::synthetic_recording({.tasks = 1000});
  FilteredEvents events;
  events.restart(&recording, parse_event_filter("fill").filter);
  EXPECT_FALSE(events.advance(1000));
  EXPECT_LE(events.scanned(), 1000U);
}

}  // namespace
}  // namespace depscope::viewers
