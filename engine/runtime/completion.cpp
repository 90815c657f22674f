#include "completion.h"

namespace depscope::runtime {
namespace {

constexpr std::size_t kReleaseBuffer = 256;  // entries per scheduler thread

}  // namespace

QueueId queue_of(const Task& task) {
  if (task.shape == Shape::Dummy || task.predicate_false) return QueueId::Dummy;
  const auto shape = static_cast<unsigned>(task.shape);
  return static_cast<QueueId>(task.sync_start ? static_cast<unsigned>(QueueId::SyncAic) + shape : shape);
}

void Completion::add_have(std::uint32_t task, std::uint32_t producer, std::uint8_t actor) {
  Task& t = s_.tasks[task];
  s_.change(EventKind::WaitCount, task, producer, t.have, t.have + 1, actor);
}

void Completion::claim_ready(std::uint32_t task, std::uint8_t actor) {
  Task& t = s_.tasks[task];
  if (t.ready_claimed) return;
  t.ready_claimed = true;
  route_ready(task, actor);
}

void Completion::route_ready(std::uint32_t task, std::uint8_t actor) {
  s_.set_state(EventKind::Ready, task, kNoRow, TaskState::Ready, actor);
  push(queue_of(s_.tasks[task]), task, actor);
}

void Completion::push(QueueId id, std::uint32_t task, std::uint8_t actor) {
  Queue& queue = s_.queues[static_cast<std::size_t>(id)];
  if (queue.size() >= s_.options.ready_queue_entries) {
    tell_overflow(queue, id, task);
    if (s_.faithful(6)) return;  // H6 as it is: nobody looks whether the push succeeded
  }
  queue.tasks.push_back(task);
  const auto size = static_cast<std::int64_t>(queue.size());
  s_.emit(EventKind::QueuePush, task, static_cast<std::uint32_t>(id), size - 1, size, actor);
}

void Completion::tell_overflow(Queue& queue, QueueId id, std::uint32_t task) {
  if (queue.overflow_told) return;
  queue.overflow_told = true;
  RunFinding f;
  f.kind = RunFindingKind::QueueOverflow;
  f.task = task;
  f.capacity = s_.options.ready_queue_entries;
  f.count = s_.faithful(6) ? 1 : 0;
  f.text = queue_name(id);
  s_.finding(f);
}

std::uint32_t Completion::pop(QueueId id, std::uint8_t actor) {
  Queue& queue = s_.queues[static_cast<std::size_t>(id)];
  const std::uint32_t task = queue.front();
  if (++queue.head == queue.tasks.size()) {
    queue.tasks.clear();
    queue.head = 0;
  }
  const auto size = static_cast<std::int64_t>(queue.size());
  s_.emit(EventKind::QueuePop, task, static_cast<std::uint32_t>(id), size + 1, size, actor);
  return task;
}

void Completion::complete_state(std::uint32_t task, std::uint32_t core, std::uint8_t actor) {
  const Task& t = s_.tasks[task];
  for (std::uint32_t i = 0; i < t.memory_count; ++i) --s_.tasks[s_.memory_owners[t.first_memory + i]].users;
  ++s_.completed;
  s_.set_state(EventKind::Complete, task, core, TaskState::Completed, actor);
}

void Completion::complete_inline(std::uint32_t task) { complete_state(task, kNoRow, kOrchestrator); }

void Completion::complete(std::uint32_t task, std::uint32_t core, std::uint32_t thread) {
  complete_state(task, core, actor_of(thread));
  Thread& t = s_.threads[thread];
  t.walk_task = task;
  t.walk_node = s_.tasks[task].fanout_head;
  t.walked = 0;
  t.walk_visited = false;
  if (!s_.stepwise()) run_to_end(thread);
}

void Completion::walk_step(std::uint32_t thread) {
  Thread& t = s_.threads[thread];
  if (t.walk_visited) {  // H5 as it is: the node may be another's by now
    t.walk_node = s_.node(t.walk_node).next;
    t.walk_visited = false;
  }
  if (t.walk_node == 0) {
    const std::uint32_t task = t.walk_task;
    t.walk_task = kNoRow;
    defer(task, thread);
    return;
  }
  const DepNode node = s_.node(t.walk_node);
  if (s_.faithful(5)) {
    t.walk_visited = true;
  } else {
    t.walk_node = node.next;
  }
  const std::uint8_t actor = actor_of(thread);
  const std::uint32_t producer = t.walk_task;
  s_.change(EventKind::WalkNode, producer, node.consumer, t.walked, t.walked + 1, actor);
  add_have(node.consumer, producer, actor);
  if (s_.mutated(Mutation::CompletionCountedTwice)) add_have(node.consumer, producer, actor);
  const Task& consumer = s_.tasks[node.consumer];
  if (s_.mutated(Mutation::ReadyTwice) && consumer.state == TaskState::Pending) {
    route_ready(node.consumer, actor);
    return;
  }
  if (consumer.have == consumer.need) claim_ready(node.consumer, actor);
}

void Completion::defer(std::uint32_t task, std::uint32_t thread) {
  if (s_.mutated(Mutation::ReleaseForgotten) && task % 4 == 3) return;
  Thread& t = s_.threads[thread];
  s_.tasks[task].release_buffered = true;
  t.buffer.push_back({task});
  const auto size = static_cast<std::int64_t>(t.buffer.size());
  s_.emit(EventKind::Defer, task, thread, size - 1, size, actor_of(thread));
  if (t.buffer.size() < kReleaseBuffer) return;
  if (s_.stepwise()) {
    release(thread);  // the others follow as the buffer is full no longer; each is a step of its own
    return;
  }
  while (!t.buffer.empty()) release(thread);
}

void Completion::release(std::uint32_t thread) {
  Thread& t = s_.threads[thread];
  const std::uint32_t task = t.buffer.back().task;
  t.buffer.pop_back();
  s_.tasks[task].release_buffered = false;
  t.release_task = task;
  t.release_edge = 0;
  const Task& owner = s_.tasks[task];
  t.release_payload = s_.faithful(10) ? s_.row_in_slot(owner.ring, owner.slot) : task;
  if (t.release_payload != task) {
    RunFinding f;
    f.kind = RunFindingKind::LateRelease;
    f.task = task;
    f.other = t.release_payload;
    f.ring = owner.ring;
    s_.finding(f);
  }
  const auto size = static_cast<std::int64_t>(t.buffer.size());
  s_.emit(EventKind::ReleaseBegin, task, thread, size + 1, size, actor_of(thread));
  if (!s_.stepwise()) run_to_end(thread);
}

void Completion::release_step(std::uint32_t thread) {
  Thread& t = s_.threads[thread];
  const Task& payload = s_.tasks[t.release_payload];
  while (t.release_edge < payload.edge_count) {
    // The pool may have given the spilled entries of a retired task to another: its edge list is kept until its release.
    const bool kept = payload.reclaimed && !s_.faithful(10);
    const std::uint64_t edge = kept ? payload.first_edge + t.release_edge : s_.payload_edge(payload, t.release_edge);
    ++t.release_edge;
    if ((s_.edges[edge].flags & kRetain) == 0 && !s_.mutated(Mutation::WaitOnlyReleasedAgain)) continue;
    reclaim_.release_edge(edge, ReleaseCause::Consumer, actor_of(thread));
    return;
  }
  const std::uint32_t task = t.release_task;
  const std::uint32_t checked = t.release_payload;
  t.release_task = t.release_payload = kNoRow;
  s_.tasks[task].own_release_done = true;
  s_.emit(EventKind::Release, task, kNoRow, 0, 1, actor_of(thread));
  reclaim_.consume_check(checked, actor_of(thread));
}

void Completion::go_on(std::uint32_t thread) {
  Thread& t = s_.threads[thread];
  if (t.advance_ring != kNoRow) {
    const std::uint32_t ring = t.advance_ring;
    if (!reclaim_.advance_step(ring, actor_of(thread))) t.advance_ring = kNoRow;
  } else if (t.release_task != kNoRow) {
    release_step(thread);
  } else if (t.walk_task != kNoRow) {
    walk_step(thread);
  }
}

void Completion::run_to_end(std::uint32_t thread) {
  const Thread& t = s_.threads[thread];
  while (t.busy()) go_on(thread);
}

}  // namespace depscope::runtime
