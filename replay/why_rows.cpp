#include "why_rows.h"

namespace depscope::replay {

using recording::kNoRow;

PairRows::PairRows(const recording::Recording& recording)
    : r_(recording),
      edges_(groups_of(recording.pass_edges.consumer, recording.call_sites.rows())),
      hazards_(groups_of(recording.hazards.current, recording.call_sites.rows())) {}

std::vector<EdgeAsked> PairRows::edges_of(std::uint32_t consumer) const {
  const auto& e = r_.pass_edges;
  std::vector<EdgeAsked> out;
  for (const std::uint32_t row : edges_.of(consumer)) {
    recording::for_each_edge(r_, row, [&](const recording::EdgePart& part) {
      out.push_back({part.id, part.producer, static_cast<pass::EdgeOrigin>(e.origin[row]),
                     static_cast<pass::EdgeStatus>(e.status[row]), e.synthetic[row] != 0, e.stripped_by[row],
                     e.imported_from[row]});
    });
  }
  return out;
}

std::vector<EdgeAsked> PairRows::edges_between(std::uint32_t producer, std::uint32_t consumer) const {
  std::vector<EdgeAsked> out = edges_of(consumer);
  std::erase_if(out, [&](const EdgeAsked& edge) { return edge.producer != producer; });
  return out;
}

HazardAsked PairRows::hazard(std::uint32_t row, const recording::HazardPart& part) const {
  const auto& h = r_.hazards;
  const std::uint32_t edge = h.edge_row[row];
  // A user edge may have another name than the producer's own id; compiler edges have that one.
  const bool own = edge == kNoRow || h.verdict[row] == static_cast<std::uint8_t>(pass::HazardVerdict::CompilerEdge);
  return {part.prior,
          part.prior_arg,
          h.current_arg[row],
          part.prior_storage,
          h.current_storage[row],
          h.kinds[row],
          static_cast<pass::HazardVerdict>(h.verdict[row]),
          own ? part.edge : r_.pass_edges.id[edge],
          h.reason[row],
          h.by_memref[row] != 0};
}

std::vector<HazardAsked> PairRows::hazards_between(std::uint32_t prior, std::uint32_t current) const {
  std::vector<HazardAsked> out;
  for (const std::uint32_t row : hazards_.of(current)) {
    recording::for_each_hazard(r_, row, [&](const recording::HazardPart& part) {
      if (part.prior == prior) out.push_back(hazard(row, part));
    });
  }
  return out;
}

std::optional<HazardAsked> PairRows::refused_of(std::uint32_t current) const {
  for (const std::uint32_t row : hazards_.of(current)) {
    if (r_.hazards.verdict[row] == static_cast<std::uint8_t>(pass::HazardVerdict::FellBack))
      return hazard(row, recording::hazard_part(r_, row, 0));
  }
  return std::nullopt;
}

std::uint32_t PairRows::offending_prior(std::uint32_t region) const {
  const std::uint32_t hazard = r_.regions.offending_hazard[region];
  return hazard == kNoRow ? kNoRow : r_.hazards.prior[hazard];
}

}  // namespace depscope::replay
