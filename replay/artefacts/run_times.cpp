#include "depscope/replay/artefacts/run_times.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace depscope::replay {
namespace {

/// Rows of the core's stream by (core, token).
class CoreRows {
 public:
  explicit CoreRows(const Swimlane& file) : rows_(file.aicore) {
    order_.resize(rows_.rows());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  }
  [[nodiscard]] std::uint64_t twice() const {
    std::uint64_t out = 0;
    for (std::size_t i = 1; i < order_.size(); ++i) out += key(order_[i]) == key(order_[i - 1]) ? 1 : 0;
    return out;
  }
  /// The last one in the file; its number of rows if there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t core, std::uint32_t token) const {
    const std::pair wanted(core, token);
    const auto end =
        std::upper_bound(order_.begin(), order_.end(), wanted, [&](const auto& w, std::uint32_t row) { return w < key(row); });
    if (end == order_.begin() || key(*(end - 1)) != wanted) return rows_.rows();
    return *(end - 1);
  }

 private:
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> key(std::uint32_t row) const {
    return {rows_.core[row], rows_.token[row]};
  }

  const decltype(Swimlane::aicore)& rows_;
  std::vector<std::uint32_t> order_;
};

void add(Dispatches& out, const Swimlane& file, std::uint32_t row, std::uint64_t dispatch, std::uint64_t finish) {
  const auto& core = file.aicore;
  out.task.push_back(core.task[row]);
  out.core.push_back(core.core[row]);
  out.receive.push_back(core.receive[row]);
  out.start.push_back(core.start[row]);
  out.end.push_back(core.end[row]);
  out.dispatch.push_back(dispatch);
  out.finish.push_back(finish);
}

void sort_by_task(Dispatches& d) {
  std::vector<std::uint32_t> order(d.rows());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return d.task[a] < d.task[b]; });
  const auto apply = [&order](auto& column) {
    auto sorted = column;
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
  };
  apply(d.task);
  apply(d.core);
  apply(d.receive);
  apply(d.start);
  apply(d.end);
  apply(d.dispatch);
  apply(d.finish);
}

std::uint64_t earliest(const Swimlane& file, const Dispatches& joined) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const auto take = [&least](const std::vector<std::uint64_t>& times) {
    for (const std::uint64_t t : times) {
      if (t != 0) least = std::min(least, t);
    }
  };
  take(joined.receive);
  take(joined.end);
  take(joined.dispatch);
  take(joined.finish);
  take(file.scheduler.start);
  take(file.scheduler.end);
  if (!file.host_orchestrator) {
    take(file.orchestrator.start);
    take(file.orchestrator.end);
  }
  return least == std::numeric_limits<std::uint64_t>::max() ? 0 : least;
}

}  // namespace

RunTimes run_times(const Swimlane& file) {
  RunTimes out;
  out.clock_freq_hz = file.clock_freq_hz;
  out.core_types = file.core_types;
  const auto& cpu = file.aicpu;
  if (file.joined()) {
    for (std::uint32_t row = 0; row < file.aicore.rows(); ++row)
      add(out.joined, file, row, row < cpu.rows() ? cpu.dispatch[row] : 0, row < cpu.rows() ? cpu.finish[row] : 0);
  } else if (cpu.rows() == 0 && file.level == 1) {
    for (std::uint32_t row = 0; row < file.aicore.rows(); ++row) add(out.joined, file, row, 0, 0);
  } else {
    const CoreRows rows(file);
    out.twice = rows.twice();
    std::vector<bool> met(file.aicore.rows(), false);
    for (std::uint32_t i = 0; i < cpu.rows(); ++i) {
      const std::uint32_t row = rows.find(cpu.core[i], cpu.token[i]);
      if (row == file.aicore.rows()) {
        ++out.without_core;
        continue;
      }
      met[row] = true;
      add(out.joined, file, row, cpu.dispatch[i], cpu.finish[i]);
    }
    for (std::uint32_t row = 0; row < file.aicore.rows(); ++row) {
      if (!met[row]) add(out.without_aicpu, file, row, 0, 0);
    }
  }
  sort_by_task(out.joined);
  sort_by_task(out.without_aicpu);
  if (!file.joined()) out.base = earliest(file, out.joined);  // joined files count from 0
  return out;
}

}  // namespace depscope::replay
