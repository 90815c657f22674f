#include "depscope/replay/join_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "artefacts/note_words.h"
#include "depscope/recording/findings.h"
#include "depscope/replay/match.h"
#include "depscope/replay/measured_run.h"
#include "depscope/replay/row_names.h"
#include "recorded_option.h"
#include "task_times.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::kNotMeasured;
using recording::Recording;

/// Of each tasks row of a run: first start and last end, in ticks.
struct Spans {
  explicit Spans(const Recording& run) : start(run.tasks.rows(), kNotMeasured), end(run.tasks.rows(), 0) {
    const auto& m = run.measured_dispatches;
    for (std::uint32_t row = 0; row < m.rows(); ++row) {
      const std::uint64_t begin = std::min({m.dispatch[row], m.receive[row], m.start[row]});
      if (m.end[row] == kNotMeasured || begin == kNotMeasured) continue;
      first = std::min(first, begin);
      last = std::max(last, m.end[row]);
      if (m.task[row] == kNoRow || m.start[row] == kNotMeasured) continue;
      start[m.task[row]] = std::min(start[m.task[row]], m.start[row]);
      end[m.task[row]] = std::max(end[m.task[row]], m.end[row]);
    }
  }
  std::vector<std::uint64_t> start, end;
  std::uint64_t first = kNotMeasured, last = 0;  // of all
};

class Join {
 public:
  Join(Recording& model, const Recording& run) : model_(model), run_(run), match_(match_rows(model, run)) {}

  RunJoin make() {
    count();
    kernels();
    tables();
    differences();
    return std::move(out_);
  }

 private:
  void count() {
    out_.by = match_.by;
    out_.tasks = matched(match_.tasks);
    out_.only_model_tasks = static_cast<std::uint32_t>(match_.tasks.only_a.size());
    out_.only_run_tasks = static_cast<std::uint32_t>(match_.tasks.only_b.size());
    out_.edges_compared = match_.edges.compared;
    if (!out_.edges_compared) return;
    out_.edges = matched(match_.edges);
    out_.only_model_edges = static_cast<std::uint32_t>(match_.edges.only_a.size());
    out_.only_run_edges = static_cast<std::uint32_t>(match_.edges.only_b.size());
  }
  static std::uint32_t matched(const MatchedRows& rows) {
    return static_cast<std::uint32_t>(
        std::count_if(rows.b_of_a.begin(), rows.b_of_a.end(), [](std::uint32_t row) { return row != kNoRow; }));
  }
  [[nodiscard]] std::uint32_t model_task(std::uint32_t of_run) const {
    return of_run < match_.tasks.a_of_b.size() ? match_.tasks.a_of_b[of_run] : kNoRow;
  }

  void kernels() {
    const Spans spans(run_);
    const double per_tick = microseconds_per_tick(run_);
    const double per_unit = microseconds_per_unit(model_);
    if (spans.first != kNotMeasured)
      out_.measured_us = static_cast<double>(spans.last - std::min(spans.last, spans.first)) * per_tick;
    const TaskTimes times(model_);
    out_.model_us = times.end * per_unit;
    std::map<std::string_view, RunJoin::Kernel> by_name;
    for (std::uint32_t t = 0; t < run_.tasks.rows(); ++t) {
      const std::uint32_t own = model_task(t);
      if (own == kNoRow || spans.start[t] == kNotMeasured) continue;
      std::string_view name = model_.text(model_.tasks.callee[own]);
      if (name.empty()) name = run_.text(run_.tasks.callee[t]);
      RunJoin::Kernel& kernel = by_name[name];
      kernel.name = name.empty() ? "unknown" : std::string(name);
      ++kernel.tasks;
      kernel.measured_us += static_cast<double>(spans.end[t] - std::min(spans.end[t], spans.start[t])) * per_tick;
      if (times.dispatched[own] != kNever && times.completed[own] != kNever)
        kernel.model_us += (times.completed[own] - times.dispatched[own]) * per_unit;
    }
    for (auto& [name, kernel] : by_name) out_.kernels.push_back(std::move(kernel));
    std::stable_sort(out_.kernels.begin(), out_.kernels.end(),
                     [](const RunJoin::Kernel& a, const RunJoin::Kernel& b) { return a.measured_us > b.measured_us; });
  }

  /// Strings of the run, in the model's own table.
  std::uint32_t string(std::uint32_t of_run) { return model_.strings.add(run_.text(of_run)); }

  void tables() {
    model_.measured_dispatches = run_.measured_dispatches;
    for (std::uint32_t& task : model_.measured_dispatches.task) task = task == kNoRow ? kNoRow : model_task(task);
    model_.measured_phases = run_.measured_phases;
    for (std::uint32_t& task : model_.measured_phases.task) task = task == kNoRow ? kNoRow : model_task(task);
    for (std::uint32_t& kind : model_.measured_phases.kind) kind = string(kind);
    model_.scope_samples = run_.scope_samples;
    for (std::uint32_t& site : model_.scope_samples.site) site = string(site);
    for (std::uint32_t i = 0; i < run_.run_notes.rows(); ++i) {
      model_.run_notes.section.push_back(string(run_.run_notes.section[i]));
      model_.run_notes.text.push_back(string(run_.run_notes.text[i]));
    }
    if (const std::string_view frequency = recorded_option(run_, "clock-freq-hz"); !frequency.empty()) {
      model_.options.name.push_back(model_.strings.add("clock-freq-hz"));
      model_.options.value.push_back(model_.strings.add(frequency));
    }
    const auto& f = run_.findings;
    for (std::uint32_t i = 0; i < f.rows(); ++i)
      recording::add_finding(model_, run_.text(f.kind[i]), static_cast<Severity>(f.severity[i]), run_.text(f.summary[i]),
                             run_.text(f.fields[i]), 0);
  }

  void differences() {
    const auto tasks = [&](const std::vector<std::uint32_t>& rows, const Recording& side, std::string_view has,
                           std::string_view lacks) {
      if (rows.empty()) return;
      recording::add_finding(model_, "difference", Severity::Warning,
                             fmt::format("{} of {} {} not in {}, the first is {}", counted(rows.size(), "task"), has,
                                         rows.size() == 1 ? "is" : "are", lacks, task_text(side, rows.front())),
                             fmt::format(R"({{"what":"task","count":{}}})", rows.size()), 0);
    };
    tasks(match_.tasks.only_a, model_, "the model", "the run");
    tasks(match_.tasks.only_b, run_, "the run", "the model");
    if (!match_.edges.compared) return;
    const auto edges = [&](const std::vector<std::uint32_t>& rows, const Recording& side, std::string_view has,
                           std::string_view lacks) {
      for (std::size_t i = 0; i < rows.size() && i < kMaxJoinFindings; ++i) {
        const std::uint32_t from = side.edges.producer[rows[i]], to = side.edges.consumer[rows[i]];
        recording::add_finding(
            model_, "difference", Severity::Warning,
            fmt::format("the edge {} -> {} of {} is not in {}", task_text(side, from), task_text(side, to), has, lacks),
            fmt::format(R"({{"what":"pair","first":"{}","second":"{}"}})", side.tasks.id[from], side.tasks.id[to]), 0);
      }
      if (rows.size() > kMaxJoinFindings)
        recording::add_finding(model_, "difference", Severity::Warning,
                               fmt::format("{} more edges of {} are not in {}", rows.size() - kMaxJoinFindings, has, lacks),
                               fmt::format(R"({{"what":"edges","count":{}}})", rows.size()), 0);
    };
    edges(match_.edges.only_a, model_, "the model", "the run");
    edges(match_.edges.only_b, run_, "the run", "the model");
  }
  Recording& model_;
  const Recording& run_;
  Matching match_;
  RunJoin out_;
};

}  // namespace

RunJoin join_run(Recording& model, const Recording& run) { return Join(model, run).make(); }

std::vector<std::string> join_lines(const RunJoin& j) {
  std::vector<std::string> out;
  out.push_back(fmt::format("{} tasks are in both (by {}); {} only in the model, {} only in the run", j.tasks,
                            aligned_by_name(j.by), j.only_model_tasks, j.only_run_tasks));
  out.push_back(j.edges_compared ? fmt::format("{} edges are in both; {} only in the model, {} only in the run", j.edges,
                                               j.only_model_edges, j.only_run_edges)
                                 : std::string("edges cannot be compared: the run has no task graph"));
  if (j.measured_us != 0)
    out.push_back(fmt::format("the run took {:.2f} us{}", j.measured_us,
                              j.model_us == 0 ? "" : fmt::format(", the model {:.2f} us with the same durations", j.model_us)));
  for (const RunJoin::Kernel& k : j.kernels) {
    out.push_back(
        fmt::format("{:<24} {:>6} {}, {:.2f} us measured in the mean{}", k.name, k.tasks, k.tasks == 1 ? "task" : "tasks",
                    k.measured_us / static_cast<double>(k.tasks),
                    k.model_us == 0 ? "" : fmt::format(", {:.2f} us in the model", k.model_us / static_cast<double>(k.tasks))));
  }
  return out;
}

}  // namespace depscope::replay
