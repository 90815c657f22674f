// chip_swimlane_records.json, the timing of a run (artefacts.md 4): files of every shape since May 2026.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/artefacts/clock_alignment.h"

namespace depscope::replay {

enum class SwimlaneShape : std::uint8_t {
  JoinedFanout,  ///< joined rows in microseconds, with fanout; the level stands under "version" (until 2026-05-27)
  Joined,        ///< joined rows in microseconds
  FiveColumns,   ///< raw cycles, without receive times (June 2026)
  Current,       ///< raw cycles, six columns
  Merged,        ///< the trace that the tool chain makes of it, in microseconds
};
[[nodiscard]] const char* swimlane_shape_name(SwimlaneShape shape);

/// Rows of one kind stand in vectors of the same length. Times are ticks of `clock_freq_hz`, 0 = not recorded; those of joined
/// shapes are nanoseconds since the beginning, rounded to the nearest.
struct Swimlane {
  SwimlaneShape shape = SwimlaneShape::Current;
  std::uint32_t level = 0;     ///< 1 to 4
  bool level_derived = false;  ///< the file has none, or none that is known: by the sections it has
  std::uint64_t clock_freq_hz = 0;
  std::vector<std::uint8_t> core_types;      ///< by core: 0 AIC, 1 AIV
  std::vector<std::int32_t> core_to_thread;  ///< by core, -1 none; empty if not known
  bool host_orchestrator = false;

  struct {
    std::vector<std::uint32_t> core, token;
    std::vector<std::uint64_t> task, start, end;
    std::vector<std::uint64_t> receive;  ///< start where the file does not tell
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(core.size()); }
  } aicore;
  struct {
    std::vector<std::uint32_t> core, token;
    std::vector<std::uint64_t> dispatch, finish;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(core.size()); }
  } aicpu;
  /// Joined shapes only: row i of aicore and aicpu are one.
  [[nodiscard]] bool joined() const {
    return shape == SwimlaneShape::JoinedFanout || shape == SwimlaneShape::Joined || shape == SwimlaneShape::Merged;
  }

  struct {
    std::vector<std::uint32_t> thread;
    std::vector<std::uint32_t> kind;  ///< of kind_names
    std::vector<std::uint64_t> start, end;
    std::vector<std::uint32_t> loop_iter, tasks_processed, pop_hit, pop_miss;
    std::vector<std::uint64_t> task;  ///< all ones: names none
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(thread.size()); }
  } scheduler;
  std::vector<std::string> kind_names;  ///< as written, in order of first use
  std::uint64_t unknown_kinds = 0;      ///< phases of kinds that artefacts.md 4.3 does not name

  struct {
    std::vector<std::uint32_t> submit_idx;
    std::vector<std::uint64_t> task, start, end;  ///< of a host orchestrator: nanoseconds of the host's clock
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
  } orchestrator;
  struct {
    std::vector<std::string> phase;
    std::vector<std::uint64_t> start, end, bytes;  ///< nanoseconds of the host's clock
  } uploads;
  std::string capture_status;  ///< of a host orchestrator: "complete", "dropped", "incomplete"; empty if not told
  std::uint64_t capture_dropped = 0, capture_expected = 0, capture_recorded = 0;
  ClockAnchors clock_anchors;        ///< of a host orchestrator
  std::uint64_t host_origin_ns = 0;  ///< zero of its time line, nanoseconds of the host's clock
  std::uint64_t host_quantization_ns = 0;

  std::optional<Diagnostic> cut;  ///< where and how the file ends early (SwimlaneReadOptions::salvage)
};

struct SwimlaneReadOptions {
  bool salvage = false;  ///< a file that ends early gives its complete rows instead of an error
};

inline constexpr std::uint64_t kMaxSwimlaneBytes = 0xfffffffeU;
inline constexpr std::uint64_t kNoTaskId = ~std::uint64_t{0};

/// One pass. Throws InputError with line, byte offset and JSON path: text that is no such file, no clock frequency, both device
/// and host orchestrator (ambiguous clock).
[[nodiscard]] Swimlane read_swimlane(const SourceFile& source, const SwimlaneReadOptions& options = {});
/// Of a merged trace: dispatches, phases and submits as far as it draws them, without the depths of queues and pops. Throws
/// InputError.
[[nodiscard]] Swimlane read_merged_trace(const SourceFile& source, const SwimlaneReadOptions& options = {});

}  // namespace depscope::replay
