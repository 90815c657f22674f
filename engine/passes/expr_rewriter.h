// Rebuilding expressions and types bottom-up, sharing what did not change.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/ir/seen_runs.h"

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
  /// True if `var` changes none of the run's variables: then the run stays as it is. False writes it out.
  [[nodiscard]] virtual bool leaves(const ir::VarRun& /*run*/) { return false; }
  /// A keyword argument of a call; override to leave one alone.
  [[nodiscard]] virtual ir::ExprId kwarg(NameId name, ir::ExprId value);

  ir::NodeStore& store_;

 private:
  [[nodiscard]] Range type_extras(Range range);
  [[nodiscard]] bool may_change(ir::TypeId id);
  [[nodiscard]] bool may_change(ir::ExprId id) const;

  std::vector<std::uint8_t> type_state_;  ///< by TypeId: 0 not looked at, 1 only literals, 2 has variables or operators
};

/// True if the predicate holds for the expression or any node below it (types left out). A VarRun is one node.
template <class F>
[[nodiscard]] bool any_node(const ir::NodeStore& store, ir::ExprId id, F&& predicate) {
  if (!id.valid()) return false;
  const ir::Expr& e = store.expr(id);
  if (predicate(id, e)) return true;
  const auto any_of = [&](Range range) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
      if (any_node(store, store.at<ir::ExprId>(range, i), predicate)) return true;
    }
    return false;
  };
  const auto any_of_pairs = [&](ir::PairRange range) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
      if (any_node(store, store.pair(range, i).value, predicate)) return true;
    }
    return false;
  };
  switch (e.kind) {
    case ir::ExprKind::Unary:
    case ir::ExprKind::Cast:
    case ir::ExprKind::TupleGet: return any_node(store, ir::ExprId(e.a), predicate);
    case ir::ExprKind::Binary:
    case ir::ExprKind::Subscript:
      return any_node(store, ir::ExprId(e.a), predicate) || any_node(store, ir::ExprId(e.b), predicate);
    case ir::ExprKind::List:
    case ir::ExprKind::Tuple: return any_of(Range{e.a, e.b});
    case ir::ExprKind::Call: {
      const ir::Call& c = store.call(id);
      return any_of(c.args) || any_of(c.deps) || any_of_pairs(c.kwargs) || any_of_pairs(c.attrs);
    }
    default: return false;
  }
}

/// True if there is a call anywhere in the expression.
[[nodiscard]] bool has_call(const ir::NodeStore& store, ir::ExprId id);
/// True if the expression has at most `limit` nodes: what is copied to several places must stay small, or copies of copies grow
/// without bound.
[[nodiscard]] bool is_small(const ir::NodeStore& store, ir::ExprId id, std::uint32_t limit);
/// Calls `f(VarId)` for every variable reference in the expression (types left out); with `seen`, for those of runs only the
/// first time. `f` must not make nodes.
template <class F>
void for_each_var(const ir::NodeStore& store, ir::ExprId id, F&& f, ir::SeenRuns* seen = nullptr) {
  (void)any_node(store, id, [&](ir::ExprId node, const ir::Expr& e) {
    if (e.kind == ir::ExprKind::Var) f(ir::VarId(e.a));
    if (e.kind == ir::ExprKind::VarRun) {
      const ir::VarRun& run = store.var_run(node);
      if (seen != nullptr) {
        seen->each_new(store, run, [&](ir::VarId var, std::uint32_t) {
          f(var);
          return true;
        });
        return false;
      }
      for (std::uint32_t i = 0; i < run.count; ++i) f(store.run_var(run, i));
    }
    return false;
  });
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
