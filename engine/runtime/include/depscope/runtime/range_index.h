// Many ranges of one buffer, so that those which meet a range are found without looking at the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace depscope::runtime {

/// Ranges [begin, end) in ascending order of (begin, serial), in blocks; above the blocks a tree of the largest ends. Insertion
/// and removal cost O(log n) and a block, now and then one walk over the blocks; a search costs O((blocks with a hit) log n).
class RangeIndex {
 public:
  struct Key {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t serial = 0;  ///< different for every key
    std::uint32_t entry = 0;   ///< what the caller calls it
    [[nodiscard]] bool before(const Key& other) const {
      return begin != other.begin ? begin < other.begin : serial < other.serial;
    }
  };

  void insert(const Key& key);
  /// The key must be there.
  void remove(const Key& key);
  /// f(entry) for every key with key.begin < end and key.end > begin, in ascending order.
  template <class F>
  void each(std::uint64_t begin, std::uint64_t end, F&& f) const {
    const auto last = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.first.begin < end; });
    visit(1, 0, leaves_, static_cast<std::size_t>(last - blocks_.begin()), begin, end, f);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kBlockKeys = 128;

  struct Block {
    Key first;  ///< a copy of the first key, so that a search stays in one array
    std::vector<Key> keys;
  };

  [[nodiscard]] std::size_t block_of(const Key& key) const;
  [[nodiscard]] static std::uint64_t largest_end(const Block& block);
  void set_largest(std::size_t block);
  void build_tree();

  template <class F>
  void visit(std::size_t node, std::size_t from, std::size_t count, std::size_t last, std::uint64_t begin, std::uint64_t end,
             F&& f) const {
    if (from >= last || count == 0 || largest_[node] <= begin) return;
    if (count > 1) {
      visit(2 * node, from, count / 2, last, begin, end, f);
      visit(2 * node + 1, from + count / 2, count / 2, last, begin, end, f);
      return;
    }
    for (const Key& key : blocks_[from].keys) {
      if (key.begin >= end) break;
      if (key.end > begin) f(key.entry);
    }
  }

  std::vector<Block> blocks_;
  std::vector<std::uint64_t> largest_;  // ends, as a tree: node 1 is the root, block i is node leaves_ + i
  std::size_t leaves_ = 0;              // a power of two, at least the blocks; 0 = none yet
  std::size_t size_ = 0;
};

}  // namespace depscope::runtime
