// Rebuilding expressions and types bottom-up, sharing what did not change.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// Rebuilds expressions: references to variables become what `var` returns, and `finish` sees every inner node after its
/// children were rebuilt. Returns the same id when nothing changed.
class ExprRewriter {
 public:
  explicit ExprRewriter(ir::NodeStore& store) : store_(store) {}
  ExprRewriter(const ExprRewriter&) = delete;
  ExprRewriter& operator=(const ExprRewriter&) = delete;
  virtual ~ExprRewriter() = default;

  [[nodiscard]] ir::ExprId expr(ir::ExprId id);
  [[nodiscard]] ir::TypeId type(ir::TypeId id);
  [[nodiscard]] Range exprs(Range range);
  [[nodiscard]] ir::PairRange pairs(ir::PairRange range);

 protected:
  [[nodiscard]] virtual ir::ExprId var(ir::ExprId reference, ir::VarId variable) = 0;
  [[nodiscard]] virtual ir::ExprId finish(ir::ExprId id) { return id; }
  /// What stands behind the shape in a type: a view or a MemRef.
  [[nodiscard]] virtual ir::ExprId type_extra(ir::ExprId id) { return expr(id); }
  /// A keyword argument of a call; override to leave one alone.
  [[nodiscard]] virtual ir::ExprId kwarg(NameId name, ir::ExprId value);

  ir::NodeStore& store_;

 private:
  [[nodiscard]] Range type_extras(Range range);
  [[nodiscard]] bool may_change(ir::TypeId id);
  [[nodiscard]] bool may_change(ir::ExprId id) const;

  std::vector<std::uint8_t> type_state_;  ///< by TypeId: 0 not looked at, 1 only literals, 2 has variables or operators
};

/// True if there is a call anywhere in the expression.
[[nodiscard]] bool has_call(const ir::NodeStore& store, ir::ExprId id);
/// Calls `f(VarId)` for every variable reference in the expression (types left out).
template <class F>
void for_each_var(const ir::NodeStore& store, ir::ExprId id, F&& f) {
  if (!id.valid()) return;
  const ir::Expr e = store.expr(id);
  switch (e.kind) {
    case ir::ExprKind::Var: f(ir::VarId(e.a)); break;
    case ir::ExprKind::Unary:
    case ir::ExprKind::Cast:
    case ir::ExprKind::TupleGet: for_each_var(store, ir::ExprId(e.a), f); break;
    case ir::ExprKind::Binary:
    case ir::ExprKind::Subscript:
      for_each_var(store, ir::ExprId(e.a), f);
      for_each_var(store, ir::ExprId(e.b), f);
      break;
    case ir::ExprKind::List:
    case ir::ExprKind::Tuple:
      for (std::uint32_t i = 0; i < e.b; ++i) for_each_var(store, store.at<ir::ExprId>(Range{e.a, e.b}, i), f);
      break;
    case ir::ExprKind::Call: {
      const ir::Call c = store.call(id);
      for (std::uint32_t i = 0; i < c.args.count; ++i) for_each_var(store, store.at<ir::ExprId>(c.args, i), f);
      for (std::uint32_t i = 0; i < c.deps.count; ++i) for_each_var(store, store.at<ir::ExprId>(c.deps, i), f);
      for (std::uint32_t i = 0; i < c.kwargs.count; ++i) for_each_var(store, store.pair(c.kwargs, i).value, f);
      for (std::uint32_t i = 0; i < c.attrs.count; ++i) for_each_var(store, store.pair(c.attrs, i).value, f);
      break;
    }
    default: break;
  }
}
/// As for_each_var, for the expressions inside a type.
template <class F>
void for_each_var_of_type(const ir::NodeStore& store, ir::TypeId id, F&& f) {
  if (!id.valid()) return;
  const ir::Type t = store.type(id);
  for (std::uint32_t i = 0; i < t.list.count; ++i) {
    if (t.kind == ir::TypeKind::Tuple) {
      for_each_var_of_type(store, store.at<ir::TypeId>(t.list, i), f);
    } else {
      for_each_var(store, store.at<ir::ExprId>(t.list, i), f);
    }
  }
  for (std::uint32_t i = 0; i < t.extras.count; ++i) for_each_var(store, store.at<ir::ExprId>(t.extras, i), f);
}

}  // namespace depscope::pass
