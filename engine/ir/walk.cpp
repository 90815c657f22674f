// Children of nodes, and rebuilding expressions with other variables.
#include "depscope/ir/program.h"

namespace depscope::ir {
namespace {

void append(const NodeStore& store, Range range, std::vector<ExprId>& out) {
  for (std::uint32_t i = 0; i < range.count; ++i) out.push_back(store.at<ExprId>(range, i));
}

void append_pairs(const NodeStore& store, PairRange range, std::vector<ExprId>& out) {
  for (std::uint32_t i = 0; i < range.count; ++i) out.push_back(store.pair(range, i).value);
}

}  // namespace

std::vector<ExprId> children(const NodeStore& store, ExprId id) {
  std::vector<ExprId> out;
  const Expr& e = store.expr(id);
  switch (e.kind) {
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::TupleGet: out.emplace_back(e.a); break;
    case ExprKind::Binary:
    case ExprKind::Subscript:
      out.emplace_back(e.a);
      out.emplace_back(e.b);
      break;
    case ExprKind::List:
    case ExprKind::Tuple: append(store, Range{e.a, e.b}, out); break;
    case ExprKind::Call: {
      const Call& c = store.call(id);
      append(store, c.args, out);
      append(store, c.deps, out);
      append_pairs(store, c.kwargs, out);
      append_pairs(store, c.attrs, out);
      break;
    }
    default: break;
  }
  return out;
}

std::vector<ExprId> expressions(const NodeStore& store, StmtId id) {
  std::vector<ExprId> out;
  const Stmt& s = store.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: out.emplace_back(s.b); break;
    case StmtKind::Eval: out.emplace_back(s.a); break;
    case StmtKind::Return:
    case StmtKind::Yield: append(store, Range{s.a, s.b}, out); break;
    case StmtKind::If: out.push_back(store.if_data(id).cond); break;
    case StmtKind::For: {
      const ForData& d = store.for_data(id);
      for (const ExprId e : {d.start, d.stop, d.step, d.stage}) {
        if (e.valid()) out.push_back(e);
      }
      append(store, d.inits, out);
      append_pairs(store, d.attrs, out);
      break;
    }
    case StmtKind::While: {
      const WhileData& d = store.while_data(id);
      append(store, d.inits, out);
      out.push_back(d.cond);
      break;
    }
    case StmtKind::Scope: {
      const ScopeData& d = store.scope_data(id);
      if (d.header.valid()) out.push_back(d.header);
      append_pairs(store, d.attrs, out);
      break;
    }
    default: break;
  }
  return out;
}

namespace {

/// Maps a list of expressions; returns the old range if nothing changed.
Range map_list(NodeStore& store, Range range, VarMap& map) {
  std::vector<ExprId> items = store.list<ExprId>(range);
  bool changed = false;
  for (ExprId& item : items) {
    const ExprId mapped = substitute(store, item, map);
    changed |= mapped != item;
    item = mapped;
  }
  return changed ? store.make_list(items) : range;
}

PairRange map_pairs(NodeStore& store, PairRange range, VarMap& map) {
  std::vector<NamedExpr> items = store.pairs(range);
  bool changed = false;
  for (NamedExpr& item : items) {
    const ExprId mapped = substitute(store, item.value, map);
    changed |= mapped != item.value;
    item.value = mapped;
  }
  return changed ? store.make_pairs(items) : range;
}

}  // namespace

TypeId substitute_type(NodeStore& store, TypeId id, VarMap& map) {
  if (!id.valid()) return id;
  Type t = store.type(id);
  if (t.kind == TypeKind::Tuple) {
    std::vector<TypeId> items = store.list<TypeId>(t.list);
    bool changed = false;
    for (TypeId& item : items) {
      const TypeId mapped = substitute_type(store, item, map);
      changed |= mapped != item;
      item = mapped;
    }
    return changed ? store.tuple_type(items) : id;
  }
  if (t.list.empty() && t.extras.empty()) return id;
  const Range list = map_list(store, t.list, map);
  const Range extras = map_list(store, t.extras, map);
  if (list == t.list && extras == t.extras) return id;
  t.list = list;
  t.extras = extras;
  return store.intern_type(t);
}

ExprId substitute(NodeStore& store, ExprId id, VarMap& map) {
  if (!id.valid()) return id;
  Expr e = store.expr(id);
  switch (e.kind) {
    case ExprKind::Var: {
      const VarId mapped = map.map(VarId(e.a));
      if (mapped.value == e.a) return id;
      return store.make_var_ref(mapped, e.span);
    }
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::TupleGet: {
      const ExprId a = substitute(store, ExprId(e.a), map);
      const TypeId type = substitute_type(store, e.type, map);
      if (a.value == e.a && type == e.type) return id;
      e.a = a.value;
      e.type = type;
      return store.make_expr(e);
    }
    case ExprKind::Binary:
    case ExprKind::Subscript: {
      const ExprId a = substitute(store, ExprId(e.a), map);
      const ExprId b = substitute(store, ExprId(e.b), map);
      if (a.value == e.a && b.value == e.b) return id;
      e.a = a.value;
      e.b = b.value;
      return store.make_expr(e);
    }
    case ExprKind::List:
    case ExprKind::Tuple: {
      std::vector<ExprId> items = store.list<ExprId>(Range{e.a, e.b});
      items = store.expand_runs(std::move(items));
      bool changed = false;
      for (ExprId& item : items) {
        const ExprId mapped = substitute(store, item, map);
        changed |= mapped != item;
        item = mapped;
      }
      if (!changed) return id;
      const Range mapped = store.make_list(items);
      e.a = mapped.begin;
      e.b = mapped.count;
      return store.make_expr(e);
    }
    case ExprKind::Call: {
      const Call old = store.call(id);
      Call c = old;
      c.args = map_list(store, old.args, map);
      c.deps = map_list(store, old.deps, map);
      c.kwargs = map_pairs(store, old.kwargs, map);
      c.attrs = map_pairs(store, old.attrs, map);
      const TypeId type = substitute_type(store, e.type, map);
      if (c.args == old.args && c.deps == old.deps && c.kwargs == old.kwargs && c.attrs == old.attrs && type == e.type) {
        return id;
      }
      return store.make_call(c, type, e.span);
    }
    default: return id;
  }
}

}  // namespace depscope::ir
