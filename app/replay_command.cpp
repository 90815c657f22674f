#include "replay_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "depscope/replay/cursor.h"
#include "depscope/replay/facts_json.h"
#include "open_input.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;

std::string task_text(const recording::Recording& r, std::uint32_t task) {
  const std::uint64_t id = r.tasks.id[task];
  const std::uint64_t ring = (id >> 32U) & 0xffU;
  const std::string local = fmt::format("t{}", id & 0xffffffffU);
  const std::string_view callee = r.text(r.tasks.callee[task]);
  return fmt::format("{}{}{}", ring == 0 ? local : fmt::format("r{}{}", ring, local), callee.empty() ? "" : " ", callee);
}

/// The cores that have a task in this place.
ordered_json places_json(const recording::Recording& r, const std::vector<std::uint32_t>& place) {
  ordered_json out = ordered_json::array();
  for (std::size_t core = 0; core < place.size(); ++core) {
    if (place[core] != recording::kNoRow) out.push_back({{"core", core}, {"task", std::to_string(r.tasks.id[place[core]])}});
  }
  return out;
}

/// What went wrong in the run, as the recording has it.
ordered_json errors_json(const recording::Recording& r) {
  ordered_json out = ordered_json::array();
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    if (r.findings.severity[f] != static_cast<std::uint8_t>(Severity::Error)) continue;
    out.push_back(ordered_json::parse(replay::finding_json(r, f)));
  }
  return out;
}

ordered_json state_json(const recording::Recording& r, const replay::Cursor& cursor) {
  const replay::State& s = cursor.state();
  ordered_json out;
  out["schema"] = "depscope.replay/1";
  out["findings"] = errors_json(r);
  out["position"] = cursor.position();
  out["events"] = cursor.size();
  out["digest"] = fmt::format("{:016x}", s.digest());
  if (cursor.position() > 0) out["last_event"] = replay::describe_event(r, cursor.position() - 1);
  ordered_json states = ordered_json::object();
  for (std::size_t i = 0; i < s.tasks_in_state.size(); ++i) {
    states[std::string(runtime::task_state_name(static_cast<runtime::TaskState>(i)))] = s.tasks_in_state[i];
  }
  out["tasks_in_state"] = std::move(states);
  out["tensormap_entries"] = s.tensormap_entries;
  ordered_json rings = ordered_json::array();
  for (std::size_t i = 0; i < s.rings.size(); ++i) {
    ordered_json ring{{"ring", i}};
    replay::RingState::fields(s.rings[i], [&](std::string_view name, std::int64_t value) { ring[std::string(name)] = value; });
    rings.push_back(std::move(ring));
  }
  out["rings"] = std::move(rings);
  out["running"] = places_json(r, s.core_task);
  out["pending"] = places_json(r, s.core_pending);
  ordered_json queues = ordered_json::object();
  for (std::size_t i = 0; i < s.queue_length.size(); ++i) {
    queues[std::string(runtime::queue_name(static_cast<runtime::QueueId>(i)))] = s.queue_length[i];
  }
  out["queues"] = std::move(queues);
  out["buffered_releases"] = s.buffered_releases;
  return out;
}

/// " of N" where the recording tells the limit.
std::string limit_text(std::int64_t limit) { return limit == 0 ? "" : fmt::format(" of {}", limit); }

/// `all` is false for a recording of the summary level, which knows nothing of publication and pools.
std::string ring_text(const replay::RingState& ring, bool all) {
  std::string out = fmt::format("next {}, watermark {}", ring.next, ring.watermark);
  if (all) out += fmt::format(", published {}", ring.published);
  if (ring.task_window != 0) out += fmt::format(", task window {}", ring.task_window);
  out += fmt::format(", heap {}..{}{} bytes", ring.heap_tail, ring.heap_top, limit_text(ring.heap_bytes));
  if (ring.heap_guard >= 0) out += fmt::format(", rebased at {}", ring.heap_guard);
  if (all) {
    out += fmt::format(", dep pool {}{}, spill pool {}{}", ring.dep_top - ring.dep_tail, limit_text(ring.dep_pool),
                       ring.spill_top - ring.spill_tail, limit_text(ring.dep_pool));
  }
  if (ring.request != 0) out += ", publication asked for";
  if (ring.advance_pending != 0) out += ", advance pending";
  return out;
}

bool holds(const recording::Recording& r, runtime::EventKind kind) {
  return std::find(r.events.kind.begin(), r.events.kind.end(), static_cast<std::uint8_t>(kind)) != r.events.kind.end();
}

constexpr std::size_t kShown = 20;

void print_cores(const recording::Recording& r, const replay::State& s) {
  std::size_t busy = 0;
  for (std::size_t core = 0; core < s.core_task.size(); ++core) {
    const std::uint32_t running = s.core_task[core];
    const std::uint32_t pending = s.core_pending[core];
    if (running == recording::kNoRow && pending == recording::kNoRow) continue;
    if (++busy > kShown) continue;
    fmt::print("core {}: {}{}\n", core, running == recording::kNoRow ? "idle" : "runs " + task_text(r, running),
               pending == recording::kNoRow ? "" : ", pending " + task_text(r, pending));
  }
  if (busy > kShown) fmt::print("and {} more cores\n", busy - kShown);
}

void print_text(const recording::Recording& r, const replay::Cursor& cursor) {
  const replay::State& s = cursor.state();
  fmt::print("event {} of {}, state digest {:016x}\n", cursor.position(), cursor.size(), s.digest());
  if (cursor.position() > 0) fmt::print("last event: {}\n", replay::describe_event(r, cursor.position() - 1));
  std::string states;
  for (std::size_t i = 0; i < s.tasks_in_state.size(); ++i) {
    states += fmt::format("{}{} {}", i == 0 ? "" : ", ", s.tasks_in_state[i],
                          runtime::task_state_name(static_cast<runtime::TaskState>(i)));
  }
  fmt::print("tasks: {}\n", states);
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    if (r.findings.severity[f] == static_cast<std::uint8_t>(Severity::Error))
      fmt::print("{}: {}\n", r.text(r.findings.kind[f]), r.text(r.findings.summary[f]));
  }
  for (std::size_t i = 0; i < s.rings.size(); ++i) {
    if (s.rings[i].next != 0) fmt::print("ring {}: {}\n", i, ring_text(s.rings[i], holds(r, runtime::EventKind::Publish)));
  }
  print_cores(r, s);
  std::size_t shown = 0;
  for (std::uint32_t t = 0; t < r.tasks.rows() && shown < kShown; ++t) {
    if (static_cast<runtime::TaskState>(s.task_state[t]) != runtime::TaskState::Pending) continue;
    std::string waits;
    for (const std::uint32_t e : cursor.waiting_for(t)) waits += (waits.empty() ? "" : ", ") + task_text(r, r.edges.producer[e]);
    if (waits.empty()) continue;
    fmt::print("{} waits for {}\n", task_text(r, t), waits);
    ++shown;
  }
}

}  // namespace

void ReplayCommand::add_options(CLI::App& app) {
  app.add_option("FILE", input_, "A recording, or an input that is run first")->required();
  app.add_option("--to", to_, "Stop after this many events (default: all)")->option_text("N");
  app.add_flag("--json", json_, "Print the state as JSON");
  app.add_flag("--round-trip", round_trip_,
               "Go to the end, back to the start, and to the end again by single steps; fail if a digest differs");
  add_run_options(app, texts_);
}

int ReplayCommand::run() {
  const Opened opened = open_input(input_, parse(texts_));
  replay::Cursor cursor(opened.recording);
  if (to_ && *to_ > cursor.size()) throw UsageError(fmt::format("--to {}: the recording has {} events", *to_, cursor.size()));
  if (round_trip_) {
    const std::uint64_t start = cursor.state().digest();
    while (cursor.step()) {
    }
    const std::uint64_t end = cursor.state().digest();
    while (cursor.back()) {
    }
    const bool back = cursor.state().digest() == start;
    while (cursor.step()) {
    }
    if (!back || cursor.state().digest() != end) throw InternalError("stepping back and forth does not give the same states");
    if (!json_) fmt::print("round trip: start {:016x}, end {:016x}, both again after stepping back and forth\n", start, end);
  }
  cursor.seek(to_.value_or(cursor.size()));
  if (json_) {
    fmt::print("{}\n", state_json(opened.recording, cursor).dump(1));
  } else {
    print_text(opened.recording, cursor);
  }
  return kDone;
}

}  // namespace depscope::app
