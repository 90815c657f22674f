// Offsets in the heap of one ring (runtime.md 6.5).
#pragma once

#include <cstdint>
#include <optional>

#include "depscope/runtime/mutation.h"

namespace depscope::runtime {

inline constexpr std::int64_t kNoGuard = -1;

/// Bytes from tail to top are in use; top = tail means empty, always: no request makes them meet.
struct HeapRing {
  std::uint64_t size = 0;
  std::uint64_t top = 0, tail = 0;
  Mutation mutation = Mutation::None;
  std::int64_t guard = kNoGuard;  ///< local index of the task that got the heap's beginning while its ring was empty elsewhere

  /// What an allocation does.
  struct Taken {
    std::uint64_t begin = 0, end = 0;
    bool rebase = false;  ///< tail moves to 0 and `guard` is set
  };
  /// Where `bytes` (rounded up to 64 here) would go; none if they do not fit now.
  [[nodiscard]] std::optional<Taken> place(std::uint64_t bytes) const;
  /// Bytes of the largest request that fits, give or take the strict inequalities.
  [[nodiscard]] std::uint64_t available() const;
  [[nodiscard]] std::uint64_t used() const { return top >= tail ? top - tail : size - tail + top; }
};

}  // namespace depscope::runtime
