#include "lineage_trail.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "depscope/ir/text.h"

namespace depscope::pass {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

/// Element `position` of the yield that directly ends a body.
ExprId yielded(const ir::NodeStore& store, Range body, std::uint32_t position) {
  const StmtId yield = direct_yield(store, body);
  if (!yield.valid() || position >= store.stmt(yield).b) return {};
  return store.at<ExprId>({store.stmt(yield).a, store.stmt(yield).b}, position);
}

}  // namespace

std::string LineageTrail::quoted(ExprId value) const {
  if (!value.valid()) return "nothing";
  const ir::NodeStore& store = *program_.store;
  if (!store.is_var(value)) return ir::print_expr(store, value);
  return fmt::format("'{}'", ir::source_name(store.name(store.as_var(value))));
}

std::vector<LineageStep> LineageTrail::of(StmtId site, std::uint32_t arg) {
  const ir::NodeStore& store = *program_.store;
  const ir::Call& call = store.call(task_call(store, site));
  std::vector<LineageStep> steps;
  if (arg >= call.args.count) return steps;
  if (!ready_) find_definitions();
  const ExprId value = store.at<ExprId>(call.args, arg);
  steps.push_back(
      {program_.line(store.stmt(site).span), fmt::format("argument {} of {}", quoted(value), store.text(call.callee))});
  for (VarId var = store.as_var(value); var.valid();) {
    if (steps.size() == kMaxSteps) {
      steps.push_back({0, "and further back"});
      break;
    }
    const Definition* definition = definitions_.find(var);
    if (definition == nullptr) {
      steps.push_back({program_.line(function_->span), fmt::format("'{}' is a parameter", ir::source_name(store.name(var)))});
      break;
    }
    const Next next = step(*definition);
    steps.push_back({program_.line(store.stmt(definition->stmt).span),
                     fmt::format("'{}' is {}", ir::source_name(store.name(var)), next.what)});
    var = next.from;
  }
  return steps;
}

void LineageTrail::find_definitions() {
  ready_ = true;
  definitions_.clear();
  const ir::NodeStore& store = *program_.store;
  const auto define = [&](Range vars, StmtId stmt, bool carried) {
    for (std::uint32_t k = 0; k < vars.count; ++k) definitions_[store.at<VarId>(vars, k)] = {stmt, k, carried};
  };
  ir::for_each_stmt(store, function_->body, [&](StmtId stmt) {
    switch (store.stmt(stmt).kind) {
      case StmtKind::Assign: definitions_[statement_target(store, stmt)] = {stmt}; break;
      case StmtKind::If: define(store.if_data(stmt).result_vars, stmt, false); break;
      case StmtKind::For:
        define(store.for_data(stmt).iter_args, stmt, true);
        define(store.for_data(stmt).result_vars, stmt, false);
        break;
      case StmtKind::While:
        define(store.while_data(stmt).iter_args, stmt, true);
        define(store.while_data(stmt).result_vars, stmt, false);
        break;
      default: break;
    }
  });
}

LineageTrail::Next LineageTrail::step(const Definition& definition) const {
  return program_.store->stmt(definition.stmt).kind == StmtKind::Assign ? assigned(definition.stmt) : merged(definition);
}

LineageTrail::Next LineageTrail::assigned(StmtId stmt) const {
  const ir::NodeStore& store = *program_.store;
  const ExprId value = statement_value(store, stmt);
  const ir::Expr& e = store.expr(value);
  switch (e.kind) {
    case ExprKind::Var: return {fmt::format("a copy of {}", quoted(value)), VarId(e.a)};
    case ExprKind::TupleGet: {
      const VarId tuple = store.as_var(ExprId(e.a));
      const Definition* definition = definitions_.find(tuple);
      if (definition != nullptr && task_call(store, definition->stmt).valid()) return task_result(definition->stmt, e.b);
      return {fmt::format("element {} of {}", e.b, quoted(ExprId(e.a))), tuple};
    }
    case ExprKind::Call:
      if (!task_call(store, stmt).valid()) return builtin(store.call(value));
      return task_result(stmt, 0);
    default: return {"a value without storage", {}};
  }
}

LineageTrail::Next LineageTrail::builtin(const ir::Call& call) const {
  const ir::NodeStore& store = *program_.store;
  const std::string_view op = store.text(call.callee);
  const ExprId first = call.args.empty() ? ExprId() : store.at<ExprId>(call.args, 0);
  if (op == "tensor.create") return {"a created tensor", {}};
  if (op == "tensor.slice") return {fmt::format("a slice of {}", quoted(first)), store.as_var(first)};
  if (op == "tensor.assemble") return {fmt::format("{} after an assemble", quoted(first)), store.as_var(first)};
  if (op.find("gather") != std::string_view::npos || op.find("scatter") != std::string_view::npos) {
    return {fmt::format("the result of {}: which elements it touches shows only when it runs", op), {}};
  }
  return {fmt::format("the result of {}, whose storage is not followed", op), {}};
}

LineageTrail::Next LineageTrail::task_result(StmtId stmt, std::uint32_t position) const {
  const ir::NodeStore& store = *program_.store;
  const ir::Call& call = store.call(task_call(store, stmt));
  const std::string_view callee_name = store.text(call.callee);
  const ir::Function* callee = functions_.find(call.callee);
  if (callee == nullptr) return {fmt::format("a result of '{}', which is not in the program", callee_name), {}};
  const ParameterMap map(store, call, *callee);
  if (!map.fits()) return {fmt::format("a result of '{}', whose arguments do not fit", callee_name), {}};
  const auto argument = [&](std::uint32_t parameter) -> Next {
    const std::string text = fmt::format("result {} of '{}', its parameter '{}'", position, callee_name,
                                         ir::source_name(store.name(callee->params[parameter].var)));
    const std::optional<std::uint32_t> arg = map.argument(parameter);
    if (!arg || *arg >= call.args.count) return {text + ", which the runtime allocates", {}};
    const ExprId value = store.at<ExprId>(call.args, *arg);
    return {fmt::format("{}, given {}", text, quoted(value)), store.as_var(value)};
  };
  if (!callee->body.empty()) {
    const ir::Stmt& last = store.stmt(store.at<StmtId>(callee->body, callee->body.count - 1));
    if (last.kind == StmtKind::Return && position < last.b) {
      const VarId returned = store.as_var(store.at<ExprId>({last.a, last.b}, position));
      for (std::uint32_t p = 0; p < callee->params.size() && returned.valid(); ++p) {
        if (callee->params[p].var == returned) return argument(p);
      }
    }
  }
  // A kernel that returns no parameter at all: its results are its written arguments, in order.
  std::uint32_t output = 0;
  for (std::uint32_t p = 0; p < callee->params.size(); ++p) {
    if (callee->params[p].direction == ir::ParamDirection::In) continue;
    if (output++ == position) return argument(p);
  }
  return {fmt::format("result {} of '{}', a tensor that the kernel makes itself", position, callee_name), {}};
}

LineageTrail::Next LineageTrail::merged(const Definition& definition) const {
  const ir::NodeStore& store = *program_.store;
  const std::uint32_t k = definition.position;
  if (store.stmt(definition.stmt).kind == StmtKind::If) {
    const ir::IfData d = store.if_data(definition.stmt);
    const ExprId then_value = yielded(store, d.then_body, k);
    const ExprId else_value = yielded(store, d.else_body, k);
    return meeting(fmt::format("{} of one branch or {} of the other", quoted(then_value), quoted(else_value)), then_value,
                   else_value);
  }
  const bool is_for = store.stmt(definition.stmt).kind == StmtKind::For;
  const Range inits = is_for ? store.for_data(definition.stmt).inits : store.while_data(definition.stmt).inits;
  const Range body = is_for ? store.for_data(definition.stmt).body : store.while_data(definition.stmt).body;
  const ExprId init = k < inits.count ? store.at<ExprId>(inits, k) : ExprId();
  if (definition.carried)
    return {fmt::format("carried by the loop, at first {} from before it", quoted(init)), store.as_var(init)};
  const ExprId last = yielded(store, body, k);
  return meeting(fmt::format("left by the loop: {} from before it or {} of its last iteration", quoted(init), quoted(last)), init,
                 last);
}

LineageTrail::Next LineageTrail::meeting(std::string what, ExprId first, ExprId second) const {
  const ir::NodeStore& store = *program_.store;
  if (!second.valid()) return {std::move(what), store.as_var(first)};
  const bool first_unknown = first.valid() && lineage_.location(first).state != LocationState::Known;
  const bool second_known = lineage_.location(second).state == LocationState::Known;
  return {std::move(what), store.as_var(first_unknown && second_known ? first : second)};
}

}  // namespace depscope::pass
