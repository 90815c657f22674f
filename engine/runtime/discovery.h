// Finds the producers of the task that is being submitted and registers its writes (runtime.md 3.1, steps 9 to 12).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/runtime/options.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/tensor_map.h"
#include "execution.h"
#include "fanin_builder.h"
#include "task_index.h"

namespace depscope::runtime {

class Discovery {
 public:
  Discovery(const ModelOptions& options, Execution& execution, const TaskIndex& index)
      : edges_(options.edges), execution_(execution), index_(index), map_(options.range_unit) {}

  struct Consumer {
    std::uint32_t task = 0;          ///< tasks row
    std::uint32_t first_access = 0;  ///< accesses row of argument 0
    std::uint32_t first_edge = 0;    ///< edges row of the first edge that is found
    bool manual = false;             ///< inside a MANUAL scope: explicit dependencies only
  };

  /// Explicit, creator and TensorMap discoveries in the order of the runtime, then registration. Every id must be known to
  /// the index; ids that are not are left out.
  void run(const Submission& submission, const Consumer& consumer);

  [[nodiscard]] FaninBuilder& builder() { return builder_; }
  /// Discoveries of the last run, in order, with rows of the edges table.
  [[nodiscard]] const std::vector<EdgeReasonRow>& reasons() const { return reasons_; }

 private:
  void explicit_dependencies(const Submission& submission);
  void argument(const Argument& argument, std::uint32_t position);
  void registrations(const Submission& submission);
  void add(std::uint32_t producer, EdgeReasonRow reason, std::uint8_t provenance);

  EdgeRepresentation edges_;
  Execution& execution_;
  const TaskIndex& index_;
  TensorMap map_;
  FaninBuilder builder_;
  std::vector<EdgeReasonRow> reasons_;
  std::vector<TensorMap::Hit> hits_;
  Consumer consumer_;
};

}  // namespace depscope::runtime
