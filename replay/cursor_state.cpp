#include "cursor_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
      case EventKind::ScopeBegin: scope_begin(); break;
      case EventKind::ScopeEnd: scope_end(); break;
      case EventKind::Submit:
        set(s_.ring_next[object_], "next index of the ring");
        submit();
        break;
      case EventKind::EdgeAdd:
      case EventKind::EdgeReduce: set(s_.edge_flags[subject_], "flags of the edge"); break;
      case EventKind::Ready:
      case EventKind::Consume: task_state(); break;
      case EventKind::Dispatch:
        task_state();
        core(kNoRow, subject_);
        break;
      case EventKind::Complete:
        task_state();
        core(subject_, kNoRow);
        break;
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
      case EventKind::Watermark: set(s_.ring_watermark[object_], "watermark of the ring"); break;
      case EventKind::HeapAlloc: set(s_.heap_top[object_], "heap top"); break;
      case EventKind::HeapFree: set(s_.heap_tail[object_], "heap tail"); break;
      case EventKind::TensorMapInsert:
      case EventKind::TensorMapRemove: set(s_.tensormap_entries, "entries in use"); break;
      case EventKind::TensorMapHit:
      case EventKind::Config:
      case EventKind::Block:
      case EventKind::Error:
      case EventKind::RunEnd: break;
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
    state = to;
  }

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

  void core(std::uint32_t before, std::uint32_t after) {
    if (object_ == kNoRow) return;  // alloc and dummy tasks run on no core
    std::uint32_t& running = s_.core_task[object_];
    if (!forward_) std::swap(before, after);
    if (check_ && running != before) {
      contradiction(recording_, i_,
                    running == kNoRow ? std::string("the core is idle") : fmt::format("the core runs task t{}", running));
    }
    running = after;
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
  for (auto* counter : {&s.need, &s.have, &s.claimed, &s.released}) counter->assign(tasks, 0);
  s.scope_released.assign(tasks, 0);
  s.own_released.assign(tasks, 0);
  s.edge_flags.assign(recording.edges.rows(), 0);
  out.edge_progress.assign(recording.edges.rows(), 0);
  s.scope_state.assign(recording.scopes.rows(), 0);
  std::uint32_t cores = 0;
  for (std::uint32_t i = 0; i < recording.events.rows(); ++i) {
    const auto kind = static_cast<EventKind>(recording.events.kind[i]);
    const std::uint32_t object = recording.events.object[i];
    if ((kind == EventKind::Dispatch || kind == EventKind::Complete) && object != kNoRow) cores = std::max(cores, object + 1);
  }
  s.core_task.assign(cores, kNoRow);
  for (auto* ring : {&s.ring_next, &s.ring_watermark, &s.heap_top, &s.heap_tail}) ring->assign(runtime::kRingCount, 0);
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
