// What can be watched of tasks and rings, and the events that change it. Private.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "depscope/replay/cursor.h"
#include "depscope/replay/event_sets.h"
#include "depscope/replay/watch.h"

namespace depscope::replay {

/// A field of a task. `wide` or `narrow` is its column in State; the other is null.
struct TaskField {
  std::string_view name;
  std::vector<std::uint32_t> State::*wide = nullptr;
  std::vector<std::uint8_t> State::*narrow = nullptr;
  EventKinds kinds;
};
[[nodiscard]] std::span<const TaskField> task_fields();  ///< the first is the state

/// A field of a ring, in the order of RingState::fields.
struct RingField {
  std::string_view name;
  EventKinds kinds;
};
[[nodiscard]] std::span<const RingField> ring_fields();

/// Kinds that may change the value. A slot has other ones in a summary.
[[nodiscard]] EventKinds kinds_of(const Watch& watch, bool full);

}  // namespace depscope::replay
