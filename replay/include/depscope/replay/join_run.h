// A run of the model beside the real run of the same program: which tasks are the same, and what was measured of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/compare.h"

namespace depscope::replay {

struct RunJoin {
  AlignedBy by = AlignedBy::TaskId;
  std::uint32_t tasks = 0, only_model_tasks = 0, only_run_tasks = 0;  ///< in both; only in one, although the other would know it
  bool edges_compared = false;                                        ///< the run has a task graph
  std::uint32_t edges = 0, only_model_edges = 0, only_run_edges = 0;
  struct Kernel {
    std::string name;
    std::uint64_t tasks = 0;  ///< of both, with times
    double measured_us = 0;   ///< sum of first start to last end
    double model_us = 0;      ///< sum of dispatch to completion; 0 if the model's time is no real one
  };
  std::vector<Kernel> kernels;  ///< most measured time first
  double measured_us = 0;       ///< first dispatch (or receive) to last end
  double model_us = 0;          ///< of the whole run; 0 if the model's time is no real one
};

inline constexpr std::uint32_t kMaxJoinFindings = 20;  ///< pairs that are told one by one, of each side

/// Puts the measured tables, notes and findings of `run` (imported) into `model`, with the rows of its own tasks; dispatches of
/// tasks that only the run has keep their ids. Differences become findings "difference" with what "task" and "pair".
RunJoin join_run(recording::Recording& model, const recording::Recording& run);

/// "7 of 7 tasks are the same (by task_id)", …: one line each.
[[nodiscard]] std::vector<std::string> join_lines(const RunJoin& join);

}  // namespace depscope::replay
