// Applying and undoing one event on a State (runtime/sink.h says what each event changes).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/cursor.h"

namespace depscope::replay {

/// What `kept_alive_by` and `waiting_for` need beyond State, per edges row: four two-bit counters that go up and down with the
/// events, so that undoing is exact whatever the events say.
inline constexpr std::uint8_t kPinClaimed = 1;
inline constexpr std::uint8_t kPinReleased = 4;
inline constexpr std::uint8_t kWaitCounted = 16;
inline constexpr std::uint8_t kLinked = 64;  ///< the consumer has a node in the producer's list

/// Accesses that stand in the TensorMap, cut into blocks so that listing them costs little more than there are. Counted, not
/// marked, for the same reason as the edges' progress: an access is in the map while it was inserted more often than removed.
class LiveEntries {
 public:
  static constexpr std::uint32_t kBlock = 1024;  ///< accesses

  void resize(std::uint32_t accesses) {
    count.assign(accesses, 0);
    in_block.assign(accesses / kBlock + 1, 0);
  }
  void add(std::uint32_t access, int change) {
    const bool before = holds(access);
    count[access] = static_cast<std::int8_t>(count[access] + change);
    const bool after = holds(access);
    in_block[access / kBlock] += static_cast<std::uint32_t>(after) - static_cast<std::uint32_t>(before);
  }
  [[nodiscard]] bool holds(std::uint32_t access) const { return count[access] > 0; }

  std::vector<std::int8_t> count;       ///< per accesses row
  std::vector<std::uint32_t> in_block;  ///< entries per block of accesses rows
};

/// State plus what is derived from the events beside it; the part that keyframes save.
struct ReplayState {
  State state;
  std::vector<std::uint8_t> edge_progress;
  LiveEntries tensormap;
  std::vector<std::uint32_t> scope_submitted, scope_live;           ///< per scopes row: its own tasks, and those not consumed
  std::array<std::uint32_t, runtime::kRingCount> heap_allocated{};  ///< per ring: heap-alloc events so far
};

/// The state before the first event.
[[nodiscard]] ReplayState initial_state(const recording::Recording& recording);

/// Finds the edges row of a (producer, consumer) pair.
class EdgeIndex {
 public:
  explicit EdgeIndex(const recording::Recording& recording);
  /// None (kNoRow) if the pair has no edge.
  [[nodiscard]] std::uint32_t find(std::uint32_t producer, std::uint32_t consumer) const;

  /// Per task: first edges row; one more at the end.
  [[nodiscard]] const std::vector<std::uint32_t>& fanin_begin() const { return fanin_begin_; }
  /// Per task: first entry of fanout(); one more at the end.
  [[nodiscard]] const std::vector<std::uint32_t>& fanout_begin() const { return fanout_begin_; }
  /// Edges rows by producer, then by consumer.
  [[nodiscard]] const std::vector<std::uint32_t>& fanout() const { return fanout_; }

 private:
  const recording::Recording& recording_;
  std::vector<std::uint32_t> fanin_begin_, fanout_begin_, fanout_;
};

/// Applies event `i`, which must be the next one. With `check` throws FileError (Corrupt) if an old value is not what the state
/// has; without it the event must have been checked before.
void apply_event(const recording::Recording& recording, const EdgeIndex& edges, std::uint32_t i, bool check, ReplayState& out);
/// Undoes event `i`, which must be the last one applied.
void undo_event(const recording::Recording& recording, const EdgeIndex& edges, std::uint32_t i, ReplayState& out);

}  // namespace depscope::replay
