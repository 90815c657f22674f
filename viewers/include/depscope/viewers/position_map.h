// Which position of one recording belongs to a position of another: as much of what both have has happened.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

/// Life events of the tasks that have a counterpart (submit, dispatch, complete, consume), by position. A number for every 64
/// events is kept; between them the events are looked at.
class LifeEvents {
 public:
  LifeEvents() = default;
  /// `counterpart` by tasks row, none where there is none. Both must outlive this.
  LifeEvents(const recording::Recording& recording, const std::vector<std::uint32_t>& counterpart);

  [[nodiscard]] std::uint32_t events() const { return recording_ == nullptr ? 0 : recording_->events.rows(); }
  /// Life events among the first `position` events; position is at most events().
  [[nodiscard]] std::uint32_t before(std::uint32_t position) const;
  /// The least position with `count` life events before it, one past events() if there are not as many.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t count) const;

 private:
  static constexpr std::uint32_t kStep = 64;
  [[nodiscard]] bool is_life(std::uint32_t event) const;

  const recording::Recording* recording_ = nullptr;
  const std::vector<std::uint32_t>* counterpart_ = nullptr;
  std::vector<std::uint32_t> counts_;  // at positions 0, kStep, 2 kStep, …
};

/// The position of `there` that has as many life events behind it as `position` of `here`, and as many other events since the
/// last of them, as far as the next one allows. Never goes down; 0 for 0, the end for the end.
[[nodiscard]] std::uint32_t matching_position(const LifeEvents& here, const LifeEvents& there, std::uint32_t position);

}  // namespace depscope::viewers
