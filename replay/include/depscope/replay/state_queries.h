// Questions about the state at the cursor, answered from the state and never by reading events (DESIGN §7).
//
// A recording of the level `summary` does not tell which cores run what, what is in the TensorMap, how full dep and spill pools
// are: an answer that is none (std::nullopt) says so. What it tells less exactly stands with each function.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depscope/replay/cursor.h"

namespace depscope::replay {

/// Rows of a table, ascending; `total` counts also those beyond the limit.
struct RowList {
  std::uint32_t total = 0;
  std::vector<std::uint32_t> rows;
};

/// Tasks in a state, at most `limit` of them. Reads the state of tasks up to the last one that is listed.
[[nodiscard]] RowList tasks_in(const Cursor& cursor, runtime::TaskState state, std::size_t limit);

/// Why the slot of a submitted task, or its bytes in the heap, cannot be used again.
enum class HolderKind : std::uint8_t {
  Unfinished,  ///< the task has not completed
  Scope,       ///< its scope holds a reference until it ends
  Consumer,    ///< a consumer has a reference: RETAIN, or WAIT before its wiring
  OlderTask,   ///< it is consumed, and an older task of the ring is not: slots go back in order
  HeapTail,    ///< its slot is given back, but the heap's tail has not passed its bytes yet: it moves when the orchestrator looks
};
struct Holder {
  HolderKind kind = HolderKind::Unfinished;
  std::uint32_t edge = recording::kNoRow;   ///< Consumer: edges row
  std::uint32_t task = recording::kNoRow;   ///< Consumer; OlderTask: the task at the watermark, none while the watermark moves
  std::uint32_t scope = recording::kNoRow;  ///< Scope: scopes row

  friend bool operator==(const Holder&, const Holder&) = default;
};
/// In the order of HolderKind, consumers in order of submission. Empty for a task that is not submitted yet or all given back.
/// Summary: the reference of a scope is taken to be given back when the scope ends, that of a consumer with RETAIN when the
/// consumer's own release is done; WAIT holds nothing.
[[nodiscard]] std::vector<Holder> holders_of(const Cursor& cursor, std::uint32_t task);

/// The oldest task of a ring that is not consumed: nothing younger gives its slot back before it. None if there is none, or if
/// the watermark is on its way to it.
[[nodiscard]] std::uint32_t ring_head(const Cursor& cursor, std::uint32_t ring);

/// What keeps the slot of `task`, which is consumed, while `head` is the head of its ring: the head, but between the watermark's
/// move and the slot's return a younger task is the head already, and then nothing does.
[[nodiscard]] std::uint32_t older_task(const recording::Recording& recording, std::uint32_t head, std::uint32_t task);

/// Slots and bytes of one ring. Capacities are 0 where the recording does not tell them.
struct RingUse {
  std::int64_t next = 0, watermark = 0;
  std::int64_t slots_used = 0, slots = 0;  ///< local indices from watermark to next; of the task window
  std::int64_t heap_top = 0, heap_tail = 0;
  bool heap_wrapped = false;  ///< the allocations go on at the beginning of the heap
  std::optional<std::int64_t>
      heap_used;  ///< bytes, with those that a wrap leaves at the end; none if it wraps and has no capacity
  std::int64_t heap_bytes = 0;
  std::optional<std::int64_t> dep_used, spill_used;  ///< nodes, entries; none in a summary
  std::int64_t dep_pool = 0;                         ///< capacity of each of the two
};
[[nodiscard]] RingUse ring_use(const Cursor& cursor, std::uint32_t ring);

/// One allocation in the heap of a ring: bytes [begin, end).
struct HeapBlock {
  std::uint32_t task = recording::kNoRow;
  std::uint64_t begin = 0, end = 0;
  runtime::TaskState state = runtime::TaskState::Unborn;

  friend bool operator==(const HeapBlock&, const HeapBlock&) = default;
};
/// The allocations between tail and top, by address; consumed ones too, as long as the tail has not passed them. Work is
/// proportional to what is returned.
[[nodiscard]] std::vector<HeapBlock> heap_map(const Cursor& cursor, std::uint32_t ring);

/// Accesses rows whose write is in the TensorMap, at most `limit` of them. None for a summary. Reads one number per 1024 accesses
/// beside the blocks that have entries.
[[nodiscard]] std::optional<RowList> tensormap_entries(const Cursor& cursor, std::size_t limit);

struct OpenScope {
  std::uint32_t scope = 0;      ///< scopes row
  std::uint32_t submitted = 0;  ///< tasks of the scope itself, without those of scopes inside it
  std::uint32_t live = 0;       ///< of these, not consumed

  friend bool operator==(const OpenScope&, const OpenScope&) = default;
};
/// Outermost first.
[[nodiscard]] std::vector<OpenScope> open_scopes(const Cursor& cursor);

struct CoreUse {
  std::uint32_t core = 0;
  std::uint32_t running = recording::kNoRow, pending = recording::kNoRow;  ///< tasks rows

  friend bool operator==(const CoreUse&, const CoreUse&) = default;
};
/// Cores with a task in either place, by number. None for a summary.
[[nodiscard]] std::optional<std::vector<CoreUse>> busy_cores(const Cursor& cursor);

}  // namespace depscope::replay
