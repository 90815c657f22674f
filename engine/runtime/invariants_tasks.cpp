// Invariants of single tasks: state, readiness, start, release (I2, I4, I7 to I9, I13, I20, I32, I33).
#include <fmt/format.h>

#include <algorithm>

#include "completion.h"
#include "invariants.h"

namespace depscope::runtime {
namespace {

bool may_follow(TaskState before, TaskState now, const Task& task) {
  if (before == now) return true;
  switch (now) {
    case TaskState::Ready: return before == TaskState::Pending;
    case TaskState::Running: return before == TaskState::Ready;
    case TaskState::Completed:
      if (task.kind == TaskKind::Alloc) return before == TaskState::Pending;
      return before == (queue_of(task) == QueueId::Dummy ? TaskState::Ready : TaskState::Running);
    case TaskState::Consumed: return before == TaskState::Completed;
    default: return false;
  }
}

}  // namespace

void InvariantWatch::new_task(std::uint32_t task) {
  if (task >= s_.tasks.size() || task < seen_.size()) return;
  seen_.resize(task + std::size_t{1});
  if (mark_.size() <= task) {
    mark_.resize(2 * (task + std::size_t{64}));
    claimed_by_.resize(mark_.size());
  }
  const Task& t = s_.tasks[task];
  Seen& seen = seen_[task];
  seen.id = t.id;
  SeenRing& ring = rings_[t.ring];
  seen.position = static_cast<std::uint32_t>(s_.rings[t.ring].tasks.size() - 1);
  ring.dense = ring.dense && seen.position == local_of(t.id);
  builder_current_ = false;
  claims_.clear();
  unreduced_.clear();

  const TaskId place = make_task_id(t.ring, t.slot);
  const std::uint32_t before = slot_owner_.find(place);
  if (s_.tasks[task].recorded) slot_owner_.set(place, task);  // a stand-in leaves the slot to the real task
  if (before == kNoRow) return;
  const Seen& old = seen_[before];
  if (!s_.tasks[before].reclaimed || old.state != TaskState::Consumed) {
    report(17, before,
           fmt::format("the slot of task row {} is given to task row {} before the watermark has passed it", before, task), task);
  }
  if (old.held != 0) {
    report(
        6, before,
        fmt::format("the slot of task row {} is given to task row {} while {} references are held on it", before, task, old.held),
        task);
  }
  if (s_.faithful(10) && old.deferred > old.release_begun) {
    report(39, before,
           fmt::format("the slot of task row {} is given to task row {} while its release is still buffered", before, task),
           task);
  }
}

void InvariantWatch::complete(std::uint32_t task, std::uint32_t core) {
  Seen& seen = seen_[task];
  const Task& t = s_.tasks[task];
  seen.by_scheduler = t.kind != TaskKind::Alloc;
  seen.walked = !seen.by_scheduler;
  for (std::uint32_t i = 0; i < t.memory_count; ++i) {
    const std::uint32_t owner = s_.memory_owners[t.first_memory + i];
    if (known(owner) && seen.flushed) --seen_[owner].users;
  }
  std::erase(all_observed_, task);
  const bool on_cores = seen.by_scheduler && queue_of(t) != QueueId::Dummy;
  if (on_cores && seen.observed != t.subtasks_required) {
    report(32, task,
           fmt::format("task row {} completes with {} of {} subtasks observed", task, seen.observed, t.subtasks_required));
  }
  if (seen.by_scheduler && core == kNoRow) check_start(task);
}

void InvariantWatch::task_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  switch (kind) {
    case EventKind::Ready: ++seen_[subject].readied; break;
    case EventKind::Dispatch: check_start(subject); break;
    case EventKind::Complete: complete(subject, object); break;
    case EventKind::Need: seen_[subject].need_told = true; break;
    case EventKind::WaitCount: {
      Seen& seen = seen_[subject];
      if (object == kNoRow) {
        ++seen.own_units;
        break;
      }
      SeenEdge* e = edge_between(object, subject);
      if (e == nullptr || (e->flags & kWait) == 0) {
        report(8, subject, fmt::format("task row {} counts task row {}, for which it does not wait", subject, object), object);
        break;
      }
      if (e->counted) report(8, subject, fmt::format("task row {} counts task row {} twice", subject, object), object);
      if (!known(object) || seen_[object].state < TaskState::Completed) {
        report(8, subject, fmt::format("task row {} counts task row {}, which is not completed", subject, object), object);
      }
      if (!e->counted) ++seen.counted;
      e->counted = true;
      break;
    }
    case EventKind::Consume: {
      const Task& t = s_.tasks[subject];
      if (t.claimed != t.released || seen_[subject].held != 0 || !seen_[subject].scope_released) {
        report(2, subject,
               fmt::format("task row {} is consumed with {} of {} references given back, {} still held and its scope {}", subject,
                           t.released, t.claimed, seen_[subject].held, seen_[subject].scope_released ? "ended" : "open"));
      }
      break;
    }
    case EventKind::Defer: {
      Seen& seen = seen_[subject];
      seen.walked = true;
      ++buffered_;
      if (++seen.deferred != 1 || seen.state < TaskState::Completed) {
        report(33, subject,
               fmt::format("task row {} ({}) is put into a release buffer {} times", subject, task_state_name(seen.state),
                           seen.deferred));
      }
      break;
    }
    case EventKind::ReleaseBegin: {
      Seen& seen = seen_[subject];
      if (buffered_ != 0) --buffered_;
      if (++seen.release_begun > seen.deferred) {
        report(33, subject,
               fmt::format("the release of task row {} begins {} times but was buffered {} times", subject, seen.release_begun,
                           seen.deferred));
      }
      if (seen.release_begun > 1) break;
      for (std::uint32_t i = 0; i < seen.edges; ++i) {
        const SeenEdge& e = seen_edges_[seen.first_edge + i];
        if ((e.constructed & kRetain) != 0 && known(e.producer)) --seen_[e.producer].retaining;
      }
      break;
    }
    case EventKind::Release: {
      Seen& seen = seen_[subject];
      if (++seen.released > 1 || seen.release_begun != 1) {
        report(33, subject,
               fmt::format("task row {} is released {} times after {} beginnings", subject, seen.released, seen.release_begun));
      }
      check_edges(subject);
      break;
    }
    case EventKind::DescriptorWrite:
      if (!s_.tasks[subject].descriptor_written) {
        report(20, subject, fmt::format("the descriptor of task row {} is told as written but is not", subject));
      }
      break;
    case EventKind::SubmitBegin:
    case EventKind::Submit:
    case EventKind::Finish:
    case EventKind::CoreAck:
    case EventKind::QueuePop:
    case EventKind::RunEnd:
      for (const std::uint32_t task : all_observed_) {
        report(32, task,
               fmt::format("all {} subtasks of task row {} were observed, but it is not completed",
                           s_.tasks[task].subtasks_required, task));
      }
      all_observed_.clear();
      break;
    default: break;
  }
}

void InvariantWatch::check_task(std::uint32_t task) {
  check_state(task);
  check_references(task);
  check_readiness(task);
  const Task& t = s_.tasks[task];
  const Seen& seen = seen_[task];
  if (t.id != seen.id || t.ring != ring_of(t.id) % kRingCount || t.slot != s_.slot_of(t.ring, t.local()) ||
      (!t.reclaimed && slot_owner_.find(make_task_id(t.ring, t.slot)) == task && s_.row_in_slot(t.ring, t.slot) != task)) {
    report(20, task,
           fmt::format("task row {} was submitted as {}/{} and now stands as {}/{} in slot {}", task, ring_of(seen.id),
                       local_of(seen.id), t.ring, t.local(), t.slot));
  }
  if (t.phase != PayloadPhase::None && !t.descriptor_written) {
    report(20, task, fmt::format("the payload of task row {} is written before its descriptor", task));
  }
  if (t.block_cursor > t.block_num || t.subtasks_done > t.subtasks_required || t.subtasks_done != seen.observed) {
    report(32, task,
           fmt::format("task row {} has claimed {} of {} blocks and counts {} of {} subtasks; {} were observed", task,
                       t.block_cursor, t.block_num, t.subtasks_done, t.subtasks_required, seen.observed));
  }
  if (t.release_buffered != (seen.deferred > seen.release_begun) || t.own_release_done != (seen.released != 0)) {
    report(33, task,
           fmt::format("the release of task row {} was buffered {}, begun {} and done {} times, but its marks say otherwise",
                       task, seen.deferred, seen.release_begun, seen.released));
  }
}

void InvariantWatch::check_state(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  Seen& seen = seen_[task];
  if (!may_follow(seen.state, t.state, t)) {
    report(2, task, fmt::format("task row {} goes from {} to {}", task, task_state_name(seen.state), task_state_name(t.state)));
  }
  seen.state = t.state;
}

void InvariantWatch::check_readiness(std::uint32_t task) {
  const Task& t = s_.tasks[task];
  const Seen& seen = seen_[task];
  if (t.kind == TaskKind::Alloc) {
    if (t.need != 0 || t.have != 0) {
      report(7, task, fmt::format("allocation task row {} needs {} and has {} readiness units", task, t.need, t.have));
    }
    return;
  }
  if (seen.need_told && t.need != seen.waits + 1) {
    report(7, task, fmt::format("task row {} needs {} readiness units but has {} WAIT edges", task, t.need, seen.waits));
  }
  if (t.wired && !seen.need_told) report(7, task, fmt::format("task row {} is wired without a need", task));
  if (t.have != seen.counted + seen.own_units || seen.own_units > 1 || (seen.need_told && t.have > t.need)) {
    report(8, task,
           fmt::format("task row {} has {} of {} readiness units; {} producers and {} units of its own were counted", task,
                       t.have, t.need, seen.counted, seen.own_units));
  }
  if (t.state >= TaskState::Ready) {
    if (t.have != t.need || !t.wired || seen.readied != 1) {
      report(9, task,
             fmt::format("task row {} is {} with {} of {} readiness units after being made ready {} times", task,
                         task_state_name(t.state), t.have, t.need, seen.readied));
    }
  } else if (seen.readied != 0) {
    report(9, task, fmt::format("task row {} was made ready but is {}", task, task_state_name(t.state)));
  }
}

/// I13. What the runtime was told to wait for counts, reduced or not.
void InvariantWatch::check_start(std::uint32_t task) {
  const Seen& seen = seen_[task];
  for (std::uint32_t i = 0; i < seen.edges; ++i) {
    const SeenEdge& e = seen_edges_[seen.first_edge + i];
    if ((e.constructed & kWait) == 0 || !known(e.producer) || seen_[e.producer].state >= TaskState::Completed) continue;
    report(13, task,
           fmt::format("task row {} starts while its producer, task row {}, is {}", task, e.producer,
                       task_state_name(seen_[e.producer].state)),
           e.producer);
  }
}

void InvariantWatch::check_queues(bool between_actions) {
  ++epoch_;
  for (std::size_t q = 0; q < s_.queues.size(); ++q) {
    const Queue& queue = s_.queues[q];
    for (std::size_t i = queue.head; i < queue.tasks.size(); ++i) {
      const std::uint32_t task = queue.tasks[i];
      if (!known(task)) continue;
      const Task& t = s_.tasks[task];
      const bool ready = t.state == TaskState::Ready || (t.state == TaskState::Running && t.block_cursor < t.block_num);
      if (mark_[task] == epoch_ || !ready || t.have != t.need || static_cast<std::size_t>(queue_of(t)) != q) {
        report(9, task,
               fmt::format("task row {} ({}, {} of {} readiness units, {} of {} blocks claimed) stands in queue {}{}", task,
                           task_state_name(t.state), t.have, t.need, t.block_cursor, t.block_num,
                           queue_name(static_cast<QueueId>(q)), mark_[task] == epoch_ ? " for the second time" : ""));
      }
      mark_[task] = epoch_;
    }
  }
  if (!between_actions || s_.error != 0) return;
  for (const Ring& ring : s_.rings) {
    for (std::size_t i = ring.passed; i < ring.tasks.size(); ++i) {
      const std::uint32_t task = ring.tasks[i];
      if (!known(task) || mark_[task] == epoch_) continue;
      const Task& t = s_.tasks[task];
      if (t.state != TaskState::Ready && (t.state != TaskState::Running || t.block_cursor == t.block_num)) continue;
      report(9, task, fmt::format("task row {} is {} but stands in no queue", task, task_state_name(t.state)));
    }
  }
}

void InvariantWatch::check_buffers() {
  std::size_t entries = 0;
  ++epoch_;
  for (const Thread& thread : s_.threads) {
    for (const Deferred& d : thread.buffer) {
      ++entries;
      if (!known(d.task)) continue;
      const Seen& seen = seen_[d.task];
      if (mark_[d.task] == epoch_ || seen.deferred <= seen.release_begun || seen.state < TaskState::Completed) {
        report(
            33, d.task,
            fmt::format("task row {} ({}, {} releases begun) stands in a release buffer{}", d.task, task_state_name(seen.state),
                        seen.release_begun, mark_[d.task] == epoch_ ? " for the second time" : ""));
      }
      mark_[d.task] = epoch_;
      check_edges(d.task);
    }
  }
  if (entries != buffered_) {
    report(33, kNoRow, fmt::format("{} releases are buffered, but the buffers hold {}", buffered_, entries));
  }
}

}  // namespace depscope::runtime
