// What differs between matched rows, where compare() counts it under another name or not by row.
#include <string>
#include <unordered_map>

#include "compare_report.h"
#include "match_tables.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

/// By call site: the function that it calls, none if the recording does not have it.
std::vector<std::uint32_t> callees(const Recording& r) {
  std::unordered_map<std::uint32_t, std::uint32_t> by_name;  // string to function, only looked up
  for (std::uint32_t f = 0; f < r.functions.rows(); ++f) by_name.emplace(r.functions.name[f], f);
  std::vector<std::uint32_t> out;
  out.reserve(r.call_sites.rows());
  for (const std::uint32_t callee : r.call_sites.callee) {
    const auto at = by_name.find(callee);
    out.push_back(at == by_name.end() ? kNoRow : at->second);
  }
  return out;
}

/// Calls of another function, unless that is what the function is called in b, and calls with more arguments.
void mark_calls(const ComparisonInput& in) {
  const std::vector<std::uint32_t> callee_a = callees(in.a.r);
  const std::vector<std::uint32_t> callee_b = callees(in.b.r);
  const auto& a = in.a.r.call_sites;
  const auto& b = in.b.r.call_sites;
  for (std::uint32_t site = 0; site < a.rows(); ++site) {
    const std::uint32_t other = in.sites.b_of_a[site];
    if (other == kNoRow) continue;
    if (a.argument_count[site] != b.argument_count[other]) in.rows.call_sites.mark(site, DifferenceKind::Argument);
    if (in.a.r.text(a.callee[site]) == in.b.r.text(b.callee[other])) continue;
    const bool renamed = callee_a[site] != kNoRow && in.sites.function_b_of_a[callee_a[site]] != kNoRow &&
                         in.sites.function_b_of_a[callee_a[site]] == callee_b[other];
    if (!renamed) in.rows.call_sites.mark(site, DifferenceKind::Kernel);
  }
}

/// Mode and owner of scopes, and the mode that tasks stand in, which for programs is counted where it stands in the text.
void mark_scopes(const ComparisonInput& in) {
  const auto& a = in.a.r.scopes;
  const auto& b = in.b.r.scopes;
  if (!in.a.known.scope_mode || !in.b.known.scope_mode) return;
  for (std::uint32_t scope = 0; scope < in.rows.scopes.b_of_a.size(); ++scope) {
    const std::uint32_t other = in.rows.scopes.b_of_a[scope];
    if (other != kNoRow && (a.manual[scope] != b.manual[other] || a.owner[scope] != b.owner[other]))
      in.rows.scopes.mark(scope, DifferenceKind::Scope);
  }
  for (std::uint32_t task = 0; task < in.a.tasks(); ++task) {
    const std::uint32_t other = in.tasks.b_of_a[task];
    if (other == kNoRow || in.a.is_alloc(task) || in.b.is_alloc(other)) continue;
    if (((in.a.r.tasks.flags[task] ^ in.b.r.tasks.flags[other]) & 1U) != 0) in.rows.tasks.mark(task, DifferenceKind::Scope);
  }
}

}  // namespace

void prepare_marks(const Side& a, const Side& b, Matching& rows) {
  for (MatchedRows* table : {&rows.passes, &rows.arguments, &rows.ir_scopes, &rows.regions, &rows.hazards, &rows.accesses,
                             &rows.tensors, &rows.edges, &rows.scopes})
    table->differs.assign(table->b_of_a.size(), 0);
  if (a.known.program && b.known.program) {
    rows.functions.differs.assign(a.r.functions.rows(), 0);
    rows.call_sites.differs.assign(a.r.call_sites.rows(), 0);
  }
  if (a.known.tasks && b.known.tasks) rows.tasks.differs.assign(a.tasks(), 0);
}

void mark_rows(const ComparisonInput& in) {
  if (in.a.known.program && in.b.known.program) mark_calls(in);
  if (in.a.known.tasks && in.b.known.tasks) mark_scopes(in);
}

}  // namespace depscope::replay
