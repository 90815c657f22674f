#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/state_queries.h"
#include "replay_output.h"
#include "state_json.h"
#include "state_words.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using runtime::TaskState;

class ReplayJson {
 public:
  ReplayJson(const replay::Cursor& cursor, const ReplayReport& report)
      : c_(cursor), r_(cursor.recording()), s_(cursor.state()), report_(report) {}

  [[nodiscard]] std::string text() const {
    ordered_json out;
    out["schema"] = "depscope.replay/1";
    out["findings"] = errors_json(r_);
    out["position"] = c_.position();
    out["events"] = c_.size();
    out["level"] = level_name(c_);
    out["digest"] = fmt::format("{:016x}", s_.digest());
    if (c_.position() > 0) out["last_event"] = replay::describe_event(r_, c_.position() - 1);
    if (!report_.moves.empty()) out["moves"] = moves();
    if (!report_.watches.empty()) out["watches"] = watches();
    ordered_json states = ordered_json::object();
    for (std::size_t i = 0; i < s_.tasks_in_state.size(); ++i)
      states[state_name(static_cast<TaskState>(i))] = s_.tasks_in_state[i];
    out["tasks_in_state"] = std::move(states);
    out["tasks"] = tasks();
    out["tensormap_entries"] = told(s_.tensormap_entries);
    out["tensormap"] = tensormap_json(c_, report_.limit);
    out["rings"] = rings_json(c_);
    out["heaps"] = heaps_json(c_, report_.limit);
    out["open_scopes"] = open_scopes_json(c_);
    out["running"] = places(s_.core_task);
    out["pending"] = places(s_.core_pending);
    ordered_json queues = ordered_json::object();
    for (std::size_t i = 0; i < s_.queue_length.size(); ++i)
      queues[std::string(runtime::queue_name(static_cast<runtime::QueueId>(i)))] = s_.queue_length[i];
    out["queues"] = told(std::move(queues));
    out["buffered_releases"] = told(s_.buffered_releases);
    if (!report_.tasks.empty()) {
      ordered_json details = ordered_json::array();
      for (const std::uint32_t row : report_.tasks) details.push_back(task_detail_json(c_, row));
      out["task_details"] = std::move(details);
    }
    return out.dump(1);
  }

 private:
  /// Null where the recording is a summary, which does not tell it.
  [[nodiscard]] ordered_json told(ordered_json value) const { return c_.full() ? std::move(value) : ordered_json(); }

  [[nodiscard]] ordered_json moves() const {
    ordered_json out = ordered_json::array();
    for (const MadeMove& m : report_.moves) {
      ordered_json move{{"move", m.move.text}, {"moved", m.outcome.moved}, {"position", m.position}};
      if (m.outcome.change) {
        const replay::Change& change = *m.outcome.change;
        move["event"] = change.event;
        move["event_text"] = replay::describe_event(r_, change.event);
        move["before"] = replay::value_text(r_, m.move.watch, change.before);
        move["after"] = replay::value_text(r_, m.move.watch, change.after);
      }
      out.push_back(std::move(move));
    }
    return out;
  }

  [[nodiscard]] ordered_json watches() const {
    ordered_json out = ordered_json::array();
    for (const replay::Watch& watch : report_.watches)
      out.push_back({{"watch", to_text(r_, watch)}, {"value", replay::value_text(r_, watch, replay::value(c_, watch))}});
    return out;
  }

  [[nodiscard]] ordered_json tasks() const {
    ordered_json out = ordered_json::object();
    for (const TaskState state :
         {TaskState::Pending, TaskState::Ready, TaskState::Running, TaskState::Completed, TaskState::Consumed}) {
      const replay::RowList list = tasks_in(c_, state, report_.limit);
      ordered_json rows = ordered_json::array();
      for (const std::uint32_t row : list.rows) rows.push_back(task_json(r_, row));
      out[state_name(state)] = {{"total", list.total}, {"tasks", std::move(rows)}};
    }
    return out;
  }

  /// The cores that have a task in this place.
  [[nodiscard]] ordered_json places(const std::vector<std::uint32_t>& place) const {
    ordered_json out = ordered_json::array();
    if (!c_.full() && !c_.measured()) return nullptr;
    for (std::size_t core = 0; core < place.size(); ++core) {
      if (place[core] != kNoRow) out.push_back({{"core", core}, {"task", task_id_json(r_, place[core])}});
    }
    return out;
  }

  const replay::Cursor& c_;
  const recording::Recording& r_;
  const replay::State& s_;
  const ReplayReport& report_;
};

}  // namespace

std::string replay_json(const replay::Cursor& cursor, const ReplayReport& report) {
  return ReplayJson(cursor, report).text() + "\n";
}

}  // namespace depscope::app
