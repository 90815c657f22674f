#include "reclaim.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

constexpr std::int64_t kPublicationBatch = 16;  // a5

}  // namespace

void Reclaim::release_edge(std::uint64_t edge, ReleaseCause cause, std::uint8_t actor) {
  Edge& e = s_.edges[edge];
  e.pinned = false;
  const std::uint32_t producer = e.producer;
  Task& p = s_.tasks[producer];
  s_.change(EventKind::PinRelease, producer, e.consumer, p.released, p.released + 1, actor, static_cast<std::uint16_t>(cause));
  consume_check(producer, actor);
}

void Reclaim::release_scope(std::uint32_t task) {
  s_.tasks[task].scope_released = true;
  s_.emit(EventKind::ScopeRelease, task, kNoRow, 0, 1);
  consume_check(task, kOrchestrator);
}

void Reclaim::consume_check(std::uint32_t task, std::uint8_t actor) {
  const Task& t = s_.tasks[task];
  if (t.state != TaskState::Completed) return;
  if (!t.scope_released && !s_.mutated(Mutation::ConsumedInOpenScope)) return;
  if (t.claimed != t.released && !s_.mutated(Mutation::ConsumedUnderReferences)) return;
  const std::uint32_t ring = t.ring;
  if (t.users != 0) {
    if (t.heap_begin != t.heap_end) s_.rings[ring].orphans[t.heap_begin] = task;
    RunFinding f;
    f.kind = RunFindingKind::EarlyReclaim;
    f.task = task;
    f.other = t.last_user;
    f.ring = ring;
    s_.finding(f);
  }
  s_.set_state(EventKind::Consume, task, kNoRow, TaskState::Consumed, actor);
  s_.pause_for(actor);
  try_advance(ring, actor);
}

void Reclaim::try_advance(std::uint32_t index, std::uint8_t actor) {
  Ring& ring = s_.rings[index];
  if (ring.lock_owner != 0) {
    if (s_.mutated(Mutation::LostLockForgotten)) return;
    s_.change(EventKind::AdvanceFail, kNoRow, index, ring.advance_pending, true, actor);
    return;
  }
  begin_advance(index, actor);
}

void Reclaim::begin_advance(std::uint32_t index, std::uint8_t actor) {
  Ring& ring = s_.rings[index];
  s_.change(EventKind::AdvanceLock, kNoRow, index, ring.lock_owner, static_cast<std::uint8_t>(actor + 1), actor);
  if (s_.stepwise() && actor != kOrchestrator) {
    s_.threads[actor - 1U].advance_ring = index;
    return;
  }
  s_.pause_for(actor);
  while (advance_step(index, actor)) s_.pause_for(actor);
}

bool Reclaim::advance_step(std::uint32_t index, std::uint8_t actor) {
  Ring& ring = s_.rings[index];
  const TaskState passable = s_.mutated(Mutation::WatermarkPassesCompleted) ? TaskState::Completed : TaskState::Consumed;
  if (ring.passed < ring.tasks.size() && s_.tasks[ring.tasks[ring.passed]].state >= passable) {
    ++ring.passed;
    const std::int64_t reached = std::max(ring.watermark, s_.watermark_at(ring, ring.passed));
    s_.change(EventKind::Watermark, kNoRow, index, ring.watermark, reached, actor);
    return true;
  }
  if (ring.reset < ring.passed) {
    const std::uint32_t task = ring.tasks[ring.reset++];
    Task& t = s_.tasks[task];
    t.reclaimed = true;
    if (!s_.mutated(Mutation::ListKept)) t.fanout_head = 0;
    s_.emit(EventKind::SlotReclaim, task, t.slot, 0, 1, actor);
    return true;
  }
  publish(ring, index, actor);
  s_.change(EventKind::AdvanceLock, kNoRow, index, ring.lock_owner, std::uint8_t{0}, actor);
  return false;
}

void Reclaim::publish(Ring& ring, std::uint32_t index, std::uint8_t actor) {
  const std::int64_t batch = s_.mutated(Mutation::PublishedLate) ? 2 * kPublicationBatch : kPublicationBatch;
  const bool due =
      !s_.a5() || ring.forced_publish || ring.watermark - ring.published >= batch || ring.passed == ring.tasks.size();
  if (due && ring.published_count != ring.passed) {
    ring.published_count = ring.passed;
    s_.change(EventKind::Publish, kNoRow, index, ring.published, ring.watermark, actor);
  }
  ring.forced_publish = false;
  if (!ring.serving) return;
  ring.serving = false;
  s_.change(EventKind::Acknowledge, kNoRow, index, ring.acknowledged, true, actor);
}

void Reclaim::retry_advance(std::uint32_t index, std::uint32_t thread) {
  Ring& ring = s_.rings[index];
  const std::uint8_t actor = actor_of(thread);
  s_.change(EventKind::AdvanceRetry, kNoRow, index, ring.advance_pending, false, actor);
  ring.forced_publish = true;
  begin_advance(index, actor);
}

void Reclaim::serve(std::uint32_t index, std::uint32_t thread) {
  Ring& ring = s_.rings[index];
  const std::uint8_t actor = actor_of(thread);
  s_.change(EventKind::Request, kNoRow, index, ring.request, false, actor);
  ring.forced_publish = true;
  ring.serving = true;
  begin_advance(index, actor);
}

void Reclaim::request(std::uint32_t index) {
  Ring& ring = s_.rings[index];
  if (ring.acknowledged) s_.change(EventKind::Acknowledge, kNoRow, index, ring.acknowledged, false);
  if (!ring.request) s_.change(EventKind::Request, kNoRow, index, ring.request, true);
}

}  // namespace depscope::runtime
