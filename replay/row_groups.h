// Rows of one table by the row of another that they belong to, in their own order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

class RowGroups {
 public:
  RowGroups() = default;
  /// `group_of(row)` is below `groups`, or none for a row that belongs nowhere. Called twice a row.
  template <class GroupOf>
  RowGroups(std::uint32_t groups, std::uint32_t rows, GroupOf&& group_of) : begin_(groups + std::size_t{1}, 0) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (const std::uint32_t group = group_of(row); group != recording::kNoRow) ++begin_[group + std::size_t{1}];
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    rows_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (const std::uint32_t group = group_of(row); group != recording::kNoRow) rows_[next[group]++] = row;
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t group) const {
    return std::span(rows_).subspan(begin_[group], begin_[group + std::size_t{1}] - begin_[group]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> rows_;
};

/// By the rows of a column that names the group.
[[nodiscard]] inline RowGroups groups_of(const std::vector<std::uint32_t>& column, std::uint32_t groups) {
  return {groups, static_cast<std::uint32_t>(column.size()), [&](std::uint32_t row) { return column[row]; }};
}

}  // namespace depscope::replay
