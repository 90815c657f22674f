// From a key to its row in a table that keeps the keys itself. Private.
#pragma once

#include <array>
#include <cstdint>

#include "depscope/base/growing_table.h"
#include "depscope/recording/columns.h"

namespace depscope::replay {

/// Open addressing over a piece of the hash and a row: half of an IdTable's memory, and a row is only looked at when its hash is
/// the same. Only looked up, never walked.
class RowTable {
 public:
  /// The row for which `same(row)` holds, or `rows` (how many there are) when there is none; the caller then appends that row
  /// before the next call. `hash` is of the key, its low half spread evenly.
  template <class Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t rows, const Same& same) {
    const auto low = static_cast<std::uint32_t>(hash);
    std::uint32_t& recent = recent_[low % kRecent];
    if (recent < rows && same(recent)) return recent;
    if ((std::size_t{rows} + 1) * 2 > cells_.size()) grow();
    std::size_t at = low & (cells_.size() - 1);
    while (cells_[at].row != recording::kNoRow && (cells_[at].hash != low || !same(cells_[at].row))) at = next(at);
    if (cells_[at].row == recording::kNoRow) cells_[at] = {low, rows};
    recent = cells_[at].row;
    return recent;
  }

 private:
  static constexpr std::size_t kRecent = 1024;  // stays in the processor's cache: most keys come again soon or never

  struct Cell {
    std::uint32_t hash = 0;
    std::uint32_t row = recording::kNoRow;
  };

  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (cells_.size() - 1); }
  void grow() {
    GrowingTable<Cell> old;
    old.resize(cells_.empty() ? 256 : cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.row == recording::kNoRow) continue;
      std::size_t at = cell.hash & (cells_.size() - 1);
      while (cells_[at].row != recording::kNoRow) at = next(at);
      cells_[at] = cell;
    }
  }

  GrowingTable<Cell> cells_;  // a power of two
  std::array<std::uint32_t, kRecent> recent_{};
};

}  // namespace depscope::replay
