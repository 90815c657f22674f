#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "../json_text.h"
#include "depscope/replay/artefacts/scope_stats.h"

namespace depscope::replay {
namespace {

using runtime::kRingCount;

constexpr std::size_t kWindow = 0, kHeap = 1, kPool = 2, kMap = 3;

/// `used` where positions count modulo the capacity.
std::int64_t unrolled(std::int64_t used, std::uint64_t capacity) {
  const auto size = static_cast<std::int64_t>(capacity);
  if (size <= 0) return std::max<std::int64_t>(used, 0);
  const std::int64_t rest = used % size;
  return rest < 0 ? rest + size : rest;
}

class Peaks {
 public:
  explicit Peaks(const ScopeStats& s) : s_(s) {}

  ScopePeaks result() {
    for (std::uint32_t row = 0; row < s_.rows(); ++row) {
      last(row);
      auto& stack = open_[{s_.ring[row], s_.site[row]}];
      if (s_.end[row] == 0) {
        stack.push_back(row);
      } else if (stack.empty()) {
        ++out_.unmatched;
      } else {
        pair(stack.back(), row);
        stack.pop_back();
      }
    }
    for (const auto& [key, stack] : open_) out_.open += stack.size();
    for (auto& by_ring : peaks_) {
      for (auto& [ring, peak] : by_ring) out_.peaks.push_back(peak);
    }
    for (const auto& [ring, use] : last_) out_.last.push_back(use);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint64_t capacity(std::size_t resource, std::uint32_t ring) const {
    switch (resource) {
      case kWindow: return s_.task_window_max[ring];
      case kHeap: return s_.heap_max[ring];
      case kPool: return s_.dep_pool_max[ring];
      default: return s_.tensormap_max;
    }
  }

  void pair(std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t ring = s_.ring[end];
    const std::uint32_t index = pairs_[ring]++;
    ++out_.pairs;
    const auto heap = static_cast<std::int64_t>(s_.heap_end[end]) - static_cast<std::int64_t>(s_.heap_start[begin]);
    offer(kWindow, ring, ring, s_.task_window_end[end] - s_.task_window_start[begin], end, index);
    offer(kHeap, ring, ring, heap, end, index);
    if (s_.has_dep_pool) offer(kPool, ring, ring, s_.dep_pool_end[end] - s_.dep_pool_start[begin], end, index);
    offer(kMap, 0, std::nullopt, s_.tensormap[end], end, index);
  }

  void offer(std::size_t resource, std::uint32_t ring, std::optional<std::uint32_t> of, std::int64_t value, std::uint32_t end,
             std::uint32_t index) {
    const std::uint64_t most = capacity(resource, ring);
    const std::int64_t whole = resource == kHeap && s_.heap_wraps() ? unrolled(value, most) : std::max<std::int64_t>(value, 0);
    const auto [at, fresh] = peaks_[resource].try_emplace(ring);
    ScopePeak& peak = at->second;
    if (fresh) {
      peak = {static_cast<ScopeResource>(resource), of, value, whole, most, s_.site[end], index};
      return;
    }
    if (value > peak.peak) {
      peak.peak = value;
      peak.site = s_.site[end];
      peak.index = index;
    }
    peak.unrolled = std::max(peak.unrolled, whole);
  }

  void last(std::uint32_t row) {
    LastRingUse& use = last_[s_.ring[row]];
    use.ring = s_.ring[row];
    use.site = s_.site[row];
    const auto positive = [](std::int64_t value) { return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)); };
    for (std::size_t resource = 0; resource < kScopeResources; ++resource) use.capacity[resource] = capacity(resource, use.ring);
    use.used[kWindow] = positive(s_.task_window_end[row] - s_.task_window_start[row]);
    const auto heap = static_cast<std::int64_t>(s_.heap_end[row]) - static_cast<std::int64_t>(s_.heap_start[row]);
    use.used[kHeap] = positive(s_.heap_wraps() ? unrolled(heap, use.capacity[kHeap]) : heap);
    use.used[kPool] = positive(s_.dep_pool_end[row] - s_.dep_pool_start[row]);
    use.used[kMap] = positive(s_.tensormap[row]);
    use.heap_cursor = use.capacity[kHeap] == 0 ? 0 : s_.heap_end[row] % use.capacity[kHeap];
  }

  const ScopeStats& s_;
  ScopePeaks out_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> open_;  // by ring and site
  std::array<std::map<std::uint32_t, ScopePeak>, kScopeResources> peaks_;               // by ring
  std::map<std::uint32_t, LastRingUse> last_;
  std::array<std::uint32_t, kRingCount> pairs_{};
};

double percent(std::uint64_t part, std::uint64_t whole) { return 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

void suspect(const ScopeStats& stats, const LastRingUse& use, std::vector<ScopeFinding>& out) {
  for (std::size_t resource = 0; resource < kScopeResources; ++resource) {
    const std::uint64_t used = use.used[resource], most = use.capacity[resource];
    if (most == 0 || used < most / 100 * kSuspectPercent + most % 100 * kSuspectPercent / 100) continue;
    const std::string_view name = scope_resource_name(static_cast<ScopeResource>(resource));
    const std::string& site = stats.sites[use.site];
    ScopeFinding f;
    f.kind = "deadlock";
    f.severity = Severity::Error;
    f.summary = fmt::format("the run ended with a fatal error, and {} of ring {} is {:.2f} % full: {} of {}{}, last seen at {}",
                            name, use.ring, percent(used, most), used, most, resource == kHeap ? " bytes" : "", site);
    f.fields = fmt::format(R"({{"resource":"{}","ring":{},"error_code":null,"{}":{},"capacity":{},"occupancy_percent":{:.2f})",
                           name, use.ring, resource == kHeap ? "occupancy_bytes" : "occupancy", used, most, percent(used, most));
    if (resource == kHeap) f.fields += fmt::format(R"(,"write_cursor":{})", use.heap_cursor);
    f.fields += fmt::format(R"(,"site":{},"fatal":true}})", json_string(site));
    out.push_back(std::move(f));
  }
}

}  // namespace

ScopePeaks scope_peaks(const ScopeStats& stats) { return Peaks(stats).result(); }

std::vector<ScopeFinding> scope_findings(const ScopeStats& stats, const ScopePeaks& peaks, std::string_view file) {
  std::vector<ScopeFinding> out;
  if (stats.fatal) {
    for (const LastRingUse& use : peaks.last) suspect(stats, use, out);
  }
  if (!stats.heap_wraps()) return out;
  const std::string what = fmt::format("schema {}: heap counters wrap at heap_max{}", stats.version,
                                       stats.has_dep_pool ? "" : ", no dep_pool columns");
  for (const ScopePeak& peak : peaks.peaks) {
    if (peak.resource != ScopeResource::Heap) continue;
    ScopeFinding f;
    f.kind = "input_error";
    f.summary = fmt::format("{}: {}; ring {} uses at most {} bytes", file, what, *peak.ring, peak.unrolled);
    f.fields = fmt::format(R"({{"file":{},"line":1,"what":{},"value":{{"ring":{},"heap_high_water":{}}}}})", json_string(file),
                           json_string(what), *peak.ring, peak.unrolled);
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace depscope::replay
