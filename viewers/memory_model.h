// What the Memory panel shows of a ring at the cursor: who has which slot, which bytes of the heap are taken, how full its pools
// are, and why a task is still there. No drawing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/replay/state_queries.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// One cell of a task ring: a slot, or a run of slots that are too narrow to be told apart.
struct SlotCell {
  std::uint32_t first = 0, last = 0;        ///< slots [first, last)
  std::uint32_t task = kNoRow;              ///< tasks row in the only slot, or in the first taken one of a run
  std::uint32_t taken = 0;                  ///< slots of the run that a task has
  std::array<std::uint32_t, 6> in_state{};  ///< of these, by runtime::TaskState
  [[nodiscard]] bool single() const { return last - first == 1; }
  /// The state of most of its tasks, the earlier one of two; only asked if something is taken.
  [[nodiscard]] runtime::TaskState state() const;
};

/// Blocks of the heap that are drawn as one: a single one, or neighbours that are too narrow.
struct HeapCell {
  std::uint64_t begin = 0, end = 0;    ///< bytes from the first block to the last
  std::uint32_t first = 0, count = 0;  ///< run in the heap map
};

/// Tasks of every ring by local index, made once for a document.
class RingTasks {
 public:
  RingTasks() = default;
  explicit RingTasks(const Document& document);

  /// Tasks of a ring, ascending by local index; those of one index in order of rows.
  [[nodiscard]] const std::vector<std::uint32_t>& tasks(std::uint32_t ring) const { return tasks_[ring]; }
  /// Slots that were ever taken are below this.
  [[nodiscard]] std::uint32_t slots_seen(std::uint32_t ring) const { return slots_seen_[ring]; }
  /// Bytes that were ever taken are below this.
  [[nodiscard]] std::uint64_t bytes_seen(std::uint32_t ring) const { return bytes_seen_[ring]; }

 private:
  std::array<std::vector<std::uint32_t>, runtime::kRingCount> tasks_;
  std::array<std::uint32_t, runtime::kRingCount> slots_seen_{};
  std::array<std::uint64_t, runtime::kRingCount> bytes_seen_{};
};

/// A slot with the task that has it.
struct TakenSlot {
  std::uint32_t slot = 0;
  std::uint32_t task = 0;

  friend bool operator==(const TakenSlot&, const TakenSlot&) = default;
};

/// One ring at the cursor.
struct RingView {
  replay::RingUse use;
  std::uint32_t slots = 0;                    ///< capacity; where the recording does not tell it, the slots that were ever taken
  std::uint64_t heap_bytes = 0;               ///< the same in bytes
  std::optional<std::uint64_t> largest_free;  ///< bytes of the largest run that one allocation could get; none without a capacity
  std::uint32_t next_slot = 0, watermark_slot = 0;
  std::vector<TakenSlot> taken;         ///< by slot
  std::vector<replay::HeapBlock> heap;  ///< by address

  /// Work is proportional to the tasks between watermark and next, and to the blocks in the heap.
  static RingView at(const replay::Cursor& cursor, const RingTasks& tasks, std::uint32_t ring);
  /// The task in a slot, none if it is free.
  [[nodiscard]] std::uint32_t task_in(std::uint32_t slot) const;
};

/// Slots [first, last) in cells of `per_cell` slots, at most kMaxCells of them; per_cell grows as needed.
inline constexpr std::uint32_t kMaxCells = 4096;
[[nodiscard]] std::vector<SlotCell> slot_cells(const RingView& view, const replay::State& state, std::uint32_t first,
                                               std::uint32_t last, std::uint32_t per_cell);
/// Blocks that meet [begin, end); blocks narrower than `least` bytes join their neighbours within that distance.
[[nodiscard]] std::vector<HeapCell> heap_cells(const std::vector<replay::HeapBlock>& blocks, std::uint64_t begin,
                                               std::uint64_t end, std::uint64_t least);

/// "its scope 2 AUTO holds a reference until it ends": one line.
[[nodiscard]] std::string holder_words(const Document& document, const replay::Holder& holder);
/// Why the task still has its slot and bytes, one line a reason, at most `limit` of them; empty if it has neither.
[[nodiscard]] std::vector<std::string> holders_words(const Document& document, std::uint32_t task, std::size_t limit);
/// "1,536 bytes", "24.0 KiB", "1.5 MiB".
[[nodiscard]] std::string bytes_words(std::uint64_t bytes);
/// "65,536".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// Letter of a state, for cells that are too small for a word: U unborn, P pending, R ready, X running, C completed, Z consumed.
[[nodiscard]] char state_letter(runtime::TaskState state);

}  // namespace depscope::viewers
