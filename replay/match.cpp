#include "depscope/replay/match.h"

#include <utility>

#include "match_tables.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

void list_unmatched(const std::vector<std::uint32_t>& counterpart, std::vector<std::uint32_t>& only) {
  for (std::uint32_t row = 0; row < counterpart.size(); ++row) {
    if (counterpart[row] == kNoRow) only.push_back(row);
  }
}

void list_unmatched(MatchedRows& rows) {
  list_unmatched(rows.b_of_a, rows.only_a);
  list_unmatched(rows.a_of_b, rows.only_b);
}

void take(MatchedRows& rows, std::vector<std::uint32_t>&& b_of_a, std::vector<std::uint32_t>&& a_of_b) {
  rows.compared = true;
  rows.b_of_a = std::move(b_of_a);
  rows.a_of_b = std::move(a_of_b);
}

}  // namespace

void match_tables(const Side& a, const Side& b, const SiteAlignment& sites, const TaskAlignment& tasks, bool all, Matching& out) {
  out.by = tasks.by;
  if (a.known.program && b.known.program) {
    match_passes(a, b, out);
    match_regions(a, b, sites, out);
    match_ir_scopes(a, b, sites, out);
    if (all) {
      match_arguments(a, b, sites, out);
      match_hazards(a, b, sites, out);
    }
  }
  if (!a.known.tasks || !b.known.tasks) return;
  match_edges(a, b, tasks, out);
  if (a.known.geometry && b.known.geometry) {
    match_accesses(a, b, tasks, out);
    if (all) match_tensors(a, b, tasks, out);
  }
  if (all && a.r.scopes.rows() != 0 && b.r.scopes.rows() != 0) match_scopes(a, b, tasks, out);
}

void take_alignments(const Side& a, const Side& b, SiteAlignment&& sites, TaskAlignment&& tasks, Matching& out) {
  if (a.known.program && b.known.program) {
    take(out.functions, std::move(sites.function_b_of_a), std::move(sites.function_a_of_b));
    take(out.call_sites, std::move(sites.b_of_a), std::move(sites.a_of_b));
  }
  for (MatchedRows* rows : {&out.passes, &out.functions, &out.call_sites, &out.arguments, &out.ir_scopes, &out.regions,
                            &out.hazards, &out.accesses, &out.tensors, &out.scopes})
    list_unmatched(*rows);
  if (!a.known.tasks || !b.known.tasks) return;
  take(out.tasks, std::move(tasks.b_of_a), std::move(tasks.a_of_b));
  list_unmatched(out.tasks);
  std::erase_if(out.tasks.only_a, [&](std::uint32_t task) { return !TaskAlignment::must_match(a, b, task); });
  std::erase_if(out.tasks.only_b, [&](std::uint32_t task) { return !TaskAlignment::must_match(b, a, task); });
}

Matching match_rows(const Recording& recording_a, const Recording& recording_b) {
  const Side a(recording_a, 'a');
  const Side b(recording_b, 'b');
  SiteAlignment sites = align_sites(a, b);
  TaskAlignment tasks = align_tasks(a, b, sites);
  Matching out;
  match_tables(a, b, sites, tasks, true, out);
  take_alignments(a, b, std::move(sites), std::move(tasks), out);
  return out;
}

}  // namespace depscope::replay
