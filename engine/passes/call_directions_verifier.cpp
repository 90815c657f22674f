// Verifiers of CallDirectionsResolved, RuntimeScopesMaterialized and IterArgCarryClassified.
#include <string>

#include <fmt/format.h>

#include "property_verifiers.h"
#include "task_sites.h"
#include "wrapper_signatures.h"

namespace depscope::pass {
namespace {

using ir::ParamDirection;

std::string_view declared_name(ParamDirection direction) {
  switch (direction) {
    case ParamDirection::In: return "In";
    case ParamDirection::Out: return "Out";
    case ParamDirection::InOut: return "InOut";
  }
  return "";
}

bool allowed(ParamDirection callee, ArgDirection direction) {
  switch (callee) {
    case ParamDirection::In: return direction == ArgDirection::Input || direction == ArgDirection::NoDep;
    case ParamDirection::InOut:
      return direction == ArgDirection::InOut || direction == ArgDirection::OutputExisting || direction == ArgDirection::NoDep;
    case ParamDirection::Out:
      return direction == ArgDirection::Output || direction == ArgDirection::OutputExisting || direction == ArgDirection::InOut ||
             direction == ArgDirection::NoDep;
  }
  return false;
}

/// What is wrong with the directions of a call; empty if nothing is.
std::string call_error(const ir::NodeStore& store, const ir::Call& call, const ir::Function& callee) {
  if (call.args.count == 0) return {};
  const ParameterMap map(store, call, callee);
  const std::string_view name = store.text(call.callee);
  if (!map.fits()) {
    return fmt::format("'{}' takes {} arguments, the call gives {}", name, callee.params.size(), call.args.count);
  }
  const std::vector<ArgDirection> directions = read_directions(store, call);
  if (directions.empty()) return fmt::format("the call of '{}' has no arg_directions", name);
  if (directions.size() != call.args.count) {
    return fmt::format("the call of '{}' has {} arg_directions for {} arguments", name, directions.size(), call.args.count);
  }
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    const ir::Param& param = callee.params[map.parameter(i)];
    const ir::TypeId type = value_type(store, store.at<ir::ExprId>(call.args, i));
    const bool tensor = type.valid() && (ir::is_tensor_like(store, type) || store.type(type).kind == ir::TypeKind::Tuple);
    const bool scalar = directions[i] == ArgDirection::Scalar;
    if (tensor == scalar) {
      return fmt::format("argument {} of '{}' is {} but marked '{}'", i, name, tensor ? "a tensor" : "no tensor",
                         arg_direction_name(directions[i]));
    }
    if (tensor && !allowed(param.direction, directions[i])) {
      return fmt::format("argument {} of '{}' is marked '{}', which the declared direction {} does not allow", i, name,
                         arg_direction_name(directions[i]), declared_name(param.direction));
    }
  }
  return {};
}

}  // namespace

Diagnostic error_at(const ir::Program& program, Span span, std::string message) {
  if (program.source && span.known()) return program.source->diagnostic(Severity::Error, span.begin, std::move(message));
  Diagnostic diagnostic;
  if (program.source) diagnostic.file = program.source->name();
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::vector<Diagnostic> verify_call_directions(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  const FunctionTable functions(program);
  std::vector<Diagnostic> diagnostics;
  for (const ir::Function& function : program.functions) {
    ir::for_each_stmt(store, function.body, [&](ir::StmtId stmt) {
      const ir::ExprId value = task_call(store, stmt);
      if (!value.valid()) return;
      const ir::Call& call = store.call(value);
      const ir::Function* callee = functions.find(call.callee);
      if (callee == nullptr) return;
      const std::string error = call_error(store, call, *callee);
      if (!error.empty()) diagnostics.push_back(error_at(program, store.stmt(stmt).span, "[CallDirectionsResolved] " + error));
    });
  }
  const auto effective = effective_directions(program);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const ir::Function& function = program.functions[f];
    for (std::size_t p = 0; p < function.params.size(); ++p) {
      if (function.params[p].direction == effective[f][p]) continue;
      diagnostics.push_back(error_at(program, function.span,
                                     fmt::format("[CallDirectionsResolved] parameter '{}' of wrapper '{}' is declared {} but its "
                                                 "body makes it {}",
                                                 store.name(function.params[p].var), store.text(function.name),
                                                 declared_name(function.params[p].direction), declared_name(effective[f][p]))));
      break;
    }
  }
  return diagnostics;
}

std::vector<Diagnostic> verify_runtime_scopes(const ir::Program& program) {
  std::vector<Diagnostic> diagnostics;
  for (const ir::Function& function : program.functions) {
    if (function.kind != ir::FunctionKind::Orchestration || !function.auto_scope) continue;
    diagnostics.push_back(error_at(program, function.span,
                                   fmt::format("[RuntimeScopesMaterialized] Orchestration function '{}' still places its scopes "
                                               "automatically",
                                               program.store->text(function.name))));
  }
  return diagnostics;
}

std::vector<Diagnostic> verify_iter_arg_carry(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  std::vector<Diagnostic> diagnostics;
  for (const ir::Function& function : program.functions) {
    if (function.kind != ir::FunctionKind::Orchestration) continue;
    ir::for_each_stmt(store, function.body, [&](ir::StmtId stmt) {
      if (store.stmt(stmt).kind != ir::StmtKind::For) return;
      const ir::ForData& loop = store.for_data(stmt);
      for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) {
        if (store.find_pair(loop.attrs, fmt::format("iter_arg_rebind_{}", k)).valid()) continue;
        diagnostics.push_back(error_at(program, store.stmt(stmt).span,
                                       fmt::format("[IterArgCarryClassified] carried value {} of this loop has no class", k)));
        return;
      }
    });
  }
  return diagnostics;
}

}  // namespace depscope::pass
