#include "fence_summary.h"

#include <algorithm>

#include "task_sites.h"

namespace depscope::pass {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

void add_use(std::vector<ArrayUse>& uses, VarId array, std::int64_t consumers) {
  const auto it = std::find_if(uses.begin(), uses.end(), [&](const ArrayUse& use) { return use.array == array; });
  if (it == uses.end()) {
    uses.push_back({array, consumers});
  } else if (__builtin_add_overflow(it->consumers, consumers, &it->consumers)) {
    it->consumers = INT64_MAX;
  }
}

}  // namespace

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

VarId fence_candidate(const ir::NodeStore& store, ExprId value) {
  if (!value.valid() || store.expr(value).kind != ir::ExprKind::Call) return {};
  const ir::Call& call = store.call(value);
  if (call.form != ir::CallForm::Submit || call.deps.count != 1) return {};
  const VarId array = store.as_var(store.at<ExprId>(call.deps, 0));
  return array.valid() && ir::is_task_id_array(store, store.var(array).type) ? array : VarId();
}

const LoopSummary& LoopSummaries::of(StmtId loop) {
  const auto it = summaries_.find(loop);
  if (it != summaries_.end()) return *it->second;
  auto summary = std::make_unique<LoopSummary>();
  const ir::ForData d = store_.for_data(loop);
  scan(d.body, is_sequential(d), *summary);
  return *summaries_.emplace(loop, std::move(summary)).first->second;
}

void LoopSummaries::scan(Range body, bool sequential, LoopSummary& summary) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store_.at<StmtId>(body, i);
    const std::pair<Range, Range> inner = bodies(store_, stmt);
    const auto define = [&](Range vars) {
      for (std::uint32_t k = 0; k < vars.count; ++k) summary.defined.insert(store_.at<VarId>(vars, k));
    };
    switch (store_.stmt(stmt).kind) {
      case StmtKind::Assign:
        summary.defined.insert(statement_target(store_, stmt));
        scan_call(statement_value(store_, stmt), summary);
        break;
      case StmtKind::Eval: scan_call(statement_value(store_, stmt), summary); break;
      case StmtKind::If:
        define(store_.if_data(stmt).result_vars);
        scan(inner.first, sequential, summary);
        scan(inner.second, sequential, summary);
        break;
      case StmtKind::While:
        define(store_.while_data(stmt).result_vars);
        define(store_.while_data(stmt).iter_args);
        scan(inner.first, sequential, summary);
        break;
      case StmtKind::Scope: scan(inner.first, sequential, summary); break;
      case StmtKind::For: {
        const ir::ForData d = store_.for_data(stmt);
        define(d.result_vars);
        define(d.iter_args);
        const LoopSummary& nested = of(stmt);
        summary.defined.insert(nested.defined.begin(), nested.defined.end());
        summary.updated.insert(summary.updated.end(), nested.updated.begin(), nested.updated.end());
        const std::int64_t trips = trip_count(store_, d).value_or(0);
        if (!sequential || trips <= 0) break;
        for (const ArrayUse& use : nested.uses) add_use(summary.uses, use.array, saturating_product(use.consumers, trips));
        break;
      }
      default: break;
    }
  }
}

void LoopSummaries::scan_call(ExprId value, LoopSummary& summary) const {
  if (!value.valid() || store_.expr(value).kind != ir::ExprKind::Call) return;
  const ir::Call& call = store_.call(value);
  if (store_.text(call.callee) == "array.update_element" && call.form == ir::CallForm::Op && call.args.count != 0) {
    const VarId base = store_.as_var(store_.at<ExprId>(call.args, 0));
    if (base.valid()) summary.updated.push_back(base);
    return;
  }
  const VarId array = fence_candidate(store_, value);
  if (array.valid()) {
    add_use(summary.uses, array, 1);
    return;
  }
  if (call.form != ir::CallForm::Submit) return;
  for (std::uint32_t i = 0; i < call.deps.count; ++i) {
    const VarId dep = store_.as_var(store_.at<ExprId>(call.deps, i));
    if (dep.valid() && ir::is_task_id_array(store_, store_.var(dep).type))
      summary.rejected.push_back({dep, "mixed_or_multiple_deps"});
  }
}

}  // namespace depscope::pass
