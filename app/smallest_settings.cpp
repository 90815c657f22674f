#include "smallest_settings.h"

#include <algorithm>
#include <utility>

#include "depscope/runtime/model.h"

namespace depscope::app {
namespace {

using runtime::RingResource;

/// Values of a limit in their order: powers of two for windows, every number else.
class Scale {
 public:
  explicit Scale(RingResource resource) : window_(resource == RingResource::TaskWindow) {
    switch (resource) {
      case RingResource::TaskWindow: most_ = runtime::kMaxGivenTaskWindow; break;
      case RingResource::Heap:
        most_ = runtime::kMaxHeap;
        least_ = runtime::kMinHeap;
        break;
      case RingResource::DepPool: most_ = runtime::kMaxDepPool; break;
    }
  }
  [[nodiscard]] std::uint64_t most() const { return most_; }
  [[nodiscard]] std::uint64_t least() const { return least_; }
  [[nodiscard]] std::uint64_t below(std::uint64_t value) const { return window_ ? value / 2 : value - 1; }
  /// Between two values, neither of them; `low` if there is none.
  [[nodiscard]] std::uint64_t between(std::uint64_t low, std::uint64_t high) const {
    if (!window_) return low + (high - low) / 2;
    std::uint64_t steps = 0;
    for (std::uint64_t value = low; value < high; value *= 2) ++steps;
    return low << (steps / 2);
  }

 private:
  bool window_;
  std::uint64_t least_ = 4, most_ = 0;
};

class Search {
 public:
  Search(const LimitsOfRings& limits, const std::function<RunEnd(const LimitsOfRings&)>& run) : limits_(limits), run_(run) {}

  SmallestSettings result() {
    out_.through = raise() && lower();
    for (SmallestSettings::Raised& raised : out_.raised) {
      raised.to = value(raised.limit);
      raised.one_less = Scale(raised.limit.resource).below(raised.to);
    }
    return std::move(out_);
  }

 private:
  std::uint64_t& value(const RingLimit& limit) { return limits_[static_cast<std::size_t>(limit.resource)][limit.ring]; }

  /// The run with the limit at some value, the others as they are.
  RunEnd end_with(const RingLimit& limit, std::uint64_t tried) {
    const std::uint64_t before = std::exchange(value(limit), tried);
    ++out_.runs;
    RunEnd end = run_(limits_);
    value(limit) = before;
    return end;
  }
  [[nodiscard]] bool spent() const { return out_.runs >= kMaxSizingRuns; }

  /// The least value in (`low`, `high`] for which `good` holds; it holds at `high` and not at `low`.
  template <class Good>
  std::uint64_t least(const RingLimit& limit, std::uint64_t low, std::uint64_t high, const Good& good) {
    const Scale scale(limit.resource);
    for (std::uint64_t middle = scale.between(low, high); middle != low && !spent(); middle = scale.between(low, high))
      (good(end_with(limit, middle)) ? high : low) = middle;
    return high;
  }

  /// True once the run comes through.
  bool raise() {
    while (!spent()) {
      ++out_.runs;
      const RunEnd end = run_(limits_);
      if (end.through) return true;
      if (!end.limit) return false;
      const RingLimit limit = *end.limit;
      const auto passed = [&](const RunEnd& later) { return later.through || later.limit != limit; };
      const std::uint64_t low = value(limit);
      const std::uint64_t most = Scale(limit.resource).most();
      std::uint64_t high = low;
      do {
        if (high >= most || spent()) return false;  // it stops the run however large it is
        high = std::min(high * 2, most);
      } while (!passed(end_with(limit, high)));
      const auto known = std::find_if(out_.raised.begin(), out_.raised.end(),
                                      [&](const SmallestSettings::Raised& r) { return r.limit == limit; });
      const bool again = known != out_.raised.end();
      if (!again) out_.raised.push_back({.limit = limit, .from = low});
      // Limits that need each other would creep up together: the second time the value is doubled, and lowered in the end.
      value(limit) = again ? high : least(limit, std::max(low, high / 2), high, passed);
    }
    return false;
  }

  /// Until nothing can be lowered: what one limit needs may depend on the others.
  bool lower() {
    const auto through = [](const RunEnd& end) { return end.through; };
    for (bool lowered = true; lowered;) {
      lowered = false;
      for (const SmallestSettings::Raised& raised : out_.raised) {
        const Scale scale(raised.limit.resource);
        while (value(raised.limit) > scale.least() && !spent()) {
          const std::uint64_t less = scale.below(value(raised.limit));
          if (!end_with(raised.limit, less).through) break;
          value(raised.limit) = less <= raised.from ? less : least(raised.limit, raised.from, less, through);
          lowered = true;
        }
      }
      if (spent()) return false;
    }
    return true;
  }

  LimitsOfRings limits_;
  const std::function<RunEnd(const LimitsOfRings&)>& run_;
  SmallestSettings out_;
};

}  // namespace

std::uint32_t least_values(const LimitsOfRings& limits, const std::function<RunEnd(const LimitsOfRings&)>& run,
                           std::vector<LeastValue>& wanted) {
  std::uint32_t runs = 0;
  const auto search = [&](LeastValue& least) {
    const Scale scale(least.limit.resource);
    const std::uint64_t set = limits[static_cast<std::size_t>(least.limit.resource)][least.limit.ring];
    std::uint64_t high = set;
    std::uint64_t low = 0;  // 0: no value is known with which the run does not come through
    const auto enough = [&](std::uint64_t value) {
      LimitsOfRings tried = limits;
      tried[static_cast<std::size_t>(least.limit.resource)][least.limit.ring] = value;
      ++runs;
      const bool through = run(tried).through;
      (through ? high : low) = value;
      return through;
    };
    const auto spent = [&] { return runs >= kMaxSizingRuns; };
    if (least.enough > scale.least() && least.enough < set && !spent()) enough(least.enough);
    if (high > scale.least() && low == 0 && !spent()) enough(scale.least());
    if (high > scale.least() && least.limit.resource == RingResource::Heap) {
      // Outputs begin and end at multiples of their alignment, so that only those should make a difference.
      const auto middle = [&] {
        const std::uint64_t aligned = (low + (high - low) / 2) / runtime::kOutputAlignment * runtime::kOutputAlignment;
        return aligned > low ? aligned : aligned + runtime::kOutputAlignment;
      };
      while (middle() < high && !spent()) enough(middle());
      if (low != high - 1 && !spent()) enough(high - 1);
    }
    if (high > scale.least()) {
      for (std::uint64_t middle = scale.between(low, high); middle != low && !spent(); middle = scale.between(low, high))
        enough(middle);
    }
    least.value = high;
    least.one_less = high == scale.least() ? 0 : scale.below(high);
    return !spent();
  };
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (search(wanted[i])) continue;
    wanted.resize(i);
    break;
  }
  return runs;
}

SmallestSettings smallest_settings(const LimitsOfRings& limits, const std::function<RunEnd(const LimitsOfRings&)>& run) {
  return Search(limits, run).result();
}

}  // namespace depscope::app
