// Which part of a buffer a value covers (passes.md 5.3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"

namespace depscope::pass {

/// Offsets and extents of a Box lie in a BoxPool: `rank` offsets from `begin`, then `rank` extents.
struct StorageRegion {
  StorageKind kind = StorageKind::Unknown;
  std::uint32_t begin = 0;
  std::uint32_t rank = 0;
};

/// Numbers of all boxes of one function.
class BoxPool {
 public:
  void clear() { values_.clear(); }
  [[nodiscard]] StorageRegion make(std::span<const std::int64_t> offset, std::span<const std::int64_t> shape);
  [[nodiscard]] std::span<const std::int64_t> offset(const StorageRegion& box) const {
    return {values_.data() + box.begin, box.rank};
  }
  [[nodiscard]] std::span<const std::int64_t> shape(const StorageRegion& box) const {
    return {values_.data() + box.begin + box.rank, box.rank};
  }

  [[nodiscard]] bool same(const StorageRegion& a, const StorageRegion& b) const;
  /// False only if both are boxes of one rank that some dimension keeps apart (half-open intervals).
  [[nodiscard]] bool overlap(const StorageRegion& a, const StorageRegion& b) const;
  /// Part of `parent`; nullopt offset or shape: not constant.
  [[nodiscard]] StorageRegion slice(const StorageRegion& parent, const std::optional<std::vector<std::int64_t>>& shape,
                                    const std::optional<std::vector<std::int64_t>>& offset);

 private:
  std::vector<std::int64_t> values_;
};

/// What the type of a variable does to the regions it is given.
enum class ViewEffect : std::uint8_t {
  Unchanged,     ///< bare tensor, or packed row-major ND
  Conservative,  ///< packed ND with a valid shape
  Unknown,       ///< strided, another layout, padded
};
[[nodiscard]] ViewEffect view_effect(const ir::NodeStore& store, ir::TypeId type);
/// The same for the valid_shape and pad_value that a slice operation may carry.
[[nodiscard]] ViewEffect slice_effect(const ir::NodeStore& store, const ir::Call& slice);
[[nodiscard]] StorageRegion apply(ViewEffect effect, const StorageRegion& region);

/// Numbers of a list expression, nullopt if one of them is not constant.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constant_list(const ir::NodeStore& store, ir::ExprId list);

}  // namespace depscope::pass
