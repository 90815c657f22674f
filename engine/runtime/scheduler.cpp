#include "scheduler.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

constexpr std::size_t kDummyBatch = 8;  // per loop iteration of a thread

class Uninterrupted {
 public:
  explicit Uninterrupted(State& state) : state_(state) { state_.uninterrupted = true; }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
  ~Uninterrupted() { state_.uninterrupted = false; }

 private:
  State& state_;
};

}  // namespace

// ---------------------------------------------------------------- canonical

bool Scheduler::iteration(std::uint32_t thread) {
  bool any = dispatch_.poll(thread);
  any = dispatch_.drain(thread, kDummyBatch) || any;
  any = dispatch_.pass(thread) || any;
  Thread& t = s_.threads[thread];
  any = any || !t.buffer.empty();
  while (!t.buffer.empty()) completion_.release(thread);
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    Ring& ring = s_.rings[r];
    if (ring.lock_owner != 0) continue;
    if (!ring.advance_pending) continue;
    reclaim_.retry_advance(r, thread);
    any = true;
  }
  return any;
}

bool Scheduler::end_begun() {
  bool any = false;
  for (std::uint32_t thread = 0; thread < s_.topology.scheduler_threads; ++thread) {
    for (; s_.threads[thread].busy(); any = true) completion_.go_on(thread);
  }
  return any;
}

bool Scheduler::canonical_round() {
  const Uninterrupted whole(s_);
  bool any = end_begun();
  for (std::uint32_t thread = 0; thread < s_.topology.scheduler_threads; ++thread) any = iteration(thread) || any;
  return any || dispatch_.finish_next();
}

bool Scheduler::serve_requests() {
  const Uninterrupted whole(s_);
  bool any = end_begun();
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const Ring& ring = s_.rings[r];
    if (!ring.request || ring.lock_owner != 0) continue;
    reclaim_.serve(r, 0);
    any = true;
  }
  return any;
}

// ---------------------------------------------------------------- chosen

void Scheduler::point() {
  if (!s_.chooser.active() || s_.error != 0) return;
  for (;;) {
    enabled(actions_);
    if (actions_.empty()) return;
    // 0 = the orchestrator goes on.
    const std::uint32_t choice = s_.chooser.choose(static_cast<std::uint32_t>(actions_.size()) + 1);
    if (choice == 0) return;
    perform(actions_[choice - 1]);
  }
}

bool Scheduler::step() {
  if (!s_.chooser.active()) return canonical_round();
  enabled(actions_);
  if (actions_.empty()) return false;
  perform(actions_[s_.chooser.choose(static_cast<std::uint32_t>(actions_.size()))]);
  return true;
}

void Scheduler::of_thread(std::uint32_t thread, std::vector<Action>& out) const {
  const Thread& t = s_.threads[thread];
  if (t.busy()) {
    out.push_back({.kind = ActionKind::Continue, .thread = thread});
    return;
  }
  if (!s_.queues[static_cast<std::size_t>(QueueId::Dummy)].empty()) out.push_back({.kind = ActionKind::Drain, .thread = thread});
  for (const QueueId queue : {QueueId::SyncMix, QueueId::SyncAic, QueueId::SyncAiv}) {
    if (dispatch_.sync_fits(queue)) out.push_back({.kind = ActionKind::Dispatch, .thread = thread, .queue = queue});
  }
  const std::uint32_t clusters = s_.topology.clusters;
  const bool draining = dispatch_.sync_waiting();
  for (std::uint32_t c = thread; c < clusters; c += s_.topology.scheduler_threads) {
    for (const std::uint32_t core : {c, clusters + 2 * c, clusters + 2 * c + 1}) {
      if (dispatch_.can_observe(core)) out.push_back({.kind = ActionKind::Observe, .thread = thread, .core = core});
      if (draining) continue;
      for (const QueueId queue : {QueueId::Mix, QueueId::Aic, QueueId::Aiv}) {
        if (dispatch_.can_place(queue, core))
          out.push_back({.kind = ActionKind::Dispatch, .thread = thread, .core = core, .queue = queue});
      }
    }
  }
  if (!t.buffer.empty()) out.push_back({.kind = ActionKind::Release, .thread = thread});
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    const Ring& ring = s_.rings[r];
    if (ring.lock_owner != 0) continue;
    if (ring.advance_pending) out.push_back({.kind = ActionKind::RetryAdvance, .thread = thread, .ring = r});
    if (ring.request && thread == 0) out.push_back({.kind = ActionKind::Serve, .thread = thread, .ring = r});
  }
}

void Scheduler::enabled(std::vector<Action>& out) const {
  out.clear();
  if (s_.error != 0) return;
  for (std::uint32_t thread = 0; thread < s_.topology.scheduler_threads; ++thread) of_thread(thread, out);
  for (const std::uint32_t core : s_.begun) {
    if (dispatch_.can_acknowledge(core)) out.push_back({.kind = ActionKind::Acknowledge, .core = core});
    if (dispatch_.can_finish(core)) out.push_back({.kind = ActionKind::Finish, .core = core});
  }
}

bool Scheduler::legal(const Action& action) const {
  std::vector<Action> actions;
  enabled(actions);
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

void Scheduler::perform(const Action& action) {
  switch (action.kind) {
    case ActionKind::Continue: completion_.go_on(action.thread); break;
    case ActionKind::Drain: dispatch_.drain(action.thread, 1); break;
    case ActionKind::Dispatch:
      if (action.core == kNoRow) {
        dispatch_.place_sync(action.queue, action.thread);
      } else {
        dispatch_.place_first(action.queue, action.core, action.thread);
      }
      break;
    case ActionKind::Acknowledge: dispatch_.acknowledge(action.core); break;
    case ActionKind::Finish:
      s_.advance_time(1);
      dispatch_.finish(action.core);
      break;
    case ActionKind::Observe: dispatch_.observe(action.core, action.thread); break;
    case ActionKind::Release: completion_.release(action.thread); break;
    case ActionKind::RetryAdvance: reclaim_.retry_advance(action.ring, action.thread); break;
    case ActionKind::Serve: reclaim_.serve(action.ring, action.thread); break;
  }
}

}  // namespace depscope::runtime
