#include "check_false.h"

#include <algorithm>

#include "check_geometry.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;
using runtime::TaskKind;

LoopNest::LoopNest(const Recording& recording) : r_(recording) {
  begin_.assign(r_.call_sites.rows() + std::size_t{1}, 0);
  for (const std::uint32_t site : r_.site_loops.call_site) ++begin_[site + std::size_t{1}];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
}

std::uint32_t LoopNest::siblings(std::uint32_t first, std::uint32_t second) const {
  const std::uint32_t a = r_.tasks.call_site[first];
  const std::uint32_t b = r_.tasks.call_site[second];
  if (a == kNoRow || b == kNoRow) return kNoRow;
  const auto depth = [&](std::uint32_t task, std::uint32_t site) {
    return std::min(begin_[site + std::size_t{1}] - begin_[site], r_.tasks.iteration_begin_count[task]);
  };
  const std::uint32_t common = std::min(depth(first, a), depth(second, b));
  for (std::uint32_t k = 0; k < common; ++k) {
    const std::uint32_t row = begin_[a] + k;
    if (r_.site_loops.loop[row] != r_.site_loops.loop[begin_[b] + k]) return kNoRow;
    if (r_.pool[r_.tasks.iteration_begin[first] + k] == r_.pool[r_.tasks.iteration_begin[second] + k]) continue;
    return r_.site_loops.parallel[row] != 0 ? row : kNoRow;
  }
  return kNoRow;
}

namespace {

class Judge {
 public:
  Judge(const Recording& recording, const Touches& touches, const LoopNest& loops)
      : r_(recording), touches_(touches), loops_(loops), placed_(recording.tasks.rows(), 0) {
    // A task is judged only if every argument of it has a place.
    std::vector<std::uint32_t> last(r_.tasks.rows(), kNoRow);
    std::vector<std::uint32_t> placed(r_.tasks.rows(), 0);
    std::vector<std::uint32_t> arguments(r_.tasks.rows(), 0);
    for (const Touch& touch : touches_.all()) {
      if (touch.access == last[touch.task] || r_.accesses.geometry_begin_count[touch.access] == 0) continue;
      last[touch.task] = touch.access;
      ++placed[touch.task];
    }
    for (std::uint32_t a = 0; a < r_.accesses.rows(); ++a) {
      const auto kind = static_cast<runtime::ArgKind>(r_.accesses.kind[a]);
      if (kind == runtime::ArgKind::Scalar || is_empty(r_, a)) continue;
      // What a trace's task creates, and nobody uses, is no conflict with anybody.
      if (kind == runtime::ArgKind::Output && r_.accesses.geometry_begin_count[a] == 0) continue;
      ++arguments[r_.accesses.task[a]];
    }
    for (std::uint32_t t = 0; t < r_.tasks.rows(); ++t)
      placed_[t] = static_cast<TaskKind>(r_.tasks.kind[t]) == TaskKind::Kernel && placed[t] >= arguments[t] ? 1 : 0;
  }

  std::vector<FalseEdge> run() {
    std::vector<FalseEdge> out;
    const auto& e = r_.edges;
    std::uint32_t reason = 0;
    for (std::uint32_t edge = 0; edge < e.rows(); ++edge) {
      while (reason < r_.edge_reasons.rows() && r_.edge_reasons.edge[reason] < edge) ++reason;
      if (!is_candidate(edge) || conflict(e.producer[edge], e.consumer[edge])) continue;
      FalseEdge found{.edge = edge};
      describe(found, reason);
      out.push_back(found);
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_candidate(std::uint32_t edge) const {
    const auto& e = r_.edges;
    const std::uint32_t producer = e.producer[edge];
    const std::uint32_t consumer = e.consumer[edge];
    if ((e.flags[edge] & runtime::kWait) == 0 || placed_[producer] == 0 || placed_[consumer] == 0) return false;
    const std::uint8_t sources = e.provenance[edge];
    if ((sources & (runtime::kFence | runtime::kExplicit)) != 0) return false;
    if ((sources & runtime::kUser) != 0 && loops_.siblings(producer, consumer) == kNoRow) return false;
    const bool touch = !touches_.of_task(producer).empty() && !touches_.of_task(consumer).empty();
    if (!touch && sources != runtime::kUser) return false;
    // The owner of a buffer as declared writes all of it.
    if ((sources & runtime::kCreator) != 0) return body_known(producer) || body_known(consumer);
    return true;
  }

  [[nodiscard]] bool body_known(std::uint32_t task) const {
    const auto touches = touches_.of_task(task);
    return std::any_of(touches.begin(), touches.end(),
                       [&](const Touch& t) { return t.row != kNoRow && r_.touched.source[t.row] != 0; });
  }

  [[nodiscard]] bool conflict(std::uint32_t producer, std::uint32_t consumer) const {
    for (const Touch& a : touches_.of_task(producer)) {
      for (const Touch& b : touches_.of_task(consumer)) {
        if (((a.mode | b.mode) & kTouchWrites) == 0) continue;
        if (touches_.meet(a.region, b.region) != Meeting::No) return true;
      }
    }
    return false;
  }

  /// The arguments that the edge is about: those that the runtime compared, else two of one buffer of which one writes.
  void describe(FalseEdge& found, std::uint32_t reason) const {
    const std::uint32_t producer = r_.edges.producer[found.edge];
    const std::uint32_t consumer = r_.edges.consumer[found.edge];
    const std::uint8_t sources = r_.edges.provenance[found.edge];
    found.reason = (sources & runtime::kUser) != 0        ? FalseReason::Siblings
                   : (sources & runtime::kCompiler) != 0  ? FalseReason::Compiler
                   : (sources & runtime::kTensorMap) != 0 ? FalseReason::Conservative
                                                          : FalseReason::Creator;
    for (; reason < r_.edge_reasons.rows() && r_.edge_reasons.edge[reason] == found.edge; ++reason) {
      if (r_.edge_reasons.source[reason] == runtime::kTensorMap) {
        found.first_access = r_.edge_reasons.producer_access[reason];
        found.second_access = r_.edge_reasons.consumer_access[reason];
        break;
      }
      if (r_.edge_reasons.source[reason] == runtime::kCreator && found.second_access == kNoRow)
        found.second_access = r_.edge_reasons.consumer_access[reason];
    }
    if (found.first_access == kNoRow || found.second_access == kNoRow) find_arguments(found, producer, consumer);
    const bool narrow = found.first_access != kNoRow && found.second_access != kNoRow &&
                        meet_as_declared(r_, found.first_access, found.second_access) != Meeting::No;
    if (narrow && found.reason != FalseReason::Siblings) found.reason = FalseReason::NarrowBody;
  }

  void find_arguments(FalseEdge& found, std::uint32_t producer, std::uint32_t consumer) const {
    int best = -1;
    const std::uint32_t wanted = found.second_access;
    for (const Touch& a : touches_.of_task(producer)) {
      for (const Touch& b : touches_.of_task(consumer)) {
        if (wanted != kNoRow && b.access != wanted) continue;
        if (!same_buffer(r_, a.access, b.access)) continue;
        const int rank = ((a.mode | b.mode) & kTouchWrites) != 0 ? 1 : 0;
        if (rank <= best) continue;
        best = rank;
        found.first_access = a.access;
        found.second_access = b.access;
      }
    }
  }

  const Recording& r_;
  const Touches& touches_;
  const LoopNest& loops_;
  std::vector<std::uint8_t> placed_;  // by task: a kernel whose arguments all have places
};

}  // namespace

std::vector<FalseEdge> find_false_edges(const Recording& recording, const Touches& touches, const LoopNest& loops) {
  return Judge(recording, touches, loops).run();
}

const char* conservative_words(const Recording& r, std::uint32_t written_access, std::uint32_t requested_access) {
  const runtime::TensorDescriptor e = descriptor_of(r, written_access);
  const runtime::TensorDescriptor q = descriptor_of(r, requested_access);
  if (q.version > e.version) return "the version of the tensor is newer: not compared";
  if (q.dtype != e.dtype) return "element types differ: conservative";
  if (q.rank != e.rank) return "rank differs: conservative";
  for (std::uint32_t i = 0; i < q.rank; ++i) {
    if (q.strides[i] != e.strides[i]) return "strides differ: conservative";
  }
  if (q.rank == 0 || q.strides[q.rank - 1U] != 1) return "equal last stride is not 1: conservative";
  for (std::uint32_t i = 0; i + 1U < q.rank; ++i) {
    if (q.strides[i + 1U] == 0 || q.strides[i] % q.strides[i + 1U] != 0)
      return "a stride is no multiple of the next: conservative";
  }
  if (q.strides[0] == 0 || q.buffer_elements % q.strides[0] != 0) return "the buffer is no whole number of rows: conservative";
  return "a view runs past the end of a row: conservative";
}

}  // namespace depscope::replay
