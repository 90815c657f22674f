// From task id to tasks row.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::runtime {

/// Local indices count up from 0 in each ring, so an array serves; a trace may name far larger ones, which go to a hash map
/// (only looked up, never walked).
class TaskIndex {
 public:
  /// kNoRow if the id is not known.
  [[nodiscard]] std::uint32_t find(TaskId id) const {
    const std::vector<std::uint32_t>& dense = dense_[ring_of(id) % kRingCount];
    if (local_of(id) < dense.size()) return dense[local_of(id)];
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? kNoRow : it->second;
  }

  /// Replaces what was there.
  void set(TaskId id, std::uint32_t row) {
    std::vector<std::uint32_t>& dense = dense_[ring_of(id) % kRingCount];
    const std::uint32_t local = local_of(id);
    if (local >= dense.size()) {
      if (local > kDenseSlack + 4 * std::uint64_t{row}) {
        sparse_[id] = row;
        return;
      }
      const std::size_t size = local + std::size_t{local} / 2 + 64;
      dense.reserve(size);
      for (std::size_t l = dense.size(); l < size; ++l) {
        // Ids that came while the array was shorter move into it.
        const auto it = sparse_.find(make_task_id(ring_of(id), static_cast<std::uint32_t>(l)));
        dense.push_back(it == sparse_.end() ? kNoRow : it->second);
      }
    }
    dense[local] = row;
  }

 private:
  static constexpr std::uint64_t kDenseSlack = 65536;

  std::array<std::vector<std::uint32_t>, kRingCount> dense_;
  std::unordered_map<TaskId, std::uint32_t> sparse_;
};

}  // namespace depscope::runtime
