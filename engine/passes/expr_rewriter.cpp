#include "expr_rewriter.h"

namespace depscope::pass {

using ir::Call;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::NamedExpr;
using ir::PairRange;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;

Range ExprRewriter::exprs(Range range) {
  if (range.empty()) return range;
  std::vector<ExprId> items = store_.list<ExprId>(range);
  for (const ExprId item : items) {
    if (store_.expr(item).kind != ExprKind::VarRun || leaves(store_.var_run(item))) continue;
    items = store_.expand_runs(std::move(items));
    break;
  }
  bool changed = false;
  for (ExprId& item : items) {
    const ExprId mapped = expr(item);
    changed |= mapped != item;
    item = mapped;
  }
  return changed ? store_.make_list(items) : range;
}

Range ExprRewriter::type_extras(Range range) {
  if (range.empty()) return range;
  std::vector<ExprId> items = store_.list<ExprId>(range);
  bool changed = false;
  for (ExprId& item : items) {
    const ExprId mapped = type_extra(item);
    changed |= mapped != item;
    item = mapped;
  }
  return changed ? store_.make_list(items) : range;
}

PairRange ExprRewriter::pairs(PairRange range) {
  if (range.empty()) return range;
  std::vector<NamedExpr> items = store_.pairs(range);
  bool changed = false;
  for (NamedExpr& item : items) {
    const ExprId mapped = kwarg(item.name, item.value);
    changed |= mapped != item.value;
    item.value = mapped;
  }
  return changed ? store_.make_pairs(items) : range;
}

ExprId ExprRewriter::kwarg(NameId, ExprId value) { return expr(value); }

bool ExprRewriter::may_change(ExprId id) const {
  return any_node(store_, id, [](ExprId, const Expr& e) {
    return e.kind == ExprKind::Var || e.kind == ExprKind::VarRun || e.kind == ExprKind::Unary || e.kind == ExprKind::Binary ||
           e.kind == ExprKind::Cast || e.kind == ExprKind::TupleGet;
  });
}

bool ExprRewriter::may_change(TypeId id) {
  if (type_state_.size() <= id.value) type_state_.resize(id.value + 64, 0);
  if (type_state_[id.value] != 0) return type_state_[id.value] == 2;
  const Type t = store_.type(id);
  bool result = false;
  for (std::uint32_t i = 0; i < t.list.count && !result; ++i) {
    result = t.kind == TypeKind::Tuple ? may_change(store_.at<TypeId>(t.list, i)) : may_change(store_.at<ExprId>(t.list, i));
  }
  for (std::uint32_t i = 0; i < t.extras.count && !result; ++i) result = may_change(store_.at<ExprId>(t.extras, i));
  type_state_[id.value] = result ? 2 : 1;
  return result;
}

TypeId ExprRewriter::type(TypeId id) {
  if (!id.valid() || !may_change(id)) return id;
  Type t = store_.type(id);
  if (t.kind == TypeKind::Tuple) {
    std::vector<TypeId> items = store_.list<TypeId>(t.list);
    bool changed = false;
    for (TypeId& item : items) {
      const TypeId mapped = type(item);
      changed |= mapped != item;
      item = mapped;
    }
    return changed ? store_.tuple_type(items) : id;
  }
  const Range list = exprs(t.list);
  const Range extras = type_extras(t.extras);
  if (list == t.list && extras == t.extras) return id;
  t.list = list;
  t.extras = extras;
  return store_.intern_type(t);
}

ExprId ExprRewriter::expr(ExprId id) {
  if (!id.valid()) return id;
  Expr e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Var: return var(id, VarId(e.a));
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::TupleGet: {
      const ExprId a = expr(ExprId(e.a));
      const TypeId t = type(e.type);
      if (a.value == e.a && t == e.type) return finish(id);
      e.a = a.value;
      e.type = t;
      return finish(store_.make_expr(e));
    }
    case ExprKind::Binary:
    case ExprKind::Subscript: {
      const ExprId a = expr(ExprId(e.a));
      const ExprId b = expr(ExprId(e.b));
      if (a.value == e.a && b.value == e.b) return finish(id);
      e.a = a.value;
      e.b = b.value;
      return finish(store_.make_expr(e));
    }
    case ExprKind::List:
    case ExprKind::Tuple: {
      const Range old{e.a, e.b};
      const Range mapped = exprs(old);
      if (mapped == old || mapped.empty()) return finish(id);
      e.a = mapped.begin;
      e.b = mapped.count;
      return finish(store_.make_expr(e));
    }
    case ExprKind::Call: {
      const Call old = store_.call(id);
      Call c = old;
      c.args = exprs(old.args);
      c.deps = exprs(old.deps);
      c.kwargs = pairs(old.kwargs);
      c.attrs = pairs(old.attrs);
      const TypeId t = type(e.type);
      if (c.args == old.args && c.deps == old.deps && c.kwargs == old.kwargs && c.attrs == old.attrs && t == e.type) {
        return finish(id);
      }
      const ExprId made = store_.make_call(c, t, e.span);
      return finish(made);
    }
    default: return id;
  }
}

bool has_call(const ir::NodeStore& store, ExprId id) {
  return any_node(store, id, [](ExprId, const Expr& e) { return e.kind == ExprKind::Call; });
}

bool is_small(const ir::NodeStore& store, ExprId id, std::uint32_t limit) {
  std::uint32_t nodes = 0;
  return !any_node(store, id, [&](ExprId, const Expr&) { return ++nodes > limit; });
}

}  // namespace depscope::pass
