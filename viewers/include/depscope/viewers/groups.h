// Rows of one table grouped by the row of another table that they point to: built once, then every group is contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace depscope::viewers {

class Groups {
 public:
  Groups() = default;
  /// `key_of_row[i]` is the group of row i; keys that are not below `keys` (kNoRow too) belong to no group. Two linear passes;
  /// rows of a group stay in ascending order.
  Groups(const std::vector<std::uint32_t>& key_of_row, std::uint32_t keys);
  /// Pairs of key and row: a row may belong to several groups. Rows of a group stay in the order of the pairs.
  Groups(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, std::uint32_t keys);

  /// Rows of a group; empty for a key that is out of range.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t key) const;

 private:
  /// `at(i)` is the pair of key and row of entry i.
  template <class At>
  void fill(std::size_t count, std::uint32_t keys, At&& at);

  std::vector<std::uint32_t> begin_;  // keys + 1 entries
  std::vector<std::uint32_t> rows_;
};

}  // namespace depscope::viewers
