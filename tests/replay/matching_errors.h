// What has to hold of every matching, whatever the recordings are.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "depscope/replay/match.h"

namespace depscope::replay {

/// What contradicts itself in one table, empty if nothing does.
inline std::string error_of_columns(const MatchedRows& rows, std::uint32_t size_a, std::uint32_t size_b) {
  if (!rows.compared) return rows.b_of_a.empty() && rows.a_of_b.empty() && rows.only_a.empty() ? "" : "columns of no comparison";
  if (rows.b_of_a.size() != size_a || rows.a_of_b.size() != size_b) return "columns of another size than the table";
  for (std::uint32_t a = 0; a < size_a; ++a) {
    const std::uint32_t b = rows.b_of_a[a];
    if (b != recording::kNoRow && (b >= size_b || rows.a_of_b[b] != a)) return "no way back from row " + std::to_string(a);
    if (b == recording::kNoRow && !rows.differs.empty() && rows.differs[a] != 0) return "a difference from nothing";
  }
  for (std::uint32_t b = 0; b < size_b; ++b) {
    if (rows.a_of_b[b] != recording::kNoRow && rows.b_of_a[rows.a_of_b[b]] != b)
      return "no way there to row " + std::to_string(b);
  }
  const auto listed = [](const std::vector<std::uint32_t>& only, const std::vector<std::uint32_t>& counterpart) {
    return std::is_sorted(only.begin(), only.end()) &&
           std::all_of(only.begin(), only.end(), [&](std::uint32_t row) { return counterpart[row] == recording::kNoRow; });
  };
  return listed(rows.only_a, rows.b_of_a) && listed(rows.only_b, rows.a_of_b) ? "" : "a matched row is listed as an only one";
}

inline std::string error_of_matching(const Matching& m, const recording::Recording& a, const recording::Recording& b) {
  const auto table = [&](const char* name, const MatchedRows& rows, const auto& table_a, const auto& table_b) {
    const std::string error = error_of_columns(rows, table_a.rows(), table_b.rows());
    return error.empty() ? error : std::string(name) + ": " + error;
  };
  for (const std::string& error :
       {table("passes", m.passes, a.passes, b.passes), table("functions", m.functions, a.functions, b.functions),
        table("call_sites", m.call_sites, a.call_sites, b.call_sites), table("arguments", m.arguments, a.arguments, b.arguments),
        table("ir_scopes", m.ir_scopes, a.ir_scopes, b.ir_scopes), table("regions", m.regions, a.regions, b.regions),
        table("hazards", m.hazards, a.hazards, b.hazards), table("tasks", m.tasks, a.tasks, b.tasks),
        table("accesses", m.accesses, a.accesses, b.accesses), table("tensors", m.tensors, a.tensors, b.tensors),
        table("edges", m.edges, a.edges, b.edges), table("scopes", m.scopes, a.scopes, b.scopes)})
    if (!error.empty()) return error;
  return {};
}

/// Edges and accesses against looking them up: those of matched tasks, by producer and by position.
inline std::string error_of_followers(const Matching& m, const recording::Recording& a, const recording::Recording& b) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Key, std::uint32_t> edges;
  for (std::uint32_t e = 0; e < b.edges.rows(); ++e) edges[{b.edges.producer[e], b.edges.consumer[e]}] = e;
  for (std::uint32_t e = 0; e < a.edges.rows(); ++e) {
    const std::uint32_t producer = m.tasks.b_of_a[a.edges.producer[e]];
    const std::uint32_t consumer = m.tasks.b_of_a[a.edges.consumer[e]];
    const bool both = producer != recording::kNoRow && consumer != recording::kNoRow;
    const auto found = both ? edges.find({producer, consumer}) : edges.end();
    if (m.edges.b_of_a[e] != (found == edges.end() ? recording::kNoRow : found->second)) return "edge " + std::to_string(e);
  }
  std::map<Key, std::uint32_t> accesses;
  for (std::uint32_t x = 0; x < b.accesses.rows(); ++x) accesses[{b.accesses.task[x], b.accesses.arg[x]}] = x;
  for (std::uint32_t x = 0; x < a.accesses.rows(); ++x) {
    const std::uint32_t task = m.tasks.b_of_a[a.accesses.task[x]];
    const auto found = task == recording::kNoRow ? accesses.end() : accesses.find({task, a.accesses.arg[x]});
    if (m.accesses.b_of_a[x] != (found == accesses.end() ? recording::kNoRow : found->second))
      return "access " + std::to_string(x);
  }
  return {};
}

/// Rows of a in which a kind differs.
inline std::uint64_t marked(const MatchedRows& rows, DifferenceKind kind) {
  std::uint64_t out = 0;
  for (std::uint32_t row = 0; row < rows.differs.size(); ++row) out += rows.differs_in(row, kind) ? 1 : 0;
  return out;
}

inline std::uint64_t only(const MatchedRows& rows) { return rows.only_a.size() + rows.only_b.size(); }

/// Every row is its own counterpart, and nothing differs.
inline bool is_identity(const MatchedRows& rows) {
  for (std::uint32_t row = 0; row < rows.b_of_a.size(); ++row) {
    if (rows.b_of_a[row] != row) return false;
  }
  return rows.compared && only(rows) == 0 &&
         std::all_of(rows.differs.begin(), rows.differs.end(), [](std::uint32_t kinds) { return kinds == 0; });
}

}  // namespace depscope::replay
