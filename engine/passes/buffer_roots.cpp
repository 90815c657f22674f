#include "buffer_roots.h"

#include <string_view>

#include "trailing_yield.h"

namespace depscope::pass {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

BufferRoot merge(const BufferRoot& first, const BufferRoot& second) {
  // Two values without any candidate leave nothing to choose between.
  return {first.root.valid() ? first.root : second.root, first.ambiguous || second.ambiguous || first.root != second.root};
}

/// Same element type and shape; views and memory references do not count.
bool same_dtype_and_shape(const ir::NodeStore& store, ir::TypeId a, ir::TypeId b) {
  if (!a.valid() || !b.valid()) return false;
  const ir::Type& x = store.type(a);
  const ir::Type& y = store.type(b);
  if (x.dtype != y.dtype || x.name != y.name || x.list.count != y.list.count) return false;
  for (std::uint32_t i = 0; i < x.list.count; ++i) {
    if (!ir::same_expr(store, store.at<ExprId>(x.list, i), store.at<ExprId>(y.list, i))) return false;
  }
  return true;
}

}  // namespace

BufferRoot BufferRoots::of(VarId var) const {
  const BufferRoot* root = roots_.find(var);
  return root == nullptr ? BufferRoot{} : *root;
}

void BufferRoots::build(const ir::Function& function) {
  roots_.clear();
  tuples_.clear();
  elements_.clear();
  for (const ir::Param& param : function.params) roots_[param.var] = {param.var, false};
  visit(function.body);
}

void BufferRoots::visit(Range body) {
  const ir::NodeStore& store = *program_.store;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store.at<StmtId>(body, i);
    switch (store.stmt(stmt).kind) {
      case StmtKind::Assign: visit_assign(stmt); break;
      case StmtKind::If: visit_if(stmt); break;
      case StmtKind::For: {
        const ir::ForData d = store.for_data(stmt);
        visit_loop(d.iter_args, d.inits, d.result_vars, d.body, trip_count(store, d).value_or(0) > 0);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData d = store.while_data(stmt);
        visit_loop(d.iter_args, d.inits, d.result_vars, d.body, false);
        break;
      }
      case StmtKind::Scope: visit(store.scope_data(stmt).body); break;
      default: break;
    }
  }
}

void BufferRoots::visit_assign(StmtId stmt) {
  const ir::NodeStore& store = *program_.store;
  const VarId target = statement_target(store, stmt);
  const ExprId value = statement_value(store, stmt);
  const ir::Expr& e = store.expr(value);
  if (e.kind == ir::ExprKind::Var) {
    const VarId source(e.a);
    if (roots_.contains(source)) {
      const BufferRoot root = of(source);
      roots_[target] = root;
    }
    if (const Range* entries = tuples_.find(source)) {
      const Range copy = *entries;
      tuples_[target] = copy;
    }
  } else if (e.kind == ir::ExprKind::TupleGet) {
    const Range* entries = tuples_.find(store.as_var(ExprId(e.a)));
    if (entries != nullptr && e.b < entries->count) {
      const BufferRoot root = elements_[entries->begin + e.b];
      if (root.root.valid() || root.ambiguous) roots_[target] = root;
    }
  } else if (e.kind == ir::ExprKind::Call) {
    const ir::Call& call = store.call(value);
    const std::string_view name = store.text(call.callee);
    if (!is_builtin(store, call)) {
      visit_task(stmt, call);
    } else if (name == "tensor.create" || name == "tensor.slice") {
      roots_[target] = {target, false};
    } else if (name == "tensor.assemble" && call.args.count >= 3) {
      const VarId base = store.as_var(store.at<ExprId>(call.args, 0));
      if (roots_.contains(base)) {
        const BufferRoot root = of(base);
        roots_[target] = root;
      }
    }
  }
}

void BufferRoots::visit_task(StmtId stmt, const ir::Call& call) {
  const ir::NodeStore& store = *program_.store;
  const VarId target = statement_target(store, stmt);
  const ir::Function* callee = functions_.find(call.callee);
  if (callee == nullptr) return;
  const ParameterMap map(store, call, *callee);
  if (!map.fits()) return;
  const ir::TypeId result = target_type(store, stmt);
  const auto begin = static_cast<std::uint32_t>(elements_.size());
  std::optional<std::uint32_t> matching;  // position among the written arguments
  bool several = false;
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    if (callee->params[map.parameter(i)].direction == ir::ParamDirection::In) continue;
    const ExprId arg = store.at<ExprId>(call.args, i);
    const BufferRoot root = of(arg);
    if (same_dtype_and_shape(store, value_type(store, arg), result)) {
      if (!matching) {
        matching = static_cast<std::uint32_t>(elements_.size()) - begin;
      } else if (elements_[begin + *matching].root != root.root) {
        several = true;
      }
    }
    elements_.push_back(root);
  }
  const Range written{begin, static_cast<std::uint32_t>(elements_.size()) - begin};
  const bool tuple = call.form == ir::CallForm::Submit || (result.valid() && store.type(result).kind == ir::TypeKind::Tuple);
  if (tuple) {
    tuples_[target] = written;
    return;
  }
  if (written.empty()) return;
  const BufferRoot root = elements_[begin + (matching && !several ? *matching : 0)];
  if (root.root.valid() || root.ambiguous) roots_[target] = root;
}

std::vector<ExprId> BufferRoots::yielded(Range body) const {
  const StmtId yield = trailing_yield(*program_.store, body);
  if (!yield.valid()) return {};
  const ir::Stmt& s = program_.store->stmt(yield);
  return program_.store->list<ExprId>({s.a, s.b});
}

void BufferRoots::visit_if(StmtId stmt) {
  const ir::NodeStore& store = *program_.store;
  const ir::IfData d = store.if_data(stmt);
  visit(d.then_body);
  visit(d.else_body);
  const std::vector<ExprId> then_values = yielded(d.then_body);
  const std::vector<ExprId> else_values = yielded(d.else_body);
  for (std::uint32_t k = 0; k + d.lost_results < d.result_vars.count; ++k) {
    if (k >= then_values.size() || k >= else_values.size()) break;
    roots_[store.at<VarId>(d.result_vars, k)] = merge(of(then_values[k]), of(else_values[k]));
  }
}

void BufferRoots::visit_loop(Range iter_args, Range inits, Range results, Range body, bool at_least_once) {
  const ir::NodeStore& store = *program_.store;
  for (std::uint32_t k = 0; k < iter_args.count; ++k) {
    const BufferRoot root = of(store.at<ExprId>(inits, k));
    if (root.root.valid() || root.ambiguous) roots_[store.at<VarId>(iter_args, k)] = root;
  }
  visit(body);
  const std::vector<ExprId> values = yielded(body);
  for (std::uint32_t k = 0; k < results.count; ++k) {
    const BufferRoot init = of(store.at<ExprId>(inits, k));
    BufferRoot root;
    if (k >= values.size()) {
      root = init;
    } else if (at_least_once) {
      root = of(values[k]);
    } else {
      root = merge(of(values[k]), init);
    }
    roots_[store.at<VarId>(results, k)] = root;
  }
}

}  // namespace depscope::pass
