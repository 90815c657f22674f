// Why no path leads from one task to another that it conflicts with, and what would give one. Private.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check_false.h"
#include "check_names.h"
#include "check_order.h"
#include "row_groups.h"

namespace depscope::replay {

struct OrderReason {
  std::string code;      ///< "manual_invisible", "war_untracked", …
  std::string sentence;  ///< what happened
  std::vector<std::string> fixes;
  std::uint32_t loop = recording::kNoRow;  ///< site_loops row of a pl.parallel loop that both are iterations of
};

class OrderReasons {
 public:
  OrderReasons(const recording::Recording& recording, const TaskNames& names, const LoopNest& loops);
  /// For a pair that was found, with the arguments that meet. `reduced`: a path was there before the reduction.
  [[nodiscard]] OrderReason of(const UnorderedPair& pair, std::uint32_t first_access, std::uint32_t second_access,
                               bool reduced) const;
  /// Name of the kernel's parameter behind an access, empty if it is not known.
  [[nodiscard]] std::string parameter(std::uint32_t access) const;
  /// Variable at the call behind an access, empty if it is not known.
  [[nodiscard]] std::string argument(std::uint32_t access) const;

 private:
  [[nodiscard]] bool windowed(std::uint32_t first, std::uint32_t second) const;
  [[nodiscard]] std::uint32_t argument_row(std::uint32_t access) const;
  void explain(OrderReason& out, const UnorderedPair& pair, std::uint32_t a, std::uint32_t b) const;
  void fix(OrderReason& out, const UnorderedPair& pair, std::uint32_t a) const;

  const recording::Recording& r_;
  const TaskNames& names_;
  const LoopNest& loops_;
  RowGroups hazards_;                     // by current call site
  std::vector<std::uint8_t> is_wrapper_;  // by string: name of a Group or Spmd function
  std::vector<std::uint32_t> function_;   // by string: functions row of this name
  RowGroups parameters_;                  // by function
  bool imported_ = false;
  bool elements_ = false;  // the runtime compared element counts (hazard H3)
};

}  // namespace depscope::replay
