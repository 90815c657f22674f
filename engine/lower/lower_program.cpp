// Functions one by one, and the statements of their bodies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "depscope/ir/text.h"
#include "lowering.h"
#include "unmodelled.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

/// Tensor operations with an orchestration form: they make or describe buffers, or touch single elements on the host side.
constexpr std::array<std::string_view, 13> kOrchestrationOps = {
    "tensor.create",         "tensor.slice",   "tensor.assemble", "tensor.dim",       "tensor.read",
    "tensor.write",          "tensor.reshape", "tensor.view",     "tensor.transpose", "tensor.reinterpret_view",
    "tensor.set_validshape", "tensor.alloc",   "tensor.full"};

}  // namespace

Plan lower_program(const ir::Program& program, const LowerOptions& options) { return Lowering(program, options).run(); }

Lowering::Lowering(const ir::Program& program, LowerOptions options)
    : program_(program),
      store_(*program.store),
      options_(std::move(options)),
      functions_(program),
      signatures_(program, functions_),
      facts_(*program.store),
      bindings_(program.store->var_count()) {}

Plan Lowering::run() {
  for (std::uint32_t f = 0; f < program_.functions.size(); ++f) {
    const ir::Function& function = program_.functions[f];
    const bool entry = !options_.entry.empty() && store_.text(function.name) == options_.entry;
    if (function.kind == ir::FunctionKind::Orchestration || entry) lower_function(f);
  }
  return std::move(plan_);
}

void Lowering::lower_function(std::uint32_t index) {
  const ir::Function& function = program_.functions[index];
  function_ = index;
  site_ = {};
  FunctionPlan rows;
  rows.function = index;
  rows.ops.begin = plan_.ops.size();
  rows.tasks.begin = plan_.tasks.size();
  rows.ids.begin = plan_.ids.size();
  rows.arrays.begin = plan_.arrays.size();

  const Unmodelled unknown = find_unmodelled(program_, function, functions_);
  if (!unknown.construct.empty()) {
    Finding& finding = find(FindingKind::NotModelled, Severity::Info, unknown.statement, {});
    if (finding.line == 0) finding.line = program_.line(function.span);
    finding.name = unknown.construct;
    finding.message = fmt::format("'{}' has no submission plan: {}, line {}, is not modelled", store_.text(function.name),
                                  unknown.construct, finding.line);
    if (!unknown.advice.empty()) finding.message += " (" + unknown.advice + ")";
  } else {
    rows.planned = true;
    facts_.build(function);
    names_.clear();
    tuples_.clear();
    occurrences_.clear();
    batched_.clear();
    barriers_.clear();
    lost_slots_.clear();
    next_loop_ = next_number_ = next_barrier_ = next_list_ = next_site_ = 0;
    hoisted_ = false;
    for (const ir::Param& p : function.params) {
      if (ir::is_task_id(store_, p.type)) {
        bind(p.var, {Binding::Kind::Id, true, false, make_id(IdKind::Param, p.var)});
      } else if (ir::is_task_id_array(store_, p.type)) {
        bind(p.var, {Binding::Kind::Array, true, false, make_array(p.var, ir::array_extent(store_, p.type).value_or(-1))});
      }
    }
    function_body(function.body);
    leave(0, kNone);
  }
  rows.ops.end = plan_.ops.size();
  rows.tasks.end = plan_.tasks.size();
  rows.ids.end = plan_.ids.size();
  rows.arrays.end = plan_.arrays.size();
  plan_.functions.push_back(rows);
}

// Ids that edges name are declared in front of the first scope; if that is nested in a loop or if, in front of the whole of it.
void Lowering::function_body(Range body) {
  allocate_batch(body);
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    if (!hoisted_) {
      bool scoped = false;
      ir::for_each_stmt(store_, Range{body.begin + i, 1},
                        [&](StmtId inner) { scoped = scoped || store_.stmt(inner).kind == StmtKind::Scope; });
      if (scoped) declare_hoisted();
    }
    statement(id);
  }
}

void Lowering::block(Range body) {
  allocate_batch(body);
  statements(body);
}

void Lowering::statements(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) statement(store_.at<StmtId>(body, i));
}

void Lowering::statement(StmtId id) {
  const ir::Stmt& s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: assign(id); break;
    case StmtKind::Eval: evaluate(id); break;
    case StmtKind::If: if_statement(id); break;
    case StmtKind::For:
    case StmtKind::While: loop(id); break;
    case StmtKind::Scope: scope(id); break;
    case StmtKind::Yield: yield(id); break;
    case StmtKind::Return: emit(OpKind::Return, id); break;
    case StmtKind::Break: emit(OpKind::Break, id); break;
    case StmtKind::Continue: emit(OpKind::Continue, id); break;
    case StmtKind::Pass:
    case StmtKind::Ellipsis:
    case StmtKind::Opaque: break;
  }
}

void Lowering::assign(StmtId id) {
  const ir::Stmt& s = store_.stmt(id);
  const VarId target(s.a);
  const ExprId value(s.b);
  const ir::Expr& e = store_.expr(value);
  if (e.kind == ir::ExprKind::Var) {
    copy(id, target, value);
    return;
  }
  if (e.kind == ir::ExprKind::TupleGet) {
    take_element(id, target, value);
    return;
  }
  if (e.kind != ir::ExprKind::Call) {
    emit(OpKind::Assign, id, target.value, value.value);
    return;
  }
  const ir::Call& call = store_.call(value);
  if (is_launch(call)) {
    launch(id, value);
    return;
  }
  const std::string_view op = store_.text(call.callee);
  const bool id_array = ir::is_task_id_array(store_, store_.var(target).type);
  const auto operand = [&](std::uint32_t i) { return i < call.args.count ? store_.at<ExprId>(call.args, i) : ExprId(); };
  if (op == "system.task_dummy") {
    dummy(id, value);
  } else if (op == "tensor.create") {
    if (batched_.erase(id.value) == 0) {
      const Rows words = add_words({target.value});
      emit(OpKind::AllocTensors, id, words.begin, words.end);
    }
  } else if (op == "system.task_invalid") {
    set_id(id, target, IdKind::Invalid, kNone);
  } else if (op == "array.create" && id_array) {
    const auto extent = ir::array_extent(store_, store_.var(target).type);
    const std::uint32_t array = make_array(target, extent.value_or(store_.as_int(operand(0)).value_or(-1)));
    emit(OpKind::IdArray, id, array);
    bind(target, {Binding::Kind::Array, true, false, array});
  } else if (op == "array.update_element" && id_array) {
    const Binding array = binding_of(operand(0));
    if (!array.is_array()) return;
    const Binding stored = binding_of(operand(2));
    const VarId stored_var = store_.as_var(operand(2));
    if (!stored.bound() && stored_var.valid()) lost_slots_[array.index].push_back(stored_var);
    // A slot holds one id: for all that a parallel loop left, that of a barrier over them.
    std::uint32_t source = stored.is_id() ? stored.index : kNone;
    if (stored.is_array()) source = barrier_over(id, stored).id;
    emit(OpKind::IdStore, id, array.index, source, operand(1).value);
    bind(target, array);
  } else if (op == "array.get_element" && ir::is_task_id(store_, store_.var(target).type)) {
    const Binding array = binding_of(operand(0));
    if (!array.is_array()) return;
    emit(OpKind::ReadId, id, id_for(target, IdKind::Snapshot), array.index, operand(1).value);
  } else {
    check_operation(id, value);
    emit(OpKind::Assign, id, target.value, value.value);
  }
}

void Lowering::evaluate(StmtId id) {
  const ExprId value(store_.stmt(id).a);
  if (store_.expr(value).kind == ir::ExprKind::Call) {
    if (is_launch(store_.call(value))) {
      launch(id, value);
      return;
    }
    if (store_.is_op(value, "system.task_dummy")) {
      dummy(id, value);
      return;
    }
    check_operation(id, value);
  }
  emit(OpKind::Evaluate, id, value.value);
}

// What computes on tensors belongs into a kernel: the generator has no form for it in an orchestration body.
void Lowering::check_operation(StmtId stmt, ExprId value) {
  const ir::Call& call = store_.call(value);
  const std::string_view op = store_.text(call.callee);
  if (call.form != ir::CallForm::Op || (!op.starts_with("tensor.") && !op.starts_with("tile."))) return;
  if (std::find(kOrchestrationOps.begin(), kOrchestrationOps.end(), op) != kOrchestrationOps.end()) return;
  Finding& finding = find(FindingKind::CodegenAbort, Severity::Error, stmt, value);
  finding.name = op;
  finding.reason = "operation without an orchestration form";
  finding.message = fmt::format(
      "'{}' in the orchestration function '{}' (line {}): the code generator has no form for it here. Do it in a kernel", op,
      store_.text(program_.functions[function_].name), finding.line);
}

// ---------------------------------------------------------------- output

std::uint32_t Lowering::emit(OpKind kind, StmtId stmt, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t flags,
                             std::uint32_t argument) {
  Ops& ops = plan_.ops;
  ops.kind.push_back(kind);
  ops.flags.push_back(flags);
  ops.statement.push_back(stmt);
  ops.argument.push_back(argument);
  ops.a.push_back(a);
  ops.b.push_back(b);
  ops.c.push_back(c);
  return ops.size() - 1;
}

Rows Lowering::add_words(const std::vector<std::uint32_t>& words) {
  const auto begin = static_cast<std::uint32_t>(plan_.words.size());
  plan_.words.insert(plan_.words.end(), words.begin(), words.end());
  return {begin, static_cast<std::uint32_t>(plan_.words.size())};
}

/// A finding at an expression (or at its statement, where that has no place in the source), about the site being lowered.
Finding& Lowering::find(FindingKind kind, Severity severity, StmtId stmt, ExprId place) {
  Finding& finding = plan_.findings.emplace_back();
  finding.kind = kind;
  finding.severity = severity;
  finding.function = function_;
  finding.statement = stmt;
  finding.site = site_.index;
  finding.occurrence = site_.occurrence;
  finding.callee = site_.callee;
  Span at = place.valid() ? store_.expr(place).span : Span{};
  if (!at.known() && stmt.valid()) at = store_.stmt(stmt).span;
  if (at.known() && program_.source) {
    const SourceFile::Position position = program_.source->position(at.begin);
    finding.line = position.line;
    finding.column = position.column;
  }
  return finding;
}

}  // namespace depscope::lower
