// The runtime's memory of who wrote what: registered writes by base address, newest first (runtime.md 4).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "depscope/base/growing_table.h"
#include "depscope/runtime/mutation.h"
#include "depscope/runtime/overlap.h"
#include "depscope/runtime/range_index.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Entries of one address form a chain, newest first; a lookup reports overlapping entries in that order. Upstream finds the
/// chain through 4096 hash buckets that addresses share; here every address has a chain of its own, found by the same
/// multiplicative hash, which gives the same hits in the same order.
///
/// A chain that grows long also gets a range index, so that with many disjoint slices of one buffer a lookup costs
/// O((log chain + hits) log chain) and not O(chain) overlap tests.
///
/// Entries live on two levels. The logical map keeps a write until an access covers it; it is what a replay without any reuse
/// sees. The live map is the part that the runtime's pool still holds: it loses the entries of retired tasks. Live entries are in
/// a chain per hash bucket, newest first, and counted against the pool.
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
    // live map
    bool live = false;
    bool covered = false;  ///< left the logical map
    std::uint32_t bucket_newer = kNone, bucket_older = kNone;
    std::uint32_t next_of_task = kNone;  ///< older entry of the same task
  };

  struct Hit {
    std::uint32_t entry = kNone;
    Overlap overlap = Overlap::None;
  };

  explicit TensorMap(RangeUnit unit = RangeUnit::Elements);
  void mutate(Mutation mutation) { mutation_ = mutation; }  ///< tests only

  /// Replaces `hits` by every entry that overlaps the request, newest first.
  void lookup(const TensorDescriptor& request, std::vector<Hit>& hits) const;
  /// Registers a write as the newest entry of its address; returns its index.
  std::uint32_t insert(const TensorDescriptor& tensor, std::uint32_t producer, std::uint32_t access);
  void remove(std::uint32_t entry);
  /// Leaves the logical map only: what the runtime's lookup does not see stays in its pool.
  void cover(std::uint32_t entry);
  /// Clean-up of a retired task (runtime.md 4.6): its entries leave the live map; calls f(entry) after each.
  template <class F>
  void retire(std::uint32_t task, F&& f) {
    if (task >= newest_of_task_.size()) return;
    while (newest_of_task_[task] != kNone) {
      const std::uint32_t entry = newest_of_task_[task];
      leave(entry);
      f(entry);
    }
  }

  [[nodiscard]] const Entry& entry(std::uint32_t index) const { return entries_[index]; }
  /// Entries of the logical map.
  [[nodiscard]] std::uint32_t used() const { return static_cast<std::uint32_t>(entries_.size()) - free_count_; }

  /// Pool of the live map: taken one after another, and again those that were freed.
  [[nodiscard]] std::uint32_t live_used() const { return bumped_ - free_listed_; }
  [[nodiscard]] std::uint32_t bumped() const { return bumped_; }
  [[nodiscard]] std::uint32_t free_listed() const { return free_listed_; }

  static constexpr std::uint32_t kBuckets = 4096;
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;  ///< multiplier of the hash
  [[nodiscard]] static std::uint32_t bucket_of(std::uint64_t address) {
    return static_cast<std::uint32_t>((address * kGolden) >> 52U);
  }
  /// Newest live entry of a bucket, kNone if it is empty; the others by Entry::bucket_older.
  [[nodiscard]] std::uint32_t bucket_head(std::uint32_t bucket) const { return buckets_[bucket]; }
  /// Newest live entry of a task; the others by Entry::next_of_task.
  [[nodiscard]] std::uint32_t newest_of_task(std::uint32_t task) const {
    return task < newest_of_task_.size() ? newest_of_task_[task] : kNone;
  }

 private:
  struct Chain {
    std::uint64_t address = 0;
    std::uint32_t newest = kNone;
    std::uint32_t count = 0;
    std::int32_t oldest_version = std::numeric_limits<std::int32_t>::max();  ///< smallest ever: a newer request hits it anywhere
    std::uint32_t index = kNone;                                             ///< of `indices_`, once there are many entries
    bool walked = false;  ///< an entry has no place in the index: the chain is walked from then on
  };

  /// Units of the index in an element: bytes where ranges are compared in bytes, else elements.
  [[nodiscard]] std::uint64_t scale_of(const TensorDescriptor& tensor) const {
    return unit_ == RangeUnit::Bytes ? element_size(tensor.dtype) : 1;
  }
  [[nodiscard]] RangeIndex::Key key_of(std::uint32_t entry) const;
  [[nodiscard]] std::uint32_t find_chain(std::uint64_t address) const;
  std::uint32_t chain_for(std::uint64_t address);
  void grow_table();
  void join(std::uint32_t entry);
  void leave(std::uint32_t entry);
  void free(std::uint32_t entry);
  void build_index(Chain& chain);

  RangeUnit unit_;
  Mutation mutation_ = Mutation::None;
  GrowingTable<Entry> entries_;
  std::uint32_t free_head_ = kNone;
  std::uint32_t free_count_ = 0;
  std::uint32_t next_serial_ = 0;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(kBuckets, kNone);
  GrowingTable<std::uint32_t> newest_of_task_;
  std::uint32_t bumped_ = 0, free_listed_ = 0;
  GrowingTable<Chain> chains_;
  std::vector<RangeIndex> indices_;
  std::vector<std::uint32_t> table_;  // chain + 1, open addressing, power of two
  std::uint32_t table_shift_ = 0;
};

}  // namespace depscope::runtime
