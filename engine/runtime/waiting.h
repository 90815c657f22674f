// The orchestrator waits for a resource, and what is said when it can never come (runtime.md 6.7, 6.8).
#pragma once

#include <cstdint>
#include <functional>

#include "reclaim.h"
#include "scheduler.h"
#include "state.h"

namespace depscope::runtime {

inline constexpr std::int32_t kScopeDeadlock = 1, kHeapDeadlock = 2, kFlowControlDeadlock = 3, kDepPoolOverflow = 4,
                              kInvalidArguments = 5, kSyncStartInvalid = 7, kTensorWaitTimeout = 8, kExplicitFatal = 9,
                              kScopeListOverflow = 10, kTensorMapOverflow = 11, kSchedulerTimeout = 100;

/// What is wanted, for the events and the finding.
struct Wanted {
  Resource resource = Resource::TaskWindow;
  std::uint32_t ring = 0;
  std::uint64_t requested = 1, capacity = 0;
  std::uint32_t task = kNoRow;      ///< that is being submitted, once it has a row
  std::uint32_t producer = kNoRow;  ///< host access: one of those that are waited for
};

class Waiting {
 public:
  Waiting(State& state, Scheduler& scheduler, Reclaim& reclaim) : s_(state), scheduler_(scheduler), reclaim_(reclaim) {}

  /// Whose submit goes on, for findings of submits that have no row yet; none between submits.
  void describe_submit(const Submission* submission) { submission_ = submission; }

  /// Until ready() holds (it may reclaim). False: a fatal error stands, latched here or before.
  template <class Ready, class Used>
  bool wait(const Wanted& wanted, Ready&& ready, Used&& used) {
    // H7: the submit that latched error 10 goes on, but waits for nothing.
    if (s_.error != 0) return s_.error == kScopeListOverflow && ready();
    return ready() || block(wanted, std::ref(ready), std::ref(used));
  }
  /// The runtime refuses what is asked for: a finding, and the error is latched.
  void refuse(std::int32_t code, std::uint32_t task = kNoRow);
  /// Latches the error, first one wins, and tells it.
  void fatal(std::int32_t code, std::uint32_t task, std::uint32_t ring, ErrorClass error_class);
  /// A scope that is full: no waiting (error 1).
  void scope_full(std::uint32_t ring, std::uint64_t count, std::uint64_t limit);
  /// Nothing happens any more and not all tasks are completed (error 100).
  void scheduler_timeout();

 private:
  bool block(const Wanted& wanted, const std::function<bool()>& ready, const std::function<std::uint64_t()>& used);
  void name_submit(RunFinding& f) const;
  [[nodiscard]] bool structural(const Wanted& wanted) const;
  [[nodiscard]] bool exact(const Wanted& wanted) const;
  void ask_for_publication(const Wanted& wanted);
  /// A request is not served yet.
  [[nodiscard]] bool asking(const Wanted& wanted) const;
  void deadlock(const Wanted& wanted, std::uint64_t used, ErrorClass error_class);
  [[nodiscard]] RunFinding describe(const Wanted& wanted, std::uint64_t used) const;

  State& s_;
  Scheduler& scheduler_;
  Reclaim& reclaim_;
  const Submission* submission_ = nullptr;
};

}  // namespace depscope::runtime
