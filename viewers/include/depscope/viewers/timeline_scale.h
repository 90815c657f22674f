// The two ways to lay out events from left to right: by their logical time, or one after the other.
#pragma once

#include <cstdint>
#include <vector>

namespace depscope::viewers {

/// First index in [from, size) for which `past` is true, `size` if there is none; `past` is false first, then true. The work
/// grows with the logarithm of the distance from `from`, so that neighbouring questions are cheap.
template <class Past>
[[nodiscard]] std::uint32_t gallop(std::uint32_t from, std::uint32_t size, Past&& past) {
  std::uint32_t low = from;
  std::uint32_t step = 1;
  std::uint32_t high = from;
  while (high < size && !past(high)) {
    low = high + 1;
    high = size - high > step ? high + step : size;
    step = step < 0x80000000U ? step * 2 : step;
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (past(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Where events stand on the horizontal axis. The cursor at position p stands where event p - 1 does: behind what has happened.
class TimelineScale {
 public:
  TimelineScale() = default;
  /// `times` (events.time) must outlive the scale.
  explicit TimelineScale(const std::vector<std::uint32_t>& times) : times_(&times) {}

  bool by_event = false;  ///< true: event i stands at i + 1; false: at its time
  double factor = 1.0;    ///< units of the axis that a unit of time takes; above 0

  [[nodiscard]] std::uint32_t events() const { return times_ == nullptr ? 0 : static_cast<std::uint32_t>(times_->size()); }
  /// Of an events row; rows from events() on (kNever too) stand at the end.
  [[nodiscard]] double of_event(std::uint32_t event) const {
    if (event >= events()) return end();
    return by_event ? static_cast<double>(event) + 1.0 : static_cast<double>((*times_)[event]) * factor;
  }
  [[nodiscard]] double of_position(std::uint32_t position) const { return position == 0 ? 0.0 : of_event(position - 1); }
  /// Where the last event stands, 0 without events.
  [[nodiscard]] double end() const {
    if (events() == 0) return 0.0;
    return by_event ? static_cast<double>(events()) : static_cast<double>(times_->back()) * factor;
  }
  /// First event that stands at `x` or behind it, events() if there is none; `from`: no event before it does.
  [[nodiscard]] std::uint32_t first_at(double x, std::uint32_t from = 0) const {
    return gallop(from, events(), [&](std::uint32_t event) { return of_event(event) >= x; });
  }
  /// Number of events that stand at `x` or before it: the position at which all that has happened by then has happened.
  [[nodiscard]] std::uint32_t position_at(double x) const {
    return gallop(0, events(), [&](std::uint32_t event) { return of_event(event) > x; });
  }

 private:
  const std::vector<std::uint32_t>* times_ = nullptr;
};

}  // namespace depscope::viewers
