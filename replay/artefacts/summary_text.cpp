#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "depscope/replay/artefacts/run_summary.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kShownTasks = 20;  // of a path

std::string task_text(std::uint64_t id) {
  const std::uint64_t ring = id >> 32U & 0xffU, local = id & 0xffffffffU;
  return ring == 0 ? fmt::format("t{}", local) : fmt::format("r{}t{}", ring, local);
}

class Page {
 public:
  Page(const ImportedRun& run, const TextOutput& output) : run_(run), t_(run.times), output_(output) {}

  void write() {
    health();
    if (run_.has_graph) graph();
    if (run_.swimlane && t_.joined.rows() != 0) timing();
    if (run_.scopes && !run_.peaks.peaks.empty()) scopes();
    findings();
    output_(fmt::to_string(text_));
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_.push_back('\n');
  }
  [[nodiscard]] double us(std::uint64_t ticks) const { return t_.span_us(ticks); }
  [[nodiscard]] static double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }

  void health() {
    line("health");
    for (const FileHealth& f : run_.health.files) {
      line("  {:<10} {}{}", file_state_name(f.state), f.path, f.version.empty() ? "" : fmt::format(" ({})", f.version));
      for (const std::string& fact : f.facts) line("             {}", fact);
      for (const std::string& note : f.notes) line("             note: {}", note);
    }
    for (const MissingFile& m : run_.health.missing) line("  missing    {}: not known is {}", artefact_name(m.kind), m.hides);
    for (const std::string& assumed : run_.health.assumed) line("  assumed    {}", assumed);
    if (run_.has_graph && run_.health.timed_tasks != 0)
      line("  joined     {} of {} tasks with times are in the task graph", run_.health.timed_in_graph, run_.health.timed_tasks);
  }

  void graph() {
    const GraphViews& v = run_.views;
    line("task graph");
    line("  {} nodes, {} edges, {} reasons", v.nodes.size(), v.unique_edges, v.annotated_edges);
    if (!v.cyclic) line("  {} edges are redundant: a longer path orders the same", v.reduced_removed.size());
  }

  void timing() {
    const RunQuantities& q = run_.quantities;
    line("timing");
    line("  {} rows, {:.2f} us in all", t_.joined.rows(), us(q.total));
    if (q.critical) path(*q.critical);
    if (q.overhead) overhead(q);
    if (!q.no_overhead.empty()) line("  scheduler overhead: not known, since {}", q.no_overhead);
    if (q.flows)
      line("  arrows: {} forward, {} backward (the consumer received its work before the producer had ended)",
           q.flows->worker - q.flows->worker_backward, q.flows->worker_backward);
  }

  void path(const CriticalPath& c) {
    constexpr std::array<const char*, 3> kGaps{"first", "data", "core"};
    line("  critical path: {:.2f} us computing and {:.2f} us waiting of {:.2f} us; the longest chain computes {:.2f} us",
         us(c.compute), us(c.stall), us(c.makespan), us(c.longest));
    const std::size_t shown = std::min(c.observed.size(), kShownTasks);
    for (std::size_t i = 0; i < shown; ++i) {
      const PathStep& s = c.observed[i];
      line("    {:<10} computes {:>10.2f} us, waits before it {:>10.2f} us ({})", task_text(s.task), us(s.compute), us(s.stall),
           kGaps[static_cast<std::size_t>(s.before)]);
    }
    if (shown < c.observed.size()) line("    and {} more tasks", c.observed.size() - shown);
  }

  void overhead(const RunQuantities& q) {
    constexpr std::array<const char*, kCoreTypes> kNames{"AIC", "AIV"};
    for (std::uint32_t type = 0; type < kCoreTypes; ++type) {
      if (!q.overhead->by_type[type]) continue;
      line("  {}: for {:.2f} us ({:.1f} %) a core was idle while a task for it waited to be dispatched", kNames[type],
           us(*q.overhead->by_type[type]), percent(*q.overhead->by_type[type], q.overhead->window));
    }
    const double has = percent(q.overhead->has, q.overhead->window);
    line("  verdict: {} ({:.1f} %)",
         has >= 25 ? "bound by the scheduler"
                   : (has >= 8 ? "partly limited by the scheduler" : "bound by computing and dependencies"),
         has);
  }

  void scopes() {
    line("scopes");
    for (const ScopePeak& p : run_.peaks.peaks) {
      const std::string where = p.ring ? fmt::format("ring {}", *p.ring) : std::string("all rings");
      line("  {:<12} {:<9} at most {}{} of {} ({:.1f} %) in {}", scope_resource_name(p.resource), where, p.unrolled,
           p.resource == ScopeResource::Heap ? " bytes" : "", p.capacity,
           percent(static_cast<std::uint64_t>(p.unrolled), p.capacity), run_.scopes->sites[p.site]);
    }
  }

  void findings() {
    const recording::Recording& r = run_.recording;
    if (r.findings.rows() == 0) return;
    line("findings");
    for (std::uint32_t i = 0; i < r.findings.rows(); ++i)
      line("  {}: {} [{}]", to_string(static_cast<Severity>(r.findings.severity[i])), r.text(r.findings.summary[i]),
           r.text(r.findings.kind[i]));
  }

  const ImportedRun& run_;
  const RunTimes& t_;
  const TextOutput& output_;
  fmt::memory_buffer text_;
};

}  // namespace

void write_summary_text(const RunTree& tree, const std::vector<ImportedRun>& runs, const TextOutput& output) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& program = tree.runs[i].program;
    if (runs.size() > 1)
      output(fmt::format("{}{}{}\n", i == 0 ? "" : "\n", runs[i].where, program.empty() ? "" : fmt::format(" ({})", program)));
    Page(runs[i], output).write();
  }
}

}  // namespace depscope::replay
