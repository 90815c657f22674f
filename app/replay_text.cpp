#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "replay_output.h"

namespace depscope::app {
namespace {

using recording::kNoRow;
using runtime::TaskState;

constexpr std::size_t kShownWaits = 4;  // producers, holders of one task in a list

/// " of N" where the recording tells the limit.
std::string limit_text(std::int64_t limit) { return limit == 0 ? "" : fmt::format(" of {}", limit); }

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class ReplayText {
 public:
  ReplayText(const replay::Cursor& cursor, const ReplayReport& report)
      : c_(cursor), r_(cursor.recording()), s_(cursor.state()), report_(report) {}

  [[nodiscard]] std::string text() {
    moves();
    line("event {} of {}, state digest {:016x}", c_.position(), c_.size(), s_.digest());
    if (c_.position() > 0) line("last event: {}", replay::describe_event(r_, c_.position() - 1));
    for (const replay::Watch& watch : report_.watches)
      line("{}: {}", to_text(r_, watch), replay::value_text(r_, watch, replay::value(c_, watch)));
    std::string states;
    for (std::size_t i = 0; i < s_.tasks_in_state.size(); ++i) {
      states +=
          fmt::format("{}{} {}", i == 0 ? "" : ", ", s_.tasks_in_state[i], runtime::task_state_name(static_cast<TaskState>(i)));
    }
    line("tasks: {}", states);
    for (std::uint32_t f = 0; f < r_.findings.rows(); ++f) {
      if (r_.findings.severity[f] == static_cast<std::uint8_t>(Severity::Error))
        line("{}: {}", r_.text(r_.findings.kind[f]), r_.text(r_.findings.summary[f]));
    }
    if (c_.size() == 0) {
      line("the recording has no events");
    } else if (!c_.full()) {
      line("the recording is a summary: cores, TensorMap, queues and pools are not in it");
    }
    for (const std::uint32_t row : report_.tasks) detail(row);
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      if (s_.rings[ring].next != 0) line("ring {}: {}", ring, ring_text(ring));
    }
    for (const replay::OpenScope& scope : open_scopes(c_)) {
      line("scope s{} {} on ring {}: {}, {} not consumed", scope.scope, r_.scopes.manual[scope.scope] != 0 ? "MANUAL" : "AUTO",
           r_.scopes.ring[scope.scope], count_text(scope.submitted, "task", "tasks"), scope.live);
    }
    cores();
    tasks();
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) heap(ring);
    tensormap();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  /// After a list of which not everything is shown; nothing where no lists are wanted.
  void more(std::size_t total, std::size_t shown, std::string_view of) {
    if (total > shown && report_.limit > 0) line("  and {} more {}", total - shown, of);
  }

  [[nodiscard]] std::string task_text(std::uint32_t task) const { return replay::task_text(r_, task); }
  [[nodiscard]] std::string_view state_text(std::uint32_t task) const {
    return runtime::task_state_name(static_cast<TaskState>(s_.task_state[task]));
  }

  void moves() {
    for (const MadeMove& m : report_.moves) {
      if (m.outcome.change) {
        line("{}: event {} ({}), {} -> {}", m.move.text, m.outcome.change->event,
             replay::describe_event(r_, m.outcome.change->event), replay::value_text(r_, m.move.watch, m.outcome.change->before),
             replay::value_text(r_, m.move.watch, m.outcome.change->after));
      } else if (m.outcome.moved) {
        line("{}: after {}", m.move.text, count_text(m.position, "event", "events"));
      } else if (m.move.kind == replay::MoveKind::Step || m.move.kind == replay::MoveKind::Back) {
        line("{}: stopped after {}", m.move.text, count_text(m.position, "event", "events"));
      } else {
        line("{}: no such event, still after {}", m.move.text, count_text(m.position, "event", "events"));
      }
    }
  }

  [[nodiscard]] std::string ring_text(std::uint32_t i) const {
    const replay::RingState& ring = s_.rings[i];
    const replay::RingUse use = ring_use(c_, i);
    std::string out = fmt::format("next {}, watermark {}", ring.next, ring.watermark);
    if (c_.full()) out += fmt::format(", published {}", ring.published);
    out += fmt::format(", slots {}{}", use.slots_used, limit_text(use.slots));
    out += fmt::format(", heap {}..{}", ring.heap_tail, ring.heap_top);
    if (use.heap_used) out += fmt::format(" ({}{} bytes)", *use.heap_used, limit_text(use.heap_bytes));
    if (use.heap_wrapped) out += ", wrapped";
    if (ring.heap_guard >= 0) out += fmt::format(", rebased at {}", ring.heap_guard);
    if (use.dep_used) out += fmt::format(", dep pool {}{}", *use.dep_used, limit_text(use.dep_pool));
    if (use.spill_used) out += fmt::format(", spill pool {}{}", *use.spill_used, limit_text(use.dep_pool));
    if (ring.request != 0) out += ", publication asked for";
    if (ring.advance_pending != 0) out += ", advance pending";
    return out;
  }

  void cores() {
    const auto busy = busy_cores(c_);
    if (!busy) return;
    for (std::size_t i = 0; i < std::min(busy->size(), report_.limit); ++i) {
      const replay::CoreUse& core = (*busy)[i];
      line("core {}: {}{}", core.core, core.running == kNoRow ? "idle" : "runs " + task_text(core.running),
           core.pending == kNoRow ? "" : ", pending " + task_text(core.pending));
    }
    more(busy->size(), report_.limit, "cores");
  }

  [[nodiscard]] std::string waits_text(std::uint32_t task) const {
    const auto edges = c_.waiting_for(task);
    std::string out;
    for (std::size_t i = 0; i < std::min(edges.size(), kShownWaits); ++i)
      out += (i == 0 ? " waits for " : ", ") + task_text(r_.edges.producer[edges[i]]);
    if (edges.size() > kShownWaits) out += fmt::format(" and {} more", edges.size() - kShownWaits);
    return out;
  }

  [[nodiscard]] std::string holder_text(const replay::Holder& holder) const {
    switch (holder.kind) {
      case replay::HolderKind::Unfinished: return "its own end";
      case replay::HolderKind::Scope:
        return holder.scope == kNoRow ? "a scope that the recording does not have" : fmt::format("scope s{}", holder.scope);
      case replay::HolderKind::Consumer: return task_text(holder.task);
      case replay::HolderKind::OlderTask:
        return holder.task == kNoRow ? "the watermark, which is on its way" : "the older task " + task_text(holder.task);
      case replay::HolderKind::HeapTail: return "the heap's tail";
    }
    return "";
  }

  [[nodiscard]] std::string holders_text(std::uint32_t task) const {
    const auto holders = holders_of(c_, task);
    std::string out;
    for (std::size_t i = 0; i < std::min(holders.size(), kShownWaits); ++i)
      out += (i == 0 ? " kept by " : ", ") + holder_text(holders[i]);
    if (holders.size() > kShownWaits) out += fmt::format(" and {} more", holders.size() - kShownWaits);
    return out;
  }

  void tasks() {
    for (const TaskState state : {TaskState::Pending, TaskState::Ready, TaskState::Running, TaskState::Completed}) {
      const replay::RowList list = tasks_in(c_, state, report_.limit);
      for (const std::uint32_t task : list.rows) {
        line("{}: {}{}", runtime::task_state_name(state), task_text(task),
             state == TaskState::Pending ? waits_text(task) : (state == TaskState::Completed ? holders_text(task) : ""));
      }
      more(list.total, list.rows.size(), fmt::format("{} tasks", runtime::task_state_name(state)));
    }
  }

  void heap(std::uint32_t ring) {
    const auto map = heap_map(c_, ring);
    for (std::size_t i = 0; i < std::min(map.size(), report_.limit); ++i) {
      line("heap of ring {}: {}..{} {}, {}{}", ring, map[i].begin, map[i].end, task_text(map[i].task), state_text(map[i].task),
           map[i].state == TaskState::Consumed ? holders_text(map[i].task) : "");
    }
    more(map.size(), report_.limit, "allocations");
  }

  void tensormap() {
    const auto list = tensormap_entries(c_, report_.limit);
    if (!list) return;
    for (const std::uint32_t access : list->rows) {
      const std::uint32_t tensor = r_.accesses.tensor[access];
      const std::string_view name = tensor == kNoRow ? "" : r_.text(r_.tensors.name[tensor]);
      line("TensorMap: argument {}{}{} of {}", r_.accesses.arg[access], name.empty() ? "" : " ", name,
           task_text(r_.accesses.task[access]));
    }
    more(list->total, list->rows.size(), "entries");
  }

  void detail(std::uint32_t task) {
    line("{}: {}", task_text(task), state_text(task));
    for (const std::uint32_t edge : c_.waiting_for(task)) {
      const std::uint32_t producer = r_.edges.producer[edge];
      line("  waits for {}, {}", task_text(producer), state_text(producer));
    }
    for (const replay::Holder& holder : holders_of(c_, task)) line("  kept by {}", holder_text(holder));
  }

  const replay::Cursor& c_;
  const recording::Recording& r_;
  const replay::State& s_;
  const ReplayReport& report_;
  std::string out_;
};

}  // namespace

std::string replay_text(const replay::Cursor& cursor, const ReplayReport& report) { return ReplayText(cursor, report).text(); }

}  // namespace depscope::app
