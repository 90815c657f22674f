#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/replay/artefacts/run_summary.h"
#include "depscope/replay/row_names.h"
#include "health_page.h"
#include "summary_details.h"

namespace depscope::replay {
namespace {

constexpr std::size_t kShownTasks = 20;  // of a path
constexpr std::size_t kShownFunctions = 20;

class Page {
 public:
  explicit Page(const ImportedRun& run) : run_(run), t_(run.times) {}

  std::vector<SummarySection> sections() {
    health();
    if (run_.has_graph) graph();
    if (run_.swimlane && t_.joined.rows() != 0) timing();
    if (run_.scopes && !run_.peaks.peaks.empty()) scopes();
    for (SummarySection& section : detail_sections(run_)) sections_.push_back(std::move(section));
    if (!run_.join.empty()) sections_.push_back({"join", run_.join});
    return std::move(sections_);
  }

 private:
  void section(std::string_view title) { sections_.push_back({std::string(title), {}}); }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    sections_.back().lines.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  [[nodiscard]] double us(std::uint64_t ticks) const { return t_.span_us(ticks); }
  [[nodiscard]] static double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }

  void health() {
    section("health");
    for (const FileHealth& f : run_.health.files) {
      line("{:<10} {}{}", file_state_name(f.state), f.path, f.version.empty() ? "" : fmt::format(" ({})", f.version));
      for (const std::string& fact : f.facts) line("           {}", fact);
      for (const std::string& note : f.notes) line("           note: {}", note);
    }
    for (const MissingFile& m : run_.health.missing) line("missing    {}: not known is {}", artefact_name(m.kind), m.hides);
    for (const std::string& assumed : run_.health.assumed) line("assumed    {}", assumed);
    if (run_.has_graph && run_.health.timed_tasks != 0)
      line("joined     {} of {} tasks with times are in the task graph", run_.health.timed_in_graph, run_.health.timed_tasks);
  }

  void graph() {
    const GraphViews& v = run_.views;
    section("task graph");
    line("{}, {}, {}", counted(v.nodes.size(), "node"), counted(v.unique_edges, "edge"), counted(v.annotated_edges, "reason"));
    if (!v.cyclic)
      line("{} redundant: a longer path orders the same",
           v.reduced_removed.size() == 1 ? "1 edge is" : fmt::format("{} edges are", v.reduced_removed.size()));
  }

  void timing() {
    const RunQuantities& q = run_.quantities;
    section("timing");
    line("{} rows, {:.2f} us in all", t_.joined.rows(), us(q.total));
    if (q.critical) path(*q.critical);
    functions(q);
    if (q.overhead) overhead(q);
    if (!q.no_overhead.empty()) line("scheduler overhead: not known, since {}", q.no_overhead);
    if (q.flows)
      line("arrows: {} forward, {} backward (the consumer received its work before the producer had ended)",
           q.flows->worker - q.flows->worker_backward, q.flows->worker_backward);
  }

  void path(const CriticalPath& c) {
    constexpr std::array<const char*, 3> kGaps{"first", "data", "core"};
    line("critical path: {:.2f} us computing and {:.2f} us waiting of {:.2f} us; the longest chain computes {:.2f} us",
         us(c.compute), us(c.stall), us(c.makespan), us(c.longest));
    const std::size_t shown = std::min(c.observed.size(), kShownTasks);
    for (std::size_t i = 0; i < shown; ++i) {
      const PathStep& s = c.observed[i];
      line("  {:<10} computes {:>10.2f} us, waits before it {:>10.2f} us ({})", short_id(s.task), us(s.compute), us(s.stall),
           kGaps[static_cast<std::size_t>(s.before)]);
    }
    if (shown < c.observed.size()) line("  and {} more tasks", c.observed.size() - shown);
  }

  void functions(const RunQuantities& q) {
    std::vector<FunctionTimes> by_time = q.functions;
    std::stable_sort(by_time.begin(), by_time.end(),
                     [](const FunctionTimes& a, const FunctionTimes& b) { return a.exec > b.exec; });
    const std::size_t shown = std::min(by_time.size(), kShownFunctions);
    for (std::size_t i = 0; i < shown; ++i) {
      const FunctionTimes& f = by_time[i];
      const std::string_view known = run_.kernels.name_of(f.function);
      const std::string name =
          !known.empty() ? std::string(known) : (f.function < 0 ? "unknown" : fmt::format("func {}", f.function));
      const double rows = static_cast<double>(f.rows);
      line("{:<24} {:>12}, computes {:.2f} us in the mean{}", name, counted(f.rows, "row"), us(f.exec) / rows,
           run_.swimlane->level >= 2 ? fmt::format(", dispatch to finish {:.2f} us", us(f.latency) / rows) : "");
    }
    if (shown < by_time.size()) line("and {} more functions", by_time.size() - shown);
  }

  void overhead(const RunQuantities& q) {
    constexpr std::array<const char*, kCoreTypes> kNames{"AIC", "AIV"};
    for (std::uint32_t type = 0; type < kCoreTypes; ++type) {
      if (!q.overhead->by_type[type]) continue;
      line("{}: for {:.2f} us ({:.1f} %) a core was idle while a task for it waited to be dispatched", kNames[type],
           us(*q.overhead->by_type[type]), percent(*q.overhead->by_type[type], q.overhead->window));
    }
    const double has = percent(q.overhead->has, q.overhead->window);
    line("verdict: {} ({:.1f} %)",
         has >= 25 ? "bound by the scheduler"
                   : (has >= 8 ? "partly limited by the scheduler" : "bound by computing and dependencies"),
         has);
  }

  void scopes() {
    section("scopes");
    for (const ScopePeak& p : run_.peaks.peaks) {
      const std::string where = p.ring ? fmt::format("ring {}", *p.ring) : std::string("all rings");
      line("{:<12} {:<9} at most {}{} of {} ({:.1f} %) in {}", scope_resource_name(p.resource), where, p.unrolled,
           p.resource == ScopeResource::Heap ? " bytes" : "", p.capacity,
           percent(static_cast<std::uint64_t>(p.unrolled), p.capacity), run_.scopes->sites[p.site]);
    }
  }

  const ImportedRun& run_;
  const RunTimes& t_;
  std::vector<SummarySection> sections_;
};

void write_section(std::string_view title, const std::vector<std::string>& lines, const TextOutput& output) {
  std::string out = fmt::format("{}\n", title);
  for (const std::string& line : lines) out += fmt::format("  {}\n", line);
  output(out);
}

std::vector<std::string> finding_lines(const recording::Recording& r) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < r.findings.rows(); ++i)
    out.push_back(fmt::format("{}: {} [{}]", to_string(static_cast<Severity>(r.findings.severity[i])),
                              r.text(r.findings.summary[i]), r.text(r.findings.kind[i])));
  return out;
}

}  // namespace

void write_summary_text(const RunTree& tree, const std::vector<ImportedRun>& runs, const TextOutput& output) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& program = tree.runs[i].program;
    if (runs.size() > 1)
      output(fmt::format("{}{}{}\n", i == 0 ? "" : "\n", runs[i].where, program.empty() ? "" : fmt::format(" ({})", program)));
    for (const SummarySection& section : summary_sections(runs[i])) write_section(section.title, section.lines, output);
    const std::vector<std::string> found = finding_lines(runs[i].recording);
    if (!found.empty()) write_section("findings", found, output);
  }
}

std::vector<SummarySection> summary_sections(const ImportedRun& run) { return Page(run).sections(); }

void add_run_notes(ImportedRun& run) {
  recording::Recording& r = run.recording;
  for (const SummarySection& section : summary_sections(run)) {
    const std::uint32_t title = r.strings.add(section.title);
    for (const std::string& line : section.lines) {
      r.run_notes.section.push_back(title);
      r.run_notes.text.push_back(r.strings.add(line));
    }
  }
}

}  // namespace depscope::replay
