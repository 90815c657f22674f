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

/// State of the model between two events.
struct State {
  std::vector<std::uint8_t> task_state;                    ///< runtime::TaskState per tasks row
  std::vector<std::uint32_t> need, have;                   ///< readiness units per tasks row
  std::vector<std::uint32_t> claimed, released;            ///< consumer references per tasks row
  std::vector<std::uint8_t> scope_released, own_released;  ///< per tasks row
  std::vector<std::uint8_t> edge_flags;                    ///< current flags per edges row, 0 before its discovery
  std::vector<std::uint8_t> scope_state;                   ///< per scopes row: 0 not begun, 1 open, 2 ended
  std::vector<std::uint32_t> core_task;                    ///< per core: running tasks row, none if idle
  std::vector<std::int64_t> ring_next, ring_watermark, heap_top, heap_tail;  ///< per ring
  std::int64_t tensormap_entries = 0;
  std::vector<std::uint32_t> open_scopes;         ///< scopes rows, outermost first
  std::array<std::uint32_t, 6> tasks_in_state{};  ///< number of tasks per runtime::TaskState

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
  bool step();                        ///< false at the end
  bool back();                        ///< false at the start
  void seek(std::uint32_t position);  ///< clamped to size()
  /// Moves to just after the next (just before the previous) event of this kind / with this subject task; false and no move if
  /// none.
  bool next(runtime::EventKind kind);
  bool previous(runtime::EventKind kind);
  bool next_of_task(std::uint32_t task);
  bool previous_of_task(std::uint32_t task);

  /// Edges row indices of a task's producers / consumers.
  [[nodiscard]] std::vector<std::uint32_t> fanin(std::uint32_t task) const;
  [[nodiscard]] std::vector<std::uint32_t> fanout(std::uint32_t task) const;
  /// Edges whose WAIT the task still waits for at the cursor.
  [[nodiscard]] std::vector<std::uint32_t> waiting_for(std::uint32_t task) const;
  /// Edges whose RETAIN (or unreleased pin) still keeps the task's slot and buffer alive at the cursor.
  [[nodiscard]] std::vector<std::uint32_t> kept_alive_by(std::uint32_t task) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The tasks row an event is about (its subject, or the task of its subject edge / access), none if there is none.
[[nodiscard]] std::uint32_t task_of_event(const recording::Recording& recording, std::uint32_t event);
/// One line of text for an event: "submit fill t3 on ring 1", …
[[nodiscard]] std::string describe_event(const recording::Recording& recording, std::uint32_t event);

}  // namespace depscope::replay
