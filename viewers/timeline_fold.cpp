#include "depscope/viewers/timeline_fold.h"

#include <algorithm>
#include <cmath>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

double bar_begin(const LaneView& lane, const TimelineScale& scale, std::uint32_t bar) {
  return scale.of_event(lane.begin[bar]) - (lane.of_events && scale.by_event ? 1.0 : 0.0);
}

double bar_end(const LaneView& lane, const TimelineScale& scale, std::uint32_t bar) { return scale.of_event(lane.end[bar]); }

void PixelColumns::update(const TimelineScale& scale, const PixelRange& range) {
  if (!first_.empty() && range == range_ && scale.by_event == by_event_) return;
  range_ = range;
  by_event_ = scale.by_event;
  ++revision_;
  const auto columns = static_cast<std::uint32_t>(std::max(range.pixels, 0.0F));
  first_.resize(columns + std::size_t{1});
  std::uint32_t event = 0;
  for (std::uint32_t column = 0; column <= columns; ++column) {
    event = scale.first_at(range.to_scale(static_cast<float>(column)), event);
    first_[column] = event;
  }
}

void fold_lane(const LaneView& lane, const TimelineScale& scale, const PixelRange& range, const PixelColumns& columns,
               float least, float most, std::vector<FoldedBar>& out) {
  const auto size = static_cast<std::uint32_t>(lane.begin.size());
  const auto left_of = [&](std::uint32_t bar) { return range.to_pixel(bar_begin(lane, scale, bar)); };
  const auto right_of = [&](std::uint32_t bar) { return range.to_pixel(bar_end(lane, scale, bar)); };
  const auto wide = [&](std::uint32_t bar) { return right_of(bar) - left_of(bar) >= least; };
  const std::uint32_t after = gallop(0, size, [&](std::uint32_t i) { return bar_begin(lane, scale, i) > range.end(); });
  std::uint32_t bar = gallop(0, after, [&](std::uint32_t i) { return bar_end(lane, scale, i) >= range.begin; });
  while (bar < after) {
    if (wide(bar)) {
      out.push_back({bar, 1, left_of(bar), right_of(bar)});
      ++bar;
      continue;
    }
    // One step takes all bars that begin within the next `least` pixels, up to the edge of a column; of these only the last can
    // be wide.
    FoldedBar record{bar, 0, left_of(bar), 0.0F};
    for (;;) {
      const float stop = std::clamp(left_of(bar) + least, 0.0F, static_cast<float>(columns.size()));
      const std::uint32_t event = columns.first(static_cast<std::uint32_t>(stop));
      std::uint32_t next = gallop(bar + 1, after, [&](std::uint32_t i) { return lane.begin[i] >= event; });
      if (next - bar > 1 && wide(next - 1)) --next;
      bar = next;
      record.right = right_of(bar - 1);
      if (bar >= after || wide(bar)) break;
      const float left = left_of(bar);
      if (left - record.right >= least || left - record.left >= most) break;
    }
    record.count = bar - record.first;
    out.push_back(record);
  }
}

std::uint32_t bar_at(const LaneView& lane, const TimelineScale& scale, const PixelRange& range, float pixel, float within) {
  const auto size = static_cast<std::uint32_t>(lane.begin.size());
  const double x = range.to_scale(pixel);
  // The first bar that does not end before x; the one before it may be nearer.
  const std::uint32_t after = gallop(0, size, [&](std::uint32_t i) { return bar_end(lane, scale, i) >= x; });
  std::uint32_t best = recording::kNoRow;
  float distance = within;
  for (const std::uint32_t bar : {after, after == 0 ? size : after - 1}) {
    if (bar >= size) continue;
    const float away =
        std::max({0.0F, range.to_pixel(bar_begin(lane, scale, bar)) - pixel, pixel - range.to_pixel(bar_end(lane, scale, bar))});
    if (away > distance || (away == distance && best != recording::kNoRow)) continue;
    distance = away;
    best = bar;
  }
  return best;
}

}  // namespace depscope::viewers
