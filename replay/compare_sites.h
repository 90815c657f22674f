// Which functions and call sites of two programs are the same. Private.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compare_side.h"

namespace depscope::replay {

struct SiteAlignment {
  std::vector<std::uint32_t> function_b_of_a;  ///< functions rows, none
  std::vector<std::uint32_t> function_a_of_b;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> functions;  ///< matched ones, in order of a
  std::vector<std::uint32_t> b_of_a;                               ///< call_sites rows, none
  std::vector<std::uint32_t> a_of_b;
};

/// Functions by name, the only Orchestration function left on each side, and those that matched call sites call; call sites of
/// matched functions in order: those with equal callee, arguments and loop depth, between them those with equal callee, between
/// them, where both sides have as many, those of equal kind.
[[nodiscard]] SiteAlignment align_sites(const Side& a, const Side& b);

}  // namespace depscope::replay
