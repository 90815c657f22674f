#include "what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "deadlock_settings.h"
#include "depscope/replay/check.h"
#include "depscope/replay/row_names.h"
#include "depscope/runtime/sink.h"

namespace depscope::app {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using recording::Recording;
using runtime::EventKind;
using runtime::ScopeMoves;

MovedRun end_of(const Recording& r) {
  MovedRun out;
  out.through = true;
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) {
    const std::string_view kind = r.text(r.findings.kind[row]);
    if (kind != "deadlock" && kind != "runtime_error") continue;
    out.through = false;
    out.stopped_by = r.text(r.findings.summary[row]);
  }
  std::uint32_t since = 0;
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    out.time = r.events.time[e];
    switch (static_cast<EventKind>(r.events.kind[e])) {
      case EventKind::Block:
        ++out.waits;
        since = r.events.time[e];
        break;
      case EventKind::Unblock: out.waited += r.events.time[e] - since; break;
      default: break;
    }
  }
  return out;
}

/// Alarms of a check by kind, with the first summary of each.
struct Alarms {
  std::map<std::string, std::uint64_t> count;
  std::map<std::string, std::string> first;
};

Alarms alarms_of(const Recording& r) {
  Alarms out;
  const replay::Check check(r);
  check.each({}, [&](const replay::CheckFinding& f) {
    // How the run ended is told apart.
    if (f.severity == Severity::Info || f.kind == "deadlock" || f.kind == "runtime_error") return;
    const std::string kind(f.kind);
    if (out.count[kind]++ == 0) out.first[kind] = f.summary;
  });
  return out;
}

class Mover {
 public:
  Mover(const std::string& input, const RunOptions& options, const Opened& opened)
      : input_(input), options_(to_run_again(options)), as_it_is_(opened.recording) {}

  WhatIf automatic() {
    WhatIf out = begin();
    if (!out.nothing.empty()) return out;
    if (out.as_it_is.through) {
      out.nothing = "the run comes through; --what-if=split:TASK, own:TASK or join:TASK moves a scope all the same";
      return out;
    }
    const std::optional<std::uint32_t> held = scope_that_holds();
    if (!held) {
      out.nothing = "no open scope holds what the run waits for, so that moving one does not help";
      return out;
    }
    const std::uint32_t stopped = stopped_submit();
    const std::uint32_t depth = as_it_is_.scopes.depth[*held];
    if (stopped >= free_->tasks.rows()) throw InternalError("the run without limits has fewer tasks");
    out.moves.push_back(split(stopped, depth));
    if (std::optional<ScopeMove> in_parts = parts(*held)) out.moves.push_back(std::move(*in_parts));
    if (can_own(stopped)) out.moves.push_back(own(stopped));
    if (can_join(stopped)) out.moves.push_back(join(stopped));
    return out;
  }

  WhatIf one(std::string_view kind, std::string_view task) {
    WhatIf out = begin();
    if (!out.nothing.empty()) return out;
    std::uint32_t row = 0;
    try {
      row = replay::task_row_of_any_name(*free_, task);
    } catch (const replay::QueryError& e) {
      throw UsageError(fmt::format("--what-if={}:{}: {}", kind, task, e.what()));
    }
    if (kind == "split") {
      out.moves.push_back(split(row, free_->scopes.depth[free_->tasks.scope[row]]));
    } else if (kind == "own") {
      if (!can_own(row))
        throw UsageError(fmt::format("--what-if=own:{}: it stands in a MANUAL scope, and scopes in one are not accepted", task));
      out.moves.push_back(own(row));
    } else {
      if (!can_join(row))
        throw UsageError(fmt::format("--what-if=join:{}: it stands in the scope of the run, which cannot be left out", task));
      out.moves.push_back(join(row));
    }
    return out;
  }

 private:
  WhatIf begin() {
    WhatIf out;
    out.as_it_is = end_of(as_it_is_);
    if (as_it_is_.tasks.rows() > kMaxTasksRunAgain) return too_many(std::move(out), as_it_is_.tasks.rows());
    RunOptions free = options_;
    free.lift_limits = true;
    free_ = open_input(input_, free).recording;
    if (free_->tasks.rows() > kMaxTasksRunAgain) return too_many(std::move(out), free_->tasks.rows());
    const MovedRun end = end_of(*free_);
    if (end.through) {
      out.unlimited_time = end.time;
    } else {
      out.nothing = fmt::format("the run stops without any limits, too: {}", end.stopped_by);
    }
    alarms_ = alarms_of(*free_);
    return out;
  }

  static WhatIf too_many(WhatIf out, std::uint32_t tasks) {
    out.nothing = fmt::format("the run has {} tasks, and runs of more than {} are not made again", tasks, kMaxTasksRunAgain);
    return out;
  }

  [[nodiscard]] ordered_json deadlock_fields() const {
    for (std::uint32_t row = 0; row < as_it_is_.findings.rows(); ++row) {
      if (as_it_is_.text(as_it_is_.findings.kind[row]) == "deadlock")
        return ordered_json::parse(as_it_is_.text(as_it_is_.findings.fields[row]), nullptr, false);
    }
    return {};
  }

  /// The open scope that the proof of the deadlock names.
  [[nodiscard]] std::optional<std::uint32_t> scope_that_holds() const {
    const ordered_json fields = deadlock_fields();
    if (!fields.contains("proof")) return std::nullopt;
    for (const auto& link : fields["proof"]["links"]) {
      if (link["kind"] == "open_scope") return link["scope"].get<std::uint32_t>();
    }
    return std::nullopt;
  }

  /// Number of the submit at which the run stops: its row if it has got one.
  [[nodiscard]] std::uint32_t stopped_submit() const {
    const ordered_json fields = deadlock_fields();
    const bool has_row = fields["at"].is_object() && fields["at"].contains("task");
    return as_it_is_.tasks.rows() - (has_row ? 1 : 0);
  }

  [[nodiscard]] std::string name(std::uint32_t task) const { return replay::task_finding_name(*free_, task); }

  [[nodiscard]] std::string scope_name(std::uint32_t scope) const {
    return fmt::format("scope {} ({}, depth {})", scope, free_->scopes.manual[scope] != 0 ? "MANUAL" : "AUTO",
                       free_->scopes.depth[scope]);
  }

  /// Within a MANUAL scope a program cannot open another one.
  [[nodiscard]] bool can_own(std::uint32_t task) const { return (free_->tasks.flags[task] & 1U) == 0; }
  /// The innermost scope of a task is none that the runtime has opened itself.
  [[nodiscard]] bool can_join(std::uint32_t task) const { return free_->scopes.depth[free_->tasks.scope[task]] != 0; }

  [[nodiscard]] Recording run(const ScopeMoves& moves) const {
    RunOptions moved = options_;
    moved.scope_moves = moves;
    return open_input(input_, moved).recording;
  }

  void tell(const Recording& moved, ScopeMove& out) const {
    out.run = end_of(moved);
    const Alarms now = alarms_of(moved);
    for (const auto& [kind, count] : now.count) {
      const auto before = alarms_.count.find(kind);
      const std::uint64_t had = before == alarms_.count.end() ? 0 : before->second;
      if (count <= had) continue;
      out.more_findings.emplace_back(kind, count - had);
      if (had == 0 && out.example.empty()) out.example = now.first.at(kind);
    }
  }

  [[nodiscard]] ScopeMove moved(std::string_view kind, std::string text, const ScopeMoves& moves) const {
    ScopeMove out;
    out.kind = kind;
    out.text = std::move(text);
    tell(run(moves), out);
    return out;
  }

  [[nodiscard]] ScopeMove split(std::uint32_t task, std::uint32_t depth) const {
    std::uint32_t scope = free_->tasks.scope[task];
    while (free_->scopes.depth[scope] > depth) scope = free_->scopes.parent[scope];
    ScopeMoves moves;
    moves.splits.push_back({task, depth});
    return moved("split", fmt::format("{} ends before {}, and begins again", scope_name(scope), name(task)), moves);
  }

  [[nodiscard]] ScopeMove own(std::uint32_t task) const {
    ScopeMoves moves;
    moves.own = task;
    return moved("own", fmt::format("{} gets a scope of its own inside {}", name(task), scope_name(free_->tasks.scope[task])),
                 moves);
  }

  [[nodiscard]] ScopeMove join(std::uint32_t task) const {
    const std::uint32_t scope = free_->tasks.scope[task];
    ScopeMoves moves;
    moves.left_out = scope;
    return moved(
        "join",
        fmt::format("{}, that of {}, is left out: its tasks belong to the scope around it", scope_name(scope), name(task)),
        moves);
  }

  /// Scopes of that depth in parts: the most tasks with which the run comes through. None if the scope holds one task.
  [[nodiscard]] std::optional<ScopeMove> parts(std::uint32_t held) const {
    const std::uint32_t depth = as_it_is_.scopes.depth[held];
    const auto in_scope =
        static_cast<std::uint64_t>(std::count(as_it_is_.tasks.scope.begin(), as_it_is_.tasks.scope.end(), held));
    if (in_scope < 2) return std::nullopt;
    ScopeMove out;
    out.kind = "parts";
    const auto tried = [&](std::uint64_t tasks) {
      ScopeMoves moves;
      moves.part_depth = depth;
      moves.part_tasks = tasks;
      return run(moves);
    };
    std::optional<Recording> best;
    std::uint64_t low = 0, high = in_scope;  // `high` tasks and more do not fit
    while (low + 1 < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      Recording r = tried(middle);
      if (end_of(r).through) {
        low = middle;
        best = std::move(r);
      } else {
        high = middle;
      }
    }
    out.part_tasks = low;
    out.text = fmt::format("scopes of depth {} end and begin again after every {}", depth,
                           low < 2 ? std::string("task") : fmt::format("{} tasks", low));
    tell(best ? *best : tried(1), out);
    return out;
  }

  const std::string& input_;
  RunOptions options_;
  const Recording& as_it_is_;
  std::optional<Recording> free_;  ///< with no limits
  Alarms alarms_;                  ///< of `free_`
};

ordered_json json_of(const MovedRun& run) {
  ordered_json out{{"through", run.through}};
  if (!run.through) out["stopped_by"] = run.stopped_by;
  out["waits"] = run.waits;
  out["waited"] = run.waited;
  out["time"] = run.time;
  return out;
}

std::string text_of(const MovedRun& run) {
  if (!run.through) return fmt::format("stops: {}", run.stopped_by);
  std::string out = fmt::format("comes through at {}", run.time);
  if (run.waits != 0) out += fmt::format(", after {} {} for {} in all", run.waits, run.waits == 1 ? "wait" : "waits", run.waited);
  return out;
}

}  // namespace

WhatIf what_if(const std::string& input, const RunOptions& options, const Opened& opened, std::string_view wish) {
  const std::size_t colon = wish.find(':');
  const std::string_view kind = wish.substr(0, colon);
  const bool known = wish == "auto" || (colon != std::string_view::npos && (kind == "split" || kind == "own" || kind == "join"));
  if (!known) throw UsageError(fmt::format("--what-if={}: only split:TASK, own:TASK and join:TASK are known, or nothing", wish));
  if (opened.kind != InputKind::Program && opened.kind != InputKind::Directory)
    throw UsageError("--what-if: scopes are moved in programs and dump directories only, and this is a recording or a trace");
  if (options.schedule_source != nullptr)
    throw UsageError("--what-if: the choices of --schedule list:FILE belong to the scopes as they are");
  Mover mover(input, options, opened);
  return wish == "auto" ? mover.automatic() : mover.one(kind, wish.substr(colon + 1));
}

std::string json_of(const WhatIf& found) {
  ordered_json out{{"as_it_is", json_of(found.as_it_is)},
                   {"unlimited_time", found.unlimited_time == 0 ? ordered_json() : ordered_json(found.unlimited_time)}};
  ordered_json moves = ordered_json::array();
  for (const ScopeMove& m : found.moves) {
    ordered_json move{{"move", m.kind}, {"text", m.text}};
    if (m.kind == "parts") move["tasks"] = m.part_tasks;
    move.update(json_of(m.run));
    ordered_json more = ordered_json::object();
    for (const auto& [name, count] : m.more_findings) more[name] = count;
    move["more_findings"] = more;
    if (!m.example.empty()) move["example"] = m.example;
    moves.push_back(std::move(move));
  }
  out["moves"] = std::move(moves);
  if (!found.nothing.empty()) out["nothing"] = found.nothing;
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string text_of(const WhatIf& found) {
  std::string out = "\nWhat moving a scope would do (logical time)\n";
  out += fmt::format("  as it is  {}\n", text_of(found.as_it_is));
  if (found.unlimited_time != 0) out += fmt::format("  no limits comes through at {}\n", found.unlimited_time);
  for (const ScopeMove& m : found.moves) {
    out += fmt::format("  {:<9} {}\n            {}\n", m.kind, m.text, text_of(m.run));
    for (const auto& [name, count] : m.more_findings) {
      std::string words = name;
      std::replace(words.begin(), words.end(), '_', ' ');
      out += fmt::format("            {} more {} {}\n", count, words, count == 1 ? "finding" : "findings");
    }
    if (!m.example.empty()) out += fmt::format("            for example: {}\n", m.example);
  }
  if (!found.nothing.empty()) out += fmt::format("  {}\n", found.nothing);
  return out;
}

}  // namespace depscope::app
