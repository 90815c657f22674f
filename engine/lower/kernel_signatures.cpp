#include "kernel_signatures.h"

#include <algorithm>

#include "depscope/lower/plan.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

constexpr std::uint32_t kMaxWrapperDepth = 16;  // wrappers inside wrappers; more can only be a cycle
constexpr std::uint32_t kMaxCallDepth = 64;     // callees followed for what they return

bool is_wrapper(const ir::Function& f) { return f.kind == ir::FunctionKind::Group || f.kind == ir::FunctionKind::Spmd; }

}  // namespace

KernelSignatures::KernelSignatures(const ir::Program& program, const FunctionIndex& functions)
    : program_(program),
      store_(*program.store),
      functions_(functions),
      result_state_(program.functions.size(), State::Unknown),
      results_(program.functions.size()),
      order_state_(program.functions.size(), State::Unknown),
      orders_(program.functions.size()) {}

/// Of which parameter a variable of the body is another name.
struct KernelSignatures::Origins {
  std::unordered_map<VarId, ResultSource> of;
  std::unordered_map<VarId, std::vector<ResultSource>> tuples;
  std::vector<ExprId> returned;
  bool returns = false;

  [[nodiscard]] ResultSource find(const ir::NodeStore& store, ExprId e) const {
    const auto it = of.find(store.as_var(e));
    return it == of.end() ? ResultSource{} : it->second;
  }
  void set(VarId var, ResultSource source) {
    if (source.kind != ResultKind::None) of.insert_or_assign(var, source);
  }
};

void KernelSignatures::trace_assign(Origins& origins, StmtId stmt) {
  const VarId target(store_.stmt(stmt).a);
  const ExprId value(store_.stmt(stmt).b);
  const ir::Expr& e = store_.expr(value);
  if (e.kind == ir::ExprKind::TupleGet) {
    const auto tuple = origins.tuples.find(store_.as_var(ExprId(e.a)));
    if (tuple != origins.tuples.end() && e.b < tuple->second.size()) origins.set(target, tuple->second[e.b]);
    return;
  }
  if (e.kind != ir::ExprKind::Call) {
    origins.set(target, origins.find(store_, value));
    return;
  }
  const ir::Call& call = store_.call(value);
  const std::string_view op = store_.text(call.callee);
  if (is_launch(call)) {
    const auto callee = functions_.find(call.callee);
    if (!callee) return;
    const ParameterMap map(store_, call, program_.functions[*callee]);
    std::vector<ResultSource> sources = results(*callee);
    for (ResultSource& source : sources) {
      if (source.kind != ResultKind::Parameter) continue;
      const std::uint32_t argument = map.argument(source.parameter);
      source = argument < call.args.count ? origins.find(store_, store_.at<ExprId>(call.args, argument)) : ResultSource{};
    }
    if (call.form == ir::CallForm::Function && sources.size() == 1) origins.set(target, sources.front());
    origins.tuples.insert_or_assign(target, std::move(sources));
    return;
  }
  if (call.form != ir::CallForm::Op) return;
  if (op == "tile.store" && call.args.count > 2) {
    origins.set(target, origins.find(store_, store_.at<ExprId>(call.args, 2)));
  } else if ((op == "tensor.assemble" || op == "tile.assemble") && !call.args.empty()) {
    origins.set(target, origins.find(store_, store_.at<ExprId>(call.args, 0)));
  } else if (op.starts_with("tensor.")) {
    origins.set(target, {ResultKind::Fresh, 0});
  }
}

void KernelSignatures::trace(Origins& origins, Range body) {
  const auto carry = [&](Range inits, Range iter_args, Range results) {
    for (std::uint32_t k = 0; k < iter_args.count && k < inits.count; ++k) {
      const ResultSource source = origins.find(store_, store_.at<ExprId>(inits, k));
      origins.set(store_.at<VarId>(iter_args, k), source);
      if (k < results.count) origins.set(store_.at<VarId>(results, k), source);
    }
  };
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    const ir::Stmt& s = store_.stmt(id);
    switch (s.kind) {
      case StmtKind::Assign: trace_assign(origins, id); break;
      case StmtKind::For: {
        const ir::ForData& d = store_.for_data(id);
        carry(d.inits, d.iter_args, d.result_vars);
        trace(origins, d.body);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData& d = store_.while_data(id);
        carry(d.inits, d.iter_args, d.result_vars);
        trace(origins, d.body);
        break;
      }
      case StmtKind::If: {
        const ir::IfData& d = store_.if_data(id);
        trace(origins, d.then_body);
        trace(origins, d.else_body);
        const Range yields = trailing_yield(store_, d.then_body);
        for (std::uint32_t k = 0; k < d.result_vars.count && k < yields.count; ++k) {
          origins.set(store_.at<VarId>(d.result_vars, k), origins.find(store_, store_.at<ExprId>(yields, k)));
        }
        break;
      }
      case StmtKind::Scope: trace(origins, store_.scope_data(id).body); break;
      case StmtKind::Return:
        origins.returned = store_.list<ExprId>({s.a, s.b});
        origins.returns = true;
        break;
      default: break;
    }
  }
}

std::vector<ResultSource> KernelSignatures::find_results(std::uint32_t index) {
  const ir::Function& function = program_.functions[index];
  Origins origins;
  for (std::uint32_t p = 0; p < function.params.size(); ++p) {
    origins.of.insert_or_assign(function.params[p].var, ResultSource{ResultKind::Parameter, p});
  }
  trace(origins, function.body);
  std::vector<std::uint32_t> written;
  for (std::uint32_t p = 0; p < function.params.size(); ++p) {
    if (function.params[p].direction != ir::ParamDirection::In) written.push_back(p);
  }
  std::vector<ResultSource> out(function.return_types.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i < origins.returned.size()) out[i] = origins.find(store_, origins.returned[i]);
    if (out[i].kind == ResultKind::Parameter) continue;
    if (written.size() == 1) {
      out[i] = {ResultKind::Parameter, written.front()};
    } else if (!origins.returns && i < written.size()) {
      // An external kernel has no body that says what it returns.
      out[i] = {ResultKind::Parameter, written[i]};
    }
  }
  return out;
}

const std::vector<ResultSource>& KernelSignatures::results(std::uint32_t function) {
  if (result_state_[function] == State::Unknown && depth_ < kMaxCallDepth) {
    result_state_[function] = State::Open;
    ++depth_;
    results_[function] = find_results(function);
    --depth_;
    result_state_[function] = State::Known;
  }
  return results_[function];
}

WrapperOrder KernelSignatures::find_order(std::uint32_t index, std::uint32_t depth) {
  const ir::Function& wrapper = program_.functions[index];
  WrapperOrder out;
  ExprId inner;
  ir::for_each_stmt(store_, wrapper.body, [&](StmtId stmt) {
    if (inner.valid()) return;
    for (const ExprId e : ir::expressions(store_, stmt)) {
      const bool call = e.valid() && store_.expr(e).kind == ir::ExprKind::Call && is_launch(store_.call(e));
      if (call && !inner.valid()) inner = e;
    }
  });
  if (!inner.valid()) return out;
  const ir::Call& call = store_.call(inner);
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    const ExprId argument = store_.at<ExprId>(call.args, i);
    const VarId var = store_.as_var(argument);
    if (!var.valid()) {
      const ir::ExprKind kind = store_.expr(argument).kind;
      const bool literal = store_.as_int(argument) || kind == ir::ExprKind::Float || kind == ir::ExprKind::Bool;
      out.arguments.push_back({kNone, literal ? argument : ExprId()});
      continue;
    }
    const auto parameter =
        std::find_if(wrapper.params.begin(), wrapper.params.end(), [&](const ir::Param& p) { return p.var == var; });
    if (parameter != wrapper.params.end()) {
      out.arguments.push_back({static_cast<std::uint32_t>(parameter - wrapper.params.begin()), {}});
    } else if (ir::is_tensor_like(store_, store_.var(var).type)) {
      return {};  // a buffer of the wrapper's own: what the kernel gets cannot be said in terms of the outer call
    } else {
      out.arguments.push_back({});
    }
  }
  out.known = true;
  // A wrapper around a wrapper: the innermost kernel's order counts.
  const auto callee = functions_.find(call.callee);
  if (!callee || !is_wrapper(program_.functions[*callee]) || depth == kMaxWrapperDepth) return out;
  const WrapperOrder deeper = find_order(*callee, depth + 1);
  if (!deeper.known) return out;
  WrapperOrder through;
  through.known = true;
  for (const KernelArgument& argument : deeper.arguments) {
    if (argument.parameter == kNone) {
      through.arguments.push_back(argument);
    } else {
      if (argument.parameter >= out.arguments.size()) return out;
      through.arguments.push_back(out.arguments[argument.parameter]);
    }
  }
  return through;
}

const WrapperOrder& KernelSignatures::wrapper_order(std::uint32_t function) {
  if (order_state_[function] == State::Unknown) {
    orders_[function] = find_order(function, 0);
    order_state_[function] = State::Known;
  }
  return orders_[function];
}

}  // namespace depscope::lower
