// What happens besides the orchestrator's steps, and in which order (runtime.md 10.3, 10.5, 10.6).
#pragma once

#include <cstdint>
#include <vector>

#include "completion.h"
#include "depscope/runtime/model.h"
#include "dispatch.h"
#include "reclaim.h"
#include "state.h"

namespace depscope::runtime {

class Scheduler final : public Interleaver {
 public:
  Scheduler(State& state, Dispatch& dispatch, Completion& completion, Reclaim& reclaim)
      : s_(state), dispatch_(dispatch), completion_(completion), reclaim_(reclaim) {
    s_.interleaver = this;
  }

  /// Between two steps of the orchestrator: a chosen number of actions (none with the canonical schedule or by hand).
  void point() override;
  /// The orchestrator waits: lets something happen. False if nothing can.
  bool step();
  /// Publication requests that can be served at once; true if there was one.
  bool serve_requests();

  /// In a fixed order; replaces `out`.
  void enabled(std::vector<Action>& out) const;
  [[nodiscard]] bool legal(const Action& action) const;
  void perform(const Action& action);

 private:
  /// Ends what threads have begun; true if there was anything.
  bool end_begun();
  /// One loop iteration of every thread; if no thread gets on, time moves.
  bool canonical_round();
  bool iteration(std::uint32_t thread);
  /// Draws one action out of `actions_`, or kNoRow for the orchestrator.
  void of_thread(std::uint32_t thread, std::vector<Action>& out) const;

  State& s_;
  Dispatch& dispatch_;
  Completion& completion_;
  Reclaim& reclaim_;
  std::vector<Action> actions_;
};

}  // namespace depscope::runtime
