// Numbers over time: how many tasks are ready or running, how many slots are in use.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::viewers {

struct Extremes {
  std::int64_t least = 0, most = 0;

  friend bool operator==(const Extremes&, const Extremes&) = default;
};

/// A number that changes with events, 0 before the first. Least and most over any run of events are found in a time that grows
/// with the logarithm of its length.
class StepCurve {
 public:
  /// Events rows in ascending order; a second value of an event replaces the first.
  void add(std::uint32_t event, std::int64_t value);
  /// Call once after the last add().
  void finish();

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// After `position` events.
  [[nodiscard]] std::int64_t at(std::uint32_t position) const;
  /// At the positions [first, last].
  [[nodiscard]] Extremes between(std::uint32_t first, std::uint32_t last) const;

  /// Asks for one run of positions after another, each beginning where the last one ended.
  class Walk {
   public:
    Walk(const StepCurve& curve, std::uint32_t first) : curve_(curve), change_(curve.changes_before(first)) {}
    /// At the positions from the last one on up to `last`, both included.
    [[nodiscard]] Extremes to(std::uint32_t last);

   private:
    const StepCurve& curve_;
    std::uint32_t change_;
  };
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  static constexpr std::uint32_t kFanout = 16;  // entries of a level that one entry of the next stands for
  [[nodiscard]] std::uint32_t changes_before(std::uint32_t position) const;
  /// Of the value before change `begin` and of the changes [begin, end).
  [[nodiscard]] Extremes of_changes(std::size_t begin, std::size_t end) const;

  std::vector<std::uint32_t> events_;
  std::vector<std::int64_t> values_;
  std::vector<std::vector<Extremes>> levels_;
  std::int64_t most_ = 0;
};

struct Curves {
  Curves() = default;
  /// One pass over the events.
  explicit Curves(const recording::Recording& recording);

  StepCurve ready, running;                          ///< tasks in the state
  std::array<StepCurve, runtime::kRingCount> slots;  ///< from the watermark to the next index of a ring
};

}  // namespace depscope::viewers
