#include "depscope/replay/artefacts/run_quantities.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "critical_path.h"
#include "flow_counts.h"
#include "scheduler_overhead.h"
#include "timed_tasks.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

std::vector<FunctionTimes> function_times(const RunTimes& times, const TimedTasks& tasks, const recording::Recording* graph) {
  const Dispatches& d = times.joined;
  std::map<std::int32_t, FunctionTimes> by;
  std::vector<std::uint32_t> task_of(tasks.size(), kNoRow);
  if (graph != nullptr) {
    const std::vector<std::uint32_t> of = timed_rows(tasks, *graph);
    for (std::uint32_t t = 0; t < graph->tasks.rows(); ++t) {
      if (of[t] != kNoRow) task_of[of[t]] = t;
    }
  }
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    for (std::uint32_t row = tasks.begin[t]; row < tasks.begin[t + 1]; ++row) {
      const std::int32_t function = task_of[t] == kNoRow ? -1 : function_of(*graph, task_of[t], times.core_type(d.core[row]));
      FunctionTimes& f = by[function];
      f.function = function;
      ++f.rows;
      f.exec += d.end[row] - std::min(d.end[row], d.start[row]);
      f.latency += d.finish[row] - std::min(d.finish[row], d.dispatch[row]);
    }
  }
  std::vector<FunctionTimes> out;
  for (const auto& [function, f] : by) out.push_back(f);
  return out;
}

/// First dispatch to last finish; where no row has them, first receive to last end.
std::uint64_t total_time(const Dispatches& d, bool scheduled) {
  const auto least =
      std::min_element(scheduled ? d.dispatch.begin() : d.receive.begin(), scheduled ? d.dispatch.end() : d.receive.end());
  const auto most = std::max_element(scheduled ? d.finish.begin() : d.end.begin(), scheduled ? d.finish.end() : d.end.end());
  return *most - std::min(*most, *least);
}

}  // namespace

RunQuantities run_quantities(const Swimlane& file, const RunTimes& times, const recording::Recording* graph) {
  RunQuantities out;
  if (times.joined.rows() == 0) {
    out.no_overhead = "no row of a task is complete";
    return out;
  }
  const TimedTasks tasks(times);
  out.functions = function_times(times, tasks, graph);
  out.total = total_time(times.joined, file.level >= 2);
  out.threads = scheduler_threads(file, times, tasks, graph);
  if (graph == nullptr) {
    out.no_overhead = "there is no deps.json";
    return out;
  }
  const TimedEdges edges(tasks, *graph);
  if (file.level < 2) {
    out.no_overhead = "a recording of level 1 has no times of the AICPU";
  } else {
    add_overhead(out, times, tasks, edges);
  }
  out.critical = critical_path(times, tasks, edges);
  out.flows = flow_counts(file, times, tasks, *graph);
  return out;
}

}  // namespace depscope::replay
