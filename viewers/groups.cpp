#include "depscope/viewers/groups.h"

namespace depscope::viewers {

template <class At>
void Groups::fill(std::size_t count, std::uint32_t keys, At&& at) {
  begin_.assign(std::size_t{keys} + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (at(i).first < keys) ++begin_[at(i).first + 1];
  }
  for (std::size_t key = 0; key < keys; ++key) begin_[key + 1] += begin_[key];
  rows_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (at(i).first < keys) rows_[next[at(i).first]++] = at(i).second;
  }
}

Groups::Groups(const std::vector<std::uint32_t>& key_of_row, std::uint32_t keys) {
  fill(key_of_row.size(), keys, [&](std::size_t row) { return std::pair(key_of_row[row], static_cast<std::uint32_t>(row)); });
}

Groups::Groups(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, std::uint32_t keys) {
  fill(pairs.size(), keys, [&](std::size_t i) { return pairs[i]; });
}

std::span<const std::uint32_t> Groups::of(std::uint32_t key) const {
  if (begin_.empty() || key >= begin_.size() - 1) return {};
  return std::span(rows_).subspan(begin_[key], begin_[key + 1] - begin_[key]);
}

}  // namespace depscope::viewers
