// Tables of what was measured in a real run (artefacts.md 4 and 6): empty in recordings of the model. Times are ticks of the
// device's counter since the earliest one of the file; ticks a second stand in the option "clock-freq-hz".
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/columns.h"

namespace depscope::recording {

inline constexpr std::uint64_t kNotMeasured = ~std::uint64_t{0};

/// One row for each dispatch of a task to a core, by task id, then in the order of the file.
struct MeasuredDispatchesTable {
  std::vector<std::uint32_t> task;     ///< none: the task graph does not have it
  std::vector<std::uint64_t> task_id;  ///< (ring << 32) | local
  std::vector<std::uint32_t> core;
  std::vector<std::uint8_t> core_type;             ///< 0 AIC, 1 AIV
  std::vector<std::uint64_t> receive, start, end;  ///< by the core; kNotMeasured if its row is lost
  std::vector<std::uint64_t> dispatch, finish;     ///< by the AICPU; kNotMeasured at level 1, or if its row is lost

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("task", t.task, Target::Task);
    f("task_id", t.task_id, Target::None);
    f("core", t.core, Target::None);
    f("core_type", t.core_type, Target::None);
    f("receive", t.receive, Target::None);
    f("start", t.start, Target::None);
    f("end", t.end, Target::None);
    f("dispatch", t.dispatch, Target::None);
    f("finish", t.finish, Target::None);
  }
};

/// What scheduler threads and the orchestrator did, in the order of the file.
struct MeasuredPhasesTable {
  std::vector<std::uint32_t> thread;  ///< scheduler thread; kNoRow: the orchestrator
  std::vector<std::uint32_t> kind;    ///< as written: "complete", "dispatch", …; "orch_submit" of the orchestrator
  std::vector<std::uint64_t> start, end;
  std::vector<std::uint32_t> count;  ///< tasks_processed, or submit_idx
  std::vector<std::uint32_t> task;   ///< of markers and submits, none otherwise

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(thread.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("thread", t.thread, Target::None);
    f("kind", t.kind, Target::String);
    f("start", t.start, Target::None);
    f("end", t.end, Target::None);
    f("count", t.count, Target::None);
    f("task", t.task, Target::Task);
  }
};

/// Use of the rings where scopes begin and end, in the order of the run.
struct ScopeSamplesTable {
  std::vector<std::uint32_t> site;  ///< "file.cpp:30"
  std::vector<std::uint8_t> end;    ///< 0 the scope begins, 1 it ends
  std::vector<std::uint32_t> depth, ring;
  std::vector<std::int64_t> task_window_start, task_window_end;
  std::vector<std::uint64_t> heap_start, heap_end;         ///< bytes reclaimed, allocated; positions in the ring before version 6
  std::vector<std::int64_t> dep_pool_start, dep_pool_end;  ///< -1 before version 5
  std::vector<std::int64_t> tensormap;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(site.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("site", t.site, Target::String);
    f("end", t.end, Target::None);
    f("depth", t.depth, Target::None);
    f("ring", t.ring, Target::None);
    f("task_window_start", t.task_window_start, Target::None);
    f("task_window_end", t.task_window_end, Target::None);
    f("heap_start", t.heap_start, Target::None);
    f("heap_end", t.heap_end, Target::None);
    f("dep_pool_start", t.dep_pool_start, Target::None);
    f("dep_pool_end", t.dep_pool_end, Target::None);
    f("tensormap", t.tensormap, Target::None);
  }
};

/// What is said of a real run, line by line: how far its files can be trusted, and what was computed of them.
struct RunNotesTable {
  std::vector<std::uint32_t> section;  ///< "health", "task graph", "timing", "scopes"
  std::vector<std::uint32_t> text;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(section.size()); }
  template <class Self, class F>
  static void columns(Self& t, F&& f) {
    f("section", t.section, Target::String);
    f("text", t.text, Target::String);
  }
};

}  // namespace depscope::recording
