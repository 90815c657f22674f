// One value of the model that can be watched: what it is at the cursor, when it changes next, when it changed last.
//
// In text (rows are those of the recording's tables):
//
//   task:TASK[.FIELD]     a task, FIELD = state (default), need, have, claimed, released, block_cursor, subtasks_done,
//                         scope_released, own_released, payload_phase, aborted, reclaimed. TASK = r0t5 (ring, local index) or
//                         t5 (tasks row)
//   tasks:STATE           number of tasks that are unborn, pending, ready, running, completed, consumed
//   slot:rRING.SLOT       who has the slot, and in which state; slots are numbered by local index modulo task window
//   ring:RING.FIELD       a field of RingState: next, watermark, published, heap_top, heap_tail, heap_guard, dep_top, dep_tail,
//                         spill_top, spill_tail, cached_watermark, lock_owner, advance_pending, request, acknowledge,
//                         task_window, heap_bytes, dep_pool
//   edge:TASK->TASK       flags of the edge from producer to consumer
//   scope:ROW             not begun, open or ended
//   queue:NAME            tasks in a ready queue: AIC, AIV, MIX, sync-AIC, sync-AIV, sync-MIX, dummy
//   core:N[.pending]      the task in the running (pending) place of a core
//   tensormap             entries of the TensorMap
//   tensormap:TASK.ARG    whether the write of argument ARG of the task is in the TensorMap
//   buffered_releases:N   tasks whose release scheduler thread N (from 0) has put off
//   config:NAME           platform, clusters, scheduler_threads, tensormap_entries
//
// A summary tells states of tasks, aborted and own_released; slots (taken until the watermark has passed them); next, watermark,
// heap_top, heap_tail, heap_guard and the limits of rings; edges, scopes and configured values. Anything else is refused for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "depscope/replay/cursor.h"

namespace depscope::replay {

enum class WatchKind : std::uint8_t {
  Task,            ///< row = tasks row, part = number of the field
  TasksInState,    ///< row = TaskState
  Slot,            ///< row = ring, part = slot
  Ring,            ///< row = ring, part = number of the field
  Edge,            ///< row = edges row
  Scope,           ///< row = scopes row
  Queue,           ///< row = QueueId
  Core,            ///< row = core, part = 0 running place, 1 pending place
  TensorMap,       ///< number of entries
  TensorMapEntry,  ///< row = accesses row
  Buffered,        ///< row = scheduler thread
  Config,          ///< row = ConfigItem
};

/// Made by parse_watch, or by hand for a recording that has the rows.
struct Watch {
  WatchKind kind = WatchKind::TensorMap;
  std::uint32_t row = 0;
  std::uint32_t part = 0;

  friend bool operator==(const Watch&, const Watch&) = default;
};

/// Throws QueryError: for what is no watch, for rows that the recording does not have, and for what it does not tell because it
/// is a summary.
[[nodiscard]] Watch parse_watch(const Cursor& cursor, std::string_view text);
/// The text that parse_watch makes it from.
[[nodiscard]] std::string to_text(const recording::Recording& recording, const Watch& watch);

/// Of slots that are free, cores that are idle and values that are none.
inline constexpr std::int64_t kNothing = -1;

/// The value at the cursor. Of a slot: tasks row + (TaskState << 32); of a core: tasks row.
[[nodiscard]] std::int64_t value(const Cursor& cursor, const Watch& watch);
/// "running", "wait|retain", "r0t5 fill, completed", "12".
[[nodiscard]] std::string value_text(const recording::Recording& recording, const Watch& watch, std::int64_t value);

struct Change {
  std::uint32_t event = 0;
  std::int64_t before = 0, after = 0;

  friend bool operator==(const Change&, const Change&) = default;
};

/// Moves to just after the next event that changes the value; none and no move if there is none.
std::optional<Change> next_change(Cursor& cursor, const Watch& watch);
/// Moves to just before the last event that changed the value; none and no move if there is none.
std::optional<Change> previous_change(Cursor& cursor, const Watch& watch);
/// What an event does to the value, none if it does nothing. Goes there and comes back.
[[nodiscard]] std::optional<Change> change_at(Cursor& cursor, const Watch& watch, std::uint32_t event);
/// "task:r0t5: ready -> running".
[[nodiscard]] std::string change_text(const recording::Recording& recording, const Watch& watch, const Change& change);

}  // namespace depscope::replay
