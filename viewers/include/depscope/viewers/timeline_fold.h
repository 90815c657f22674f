// What of a lane is drawn: bars that are wide enough, and counted records for runs of those that are not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depscope/viewers/timeline_scale.h"

namespace depscope::viewers {

/// The part of the horizontal axis that is shown.
struct PixelRange {
  double begin = 0.0;      ///< at pixel 0, units of the scale
  double per_pixel = 1.0;  ///< units
  float pixels = 0.0F;     ///< width

  [[nodiscard]] double end() const { return begin + static_cast<double>(pixels) * per_pixel; }
  [[nodiscard]] float to_pixel(double x) const { return static_cast<float>((x - begin) / per_pixel); }
  [[nodiscard]] double to_scale(float pixel) const { return begin + static_cast<double>(pixel) * per_pixel; }

  friend bool operator==(const PixelRange&, const PixelRange&) = default;
};

/// The first event of every pixel column, found once a frame for all lanes and curves: time is looked up per pixel, not per bar.
class PixelColumns {
 public:
  /// Does nothing if nothing has changed since the last call.
  void update(const TimelineScale& scale, const PixelRange& range);

  /// Number of columns.
  [[nodiscard]] std::uint32_t size() const { return first_.empty() ? 0 : static_cast<std::uint32_t>(first_.size() - 1); }
  /// First event that stands at the left edge of a column or behind it; `column` may be size().
  [[nodiscard]] std::uint32_t first(std::uint32_t column) const { return first_[column]; }
  /// Grows with every change.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  std::vector<std::uint32_t> first_;
  PixelRange range_;
  bool by_event_ = false;
  std::uint64_t revision_ = 0;
};

/// Bars of one lane: ascending and without overlap. `end[i]` from events() on: the bar goes on to the end.
struct LaneView {
  std::span<const std::uint32_t> begin, end;  ///< events rows
  bool of_events = false;                     ///< each event has a width of its own where events stand side by side
};

/// Bars [first, first + count) of the lane, drawn as one from pixel `left` to `right` (not cut at the view's edges).
struct FoldedBar {
  std::uint32_t first = 0, count = 0;
  float left = 0.0F, right = 0.0F;
};

/// Bars wider than `least` pixels stay alone, others are folded with their neighbours into records of at most `most` pixels
/// (more by `least`). `least` is at least 3, `columns` those of scale and range. Appends to `out`; every bar that is in view is
/// in exactly one record. The work grows with the pixels, not with the bars.
void fold_lane(const LaneView& lane, const TimelineScale& scale, const PixelRange& range, const PixelColumns& columns,
               float least, float most, std::vector<FoldedBar>& out);

/// The bar of the lane that is nearest to a pixel, at most `within` pixels away; none if there is none.
[[nodiscard]] std::uint32_t bar_at(const LaneView& lane, const TimelineScale& scale, const PixelRange& range, float pixel,
                                   float within);

/// Where a bar begins and ends, in units of the scale.
[[nodiscard]] double bar_begin(const LaneView& lane, const TimelineScale& scale, std::uint32_t bar);
[[nodiscard]] double bar_end(const LaneView& lane, const TimelineScale& scale, std::uint32_t bar);

}  // namespace depscope::viewers
