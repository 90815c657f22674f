// Which tasks of two recordings are the same, and which kernels. Private.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare_side.h"
#include "compare_sites.h"
#include "depscope/replay/compare.h"

namespace depscope::replay {

struct TaskAlignment {
  AlignedBy by = AlignedBy::TaskId;
  std::vector<std::uint32_t> b_of_a, a_of_b;  ///< tasks rows, none
  std::uint32_t matched = 0;
  /// Kernels of both sides under common numbers, in order of first use on side a, then b. A kernel that was renamed, so that
  /// all its tasks run another one that is new on side b, keeps its number.
  std::vector<std::string> labels;                ///< by common number, as side a calls it where it can
  std::vector<std::uint32_t> kernel_a, kernel_b;  ///< common number by task
  bool kernels_known = true;                      ///< false: one side does not say what its tasks run
  struct Renamed {
    std::uint32_t kernel_a, kernel_b;  ///< Side::kernels
    std::uint64_t tasks = 0;
  };
  std::vector<Renamed> renamed;

  /// Tasks that the other side would know if it had them. Explicit allocations that nothing depends on are in no deps.json, and
  /// no task without edges is in one of version 1.
  [[nodiscard]] static bool must_match(const Side& side, const Side& other, std::uint32_t task) {
    return other.known.task_list && (!side.is_alloc(task) || other.known.allocations);
  }
};

[[nodiscard]] TaskAlignment align_tasks(const Side& a, const Side& b, const SiteAlignment& sites);

}  // namespace depscope::replay
