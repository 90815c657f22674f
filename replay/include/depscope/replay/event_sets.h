// Which events belong to what: to a level of detail, to a scope, to a tensor.
#pragma once

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

using EventKinds = std::bitset<runtime::kEventKindCount>;
[[nodiscard]] EventKinds event_kinds(std::initializer_list<runtime::EventKind> list);

/// True for kinds that a recording of the level `summary` has as well.
[[nodiscard]] bool told_by_summary(runtime::EventKind kind);

/// The events of a scopes row: its scope-begin and scope-end, and the scope-release of each of its tasks. With `tasks` also
/// everything that is about one of its tasks (task_of_event), and the submit-begin of submits into it. Tasks of a scope inside
/// it belong to that scope only.
[[nodiscard]] bool event_of_scope(const recording::Recording& recording, std::uint32_t event, std::uint32_t scope, bool tasks);

/// The events of a tensors row: what the TensorMap does with its accesses (tm-insert, tm-remove, tm-cleanup, and tm-hit with the
/// tensor on either side), and what happens to edges that were discovered through one of its accesses (edge-add, edge-reduce,
/// edge-lost). A summary has only the latter. Other versions, owners and types of the same buffer are other tensors.
class TensorEvents {
 public:
  /// Looks once at all accesses and edge reasons.
  TensorEvents(const recording::Recording& recording, std::uint32_t tensor);

  [[nodiscard]] std::uint32_t tensor() const { return tensor_; }
  /// With `tasks` also everything that is about a task with an access of the tensor.
  [[nodiscard]] bool holds(std::uint32_t event, bool tasks) const;
  /// Tasks rows with an access of the tensor, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& tasks() const { return tasks_; }

 private:
  [[nodiscard]] bool is_access(std::uint32_t access) const {
    return access != recording::kNoRow && recording_->accesses.tensor[access] == tensor_;
  }

  const recording::Recording* recording_;
  std::uint32_t tensor_;
  std::vector<std::uint32_t> tasks_;
  std::vector<bool> edges_;       // per edges row
  std::vector<bool> has_access_;  // per tasks row
};

/// Kinds that the events of a scope / of a tensor have where those of its tasks are left out.
[[nodiscard]] EventKinds kinds_of_scopes();
[[nodiscard]] EventKinds kinds_of_tensors();

}  // namespace depscope::replay
