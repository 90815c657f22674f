#include "dispatch.h"

#include <algorithm>
#include <bit>

namespace depscope::runtime {
namespace {

constexpr std::array kSyncQueues{QueueId::SyncMix, QueueId::SyncAic, QueueId::SyncAiv};

}  // namespace

// ---------------------------------------------------------------- places

std::uint32_t Dispatch::cores_of(std::uint32_t lanes, std::uint32_t core, std::array<std::uint32_t, 3>& out) const {
  if (std::has_single_bit(lanes)) {
    out[0] = core;
    return 1;
  }
  const std::uint32_t cluster = cluster_of(core);
  const std::uint32_t aiv = s_.topology.clusters + 2 * cluster;
  std::uint32_t count = 0;
  if ((lanes & kAicLane) != 0) out[count++] = cluster;
  if ((lanes & kAiv0Lane) != 0) out[count++] = aiv;
  if ((lanes & kAiv1Lane) != 0) out[count++] = aiv + 1;
  return count;
}

Dispatch::Place Dispatch::place_for(std::uint32_t lanes, std::uint32_t core) const {
  std::array<std::uint32_t, 3> used{};
  const std::uint32_t count = cores_of(lanes, core, used);
  bool all_idle = true;
  bool pending = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Core& c = s_.cores[used[i]];
    all_idle = all_idle && c.idle();
    pending = pending && (c.idle() || c.pending_free());
  }
  if (all_idle) return Place::Running;
  return pending ? Place::Pending : Place::None;
}

std::uint32_t Dispatch::find_core(std::uint32_t thread, const Task& task, Place wanted) const {
  const std::uint32_t clusters = s_.topology.clusters;
  for (std::uint32_t c = thread; c < clusters; c += s_.topology.scheduler_threads) {
    if (task.shape == Shape::Aiv) {
      const std::uint32_t aiv = clusters + 2 * c;
      if (place_for(task.lanes, aiv) == wanted) return aiv;
      if (place_for(task.lanes, aiv + 1) == wanted) return aiv + 1;
    } else if (place_for(task.lanes, c) == wanted) {
      return c;
    }
  }
  return kNoRow;
}

std::uint32_t Dispatch::count_cores(std::uint32_t thread, const Task& task, Place wanted) const {
  const std::uint32_t clusters = s_.topology.clusters;
  std::uint32_t count = 0;
  for (std::uint32_t c = thread; c < clusters; c += s_.topology.scheduler_threads) {
    if (task.shape == Shape::Aiv) {
      const std::uint32_t aiv = clusters + 2 * c;
      count += (place_for(task.lanes, aiv) == wanted ? 1U : 0U) + (place_for(task.lanes, aiv + 1) == wanted ? 1U : 0U);
    } else if (place_for(task.lanes, c) == wanted) {
      ++count;
    }
  }
  return count;
}

bool Dispatch::any_idle(const Task& task) const {
  for (std::uint32_t thread = 0; thread < s_.topology.scheduler_threads; ++thread) {
    if (find_core(thread, task, Place::Running) != kNoRow) return true;
  }
  return false;
}

// ---------------------------------------------------------------- placing

void Dispatch::start(std::uint32_t core, CoreBlock& block) {
  const Task& task = s_.tasks[block.task];
  const std::uint64_t duration = std::uint64_t{task.duration} * task.group_at(block.block);
  block.due = task.duration == kNeverFinishes ? kNeverFinishes
                                              : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                    std::uint64_t{s_.time} + duration, kNeverFinishes - std::uint64_t{1}));
  s_.begun.push_back(core);
}

void Dispatch::place_block(std::uint32_t task, std::uint32_t block, std::uint32_t core, std::uint8_t actor) {
  Task& t = s_.tasks[task];
  std::array<std::uint32_t, 3> used{};
  const std::uint32_t count = cores_of(t.lanes, core, used);
  for (std::uint32_t i = 0; i < count; ++i) {
    Core& c = s_.cores[used[i]];
    const bool pending = !c.idle();
    CoreBlock& place = pending ? c.pending : c.running;
    place = {.task = task, .block = block};
    if (!pending || c.running.finished) start(used[i], place);
    s_.emit(EventKind::Place, task, used[i], 0, block, actor, pending ? 1 : 0);
    if (t.core == kNoRow) {
      t.core = used[i];
      s_.set_state(EventKind::Dispatch, task, used[i], TaskState::Running, actor);
    }
  }
}

bool Dispatch::can_place(QueueId queue, std::uint32_t core) const {
  const Queue& q = s_.queues[static_cast<std::size_t>(queue)];
  if (q.empty()) return false;
  const Task& t = s_.tasks[q.front()];
  const bool aic_core = core < s_.topology.clusters;
  if (t.shape == Shape::Aic && !aic_core) return false;
  if (t.shape == Shape::Aiv && aic_core) return false;
  if (t.shape == Shape::Mix && !aic_core) return false;  // a cluster is named by its AIC core
  return place_for(t.lanes, core) != Place::None;
}

void Dispatch::place_first(QueueId queue, std::uint32_t core, std::uint32_t thread) {
  const std::uint8_t actor = actor_of(thread);
  const std::uint32_t task = completion_.pop(queue, actor);
  Task& t = s_.tasks[task];
  const std::uint32_t block = t.block_cursor;
  const bool again = s_.mutated(Mutation::BlockPlacedTwice) && block == 0 && t.block_num > 1 && t.core == kNoRow;
  s_.change(EventKind::BlockClaim, task, thread, t.block_cursor, again ? 0 : block + t.group_at(block), actor);
  if (t.block_cursor < t.block_num) completion_.push(queue, task, actor);
  place_block(task, block, core, actor);
}

bool Dispatch::fill(QueueId queue, std::uint32_t thread, Place wanted) {
  const std::uint8_t actor = actor_of(thread);
  Queue& q = s_.queues[static_cast<std::size_t>(queue)];
  bool any = false;
  while (!q.empty()) {
    const std::uint32_t task = q.front();
    Task& t = s_.tasks[task];
    const std::uint32_t places = count_cores(thread, t, wanted);
    if (places == 0) break;
    completion_.pop(queue, actor);
    const std::uint32_t first = t.block_cursor;
    std::uint32_t end = first;
    for (std::uint32_t i = 0; i < places && end < t.block_num; ++i) end += t.group_at(end);
    s_.change(EventKind::BlockClaim, task, thread, t.block_cursor, end, actor);
    if (t.block_cursor < t.block_num) completion_.push(queue, task, actor);
    for (std::uint32_t block = first; block < end; block += t.group_at(block)) {
      place_block(task, block, find_core(thread, t, wanted), actor);
    }
    any = true;
  }
  return any;
}

bool Dispatch::sync_fits(QueueId queue) const {
  const Queue& q = s_.queues[static_cast<std::size_t>(queue)];
  if (q.empty()) return false;
  const Task& t = s_.tasks[q.front()];
  std::uint32_t places = 0;
  for (std::uint32_t thread = 0; thread < s_.topology.scheduler_threads; ++thread)
    places += count_cores(thread, t, Place::Running);
  return places >= t.block_num;
}

void Dispatch::place_sync(QueueId queue, std::uint32_t thread) {
  const std::uint8_t actor = actor_of(thread);
  const std::uint32_t task = completion_.pop(queue, actor);
  Task& t = s_.tasks[task];
  s_.change(EventKind::BlockClaim, task, thread, t.block_cursor, t.block_num, actor);
  std::uint32_t block = 0;
  for (std::uint32_t owner = 0; owner < s_.topology.scheduler_threads && block < t.block_num; ++owner) {
    for (std::uint32_t core = find_core(owner, t, Place::Running); core != kNoRow && block < t.block_num;
         core = find_core(owner, t, Place::Running)) {
      place_block(task, block++, core, actor);
    }
  }
}

bool Dispatch::sync_waiting() const {
  return std::any_of(kSyncQueues.begin(), kSyncQueues.end(),
                     [this](QueueId id) { return !s_.queues[static_cast<std::size_t>(id)].empty(); });
}

bool Dispatch::pass(std::uint32_t thread) {
  bool any = false;
  for (const QueueId queue : kSyncQueues) {
    while (sync_fits(queue)) {
      place_sync(queue, thread);
      any = true;
    }
  }
  if (sync_waiting()) return any;  // nothing else starts until all its blocks can start together
  const auto fill_singles = [&](Place wanted) {
    const bool odd = thread % 2 != 0;
    for (const QueueId queue : {odd ? QueueId::Aiv : QueueId::Aic, odd ? QueueId::Aic : QueueId::Aiv}) {
      const Queue& q = s_.queues[static_cast<std::size_t>(queue)];
      if (q.empty()) continue;
      if (wanted == Place::Pending && any_idle(s_.tasks[q.front()])) continue;
      any = fill(queue, thread, wanted) || any;
    }
  };
  const Queue& mix = s_.queues[static_cast<std::size_t>(QueueId::Mix)];
  any = fill(QueueId::Mix, thread, Place::Running) || any;
  const bool mix_left = !mix.empty();
  // Work for whole clusters that is left over keeps single cores from taking them apart.
  if (!mix_left) fill_singles(Place::Running);
  if (!mix.empty() && !any_idle(s_.tasks[mix.front()])) any = fill(QueueId::Mix, thread, Place::Pending) || any;
  if (!mix_left) fill_singles(Place::Pending);
  return any;
}

bool Dispatch::drain(std::uint32_t thread, std::size_t limit) {
  const Queue& queue = s_.queues[static_cast<std::size_t>(QueueId::Dummy)];
  std::size_t left = std::min(limit, queue.size());
  const bool any = left != 0;
  for (; left != 0; --left) {
    const std::uint32_t task = completion_.pop(QueueId::Dummy, actor_of(thread));
    completion_.complete(task, kNoRow, thread);
  }
  return any;
}

// ---------------------------------------------------------------- cores

const CoreBlock* Dispatch::executing(std::uint32_t core) const {
  const Core& c = s_.cores[core];
  const CoreBlock& block = c.running.finished ? c.pending : c.running;
  return block.empty() || block.finished ? nullptr : &block;
}

bool Dispatch::can_acknowledge(std::uint32_t core) const {
  const CoreBlock* block = executing(core);
  return block != nullptr && !block->acknowledged;
}

void Dispatch::acknowledge(std::uint32_t core) {
  Core& c = s_.cores[core];
  const bool pending = c.running.finished;
  CoreBlock& block = pending ? c.pending : c.running;
  s_.change(EventKind::CoreAck, block.task, core, block.acknowledged, true, kCoreActor, pending ? 1 : 0);
}

bool Dispatch::can_finish(std::uint32_t core) const {
  const CoreBlock* block = executing(core);
  return block != nullptr && block->due != kNeverFinishes;
}

void Dispatch::finish(std::uint32_t core) {
  Core& c = s_.cores[core];
  const bool pending = c.running.finished;
  CoreBlock& block = pending ? c.pending : c.running;
  block.finished = true;
  s_.begun.erase(std::find(s_.begun.begin(), s_.begun.end(), core));
  s_.emit(EventKind::Finish, block.task, core, 0, block.block, kCoreActor, pending ? 1 : 0);
  if (!pending && !c.pending.empty()) start(core, c.pending);
}

bool Dispatch::can_observe(std::uint32_t core) const {
  const Core& c = s_.cores[core];
  if (c.running.empty() || !c.running.finished) return false;
  // A core reports its last event only: the end of the running block shows with the pending block's acknowledgement.
  return c.pending.empty() || c.pending.acknowledged || c.pending.finished;
}

void Dispatch::end_of(std::uint32_t core, std::uint16_t place, std::uint32_t thread) {
  Core& c = s_.cores[core];
  const CoreBlock block = place == 0 ? c.running : c.pending;
  if (place == 0) c.running = c.pending;
  c.pending = {};
  const std::uint8_t actor = actor_of(thread);
  s_.emit(EventKind::Observe, block.task, core, 0, block.block, actor, place);
  Task& t = s_.tasks[block.task];
  s_.change(EventKind::SubtaskCount, block.task, core, t.subtasks_done, t.subtasks_done + t.group_at(block.block), actor);
}

void Dispatch::observe(std::uint32_t core, std::uint32_t thread) {
  const Core& c = s_.cores[core];
  std::array<std::uint32_t, 2> done{c.running.task, kNoRow};
  if (c.pending.finished) {
    done = {c.pending.task, s_.stepwise() ? kNoRow : c.running.task};
    end_of(core, 1, thread);
  }
  // With fine granularity a walk may stay begun: the running block is left to the next poll.
  if (!s_.stepwise() || done[0] == c.running.task) end_of(core, 0, thread);
  for (const std::uint32_t task : done) {
    if (task == kNoRow) continue;
    const Task& t = s_.tasks[task];
    if (t.subtasks_done == t.subtasks_required && t.state == TaskState::Running) completion_.complete(task, t.core, thread);
  }
}

bool Dispatch::poll(std::uint32_t thread) {
  bool any = false;
  const std::uint32_t clusters = s_.topology.clusters;
  const auto look = [&](std::uint32_t core) {
    if (s_.cores[core].idle()) return;
    if (can_acknowledge(core)) {
      acknowledge(core);
      any = true;
    }
    if (can_observe(core)) {
      observe(core, thread);
      any = true;
    }
  };
  for (std::uint32_t c = thread; c < clusters; c += s_.topology.scheduler_threads) {
    look(c);
    look(clusters + 2 * c);
    look(clusters + 2 * c + 1);
  }
  return any;
}

bool Dispatch::finish_next() {
  std::uint32_t due = kNeverFinishes;
  for (const std::uint32_t core : s_.begun) due = std::min(due, executing(core)->due);
  if (due == kNeverFinishes) return false;
  s_.advance_time(due - std::min(due, s_.time));
  ending_ = s_.begun;
  for (const std::uint32_t core : ending_) {
    const CoreBlock* block = executing(core);
    if (block != nullptr && block->due == due) finish(core);
  }
  return true;
}

}  // namespace depscope::runtime
