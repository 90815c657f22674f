// Edges that order two tasks which share no byte that one of them writes. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "check_touches.h"

namespace depscope::replay {

/// Why an edge without a conflict is there.
enum class FalseReason : std::uint8_t {
  NarrowBody,    ///< the arguments as declared conflict, the kernels' loads and stores do not
  Conservative,  ///< the tracker's comparison gives up on this geometry
  Siblings,      ///< the user joins iterations of one pl.parallel loop
  Compiler,      ///< the compiler could not tell these places apart, or did not have to run this branch
  Creator,       ///< the consumer uses other bytes of the buffer than its creator writes
};

struct FalseEdge {
  std::uint32_t edge = 0;  ///< edges row
  FalseReason reason = FalseReason::Compiler;
  std::uint32_t first_access = recording::kNoRow, second_access = recording::kNoRow;  ///< the arguments that it is about
};

/// Loops around call sites, for the question whether two tasks are iterations of one parallel loop.
class LoopNest {
 public:
  explicit LoopNest(const recording::Recording& recording);
  /// site_loops row of the parallel loop that both tasks are different iterations of, while all loops around it are in the same
  /// iteration; none if there is no such loop.
  [[nodiscard]] std::uint32_t siblings(std::uint32_t first, std::uint32_t second) const;

 private:
  const recording::Recording& r_;
  std::vector<std::uint32_t> begin_;  // by call site: first site_loops row; one entry more than call sites
};

/// Judges every edge that waits and that the runtime derived or the compiler added; of the user's edges only those between
/// iterations of one parallel loop. Edges of allocations and barriers are never false, nor those of tasks of which not all
/// places are known. O(edges · touches of both ends). In order of the edges table.
[[nodiscard]] std::vector<FalseEdge> find_false_edges(const recording::Recording& recording, const Touches& touches,
                                                      const LoopNest& loops);

/// What a tracker compares that finds an overlap without shared bytes (runtime.md 4.3): "rank differs", …
[[nodiscard]] const char* conservative_words(const recording::Recording& recording, std::uint32_t written_access,
                                             std::uint32_t requested_access);

}  // namespace depscope::replay
