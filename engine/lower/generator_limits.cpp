// What the observed code generator cannot do with loop results that compiler edges name (passes.md 9.5): it decides by name base
// which values need an id.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::VarId;

/// True for the result of a loop that is nested in a loop which does not contain the site being lowered.
bool Lowering::names_inner_result(VarId var) const {
  const VarFacts& facts = facts_.var(var);
  if (facts.definition != Definition::LoopResult) return false;
  const std::uint32_t around = facts_.loops()[facts.loop].parent;
  if (around == kNone) return false;
  return open_loops_.empty() || !facts_.contains(around, open_loops_.back());
}

/// True for a result of a submit, whose handle is kept whatever its name, or out of the tuple of a call whose id is kept.
bool Lowering::shares_id(VarId var) const {
  const VarFacts& facts = facts_.var(var);
  if (facts.definition != Definition::Assign) return false;
  const ExprId value = statement_value(store_, facts.statement);
  const ir::Expr& e = store_.expr(value);
  if (e.kind == ir::ExprKind::Call) return store_.call(value).form == ir::CallForm::Submit;
  const VarId tuple = e.kind == ir::ExprKind::TupleGet ? store_.as_var(ExprId(e.a)) : VarId();
  return tuple.valid() && (facts_.edge_base(tuple) || shares_id(tuple));
}

void Lowering::check_loop(std::uint32_t index) {
  const LoopFacts& loop = facts_.loops()[index];
  if (loop.is_while || (!loop.trips && !loop.parallel)) return;
  for (std::uint32_t k = 0; k < loop.results.count && k < loop.yields.count; ++k) {
    const VarId result = store_.at<VarId>(loop.results, k);
    const VarId yielded = store_.as_var(store_.at<ExprId>(loop.yields, k));
    if (!yielded.valid() || ir::is_task_id_array(store_, store_.var(result).type)) continue;
    const VarFacts& source = facts_.var(yielded);
    const bool named = facts_.edge_base(result);
    // Slots that the loop inside leaves: an array that edges ask for has one per iteration, a carried one what it inherited.
    std::int64_t inner = 0;
    if (source.definition == Definition::LoopResult && loop.trips) {
      if (named && facts_.edge_base(yielded)) inner = facts_.loops()[source.loop].trips.value_or(0);
      if (loop.parallel && facts_.carried_slots(result) > 0) inner = std::max(inner, facts_.carried_slots(yielded));
    }
    if (inner != 0 && inner != *loop.trips) {
      Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, loop.statement, {});
      finding.name = facts_.base(result);
      finding.reason = "nested loops with different trip counts";
      finding.message = fmt::format(
          "the ids of '{}' are collected by a loop of {} iterations (line {}) around one that leaves {}: the code generator "
          "copies "
          "them slot by slot and stops",
          finding.name, *loop.trips, finding.line, inner);
      continue;
    }
    if (!named || facts_.edge_base(yielded) || ir::is_task_id(store_, store_.var(result).type) || shares_id(yielded)) continue;
    Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, loop.statement, {});
    finding.name = facts_.base(result);
    finding.reason = "name base";
    finding.message = fmt::format(
        "the loop in line {} yields '{}' as '{}', whose id an edge asks for: the code generator keeps ids by name, does not find "
        "the one of '{}' and stops",
        finding.line, facts_.base(yielded), finding.name, facts_.base(yielded));
  }
}

}  // namespace depscope::lower
