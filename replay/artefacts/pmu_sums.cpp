#include <algorithm>
#include <numeric>

#include "capped_sum.h"
#include "depscope/replay/artefacts/pmu.h"

namespace depscope::replay {
namespace {

template <class Key>
PmuSums sums(const Pmu& pmu, const std::vector<Key>& keys) {
  std::vector<std::uint32_t> order(pmu.rows());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  PmuSums out;
  const std::size_t counters = pmu.counters.size();
  for (const std::uint32_t row : order) {
    if (out.key.empty() || out.key.back() != keys[row]) {
      out.key.push_back(keys[row]);
      out.rows.push_back(0);
      out.cycles.push_back(0);
      out.values.resize(out.values.size() + counters, 0);
    }
    ++out.rows.back();
    out.cycles.back() = capped_sum(out.cycles.back(), pmu.cycles[row]);
    // Of 32 bits each, and fewer than 2^32 of them.
    const auto values = pmu.values_of(row);
    for (std::size_t i = 0; i < counters; ++i) out.values[out.values.size() - counters + i] += values[i];
  }
  return out;
}

}  // namespace

PmuSums pmu_by_function(const Pmu& pmu) { return sums(pmu, pmu.function); }

PmuSums pmu_by_task(const Pmu& pmu) { return sums(pmu, pmu.task); }

}  // namespace depscope::replay
