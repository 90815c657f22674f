#include "waiting.h"

#include <algorithm>

#include "deadlock_chain.h"

namespace depscope::runtime {
namespace {

std::int32_t code_of(Resource resource) {
  switch (resource) {
    case Resource::TaskWindow: return kFlowControlDeadlock;
    case Resource::Heap: return kHeapDeadlock;
    case Resource::DepPool:
    case Resource::SpillPool: return kDepPoolOverflow;
    case Resource::TensorMapPool: return kTensorMapOverflow;
    case Resource::HostAccess: return kTensorWaitTimeout;
    case Resource::Scope: return kScopeDeadlock;
  }
  return kSchedulerTimeout;
}

}  // namespace

bool Waiting::exact(const Wanted& wanted) const {
  if (!s_.a5()) return true;
  if (wanted.resource == Resource::TensorMapPool) {
    return std::all_of(s_.rings.begin(), s_.rings.end(), [](const Ring& r) { return r.published_count == r.passed; });
  }
  const Ring& ring = s_.rings[wanted.ring];
  return ring.published_count == ring.passed;
}

void Waiting::ask_for_publication(const Wanted& wanted) {
  for (std::uint32_t r = 0; r < kRingCount; ++r) {
    if (wanted.resource != Resource::TensorMapPool && r != wanted.ring) continue;
    reclaim_.request(r);
  }
}

bool Waiting::asking(const Wanted& wanted) const {
  if (wanted.resource != Resource::TensorMapPool) return s_.rings[wanted.ring].request;
  return std::any_of(s_.rings.begin(), s_.rings.end(), [](const Ring& r) { return r.request; });
}

/// The task at the watermark is the oldest one that a scope open now owns: only the end of that scope lets it go, and the
/// orchestrator that would end it waits.
bool Waiting::structural(const Wanted& wanted) const {
  if (wanted.resource != Resource::TaskWindow && wanted.resource != Resource::Heap && wanted.resource != Resource::DepPool)
    return false;
  const Ring& ring = s_.rings[wanted.ring];
  // The published watermark counts: an advance that is not published yet may be all that is missing.
  if (ring.published_count == ring.tasks.size()) return false;
  const std::uint32_t head = ring.tasks[ring.published_count];
  const auto scope = std::find_if(s_.scopes.begin(), s_.scopes.end(), [&](const ScopeState& s) { return s.ring == wanted.ring; });
  const std::size_t first = scope == s_.scopes.end() ? 0 : scope->first_task;
  // Tasks of a trace lie on the ring of their id, whatever the ring of their scope.
  const auto oldest = std::find_if(s_.scope_tasks.begin() + static_cast<std::ptrdiff_t>(first), s_.scope_tasks.end(),
                                   [&](std::uint32_t task) { return s_.tasks[task].ring == wanted.ring; });
  return oldest != s_.scope_tasks.end() && *oldest == head;
}

bool Waiting::block(const Wanted& wanted, const std::function<bool()>& ready, const std::function<std::uint64_t()>& used) {
  const auto extra = static_cast<std::uint16_t>(wanted.resource);
  s_.emit(EventKind::Block, wanted.task, wanted.ring, static_cast<std::int64_t>(used()),
          static_cast<std::int64_t>(wanted.requested), kOrchestrator, extra);
  bool asked = false;
  while (s_.error == 0) {
    if (s_.a5() && !asked) {
      // The wait has brought nothing so far: only an exact watermark tells more.
      ask_for_publication(wanted);
      asked = true;
      // With a chosen schedule the request is served when it is thread 0's turn.
      if (!s_.chooser.active()) scheduler_.serve_requests();
      if (!ready()) continue;
    } else if (exact(wanted) && structural(wanted)) {
      deadlock(wanted, used(), ErrorClass::Structural);
      return false;
    } else if (!scheduler_.step()) {
      if (!exact(wanted)) {
        asked = false;
        continue;
      }
      deadlock(wanted, used(), ErrorClass::Backstop);
      return false;
    }
    if (ready()) {
      s_.emit(EventKind::Unblock, wanted.task, wanted.ring, static_cast<std::int64_t>(used()),
              static_cast<std::int64_t>(wanted.requested), kOrchestrator, extra);
      return true;
    }
    if (s_.a5() && !exact(wanted) && !asking(wanted)) asked = false;
  }
  return false;
}

void Waiting::fatal(std::int32_t code, std::uint32_t task, std::uint32_t ring, ErrorClass error_class) {
  if (s_.error != 0) return;
  if (!s_.mutated(Mutation::NoErrorLatch)) s_.error = code;
  s_.emit(EventKind::Error, task, ring, 0, code, kOrchestrator, static_cast<std::uint16_t>(error_class));
}

void Waiting::refuse(std::int32_t code, std::uint32_t task) {
  if (s_.error != 0) return;
  RunFinding f;
  f.kind = RunFindingKind::Error;
  f.code = code;
  f.task = task;
  name_submit(f);
  s_.finding(f);
  fatal(code, task, kNoRow, ErrorClass::None);
}

void Waiting::name_submit(RunFinding& f) const {
  if (submission_ == nullptr) return;
  f.callee =
      submission_->kind == TaskKind::Alloc && !submission_->args.empty() ? submission_->args.front().name : submission_->callee;
  f.id = submission_->forced_id;
  f.submit_kind = submission_->kind;
  f.call_site = submission_->call_site;
}

RunFinding Waiting::describe(const Wanted& wanted, std::uint64_t used) const {
  const Ring& ring = s_.rings[wanted.ring];
  RunFinding f;
  f.kind = RunFindingKind::Deadlock;
  f.task = wanted.task;
  f.other = wanted.producer;
  f.ring = wanted.ring;
  f.resource = wanted.resource;
  f.requested = wanted.requested;
  f.capacity = wanted.capacity;
  f.used = used;
  f.next_index = ring.next;
  f.watermark = ring.published;
  f.code = code_of(wanted.resource);
  if (!s_.scopes.empty()) f.manual_scope = s_.in_manual();
  if (ring.passed < ring.tasks.size()) {
    f.head = ring.tasks[ring.passed];
    const Task& head = s_.tasks[f.head];
    f.head_state = head.state;
    f.head_claimed = head.claimed;
    f.head_released = head.released;
    f.head_scope_released = head.scope_released;
  }
  name_submit(f);
  return f;
}

void Waiting::deadlock(const Wanted& wanted, std::uint64_t used, ErrorClass error_class) {
  RunFinding f = describe(wanted, used);
  f.error_class = error_class;
  DeadlockChain(s_).of_wait(wanted, f);
  s_.finding(f);
  fatal(f.code, wanted.task, wanted.ring, error_class);
}

void Waiting::scope_full(std::uint32_t ring, std::uint64_t count, std::uint64_t limit) {
  RunFinding f = describe({.resource = Resource::Scope, .ring = ring, .requested = 1, .capacity = limit}, count);
  f.error_class = ErrorClass::Structural;
  // Traces: one scope has tasks of several rings, and stand-ins that do not count.
  const auto in_scope = s_.scope_tasks.begin() + static_cast<std::ptrdiff_t>(s_.scopes.back().first_task);
  f.first_counted = *std::find_if(in_scope, s_.scope_tasks.end(),
                                  [&](std::uint32_t task) { return s_.tasks[task].ring == ring && s_.tasks[task].recorded; });
  DeadlockChain(s_).of_full_scope(f.first_counted, f);
  s_.finding(f);
  fatal(kScopeDeadlock, kNoRow, ring, ErrorClass::Structural);
}

void Waiting::scheduler_timeout() {
  // Sub-classes in the order in which upstream decides (runtime.md 6.8). A task whose first blocks have ended may have none on a
  // core: it is ready and waits for a place.
  std::uint32_t on_core = kNoRow, ready = kNoRow, waiting = kNoRow, core = kNoRow;
  for (std::uint32_t c = 0; c < s_.cores.size(); ++c) {
    const std::uint32_t row = s_.cores[c].running.task;
    if (row >= on_core) continue;
    on_core = row;
    core = c;
  }
  for (std::uint32_t row = 0; row < s_.tasks.size(); ++row) {
    const Task& t = s_.tasks[row];
    if (t.state >= TaskState::Completed) continue;
    std::uint32_t& first = t.state == TaskState::Pending ? waiting : ready;
    if (first == kNoRow) first = row;
  }
  RunFinding f;
  f.kind = RunFindingKind::Error;
  f.code = kSchedulerTimeout;
  if (on_core != kNoRow) {
    f.error_class = ErrorClass::S1;
    f.task = on_core;
  } else if (ready != kNoRow) {
    f.error_class = ErrorClass::S3;
    f.task = ready;
  } else if (waiting != kNoRow) {
    f.error_class = ErrorClass::S4;
    f.task = waiting;
  } else {
    f.error_class = ErrorClass::Unknown;
  }
  f.count = core;
  if (f.task != kNoRow) DeadlockChain(s_).of_task(f.task, f);
  s_.finding(f);
  fatal(kSchedulerTimeout, f.task, kNoRow, f.error_class);
}

}  // namespace depscope::runtime
