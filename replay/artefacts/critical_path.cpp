#include "critical_path.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

namespace depscope::replay {
namespace {

using recording::kNoRow;

class Path {
 public:
  Path(const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges)
      : d_(times.joined), tasks_(tasks), edges_(edges) {}

  CriticalPath result() {
    out_.tasks = tasks_.size();
    first_ = *std::min_element(tasks_.start.begin(), tasks_.start.end());
    out_.makespan = *std::max_element(tasks_.end.begin(), tasks_.end.end()) - first_;
    longest();
    before_on_core();
    observed();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool holds(std::uint32_t edge) const {
    const std::uint32_t p = edges_.producer[edge], c = edges_.consumer[edge];
    return tasks_.end[p] <= tasks_.start[c] + kClockTolerance && tasks_.start[p] < tasks_.start[c];
  }

  void longest() {
    std::vector<std::uint32_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return tasks_.start[a] < tasks_.start[b]; });
    std::vector<std::uint64_t> sum(tasks_.size(), 0);
    std::vector<std::uint32_t> from(tasks_.size(), kNoRow);
    std::uint32_t sink = order.front();
    for (const std::uint32_t t : order) {
      for (const std::uint32_t e : edges_.before.of(t)) {
        if (!holds(e)) continue;
        ++out_.edges;
        const std::uint32_t p = edges_.producer[e];
        if (from[t] == kNoRow || sum[p] > sum[from[t]]) from[t] = p;
      }
      sum[t] = tasks_.end[t] - tasks_.start[t] + (from[t] == kNoRow ? 0 : sum[from[t]]);
      if (sum[t] > sum[sink]) sink = t;
    }
    out_.longest = sum[sink];
    for (std::uint32_t t = sink; t != kNoRow; t = from[t]) out_.longest_path.push_back(tasks_.id[t]);
    std::reverse(out_.longest_path.begin(), out_.longest_path.end());
  }

  /// By row: the row of the same core that ended last among the earlier ones.
  void before_on_core() {
    before_.assign(d_.rows(), kNoRow);
    task_of_.resize(d_.rows());
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      for (std::uint32_t row = tasks_.begin[t]; row < tasks_.begin[t + 1]; ++row) task_of_[row] = t;
    }
    std::vector<std::uint32_t> order(d_.rows());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(d_.core[a], d_.start[a], d_.end[a]) < std::tie(d_.core[b], d_.start[b], d_.end[b]);
    });
    for (std::size_t i = 1, best = 0; i < order.size(); ++i) {
      if (d_.core[order[i]] != d_.core[order[i - 1]]) {
        best = i;
        continue;
      }
      before_[order[i]] = order[best];
      if (d_.end[order[i]] >= d_.end[order[best]]) best = i;
    }
  }

  struct Candidate {
    std::uint64_t end = 0;
    std::string id;
    PathGap gap = PathGap::Front;
    std::uint32_t task = kNoRow;
  };

  /// The largest by end, then by id as text; waiting for data wins over waiting for the core.
  [[nodiscard]] Candidate predecessor(std::uint32_t t) const {
    Candidate best;
    const auto offer = [&](std::uint32_t task, PathGap gap) {
      Candidate c{tasks_.end[task], std::to_string(tasks_.id[task]), gap, task};
      const bool later = std::tie(c.end, c.id) > std::tie(best.end, best.id);
      if (best.task == kNoRow || later || (c.task == best.task && gap == PathGap::Data)) best = std::move(c);
    };
    for (const std::uint32_t e : edges_.before.of(t)) {
      if (holds(e)) offer(edges_.producer[e], PathGap::Data);
    }
    for (std::uint32_t row = tasks_.begin[t]; row < tasks_.begin[t + 1]; ++row) {
      if (d_.start[row] != tasks_.start[t] || before_[row] == kNoRow) continue;
      const std::uint32_t other = task_of_[before_[row]];
      if (other != t && d_.end[before_[row]] <= tasks_.start[t] + kClockTolerance &&
          tasks_.end[other] <= tasks_.start[t] + kClockTolerance)
        offer(other, PathGap::Core);
    }
    return best;
  }

  void observed() {
    auto t = static_cast<std::uint32_t>(std::max_element(tasks_.end.begin(), tasks_.end.end()) - tasks_.end.begin());
    std::vector<bool> met(tasks_.size(), false);
    std::vector<std::uint32_t> chain;
    for (;;) {
      met[t] = true;
      chain.push_back(t);
      Candidate before = predecessor(t);
      if (before.task == kNoRow || met[before.task]) {  // tasks of no length may name each other
        out_.observed.push_back({tasks_.id[t], 0, 0, PathGap::Front});
        break;
      }
      out_.observed.push_back({tasks_.id[t], 0, 0, before.gap});
      t = before.task;
    }
    std::reverse(out_.observed.begin(), out_.observed.end());
    std::reverse(chain.begin(), chain.end());
    std::uint64_t frontier = first_;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const std::uint64_t start = tasks_.start[chain[i]], end = tasks_.end[chain[i]];
      PathStep& step = out_.observed[i];
      step.stall = start > frontier ? start - frontier : 0;
      const std::uint64_t from = std::max(start, frontier);
      step.compute = end > from ? end - from : 0;
      frontier = std::max(frontier, end);
      out_.compute += step.compute;
      out_.stall += step.stall;
    }
  }

  const Dispatches& d_;
  const TimedTasks& tasks_;
  const TimedEdges& edges_;
  CriticalPath out_;
  std::uint64_t first_ = 0;
  std::vector<std::uint32_t> before_, task_of_;  // by row
};

}  // namespace

CriticalPath critical_path(const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges) {
  return Path(times, tasks, edges).result();
}

}  // namespace depscope::replay
