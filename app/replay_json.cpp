#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/state_queries.h"
#include "replay_output.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using runtime::TaskState;

std::string state_name(TaskState state) { return std::string(runtime::task_state_name(state)); }

std::string_view holder_name(replay::HolderKind kind) {
  switch (kind) {
    case replay::HolderKind::Unfinished: return "unfinished";
    case replay::HolderKind::Scope: return "scope";
    case replay::HolderKind::Consumer: return "consumer";
    case replay::HolderKind::OlderTask: return "older_task";
    case replay::HolderKind::HeapTail: return "heap_tail";
  }
  return "";
}

class ReplayJson {
 public:
  ReplayJson(const replay::Cursor& cursor, const ReplayReport& report)
      : c_(cursor), r_(cursor.recording()), s_(cursor.state()), report_(report) {}

  [[nodiscard]] std::string text() const {
    ordered_json out;
    out["schema"] = "depscope.replay/1";
    out["findings"] = errors();
    out["position"] = c_.position();
    out["events"] = c_.size();
    out["level"] = c_.size() == 0 ? "none" : (c_.full() ? "full" : "summary");
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
    out["tensormap"] = tensormap();
    out["rings"] = rings();
    out["heaps"] = heaps();
    out["open_scopes"] = scopes();
    out["running"] = places(s_.core_task);
    out["pending"] = places(s_.core_pending);
    ordered_json queues = ordered_json::object();
    for (std::size_t i = 0; i < s_.queue_length.size(); ++i)
      queues[std::string(runtime::queue_name(static_cast<runtime::QueueId>(i)))] = s_.queue_length[i];
    out["queues"] = told(std::move(queues));
    out["buffered_releases"] = told(s_.buffered_releases);
    if (!report_.tasks.empty()) {
      ordered_json details = ordered_json::array();
      for (const std::uint32_t row : report_.tasks) details.push_back(detail(row));
      out["task_details"] = std::move(details);
    }
    return out.dump(1);
  }

 private:
  /// Null where the recording is a summary, which does not tell it.
  [[nodiscard]] ordered_json told(ordered_json value) const { return c_.full() ? std::move(value) : ordered_json(); }

  [[nodiscard]] std::string id(std::uint32_t task) const { return std::to_string(r_.tasks.id[task]); }

  [[nodiscard]] ordered_json task(std::uint32_t row) const {
    ordered_json out{{"task", id(row)}, {"row", row}};
    if (const std::string_view callee = r_.text(r_.tasks.callee[row]); !callee.empty()) out["callee"] = callee;
    return out;
  }

  /// What went wrong in the run, as the recording has it.
  [[nodiscard]] ordered_json errors() const {
    ordered_json out = ordered_json::array();
    for (std::uint32_t f = 0; f < r_.findings.rows(); ++f) {
      if (r_.findings.severity[f] != static_cast<std::uint8_t>(Severity::Error)) continue;
      out.push_back(ordered_json::parse(replay::finding_json(r_, f)));
    }
    return out;
  }

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
      for (const std::uint32_t row : list.rows) rows.push_back(task(row));
      out[state_name(state)] = {{"total", list.total}, {"tasks", std::move(rows)}};
    }
    return out;
  }

  [[nodiscard]] ordered_json tensormap() const {
    const auto list = tensormap_entries(c_, report_.limit);
    if (!list) return nullptr;
    ordered_json entries = ordered_json::array();
    for (const std::uint32_t access : list->rows) {
      ordered_json entry{{"task", id(r_.accesses.task[access])}, {"argument", r_.accesses.arg[access]}, {"access", access}};
      const std::uint32_t tensor = r_.accesses.tensor[access];
      if (tensor != kNoRow) {
        entry["tensor"] = tensor;
        entry["name"] = r_.text(r_.tensors.name[tensor]);
      }
      entries.push_back(std::move(entry));
    }
    return {{"total", list->total}, {"entries", std::move(entries)}};
  }

  [[nodiscard]] ordered_json rings() const {
    ordered_json out = ordered_json::array();
    const auto number = [](const std::optional<std::int64_t>& value) { return value ? ordered_json(*value) : ordered_json(); };
    for (std::uint32_t i = 0; i < s_.rings.size(); ++i) {
      ordered_json ring{{"ring", i}};
      replay::RingState::fields(s_.rings[i], [&](std::string_view name, std::int64_t value) { ring[std::string(name)] = value; });
      const replay::RingUse use = ring_use(c_, i);
      ring["slots_used"] = use.slots_used;
      ring["heap_used"] = number(use.heap_used);
      ring["heap_wrapped"] = use.heap_wrapped;
      ring["dep_used"] = number(use.dep_used);
      ring["spill_used"] = number(use.spill_used);
      out.push_back(std::move(ring));
    }
    return out;
  }

  [[nodiscard]] ordered_json heaps() const {
    ordered_json out = ordered_json::array();
    for (std::uint32_t ring = 0; ring < runtime::kRingCount; ++ring) {
      const auto map = heap_map(c_, ring);
      if (map.empty()) continue;
      ordered_json blocks = ordered_json::array();
      for (std::size_t i = 0; i < std::min(map.size(), report_.limit); ++i) {
        blocks.push_back(
            {{"task", id(map[i].task)}, {"begin", map[i].begin}, {"end", map[i].end}, {"state", state_name(map[i].state)}});
      }
      out.push_back({{"ring", ring}, {"total", map.size()}, {"blocks", std::move(blocks)}});
    }
    return out;
  }

  [[nodiscard]] ordered_json scopes() const {
    ordered_json out = ordered_json::array();
    for (const replay::OpenScope& scope : open_scopes(c_)) {
      out.push_back({{"scope", scope.scope},
                     {"mode", r_.scopes.manual[scope.scope] != 0 ? "MANUAL" : "AUTO"},
                     {"ring", r_.scopes.ring[scope.scope]},
                     {"submitted", scope.submitted},
                     {"live", scope.live}});
    }
    return out;
  }

  /// The cores that have a task in this place.
  [[nodiscard]] ordered_json places(const std::vector<std::uint32_t>& place) const {
    ordered_json out = ordered_json::array();
    if (!c_.full()) return nullptr;
    for (std::size_t core = 0; core < place.size(); ++core) {
      if (place[core] != kNoRow) out.push_back({{"core", core}, {"task", id(place[core])}});
    }
    return out;
  }

  [[nodiscard]] ordered_json detail(std::uint32_t row) const {
    ordered_json out = task(row);
    out["state"] = state_name(static_cast<TaskState>(s_.task_state[row]));
    ordered_json waits = ordered_json::array();
    for (const std::uint32_t edge : c_.waiting_for(row)) {
      const std::uint32_t producer = r_.edges.producer[edge];
      ordered_json wait = task(producer);
      wait["state"] = state_name(static_cast<TaskState>(s_.task_state[producer]));
      waits.push_back(std::move(wait));
    }
    out["waits_for"] = std::move(waits);
    ordered_json holders = ordered_json::array();
    for (const replay::Holder& h : holders_of(c_, row)) {
      ordered_json holder{{"kind", holder_name(h.kind)}};
      if (h.task != kNoRow) holder.update(task(h.task));
      if (h.scope != kNoRow) holder["scope"] = h.scope;
      holders.push_back(std::move(holder));
    }
    out["kept_by"] = std::move(holders);
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
