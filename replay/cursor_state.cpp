#include "cursor_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/replay/file.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::TaskState;

[[noreturn]] void contradiction(const Recording& recording, std::uint32_t i, const std::string& what) {
  throw FileError(FileFault::Corrupt, fmt::format("event {} ({}): {}", i, describe_event(recording, i), what));
}

/// One event in one direction. Forward: `from` is old_value and `to` is new_value; backward they change places.
class Step {
 public:
  Step(const Recording& recording, const EdgeIndex& edges, std::uint32_t i, bool forward, bool check, ReplayState& out)
      : recording_(recording), edges_(edges), i_(i), forward_(forward), check_(check), out_(out), s_(out.state) {
    const auto& e = recording.events;
    subject_ = e.subject[i];
    object_ = e.object[i];
    from_ = forward ? e.old_value[i] : e.new_value[i];
    to_ = forward ? e.new_value[i] : e.old_value[i];
  }

  void run() {
    switch (static_cast<EventKind>(recording_.events.kind[i_])) {
      case EventKind::Config: config(); break;
      case EventKind::ScopeBegin: scope_begin(); break;
      case EventKind::ScopeEnd: scope_end(); break;
      case EventKind::Submit:
        set(ring().next, "next index of the ring");
        submit();
        break;
      case EventKind::EdgeAdd:
      case EventKind::EdgeReduce:
      case EventKind::EdgeLost: set(s_.edge_flags[subject_], "flags of the edge"); break;
      case EventKind::Ready:
      case EventKind::Dispatch:
      case EventKind::Complete:
      case EventKind::Consume: task_state(); break;
      case EventKind::Need: set(s_.need[subject_], "needed units"); break;
      case EventKind::WaitCount:
        set(s_.have[subject_], "received units");
        progress(object_, subject_, kWaitCounted);
        break;
      case EventKind::PinClaim:
        set(s_.claimed[subject_], "claimed references");
        progress(subject_, object_, kPinClaimed);
        break;
      case EventKind::PinRelease:
        set(s_.released[subject_], "released references");
        progress(subject_, object_, kPinReleased);
        break;
      case EventKind::ScopeRelease: set(s_.scope_released[subject_], "scope reference"); break;
      case EventKind::Release: set(s_.own_released[subject_], "own release"); break;
      case EventKind::PayloadFlush:
      case EventKind::PayloadInit: set(s_.payload_phase[subject_], "payload phase"); break;
      case EventKind::BlockClaim: set(s_.block_cursor[subject_], "block cursor"); break;
      case EventKind::SubtaskCount: set(s_.subtasks_done[subject_], "subtasks done"); break;
      case EventKind::AbortSubmit: set(s_.aborted[subject_], "aborted mark"); break;
      case EventKind::SlotReclaim: set(s_.reclaimed[subject_], "reclaimed mark"); break;
      case EventKind::Watermark: set(ring().watermark, "watermark of the ring"); break;
      case EventKind::Publish: set(ring().published, "published watermark"); break;
      case EventKind::HeapAlloc:
        set(ring().heap_top, "heap top");
        out_.heap_allocated[object_] += forward_ ? 1U : ~0U;
        break;
      case EventKind::HeapFree: set(ring().heap_tail, "heap tail"); break;
      case EventKind::HeapGuard: set(ring().heap_guard, "rebase guard of the heap"); break;
      case EventKind::NodeTake:
        // The one ring that is not an operand: that of the consumer, whose pool the node comes from.
        set(s_.rings[runtime::ring_of(recording_.tasks.id[subject_]) % runtime::kRingCount].dep_top, "dep-pool top");
        progress(object_, subject_, kLinked);
        break;
      case EventKind::DepReclaim: set(ring().dep_tail, "dep-pool tail"); break;
      case EventKind::SpillTake: set(ring().spill_top, "spill top"); break;
      case EventKind::SpillReclaim: set(ring().spill_tail, "spill tail"); break;
      case EventKind::AdvanceLock: set(ring().lock_owner, "owner of the advance lock"); break;
      case EventKind::AdvanceFail:
      case EventKind::AdvanceRetry: set(ring().advance_pending, "advance-pending bit"); break;
      case EventKind::Request: set(ring().request, "request bit"); break;
      case EventKind::Acknowledge: set(ring().acknowledge, "acknowledge bit"); break;
      case EventKind::TensorMapInsert:
        set(s_.tensormap_entries, "entries in use");
        out_.tensormap.add(subject_, forward_ ? 1 : -1);
        break;
      case EventKind::TensorMapRemove:
      case EventKind::TensorMapCleanup:
        set(s_.tensormap_entries, "entries in use");
        out_.tensormap.add(subject_, forward_ ? -1 : 1);
        break;
      case EventKind::TensorMapSync: set(ring().cached_watermark, "cached watermark"); break;
      case EventKind::QueuePush:
      case EventKind::QueuePop: set(s_.queue_length[object_], "tasks in the queue"); break;
      case EventKind::Defer:
      case EventKind::ReleaseBegin: set(s_.buffered_releases[object_], "buffered releases"); break;
      case EventKind::Place: place(); break;
      case EventKind::Observe: observe(); break;
      // What these tell is in the tables, or is no state that outlives the event.
      case EventKind::TensorMapHit:
      case EventKind::Block:
      case EventKind::Unblock:
      case EventKind::Error:
      case EventKind::RunEnd:
      case EventKind::SubmitBegin:
      case EventKind::SubmitIgnored:
      case EventKind::SlotReset:
      case EventKind::SeqAssign:
      case EventKind::Bind:
      case EventKind::Record:
      case EventKind::DepSkip:
      case EventKind::DescriptorWrite:
      case EventKind::ReachPublish:
      case EventKind::CoreAck:
      case EventKind::Finish:
      case EventKind::WalkNode:
      case EventKind::Layout:
      case EventKind::Predicate: break;
    }
  }

 private:
  template <class T>
  void set(T& field, const char* what) {
    if (check_ && static_cast<std::int64_t>(field) != from_) {
      contradiction(recording_, i_, fmt::format("{} is {}, the event says {}", what, field, from_));
    }
    field = static_cast<T>(to_);
  }

  void move_task(std::uint8_t to) {
    std::uint8_t& state = s_.task_state[subject_];
    --s_.tasks_in_state[state];
    ++s_.tasks_in_state[to];
    if (const std::uint32_t scope = recording_.tasks.scope[subject_]; scope != kNoRow) {
      out_.scope_submitted[scope] += static_cast<std::uint32_t>(submitted(to)) - static_cast<std::uint32_t>(submitted(state));
      out_.scope_live[scope] += static_cast<std::uint32_t>(alive(to)) - static_cast<std::uint32_t>(alive(state));
    }
    state = to;
  }

  static bool submitted(std::uint8_t state) { return state != static_cast<std::uint8_t>(TaskState::Unborn); }
  static bool alive(std::uint8_t state) { return submitted(state) && state != static_cast<std::uint8_t>(TaskState::Consumed); }

  void submit() {
    const auto before = static_cast<std::uint8_t>(forward_ ? TaskState::Unborn : TaskState::Pending);
    const auto after = static_cast<std::uint8_t>(forward_ ? TaskState::Pending : TaskState::Unborn);
    if (check_ && s_.task_state[subject_] != before) contradiction(recording_, i_, "the task was submitted before");
    move_task(after);
  }

  void task_state() {
    if (check_ && s_.task_state[subject_] != from_) {
      contradiction(recording_, i_,
                    fmt::format("the task is {}, the event says {}",
                                runtime::task_state_name(static_cast<TaskState>(s_.task_state[subject_])),
                                runtime::task_state_name(static_cast<TaskState>(from_))));
    }
    move_task(static_cast<std::uint8_t>(to_));
  }

  [[nodiscard]] RingState& ring() { return s_.rings[object_]; }

  void config() {
    switch (static_cast<runtime::ConfigItem>(subject_)) {
      case runtime::ConfigItem::TaskWindow: set(ring().task_window, "task window of the ring"); break;
      case runtime::ConfigItem::HeapBytes: set(ring().heap_bytes, "heap size of the ring"); break;
      case runtime::ConfigItem::DepPool: set(ring().dep_pool, "dep-pool size of the ring"); break;
      case runtime::ConfigItem::Platform:
      case runtime::ConfigItem::Clusters:
      case runtime::ConfigItem::SchedulerThreads:
      case runtime::ConfigItem::TensorMapEntries: set(s_.config[subject_], "configured value"); break;
    }
  }

  [[nodiscard]] bool pending_place() const { return recording_.events.extra[i_] != 0; }

  void require(std::uint32_t in_place, std::uint32_t wanted, const char* place) const {
    if (!check_ || in_place == wanted) return;
    contradiction(recording_, i_,
                  in_place == kNoRow ? fmt::format("the {} place of the core is free", place)
                                     : fmt::format("the {} place of the core holds task t{}", place, in_place));
  }

  void place() {
    std::uint32_t& in_place = pending_place() ? s_.core_pending[object_] : s_.core_task[object_];
    require(in_place, kNoRow, pending_place() ? "pending" : "running");
    in_place = forward_ ? subject_ : kNoRow;
  }

  void observe() {
    std::uint32_t& running = s_.core_task[object_];
    std::uint32_t& pending = s_.core_pending[object_];
    if (pending_place()) {
      require(pending, subject_, "pending");
      pending = forward_ ? kNoRow : subject_;
    } else if (forward_) {  // the pending block, if any, starts
      require(running, subject_, "running");
      running = pending;
      pending = kNoRow;
    } else {
      pending = running;
      running = subject_;
    }
  }

  void scope_begin() {
    if (!forward_) {
      s_.open_scopes.pop_back();
      s_.scope_state[subject_] = 0;
      return;
    }
    if (check_ && s_.scope_state[subject_] != 0) contradiction(recording_, i_, "the scope was begun before");
    s_.open_scopes.push_back(subject_);
    s_.scope_state[subject_] = 1;
  }

  void scope_end() {
    if (!forward_) {
      s_.open_scopes.push_back(subject_);
      s_.scope_state[subject_] = 1;
      return;
    }
    if (check_ && (s_.open_scopes.empty() || s_.open_scopes.back() != subject_)) {
      contradiction(recording_, i_, "the scope is not the innermost open one");
    }
    s_.open_scopes.pop_back();
    s_.scope_state[subject_] = 2;
  }

  void progress(std::uint32_t producer, std::uint32_t consumer, std::uint8_t unit) {
    if (producer == kNoRow || consumer == kNoRow) return;
    const std::uint32_t edge = edges_.find(producer, consumer);
    if (edge == kNoRow) return;
    std::uint8_t& value = out_.edge_progress[edge];
    value = static_cast<std::uint8_t>(forward_ ? value + unit : value - unit);
  }

  const Recording& recording_;
  const EdgeIndex& edges_;
  std::uint32_t i_;
  bool forward_, check_;
  ReplayState& out_;
  State& s_;
  std::uint32_t subject_ = kNoRow, object_ = kNoRow;
  std::int64_t from_ = 0, to_ = 0;
};

}  // namespace

ReplayState initial_state(const Recording& recording) {
  ReplayState out;
  State& s = out.state;
  const std::uint32_t tasks = recording.tasks.rows();
  s.task_state.assign(tasks, static_cast<std::uint8_t>(TaskState::Unborn));
  for (auto* counter : {&s.need, &s.have, &s.claimed, &s.released, &s.block_cursor, &s.subtasks_done}) counter->assign(tasks, 0);
  for (auto* mark : {&s.scope_released, &s.own_released, &s.payload_phase, &s.aborted, &s.reclaimed}) mark->assign(tasks, 0);
  s.edge_flags.assign(recording.edges.rows(), 0);
  out.edge_progress.assign(recording.edges.rows(), 0);
  out.tensormap.resize(recording.accesses.rows());
  out.scope_submitted.assign(recording.scopes.rows(), 0);
  out.scope_live.assign(recording.scopes.rows(), 0);
  s.scope_state.assign(recording.scopes.rows(), 0);
  std::uint32_t cores = 0;
  std::uint32_t threads = 0;
  for (std::uint32_t i = 0; i < recording.events.rows(); ++i) {
    const auto kind = static_cast<EventKind>(recording.events.kind[i]);
    const std::uint32_t object = recording.events.object[i];
    if (kind == EventKind::Place || kind == EventKind::Observe) cores = std::max(cores, object + 1);
    if (kind == EventKind::Defer || kind == EventKind::ReleaseBegin) threads = std::max(threads, object + 1);
  }
  s.core_task.assign(cores, kNoRow);
  s.core_pending.assign(cores, kNoRow);
  s.buffered_releases.assign(threads, 0);
  s.tasks_in_state[static_cast<std::size_t>(TaskState::Unborn)] = tasks;
  return out;
}

EdgeIndex::EdgeIndex(const Recording& recording) : recording_(recording) {
  const std::uint32_t tasks = recording.tasks.rows();
  const auto& edges = recording.edges;
  fanin_begin_.assign(tasks + std::size_t{1}, 0);
  fanout_begin_.assign(tasks + std::size_t{1}, 0);
  for (std::uint32_t e = 0; e < edges.rows(); ++e) {
    ++fanin_begin_[edges.consumer[e] + std::size_t{1}];
    ++fanout_begin_[edges.producer[e] + std::size_t{1}];
  }
  for (std::size_t t = 0; t < tasks; ++t) {
    fanin_begin_[t + 1] += fanin_begin_[t];
    fanout_begin_[t + 1] += fanout_begin_[t];
  }
  std::vector<std::uint32_t> next(fanout_begin_.begin(), fanout_begin_.end() - 1);
  fanout_.resize(edges.rows());
  for (std::uint32_t e = 0; e < edges.rows(); ++e) fanout_[next[edges.producer[e]]++] = e;
}

std::uint32_t EdgeIndex::find(std::uint32_t producer, std::uint32_t consumer) const {
  const auto& edges = recording_.edges;
  // A consumer with few producers is the usual case; otherwise the producer's list, which is in order of its consumers.
  constexpr std::uint32_t kShort = 16;
  const std::uint32_t begin = fanin_begin_[consumer];
  const std::uint32_t end = fanin_begin_[consumer + std::size_t{1}];
  if (end - begin <= kShort) {
    for (std::uint32_t e = begin; e < end; ++e) {
      if (edges.producer[e] == producer) return e;
    }
    return kNoRow;
  }
  const auto first = fanout_.begin() + fanout_begin_[producer];
  const auto last = fanout_.begin() + fanout_begin_[producer + std::size_t{1}];
  const auto found =
      std::lower_bound(first, last, consumer, [&](std::uint32_t e, std::uint32_t c) { return edges.consumer[e] < c; });
  return found != last && edges.consumer[*found] == consumer ? *found : kNoRow;
}

void apply_event(const Recording& recording, const EdgeIndex& edges, std::uint32_t i, bool check, ReplayState& out) {
  Step(recording, edges, i, /*forward=*/true, check, out).run();
}

void undo_event(const Recording& recording, const EdgeIndex& edges, std::uint32_t i, ReplayState& out) {
  Step(recording, edges, i, /*forward=*/false, /*check=*/false, out).run();
}

}  // namespace depscope::replay
