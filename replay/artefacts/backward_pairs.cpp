#include "backward_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "../check_names.h"
#include "../json_text.h"
#include "../row_groups.h"
#include "depscope/recording/findings.h"
#include "depscope/runtime/sink.h"
#include "timed_tasks.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using runtime::ArgKind;

/// Why the pair must be in order: the first reason that names bytes.
struct Conflict {
  std::uint32_t access = kNoRow;  // of the consumer
  std::string_view hazard;
};

Conflict conflict_of(const Recording& r, std::span<const std::uint32_t> reasons) {
  for (const std::uint32_t reason : reasons) {
    const std::uint32_t access = r.edge_reasons.consumer_access[reason];
    if (access == kNoRow) continue;
    // Producers of creator and TensorMap edges write.
    const auto kind = static_cast<ArgKind>(r.accesses.kind[access]);
    return {access, kind == ArgKind::OutputExisting ? "WAW" : "RAW"};
  }
  return {};
}

}  // namespace

std::vector<BackwardPair> backward_pairs(const Recording& graph, const RunTimes& times) {
  std::vector<BackwardPair> out;
  if (times.joined.rows() == 0) return out;
  const TimedTasks tasks(times);
  std::vector<std::uint64_t> receive(tasks.size());
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    receive[t] =
        *std::min_element(times.joined.receive.begin() + tasks.begin[t], times.joined.receive.begin() + tasks.begin[t + 1]);
  }
  const TimedEdges edges(tasks, graph);
  for (std::uint32_t e = 0; e < edges.row.size(); ++e) {
    const std::uint32_t p = edges.producer[e], c = edges.consumer[e];
    if (tasks.start[c] + kClockTolerance < tasks.end[p]) out.push_back({edges.row[e], tasks.end[p], tasks.start[c], receive[c]});
  }
  return out;
}

void add_backward_findings(Recording& graph, const RunTimes& times, const std::vector<BackwardPair>& pairs) {
  if (pairs.empty()) return;
  const TaskNames names(graph);
  const RowGroups reasons = groups_of(graph.edge_reasons.edge, graph.edges.rows());
  const std::size_t told = std::min<std::size_t>(pairs.size(), kMaxBackwardFindings);
  for (std::size_t i = 0; i < told; ++i) {
    const BackwardPair& pair = pairs[i];
    const std::uint32_t producer = graph.edges.producer[pair.edge], consumer = graph.edges.consumer[pair.edge];
    const Conflict conflict = conflict_of(graph, reasons.of(pair.edge));
    const double early = times.span_us(pair.producer_end - pair.consumer_start);
    std::string fields = fmt::format(R"({{"first":{},"second":{})", names.json(producer), names.json(consumer));
    std::string what = "the edge between them";
    if (conflict.access != kNoRow) {
      const std::string buffer = names.buffer(conflict.access);
      fields += fmt::format(R"(,"hazard":"{}","buffer":{})", conflict.hazard, json_string(buffer));
      what = fmt::format("{} on {}", conflict.hazard, buffer);
    }
    fields +=
        fmt::format(R"(,"observed":true,"producer_end_cycles":{},"consumer_start_cycles":{},"violation_us":[{:.3f},{:.3f}]}})",
                    pair.producer_end, pair.consumer_start, early,
                    times.span_us(pair.producer_end - std::min(pair.producer_end, pair.consumer_receive)));
    recording::add_finding(graph, "missing_order", Severity::Error,
                           fmt::format("{} started {:.3f} us before {} had ended, against {}", names.text(consumer), early,
                                       names.text(producer), what),
                           fields, 0);
  }
  if (told < pairs.size())
    recording::add_finding(graph, "missing_order", Severity::Error,
                           fmt::format("{} more pairs, of {}, whose consumer started before its producer had ended",
                                       pairs.size() - told, pairs.size()),
                           fmt::format(R"({{"observed":true,"pairs":{}}})", pairs.size() - told), 0);
}

}  // namespace depscope::replay
