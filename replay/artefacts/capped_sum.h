// Sums that stay at the greatest number that 64 bits hold. Private.
#pragma once

#include <algorithm>
#include <cstdint>

namespace depscope::replay {

[[nodiscard]] constexpr std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) { return a + std::min(b, ~a); }

}  // namespace depscope::replay
