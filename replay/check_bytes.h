// Sets of bytes that strided views touch, and whether two of them share any. Private.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "depscope/runtime/submission.h"

namespace depscope::replay {

/// The bytes of a view relative to its first one: runs of `run` bytes, repeated along each dimension. Dimensions are sorted by
/// stride, the largest first; those that only make the run longer are part of it.
struct ByteShape {
  struct Dimension {
    std::uint64_t count = 0;   ///< at least 2
    std::uint64_t stride = 0;  ///< bytes, larger than the run
  };
  std::array<Dimension, runtime::kMaxRank> dimensions{};
  std::uint8_t rank = 0;
  bool overlaps_itself = false;  ///< runs may overlap or stand out of order
  std::uint64_t run = 0;         ///< bytes; 0: the view has no elements
  std::uint64_t extent = 0;      ///< bytes from the first to the last

  [[nodiscard]] bool empty() const { return run == 0; }
  [[nodiscard]] std::uint64_t runs() const;  ///< saturates
};

/// `words` as in accesses.geometry_begin: rank shape words, then rank strides as low and high word, in elements. Empty if an
/// extent is 0, if the element size is 0, or if the view is larger than 2^62 bytes.
[[nodiscard]] ByteShape byte_shape(std::span<const std::uint32_t> words, std::uint32_t element_bytes);

enum class Meeting : std::uint8_t { No, Yes, Unknown };

/// Whether two views share a byte; `begin` is the address of each one's first. Exact: a closed form while at most two different
/// strides stand against each other, a bounded search beyond that, whose limit gives Unknown.
[[nodiscard]] Meeting meet(std::uint64_t a_begin, const ByteShape& a, std::uint64_t b_begin, const ByteShape& b);

using ByteRun = std::pair<std::uint64_t, std::uint64_t>;  ///< [first, second)

/// Appends the runs of a view, ascending and apart from each other. False, and nothing appended, if there are more than `limit`.
[[nodiscard]] bool append_runs(std::uint64_t begin, const ByteShape& shape, std::uint64_t limit, std::vector<ByteRun>& out);

}  // namespace depscope::replay
