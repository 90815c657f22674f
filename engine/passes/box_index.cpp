#include "box_index.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace depscope::pass {

bool BoxIndex::intervals(const StorageRegion& region, const BoxPool& boxes, std::array<Interval, kDimensions>& out) {
  if (region.kind != StorageKind::Box || region.rank == 0) return false;
  const auto offset = boxes.offset(region);
  const auto shape = boxes.shape(region);
  for (std::uint32_t d = 0; d < region.rank; ++d) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(offset[d], shape[d], &end)) return false;
    if (d >= kDimensions) continue;
    // A box without extent lies between two elements; it counts as having the one behind.
    const std::int64_t first = std::min(offset[d], end);
    std::int64_t last = std::max(offset[d], end);
    if (shape[d] <= 0 && last < std::numeric_limits<std::int64_t>::max()) ++last;
    std::int64_t length = 0;
    if (first >= last || __builtin_sub_overflow(last, first, &length)) return false;
    out[d] = {first, last};
  }
  return true;
}

BoxIndex::Rank& BoxIndex::of_rank(std::uint32_t rank) {
  const auto found = std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank& r) { return r.rank == rank; });
  if (found != ranks_.end()) return *found;
  ranks_.push_back({rank, {}, {}});
  return ranks_.back();
}

std::vector<std::uint32_t>& BoxIndex::cell(Dimension& dimension, const Interval& interval) {
  const auto length = static_cast<std::uint64_t>(interval.end - interval.begin);
  const auto level = static_cast<std::uint32_t>(std::bit_width(length - 1));
  auto found = std::find_if(dimension.levels.begin(), dimension.levels.end(), [&](const auto& l) { return l.first == level; });
  if (found == dimension.levels.end()) found = dimension.levels.insert(found, {level, {}});
  return found->second[interval.begin >> level];
}

template <class F>
void BoxIndex::each_cell(const Dimension& dimension, const Interval& interval, F&& f) {
  for (const auto& [level, cells] : dimension.levels) {
    const std::int64_t first = interval.begin >> level;
    const std::int64_t last = (interval.end - 1) >> level;
    // A window as long as a cell may begin in the cell before.
    auto at = cells.lower_bound(first == std::numeric_limits<std::int64_t>::min() ? first : first - 1);
    for (; at != cells.end() && at->first <= last; ++at) {
      if (!f(at->second)) return;
    }
  }
}

void BoxIndex::add(std::uint32_t access, const StorageRegion& region, const BoxPool& boxes) {
  std::array<Interval, kDimensions> at;
  if (!intervals(region, boxes, at)) {
    everywhere_.push_back(access);
    return;
  }
  Rank& rank = of_rank(region.rank);
  rank.all.push_back(access);
  for (std::uint32_t d = 0; d < std::min(region.rank, kDimensions); ++d) cell(rank.dimensions[d], at[d]).push_back(access);
}

void BoxIndex::remove_last(const StorageRegion& region, const BoxPool& boxes) {
  std::array<Interval, kDimensions> at;
  if (!intervals(region, boxes, at)) {
    everywhere_.pop_back();
    return;
  }
  Rank& rank = of_rank(region.rank);
  rank.all.pop_back();
  for (std::uint32_t d = 0; d < std::min(region.rank, kDimensions); ++d) cell(rank.dimensions[d], at[d]).pop_back();
}

void BoxIndex::may_meet(const StorageRegion& region, const BoxPool& boxes, std::vector<std::uint32_t>& out) const {
  out.insert(out.end(), everywhere_.begin(), everywhere_.end());
  std::array<Interval, kDimensions> at;
  const bool known = intervals(region, boxes, at);
  for (const Rank& rank : ranks_) {
    if (!known || rank.rank != region.rank) {
      out.insert(out.end(), rank.all.begin(), rank.all.end());
      continue;
    }
    // The dimension with the fewest; counting stops where it cannot be the best any more.
    std::size_t fewest = rank.all.size();
    std::uint32_t best = kDimensions;
    for (std::uint32_t d = 0; d < std::min(rank.rank, kDimensions); ++d) {
      std::size_t count = 0;
      std::size_t cells = 0;
      each_cell(rank.dimensions[d], at[d], [&](const std::vector<std::uint32_t>& cell) {
        count += cell.size();
        return count < fewest && ++cells < fewest;
      });
      if (count >= fewest || cells >= fewest) continue;
      fewest = count;
      best = d;
    }
    if (best == kDimensions) {
      out.insert(out.end(), rank.all.begin(), rank.all.end());
      continue;
    }
    each_cell(rank.dimensions[best], at[best], [&](const std::vector<std::uint32_t>& cell) {
      out.insert(out.end(), cell.begin(), cell.end());
      return true;
    });
  }
}

}  // namespace depscope::pass
