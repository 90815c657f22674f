// Which invariants report a fault that is put into the model on purpose.
#pragma once

#include <array>
#include <cstdint>

#include "depscope/runtime/options.h"

namespace depscope::runtime {

inline constexpr int kInvariants = 40;

struct Convictions {
  std::array<std::uint32_t, kInvariants + 1> runs{};  ///< by invariant: runs that reported it
  std::uint32_t starved = 0;                          ///< legal programs that ended with error 100
  [[nodiscard]] bool by(int invariant) const { return runs[static_cast<std::size_t>(invariant)] != 0; }
};

/// Random programs under pressure on both platforms, in canonical and random order, coarse and fine; the same every time.
[[nodiscard]] Convictions convict(Mutation mutation);

}  // namespace depscope::runtime
