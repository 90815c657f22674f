// What a text log of a run says (artefacts.md 13): clock anchors, spans, hang diagnostics, times of the AICPU's threads and of
// the host's phases, picked out of lines of any kind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/base/string_pool.h"

namespace depscope::replay {

inline constexpr std::uint64_t kMaxRunLogBytes = 0xfffffffeU;
inline constexpr std::uint64_t kNoLogTime = ~std::uint64_t{0};
inline constexpr std::uint64_t kNoLogTask = ~std::uint64_t{0};
inline constexpr std::int64_t kNotLogged = -1;  ///< the line does not say

/// Records of one kind that miss a field, or have one that cannot be read: another writer broke in, or the log was cut.
struct DamagedRecords {
  std::uint64_t count = 0;
  std::uint32_t first_line = 0;

  void add(std::uint32_t line) {
    if (count++ == 0) first_line = line;
  }
};

/// Columns of one struct have the same length. `line` counts from 1. `mono` is the time of the line's host prefix in nanoseconds
/// of CLOCK_MONOTONIC, kNoLogTime if it has none. Texts are rows of `names`.
struct RunLog {
  StringPool names;
  [[nodiscard]] std::string_view text(std::uint32_t name) const { return names.text(NameId(name)); }

  /// The same moment on both clocks of one process.
  struct {
    std::vector<std::uint64_t> pid, mono, wall;  ///< nanoseconds
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(pid.size()); }
  } anchors;

  /// Finished spans, in the order of the log: inner ones stand before what they are in.
  struct {
    std::vector<std::uint64_t> pid, tid, inv;
    std::vector<std::uint32_t> hid, depth, name;
    std::vector<std::uint64_t> ts, dur;                ///< nanoseconds
    std::vector<std::uint8_t> device;                  ///< 1: `ts` counts on an axis of the invocation's own (clk=dev)
    std::vector<std::uint8_t> cut;                     ///< 1: the name, or an attribute, was cut by the writer
    std::vector<std::uint32_t> first_attribute = {0};  ///< one entry more than rows
    std::vector<std::uint64_t> mono;
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(pid.size()); }
  } spans;
  struct {
    std::vector<std::uint32_t> key, value;
  } attributes;
  DamagedRecords torn_spans;
  DamagedRecords other_spans;  ///< of a version other than 1: not read

  /// Lines of one round have the same number of idle iterations; a round of a later hang is another one.
  struct {
    std::vector<std::uint64_t> idle_iterations;
    std::vector<std::uint32_t> hang;  ///< from 0: counts anew where a thread's iterations do
    std::vector<std::uint32_t> line;  ///< the first one
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(hang.size()); }
  } stall_rounds;
  struct {
    std::vector<std::uint32_t> round, thread;
    std::vector<std::int64_t> completed, total, last_progress_iteration, ready, waiting, running;  ///< or kNotLogged
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(round.size()); }
  } stall_summaries;
  struct {
    std::vector<std::uint32_t> round, thread;
    std::vector<std::uint64_t> task;                                          ///< id with its ring, or kNoLogTask
    std::vector<std::uint32_t> state;                                         ///< "RUNNING", "READY", "WAIT"
    std::vector<std::int64_t> fanin_done, fanin, missing_deps, owner_thread;  ///< or kNotLogged
    std::vector<std::array<std::int64_t, 3>> kernels;                         ///< func ids of AIC, AIV 0, AIV 1; -1 none
    std::vector<std::uint32_t> first_core = {0};                              ///< of task_cores; one entry more than rows
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(round.size()); }
  } stall_tasks;
  struct {
    std::vector<std::uint32_t> core;
    std::vector<std::uint32_t> slot;  ///< "aic", "aiv0", …
  } task_cores;
  struct {
    std::vector<std::uint32_t> round, thread;
    std::vector<std::int64_t> cluster, core, kernel;  ///< or kNotLogged
    std::vector<std::uint32_t> slot;                  ///< "aic", "aiv0", …
    std::vector<std::uint8_t> busy, anomaly;
    std::vector<std::uint64_t> task;            ///< or kNoLogTask
    std::vector<std::uint32_t> cond_reg_state;  ///< "ack", "fin", or empty
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(round.size()); }
  } stall_cores;

  /// Threads that gave up (TIMEOUT_EXIT), and the host's echo of it.
  struct {
    std::vector<std::uint8_t> host;  ///< 1: the host's line; it has no round
    std::vector<std::uint32_t> round, thread;
    std::vector<std::uint32_t> sub_class;                                                                ///< as printed
    std::vector<std::int64_t> detail, completed, total, running, ready, waiting, orch_done, stuck_core;  ///< or kNotLogged
    std::vector<std::uint64_t> stuck_task;                                                               ///< or kNoLogTask
    std::vector<std::uint64_t> mono;
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(host.size()); }
  } timeouts;
  DamagedRecords torn_stalls;  ///< kept with what they have

  struct {
    std::vector<std::uint32_t> thread;
    std::vector<std::uint8_t> orchestrator;  ///< 0: a scheduler's times
    std::vector<std::uint64_t> start, end;   ///< cycles of the device
    std::vector<std::uint64_t> cost;         ///< nanoseconds
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(thread.size()); }
  } thread_times;

  /// `bind phase=…` lines.
  struct {
    std::vector<std::uint64_t> host_thread;  ///< of the line's prefix, 0 if it has none
    std::vector<std::uint32_t> phase;
    std::vector<std::uint64_t> start, dur;  ///< nanoseconds of CLOCK_MONOTONIC
    std::vector<std::uint32_t> line;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(phase.size()); }
  } bind_phases;
  DamagedRecords torn_others;  ///< anchors, times of threads, phases

  std::uint32_t lines = 0;
  /// 0, or the last line, which has no line end: the last number of its last record may lack digits.
  std::uint32_t open_line = 0;
};

/// Never fails: lines, and pieces of lines, that are nothing of the above are passed over, whatever bytes they have.
[[nodiscard]] RunLog read_run_log(const SourceFile& source);

/// Wall-clock times by the anchors of a log.
class WallClock {
 public:
  explicit WallClock(const RunLog& log);

  /// Nanoseconds of the wall clock at a moment of that process, by its latest anchor that is not younger; none if there is no
  /// such anchor, or 64 bits do not hold the time.
  [[nodiscard]] std::optional<std::uint64_t> at(std::uint64_t pid, std::uint64_t mono) const;

 private:
  struct Anchor {
    std::uint64_t pid = 0, mono = 0, wall = 0;
  };
  std::vector<Anchor> anchors_;  // by process and time
};

}  // namespace depscope::replay
