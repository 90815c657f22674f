#include "depscope/viewers/groups.h"

namespace depscope::viewers {

Groups::Groups(const std::vector<std::uint32_t>& key_of_row, std::uint32_t keys) : begin_(std::size_t{keys} + 1, 0) {
  for (const std::uint32_t key : key_of_row) {
    if (key < keys) ++begin_[key + 1];
  }
  for (std::size_t key = 0; key < keys; ++key) begin_[key + 1] += begin_[key];
  rows_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t row = 0; row < key_of_row.size(); ++row) {
    if (key_of_row[row] < keys) rows_[next[key_of_row[row]]++] = row;
  }
}

Groups::Groups(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, std::uint32_t keys)
    : begin_(std::size_t{keys} + 1, 0) {
  for (const auto& [key, row] : pairs) {
    if (key < keys) ++begin_[key + 1];
  }
  for (std::size_t key = 0; key < keys; ++key) begin_[key + 1] += begin_[key];
  rows_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [key, row] : pairs) {
    if (key < keys) rows_[next[key]++] = row;
  }
}

std::span<const std::uint32_t> Groups::of(std::uint32_t key) const {
  if (begin_.empty() || key >= begin_.size() - 1) return {};
  return std::span(rows_).subspan(begin_[key], begin_[key + 1] - begin_[key]);
}

}  // namespace depscope::viewers
