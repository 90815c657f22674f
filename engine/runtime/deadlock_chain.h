// From a wait that never ends, link by link, to what it comes from: a circle, a kernel that has no end, or neither (runtime.md
// 6.7). Looks at the state only; the structural test of the runtime stands in waiting.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "state.h"
#include "waiting.h"

namespace depscope::runtime {

/// For one finding, once a run has stopped: takes time in the order of all edges.
class DeadlockChain {
 public:
  explicit DeadlockChain(const State& state) : s_(state), seen_(state.tasks.size(), false) {}

  /// The orchestrator waits for a resource, or for others before a host access.
  void of_wait(const Wanted& wanted, RunFinding& f);
  /// A scope that is full waits for nothing: its end comes after the submit (error 1).
  void of_full_scope(std::uint32_t first, RunFinding& f);
  /// A task that never completes (error 100).
  void of_task(std::uint32_t task, RunFinding& f);

 private:
  /// Why the tasks of the ring do not come back.
  WaitProof of_ring(std::uint32_t ring);
  /// Nodes that reclaimed tasks have, and that do not come back yet.
  void add_interval(std::uint32_t ring);
  /// Why the task is not consumed.
  WaitProof of_head(std::uint32_t task);
  /// Why the task is not completed.
  WaitProof of_completion(std::uint32_t task);
  /// The open scope that owns the task, kNoRow if none does.
  [[nodiscard]] std::uint32_t open_scope_of(std::uint32_t task) const;
  /// A producer that the task waits for, kNoRow if there is none.
  [[nodiscard]] std::uint32_t awaited_by(std::uint32_t task) const;
  /// The consumers that keep the task; the first one that is not completed before all others.
  std::uint32_t references_on(std::uint32_t task, RunFinding* f) const;
  void add(WaitLink link) { links_.push_back(link); }
  void finish(WaitProof proof, RunFinding& f);

  const State& s_;
  std::vector<bool> seen_;  ///< by task: its completion was asked for
  std::vector<WaitLink> links_;
};

}  // namespace depscope::runtime
