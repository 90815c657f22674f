#include "check_cells.h"

#include <algorithm>

namespace depscope::replay {
namespace {

/// A number that stands for a region; the sum over the regions of a byte is the signature of its cell.
std::uint64_t scatter(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

void Cells::clear(std::size_t regions) {
  if (cells_of_.size() < regions) cells_of_.resize(regions);
  for (std::size_t i = 0; i < regions; ++i) cells_of_[i].clear();
  bytes_.clear();
  address_.clear();
  certain_.clear();
  second_.clear();
}

std::uint32_t Cells::add(std::uint64_t address, std::uint64_t bytes, bool certain) {
  address_.push_back(address);
  bytes_.push_back(bytes);
  certain_.push_back(certain ? 1 : 0);
  return count() - 1;
}

bool Cells::build(std::span<const std::uint32_t> regions) {
  clear(regions.size());
  if (regions.size() == 1) {
    const std::uint32_t region = regions[0];
    const std::uint64_t runs = touches_.shape(region).runs();
    const bool simple = !touches_.shape(region).overlaps_itself;
    cells_of_[0].push_back(add(touches_.begin(region), simple ? runs * touches_.shape(region).run : 0, true));
    return true;
  }
  if (divide(regions)) return true;
  clear(regions.size());
  return pair_up(regions);
}

bool Cells::divide(std::span<const std::uint32_t> regions) {
  borders_.clear();
  std::uint64_t room = kMaxCellRuns;
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    runs_.clear();
    if (!append_runs(touches_.begin(regions[i]), touches_.shape(regions[i]), room, runs_)) return false;
    room -= runs_.size();
    for (const ByteRun& run : runs_) {
      borders_.push_back({run.first, i, true});
      borders_.push_back({run.second, i, false});
    }
  }
  // At one place runs end before others begin.
  std::sort(borders_.begin(), borders_.end(), [](const Border& a, const Border& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.opens != b.opens ? b.opens : a.region < b.region;
  });
  by_signature_.clear();
  open_.clear();
  place_in_.assign(regions.size(), 0);
  std::uint64_t signature = 0;
  std::uint64_t second = 0;
  for (std::size_t i = 0; i < borders_.size(); ++i) {
    const Border& border = borders_[i];
    if (border.opens) {
      signature += scatter(border.region);
      second += scatter(~std::uint64_t{border.region});
      place_in_[border.region] = static_cast<std::uint32_t>(open_.size());
      open_.push_back(border.region);
    } else {
      signature -= scatter(border.region);
      second -= scatter(~std::uint64_t{border.region});
      const std::uint32_t last = open_.back();
      open_[place_in_[border.region]] = last;
      place_in_[last] = place_in_[border.region];
      open_.pop_back();
    }
    if (open_.empty() || borders_[i + 1].at == border.at) continue;
    const std::uint64_t length = borders_[i + 1].at - border.at;
    const auto [found, fresh] = by_signature_.try_emplace(signature, count());
    if (!fresh && second_[found->second] == second) {
      bytes_[found->second] += length;
      continue;
    }
    // Two different sets with one 64-bit sum: the later one keeps cells of its own, which is correct, only not the fewest.
    const std::uint32_t cell = add(border.at, length, true);
    second_.push_back(second);
    for (const std::uint32_t region : open_) cells_of_[region].push_back(cell);
  }
  return true;
}

/// Regions by address; each is compared with those before it that have not ended.
bool Cells::pair_up(std::span<const std::uint32_t> regions) {
  std::vector<std::uint32_t> order(regions.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t x = touches_.begin(regions[a]);
    const std::uint64_t y = touches_.begin(regions[b]);
    return x != y ? x < y : a < b;
  });
  std::uint64_t compared = 0;
  open_.clear();
  for (const std::uint32_t i : order) {
    std::erase_if(open_, [&](std::uint32_t other) { return touches_.end(regions[other]) <= touches_.begin(regions[i]); });
    compared += open_.size();
    if (compared > kMaxCellPairs) {
      clear(regions.size());
      return false;
    }
    cells_of_[i].push_back(add(touches_.begin(regions[i]), 0, true));
    for (const std::uint32_t other : open_) {
      const Meeting meeting = touches_.meet(regions[i], regions[other]);
      if (meeting == Meeting::No) continue;
      const std::uint32_t cell = add(0, 0, meeting == Meeting::Yes);
      cells_of_[i].push_back(cell);
      cells_of_[other].push_back(cell);
    }
    open_.push_back(i);
  }
  return true;
}

}  // namespace depscope::replay
