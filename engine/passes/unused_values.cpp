#include "unused_values.h"

#include <unordered_map>
#include <vector>

#include "expr_rewriter.h"
#include "trailing_yield.h"

namespace depscope::pass {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::ForData;
using ir::Function;
using ir::IfData;
using ir::NodeStore;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;
using ir::WhileData;

namespace {

TypeId target_type(const NodeStore& store, const Stmt& assign) {
  return assign.type.valid() ? assign.type : store.var(VarId(assign.a)).type;
}

/// `v = tup[k]` where k is the last position of a tuple that ends with a task id: it lets later passes find the producer's id.
bool is_task_id_extract(const NodeStore& store, ExprId value) {
  const Expr& e = store.expr(value);
  if (e.kind != ExprKind::TupleGet || !store.is_var(ExprId(e.a))) return false;
  const TypeId tuple = store.var(store.as_var(ExprId(e.a))).type;
  if (!tuple.valid()) return false;
  const Type& t = store.type(tuple);
  return t.kind == TypeKind::Tuple && !t.list.empty() && e.b + 1 == t.list.count &&
         is_task_id(store, store.at<TypeId>(t.list, t.list.count - 1));
}

bool is_removable(const NodeStore& store, const Stmt& s) {
  if (s.kind != StmtKind::Assign) return false;
  const TypeId type = target_type(store, s);
  if (!type.valid() || store.type(type).kind != TypeKind::Scalar) return false;
  return !has_call(store, ExprId(s.b)) && !is_task_id_extract(store, ExprId(s.b));
}

/// Rebuilds nested bodies; `change` sees each statement first and returns the one to keep, or none.
template <class F>
Range rebuild(NodeStore& store, Range body, F&& change) {
  std::vector<StmtId> list = store.list<StmtId>(body);
  bool changed = false;
  std::size_t kept = 0;
  for (const StmtId id : list) {
    const StmtId now = change(id);
    changed |= now != id;
    if (now.valid()) list[kept++] = now;
  }
  if (!changed) return body;
  list.resize(kept);
  return store.make_list(list);
}

/// The statement with its nested bodies mapped by `f` (the statement itself if none changed).
template <class F>
StmtId with_bodies(NodeStore& store, StmtId id, F&& f) {
  const Stmt s = store.stmt(id);
  switch (s.kind) {
    case StmtKind::If: {
      IfData d = store.if_data(id);
      const Range then_body = f(d.then_body);
      const Range else_body = f(d.else_body);
      if (then_body == d.then_body && else_body == d.else_body) return id;
      d.then_body = then_body;
      d.else_body = else_body;
      return store.make_if(d, s.span, s.comments);
    }
    case StmtKind::For: {
      ForData d = store.for_data(id);
      const Range body = f(d.body);
      if (body == d.body) return id;
      d.body = body;
      return store.make_for(d, s.span, s.comments);
    }
    case StmtKind::While: {
      WhileData d = store.while_data(id);
      const Range body = f(d.body);
      if (body == d.body) return id;
      d.body = body;
      return store.make_while(d, s.span, s.comments);
    }
    case StmtKind::Scope: {
      ScopeData d = store.scope_data(id);
      const Range body = f(d.body);
      if (body == d.body) return id;
      d.body = body;
      return store.make_scope(d, s.span, s.comments);
    }
    default: return id;
  }
}

/// Which variables are needed: found from everything that stays, then through the removable assignments that feed it.
class NeededVariables {
 public:
  NeededVariables(const NodeStore& store, const Function& function) : store_(store), needed_(store.var_count(), 0) {
    for (const ir::Param& p : function.params) need_type(p.type);
    for (const TypeId t : function.return_types) need_type(t);
    for (const ir::NamedExpr& attr : function.attrs) need_expr(attr.value);
    ir::for_each_stmt(store, function.body, [&](StmtId id) { look_at(id); });
    while (!work_.empty()) {
      const VarId var = work_.back();
      work_.pop_back();
      const auto [first, last] = feeds_.equal_range(var);
      for (auto it = first; it != last; ++it) {
        need_type(target_type(store_, store_.stmt(it->second)));
        need_expr(ExprId(store_.stmt(it->second).b));
      }
    }
  }

  [[nodiscard]] bool has(VarId var) const { return needed_[var.value] != 0; }

 private:
  void need(VarId var) {
    if (needed_[var.value] != 0) return;
    needed_[var.value] = 1;
    work_.push_back(var);
  }
  void need_expr(ExprId id) {
    for_each_var(
        store_, id, [&](VarId var) { need(var); }, &seen_runs_);
  }
  void need_type(TypeId id) {
    for_each_var_of_type(store_, id, [&](VarId var) { need(var); });
  }
  void need_types(Range vars) {
    for (std::uint32_t i = 0; i < vars.count; ++i) need_type(store_.var(store_.at<VarId>(vars, i)).type);
  }
  void look_at(StmtId id) {
    const Stmt s = store_.stmt(id);
    if (is_removable(store_, s)) {
      feeds_.emplace(VarId(s.a), id);
      return;
    }
    for (const ExprId e : ir::expressions(store_, id)) need_expr(e);
    switch (s.kind) {
      case StmtKind::Assign: need_type(target_type(store_, s)); break;
      case StmtKind::If: need_types(store_.if_data(id).result_vars); break;
      case StmtKind::For:
        need_types(store_.for_data(id).iter_args);
        need_types(store_.for_data(id).result_vars);
        break;
      case StmtKind::While:
        need_types(store_.while_data(id).iter_args);
        need_types(store_.while_data(id).result_vars);
        break;
      default: break;
    }
  }

  const NodeStore& store_;
  std::vector<char> needed_;
  std::vector<VarId> work_;
  ir::SeenRuns seen_runs_;
  std::unordered_multimap<VarId, StmtId> feeds_;  ///< removable assignments by target
};

class UnusedIfResults {
 public:
  UnusedIfResults(NodeStore& store, const Function& function) : store_(store), uses_(store.var_count(), 0) {
    const auto count = [&](VarId var) { ++uses_[var.value]; };
    ir::SeenRuns seen_runs;
    for (const ir::Param& p : function.params) for_each_var_of_type(store, p.type, count);
    for (const TypeId t : function.return_types) for_each_var_of_type(store, t, count);
    ir::for_each_stmt(store, function.body, [&](StmtId id) {
      // What names ids in runs is never taken away: once is as good as often.
      for (const ExprId e : ir::expressions(store, id)) for_each_var(store, e, count, &seen_runs);
      const Stmt s = store.stmt(id);
      if (s.kind == StmtKind::Assign) for_each_var_of_type(store, target_type(store, s), count);
      const auto count_types = [&](Range vars) {
        for (std::uint32_t i = 0; i < vars.count; ++i)
          for_each_var_of_type(store, store.var(store.at<VarId>(vars, i)).type, count);
      };
      if (s.kind == StmtKind::For) {
        count_types(store.for_data(id).iter_args);
        count_types(store.for_data(id).result_vars);
      } else if (s.kind == StmtKind::While) {
        count_types(store.while_data(id).iter_args);
        count_types(store.while_data(id).result_vars);
      } else if (s.kind == StmtKind::If) {
        count_types(store.if_data(id).result_vars);
      }
    });
  }

  /// Backwards and from the outside in, so that a result used only by another unused result goes with it.
  Range body(Range body) {
    std::vector<StmtId> list = store_.list<StmtId>(body);
    bool changed = false;
    for (std::size_t i = list.size(); i-- > 0;) {
      const StmtId now = statement(list[i]);
      changed |= now != list[i];
      list[i] = now;
    }
    return changed ? store_.make_list(list) : body;
  }

 private:
  StmtId statement(StmtId id) {
    if (store_.stmt(id).kind == StmtKind::If && !store_.if_data(id).result_vars.empty()) id = prune(id);
    return with_bodies(store_, id, [&](Range nested) { return body(nested); });
  }

  StmtId prune(StmtId id) {
    const Stmt s = store_.stmt(id);
    IfData d = store_.if_data(id);
    const std::vector<VarId> results = store_.list<VarId>(d.result_vars);
    std::vector<char> keep(results.size(), 1);
    std::vector<VarId> kept;
    for (std::size_t i = 0; i < results.size(); ++i) {
      keep[i] = uses_[results[i].value] != 0 ? 1 : 0;
      if (keep[i] != 0) kept.push_back(results[i]);
    }
    if (kept.size() == results.size()) return id;
    for (Range* branch : {&d.then_body, &d.else_body}) {
      const StmtId yield = trailing_yield(store_, *branch);
      if (!yield.valid() || store_.stmt(yield).b != results.size()) return id;  // not well formed: leave it to the verifier
    }
    for (Range* branch : {&d.then_body, &d.else_body}) {
      const Stmt yield = store_.stmt(trailing_yield(store_, *branch));
      const std::vector<ExprId> values = store_.list<ExprId>(Range{yield.a, yield.b});
      std::vector<ExprId> kept_values;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (keep[i] != 0) {
          kept_values.push_back(values[i]);
        } else {
          for_each_var(store_, values[i], [&](VarId var) { --uses_[var.value]; });
        }
      }
      *branch = with_yield_values(store_, *branch, kept_values);
    }
    for (std::size_t i = results.size() - d.lost_results; i < results.size(); ++i) d.lost_results -= keep[i] == 0 ? 1U : 0U;
    d.result_vars = store_.make_list(kept);
    return store_.make_if(d, s.span, s.comments);
  }

  NodeStore& store_;
  std::vector<std::uint32_t> uses_;
};

Range without_unneeded(NodeStore& store, Range body, const NeededVariables& needed) {
  return rebuild(store, body, [&](StmtId id) -> StmtId {
    const Stmt s = store.stmt(id);
    if (is_removable(store, s) && !needed.has(VarId(s.a))) return {};
    return with_bodies(store, id, [&](Range nested) { return without_unneeded(store, nested, needed); });
  });
}

}  // namespace

Range remove_unused_scalars(NodeStore& store, const Function& function) {
  const NeededVariables needed(store, function);
  return without_unneeded(store, function.body, needed);
}

Range remove_unused_if_results(NodeStore& store, const Function& function) {
  return UnusedIfResults(store, function).body(function.body);
}

}  // namespace depscope::pass
