// Lanes against the events: who does what from when to when.
#include "depscope/viewers/timeline_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "depscope/replay/cursor.h"
#include "depscope/runtime/submission.h"
#include "depscope/viewers/timeline_rows.h"
#include "sample_runs.h"
#include "synthetic_recording.h"

namespace depscope::viewers {
namespace {

using replay::kNever;
using runtime::EventKind;

struct Case {
  const char* name;
  recording::Recording recording;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  out.push_back({"softmax", sample_run("02_softmax_tiles")});
  out.push_back({"manual", sample_run("07_manual_pipeline")});
  out.push_back({"lifetimes", sample_run("09_scopes_and_lifetimes")});
  out.push_back({"small rings", sample_run("09_scopes_and_lifetimes", "--ring-task-window 16")});
  out.push_back({"summary", sample_run("09_scopes_and_lifetimes", "--events summary --ring-task-window 16")});
  out.push_back({"trace", sample_run("traces/diamond.trace.json")});
  out.push_back({"made up", replay::synthetic_recording({.tasks = 200})});
  out.push_back({"made up summary", replay::synthetic_recording({.tasks = 200, .pins = false})});
  out.push_back({"fails", replay::synthetic_recording({.tasks = 50, .faults = true})});
  return out;
}

EventKind kind_of(const recording::Recording& r, std::uint32_t event) { return static_cast<EventKind>(r.events.kind[event]); }

TEST(TimelineLanes, BarsOfALaneAreInOrderAndDoNotOverlap) {
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Document document(std::move(one.recording), "");
    const TimelineLanes lanes(document, Lifetimes(document));
    EXPECT_FALSE(lanes.lanes().empty());
    std::uint32_t next = 0;
    for (const Lane& lane : lanes.lanes()) {
      ASSERT_EQ(lane.first, next);
      ASSERT_GT(lane.count, 0U);
      next += lane.count;
      for (std::uint32_t bar = lane.first; bar < next; ++bar) {
        ASSERT_LE(lanes.bars().begin[bar], lanes.bars().end[bar]);
        if (bar > lane.first) {
          ASSERT_LE(lanes.bars().end[bar - 1], lanes.bars().begin[bar]);
        }
        ASSERT_EQ(&lanes.lanes()[lanes.lane_of(bar)], &lane);
      }
    }
    EXPECT_EQ(next, lanes.bars().begin.size());
  }
}

TEST(TimelineLanes, EverySubmittedTaskHasItsSlotAndBuffer) {
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Document document(std::move(one.recording), "");
    const Lifetimes lifetimes(document);
    const TimelineLanes lanes(document, lifetimes);
    const auto& r = document.recording();
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
      const Life life = lifetimes.slot(task);
      const std::uint32_t bar = lanes.slot_bar(task);
      ASSERT_EQ(bar != kNoRow, life.born()) << task;
      if (bar == kNoRow) continue;
      const Lane& lane = lanes.lanes()[lanes.lane_of(bar)];
      EXPECT_EQ(lane.kind, LaneKind::Slots);
      EXPECT_EQ(lane.number, runtime::ring_of(r.tasks.id[task]));
      if (!lanes.packed(lane.number)) {
        EXPECT_EQ(lane.row, r.tasks.slot[task]);
      }
      EXPECT_EQ(lanes.bars().item[bar], task);
      EXPECT_EQ(lanes.bars().begin[bar], document.moments().submitted[task]);
      EXPECT_EQ(lanes.bars().end[bar], life.end());
      const std::uint32_t buffer = lanes.buffer_bar(task);
      ASSERT_EQ(buffer != kNoRow, r.tasks.heap_begin[task] < r.tasks.heap_end[task]) << task;
      if (buffer != kNoRow) {
        EXPECT_EQ(lanes.bars().end[buffer], lifetimes.buffer(task).end());
      }
    }
  }
}

TEST(TimelineLanes, PackedRowsAreAsManyAsSlotsInUseAtOnce) {
  Document document(replay::synthetic_recording({.tasks = 2000}), "");
  const TimelineLanes lanes(document, Lifetimes(document));
  std::array<std::int64_t, runtime::kRingCount> rows{};
  for (const Lane& lane : lanes.lanes()) rows[lane.number] += lane.kind == LaneKind::Slots ? 1 : 0;
  bool any = false;
  for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
    if (!lanes.packed(ring)) continue;
    any = true;
    EXPECT_EQ(rows[ring], document.moments().slots[ring]) << ring;
  }
  EXPECT_TRUE(any);
}

TEST(TimelineLanes, BlocksRunFromTheirPlaceOrTheBlockBeforeToTheirFinish) {
  for (const char* name : {"02_softmax_tiles", "07_manual_pipeline", "09_scopes_and_lifetimes"}) {
    SCOPED_TRACE(name);
    Document document(sample_run(name), "");
    const TimelineLanes lanes(document, Lifetimes(document));
    const auto& r = document.recording();
    // By core: when blocks were placed, and when the one before finished.
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> finished;  // (event, task)
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> placed;                            // core, task, block
    for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
      if (kind_of(r, e) == EventKind::Place)
        placed[{r.events.object[e], r.events.subject[e], static_cast<std::uint32_t>(r.events.new_value[e])}] = e;
      if (kind_of(r, e) == EventKind::Finish) finished[r.events.object[e]].emplace_back(e, r.events.subject[e]);
    }
    std::size_t bars = 0;
    for (const Lane& lane : lanes.lanes()) {
      if (lane.kind != LaneKind::Core) continue;
      const auto& ends = finished[lane.number];
      ASSERT_EQ(lane.count, ends.size()) << "core " << lane.number;
      for (std::uint32_t i = 0; i < lane.count; ++i) {
        const std::uint32_t bar = lane.first + i;
        EXPECT_EQ(lanes.bars().item[bar], ends[i].second);
        EXPECT_EQ(lanes.bars().end[bar], ends[i].first);
        const std::uint32_t place = placed[{lane.number, lanes.bars().item[bar], lanes.bars().detail[bar]}];
        EXPECT_EQ(lanes.bars().begin[bar], i == 0 ? place : std::max(place, ends[i - 1].first));
      }
      bars += lane.count;
    }
    EXPECT_EQ(bars, placed.size());
    EXPECT_GT(bars, 0U);
  }
}

TEST(TimelineLanes, ASummaryHasTheFirstBlockOfEachTask) {
  Document document(sample_run("09_scopes_and_lifetimes", "--events summary"), "");
  const TimelineLanes lanes(document, Lifetimes(document));
  std::uint32_t blocks = 0;
  for (const Lane& lane : lanes.lanes()) {
    if (lane.kind != LaneKind::Core) continue;
    blocks += lane.count;
    for (std::uint32_t bar = lane.first; bar < lane.first + lane.count; ++bar) {
      EXPECT_EQ(lanes.bars().begin[bar], document.moments().dispatched[lanes.bars().item[bar]]);
      EXPECT_LE(lanes.bars().end[bar], document.moments().completed[lanes.bars().item[bar]]);
    }
  }
  EXPECT_EQ(blocks, document.moments().count[static_cast<std::size_t>(EventKind::Dispatch)]);
  EXPECT_FALSE(TimelineLanes::missing(LaneKind::Core, document.cursor()).empty());
  const Document full(sample_run("09_scopes_and_lifetimes"), "");
  EXPECT_TRUE(TimelineLanes::missing(LaneKind::Core, full.cursor()).empty());
}

TEST(TimelineLanes, SchedulersDoAllOfTheirEvents) {
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Document document(std::move(one.recording), "");
    const TimelineLanes lanes(document, Lifetimes(document));
    const auto& r = document.recording();
    std::map<std::uint32_t, std::uint32_t> events;
    for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
      if (r.events.actor[e] != 0 && r.events.actor[e] != runtime::kCoreActor) ++events[r.events.actor[e]];
    }
    std::set<std::uint32_t> actors;
    for (const Lane& lane : lanes.lanes()) {
      if (lane.kind != LaneKind::Scheduler) continue;
      actors.insert(lane.number);
      std::uint32_t counted = 0;
      for (std::uint32_t bar = lane.first; bar < lane.first + lane.count; ++bar) {
        const auto& bars = lanes.bars();
        for (std::uint32_t e = bars.begin[bar]; e <= bars.end[bar]; ++e) {
          if (r.events.actor[e] != lane.number) continue;
          ++counted;
          ASSERT_EQ(replay::task_of_event(r, e), bars.item[bar]) << e;
        }
        ASSERT_TRUE(bars.detail[bar] >= bars.begin[bar] && bars.detail[bar] <= bars.end[bar]);
        ASSERT_EQ(r.events.actor[bars.detail[bar]], lane.number);
      }
      EXPECT_EQ(counted, events[lane.number]) << "actor " << lane.number;
    }
    EXPECT_EQ(actors.size(), events.size());
  }
}

TEST(TimelineLanes, ScopesSubmitsAndWaitsAreThere) {
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    Document document(std::move(one.recording), "");
    const TimelineLanes lanes(document, Lifetimes(document));
    const auto& r = document.recording();
    const auto& moments = document.moments();
    std::set<std::uint32_t> scopes;
    std::set<std::uint32_t> submits;
    std::uint32_t waits = 0;
    for (const Lane& lane : lanes.lanes()) {
      for (std::uint32_t bar = lane.first; bar < lane.first + lane.count; ++bar) {
        const std::uint32_t item = lanes.bars().item[bar];
        if (lane.kind == LaneKind::Scopes) {
          EXPECT_TRUE(scopes.insert(item).second);
          EXPECT_EQ(r.scopes.depth[item], lane.number);
          EXPECT_EQ(lanes.bars().begin[bar], moments.scope_begin[item]);
          EXPECT_EQ(lanes.bars().end[bar], moments.scope_end[item]);
        } else if (lane.kind == LaneKind::Submits && item != kNoRow) {
          EXPECT_TRUE(submits.insert(item).second);
          EXPECT_LE(lanes.bars().begin[bar], moments.submitted[item]);
          EXPECT_GE(lanes.bars().end[bar], moments.submitted[item]);
        } else if (lane.kind == LaneKind::Waits) {
          ++waits;
          EXPECT_EQ(kind_of(r, lanes.bars().begin[bar]), EventKind::Block);
          if (lanes.bars().end[bar] != kNever) {
            EXPECT_EQ(kind_of(r, lanes.bars().end[bar]), EventKind::Unblock);
          }
          EXPECT_EQ(lanes.bars().detail[bar], r.events.extra[lanes.bars().begin[bar]]);
        }
      }
    }
    EXPECT_EQ(scopes.size(), moments.count[static_cast<std::size_t>(EventKind::ScopeBegin)]);
    EXPECT_EQ(submits.size(), moments.count[static_cast<std::size_t>(EventKind::Submit)]);
    EXPECT_EQ(waits, moments.count[static_cast<std::size_t>(EventKind::Block)]);
    if (std::string_view(one.name) == "small rings") {
      EXPECT_GT(waits, 0U);
    }
  }
}

TEST(TimelineRows, GroupsOfBothSidesStandTogetherAndFold) {
  Document a(sample_run("09_scopes_and_lifetimes"), "");
  Document b(sample_run("02_softmax_tiles"), "");
  const TimelineSide first(a);
  const TimelineSide second(b);
  TimelineRows rows;
  const RowHeights heights{10.0F, 12.0F, 30.0F};
  FoldedGroups folded;
  rows.build(&first, &second, folded, heights);
  std::uint8_t group = 0;
  std::uint8_t side = 0;
  double top = 0.0;
  std::size_t lanes = 0;
  for (std::uint32_t i = 0; i < rows.all().size(); ++i) {
    const TimelineRow& row = rows.all()[i];
    EXPECT_GE(std::pair(row.group, row.side), std::pair(group, side));
    EXPECT_EQ(row.top, top);
    EXPECT_EQ(rows.row_at(top), i);
    EXPECT_EQ(rows.row_at(top + static_cast<double>(row.height) * 0.5), i);
    group = row.group;
    side = row.side;
    top += static_cast<double>(row.height);
    if (row.kind != TimelineRowKind::Lane) continue;
    ++lanes;
    EXPECT_EQ(rows.row_of_lane(row.side, row.lane), i);
    EXPECT_EQ(timeline_group_of((row.side == 0 ? first : second).lanes.lanes()[row.lane]), row.group);
  }
  EXPECT_EQ(lanes, first.lanes.lanes().size() + second.lanes.lanes().size());
  EXPECT_EQ(rows.height(), top);
  EXPECT_EQ(rows.row_at(top), rows.all().size());

  folded.set(kCoresGroup);
  rows.build(&first, &second, folded, heights);
  for (const TimelineRow& row : rows.all()) EXPECT_FALSE(row.group == kCoresGroup && row.kind == TimelineRowKind::Lane);
  for (std::uint32_t lane = 0; lane < first.lanes.lanes().size(); ++lane) {
    const TimelineRow& row = rows.all()[rows.row_of_lane(0, lane)];
    const bool core = first.lanes.lanes()[lane].kind == LaneKind::Core;
    EXPECT_EQ(row.kind, core ? TimelineRowKind::Header : TimelineRowKind::Lane);
  }
  for (std::uint8_t g = 0; g < kTimelineGroups; ++g) EXPECT_EQ(timeline_group_from_name(timeline_group_name(g)), g);
  EXPECT_FALSE(timeline_group_from_name("ring 9").has_value());
}

TEST(TimelineRows, NothingHasNoRowsOfLanes) {
  Document empty(recording::Recording(), "");
  const TimelineSide side(empty);
  TimelineRows rows;
  rows.build(&side, nullptr, {}, {});
  EXPECT_EQ(rows.all().size(), 2U);  // the curves
  EXPECT_EQ(side.curves.ready.most(), 0);
}

}  // namespace
}  // namespace depscope::viewers
