// Who keeps the slot and the buffers of a task alive. Private.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check_names.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

/// The first consumers whose final edge has RETAIN, of some tasks.
class Retainers {
 public:
  /// `tasks`: ascending tasks rows.
  Retainers(const recording::Recording& r, const std::vector<std::uint32_t>& tasks, std::uint32_t max_items)
      : lists_(tasks.size()) {
    std::vector<std::uint32_t> number(r.tasks.rows(), recording::kNoRow);
    for (std::uint32_t i = 0; i < tasks.size(); ++i) number[tasks[i]] = i;
    for (std::uint32_t e = 0; e < r.edges.rows(); ++e) {
      const std::uint32_t i = number[r.edges.producer[e]];
      if (i == recording::kNoRow || (r.edges.flags_final[e] & runtime::kRetain) == 0) continue;
      if (lists_[i].first.size() < max_items) lists_[i].first.push_back(r.edges.consumer[e]);
      ++lists_[i].count;
    }
  }

  struct List {
    std::vector<std::uint32_t> first;  ///< tasks rows, in submission order
    std::uint64_t count = 0;
  };
  /// Of the i-th of the tasks.
  [[nodiscard]] const List& of(std::size_t i) const { return lists_[i]; }

 private:
  std::vector<List> lists_;
};

}  // namespace depscope::replay
