// The canonical schedule (runtime.md 10.5): rounds of one unit of time. In a round the schedulers drain dummy tasks, fill the
// cores in queue order, all placed blocks end in dispatch order, and the releases of the round run last in, first out.
#include <algorithm>

#include "execution.h"

namespace depscope::runtime {
namespace {

constexpr std::uint32_t kDummyBatch = 8;  // per scheduler thread and loop iteration
constexpr std::uint32_t kAicLane = 1, kAiv0Lane = 2, kAiv1Lane = 4;
constexpr std::int64_t kSchedulerTimeout = 100;  // runtime.md 6.8

}  // namespace

std::uint8_t Execution::actor_of(std::uint32_t core) const {
  if (core == kNoRow) return 1;
  const std::uint32_t cluster = core < topology_.clusters ? core : (core - topology_.clusters) / 2;
  return static_cast<std::uint8_t>(1 + cluster % topology_.scheduler_threads);
}

bool Execution::drain_dummies() {
  Queue& queue = ready_[static_cast<std::size_t>(Shape::Dummy)];
  // Dummies that become ready in this round wait for the next one.
  std::uint64_t batch =
      std::min<std::uint64_t>(queue.tasks.size() - queue.head, std::uint64_t{kDummyBatch} * topology_.scheduler_threads);
  const bool any = batch != 0;
  for (; batch != 0; --batch) {
    const std::uint32_t task = queue.front();
    queue.pop();
    complete(task, kNoRow, 1);
  }
  return any;
}

bool Execution::cluster_fits(std::uint32_t cluster, std::uint32_t mask) const {
  const std::uint32_t aiv = topology_.clusters + 2 * cluster;
  return ((mask & kAicLane) == 0 || busy_[cluster] == 0) && ((mask & kAiv0Lane) == 0 || busy_[aiv] == 0) &&
         ((mask & kAiv1Lane) == 0 || busy_[aiv + 1] == 0);
}

void Execution::occupy(std::uint32_t core, std::uint32_t mask) {
  if (mask == kAicLane || mask == kAiv0Lane) {
    busy_[core] = 1;
    return;
  }
  const std::uint32_t cluster = core < topology_.clusters ? core : (core - topology_.clusters) / 2;
  const std::uint32_t aiv = topology_.clusters + 2 * cluster;
  if ((mask & kAicLane) != 0) busy_[cluster] = 1;
  if ((mask & kAiv0Lane) != 0) busy_[aiv] = 1;
  if ((mask & kAiv1Lane) != 0) busy_[aiv + 1] = 1;
}

std::uint32_t Execution::free_places(Shape shape) const {
  const std::uint32_t clusters = topology_.clusters;
  std::uint32_t free = 0;
  if (shape == Shape::Mix) {
    for (std::uint32_t c = 0; c < clusters; ++c) free += cluster_fits(c, kAicLane | kAiv0Lane | kAiv1Lane) ? 1 : 0;
    return free;
  }
  const std::uint32_t begin = shape == Shape::Aic ? 0 : clusters;
  const std::uint32_t end = shape == Shape::Aic ? clusters : topology_.cores();
  for (std::uint32_t core = begin; core < end; ++core) free += busy_[core] == 0 ? 1 : 0;
  return free;
}

bool Execution::place_block(std::uint32_t task) {
  const std::uint32_t clusters = topology_.clusters;
  std::uint32_t core = kNoRow;
  if (shape_[task] == Shape::Mix) {
    for (std::uint32_t c = 0; c < clusters && core == kNoRow; ++c) {
      if (cluster_fits(c, mask_[task])) core = (mask_[task] & kAicLane) != 0 ? c : clusters + 2 * c;
    }
  } else {
    const bool aic = shape_[task] == Shape::Aic;
    const std::uint32_t end = aic ? clusters : topology_.cores();
    for (std::uint32_t c = aic ? 0 : clusters; c < end && core == kNoRow; ++c) {
      if (busy_[c] == 0) core = c;
    }
  }
  if (core == kNoRow) return false;
  occupy(core, mask_[task]);
  --blocks_left_[task];
  if (core_[task] == kNoRow) {
    core_[task] = core;
    set_state(EventKind::Dispatch, task, core, TaskState::Running, actor_of(core));
  }
  return true;
}

void Execution::place_blocks(std::uint32_t task) {
  const std::uint32_t before = blocks_left_[task];
  // A task that runs over several rounds keeps its first core from round to round.
  if (core_[task] != kNoRow) --blocks_left_[task];
  while (blocks_left_[task] != 0 && place_block(task)) {
  }
  if (blocks_left_[task] != before) placed_.push_back({task, before - blocks_left_[task]});
}

void Execution::place(Shape shape, bool only_started) {
  Queue& queue = ready_[static_cast<std::size_t>(shape)];
  while (!queue.empty()) {
    const std::uint32_t task = queue.front();
    if (only_started && core_[task] == kNoRow) return;
    place_blocks(task);
    if (blocks_left_[task] != 0) return;
    queue.pop();
  }
}

void Execution::dispatch() {
  bool draining = false;
  while (!sync_.empty()) {
    const std::uint32_t task = sync_.front();
    if (blocks_left_[task] > free_places(shape_[task])) {
      draining = true;  // nothing new starts until all its blocks can start together
      break;
    }
    place_blocks(task);
    sync_.pop();
  }
  place(Shape::Mix, draining);
  // Matrix-and-vector work that is left over keeps single cores from taking its clusters apart.
  if (!draining && !ready_[static_cast<std::size_t>(Shape::Mix)].empty()) return;
  place(Shape::Aic, draining);
  place(Shape::Aiv, draining);
}

void Execution::finish_round() {
  bool any_complete = false;
  for (const Placed& p : placed_) {
    if (blocks_left_[p.task] != 0) continue;
    complete(p.task, core_[p.task], actor_of(core_[p.task]));
    any_complete = true;
  }
  if (!any_complete && !placed_.empty() && deferred_.empty() && ready_[static_cast<std::size_t>(Shape::Dummy)].empty()) {
    // The same round would repeat until one of its tasks runs out of blocks: skip to there.
    std::uint32_t repeats = kNoRow;
    for (const Placed& p : placed_) repeats = std::min(repeats, (blocks_left_[p.task] - 1) / p.blocks);
    for (const Placed& p : placed_) blocks_left_[p.task] -= repeats * p.blocks;
    advance_time(repeats);
  }
  placed_.clear();
  std::fill(busy_.begin(), busy_.end(), 0);
  for (const Shape shape : {Shape::Aic, Shape::Aiv, Shape::Mix}) {
    const Queue& queue = ready_[static_cast<std::size_t>(shape)];
    if (!queue.empty() && core_[queue.front()] != kNoRow) occupy(core_[queue.front()], mask_[queue.front()]);
  }
}

void Execution::run() {
  for (;;) {
    const bool drained = drain_dummies();
    dispatch();
    if (!drained && placed_.empty()) break;
    advance_time();
    finish_round();
    release_deferred();
  }
  std::uint32_t stuck = 0;
  std::uint32_t first_stuck = kNoRow;
  for (std::uint32_t task = 0; task < task_count(); ++task) {
    if (state_[task] >= TaskState::Completed) continue;
    if (stuck++ == 0) first_stuck = task;
  }
  if (stuck != 0) emit(EventKind::Error, first_stuck, kNoRow, 0, kSchedulerTimeout, 1);
  emit(EventKind::RunEnd, kNoRow, kNoRow, 0, std::int64_t{task_count()} - stuck);
}

}  // namespace depscope::runtime
