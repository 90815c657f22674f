#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/row_names.h"
#include "depscope/replay/state_queries.h"
#include "replay_output.h"
#include "state_words.h"

namespace depscope::app {
namespace {

using recording::kNoRow;
using runtime::TaskState;

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
      line("{}", not_told_text(c_));
    }
    for (const std::uint32_t row : report_.tasks) detail(row);
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      if (s_.rings[ring].next != 0) line("ring {}: {}", ring, ring_text(c_, ring));
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

  void tasks() {
    for (const TaskState state : {TaskState::Pending, TaskState::Ready, TaskState::Running, TaskState::Completed}) {
      const replay::RowList list = tasks_in(c_, state, report_.limit);
      for (const std::uint32_t task : list.rows) {
        line("{}: {}{}", runtime::task_state_name(state), task_text(task),
             state == TaskState::Pending ? waits_text(c_, task) : (state == TaskState::Completed ? holders_text(c_, task) : ""));
      }
      more(list.total, list.rows.size(), fmt::format("{} tasks", runtime::task_state_name(state)));
    }
  }

  void heap(std::uint32_t ring) {
    const auto map = heap_map(c_, ring);
    for (std::size_t i = 0; i < std::min(map.size(), report_.limit); ++i) {
      line("heap of ring {}: {}..{} {}, {}{}", ring, map[i].begin, map[i].end, task_text(map[i].task),
           state_text(c_, map[i].task), map[i].state == TaskState::Consumed ? holders_text(c_, map[i].task) : "");
    }
    more(map.size(), report_.limit, "allocations");
  }

  void tensormap() {
    const auto list = tensormap_entries(c_, report_.limit);
    if (!list) return;
    for (const std::uint32_t access : list->rows) line("TensorMap: {}", access_text(r_, access));
    more(list->total, list->rows.size(), "entries");
  }

  void detail(std::uint32_t task) {
    line("{}: {}", task_text(task), state_text(c_, task));
    for (const std::uint32_t edge : c_.waiting_for(task)) {
      const std::uint32_t producer = r_.edges.producer[edge];
      line("  waits for {}, {}", task_text(producer), state_text(c_, producer));
    }
    for (const replay::Holder& holder : holders_of(c_, task)) line("  kept by {}", holder_text(r_, holder));
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
