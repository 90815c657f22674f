// pmu.csv, the hardware counters of a run by dispatch (artefacts.md 8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::replay {

inline constexpr std::uint64_t kMaxPmuBytes = 0xfffffffeU;
inline constexpr std::size_t kMaxPmuColumns = 256;
inline constexpr std::uint32_t kUnknownFunction = 0xffffffffU;
inline constexpr std::uint8_t kOtherCoreType = 255;

/// Rows stand in vectors of the same length, in the order of the file, which is no order of time.
struct Pmu {
  std::vector<std::string> columns;  ///< all of the header
  std::vector<std::string>
      counters;                      ///< those between pmu_total_cycles and event_type: which ones depends on chip and event type
  std::vector<std::string> ignored;  ///< columns that are neither counters nor known

  std::vector<std::int32_t> thread;  ///< -1 none
  std::vector<std::uint32_t> core;
  std::vector<std::uint64_t> task;
  std::vector<std::uint32_t> function;  ///< kUnknownFunction: not known
  std::vector<std::uint8_t> core_type;  ///< 0 AIC, 1 AIV, kOtherCoreType: another number
  std::vector<std::uint64_t> cycles;    ///< in total, of the core and not of the system counter
  std::vector<std::uint32_t> event_type;
  std::vector<std::uint32_t> values;  ///< by row, then by counter
  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(task.size()); }
  [[nodiscard]] std::span<const std::uint32_t> values_of(std::uint32_t row) const {
    return std::span(values).subspan(std::size_t{row} * counters.size(), counters.size());
  }

  std::optional<Diagnostic> cut;  ///< the last line is not whole, and was left out; the offset is where the file ends
};

/// Columns are found by the names in the header. A last line that is cut is left out. Throws InputError with line and column: no
/// such header, a cell that is no number in range, a line of another number of cells.
[[nodiscard]] Pmu read_pmu(const SourceFile& source);
/// Rows without a header, as a merge that failed leaves them in pmu.csv.shard<k>.tmp; their columns are those of `header_of`.
[[nodiscard]] Pmu read_pmu_shard(const SourceFile& source, const Pmu& header_of);

/// "pipe", "L2 cache"; the number where it is none that is known.
[[nodiscard]] std::string pmu_event_name(std::uint32_t event_type);

/// What is odd about the file, as sentences. Where it ends early is not told.
[[nodiscard]] std::vector<std::string> pmu_notes(const Pmu& pmu);

/// Sums of rows that have a key in common, by ascending key.
struct PmuSums {
  std::vector<std::uint64_t> key;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> cycles;  ///< at most 2^64 - 1
  std::vector<std::uint64_t> values;  ///< by key, then by counter
};
[[nodiscard]] PmuSums pmu_by_function(const Pmu& pmu);
[[nodiscard]] PmuSums pmu_by_task(const Pmu& pmu);

}  // namespace depscope::replay
