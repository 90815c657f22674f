// Applying and undoing one event on a State (runtime/sink.h says what each event changes).
#pragma once

#include <cstdint>
#include <string>

#include "depscope/recording/tables.h"
#include "depscope/replay/cursor.h"

namespace depscope::replay {

/// What `kept_alive_by` and `waiting_for` need beyond State, per edges row: four two-bit counters that go up and down with the
/// events, so that undoing is exact whatever the events say.
inline constexpr std::uint8_t kPinClaimed = 1;
inline constexpr std::uint8_t kPinReleased = 4;
inline constexpr std::uint8_t kWaitCounted = 16;
inline constexpr std::uint8_t kLinked = 64;  ///< the consumer has a node in the producer's list

/// State plus the derived counters; the part that keyframes save.
struct ReplayState {
  State state;
  std::vector<std::uint8_t> edge_progress;
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
