// When, in logical time, what task_moments.h tells happened. Private.
#pragma once

#include <cstdint>

#include "depscope/recording/tables.h"
#include "depscope/replay/task_moments.h"

namespace depscope::replay {

/// The same columns with logical times instead of events rows.
struct TaskTimes : TaskMoments {
  explicit TaskTimes(const recording::Recording& recording);

  std::uint32_t end = 0;  ///< of the last event

  /// From submit to reuse of the slot, or to the end of the run.
  [[nodiscard]] std::uint32_t held(std::uint32_t task) const;
};

}  // namespace depscope::replay
