// The window of a storage row of kind Box. Private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Offset of each dimension, then the extent of each, in elements; half as many of each as there are numbers.
[[nodiscard]] inline std::vector<std::int64_t> box_numbers(const recording::Recording& r, std::uint32_t storage) {
  std::vector<std::int64_t> out;
  for (std::uint32_t k = 0; k < r.storage.box_begin_count[storage] / 2; ++k) {
    const std::size_t at = r.storage.box_begin[storage] + std::size_t{2} * k;
    out.push_back(static_cast<std::int64_t>(r.pool[at] | (std::uint64_t{r.pool[at + 1]} << 32U)));
  }
  return out;
}

}  // namespace depscope::replay
