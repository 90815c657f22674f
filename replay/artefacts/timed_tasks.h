// The tasks of a run that have rows, and the edges between them. Private.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../row_groups.h"
#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/run_times.h"

namespace depscope::replay {

/// By task id, ascending; rows of one task stand together in RunTimes::joined.
struct TimedTasks {
  explicit TimedTasks(const RunTimes& times) {
    const Dispatches& d = times.joined;
    for (std::uint32_t row = 0; row < d.rows(); ++row) {
      if (id.empty() || id.back() != d.task[row]) {
        id.push_back(d.task[row]);
        begin.push_back(row);
        start.push_back(d.start[row]);
        end.push_back(d.end[row]);
        dispatch.push_back(d.dispatch[row]);
        finish.push_back(d.finish[row]);
        last.push_back(row);
        continue;
      }
      start.back() = std::min(start.back(), d.start[row]);
      end.back() = std::max(end.back(), d.end[row]);
      dispatch.back() = std::min(dispatch.back(), d.dispatch[row]);
      if (d.finish[row] > finish.back()) {
        finish.back() = d.finish[row];
        last.back() = row;
      }
    }
    begin.push_back(d.rows());
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(id.size()); }
  /// kNoRow if it has no row.
  [[nodiscard]] std::uint32_t find(std::uint64_t task) const {
    const auto at = std::lower_bound(id.begin(), id.end(), task);
    return at == id.end() || *at != task ? recording::kNoRow : static_cast<std::uint32_t>(at - id.begin());
  }

  std::vector<std::uint64_t> id, start, end, dispatch, finish;  ///< first start and dispatch, last end and finish of its rows
  std::vector<std::uint32_t> begin;                             ///< rows [begin[i], begin[i + 1])
  std::vector<std::uint32_t> last;                              ///< the row with the largest finish, the first of equal ones
};

/// By tasks row of the graph: its index in TimedTasks, none if it has no row.
[[nodiscard]] inline std::vector<std::uint32_t> timed_rows(const TimedTasks& tasks, const recording::Recording& graph) {
  std::vector<std::uint32_t> out(graph.tasks.rows());
  for (std::uint32_t t = 0; t < graph.tasks.rows(); ++t) out[t] = tasks.find(graph.tasks.id[t]);
  return out;
}

/// Edges of the task graph between tasks that have rows, in the order of the graph; ends are indices of TimedTasks.
struct TimedEdges {
  TimedEdges(const TimedTasks& tasks, const recording::Recording& graph) {
    const std::vector<std::uint32_t> of = timed_rows(tasks, graph);
    for (std::uint32_t e = 0; e < graph.edges.rows(); ++e) {
      const std::uint32_t from = of[graph.edges.producer[e]], to = of[graph.edges.consumer[e]];
      if (from == recording::kNoRow || to == recording::kNoRow) continue;
      row.push_back(e);
      producer.push_back(from);
      consumer.push_back(to);
    }
    before = groups_of(consumer, tasks.size());
  }

  std::vector<std::uint32_t> row;  ///< of edges
  std::vector<std::uint32_t> producer, consumer;
  RowGroups before;  ///< edges by consumer
};

}  // namespace depscope::replay
