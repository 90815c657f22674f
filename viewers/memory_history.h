// Heap addresses over time: every allocation of a ring as a rectangle of events × bytes, folded where it is too small to be seen.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// What one rectangle of the drawing stands for.
struct HeapBox {
  std::uint32_t begin = 0, end = 0;    ///< positions: [submitted, given back)
  std::uint64_t low = 0, high = 0;     ///< bytes
  std::uint32_t first = 0, count = 0;  ///< run in tasks()
};

/// A million allocations in a tree of runs: what is drawn depends on what can be seen, not on how many there are.
class HeapHistory {
 public:
  HeapHistory() = default;
  HeapHistory(const Document& document, std::uint32_t ring);

  /// Tasks of the ring that have bytes in its heap, in order of submission.
  [[nodiscard]] const std::vector<std::uint32_t>& tasks() const { return tasks_; }
  /// Position from which on the task has its bytes, and the one at which they are given back: the last one if they never are.
  [[nodiscard]] std::uint32_t begin_of(std::uint32_t index) const { return levels_[0][index].begin; }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t index) const { return levels_[0][index].end_least; }
  /// Index in tasks() of a tasks row, none if it has no bytes.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t task) const;

  struct Window {
    double begin = 0, end = 0;               ///< positions
    double low = 0, high = 0;                ///< bytes
    double least_time = 1, least_bytes = 1;  ///< what is smaller in either way joins its neighbours
  };
  /// The rectangles that meet the window, at most `limit` of them: both least sizes double until they suffice.
  void boxes(Window window, std::size_t limit, std::vector<HeapBox>& out) const;
  /// The task that has the byte at the position, none if it is free.
  [[nodiscard]] std::uint32_t at(double position, double byte) const;

 private:
  static constexpr std::uint32_t kFan = 4;
  /// Of a run of allocations.
  struct Node {
    std::uint32_t begin = 0, begin_most = 0;  // earliest and latest beginning
    std::uint32_t end_least = 0, end = 0;     // earliest and latest end
    std::uint64_t low = 0, high = 0;
    std::uint32_t widest = 0;  // bytes of the largest one, saturated
    bool contiguous = true;    // each begins where the one before ends: not after a wrap
  };
  bool collect(const Window& window, std::size_t level, std::uint32_t node, std::size_t limit, std::vector<HeapBox>& out) const;
  [[nodiscard]] std::uint32_t find(std::size_t level, std::uint32_t node, double position, double byte) const;

  std::vector<std::uint32_t> tasks_;
  std::vector<std::vector<Node>> levels_;  // [0]: allocations; above: runs of kFan nodes
};

}  // namespace depscope::viewers
