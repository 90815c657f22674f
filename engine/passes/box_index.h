// Accesses of one buffer by the window they touch, so that a window finds those it may meet without looking at all others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "storage_region.h"

namespace depscope::pass {

/// Numbers of accesses, filed by their regions. For each of the first dimensions, windows of about one length (a power of two)
/// lie in cells of that length; a query looks at the cells it touches and one before them, in the dimension where that gives the
/// fewest accesses.
class BoxIndex {
 public:
  /// Numbers must come in ascending order.
  void add(std::uint32_t access, const StorageRegion& region, const BoxPool& boxes);
  /// Takes out the access that was added last, with the region it was added with.
  void remove_last(const StorageRegion& region, const BoxPool& boxes);
  /// Appends, in no order, at least the accesses whose regions overlap `region`, each once.
  void may_meet(const StorageRegion& region, const BoxPool& boxes, std::vector<std::uint32_t>& out) const;

 private:
  static constexpr std::uint32_t kDimensions = 3;  // of a box, those behind are not filed

  using Cells = std::map<std::int64_t, std::vector<std::uint32_t>>;
  /// One dimension: cells by the logarithm of their length.
  struct Dimension {
    std::vector<std::pair<std::uint32_t, Cells>> levels;
  };
  struct Rank {
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> all;
    std::array<Dimension, kDimensions> dimensions;
  };
  /// Half-open, never empty.
  struct Interval {
    std::int64_t begin = 0, end = 0;
  };

  /// False for a box whose end is beyond what a number holds, which counts as meeting everything.
  static bool intervals(const StorageRegion& region, const BoxPool& boxes, std::array<Interval, kDimensions>& out);
  Rank& of_rank(std::uint32_t rank);
  static std::vector<std::uint32_t>& cell(Dimension& dimension, const Interval& interval);
  /// Calls `f` with the cells that hold what may meet the interval, until it returns false.
  template <class F>
  static void each_cell(const Dimension& dimension, const Interval& interval, F&& f);

  std::vector<std::uint32_t> everywhere_;  // no boxes, or without an end
  std::vector<Rank> ranks_;
};

}  // namespace depscope::pass
