#include "scheduler_overhead.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace depscope::replay {
namespace {

using recording::kNoRow;

/// Time that some intervals cover, and how much of a stretch they do.
class Cover {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) spans_.emplace_back(begin, end);
  }
  void close() {
    std::sort(spans_.begin(), spans_.end());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> merged;
    for (const auto& span : spans_) {
      if (!merged.empty() && span.first <= merged.back().second) {
        merged.back().second = std::max(merged.back().second, span.second);
      } else {
        merged.push_back(span);
      }
    }
    spans_ = std::move(merged);
    sums_.assign(1, 0);
    for (const auto& [begin, end] : spans_) sums_.push_back(sums_.back() + (end - begin));
  }
  [[nodiscard]] std::uint64_t within(std::uint64_t begin, std::uint64_t end) const { return before(end) - before(begin); }

 private:
  [[nodiscard]] std::uint64_t before(std::uint64_t time) const {
    const auto at = std::upper_bound(spans_.begin(), spans_.end(), std::pair(time, std::numeric_limits<std::uint64_t>::max()));
    if (at == spans_.begin()) return 0;
    const auto i = static_cast<std::size_t>(at - spans_.begin()) - 1;
    return sums_[i] + std::min(time, spans_[i].second) - spans_[i].first;
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans_;
  std::vector<std::uint64_t> sums_;
};

class Overhead {
 public:
  Overhead(RunQuantities& out, const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges)
      : out_(out), times_(times), d_(times.joined), tasks_(tasks), edges_(edges) {}

  void run() {
    wait();
    sweep();
    between();
    path();
  }

 private:
  struct Change {
    std::uint64_t time = 0;
    std::uint8_t type = 0;
    bool waits = false;  // else it is about a row that runs
    std::int8_t by = 0;
  };

  void wait() {
    ready_.resize(tasks_.size());
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      std::uint64_t ready = 0;
      for (const std::uint32_t e : edges_.before.of(t)) ready = std::max(ready, tasks_.end[edges_.producer[e]]);
      ready_[t] = edges_.before.of(t).empty() ? tasks_.dispatch[t] : ready;
    }
  }

  void sweep() {
    SchedulerOverhead overhead;
    const std::uint64_t begin = *std::min_element(d_.start.begin(), d_.start.end());
    const std::uint64_t end = *std::max_element(d_.end.begin(), d_.end.end());
    overhead.window = end - begin;
    std::vector<Change> changes;
    const auto add = [&](std::uint64_t from, std::uint64_t to, std::uint8_t type, bool waits) {
      from = std::clamp(from, begin, end);
      to = std::clamp(to, begin, end);
      if (from >= to) return;
      changes.push_back({from, type, waits, 1});
      changes.push_back({to, type, waits, -1});
    };
    std::array<std::vector<std::uint32_t>, kCoreTypes> cores;
    for (std::uint32_t row = 0; row < d_.rows(); ++row) {
      const std::uint8_t type = times_.core_type(d_.core[row]);
      add(d_.start[row], d_.end[row], type, false);
      cores[type].push_back(d_.core[row]);
    }
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      std::array<bool, kCoreTypes> of{};
      for (std::uint32_t row = tasks_.begin[t]; row < tasks_.begin[t + 1]; ++row) of[times_.core_type(d_.core[row])] = true;
      for (std::uint8_t type = 0; type < kCoreTypes; ++type) {
        if (!of[type]) continue;
        add(ready_[t], tasks_.dispatch[t], type, true);
        waiting_[type].add(ready_[t], tasks_.dispatch[t]);
      }
    }
    for (Cover& cover : waiting_) cover.close();
    std::array<std::int64_t, kCoreTypes> idle{}, waits{};
    for (std::uint8_t type = 0; type < kCoreTypes; ++type) {
      auto& list = cores[type];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      idle[type] = static_cast<std::int64_t>(list.size());
      if (!list.empty()) overhead.by_type[type] = 0;
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    std::uint64_t at = begin;
    for (const Change& c : changes) {
      if (const std::uint64_t length = c.time - at; length != 0) {
        bool all = true, some = false, each = true;
        for (std::uint8_t type = 0; type < kCoreTypes; ++type) {
          if (!overhead.by_type[type]) continue;
          const bool lost = idle[type] > 0 && waits[type] > 0;
          if (lost) *overhead.by_type[type] += length;
          all = all && lost;
          some = some || waits[type] > 0;
          each = each && (waits[type] == 0 || idle[type] > 0);
        }
        if (all) overhead.all += length;
        if (some && each) overhead.has += length;
        at = c.time;
      }
      if (c.waits) {
        waits[c.type] += c.by;
      } else {
        idle[c.type] -= c.by;
      }
    }
    out_.overhead = overhead;
  }

  /// What lies between the rows of one core.
  void between() {
    std::vector<std::uint32_t> order(d_.rows());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return d_.core[a] != d_.core[b] ? d_.core[a] < d_.core[b] : d_.start[a] < d_.start[b];
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t row = order[i];
      const std::uint8_t type = times_.core_type(d_.core[row]);
      const bool first = i == 0 || d_.core[order[i - 1]] != d_.core[row];
      if (first) out_.switches[type].push_back({d_.core[row], 0});
      std::uint64_t head = d_.start[row] - std::min(d_.start[row], d_.dispatch[row]);
      if (!first) {
        const std::uint64_t before = d_.end[order[i - 1]];
        const std::uint64_t gap = d_.start[row] - std::min(d_.start[row], before);
        head = std::min(head, gap);
        if (gap != 0 && d_.dispatch[row] < before) {
          out_.switches[type].back().ticks += gap;
          const std::uint64_t waited = waiting_[type].within(before, d_.start[row]);
          out_.switch_waiting[type] += waited;
          out_.switch_independent[type] += gap - waited;
        }
      }
      const std::uint64_t tail = d_.finish[row] - std::min(d_.finish[row], d_.end[row]);
      out_.head_sum += head;
      out_.head_most = std::max(out_.head_most, head);
      out_.tail_sum += tail;
      out_.tail_most = std::max(out_.tail_most, tail);
    }
  }

  void path() {
    SchedulerPath path;
    std::uint32_t at = 0;
    for (std::uint32_t t = 1; t < tasks_.size(); ++t) {
      if (tasks_.finish[t] > tasks_.finish[at]) at = t;
    }
    const std::uint64_t last = tasks_.finish[at];
    std::uint64_t first = tasks_.start[at];
    std::vector<bool> met(tasks_.size(), false);
    for (;;) {
      met[at] = true;
      path.exec += tasks_.end[at] - tasks_.start[at];
      first = std::min(first, tasks_.start[at]);
      std::uint32_t next = kNoRow;
      for (const std::uint32_t e : edges_.before.of(at)) {
        const std::uint32_t p = edges_.producer[e];
        if (next == kNoRow || tasks_.end[p] > tasks_.end[next] || (tasks_.end[p] == tasks_.end[next] && p > next)) next = p;
      }
      if (next == kNoRow || met[next]) break;  // ids need not be in order, so a damaged graph may lead in a circle
      ++path.hops;
      path.injected += tasks_.start[at] - std::min(tasks_.start[at], tasks_.end[next]);
      at = next;
    }
    path.injected += tasks_.start[at] - std::min(tasks_.start[at], tasks_.dispatch[at]);
    path.span = last - std::min(last, first);
    out_.path = path;
  }

  RunQuantities& out_;
  const RunTimes& times_;
  const Dispatches& d_;
  const TimedTasks& tasks_;
  const TimedEdges& edges_;
  std::vector<std::uint64_t> ready_;  // by timed task
  std::array<Cover, kCoreTypes> waiting_;
};

/// Σ of three kinds of phases of a thread, and the gaps between them.
void add_phases(SchedulerThread& out, const Swimlane& file, std::vector<std::uint32_t>& rows) {
  const auto& s = file.scheduler;
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return s.start[a] < s.start[b]; });
  std::uint64_t until = 0;
  bool first = true;
  for (const std::uint32_t row : rows) {
    const std::string& kind = file.kind_names[s.kind[row]];
    const std::uint64_t length = s.end[row] - std::min(s.end[row], s.start[row]);
    out.loops = std::max<std::uint64_t>(out.loops, s.loop_iter[row]);
    if (kind == "complete") {
      out.complete += length;
      out.finishes += s.tasks_processed[row];
    } else if (kind == "async_poll") {
      out.async_poll += length;
    } else if (kind == "dispatch") {
      out.dispatch += length;
      out.pop_hit += s.pop_hit[row];
      out.pop_miss += s.pop_miss[row];
    } else {
      continue;
    }
    if (!first && s.start[row] > until) out.idle += s.start[row] - until;
    until = first ? s.end[row] : std::max(until, s.end[row]);
    first = false;
  }
}

}  // namespace

void add_overhead(RunQuantities& out, const RunTimes& times, const TimedTasks& tasks, const TimedEdges& edges) {
  Overhead(out, times, tasks, edges).run();
}

std::vector<SchedulerThread> scheduler_threads(const Swimlane& file, const RunTimes& times, const TimedTasks& tasks,
                                               const recording::Recording* graph) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows;
  for (std::uint32_t i = 0; i < file.scheduler.rows(); ++i) rows[file.scheduler.thread[i]].push_back(i);
  std::map<std::uint32_t, SchedulerThread> threads;
  for (auto& [thread, of] : rows) {
    threads[thread].thread = thread;
    add_phases(threads[thread], file, of);
  }
  const auto thread_of = [&](std::uint32_t row) -> SchedulerThread* {
    const std::uint32_t core = times.joined.core[row];
    if (core >= file.core_to_thread.size() || file.core_to_thread[core] < 0) return nullptr;
    const auto at = threads.find(static_cast<std::uint32_t>(file.core_to_thread[core]));
    return at == threads.end() ? nullptr : &at->second;
  };
  std::vector<std::uint64_t> fanout(tasks.size(), 0), fanin(tasks.size(), 0);
  if (graph != nullptr) {
    const std::vector<std::uint32_t> of = timed_rows(tasks, *graph);
    for (std::uint32_t e = 0; e < graph->edges.rows(); ++e) {
      if (const std::uint32_t p = of[graph->edges.producer[e]]; p != kNoRow) ++fanout[p];
      if (const std::uint32_t c = of[graph->edges.consumer[e]]; c != kNoRow) ++fanin[c];
    }
  }
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    if (SchedulerThread* thread = thread_of(tasks.last[t]); thread != nullptr) ++thread->completed;
    SchedulerThread* thread = thread_of(tasks.begin[t]);
    if (thread == nullptr) continue;
    thread->fanout_edges += fanout[t];
    thread->fanout_most = std::max(thread->fanout_most, fanout[t]);
    thread->fanin_edges += fanin[t];
    thread->fanin_most = std::max(thread->fanin_most, fanin[t]);
  }
  std::vector<SchedulerThread> out;
  for (const auto& [number, thread] : threads) out.push_back(thread);
  return out;
}

}  // namespace depscope::replay
