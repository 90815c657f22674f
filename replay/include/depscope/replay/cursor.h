// A cursor over the events of a recording: forward applies, backward undoes, seek uses keyframes (DESIGN §7).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// One ring between two events. Task indices are local indices, heap values bytes, pool values linear counters.
struct RingState {
  std::int64_t next = 0;       ///< index of the next task
  std::int64_t watermark = 0;  ///< all tasks below it are consumed
  std::int64_t published = 0;  ///< the watermark that the orchestrator knows
  std::int64_t heap_top = 0, heap_tail = 0;
  std::int64_t heap_guard = -1;  ///< index of the task that was allocated in a rebased heap, -1 = none
  std::int64_t dep_top = 1, dep_tail = 1;
  std::int64_t spill_top = 1, spill_tail = 1;
  std::int64_t cached_watermark = 0;                           ///< the watermark that the TensorMap has seen
  std::int64_t lock_owner = 0;                                 ///< of the advance lock: 0 = free, else actor + 1
  std::int64_t advance_pending = 0;                            ///< 0 or 1
  std::int64_t request = 0, acknowledge = 0;                   ///< 0 or 1; a5
  std::int64_t task_window = 0, heap_bytes = 0, dep_pool = 0;  ///< limits, 0 where the recording does not tell them

  /// Calls f(name, field) for each field.
  template <class Self, class F>
  static void fields(Self& ring, F&& f) {
    f("next", ring.next);
    f("watermark", ring.watermark);
    f("published", ring.published);
    f("heap_top", ring.heap_top);
    f("heap_tail", ring.heap_tail);
    f("heap_guard", ring.heap_guard);
    f("dep_top", ring.dep_top);
    f("dep_tail", ring.dep_tail);
    f("spill_top", ring.spill_top);
    f("spill_tail", ring.spill_tail);
    f("cached_watermark", ring.cached_watermark);
    f("lock_owner", ring.lock_owner);
    f("advance_pending", ring.advance_pending);
    f("request", ring.request);
    f("acknowledge", ring.acknowledge);
    f("task_window", ring.task_window);
    f("heap_bytes", ring.heap_bytes);
    f("dep_pool", ring.dep_pool);
  }
};

/// State of the model between two events. A recording of the summary level leaves at its first value what only events of the
/// full level change: readiness units, references, cores, queues, pools, bits.
struct State {
  std::vector<std::uint8_t> task_state;                    ///< runtime::TaskState per tasks row
  std::vector<std::uint32_t> need, have;                   ///< readiness units per tasks row
  std::vector<std::uint32_t> claimed, released;            ///< consumer references per tasks row
  std::vector<std::uint32_t> block_cursor, subtasks_done;  ///< blocks handed out, subtasks seen to end, per tasks row
  std::vector<std::uint8_t> scope_released, own_released;  ///< per tasks row
  std::vector<std::uint8_t> payload_phase;                 ///< runtime::PayloadPhase per tasks row
  std::vector<std::uint8_t> aborted;                       ///< per tasks row: its submit failed half-way
  std::vector<std::uint8_t> reclaimed;                     ///< per tasks row: the watermark has passed its slot
  std::vector<std::uint8_t> edge_flags;                    ///< current flags per edges row, 0 before its discovery
  std::vector<std::uint8_t> scope_state;                   ///< per scopes row: 0 not begun, 1 open, 2 ended
  std::vector<std::uint32_t> core_task;                    ///< per core: tasks row in the running place, none if idle
  std::vector<std::uint32_t> core_pending;                 ///< per core: tasks row in the pending place, none if free
  std::vector<std::int64_t> buffered_releases;             ///< per scheduler thread: tasks whose release is deferred
  std::array<RingState, runtime::kRingCount> rings;
  std::array<std::int64_t, runtime::kQueueCount> queue_length{};  ///< tasks per runtime::QueueId
  std::array<std::int64_t, runtime::kConfigItemCount> config{};   ///< runtime::ConfigItem of the whole run; those of rings stay 0
  std::int64_t tensormap_entries = 0;                             ///< in use
  std::vector<std::uint32_t> open_scopes;                         ///< scopes rows, outermost first
  std::array<std::uint32_t, 6> tasks_in_state{};                  ///< number of tasks per runtime::TaskState

  /// 64-bit digest of everything above; equal states have equal digests on every machine.
  [[nodiscard]] std::uint64_t digest() const;
};

class Cursor {
 public:
  /// The recording must outlive the cursor. Throws FileError (Corrupt) if the events contradict themselves (an old value that is
  /// not the value the state has).
  explicit Cursor(const recording::Recording& recording, std::uint32_t keyframe_interval = 0);
  ~Cursor();
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;

  [[nodiscard]] const State& state() const;
  /// Number of events applied so far: 0 = before the first.
  [[nodiscard]] std::uint32_t position() const;
  [[nodiscard]] std::uint32_t size() const;
  [[nodiscard]] const recording::Recording& recording() const;
  /// False if there are tasks, and only events that a summary tells (event_sets.h).
  [[nodiscard]] bool full() const;
  /// True if the events are those of a real run (measured_run.h): what ends the life of slots and buffers is not among them.
  [[nodiscard]] bool measured() const;
  /// Memory of the cursor, its indexes and its keyframes, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;
  bool step();                        ///< false at the end
  bool back();                        ///< false at the start
  void seek(std::uint32_t position);  ///< clamped to size()
  /// Moves to just after the next (just before the previous) event of this kind / with this subject task; false and no move if
  /// none.
  bool next(runtime::EventKind kind);
  bool previous(runtime::EventKind kind);
  bool next_of_task(std::uint32_t task);
  bool previous_of_task(std::uint32_t task);
  /// The same for the events of a scopes row (event_of_scope in event_sets.h); `tasks`: also for all events of its tasks.
  bool next_of_scope(std::uint32_t scope, bool tasks = false);
  bool previous_of_scope(std::uint32_t scope, bool tasks = false);
  /// The same for the events of a tensors row (TensorEvents in event_sets.h); `tasks`: also for all events of tasks that access
  /// it.
  bool next_of_tensor(std::uint32_t tensor, bool tasks = false);
  bool previous_of_tensor(std::uint32_t tensor, bool tasks = false);
  /// The same for the events that `matches(event)` is true for; asks once an event until it finds one.
  template <class Predicate>
  bool next_if(Predicate&& matches) {
    for (std::uint32_t i = position(); i < size(); ++i) {
      if (!matches(i)) continue;
      seek(i + 1);
      return true;
    }
    return false;
  }
  template <class Predicate>
  bool previous_if(Predicate&& matches) {
    for (std::uint32_t i = position(); i > 0; --i) {
      if (!matches(i - 1)) continue;
      seek(i - 1);
      return true;
    }
    return false;
  }

  /// Edges row indices of a task's producers / consumers.
  [[nodiscard]] std::vector<std::uint32_t> fanin(std::uint32_t task) const;
  [[nodiscard]] std::vector<std::uint32_t> fanout(std::uint32_t task) const;
  /// Edges whose WAIT the task still waits for at the cursor.
  [[nodiscard]] std::vector<std::uint32_t> waiting_for(std::uint32_t task) const;
  /// Edges whose RETAIN (or unreleased pin) still keeps the task's slot and buffer alive at the cursor; none in a
  /// measured run. What else does: holders_of in state_queries.h.
  [[nodiscard]] std::vector<std::uint32_t> kept_alive_by(std::uint32_t task) const;

  struct Impl;  ///< for the other files of replay/ (cursor_impl.h)
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The tasks row an event is about (its subject, or the task of its subject edge / access), none if there is none.
[[nodiscard]] std::uint32_t task_of_event(const recording::Recording& recording, std::uint32_t event);
/// One line of text for an event: "submit fill t3 on ring 1", …
[[nodiscard]] std::string describe_event(const recording::Recording& recording, std::uint32_t event);

}  // namespace depscope::replay
