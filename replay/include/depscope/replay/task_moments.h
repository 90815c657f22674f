// What the events of a run say about the life of each task's slot and buffers, and about the most that was in use.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

inline constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// Events rows by tasks row (scopes row), kNever for what did not happen. Works on events of both levels; one pass over them.
struct TaskMoments {
  explicit TaskMoments(const recording::Recording& recording);

  std::vector<std::uint32_t> submitted, ready, dispatched, completed;
  std::vector<std::uint32_t> released;  ///< its own deferred release is done: it has given back what it retained
  /// The last consumer whose edge has RETAIN gave its reference back; kNever without one. Events of the level `summary` do not
  /// tell: the end of that consumer's release, at the latest the producer's `consumed`.
  std::vector<std::uint32_t> last_reader;
  std::vector<std::uint32_t> consumed;
  std::vector<std::uint32_t> reclaimed;  ///< the watermark passed its slot: slot and heap range can be used again
  std::vector<std::uint32_t> reused_by;  ///< tasks row that got the slot next, none
  std::vector<std::uint32_t> scope_begin, scope_end;
  std::array<std::int64_t, runtime::kRingCount> slots{}, heap{}, tasks{};  ///< by ring: peaks in slots and bytes; tasks in all
  std::int64_t tensormap = 0;                                              ///< peak of entries
  bool tensormap_known = false;                                            ///< only events of the full level tell
  std::array<std::uint64_t, runtime::kEventKindCount> count{};             ///< events by kind
};

}  // namespace depscope::replay
