// From task id to tasks row.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depscope/base/growing_table.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Local indices count up from 0 in each ring, so an array serves; a trace may name far larger ones, which go to a hash map
/// (only looked up, never walked).
class TaskIndex {
 public:
  /// kNoRow if the id is not known.
  [[nodiscard]] std::uint32_t find(TaskId id) const {
    const GrowingTable<std::uint32_t>& dense = dense_[ring_of(id) % kRingCount];
    if (local_of(id) < dense.size()) return dense[local_of(id)];
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? kNoRow : it->second;
  }

  /// Replaces what was there. Rows come in ascending order; other values need set_value.
  void set(TaskId id, std::uint32_t row) { set_value(id, row, row); }
  /// The same for any value; `tasks` is how many tasks there are, so that the array stays in proportion.
  void set_value(TaskId id, std::uint32_t value, std::uint64_t tasks) {
    GrowingTable<std::uint32_t>& dense = dense_[ring_of(id) % kRingCount];
    const std::uint32_t local = local_of(id);
    if (local >= dense.size()) {
      if (local > kDenseSlack + 4 * tasks) {
        sparse_[id] = value;
        return;
      }
      const std::size_t before = dense.size();
      dense.resize(local + std::size_t{local} / 2 + 64, kNoRow);
      // Ids that came while the array was shorter move into it.
      for (std::size_t l = before; l < dense.size() && !sparse_.empty(); ++l) {
        const auto it = sparse_.find(make_task_id(ring_of(id), static_cast<std::uint32_t>(l)));
        if (it != sparse_.end()) dense[l] = it->second;
      }
    }
    dense[local] = value;
  }

 private:
  static constexpr std::uint64_t kDenseSlack = 65536;

  std::array<GrowingTable<std::uint32_t>, kRingCount> dense_;
  std::unordered_map<TaskId, std::uint32_t> sparse_;
};

}  // namespace depscope::runtime
