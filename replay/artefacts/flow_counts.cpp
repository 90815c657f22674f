#include "flow_counts.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "depscope/runtime/submission.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

class Flows {
 public:
  Flows(const Swimlane& file, const RunTimes& times, const TimedTasks& tasks, const Recording& graph)
      : times_(times), d_(times.joined), tasks_(tasks), graph_(graph) {
    // 0.02 microseconds, the least width of a marker
    least_ = std::max<std::uint64_t>(times.clock_freq_hz / 50'000'000, 1);
    markers(file);
  }

  FlowCounts count() {
    FlowCounts out;
    std::vector<End> from, to;
    for (std::uint32_t e = 0; e < graph_.edges.rows(); ++e) {
      ends(graph_.edges.producer[e], from);
      ends(graph_.edges.consumer[e], to);
      for (const End& a : from) {
        for (const End& b : to) {
          ++out.worker;
          if (a.end > b.begin) ++out.worker_backward;
          if (a.row == kNoRow || b.row == kNoRow || d_.finish[a.row] == 0 || d_.dispatch[b.row] == 0) continue;
          ++out.scheduler;
          if (d_.finish[a.row] > d_.dispatch[b.row]) ++out.scheduler_backward;
        }
      }
    }
    return out;
  }

 private:
  struct End {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t row = kNoRow;  // none: a marker of the AICPU
  };

  void markers(const Swimlane& file) {
    const auto marker = [this](auto& of, std::uint64_t task, std::uint64_t start, std::uint64_t end) {
      of.try_emplace(task, End{start, std::max(end, start + least_), kNoRow});
    };
    const auto& s = file.scheduler;
    for (std::uint32_t i = 0; i < s.rows(); ++i) {
      const std::string& kind = file.kind_names[s.kind[i]];
      if (s.task[i] != kNoTaskId && (kind == "dummy_task" || kind == "predicated_skip"))
        marker(markers_, s.task[i], s.start[i], s.end[i]);
    }
    if (file.host_orchestrator) return;
    const auto& o = file.orchestrator;
    for (std::uint32_t i = 0; i < o.rows(); ++i) marker(submits_, o.task[i], o.start[i], o.end[i]);
  }

  void ends(std::uint32_t task, std::vector<End>& out) {
    out.clear();
    const std::uint64_t id = graph_.tasks.id[task];
    const std::uint32_t timed = tasks_.find(id);
    if (timed == kNoRow) {
      const bool allocation = static_cast<runtime::TaskKind>(graph_.tasks.kind[task]) == runtime::TaskKind::Alloc;
      if (const auto at = markers_.find(id); at != markers_.end()) {
        out.push_back(at->second);
      } else if (const auto submit = submits_.find(id); allocation && submit != submits_.end()) {
        out.push_back(submit->second);
      }
      return;
    }
    for (std::uint32_t row = tasks_.begin[timed]; row < tasks_.begin[timed + 1]; ++row)
      out.push_back({d_.receive[row], d_.end[row], row});
    if (graph_.tasks.block_num[task] > 1) first_of_functions(task, out);
  }

  /// Of a task of many blocks: of each function the row that began first, on the lowest core among equal ones.
  void first_of_functions(std::uint32_t task, std::vector<End>& rows) const {
    const auto function = [&](const End& end) { return function_of(graph_, task, times_.core_type(d_.core[end.row])); };
    std::sort(rows.begin(), rows.end(), [&](const End& a, const End& b) {
      const auto fa = function(a), fb = function(b);
      if (fa != fb) return fa < fb;
      return a.begin != b.begin ? a.begin < b.begin : d_.core[a.row] < d_.core[b.row];
    });
    rows.erase(std::unique(rows.begin(), rows.end(), [&](const End& a, const End& b) { return function(a) == function(b); }),
               rows.end());
  }

  const RunTimes& times_;
  const Dispatches& d_;
  const TimedTasks& tasks_;
  const Recording& graph_;
  std::uint64_t least_ = 1;
  std::unordered_map<std::uint64_t, End> markers_, submits_;  // only looked up
};

}  // namespace

std::int32_t function_of(const Recording& graph, std::uint32_t task, std::uint8_t core_type) {
  if (core_type == 0) return graph.tasks.kernel_aic[task];
  return graph.tasks.kernel_aiv0[task] >= 0 ? graph.tasks.kernel_aiv0[task] : graph.tasks.kernel_aiv1[task];
}

FlowCounts flow_counts(const Swimlane& file, const RunTimes& times, const TimedTasks& tasks, const Recording& graph) {
  return Flows(file, times, tasks, graph).count();
}

}  // namespace depscope::replay
