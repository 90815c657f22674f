// One row for each dispatch of a run: what the core and the AICPU say of it, joined (artefacts.md 14.1).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/replay/artefacts/swimlane.h"

namespace depscope::replay {

/// Ticks by which a consumer may seem to start before its producer ends (artefacts.md 14.5).
inline constexpr std::uint64_t kClockTolerance = 2;

/// Vectors of the same length; times are ticks of the file's clock, 0 = not recorded.
struct Dispatches {
  std::vector<std::uint64_t> task;
  std::vector<std::uint32_t> core;
  std::vector<std::uint64_t> receive, start, end, dispatch, finish;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
};

struct RunTimes {
  std::uint64_t clock_freq_hz = 0;
  /// Zero of the time line: the earliest time that was recorded, so it depends on the level (artefacts.md 14.1).
  std::uint64_t base = 0;
  Dispatches joined;                     ///< by task id, then in the order of the AICPU's rows (of the core's at level 1)
  Dispatches without_aicpu;              ///< level 2 and above: the core's row has no partner; dispatch and finish are 0
  std::uint64_t without_core = 0;        ///< AICPU rows whose core row is lost: nothing says which task they are of
  std::uint64_t twice = 0;               ///< core rows of the same core and token; the last one holds
  std::vector<std::uint8_t> core_types;  ///< by core, as far as rows name one: 0 AIC, 1 AIV

  [[nodiscard]] std::uint8_t core_type(std::uint32_t core) const { return core < core_types.size() ? core_types[core] : 1; }
  /// Microseconds since the base; 0 for times that were not recorded.
  [[nodiscard]] double microseconds(std::uint64_t ticks) const { return ticks <= base ? 0.0 : span_us(ticks - base); }
  [[nodiscard]] double span_us(std::uint64_t ticks) const {
    return clock_freq_hz == 0 ? 0.0 : static_cast<double>(ticks) * 1e6 / static_cast<double>(clock_freq_hz);
  }
};

[[nodiscard]] RunTimes run_times(const Swimlane& file);

}  // namespace depscope::replay
