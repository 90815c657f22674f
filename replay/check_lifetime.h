// Who uses memory that the runtime created, and whether it lives as long as that (runtime.md 7). Private.
#pragma once

#include <cstdint>
#include <vector>

#include "check_touches.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// A task that uses memory of another one without anything that keeps it alive until then.
struct LifetimeBreach {
  std::uint32_t owner = recording::kNoRow, user = recording::kNoRow;  ///< tasks rows
  std::uint32_t access = recording::kNoRow;                           ///< first one by which it uses the memory
  std::uint32_t edge = recording::kNoRow;                             ///< edges row of the pair, none without
  std::uint32_t lost_at = recording::kNoRow;                          ///< event at which the edge lost its RETAIN
  std::uint32_t consumed_at = recording::kNoRow;  ///< event at which the owner was consumed too early; none: not in this run
  std::uint32_t reused_by = recording::kNoRow;    ///< task that got bytes of it before the user was done
  std::uint32_t reused_at = recording::kNoRow;    ///< event of that
  std::uint64_t first_byte = 0;                   ///< in the ring's heap
  bool harmless = false;  ///< an allocation after whose end nothing is allocated on its ring any more: nobody gets the bytes
  bool stale = false;     ///< the scope of the owner had ended before the user was submitted
};

/// Memory that RETAIN kept alive: the consumer that gave it back last.
struct KeptAlive {
  std::uint32_t owner = recording::kNoRow, consumer = recording::kNoRow;
};

struct Lifetimes {
  std::vector<LifetimeBreach> breaches;  ///< in order of users, one per (owner, user)
  std::vector<LifetimeBreach> held;      ///< handles used after their scope whose owner was still there, and is retained
  std::vector<KeptAlive> kept;           ///< in order of owners
};

/// A user is safe if it retains the owner itself or if a task that does waits for it. Works without events too; then only that
/// is said.
[[nodiscard]] Lifetimes find_lifetimes(const recording::Recording& recording, const Touches& touches);

}  // namespace depscope::replay
