#include "clone_statements.h"

namespace depscope::pass {

using ir::ExprId;
using ir::ForData;
using ir::IfData;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using ir::WhileData;

ExprId StatementCloner::var(ExprId reference, VarId variable) {
  if (const auto it = values_.find(variable); it != values_.end()) return it->second;
  const VarId other = renamed(variable);
  return other == variable ? reference : store_.make_var_ref(other, store_.expr(reference).span);
}

VarId StatementCloner::renamed(VarId variable) const {
  const auto it = names_.find(variable);
  return it == names_.end() ? variable : it->second;
}

Range StatementCloner::renamed(Range variables) {
  std::vector<VarId> list = store_.list<VarId>(variables);
  bool changed = false;
  for (VarId& v : list) {
    const VarId other = renamed(v);
    changed |= other != v;
    v = other;
  }
  return changed ? store_.make_list(list) : variables;
}

ExprId StatementCloner::fresh(ExprId id) {
  const ExprId now = expr(id);
  if (now != id || !id.valid()) return now;
  const ir::Expr copy = store_.expr(id);
  if (copy.kind != ir::ExprKind::Call) return store_.make_expr(copy);
  const ir::Call call = store_.call(id);
  return store_.make_call(call, copy.type, copy.span);
}

std::vector<StmtId> StatementCloner::body(Range body) {
  std::vector<StmtId> out;
  out.reserve(body.count);
  for (std::uint32_t i = 0; i < body.count; ++i) out.push_back(statement(store_.at<StmtId>(body, i)));
  return out;
}

StmtId StatementCloner::statement(StmtId id) {
  Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: {
      const ExprId value = fresh(ExprId(s.b));
      const ir::TypeId t = type(s.type);
      return store_.make_assign(renamed(VarId(s.a)), value, t, s.span, s.comments);
    }
    case StmtKind::Eval: {
      const ExprId value = fresh(ExprId(s.a));
      return store_.make_eval(value, s.span, s.comments);
    }
    case StmtKind::Return:
    case StmtKind::Yield: {
      const Range values = exprs(Range{s.a, s.b});
      s.a = values.begin;
      s.b = values.count;
      return store_.make_stmt(s);
    }
    case StmtKind::If: {
      IfData d = store_.if_data(id);
      d.cond = expr(d.cond);
      d.then_body = nested(d.then_body);
      d.else_body = nested(d.else_body);
      d.result_vars = renamed(d.result_vars);
      return store_.make_if(d, s.span, s.comments);
    }
    case StmtKind::For: {
      ForData d = store_.for_data(id);
      d.start = expr(d.start);
      d.stop = expr(d.stop);
      d.step = expr(d.step);
      d.stage = expr(d.stage);
      d.inits = exprs(d.inits);
      d.attrs = pairs(d.attrs);
      d.counter = renamed(d.counter);
      d.iter_args = renamed(d.iter_args);
      d.body = nested(d.body);
      d.result_vars = renamed(d.result_vars);
      return store_.make_for(d, s.span, s.comments);
    }
    case StmtKind::While: {
      WhileData d = store_.while_data(id);
      d.inits = exprs(d.inits);
      d.iter_args = renamed(d.iter_args);
      d.cond = expr(d.cond);
      d.body = nested(d.body);
      d.result_vars = renamed(d.result_vars);
      return store_.make_while(d, s.span, s.comments);
    }
    case StmtKind::Scope: {
      ScopeData d = store_.scope_data(id);
      d.header = expr(d.header);
      d.attrs = pairs(d.attrs);
      if (d.as_var.valid()) d.as_var = renamed(d.as_var);
      if (d.loop_var.valid()) d.loop_var = renamed(d.loop_var);
      d.body = nested(d.body);
      return store_.make_scope(d, s.span, s.comments);
    }
    default: return store_.make_stmt(s);
  }
}

}  // namespace depscope::pass
