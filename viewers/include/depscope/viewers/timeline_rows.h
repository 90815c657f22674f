// The timeline from top to bottom: groups of lanes that can be folded, of one recording or of two.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/timeline_curves.h"
#include "depscope/viewers/timeline_fold.h"
#include "depscope/viewers/timeline_lanes.h"
#include "depscope/viewers/timeline_lifetimes.h"
#include "depscope/viewers/timeline_scale.h"

namespace depscope::viewers {

/// One recording, with what the timeline needs to know of it.
struct TimelineSide {
  explicit TimelineSide(Document& shown);
  TimelineSide(const TimelineSide&) = delete;
  TimelineSide& operator=(const TimelineSide&) = delete;

  Document* document;
  Lifetimes lifetimes;
  TimelineLanes lanes;
  Curves curves;
  TimelineScale scale;
  double unit_us;  ///< microseconds of a unit of time; 0: it is logical time

  [[nodiscard]] LaneView view(const Lane& lane) const;
  /// A life as a bar of this lane shows it.
  [[nodiscard]] Life life(LaneKind kind, std::uint32_t task) const {
    return kind == LaneKind::Buffers ? lifetimes.buffer(task) : lifetimes.slot(task);
  }
};

/// Groups of rows: the curves, the orchestrator, the schedulers, the cores, then slots and buffers of each ring.
inline constexpr std::uint8_t kCurvesGroup = 0;
inline constexpr std::uint8_t kOrchestratorGroup = 1;
inline constexpr std::uint8_t kSchedulersGroup = 2;
inline constexpr std::uint8_t kCoresGroup = 3;
inline constexpr std::uint8_t kRingsGroup = 4;  ///< slots of ring r: kRingsGroup + 2 r; its buffers: one more
inline constexpr std::uint8_t kTimelineGroups = kRingsGroup + 2 * static_cast<std::uint8_t>(runtime::kRingCount);
using FoldedGroups = std::bitset<kTimelineGroups>;
[[nodiscard]] std::string timeline_group_name(std::uint8_t group);  ///< "cores", "ring 0", "ring 0 buffers"
[[nodiscard]] std::optional<std::uint8_t> timeline_group_from_name(std::string_view name);
[[nodiscard]] std::uint8_t timeline_group_of(const Lane& lane);

enum class TimelineRowKind : std::uint8_t { Header, Ready, Running, Lane };

struct TimelineRow {
  TimelineRowKind kind = TimelineRowKind::Header;
  std::uint8_t side = 0;
  std::uint8_t group = 0;
  std::uint32_t lane = recording::kNoRow;  ///< Lane: of the side's lanes
  float height = 0.0F;                     ///< pixels
  double top = 0.0;                        ///< pixels from the first row
};

/// Heights of rows, pixels.
struct RowHeights {
  float header = 18.0F, lane = 18.0F, curve = 34.0F;
};

class TimelineRows {
 public:
  /// The second side, if there is one, has its rows of a group under those of the first. Work grows with the lanes: call it when
  /// something is folded, not in every frame.
  void build(const TimelineSide* first, const TimelineSide* second, const FoldedGroups& folded, const RowHeights& heights);

  [[nodiscard]] const std::vector<TimelineRow>& all() const { return rows_; }
  [[nodiscard]] double height() const {
    return rows_.empty() ? 0.0 : rows_.back().top + static_cast<double>(rows_.back().height);
  }
  /// The row at this many pixels from the first one; the number of rows below the last.
  [[nodiscard]] std::uint32_t row_at(double y) const;
  /// The row that shows a lane: its own, or the header of its group while that is folded.
  [[nodiscard]] std::uint32_t row_of_lane(std::uint8_t side, std::uint32_t lane) const { return row_of_lane_[side][lane]; }

 private:
  void add(TimelineRow row, float height);
  void add_group(const TimelineSide& side, std::uint8_t which, std::uint8_t group, bool folded, const RowHeights& heights);

  std::vector<TimelineRow> rows_;
  std::vector<std::uint32_t> row_of_lane_[2];
};

/// "core 3", "ring 0 slot 12"; without the letter of a side.
[[nodiscard]] std::string lane_name(const TimelineSide& side, const Lane& lane);

}  // namespace depscope::viewers
