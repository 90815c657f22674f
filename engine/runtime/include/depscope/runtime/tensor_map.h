// The runtime's memory of who wrote what: registered writes by base address, newest first (runtime.md 4).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/runtime/overlap.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Entries of one address form a chain, newest first; a lookup reports overlapping entries in that order. Upstream finds the
/// chain through 4096 hash buckets that addresses share; here every address has a chain of its own, found by the same
/// multiplicative hash, which gives the same hits in the same order.
///
/// A chain that grows long also gets a range index, so that many disjoint slices of one buffer cost a lookup
/// O(chain / 256 + hits log hits) and not O(chain) overlap tests.
///
/// All storage is in flat pools; removed entries are used again, last freed first.
class TensorMap {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Entry {
    TensorDescriptor tensor;           ///< geometry of the write
    std::uint64_t begin = 0, end = 0;  ///< elements
    std::uint32_t producer = 0;        ///< tasks row of the writer
    std::uint32_t access = 0;          ///< accesses row of the write
    std::uint32_t serial = 0;          ///< number of the insertion: larger = newer
    std::uint32_t newer = kNone, older = kNone;
    std::uint32_t chain = kNone;
  };

  struct Hit {
    std::uint32_t entry = kNone;
    Overlap overlap = Overlap::None;
  };

  explicit TensorMap(RangeUnit unit = RangeUnit::Elements);

  /// Replaces `hits` by every entry that overlaps the request, newest first.
  void lookup(const TensorDescriptor& request, std::vector<Hit>& hits) const;
  /// Registers a write as the newest entry of its address; returns its index.
  std::uint32_t insert(const TensorDescriptor& tensor, std::uint32_t producer, std::uint32_t access);
  void remove(std::uint32_t entry);

  [[nodiscard]] const Entry& entry(std::uint32_t index) const { return entries_[index]; }
  /// Entries in use.
  [[nodiscard]] std::uint32_t used() const { return static_cast<std::uint32_t>(entries_.size()) - free_count_; }

 private:
  struct Key {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t serial = 0, entry = 0;
    [[nodiscard]] bool before(const Key& other) const {
      return begin != other.begin ? begin < other.begin : serial < other.serial;
    }
  };
  /// Up to kBlockKeys keys in ascending order of (begin, serial); blocks of one index are in that order too.
  struct Block {
    std::vector<Key> keys;
    std::uint64_t max_end = 0;
  };
  struct Chain {
    std::uint64_t address = 0;
    std::uint32_t newest = kNone;
    std::uint32_t count = 0;
    std::int32_t oldest_version = 0;  ///< smallest version ever registered: a newer request hits it whatever its range
    std::uint32_t size_of_element = 0;
    bool mixed_sizes = false;
    bool indexed = false;
    std::vector<Block> blocks;
  };

  [[nodiscard]] std::uint32_t find_chain(std::uint64_t address) const;
  std::uint32_t chain_for(std::uint64_t address);
  void grow_table();
  static void index_insert(Chain& chain, const Key& key);
  static void index_remove(Chain& chain, const Key& key);
  void build_index(Chain& chain) const;

  RangeUnit unit_;
  std::vector<Entry> entries_;
  std::uint32_t free_head_ = kNone;
  std::uint32_t free_count_ = 0;
  std::uint32_t next_serial_ = 0;
  std::vector<Chain> chains_;
  std::vector<std::uint32_t> table_;  // chain + 1, open addressing, power of two
  std::uint32_t table_shift_ = 0;
};

}  // namespace depscope::runtime
