#include "depscope/replay/artefacts/imported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "../json_text.h"
#include "backward_pairs.h"
#include "depscope/recording/findings.h"
#include "health_page.h"
#include "measured_events.h"
#include "run_details.h"
#include "run_names.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::kNotMeasured;
using recording::Recording;

/// Tasks rows by id.
class TaskRows {
 public:
  explicit TaskRows(const Recording& r) {
    rows_.reserve(r.tasks.rows());
    for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) rows_.emplace_back(r.tasks.id[t], t);
    std::sort(rows_.begin(), rows_.end());
  }
  [[nodiscard]] std::uint32_t of(std::uint64_t id) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), std::pair(id, std::uint32_t{0}));
    return at == rows_.end() || at->first != id ? kNoRow : at->second;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows_;
};

class Importer {
 public:
  Importer(const RunFiles& files, const std::string& root, const ImportOptions& options)
      : files_(files), page_(out_, root, options.digests) {
    out_.where = files.where;
  }

  ImportedRun run() {
    graph();
    timing();
    scopes();
    add_names(out_, files_, page_);
    add_build(out_, files_, page_);
    add_details(out_, files_, page_);
    const bool any =
        out_.has_graph || out_.swimlane || out_.scopes || out_.args || out_.pmu || out_.host_phases || !out_.logs.empty();
    missing();
    if (!any && page_.first_error()) throw InputError(*page_.first_error());
    if (out_.swimlane) {
      const TaskRows rows(out_.recording);
      join(rows);
      page_.write_findings();
      measured(rows);
      if (out_.has_graph) {
        add_measured_events(out_.recording, out_.times.clock_freq_hz, out_.swimlane->core_to_thread,
                            out_.scopes && out_.scopes->version != 0 ? &*out_.scopes : nullptr);
        out_.backward = backward_pairs(out_.recording, out_.times);
        add_backward_findings(out_.recording, out_.times, out_.backward);
      }
    }
    page_.write_findings();
    return std::move(out_);
  }

 private:
  FileHealth& health(ArtefactKind kind) { return health_of(out_, kind); }

  /// Reads the first file of the kind, if there is one.
  template <class Read>
  bool file(ArtefactKind kind, std::uint64_t most, const Read& read) {
    const auto& paths = files_.of(kind);
    return !paths.empty() && page_.file(kind, paths.front(), most, read);
  }

  void graph() {
    out_.has_graph = file(ArtefactKind::Deps, kMaxDepsBytes, [this](SourceFile& source, FileHealth& health) {
      DepsFile deps = read_deps_json(std::move(source), {.salvage = true});
      out_.recording = std::move(deps.recording);
      health.version = deps_version_name(deps.health.version);
      const Recording& r = out_.recording;
      health.facts = {counted(r.tasks.rows(), "task"), counted(r.edges.rows(), "edge"), counted(r.tensors.rows(), "tensor")};
      if (deps.health.producers_without_record != 0)
        health.notes.push_back(fmt::format("{} without a record: explicit calls of the allocator",
                                           counted(deps.health.producers_without_record, "producer")));
      if (deps.health.skipped_edges != 0)
        health.notes.push_back(fmt::format("{} rows of edges are no edges", deps.health.skipped_edges));
      if (deps.health.consumers_without_record != 0)
        health.notes.push_back(
            fmt::format("{} of edges without a record", counted(deps.health.consumers_without_record, "consumer")));
      if (deps.health.cut) page_.cut(health, *deps.health.cut, true);
      for (const std::string& assumed : deps.health.assumed) out_.health.assumed.push_back(assumption(assumed));
    });
  }

  static std::string assumption(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kSentences{{
        {"tasks", "the file has pairs of tasks only: no argument, no kernel, no scope is known"},
        {"sources", "edges do not say where they come from"},
        {"flags", "edges have no flags: explicit and creator edges are taken as WAIT and RETAIN, those of the TensorMap as WAIT"},
        {"explicit_retain", "explicit edges always say WAIT and RETAIN: one that only waits cannot be told apart"},
        {"scope", "tasks do not say in which mode their scope is: AUTO is assumed"},
        {"kernel_ids", "tasks do not say which kernels they run"},
        {"block_num", "tasks do not say how many blocks they have: one is assumed"},
        {"early_dispatch", "tasks do not say whether they allow early dispatch: no is assumed"},
        {"strides", "offsets are by dimension: strides are those of the whole buffers"},
    }};
    for (const auto& [key, sentence] : kSentences) {
      if (key == name) return std::string(sentence);
    }
    return std::string(name);
  }

  void timing() {
    // A trace made of the timing says all of it but the queues; of several the newest, by the time in its name.
    const bool raw = !files_.of(ArtefactKind::Swimlane).empty();
    const auto& paths = files_.of(raw ? ArtefactKind::Swimlane : ArtefactKind::Merged);
    if (paths.empty()) return;
    page_.file(
        ArtefactKind::Swimlane, raw ? paths.front() : paths.back(), kMaxSwimlaneBytes,
        [&](const SourceFile& source, FileHealth& health) {
          Swimlane s = raw ? read_swimlane(source, {.salvage = true}) : read_merged_trace(source, {.salvage = true});
          if (!raw) health.notes.emplace_back("read in place of chip_swimlane_records.json, which is not there");
          health.version = fmt::format("level {}, {}", s.level, swimlane_shape_name(s.shape));
          if (s.cut) page_.cut(health, *s.cut);
          if (s.level_derived) health.notes.emplace_back("names no level that is known: taken from the sections it has");
          if (s.unknown_kinds != 0)
            health.notes.push_back(fmt::format("{} of a kind that is not known", counted(s.unknown_kinds, "phase")));
          if (s.capture_dropped != 0)
            health.notes.push_back(fmt::format("the host lost {}", counted(s.capture_dropped, "record")));
          if (!s.capture_status.empty() && s.capture_status != "complete")
            health.notes.push_back(fmt::format("the host's records are {}: no latency across the two clocks", s.capture_status));
          out_.times = run_times(s);
          health.facts.push_back(counted(out_.times.joined.rows(), "dispatch row"));
          if (s.scheduler.rows() != 0) health.facts.push_back(counted(s.scheduler.rows(), "scheduler phase"));
          if (s.orchestrator.rows() != 0)
            health.facts.push_back(counted(s.orchestrator.rows(), "submit") + (s.host_orchestrator ? " of the host" : ""));
          if (out_.times.without_core != 0)
            health.notes.push_back(fmt::format("{} of the AICPU without one of the core: lost, and nothing says of which tasks",
                                               counted(out_.times.without_core, "row")));
          if (out_.times.without_aicpu.rows() != 0)
            health.notes.push_back(fmt::format("{} of the cores without one of the AICPU: start and end only",
                                               counted(out_.times.without_aicpu.rows(), "row")));
          if (out_.times.twice != 0)
            health.notes.push_back(
                fmt::format("{} of a core and token that another one has, too", counted(out_.times.twice, "row")));
          out_.swimlane = std::move(s);
        });
  }

  void scopes() {
    file(ArtefactKind::ScopeStats, kMaxScopeStatsBytes, [this](const SourceFile& source, FileHealth& health) {
      ScopeStats s = read_scope_stats(source);
      if (s.version == 0) {
        health.notes.emplace_back("is empty: nothing was recorded");
      } else {
        health.version = std::to_string(s.version);
      }
      out_.peaks = scope_peaks(s);
      health.facts = {counted(s.rows(), "sample"), counted(out_.peaks.pairs, "scope") + " that ended"};
      if (s.cut) page_.cut(health, *s.cut);
      if (s.fatal) health.notes.emplace_back("a fatal error was latched: what came after it is for diagnosis only");
      if (!s.cut && s.version != 0 && s.total - std::min(s.total, s.dropped) != s.rows())
        health.notes.push_back(fmt::format("its head tells of {}, and {} are there",
                                           counted(s.total - std::min(s.total, s.dropped), "sample"), s.rows()));
      if (s.dropped != 0)
        health.notes.push_back(fmt::format("{} of {} samples were dropped: pairs near them may be wrong", s.dropped, s.total));
      if (out_.peaks.unmatched != 0)
        health.notes.push_back(fmt::format("{} of scopes without a begin", counted(out_.peaks.unmatched, "end")));
      if (out_.peaks.open != 0) health.notes.push_back(fmt::format("{} without an end", counted(out_.peaks.open, "scope")));
      for (const ScopeFinding& f : scope_findings(s, out_.peaks, health.path))
        recording::add_finding(out_.recording, f.kind, f.severity, f.summary, f.fields, 0);
      samples(s);
      out_.scopes = std::move(s);
    });
  }

  void samples(const ScopeStats& s) {
    auto& t = out_.recording.scope_samples;
    std::vector<std::uint32_t> sites;
    for (const std::string& site : s.sites) sites.push_back(out_.recording.strings.add(site));
    for (const std::uint32_t site : s.site) t.site.push_back(sites[site]);
    t.end = s.end;
    t.depth = s.depth;
    t.ring = s.ring;
    t.task_window_start = s.task_window_start;
    t.task_window_end = s.task_window_end;
    t.heap_start = s.heap_start;
    t.heap_end = s.heap_end;
    t.dep_pool_start = s.dep_pool_start;
    t.dep_pool_end = s.dep_pool_end;
    t.tensormap = s.tensormap;
  }

  void missing() {
    const auto lacks = [&](ArtefactKind kind, std::string_view hides) {
      const bool there = std::any_of(out_.health.files.begin(), out_.health.files.end(),
                                     [&](const FileHealth& f) { return f.kind == kind && f.state != FileState::Unreadable; });
      if (!there) out_.health.missing.push_back({kind, std::string(hides)});
    };
    lacks(ArtefactKind::Deps, "who waits for whom, arguments, overlaps: nothing about order can be said");
    lacks(ArtefactKind::Swimlane, "when anything ran: no critical path, no overhead, no backward pairs");
    lacks(ArtefactKind::ScopeStats, "how full windows, heaps and pools were");
  }

  /// The same ids in the graph and in the timing, if both are of one run (artefacts.md 1.4).
  void join(const TaskRows& rows) {
    const Dispatches& d = out_.times.joined;
    for (std::uint32_t row = 0; row < d.rows(); ++row) {
      if (row != 0 && d.task[row] == d.task[row - 1]) continue;
      ++out_.health.timed_tasks;
      if (rows.of(d.task[row]) != kNoRow) ++out_.health.timed_in_graph;
    }
    if (!out_.has_graph || out_.health.timed_tasks == out_.health.timed_in_graph) return;
    page_.tell(fmt::format("{} of {} tasks with times are not in the task graph: the two files may be of different runs",
                           out_.health.timed_tasks - out_.health.timed_in_graph, out_.health.timed_tasks),
               fmt::format(R"({{"file":{}}})", json_string(health(ArtefactKind::Swimlane).path)));
  }

  void measured(const TaskRows& rows) {
    Recording& r = out_.recording;
    const std::uint64_t base = out_.times.base;
    const bool zero_counts = out_.swimlane->joined();  // counts from 0, so 0 is a time
    const auto since = [&](std::uint64_t ticks) {
      return ticks == 0 && !zero_counts ? kNotMeasured : ticks - std::min(ticks, base);
    };
    auto& m = r.measured_dispatches;
    const auto dispatches = [&](const Dispatches& d, bool scheduled) {
      for (std::uint32_t row = 0; row < d.rows(); ++row) {
        m.task.push_back(rows.of(d.task[row]));
        m.task_id.push_back(d.task[row]);
        m.core.push_back(d.core[row]);
        m.core_type.push_back(out_.times.core_type(d.core[row]));
        m.receive.push_back(since(d.receive[row]));
        m.start.push_back(since(d.start[row]));
        m.end.push_back(since(d.end[row]));
        m.dispatch.push_back(scheduled ? since(d.dispatch[row]) : kNotMeasured);
        m.finish.push_back(scheduled ? since(d.finish[row]) : kNotMeasured);
      }
    };
    dispatches(out_.times.joined, out_.swimlane->level >= 2);
    dispatches(out_.times.without_aicpu, false);
    auto& p = r.measured_phases;
    const auto& s = out_.swimlane->scheduler;
    std::vector<std::uint32_t> kinds;
    for (const std::string& name : out_.swimlane->kind_names) kinds.push_back(r.strings.add(name));
    for (std::uint32_t i = 0; i < s.rows(); ++i)
      phase(p, s.thread[i], kinds[s.kind[i]], since(s.start[i]), since(s.end[i]), s.tasks_processed[i], rows.of(s.task[i]));
    const auto& o = out_.swimlane->orchestrator;
    const std::uint32_t submit = r.strings.add("orch_submit");
    for (std::uint32_t i = 0; i < o.rows() && !out_.swimlane->host_orchestrator; ++i)
      phase(p, kNoRow, submit, since(o.start[i]), since(o.end[i]), o.submit_idx[i], rows.of(o.task[i]));
    option("clock-freq-hz", std::to_string(out_.times.clock_freq_hz));
    option("timing", health(ArtefactKind::Swimlane).version);
  }
  static void phase(recording::MeasuredPhasesTable& p, std::uint32_t thread, std::uint32_t kind, std::uint64_t start,
                    std::uint64_t end, std::uint32_t count, std::uint32_t task) {
    p.thread.push_back(thread);
    p.kind.push_back(kind);
    p.start.push_back(start);
    p.end.push_back(end);
    p.count.push_back(count);
    p.task.push_back(task);
  }
  void option(std::string_view name, std::string_view value) {
    out_.recording.options.name.push_back(out_.recording.strings.add(name));
    out_.recording.options.value.push_back(out_.recording.strings.add(value));
  }

  const RunFiles& files_;
  ImportedRun out_;
  HealthPage page_;
};

}  // namespace

std::string_view file_state_name(FileState state) {
  constexpr std::array<std::string_view, 3> kNames{"complete", "cut", "unreadable"};
  return kNames[static_cast<std::size_t>(state)];
}

ImportedRun import_run(const RunFiles& files, const std::string& root, const ImportOptions& options) {
  return Importer(files, root, options).run();
}

void add_quantities(ImportedRun& run) {
  if (run.has_graph) {
    run.views = graph_views(run.recording);
    if (run.views.cyclic)
      health_of(run, ArtefactKind::Deps).notes.emplace_back("an edge leads back to an earlier task: nothing is reduced");
  }
  if (run.swimlane) run.quantities = run_quantities(*run.swimlane, run.times, run.has_graph ? &run.recording : nullptr);
}

}  // namespace depscope::replay
