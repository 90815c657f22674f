// Pairs of tasks that touch the same bytes, one of them writing, and that nothing orders. Private.
#pragma once

#include <cstdint>
#include <vector>

#include "check_reach.h"
#include "check_touches.h"

namespace depscope::replay {

enum HazardBits : std::uint8_t { kHazardRaw = 1, kHazardWar = 2, kHazardWaw = 4 };

struct UnorderedPair {
  std::uint32_t first = 0, second = 0;  ///< tasks rows, in order of submission
  std::uint32_t root = 0;
  std::uint8_t hazards = 0;   ///< HazardBits
  std::uint64_t bytes = 0;    ///< shared by them and not accounted for by a pair nearer to each other; 0: not known
  std::uint64_t address = 0;  ///< of the first of these; 0: not known
};

struct OrderLimits {
  std::uint32_t nearest = 64;           ///< unordered earlier accesses that are kept per byte
  std::uint64_t max_pairs = 1'000'000;  ///< kept; all are counted
};

struct OrderResult {
  std::vector<UnorderedPair> pairs;  ///< by second, first, root
  std::uint64_t unordered = 0;       ///< also those that were not kept
  std::uint64_t judged = 0;          ///< pairs of tasks on one buffer whose order was asked for
  std::uint32_t buffers = 0;         ///< roots that two tasks touch and one writes
  std::uint32_t skipped = 0;         ///< roots with too many different regions
  bool cut = false;                  ///< `nearest` or `max_pairs` was reached: there may be more
};

/// What is a missing order. For a byte x and tasks a before b that conflict on it (one writes it), without a path from a to b,
/// the pair is reported unless a nearer pair stands for it, so that ordering every reported pair orders all of them:
///   - a task c between them conflicts with b on x, and a path leads from a to c: then c and b are the pair; or
///   - a only reads x, the last write w of x before b comes after a, and a path leads from w to b: then a and w are the pair.
///
/// One sweep per buffer, in order of submission. Every cell (see Cells) remembers its last writer, the readers since, and the
/// accesses before that writer which no path orders before it: whatever else came before is ordered before the writer, so that
/// the writer stands for it. Time: O(touches · cells of each) plus one path query per pair that meets in that memory, which in an
/// ordered graph is about one per touch.
[[nodiscard]] OrderResult find_unordered(const recording::Recording& recording, const Touches& touches, Reach& reach,
                                         const OrderLimits& limits = {});

}  // namespace depscope::replay
