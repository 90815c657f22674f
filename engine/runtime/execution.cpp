#include "execution.h"

#include <algorithm>

namespace depscope::runtime {
namespace {

constexpr std::uint32_t bit(EventKind kind) { return 1U << static_cast<std::uint32_t>(kind); }

/// Kinds that a summary leaves out: counters between two states of a task, and the TensorMap.
constexpr std::uint32_t kFullOnly = bit(EventKind::WaitCount) | bit(EventKind::PinClaim) | bit(EventKind::PinRelease) |
                                    bit(EventKind::ScopeRelease) | bit(EventKind::TensorMapInsert) |
                                    bit(EventKind::TensorMapRemove) | bit(EventKind::TensorMapHit) | bit(EventKind::Need);

std::uint8_t lane_mask(const NewTask& task) {
  std::uint8_t mask = 0;
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    if (task.kernel_ids[lane] >= 0) mask = static_cast<std::uint8_t>(mask | 1U << lane);
  }
  return mask == 4 ? std::uint8_t{2} : mask;  // a lone AIV1 kernel runs as AIV0
}

Shape shape_of(std::uint8_t mask) {
  switch (mask) {
    case 0: return Shape::Dummy;
    case 1: return Shape::Aic;
    case 2: return Shape::Aiv;
    default: return Shape::Mix;
  }
}

}  // namespace

Execution::Execution(const ModelOptions& options, RuntimeSink& sink)
    : sink_(sink),
      topology_(topology_of(options.platform)),
      level_mask_(options.events == EventLevel::Full ? ~0U : ~kFullOnly),
      busy_(topology_.cores()) {}

void Execution::emit(EventKind kind, std::uint32_t subject, std::uint32_t object, std::int64_t old_value, std::int64_t new_value,
                     std::uint8_t actor) {
  if (!wants(kind)) return;
  sink_.event({.kind = kind,
               .actor = actor,
               .extra = 0,
               .time = time_,
               .subject = subject,
               .object = object,
               .old_value = old_value,
               .new_value = new_value});
}

void Execution::advance_time(std::uint64_t ticks) {
  time_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(time_ + ticks, 0xffffffffU));
}

void Execution::set_state(EventKind kind, std::uint32_t task, std::uint32_t object, TaskState state, std::uint8_t actor) {
  emit(kind, task, object, static_cast<std::int64_t>(state_[task]), static_cast<std::int64_t>(state), actor);
  state_[task] = state;
}

std::uint32_t Execution::allocate(const NewTask& task) {
  const std::uint32_t row = task_count();
  Ring& ring = rings_[task.ring];
  const std::uint8_t mask = task.kind == TaskKind::Kernel ? lane_mask(task) : std::uint8_t{0};
  state_.push_back(TaskState::Pending);
  kind_.push_back(task.kind);
  shape_.push_back(shape_of(mask));
  mask_.push_back(mask);
  sync_start_.push_back(task.sync_start ? 1 : 0);
  scope_released_.push_back(0);
  ring_.push_back(static_cast<std::uint8_t>(task.ring));
  local_.push_back(task.local);
  need_.push_back(0);
  have_.push_back(0);
  claimed_.push_back(0);
  released_.push_back(0);
  blocks_left_.push_back(task.block_num);
  fanout_head_.push_back(0);
  core_.push_back(kNoRow);
  ring.tasks.push_back(row);

  // Ids of a trace need not be in order; the next index never moves back.
  const std::int64_t next = std::max<std::int64_t>(ring.next, std::int64_t{task.local} + 1);
  emit(EventKind::Submit, row, task.ring, ring.next, next);
  ring.next = next;
  const std::uint64_t top = ring.heap_top + task.heap_bytes;
  if (task.heap_bytes != 0) {
    emit(EventKind::HeapAlloc, row, task.ring, static_cast<std::int64_t>(ring.heap_top), static_cast<std::int64_t>(top));
  }
  ring.heap_top = top;
  heap_end_.push_back(top);
  return row;
}

void Execution::claim(std::uint32_t producer, std::uint32_t consumer) {
  emit(EventKind::PinClaim, producer, consumer, claimed_[producer], std::int64_t{claimed_[producer]} + 1);
  ++claimed_[producer];
}

void Execution::add_have(std::uint32_t task, std::uint32_t producer, std::uint8_t actor) {
  emit(EventKind::WaitCount, task, producer, have_[task], std::int64_t{have_[task]} + 1, actor);
  ++have_[task];
}

void Execution::make_ready(std::uint32_t task, std::uint8_t actor) {
  set_state(EventKind::Ready, task, kNoRow, TaskState::Ready, actor);
  const Shape shape = shape_[task];
  Queue& queue = sync_start_[task] != 0 && shape != Shape::Dummy ? sync_ : ready_[static_cast<std::size_t>(shape)];
  queue.push(task);
}

void Execution::wire(std::uint32_t task, const std::vector<FaninEdge>& edges) {
  if (kind_[task] == TaskKind::Alloc) {
    edge_begin_.push_back(edge_producer_.size());
    set_state(EventKind::Complete, task, kNoRow, TaskState::Completed, 0);
    return;
  }
  const std::size_t first = edge_producer_.size();
  std::uint32_t waits = 0;
  bool all_done = true;
  for (const FaninEdge& edge : edges) {
    // The pin keeps a live producer from being consumed: a consumed one was gone when it was found.
    if (state_[edge.producer] == TaskState::Consumed) continue;
    edge_producer_.push_back(edge.producer);
    edge_consumer_.push_back(task);
    edge_flags_.push_back(edge.flags_final);
    edge_next_.push_back(0);
    if ((edge.flags_final & kWait) == 0) continue;
    ++waits;
    all_done = all_done && state_[edge.producer] >= TaskState::Completed;
  }
  const std::size_t end = edge_producer_.size();
  edge_begin_.push_back(end);

  emit(EventKind::Need, task, kNoRow, 0, std::int64_t{waits} + 1);
  need_[task] = waits + 1;
  for (std::size_t e = first; e < end; ++e) {
    const std::uint32_t producer = edge_producer_[e];
    if ((edge_flags_[e] & kWait) != 0) {
      if (state_[producer] >= TaskState::Completed) {
        add_have(task, producer, 0);
      } else {
        edge_next_[e] = fanout_head_[producer];
        fanout_head_[producer] = static_cast<std::uint32_t>(e) + 1;
      }
    }
    // On the fast path pins are given back only after all units are counted.
    if (!all_done && (edge_flags_[e] & kRetain) == 0) release_reference(producer, task, 0);
  }
  add_have(task, kNoRow, 0);
  for (std::size_t e = first; all_done && e < end; ++e) {
    if ((edge_flags_[e] & kRetain) == 0) release_reference(edge_producer_[e], task, 0);
  }
  if (have_[task] >= need_[task]) make_ready(task, 0);
}

void Execution::release_scope(std::uint32_t task) {
  emit(EventKind::ScopeRelease, task, kNoRow, 0, 1);
  scope_released_[task] = 1;
  consume_check(task, 0);
}

void Execution::release_reference(std::uint32_t producer, std::uint32_t consumer, std::uint8_t actor) {
  emit(EventKind::PinRelease, producer, consumer, released_[producer], std::int64_t{released_[producer]} + 1, actor);
  ++released_[producer];
  consume_check(producer, actor);
}

void Execution::consume_check(std::uint32_t task, std::uint8_t actor) {
  if (state_[task] != TaskState::Completed || scope_released_[task] == 0 || claimed_[task] != released_[task]) return;
  set_state(EventKind::Consume, task, kNoRow, TaskState::Consumed, actor);
  advance(ring_[task], actor);
}

void Execution::advance(std::uint32_t index, std::uint8_t actor) {
  Ring& ring = rings_[index];
  const std::size_t before = ring.reclaimed;
  while (ring.reclaimed < ring.tasks.size() && state_[ring.tasks[ring.reclaimed]] == TaskState::Consumed) ++ring.reclaimed;
  if (ring.reclaimed == before) return;
  const std::int64_t reached = ring.reclaimed == ring.tasks.size() ? ring.next : local_[ring.tasks[ring.reclaimed]];
  if (reached > ring.watermark) {
    emit(EventKind::Watermark, kNoRow, index, ring.watermark, reached, actor);
    ring.watermark = reached;
  }
  const std::uint64_t tail = heap_end_[ring.tasks[ring.reclaimed - 1]];
  if (tail != ring.heap_tail) {
    emit(EventKind::HeapFree, kNoRow, index, static_cast<std::int64_t>(ring.heap_tail), static_cast<std::int64_t>(tail), actor);
    ring.heap_tail = tail;
  }
}

void Execution::complete(std::uint32_t task, std::uint32_t core, std::uint8_t actor) {
  set_state(EventKind::Complete, task, core, TaskState::Completed, actor);
  for (std::uint32_t e = fanout_head_[task]; e != 0; e = edge_next_[e - 1]) {
    const std::uint32_t consumer = edge_consumer_[e - 1];
    add_have(consumer, task, actor);
    if (have_[consumer] == need_[consumer]) make_ready(consumer, actor);
  }
  deferred_.push_back(task);
}

void Execution::release_deferred() {
  while (!deferred_.empty()) {
    const std::uint32_t task = deferred_.back();
    deferred_.pop_back();
    const std::uint8_t actor = actor_of(core_[task]);
    for (std::uint64_t e = edge_begin_[task]; e < edge_begin_[task + 1]; ++e) {
      if ((edge_flags_[e] & kRetain) != 0) release_reference(edge_producer_[e], task, actor);
    }
    emit(EventKind::Release, task, kNoRow, 0, 1, actor);
    consume_check(task, actor);
  }
}

}  // namespace depscope::runtime
