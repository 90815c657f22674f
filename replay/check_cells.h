// Divides the bytes of one buffer into cells: bytes that the same regions touch. Private.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "check_touches.h"

namespace depscope::replay {

/// Runs of bytes of all regions of one buffer together, up to which its bytes are divided exactly.
inline constexpr std::uint64_t kMaxCellRuns = std::uint64_t{1} << 22U;
/// Pairs of regions that are compared where there are more runs than that.
inline constexpr std::uint64_t kMaxCellPairs = std::uint64_t{1} << 22U;

/// Cells of one root at a time; the object is used again for the next.
///
/// Exact: every byte belongs to one cell, and two regions share a cell if and only if they share a byte. Takes O(R log R) for R
/// runs, plus the size of the result. Buffers with more than kMaxCellRuns runs get one cell per region and one per pair of
/// regions that share bytes instead: the same pairs meet, but bytes that a third region has in common with both are not told
/// apart.
class Cells {
 public:
  explicit Cells(const Touches& touches) : touches_(touches) {}

  /// False if there are too many regions to compare; then there are no cells.
  [[nodiscard]] bool build(std::span<const std::uint32_t> regions);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(bytes_.size()); }
  /// Cells of the region at this position of the list that was given.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t region) const { return cells_of_[region]; }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t cell) const { return bytes_[cell]; }      ///< 0: not known
  [[nodiscard]] std::uint64_t address(std::uint32_t cell) const { return address_[cell]; }  ///< of its first byte; 0: not known
  /// False if it was not decided whether its two regions meet.
  [[nodiscard]] bool certain(std::uint32_t cell) const { return certain_[cell] != 0; }

 private:
  [[nodiscard]] bool divide(std::span<const std::uint32_t> regions);
  [[nodiscard]] bool pair_up(std::span<const std::uint32_t> regions);
  void clear(std::size_t regions);
  std::uint32_t add(std::uint64_t address, std::uint64_t bytes, bool certain);

  struct Border {
    std::uint64_t at;
    std::uint32_t region;  // position in the list
    bool opens;
  };

  const Touches& touches_;
  std::vector<std::vector<std::uint32_t>> cells_of_;
  std::vector<std::uint64_t> bytes_, address_;
  std::vector<std::uint8_t> certain_;

  std::vector<ByteRun> runs_;
  std::vector<Border> borders_;
  std::vector<std::uint32_t> open_;                                // positions of the regions at the current byte
  std::vector<std::uint32_t> place_in_;                            // by position: place in open_
  std::vector<std::uint64_t> second_;                              // by cell: second signature
  std::unordered_map<std::uint64_t, std::uint32_t> by_signature_;  // only looked up
};

}  // namespace depscope::replay
