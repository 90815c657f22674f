// Rows of hazards and pass_edges that stand for many (Recording's listed_accesses). n writers of one buffer have n(n-1)/2
// hazards and as many edges between them; as runs they are n rows each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "depscope/pass/decisions.h"
#include "depscope/recording/tables.h"

namespace depscope::recording {

/// One of the hazards that a row stands for: what differs among them.
struct HazardPart {
  std::uint32_t prior = kNoRow;  ///< call_sites row
  std::uint32_t prior_arg = 0;
  std::uint32_t prior_storage = kNoRow;
  std::uint32_t edge = 0;  ///< string: the id variable that stands for the prior, "" if none
};

/// One of the edges that a row stands for.
struct EdgePart {
  std::uint32_t producer = kNoRow;  ///< call_sites row
  std::uint32_t id = 0;             ///< string
};

[[nodiscard]] inline std::uint64_t hazard_count(const Recording& r, std::uint32_t row) {
  return std::uint64_t{1} + r.hazards.more_count[row];
}
[[nodiscard]] inline std::uint64_t edge_count(const Recording& r, std::uint32_t row) {
  return std::uint64_t{1} + r.pass_edges.more_count[row];
}

/// The `k`th of the hazards of a row, `k` below hazard_count.
[[nodiscard]] inline HazardPart hazard_part(const Recording& r, std::uint32_t row, std::uint32_t k) {
  const auto& h = r.hazards;
  if (k == 0) return {h.prior[row], h.prior_arg[row], h.prior_storage[row], h.edge[row]};
  const std::uint32_t listed = h.more_begin[row] + k - 1;
  const std::uint32_t id = h.edge[row] == 0 ? 0 : r.listed_accesses.id[listed];
  const std::uint32_t access = r.listed_accesses.access[listed];
  if (access == kNoRow) return {kNoRow, h.prior_arg[row], kNoRow, id};
  return {r.pass_accesses.call_site[access], r.pass_accesses.arg[access], r.pass_accesses.storage[access], id};
}

/// The `k`th of the edges of a row, `k` below edge_count.
[[nodiscard]] inline EdgePart edge_part(const Recording& r, std::uint32_t row, std::uint32_t k) {
  const auto& e = r.pass_edges;
  if (k == 0) return {e.producer[row], e.id[row]};
  const std::uint32_t listed = e.more_begin[row] + k - 1;
  const std::uint32_t access = r.listed_accesses.access[listed];
  return {access == kNoRow ? kNoRow : r.pass_accesses.call_site[access], r.listed_accesses.id[listed]};
}

template <class F>
void for_each_hazard(const Recording& r, std::uint32_t row, F&& f) {
  for (std::uint32_t k = 0; k <= r.hazards.more_count[row]; ++k) f(hazard_part(r, row, k));
}
template <class F>
void for_each_edge(const Recording& r, std::uint32_t row, F&& f) {
  for (std::uint32_t k = 0; k <= r.pass_edges.more_count[row]; ++k) f(edge_part(r, row, k));
}

/// True if one of the hazards of the row is with an access of this call site.
[[nodiscard]] inline bool hazard_has_prior(const Recording& r, std::uint32_t row, std::uint32_t prior) {
  for (std::uint32_t k = 0; k <= r.hazards.more_count[row]; ++k) {
    if (hazard_part(r, row, k).prior == prior) return true;
  }
  return false;
}

/// First and end row of the edges of a call site.
struct EdgeRows {
  std::uint32_t begin = 0, end = 0;
};
[[nodiscard]] inline EdgeRows edges_of_site(const Recording& r, std::uint32_t site) {
  const auto& consumers = r.pass_edges.consumer;
  const auto [first, last] = std::equal_range(consumers.begin(), consumers.end(), site);
  return {static_cast<std::uint32_t>(first - consumers.begin()), static_cast<std::uint32_t>(last - consumers.begin())};
}

/// True for an edge that stands in the call's compiler edges after the last pass.
[[nodiscard]] inline bool is_kept_compiler_edge(const Recording& r, std::uint32_t row) {
  return r.pass_edges.origin[row] == static_cast<std::uint8_t>(pass::EdgeOrigin::Compiler) &&
         r.pass_edges.status[row] == static_cast<std::uint8_t>(pass::EdgeStatus::Kept);
}

/// Calls `f(string)` for the first `limit` of the compiler edges that the call has after the last pass, in order.
template <class F>
void for_first_compiler_deps(const Recording& r, std::uint32_t site, std::uint64_t limit, F&& f) {
  const auto& s = r.call_sites;
  for (std::uint32_t k = 0; k < s.compiler_dep_begin_count[site] && k < limit; ++k) f(r.pool[s.compiler_dep_begin[site] + k]);
  if (s.compiler_dep_begin_count[site] != 0) return;
  const EdgeRows rows = edges_of_site(r, site);
  std::uint64_t left = limit;
  for (std::uint32_t row = rows.begin; row < rows.end && left != 0; ++row) {
    if (!is_kept_compiler_edge(r, row)) continue;
    for (std::uint32_t k = 0; k < edge_count(r, row) && left != 0; ++k, --left) f(edge_part(r, row, k).id);
  }
}
[[nodiscard]] inline std::uint64_t compiler_dep_count(const Recording& r, std::uint32_t site) {
  if (r.call_sites.compiler_dep_begin_count[site] != 0) return r.call_sites.compiler_dep_begin_count[site];
  std::uint64_t count = 0;
  const EdgeRows rows = edges_of_site(r, site);
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) count += is_kept_compiler_edge(r, row) ? edge_count(r, row) : 0;
  return count;
}

}  // namespace depscope::recording
