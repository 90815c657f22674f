#include "depscope/viewers/timeline_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/replay/measured_run.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

TimelineSide::TimelineSide(Document& shown)
    : document(&shown),
      lifetimes(shown),
      lanes(shown, lifetimes),
      curves(shown.recording()),
      scale(shown.recording().events.time),
      unit_us(replay::microseconds_per_unit(shown.recording())) {}

LaneView TimelineSide::view(const Lane& lane) const {
  const LaneBars& bars = lanes.bars();
  return {std::span(bars.begin).subspan(lane.first, lane.count), std::span(bars.end).subspan(lane.first, lane.count),
          lane.of_events()};
}

std::string timeline_group_name(std::uint8_t group) {
  switch (group) {
    case kCurvesGroup: return "curves";
    case kOrchestratorGroup: return "orchestrator";
    case kSchedulersGroup: return "schedulers";
    case kCoresGroup: return "cores";
    default: break;
  }
  return fmt::format("ring {}{}", (group - kRingsGroup) / 2, (group - kRingsGroup) % 2 == 0 ? "" : " buffers");
}

std::optional<std::uint8_t> timeline_group_from_name(std::string_view name) {
  for (std::uint8_t group = 0; group < kTimelineGroups; ++group) {
    if (timeline_group_name(group) == name) return group;
  }
  return std::nullopt;
}

std::uint8_t timeline_group_of(const Lane& lane) {
  switch (lane.kind) {
    case LaneKind::Submits:
    case LaneKind::Waits:
    case LaneKind::Scopes: return kOrchestratorGroup;
    case LaneKind::Scheduler: return kSchedulersGroup;
    case LaneKind::Core: return kCoresGroup;
    case LaneKind::Slots: return static_cast<std::uint8_t>(kRingsGroup + 2 * lane.number);
    case LaneKind::Buffers: return static_cast<std::uint8_t>(kRingsGroup + 2 * lane.number + 1);
  }
  return kOrchestratorGroup;
}

void TimelineRows::add(TimelineRow row, float height) {
  row.height = height;
  row.top = this->height();
  rows_.push_back(row);
}

void TimelineRows::add_group(const TimelineSide& side, std::uint8_t which, std::uint8_t group, bool folded,
                             const RowHeights& heights) {
  if (group == kCurvesGroup) {
    const float height = folded ? heights.lane : heights.curve;
    add({.kind = TimelineRowKind::Ready, .side = which, .group = group}, height);
    add({.kind = TimelineRowKind::Running, .side = which, .group = group}, height);
    return;
  }
  const auto& lanes = side.lanes.lanes();
  bool header = false;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    if (timeline_group_of(lanes[lane]) != group) continue;
    if (!header) add({.kind = TimelineRowKind::Header, .side = which, .group = group}, heights.header);
    header = true;
    if (!folded) add({.kind = TimelineRowKind::Lane, .side = which, .group = group, .lane = lane}, heights.lane);
    row_of_lane_[which][lane] = static_cast<std::uint32_t>(rows_.size() - 1);
  }
}

void TimelineRows::build(const TimelineSide* first, const TimelineSide* second, const FoldedGroups& folded,
                         const RowHeights& heights) {
  rows_.clear();
  const TimelineSide* const sides[] = {first, second};
  for (std::size_t which = 0; which < 2; ++which)
    row_of_lane_[which].assign(sides[which] == nullptr ? 0 : sides[which]->lanes.lanes().size(), recording::kNoRow);
  // Slots and buffers of one ring stand together.
  for (std::uint8_t group = 0; group < kTimelineGroups; ++group) {
    for (std::uint8_t which = 0; which < 2; ++which) {
      if (sides[which] != nullptr) add_group(*sides[which], which, group, folded.test(group), heights);
    }
  }
}

std::uint32_t TimelineRows::row_at(double y) const {
  const auto found = std::partition_point(rows_.begin(), rows_.end(),
                                          [&](const TimelineRow& row) { return row.top + static_cast<double>(row.height) <= y; });
  return static_cast<std::uint32_t>(found - rows_.begin());
}

std::string lane_name(const TimelineSide& side, const Lane& lane) {
  switch (lane.kind) {
    case LaneKind::Submits: return "submits";
    case LaneKind::Waits: return "waits";
    case LaneKind::Scopes: return fmt::format("scopes {}", lane.number);
    case LaneKind::Scheduler: return actor_name(static_cast<std::uint8_t>(lane.number));
    case LaneKind::Core: return fmt::format("core {}", lane.number);
    case LaneKind::Slots:
      return fmt::format("ring {} {} {}", lane.number, side.lanes.packed(lane.number) ? "row" : "slot", lane.row);
    case LaneKind::Buffers: return fmt::format("ring {} buffers {}", lane.number, lane.row);
  }
  return {};
}

}  // namespace depscope::viewers
