// How long the kernels of a run take (--timing): by task, by kernel, or from the swimlane recording of a real run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/runtime/submission.h"

namespace depscope::execute {

/// Largest timing file that is read, in bytes.
inline constexpr std::uint64_t kMaxTimingBytes = std::uint64_t{1} << 30U;

/// One unit of logical time of a swimlane recording: 20 ns, a tick of the a2a3 counter. A uint32 of them is 85 seconds.
inline constexpr std::uint64_t kSwimlaneUnitsPerSecond = 50'000'000;

/// Durations of one block, in units of logical time: from 1, or runtime::kNeverFinishes. The first that is known holds: that of
/// the task, that of its kernel, what the input itself says, the default of the file.
class Durations {
 public:
  /// Reads one of
  ///
  ///     {"schema": "depscope.timing/1", "kernels": {"NAME": UNITS, ...}, "tasks": {"TASK ID": UNITS, ...}, "default": UNITS}
  ///     a swimlane recording (chip_swimlane_records.json): the longest row of each task, end - start; tasks without a row take 1
  ///
  /// where UNITS is a number from 1 or "never"; every key may be left out, but one of the last three must be there. The kernels
  /// of a trace are named by their ids. Throws InputError with line, column and JSON path.
  [[nodiscard]] static Durations read(const SourceFile& source);

  /// Of a task of a program. `kernel` is the function that is launched.
  [[nodiscard]] std::uint32_t of(runtime::TaskId task, std::string_view kernel) const;
  /// Of a task of a trace: the longest of its kernels that have one. `own` is what the trace says of the task.
  [[nodiscard]] std::uint32_t of(runtime::TaskId task, const std::array<std::int32_t, 3>& kernel_ids,
                                 std::optional<std::uint32_t> own) const;

 private:
  friend class TimingReader;
  friend class SwimlaneReader;
  [[nodiscard]] std::optional<std::uint32_t> of_task(runtime::TaskId task) const;
  [[nodiscard]] std::optional<std::uint32_t> of_kernel(std::string_view name) const;

  std::vector<std::pair<runtime::TaskId, std::uint32_t>> tasks_;  // sorted by id
  std::map<std::string, std::uint32_t, std::less<>> kernels_;
  std::uint32_t default_ = 1;
};

}  // namespace depscope::execute
