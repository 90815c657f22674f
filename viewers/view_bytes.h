// Where a view lies in its buffer: its bytes, whether two views share some, and its box in words. No drawing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::viewers {

/// The bytes of a strided view, counted from the base of its buffer.
struct ByteView {
  struct Dimension {
    std::uint64_t count = 0;   ///< at least 2
    std::uint64_t stride = 0;  ///< bytes
  };
  bool known = false;  ///< false: its place or its element type is not told, or it is too large to be counted
  bool nested = true;  ///< every dimension steps over all that is inside it
  std::uint8_t rank = 0;
  std::array<Dimension, runtime::kMaxRank> dimensions{};  ///< by stride, the smallest first
  std::uint64_t begin = 0;
  std::uint64_t run = 0;     ///< bytes that lie together; 0: the view has no elements
  std::uint64_t extent = 0;  ///< from the first byte to the last

  [[nodiscard]] bool empty() const { return known && run == 0; }
  [[nodiscard]] std::uint64_t end() const { return begin + extent; }
  [[nodiscard]] std::uint64_t runs() const;  ///< saturates
};

/// `words` as in accesses.geometry_begin: rank shape words, then rank strides of two words each; offset and strides in elements.
[[nodiscard]] ByteView byte_view(std::uint64_t start_offset, std::span<const std::uint32_t> words, std::uint32_t element_bytes);

enum class Shared : std::uint8_t { No, Yes, Maybe };

/// Whether two views of one buffer share a byte. Exact, except for views that are not known and for two views of more than
/// kMaxRuns runs each of which overlaps itself: Maybe, if their ranges meet.
inline constexpr std::uint64_t kMaxRuns = 4096;
[[nodiscard]] Shared shares_bytes(const ByteView& a, const ByteView& b);

/// [first, second) in bytes.
using ByteRun = std::pair<std::uint64_t, std::uint64_t>;
/// The runs of a view for a drawing: gaps of less than `least` bytes are closed, and more where there would be more than `limit`
/// runs. Ascending for nested views. False if gaps were closed.
bool drawn_runs(const ByteView& view, std::uint64_t least, std::size_t limit, std::vector<ByteRun>& out);

/// An access as the runtime sees it, for runtime::classify_overlap. Rank 0 where a trace does not tell the geometry.
[[nodiscard]] runtime::TensorDescriptor descriptor_of_access(const recording::Recording& recording, std::uint32_t access);

/// A view as a box over its buffer: per dimension the first index and one past the last, and how many there are.
struct Box {
  std::array<std::uint64_t, runtime::kMaxRank> begin{}, end{}, of{};
  std::uint8_t rank = 0;
};
/// None if it is no box: strides that are not those of a row-major buffer, or a row that goes on in the next one.
[[nodiscard]] std::optional<Box> box_of(const runtime::TensorDescriptor& tensor);
/// "[4:8, 0:64]" of a box, else "[4, 8] + 128, strides 16, 2"; "not told" without a geometry.
[[nodiscard]] std::string box_words(const runtime::TensorDescriptor& tensor);

}  // namespace depscope::viewers
