// Which bytes every task of a recording touches, by buffer as executed. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check_bytes.h"
#include "depscope/recording/tables.h"

namespace depscope::replay {

enum TouchMode : std::uint8_t { kTouchReads = 1, kTouchWrites = 2 };

/// One range of bytes that one task touches.
struct Touch {
  std::uint32_t task = 0;  ///< tasks row
  std::uint32_t access =
      recording::kNoRow;  ///< accesses row; that of the creating argument for a buffer that a trace does not place
  std::uint32_t row = recording::kNoRow;  ///< touches row that says so; none: the whole of the access, as declared
  std::uint32_t region = 0;
  std::uint32_t root = 0;
  std::uint8_t mode = 0;  ///< TouchMode bits, by the declared direction
};

/// The places of all touches of a recording. Buffers are told apart by address as executed, never by name: regions whose
/// addresses overlap belong to one root, whatever their base. Where several tasks owned the same addresses one after the other
/// (a heap that was used again), each owner's time is a root of its own, and an access that names no owner belongs to the last
/// owner before it.
class Touches {
 public:
  explicit Touches(const recording::Recording& recording);

  /// Grouped by task.
  [[nodiscard]] const std::vector<Touch>& all() const { return touches_; }
  [[nodiscard]] std::span<const Touch> of_task(std::uint32_t task) const {
    return std::span(touches_).subspan(task_begin_[task], task_begin_[task + std::size_t{1}] - task_begin_[task]);
  }
  [[nodiscard]] std::uint32_t roots() const { return roots_; }
  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(regions_.size()); }
  [[nodiscard]] std::uint64_t begin(std::uint32_t region) const { return regions_[region].begin; }
  [[nodiscard]] const ByteShape& shape(std::uint32_t region) const { return shapes_[regions_[region].shape]; }
  [[nodiscard]] std::uint64_t end(std::uint32_t region) const { return begin(region) + shape(region).extent; }
  [[nodiscard]] Meeting meet(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return Meeting::Yes;
    return replay::meet(begin(a), shape(a), begin(b), shape(b));
  }

  /// tasks row of the task that owns a tensor as `task` sees it, none if nobody in the recording does.
  [[nodiscard]] std::uint32_t owner(std::uint32_t tensor, std::uint32_t task) const;
  /// Arguments of unknown place or size, which nothing is said about.
  [[nodiscard]] std::uint64_t unplaced() const { return unplaced_; }

 private:
  struct Region {
    std::uint64_t begin = 0;
    std::uint32_t shape = 0;
    std::uint32_t component = 0;  // regions that lie on overlapping addresses
  };
  class Builder;

  const recording::Recording& r_;
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> task_begin_;
  std::vector<Region> regions_;
  std::vector<ByteShape> shapes_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> owners_;  // (task id, tasks row), sorted
  std::uint32_t roots_ = 0;
  std::uint64_t unplaced_ = 0;
};

}  // namespace depscope::replay
