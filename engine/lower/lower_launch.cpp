// Tasks: their arguments in the order the runtime wants them (passes.md 9.2), their results and ids (9.3).
#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;
using pass::ArgDirection;

namespace {

ArgDirection direction_of(ir::ParamDirection direction) {
  switch (direction) {
    case ir::ParamDirection::Out: return ArgDirection::OutputExisting;
    case ir::ParamDirection::InOut: return ArgDirection::InOut;
    case ir::ParamDirection::In: break;
  }
  return ArgDirection::Input;
}

OpKind op_of(ArgDirection direction) {
  switch (direction) {
    case ArgDirection::Output:
    case ArgDirection::OutputExisting: return OpKind::AddOutput;
    case ArgDirection::InOut: return OpKind::AddInOut;
    case ArgDirection::NoDep: return OpKind::AddNoDep;
    case ArgDirection::Scalar: return OpKind::AddScalar;
    default: return OpKind::AddInput;
  }
}

/// Task arguments are names or literals.
bool is_expression(const ir::NodeStore& store, ExprId value) {
  switch (store.expr(value).kind) {
    case ir::ExprKind::Unary: return !store.as_int(value).has_value();
    case ir::ExprKind::Binary:
    case ir::ExprKind::Cast:
    case ir::ExprKind::Call:
    case ir::ExprKind::TupleGet:
    case ir::ExprKind::Subscript:
    case ir::ExprKind::List:
    case ir::ExprKind::Tuple: return true;
    default: return false;
  }
}

bool is_floating(const ir::NodeStore& store, ExprId value) {
  const ir::Expr& e = store.expr(value);
  if (e.kind == ir::ExprKind::Float) return true;
  ir::TypeId type = e.type;
  if (e.kind == ir::ExprKind::Var && (!type.valid() || store.type(type).kind == ir::TypeKind::Unknown))
    type = store.var(VarId(e.a)).type;
  if (!type.valid() || store.type(type).kind != ir::TypeKind::Scalar) return false;
  const ir::DType dtype = store.type(type).dtype;
  return dtype >= ir::DType::Fp4 && dtype <= ir::DType::Hf8;
}

}  // namespace

void Lowering::enter_site(const ir::Call& call) {
  const bool launch = is_launch(call);
  site_.index = next_site_++;
  site_.occurrence = occurrences_[launch ? call.callee.value : 0]++;
  site_.callee = launch ? store_.text(call.callee) : "task_dummy";
}

void Lowering::launch(StmtId id, ExprId call_expr) {
  const ir::Call call = store_.call(call_expr);
  const std::uint32_t callee = *functions_.find(call.callee);
  const ir::Function& function = program_.functions[callee];
  enter_site(call);
  const ParameterMap map(store_, call, function);
  const std::vector<Argument> given = collect_arguments(id, call_expr, callee, map);
  const bool wrapper = function.kind == ir::FunctionKind::Group || function.kind == ir::FunctionKind::Spmd;

  const std::uint32_t task = add_task(wrapper ? TaskForm::Wrapper : TaskForm::Kernel, id, call_expr);
  merge_dependencies(task);
  emit(OpKind::Args, id, task);
  emit_arguments(id, wrapper ? kernel_arguments(given, callee, map) : given);
  emit_dump(id, call);
  if (!wrapper) emit_dependencies(task);
  emit_launch_options(id, call);
  if (wrapper) emit_dependencies(task);
  const VarId target = store_.stmt(id).kind == ir::StmtKind::Assign ? VarId(store_.stmt(id).a) : VarId();
  const bool captures =
      call.form == ir::CallForm::Submit || (target.valid() && facts_.var(target).needed) || names_argument(given);
  emit(OpKind::Submit, id, task, kNone, kNone, captures ? kCaptures : std::uint8_t{0});
  bind_results(id, call_expr, task, callee, given);
  site_ = {};
}

std::vector<Lowering::Argument> Lowering::collect_arguments(StmtId id, ExprId call_expr, std::uint32_t callee,
                                                            const ParameterMap& map) {
  const ir::Call call = store_.call(call_expr);
  const ir::Function& function = program_.functions[callee];
  const auto name = [&] { return store_.text(function.name); };
  if (!map.fits()) {
    Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, id, call_expr);
    finding.name = name();
    finding.reason = "argument count";
    finding.message = fmt::format("'{}' takes {} arguments, {} are given in line {}: a plain call must cover all parameters",
                                  name(), function.params.size(), call.args.count, finding.line);
  }
  const std::vector<ArgDirection> directions = read_directions(store_, call);
  std::vector<Argument> out;
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    Argument& argument = out.emplace_back();
    argument.value = store_.at<ExprId>(call.args, i);
    argument.argument = i;
    argument.parameter = map.parameter(i);
    if (is_expression(store_, argument.value)) {
      Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, id, call_expr);
      finding.argument = i;
      finding.name = name();
      finding.reason = "expression argument";
      finding.message = fmt::format(
          "argument {} of '{}' in line {} is an expression: a task argument must be a variable or a literal (assign it to a name "
          "first)",
          i, name(), finding.line);
    }
    if (argument.parameter >= function.params.size()) continue;
    const ir::Param& parameter = function.params[argument.parameter];
    if (!ir::is_tensor_like(store_, parameter.type)) continue;
    const bool derived = i < directions.size() && directions[i] != ArgDirection::None;
    argument.direction = derived ? directions[i] : direction_of(parameter.direction);
  }
  for (std::uint32_t k = 0; k < map.omitted(); ++k) {
    const std::uint32_t p = map.first_omitted() + k;
    const ir::Param& parameter = function.params[p];
    Argument& argument = out.emplace_back();
    argument.direction = ArgDirection::Output;
    argument.parameter = argument.described = p;
    if (parameter.direction == ir::ParamDirection::Out && ir::is_tensor_like(store_, parameter.type)) continue;
    Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, id, call_expr);
    finding.name = ir::source_name(store_.name(parameter.var));
    finding.reason = "missing argument is no output";
    finding.message =
        fmt::format("'{}' is launched in line {} without its parameter '{}', which is no Out tensor: only those may be left out",
                    name(), finding.line, finding.name);
  }
  return out;
}

// A wrapper's task runs the kernel behind it, which takes its own arguments in its own order.
std::vector<Lowering::Argument> Lowering::kernel_arguments(const std::vector<Argument>& outer, std::uint32_t callee,
                                                           const ParameterMap& map) {
  const WrapperOrder& order = signatures_.wrapper_order(callee);
  if (!order.known) return outer;
  std::vector<Argument> out;
  for (std::uint32_t i = 0; i < order.arguments.size(); ++i) {
    const KernelArgument& inner = order.arguments[i];
    Argument argument;
    if (inner.parameter == kNone) {
      if (!inner.literal.valid()) continue;  // a scalar that the wrapper itself computes
      argument.value = inner.literal;
    } else {
      const std::uint32_t given = map.argument(inner.parameter);
      const auto from = std::find_if(outer.begin(), outer.end(), [&](const Argument& a) {
        return given == kNone ? a.described == inner.parameter : a.argument == given;
      });
      if (from == outer.end()) return outer;
      argument = *from;
    }
    argument.parameter = i;
    out.push_back(argument);
  }
  return out;
}

void Lowering::emit_arguments(StmtId id, const std::vector<Argument>& arguments) {
  for (const bool scalars : {false, true}) {  // the runtime demands tensors first
    for (const Argument& a : arguments) {
      const OpKind kind = op_of(a.direction);
      if ((kind == OpKind::AddScalar) != scalars) continue;
      if (a.described != kNone) {
        emit(kind, id, kNone, a.described, kNone, kCreation);
      } else {
        const bool bits = scalars && is_floating(store_, a.value);
        emit(kind, id, a.value.value, a.parameter, kNone, bits ? kBitCast : std::uint8_t{0}, a.argument);
      }
    }
  }
}

void Lowering::emit_dump(StmtId id, const ir::Call& call) {
  std::vector<std::uint32_t> vars;
  for (const std::string_view key : {"dump_vars", "dumps"}) {
    const ExprId list = launch_option(store_, call, key);
    if (!list.valid()) continue;
    for_each_variable(store_, list, [&](VarId var) { vars.push_back(var.value); });
  }
  if (vars.empty()) return;
  const Rows words = add_words(vars);
  emit(OpKind::Dump, id, words.begin, words.end);
}

void Lowering::emit_launch_options(StmtId id, const ir::Call& call) {
  const ExprId cores = launch_option(store_, call, "core_num");
  const bool sync = is_true(store_, launch_option(store_, call, "sync_start"));
  if (cores.valid() || sync) {
    emit(OpKind::Launch, id, cores.valid() ? cores.value : kNone, kNone, kNone, sync ? kSyncStart : std::uint8_t{0});
  }
  if (is_true(store_, launch_option(store_, call, "allow_early_resolve"))) emit(OpKind::EarlyResolve, id);
  const ExprId predicate = launch_option(store_, call, "predicate");
  if (predicate.valid()) emit(OpKind::Predicate, id, predicate.value);
}

/// True if a compiler edge asks for the id of this task by an argument that it writes.
bool Lowering::names_argument(const std::vector<Argument>& given) const {
  return std::any_of(given.begin(), given.end(), [&](const Argument& a) {
    const VarId var = store_.as_var(a.value);
    const bool written = a.direction == ArgDirection::OutputExisting || a.direction == ArgDirection::InOut;
    return a.argument != kNone && written && var.valid() && facts_.var(var).edge;
  });
}

void Lowering::bind_results(StmtId id, ExprId call_expr, std::uint32_t task, std::uint32_t callee,
                            const std::vector<Argument>& given) {
  const ir::Call& call = store_.call(call_expr);
  const ir::Function& function = program_.functions[callee];
  const std::vector<ResultSource>& results = signatures_.results(callee);
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    if (results[i].kind != ResultKind::None || !ir::is_tensor_like(store_, function.return_types[i])) continue;
    Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, id, call_expr);
    finding.name = store_.text(function.name);
    finding.reason = "result without a parameter";
    finding.message = fmt::format(
        "result {} of '{}' in line {} is none of its parameters, and more or less than one of them is an output: the code "
        "generator "
        "cannot tell which buffer it is",
        i, finding.name, finding.line);
  }
  if (store_.stmt(id).kind == ir::StmtKind::Assign) {
    const VarId target(store_.stmt(id).a);
    const bool submit = call.form == ir::CallForm::Submit;
    if (!submit && results.size() == 1) {
      emit(OpKind::Assign, id, target.value, task, 0, kResult);
    } else {
      tuples_.insert_or_assign(target.value, TupleSource{task, static_cast<std::uint32_t>(results.size()), submit});
    }
    if (facts_.var(target).needed) bind_task(id, target, task);
  }
  // This is how the producer of a statement without a target gets an id.
  for (const Argument& a : given) {
    const VarId var = store_.as_var(a.value);
    const bool written = a.direction == ArgDirection::OutputExisting || a.direction == ArgDirection::InOut;
    if (a.argument != kNone && written && var.valid() && facts_.var(var).edge) bind_task(id, var, task);
  }
}

void Lowering::take_element(StmtId id, VarId target, ExprId value) {
  const ir::Expr& e = store_.expr(value);
  const VarId tuple = store_.as_var(ExprId(e.a));
  const auto source = tuple.valid() ? tuples_.find(tuple.value) : tuples_.end();
  const VarFacts& facts = facts_.var(target);
  if (source == tuples_.end()) {
    emit(OpKind::Assign, id, target.value, value.value);
    return;
  }
  if (source->second.submit && e.b == source->second.results) {
    if (facts.used || facts.needed) bind_task(id, target, source->second.task);
    return;
  }
  emit(OpKind::Assign, id, target.value, source->second.task, e.b, kResult);
  if (!facts.needed) return;
  const Binding shared = binding(tuple);
  if (shared.is_id() && !binding(target).bound()) {
    bind(target, shared);
  } else {
    bind_task(id, target, source->second.task);
  }
}

void Lowering::dummy(StmtId id, ExprId call_expr) {
  const ir::Call call = store_.call(call_expr);
  enter_site(call);
  const std::uint32_t task = add_task(TaskForm::Dummy, id, call_expr);
  merge_dependencies(task);
  emit_dependencies(task);
  const bool assigned = store_.stmt(id).kind == ir::StmtKind::Assign;
  const std::uint32_t result = assigned ? id_for(VarId(store_.stmt(id).a), IdKind::Barrier) : kNone;
  // Without any entry it is always submitted; with entries only if one of them is valid.
  const bool always = user_edges(store_, call).empty();
  emit(OpKind::Dummy, id, task, result, kNone, always ? kAlways : std::uint8_t{0});
  site_ = {};
}

}  // namespace depscope::lower
