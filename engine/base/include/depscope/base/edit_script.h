// Longest common subsequence of two sequences of ids (Myers 1986: greedy search by number of edits).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace depscope {

/// Index pairs (a, b) of equal entries, ascending in both. `limited` is set, and only the common beginning and end are returned,
/// if more than `max_edits` insertions and removals are needed. Time (|a| + |b|) * edits, memory edits squared.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> common_entries(std::span<const std::uint32_t> a,
                                                                                  std::span<const std::uint32_t> b,
                                                                                  std::uint32_t max_edits, bool& limited);

}  // namespace depscope
