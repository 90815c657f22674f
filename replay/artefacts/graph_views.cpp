#include "depscope/replay/artefacts/graph_views.h"

#include <algorithm>
#include <span>

#include "../check_bytes.h"
#include "../check_geometry.h"
#include "../check_reach.h"
#include "../row_groups.h"
#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;

namespace {

constexpr std::uint64_t kMaxRuns = 10'000;  // of one argument; more are "not known exactly" (artefacts.md 14.6)

class Views {
 public:
  explicit Views(const Recording& r) : r_(r), creator_(r.edges.rows(), 0) {
    const auto& reasons = r.edge_reasons;
    for (std::uint32_t i = 0; i < reasons.rows(); ++i)
      creator_[reasons.edge[i]] |= std::uint8_t{reasons.source[i] == runtime::kCreator};
  }

  GraphViews result() {
    out_.unique_edges = r_.edges.rows();
    out_.annotated_edges = r_.edge_reasons.rows();
    nodes();
    for (std::uint32_t e = 0; e < r_.edges.rows() && !out_.cyclic; ++e)
      out_.cyclic = r_.edges.producer[e] >= r_.edges.consumer[e];
    if (!out_.cyclic) reduce();
    return std::move(out_);
  }

 private:
  void nodes() {
    std::vector<std::uint8_t> shown(r_.tasks.rows(), 0);
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t)
      shown[t] = r_.tasks.kernel_aic[t] >= 0 || r_.tasks.kernel_aiv0[t] >= 0 || r_.tasks.kernel_aiv1[t] >= 0 ? 1 : 0;
    for (std::uint32_t e = 0; e < r_.edges.rows(); ++e) shown[r_.edges.producer[e]] = shown[r_.edges.consumer[e]] = 1;
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t) {
      if (shown[t] != 0) out_.nodes.push_back(r_.tasks.id[t]);
    }
    std::sort(out_.nodes.begin(), out_.nodes.end());
  }

  /// Edges are grouped by consumer.
  void reduce() {
    Reach reach(r_.tasks.rows(), r_.edges, [](std::uint32_t) { return true; });
    std::vector<std::uint32_t> producers;
    for (std::uint32_t begin = 0, end = 0; begin < r_.edges.rows(); begin = end) {
      producers.clear();
      for (end = begin; end < r_.edges.rows() && r_.edges.consumer[end] == r_.edges.consumer[begin]; ++end)
        producers.push_back(r_.edges.producer[end]);
      std::sort(producers.begin(), producers.end());
      for (std::uint32_t e = begin; e < end; ++e) {
        const std::uint32_t from = r_.edges.producer[e];
        const auto later = std::upper_bound(producers.begin(), producers.end(), from);
        if (!std::any_of(later, producers.end(), [&](std::uint32_t other) { return reach.reaches(from, other); })) continue;
        if (creator_[e] == 0) out_.reduced_removed.push_back(e);
        if (creator_[e] == 0 || carried_on(e, begin, end)) out_.dataflow_removed.push_back(e);
      }
    }
  }

  /// Every creator reason of the pair is an INOUT argument whose bytes are all written by other tasks before and after.
  bool carried_on(std::uint32_t edge, std::uint32_t begin, std::uint32_t end) {
    index_reasons();
    const auto& reasons = r_.edge_reasons;
    for (const std::uint32_t reason : by_edge_.of(edge)) {
      if (reasons.source[reason] != runtime::kCreator) continue;
      const std::uint32_t access = reasons.consumer_access[reason];
      std::vector<ByteRun> wanted;
      if (access == kNoRow || kind_of(access) != ArgKind::InOut || !runs_of(access, wanted)) return false;
      std::vector<ByteRun> before, after;
      for (std::uint32_t other = begin; other < end; ++other) {
        for (const std::uint32_t written : by_edge_.of(other)) {
          if (reasons.source[written] != runtime::kTensorMap || reasons.consumer_access[written] != access) continue;
          const std::uint32_t from = reasons.producer_access[written];
          if (from != kNoRow && owner_of(from) == owner_of(access)) runs_of(from, before);
        }
      }
      for (const std::uint32_t read : onward_.of(access)) {
        const std::uint32_t to = reasons.consumer_access[read];
        if (to != kNoRow && kind_of(to) == ArgKind::InOut && owner_of(to) == owner_of(access)) runs_of(to, after);
      }
      if (!covers(before, wanted) || !covers(after, wanted)) return false;
    }
    return true;
  }

  [[nodiscard]] ArgKind kind_of(std::uint32_t access) const { return static_cast<ArgKind>(r_.accesses.kind[access]); }
  [[nodiscard]] std::uint64_t owner_of(std::uint32_t access) const { return r_.tensors.owner[r_.accesses.tensor[access]]; }
  /// False where the place is not known exactly. Bytes count from address 0.
  bool runs_of(std::uint32_t access, std::vector<ByteRun>& out) const {
    const runtime::TensorDescriptor t = descriptor_of(r_, access);
    const auto& a = r_.accesses;
    const std::uint32_t bytes = element_size(t.dtype);
    const auto words = std::span(r_.pool).subspan(a.geometry_begin[access], a.geometry_begin_count[access]);
    const ByteShape shape = byte_shape(words, bytes);
    if (shape.empty() || static_cast<runtime::ElementType>(r_.tensors.dtype[a.tensor[access]]) != t.dtype) return false;
    const std::uint64_t begin = t.start_offset * bytes;
    if (t.buffer_elements != 0 && begin + shape.extent > t.buffer_elements * bytes) return false;
    return append_runs(t.address + begin, shape, kMaxRuns, out);
  }

  static bool covers(std::vector<ByteRun>& given, const std::vector<ByteRun>& wanted) {
    std::sort(given.begin(), given.end());
    auto at = given.begin();
    for (const ByteRun& run : wanted) {
      std::uint64_t done = run.first;
      while (done < run.second) {
        while (at != given.end() && at->second <= done) ++at;
        if (at == given.end() || at->first > done) return false;
        done = at->second;
      }
    }
    return true;
  }

  void index_reasons() {
    if (indexed_) return;
    indexed_ = true;
    const auto& reasons = r_.edge_reasons;
    by_edge_ = groups_of(reasons.edge, r_.edges.rows());
    onward_ = {r_.accesses.rows(), reasons.rows(),
               [&](std::uint32_t i) { return reasons.source[i] == runtime::kTensorMap ? reasons.producer_access[i] : kNoRow; }};
  }

  const Recording& r_;
  GraphViews out_;
  std::vector<std::uint8_t> creator_;  // by edge
  bool indexed_ = false;
  RowGroups by_edge_;  // edge_reasons
  RowGroups onward_;   // edge_reasons of the TensorMap, by the access that wrote
};

}  // namespace

GraphViews graph_views(const Recording& recording) { return Views(recording).result(); }

}  // namespace depscope::replay
