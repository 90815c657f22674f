#include <fmt/format.h>

#include <array>
#include <string>

#include "../json_writer.h"
#include "depscope/replay/artefacts/run_summary.h"
#include "depscope/replay/facts_json.h"
#include "summary_details.h"

namespace depscope::replay {
namespace {

using recording::Recording;

constexpr std::array<std::string_view, kCoreTypes> kTypeNames{"aic", "aiv"};

/// Three decimals at most, one at least, as the tools of the tool chain print microseconds.
std::string decimal(double value) {
  std::string out = fmt::format("{:.3f}", value);
  while (out.back() == '0' && out[out.size() - 2] != '.') out.pop_back();
  return out;
}

class Summary {
 public:
  Summary(JsonWriter& out, const ImportedRun& run) : out_(out), run_(run), t_(run.times) {}

  void write() {
    health();
    if (!run_.platform.empty()) out_.field("platform", std::string_view(run_.platform));
    if (!run_.kernels.kernels.empty()) kernels();
    if (!run_.join.empty()) texts("join", run_.join);
    write_details(out_, run_);
    if (run_.has_graph) graph();
    if (run_.scopes) scopes();
    if (!run_.swimlane) return;
    tasks();
    const RunQuantities& q = run_.quantities;
    out_.key("total_us").json(us(q.total));
    if (q.overhead) overhead();
    if (!q.no_overhead.empty()) out_.field("no_overhead", q.no_overhead);
    if (!q.threads.empty()) threads();
    if (q.critical) critical();
    if (q.flows) flows();
    functions();
    backward();
  }

 private:
  [[nodiscard]] std::string us(std::uint64_t ticks) const { return decimal(t_.span_us(ticks)); }
  [[nodiscard]] std::string at(std::uint64_t ticks) const { return decimal(t_.microseconds(ticks)); }

  void texts(std::string_view key, const std::vector<std::string>& list) {
    out_.key(key).begin_list();
    for (const std::string& text : list) out_.value(std::string_view(text));
    out_.end_list();
  }

  void health() {
    const RunHealth& h = run_.health;
    bool complete = true;
    out_.key("health").begin_object();
    out_.key("files").begin_list();
    for (const FileHealth& f : h.files) {
      complete = complete && f.state == FileState::Complete;
      out_.begin_object()
          .field("kind", artefact_name(f.kind))
          .field("path", std::string_view(f.path))
          .field("state", file_state_name(f.state));
      out_.field("version", std::string_view(f.version));
      texts("facts", f.facts);
      texts("notes", f.notes);
      out_.end_object();
    }
    out_.end_list();
    out_.field("complete", complete);
    out_.key("missing").begin_list();
    for (const MissingFile& m : h.missing)
      out_.begin_object().field("kind", artefact_name(m.kind)).field("hides", std::string_view(m.hides)).end_object();
    out_.end_list();
    texts("assumed", h.assumed);
    out_.field("timed_tasks", h.timed_tasks).field("timed_tasks_in_graph", h.timed_in_graph).end_object();
  }

  void kernels() {
    out_.key("kernels").begin_list();
    for (const KernelName& k : run_.kernels.kernels) {
      out_.begin_object().field("func_id", k.func_id).field("name", std::string_view(k.name));
      if (!k.core_type.empty()) out_.field("core_type", std::string_view(k.core_type));
      if (!k.source.empty()) out_.field("source", std::string_view(k.source));
      out_.end_object();
    }
    out_.end_list();
  }

  void graph() {
    const GraphViews& v = run_.views;
    out_.key("deps").begin_object().field("unique_edges", v.unique_edges).field("annotated", v.annotated_edges);
    out_.key("nodes").begin_list();
    for (const std::uint64_t id : v.nodes) out_.value(std::to_string(id));
    out_.end_list().field("cyclic", v.cyclic);
    pairs("reduced_removed", v.reduced_removed);
    pairs("reduced_dataflow_removed", v.dataflow_removed);
    out_.end_object();
  }
  void pairs(std::string_view key, const std::vector<std::uint32_t>& edges) {
    const Recording& r = run_.recording;
    out_.key(key).begin_list();
    for (const std::uint32_t e : edges) {
      out_.begin_list()
          .value(std::to_string(r.tasks.id[r.edges.producer[e]]))
          .value(std::to_string(r.tasks.id[r.edges.consumer[e]]))
          .end_list();
    }
    out_.end_list();
  }

  void scopes() {
    constexpr std::array<const char*, kScopeResources> kUnits{"slots", "MiB", "entries", "entries"};
    constexpr double kMebibyte = 1024.0 * 1024.0;
    const ScopeStats& s = *run_.scopes;
    out_.field("scope_status", s.fatal ? "fatal" : (s.dropped != 0 ? "dropped" : "healthy"));
    out_.key("scope").begin_list();
    for (const ScopePeak& p : run_.peaks.peaks) {
      const bool heap = p.resource == ScopeResource::Heap;
      const double scale = heap ? kMebibyte : 1.0;
      out_.begin_object().field("resource", scope_resource_name(p.resource)).key("ring");
      if (p.ring) {
        out_.value(*p.ring);
      } else {
        out_.null();
      }
      out_.field("metric", p.ring ? "scope_high_water" : "real_occupancy")
          .key("peak")
          .json(fmt::format("{}", static_cast<double>(p.peak) / scale));
      out_.field("unit", kUnits[static_cast<std::size_t>(p.resource)])
          .key("cap")
          .json(fmt::format("{}", static_cast<double>(p.capacity) / scale));
      const double use = p.capacity == 0 ? 0.0 : 100.0 * static_cast<double>(p.peak) / static_cast<double>(p.capacity);
      out_.field("use", p.capacity == 0 ? std::string("n/a") : fmt::format("{:.2f}%", use));
      out_.field("site", std::string_view(s.sites[p.site])).field("index", p.index);
      if (s.heap_wraps() && heap) out_.field("unrolled_bytes", p.unrolled);
      out_.end_object();
    }
    out_.end_list().key("scope_last").begin_list();
    for (const LastRingUse& u : run_.peaks.last) {
      out_.begin_object()
          .field("ring", u.ring)
          .field("site", std::string_view(s.sites[u.site]))
          .field("heap_write_cursor", u.heap_cursor);
      for (std::size_t resource = 0; resource < kScopeResources; ++resource) {
        if (static_cast<ScopeResource>(resource) == ScopeResource::DepPool && !s.has_dep_pool) continue;
        out_.key(scope_resource_name(static_cast<ScopeResource>(resource))).begin_object();
        out_.field("used", u.used[resource]).field("capacity", u.capacity[resource]).end_object();
      }
      out_.end_object();
    }
    out_.end_list();
  }

  void tasks() {
    out_.key("task_columns").begin_list();
    for (const char* name : {"task_id", "core_id", "core_type", "receive_us", "start_us", "end_us", "dispatch_us", "finish_us"})
      out_.value(name);
    out_.end_list().key("tasks").begin_list();
    const Dispatches& d = t_.joined;
    for (std::uint32_t row = 0; row < d.rows(); ++row) {
      out_.begin_list().value(std::to_string(d.task[row])).value(d.core[row]).value(kTypeNames[t_.core_type(d.core[row])]);
      out_.json(at(d.receive[row]))
          .json(at(d.start[row]))
          .json(at(d.end[row]))
          .json(at(d.dispatch[row]))
          .json(at(d.finish[row]))
          .end_list();
    }
    out_.end_list();
  }

  void overhead() {
    const RunQuantities& q = run_.quantities;
    out_.key("overhead").begin_object().key("window_us").json(us(q.overhead->window)).key("by_engine_us").begin_object();
    for (std::uint32_t type = 0; type < kCoreTypes; ++type) {
      if (q.overhead->by_type[type]) out_.key(kTypeNames[type]).json(us(*q.overhead->by_type[type]));
    }
    out_.end_object().key("all_us").json(us(q.overhead->all)).key("has_us").json(us(q.overhead->has)).end_object();
    out_.key("switch_us_per_core").begin_object();
    for (std::uint32_t type = 0; type < kCoreTypes; ++type) {
      if (q.switches[type].empty()) continue;
      out_.key(kTypeNames[type]).begin_object();
      for (const SwitchTime& s : q.switches[type]) out_.key(std::to_string(s.core)).json(us(s.ticks));
      out_.end_object();
    }
    out_.end_object().key("switch_split_overhead_independent_us").begin_object();
    for (std::uint32_t type = 0; type < kCoreTypes; ++type) {
      if (q.switch_waiting[type] + q.switch_independent[type] == 0) continue;
      out_.key(kTypeNames[type]).begin_list().json(us(q.switch_waiting[type])).json(us(q.switch_independent[type])).end_list();
    }
    out_.end_object();
    out_.key("head_oh_us").begin_object().key("sum").json(us(q.head_sum)).key("max").json(us(q.head_most)).end_object();
    out_.key("tail_oh_us").begin_object().key("sum").json(us(q.tail_sum)).key("max").json(us(q.tail_most)).end_object();
    out_.key("sched_critical_path").begin_object().field("hops", q.path->hops).key("span").json(us(q.path->span));
    out_.key("sched").json(us(q.path->injected)).key("exec").json(us(q.path->exec)).end_object();
  }

  void threads() {
    out_.key("scheduler_threads").begin_object();
    for (const SchedulerThread& s : run_.quantities.threads) {
      out_.key(std::to_string(s.thread)).begin_object();
      out_.field("completed", s.completed)
          .field("finishes", s.finishes)
          .key("total_us")
          .json(us(s.total()))
          .field("loops", s.loops);
      out_.field("pop_hit", s.pop_hit).field("pop_miss", s.pop_miss).key("complete_us").json(us(s.complete));
      out_.key("async_poll_us").json(us(s.async_poll)).key("dispatch_us").json(us(s.dispatch)).key("idle_us").json(us(s.idle));
      out_.field("fanout_edges", s.fanout_edges).field("fanout_max_degree", s.fanout_most);
      out_.field("fanin_edges", s.fanin_edges).field("fanin_max_degree", s.fanin_most).end_object();
    }
    out_.end_object();
  }

  void critical() {
    constexpr std::array<const char*, 3> kGaps{"front-gap", "data-wait", "core-wait"};
    const CriticalPath& c = *run_.quantities.critical;
    out_.key("critical_path_tool").begin_object().field("makespan_ticks", c.makespan).field("static_cpm_ticks", c.longest);
    out_.key("static_path").begin_list();
    for (const std::uint64_t id : c.longest_path) out_.value(std::to_string(id));
    out_.end_list().key("observed").begin_list();
    for (const PathStep& s : c.observed)
      out_.begin_list()
          .value(std::to_string(s.task))
          .value(s.compute)
          .value(s.stall)
          .value(kGaps[static_cast<std::size_t>(s.before)])
          .end_list();
    out_.end_list()
        .field("compute_ticks", c.compute)
        .field("stall_ticks", c.stall)
        .field("hb_edges", c.edges)
        .field("tasks", c.tasks)
        .end_object();
  }

  void flows() {
    const FlowCounts& f = *run_.quantities.flows;
    const auto view = [&](std::string_view name, std::uint64_t all, std::uint64_t backward) {
      out_.key(name).begin_object().field("dependency", all - backward).field("hb_violation", backward).end_object();
    };
    out_.key("flows").begin_object();
    view("worker", f.worker, f.worker_backward);
    view("scheduler", f.scheduler, f.scheduler_backward);
    out_.end_object();
  }

  void functions() {
    out_.key("functions").begin_list();
    for (const FunctionTimes& f : run_.quantities.functions) {
      const auto mean = [&](std::uint64_t ticks) { return decimal(t_.span_us(ticks) / static_cast<double>(f.rows)); };
      out_.begin_object().field("func_id", f.function);
      if (const std::string_view name = run_.kernels.name_of(f.function); !name.empty()) out_.field("name", name);
      out_.field("rows", f.rows).key("exec_mean_us").json(mean(f.exec));
      if (run_.swimlane->level >= 2) out_.key("latency_mean_us").json(mean(f.latency));
      out_.end_object();
    }
    out_.end_list();
  }

  void backward() {
    const Recording& r = run_.recording;
    out_.key("backward_pairs").begin_list();
    for (const BackwardPair& b : run_.backward) {
      out_.begin_object().field("pred", std::to_string(r.tasks.id[r.edges.producer[b.edge]]));
      out_.field("succ", std::to_string(r.tasks.id[r.edges.consumer[b.edge]]))
          .key("early_us")
          .json(us(b.producer_end - b.consumer_start))
          .end_object();
    }
    out_.end_list();
  }

  JsonWriter& out_;
  const ImportedRun& run_;
  const RunTimes& t_;
};

}  // namespace

void write_summary_json(const RunTree& tree, const std::vector<ImportedRun>& runs, const TextOutput& output) {
  JsonWriter out(output);
  out.begin_object().field("schema", "depscope.summary/1").key("findings").begin_list();
  for (const ImportedRun& run : runs) {
    for (std::uint32_t i = 0; i < run.recording.findings.rows(); ++i) out.json(finding_json(run.recording, i));
  }
  out.end_list().field("place", run_place_name(tree.place));
  if (runs.size() == 1) {
    Summary(out, runs.front()).write();
  } else {
    out.key("runs").begin_object();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      out.key(runs[i].where).begin_object();
      if (!tree.runs[i].program.empty()) out.field("program", std::string_view(tree.runs[i].program));
      Summary(out, runs[i]).write();
      out.end_object();
    }
    out.end_object();
  }
  out.end_object().finish();
}

}  // namespace depscope::replay
