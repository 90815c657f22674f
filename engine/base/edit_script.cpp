#include "depscope/base/edit_script.h"

#include <algorithm>
#include <cstddef>

namespace depscope {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Myers' greedy search. Keeps the furthest points of every round, then walks them back. False if max_edits is not enough.
bool search(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t max_edits, std::uint32_t offset,
            Pairs& pairs) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto m = static_cast<std::int64_t>(b.size());
  const std::int64_t limit = std::min<std::int64_t>(n + m, max_edits);
  std::vector<std::int32_t> trace;  // round d keeps 2d + 1 values, for diagonals -d … d
  std::vector<std::size_t> round_begin;
  std::vector<std::int32_t> furthest(static_cast<std::size_t>(2 * limit + 3), 0);
  const auto at = [&](std::int64_t diagonal) -> std::int32_t& {
    return furthest[static_cast<std::size_t>(diagonal + limit + 1)];
  };
  std::int64_t edits = -1;
  for (std::int64_t d = 0; d <= limit && edits < 0; ++d) {
    for (std::int64_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      std::int64_t x = down ? at(k + 1) : at(k - 1) + 1;
      if (d == 0) x = 0;
      std::int64_t y = x - k;
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) ++x, ++y;
      at(k) = static_cast<std::int32_t>(x);
      if (x >= n && y >= m) {
        edits = d;
        break;
      }
    }
    round_begin.push_back(trace.size());
    for (std::int64_t k = -d; k <= d; ++k) trace.push_back(at(k));
  }
  if (edits < 0) return false;

  Pairs reversed;
  std::int64_t x = n;
  std::int64_t y = m;
  for (std::int64_t d = edits; d > 0; --d) {
    // Furthest points of the round before this one.
    const auto before = [&](std::int64_t k) -> std::int64_t {
      if (k < -(d - 1) || k > d - 1) return -1;
      return trace[round_begin[static_cast<std::size_t>(d - 1)] + static_cast<std::size_t>(k + d - 1)];
    };
    const std::int64_t k = x - y;
    const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
    const std::int64_t previous_x = down ? before(k + 1) : before(k - 1);
    const std::int64_t previous_y = previous_x - (down ? k + 1 : k - 1);
    const std::int64_t snake_x = down ? previous_x : previous_x + 1;
    while (x > snake_x) {
      --x, --y;
      reversed.emplace_back(static_cast<std::uint32_t>(x) + offset, static_cast<std::uint32_t>(y) + offset);
    }
    x = previous_x;
    y = previous_y;
  }
  while (x > 0 && y > 0) {
    --x, --y;
    reversed.emplace_back(static_cast<std::uint32_t>(x) + offset, static_cast<std::uint32_t>(y) + offset);
  }
  pairs.insert(pairs.end(), reversed.rbegin(), reversed.rend());
  return true;
}

}  // namespace

Pairs common_entries(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t max_edits, bool& limited) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;

  Pairs pairs;
  for (std::uint32_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  const auto middle_a = a.subspan(head, a.size() - head - tail);
  const auto middle_b = b.subspan(head, b.size() - head - tail);
  limited = false;
  if (!middle_a.empty() && !middle_b.empty()) {
    limited = !search(middle_a, middle_b, max_edits, static_cast<std::uint32_t>(head), pairs);
  }
  for (std::size_t i = tail; i > 0; --i) {
    pairs.emplace_back(static_cast<std::uint32_t>(a.size() - i), static_cast<std::uint32_t>(b.size() - i));
  }
  return pairs;
}

}  // namespace depscope
