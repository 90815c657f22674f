// What a Cursor is made of. Private.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cursor_state.h"
#include "depscope/replay/cursor.h"
#include "depscope/replay/event_sets.h"
#include "keyframes.h"

namespace depscope::replay {

/// By event kind, for loops over the kind column.
using KindTable = std::array<bool, 256>;

[[nodiscard]] KindTable kind_table(const EventKinds& kinds);

struct Cursor::Impl {
  const recording::Recording& recording;
  EdgeIndex edges;
  Keyframes keyframes;
  ReplayState now;
  std::uint32_t position = 0;
  bool has_pins = false;  // a summary recording has no pin events; then flags and releases must do
  bool full = false;      // has events that a summary does not tell
  bool measured = false;  // events of a real run
  std::array<std::vector<std::uint32_t>, runtime::kRingCount> heap_tasks;  // tasks rows by heap-alloc event
  std::array<std::vector<std::uint32_t>, runtime::kRingCount> ring_tasks;  // tasks rows
  std::array<bool, runtime::kRingCount> ring_in_order{};                   // their local indices ascend
  // Events by task, made when first asked for.
  std::vector<std::uint32_t> task_event_begin, task_events;
  // Events that a move by scope or tensor looks at one after another before it looks at those of single tasks.
  std::uint32_t near = 1U << 16U;
  // Of the tensor and of the slot that were asked for last.
  std::optional<TensorEvents> tensor;
  std::pair<std::uint32_t, std::uint32_t> slot{recording::kNoRow, recording::kNoRow};  // ring, slot
  std::vector<std::uint32_t> slot_tasks;

  explicit Impl(const recording::Recording& r);

  [[nodiscard]] std::uint32_t size() const { return recording.events.rows(); }
  [[nodiscard]] std::uint64_t bytes() const;
  void forward() { apply_event(recording, edges, position++, /*check=*/false, now); }
  void backward() { undo_event(recording, edges, --position, now); }
  /// One walk over all events: proves that they fit together and leaves the keyframes behind.
  void build(std::uint32_t interval);
  void seek(std::uint32_t target);

  /// The events of a task (task_of_event), in order.
  [[nodiscard]] std::span<const std::uint32_t> events_of(std::uint32_t task);
  [[nodiscard]] const TensorEvents& events_of_tensor(std::uint32_t row);
  /// Tasks rows that ever had a slot of a ring, in order of submission.
  [[nodiscard]] const std::vector<std::uint32_t>& tasks_of_slot(std::uint32_t ring, std::uint32_t index);

  /// The first event from `from` on / the last one before `from` of these kinds that matches; none if there is none.
  template <class Matches>
  [[nodiscard]] std::uint32_t find_next(std::uint32_t from, std::uint32_t end, const KindTable& kinds, Matches&& matches) const {
    const std::uint8_t* kind = recording.events.kind.data();
    for (std::uint32_t i = from; i < end; ++i) {
      if (kinds[kind[i]] && matches(i)) return i;
    }
    return recording::kNoRow;
  }
  template <class Matches>
  [[nodiscard]] std::uint32_t find_previous(std::uint32_t from, std::uint32_t begin, const KindTable& kinds,
                                            Matches&& matches) const {
    const std::uint8_t* kind = recording.events.kind.data();
    for (std::uint32_t i = from; i > begin; --i) {
      if (kinds[kind[i - 1]] && matches(i - 1)) return i - 1;
    }
    return recording::kNoRow;
  }
};

}  // namespace depscope::replay
