// From a 64-bit id and a 32-bit part to a row. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/columns.h"

namespace depscope::replay {

/// Open addressing; rows come from the caller. Only looked up, never walked.
class IdTable {
 public:
  [[nodiscard]] std::uint32_t find(std::uint64_t id, std::uint32_t part = 0) const {
    if (cells_.empty()) return recording::kNoRow;
    return cells_[place(id, part)].row;
  }
  /// The row that was there, or `row` after it was stored.
  std::uint32_t find_or_add(std::uint64_t id, std::uint32_t part, std::uint32_t row) {
    if ((used_ + 1) * 2 > cells_.size()) grow();
    Cell& cell = cells_[place(id, part)];
    if (cell.row == recording::kNoRow) {
      cell = {id, part, row};
      ++used_;
    }
    return cell.row;
  }
  void reserve(std::size_t count) {
    while (cells_.size() < count * 2) grow();
  }

 private:
  struct Cell {
    std::uint64_t id = 0;
    std::uint32_t part = 0;
    std::uint32_t row = recording::kNoRow;
  };

  [[nodiscard]] std::size_t place(std::uint64_t id, std::uint32_t part) const {
    std::uint64_t hash = (id ^ (std::uint64_t{part} << 17U)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29U;
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (cells_[at].row != recording::kNoRow && (cells_[at].id != id || cells_[at].part != part)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Cell> old(cells_.empty() ? 256 : cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.row != recording::kNoRow) cells_[place(cell.id, cell.part)] = cell;
    }
  }

  std::vector<Cell> cells_;
  std::size_t used_ = 0;
};

}  // namespace depscope::replay
