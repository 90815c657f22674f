#include "deadlock_chain.h"

#include <algorithm>

namespace depscope::runtime {

void DeadlockChain::of_wait(const Wanted& wanted, RunFinding& f) {
  if (f.head != kNoRow) references_on(f.head, &f);
  if (wanted.resource == Resource::HostAccess) {
    if (wanted.producer == kNoRow) return;
    const bool completed = s_.tasks[wanted.producer].state >= TaskState::Completed;
    finish(completed ? of_head(wanted.producer) : of_completion(wanted.producer), f);
    return;
  }
  if (wanted.requested > wanted.capacity) {
    add({.kind = WaitLinkKind::TooMuch, .ring = wanted.ring});
    finish(WaitProof::TooMuch, f);
    return;
  }
  if (wanted.resource == Resource::DepPool) add_interval(wanted.ring);
  if (wanted.resource != Resource::TensorMapPool) {
    finish(of_ring(wanted.ring), f);
    return;
  }
  // Entries come back with the tasks of any ring: all of them have to stand still.
  WaitProof proof = WaitProof::Circle;
  bool any = false;
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    if (s_.rings[r].passed == s_.rings[r].tasks.size()) continue;
    any = true;
    const WaitProof of_this = of_ring(r);
    if (proof == WaitProof::Circle) proof = of_this;
  }
  finish(any ? proof : WaitProof::Unproven, f);
}

void DeadlockChain::of_full_scope(std::uint32_t first, RunFinding& f) {
  if (f.head != kNoRow) references_on(f.head, &f);
  const std::uint32_t scope = s_.scopes.back().row;
  add({.kind = WaitLinkKind::OpenScope, .task = first, .scope = scope, .ring = f.ring});
  add({.kind = WaitLinkKind::ScopeEnd, .scope = scope});
  finish(WaitProof::Circle, f);
}

void DeadlockChain::of_task(std::uint32_t task, RunFinding& f) { finish(of_completion(task), f); }

WaitProof DeadlockChain::of_ring(std::uint32_t index) {
  const Ring& ring = s_.rings[index];
  if (ring.passed == ring.tasks.size()) {
    add({.kind = WaitLinkKind::AllBack, .ring = index});
    return WaitProof::Unproven;
  }
  const std::uint32_t head = ring.tasks[ring.passed];
  add({.kind = WaitLinkKind::Head, .task = head, .ring = index});
  return of_head(head);
}

void DeadlockChain::add_interval(std::uint32_t index) {
  const Ring& ring = s_.rings[index];
  if (ring.published_count == 0) return;
  const std::int64_t reclaimed = s_.tasks[ring.tasks[ring.published_count - 1]].dep_mark - ring.dep.tail;
  if (reclaimed > 0) add({.kind = WaitLinkKind::Interval, .ring = index, .count = static_cast<std::uint64_t>(reclaimed)});
}

WaitProof DeadlockChain::of_head(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  if (!t.scope_released) {
    if (const std::uint32_t scope = open_scope_of(task); scope != kNoRow) {
      add({.kind = WaitLinkKind::OpenScope, .task = task, .scope = scope});
      add({.kind = WaitLinkKind::ScopeEnd, .scope = scope});
      return WaitProof::Circle;
    }
  }
  if (t.state < TaskState::Completed) return of_completion(task);
  if (t.claimed == t.released) {
    add({.kind = WaitLinkKind::NotAdvanced, .task = task});
    return WaitProof::Unproven;
  }
  const std::uint32_t keeper = references_on(task, nullptr);
  if (keeper == kNoRow) return WaitProof::Unproven;
  add({.kind = WaitLinkKind::Reference, .task = task, .other = keeper});
  if (s_.tasks[keeper].state < TaskState::Completed) return of_completion(keeper);
  add({.kind = WaitLinkKind::Buffered, .task = keeper});
  return WaitProof::Unproven;
}

WaitProof DeadlockChain::of_completion(std::uint32_t task) {
  for (;;) {
    if (task == s_.submitting) {
      add({.kind = WaitLinkKind::Submit, .task = task});
      return WaitProof::Circle;
    }
    if (seen_[task]) {
      add({.kind = WaitLinkKind::Again, .task = task});
      return WaitProof::Circle;
    }
    seen_[task] = true;
    const Task& t = s_.tasks[task];
    if (t.state != TaskState::Pending) {
      for (std::uint32_t core = 0; core < s_.cores.size(); ++core) {
        if (s_.cores[core].running.task != task) continue;
        add({.kind = WaitLinkKind::OnCore, .task = task, .other = core});
        return WaitProof::OnlySlow;
      }
      add({.kind = WaitLinkKind::NoCore, .task = task});
      const auto taken = std::find_if(s_.cores.begin(), s_.cores.end(), [](const Core& c) { return !c.idle(); });
      if (taken == s_.cores.end()) return WaitProof::Unproven;
      add({.kind = WaitLinkKind::OnCore,
           .task = taken->running.task,
           .other = static_cast<std::uint32_t>(taken - s_.cores.begin())});
      return WaitProof::OnlySlow;
    }
    const std::uint32_t producer = awaited_by(task);
    if (producer == kNoRow) return WaitProof::Unproven;
    add({.kind = WaitLinkKind::WaitsFor, .task = task, .other = producer});
    if (producer == task) return WaitProof::Circle;
    task = producer;
  }
}

std::uint32_t DeadlockChain::open_scope_of(std::uint32_t task) const {
  // Traces have tasks of several rings in one scope, so the position in the list decides.
  const auto at = std::find(s_.scope_tasks.begin(), s_.scope_tasks.end(), task);
  if (at == s_.scope_tasks.end()) return kNoRow;
  const auto position = static_cast<std::size_t>(at - s_.scope_tasks.begin());
  for (std::size_t i = s_.scopes.size(); i-- > 0;) {
    if (s_.scopes[i].first_task <= position) return s_.scopes[i].row;
  }
  return kNoRow;
}

std::uint32_t DeadlockChain::awaited_by(std::uint32_t task) const {
  const Task& t = s_.tasks[task];
  for (std::uint32_t position = 0; position < t.edge_count; ++position) {
    const Edge& e = s_.edges[s_.payload_edge(t, position)];
    if ((e.flags & kWait) != 0 && s_.tasks[e.producer].state < TaskState::Completed) return e.producer;
  }
  return kNoRow;
}

std::uint32_t DeadlockChain::references_on(std::uint32_t task, RunFinding* f) const {
  std::uint32_t keeper = kNoRow;
  std::uint32_t found = 0;
  for (const Edge& e : s_.edges) {
    if (e.producer != task || !e.pinned) continue;
    ++found;
    const TaskState state = s_.tasks[e.consumer].state;
    if (keeper == kNoRow || (state < TaskState::Completed && s_.tasks[keeper].state >= TaskState::Completed)) keeper = e.consumer;
    if (f == nullptr) continue;
    if (f->references.size() == kMostReferences) {
      ++f->references_left_out;
      continue;
    }
    f->references.push_back({.task = e.consumer, .edge = e.row, .flags = e.flags, .state = state});
  }
  // Before its payload is flushed, what a submit has claimed stands in no edge.
  const Task& t = s_.tasks[task];
  if (t.claimed == t.released + found || s_.submitting == kNoRow) return keeper;
  if (f != nullptr && f->references.size() < kMostReferences)
    f->references.push_back({.task = s_.submitting, .state = s_.tasks[s_.submitting].state});
  return keeper == kNoRow ? s_.submitting : keeper;
}

void DeadlockChain::finish(WaitProof proof, RunFinding& f) {
  f.proof = proof;
  if (links_.size() > kMostLinks) {
    f.links_left_out = links_.size() - kMostLinks;
    links_.erase(links_.begin() + kMostLinks - 1, links_.end() - 1);
  }
  f.links = std::move(links_);
}

}  // namespace depscope::runtime
