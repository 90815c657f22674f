// What the host did before a run on the device: host_phase_records.jsonl of host-built graphs (artefacts.md 12), and the same
// phases where only a log tells of them (13.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/base/string_pool.h"
#include "depscope/replay/artefacts/run_log.h"

namespace depscope::replay {

inline constexpr std::uint64_t kMaxHostPhasesBytes = 0xfffffffeU;

/// Columns of one struct have the same length. Times are nanoseconds of the host's clock; texts are rows of `names`.
struct HostPhases {
  StringPool names;
  [[nodiscard]] std::string_view text(std::uint32_t name) const { return names.text(NameId(name)); }

  /// One line each: the preparation of one run.
  struct {
    std::vector<std::uint64_t> pid, inv;
    std::vector<std::uint32_t> clock;               ///< "host_monotonic_ns"
    std::vector<std::uint64_t> dropped;             ///< records that found no place
    std::vector<std::uint32_t> line;                ///< from 1
    std::vector<std::uint32_t> first_record = {0};  ///< one entry more than rows
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(pid.size()); }
  } passes;
  /// In the order of the file. Phases are named as written, retired ones, too; some are inside host_orch.
  struct {
    std::vector<std::uint32_t> phase;
    std::vector<std::uint64_t> start, end;
    std::vector<std::uint64_t> detail;  ///< a task id, a number of bytes or things: depends on the phase
    std::vector<std::uint64_t> tid;
    [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(phase.size()); }
  } records;

  std::uint64_t skipped = 0;                ///< lines that are no such object, and were left out
  std::optional<Diagnostic> first_skipped;  ///< the first of them: its line, and what is wrong
};

/// Malformed lines are skipped and counted, each with all of its records.
[[nodiscard]] HostPhases read_host_phases(const SourceFile& source);

struct HostPass {
  std::uint64_t of = 0;                ///< the process; of a log: the host's thread
  std::uint64_t inv = 0;               ///< 0 for a log, which does not say
  std::uint32_t line = 0;              ///< where it begins
  bool warm_up = false;                ///< the first one of its process or thread
  bool complete = true;                ///< false: the log ends before the pass does (arena_h2d)
  std::uint64_t control_plane_ns = 0;  ///< host_orch, graph_upload, relocate, sm_h2d and arena_h2d, summed
};

struct PhaseSum {
  std::string_view phase;  ///< owned by what was summed
  std::uint64_t count = 0, total_ns = 0, longest_ns = 0;
  std::uint64_t warm_up_ns = 0;  ///< the part of the total that is of warm-up passes
};

/// Sums stay at the greatest number that 64 bits hold.
struct HostPhaseSums {
  std::vector<HostPass> passes;  ///< in the order of the file
  std::vector<PhaseSum> phases;  ///< in order of first use
};
[[nodiscard]] HostPhaseSums host_phase_sums(const HostPhases& phases);
/// Of the `bind phase=…` lines of a log.
[[nodiscard]] HostPhaseSums host_phase_sums(const RunLog& log);

}  // namespace depscope::replay
