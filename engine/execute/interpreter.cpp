// Control flow of an orchestration body.
#include "interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

/// Trips of range(start, stop, step), step not 0. The differences are taken without sign: they always fit.
std::uint64_t trip_count(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const auto a = static_cast<std::uint64_t>(start);
  const auto b = static_cast<std::uint64_t>(stop);
  const auto s = static_cast<std::uint64_t>(step);
  if (step > 0) return stop > start ? (b - a - 1) / s + 1 : 0;
  return start > stop ? (a - b - 1) / (0 - s) + 1 : 0;
}

}  // namespace

Interpreter::Interpreter(const ir::Program& program, const ProgramInput& input, const RunHost& host, runtime::Model& model)
    : program_(program),
      store_(*program.store),
      input_(input),
      host_(host),
      model_(model),
      kernels_(program),
      bodies_(program),
      facts_(*program.store),
      ids_(program.store->var_count()) {
  const std::size_t vars = store_.var_count();
  values_.resize(vars);
  tensor_slot_.assign(vars, 0xffffffffU);
  merged_vars_.assign(vars, 0);
  tuple_slot_.assign(vars, 0xffffffffU);
  for (const auto& [name, text] : input.data) read_data(name, text);
}

void Interpreter::step(Span at) {
  if (at.known()) last_known_ = at;
  if (++steps_ > input_.limits.max_steps)
    fail(last_known_, fmt::format("more than the limit of {} executed statements: does this loop end?", input_.limits.max_steps));
}

// Ids that edges of the compiler name are declared in front of the first scope; if that is nested in a loop or if, in front of
// the whole of it (passes.md 9.4).
void Interpreter::function_body(Range body) {
  create_batch(body);
  bool hoisted = false;
  for (std::uint32_t i = 0; i < body.count && !left_ && !broke_ && !continued_; ++i) {
    bool scoped = false;
    if (!hoisted) {
      ir::for_each_stmt(store_, Range{body.begin + i, 1},
                        [&](StmtId inner) { scoped = scoped || store_.stmt(inner).kind == StmtKind::Scope; });
    }
    if (scoped) {
      hoist_ids();
      hoisted = true;
    }
    statement(store_.at<StmtId>(body, i));
  }
}

void Interpreter::block(Range stmts) {
  create_batch(stmts);
  statements(stmts);
}

void Interpreter::statements(Range stmts) {
  for (std::uint32_t i = 0; i < stmts.count; ++i) {
    statement(store_.at<StmtId>(stmts, i));
    if (left_ || broke_ || continued_) return;
  }
}

void Interpreter::statement(StmtId id) {
  const ir::Stmt s = store_.stmt(id);
  step(s.span);
  switch (s.kind) {
    case StmtKind::Assign: {
      const ExprId value(s.b);
      const VarId target(s.a);
      const ir::Expr e = store_.expr(value);
      if (e.kind == ir::ExprKind::Call) {
        const ir::Call c = store_.call(value);
        if (c.form == ir::CallForm::Function || c.form == ir::CallForm::Submit) {
          assign(target, launch(id, value, target));
          break;
        }
        if (store_.is_op(value, "system.task_dummy")) {
          assign(target, dummy(id, value));
          break;
        }
        if (store_.is_op(value, "tensor.create")) {
          if (!allocated_.erase(id.value)) allocate({id});
          break;
        }
      }
      const Value v = evaluate(value);
      assign(target, v);
      if (e.kind == ir::ExprKind::Var) {
        bind_copy(target, value);
      } else if (e.kind == ir::ExprKind::TupleGet) {
        bind_element(target, ExprId(e.a), v, evaluate(ExprId(e.a)).producer);
      } else if (e.kind == ir::ExprKind::Call) {
        bind_operation(target, value);
      }
      break;
    }
    case StmtKind::Eval: {
      const ExprId value(s.a);
      const ir::Call c = store_.call(value);
      if (c.form == ir::CallForm::Function || c.form == ir::CallForm::Submit) {
        launch(id, value, VarId());
      } else if (store_.is_op(value, "system.task_dummy")) {
        dummy(id, value);
      } else if (store_.is_op(value, "tensor.write")) {
        write_element(value);
      } else {
        evaluate(value);
      }
      break;
    }
    case StmtKind::If: run_if(id); break;
    case StmtKind::For: run_for(id); break;
    case StmtKind::While: run_while(id); break;
    case StmtKind::Scope: run_scope(id); break;
    case StmtKind::Return: left_ = true; break;
    case StmtKind::Break: broke_ = true; break;
    case StmtKind::Continue: continued_ = true; break;
    case StmtKind::Yield: yield_ids(id); break;
    case StmtKind::Pass:
    case StmtKind::Ellipsis: break;
    case StmtKind::Opaque: not_modelled(s.span, "opaque", "this statement is not understood, so it is not executed");
  }
  temporaries_.clear();
}

// The values yielded at the end of a body, looking through runtime scopes.
std::vector<ExprId> Interpreter::trailing_yield(Range body) const {
  while (!body.empty()) {
    const StmtId last = store_.at<StmtId>(body, body.count - 1);
    const ir::Stmt& s = store_.stmt(last);
    if (s.kind == StmtKind::Yield) return store_.list<ExprId>(Range{s.a, s.b});
    if (s.kind != StmtKind::Scope || store_.scope_data(last).kind != ir::ScopeKind::Runtime) return {};
    body = store_.scope_data(last).body;
  }
  return {};
}

/// A branch, or one iteration of a body: what it binds ends with it.
void Interpreter::branch(Range body, YieldTarget& target) {
  ids_.enter();
  yields_.push_back(&target);
  block(body);
  yields_.pop_back();
  ids_.leave();
}

void Interpreter::run_if(StmtId id) {
  const ir::IfData d = store_.if_data(id);
  const bool taken = truth(d.cond, "this condition");
  const Range body = taken ? d.then_body : d.else_body;
  YieldTarget target;
  merge_into(id, target);
  branch(body, target);
  if (left_ || broke_ || continued_ || d.result_vars.empty()) return;
  const std::vector<ExprId> yields = trailing_yield(body);
  for (std::uint32_t i = 0; i < d.result_vars.count && i < yields.size(); ++i)
    assign(store_.at<VarId>(d.result_vars, i), evaluate(yields[i]));
  merge_out(target);
}

// ---------------------------------------------------------------- loops

/// Values of what a loop carries in front of its first iteration; carried arrays of ids have theirs already.
void Interpreter::init_values(const lower::LoopFacts& facts, const YieldTarget& target) {
  std::vector<Value> inits;
  for (std::uint32_t i = 0; i < facts.inits.count; ++i) inits.push_back(evaluate(store_.at<ExprId>(facts.inits, i)));
  for (std::uint32_t k = 0; k < facts.iter_args.count && k < inits.size(); ++k) {
    const VarId iter_arg = store_.at<VarId>(facts.iter_args, k);
    if (!carries_array(iter_arg, target, k)) assign(iter_arg, inits[k]);
  }
}

bool Interpreter::carries_array(VarId var, const YieldTarget& target, std::uint32_t k) const {
  return target.carries[k].array != kNone && ir::is_task_id_array(store_, store_.var(var).type);
}

void Interpreter::result_values(const lower::LoopFacts& facts, const YieldTarget& target) {
  for (std::uint32_t k = 0; k < facts.results.count && k < facts.iter_args.count; ++k) {
    assign(store_.at<VarId>(facts.results, k), values_[store_.at<VarId>(facts.iter_args, k).value]);
  }
  carry_out(facts, target);
}

/// Runs the body once and hands on what it yields.
Interpreter::Leave Interpreter::iteration(Range body, const lower::LoopFacts& facts, YieldTarget& target,
                                          const std::vector<ExprId>& yields) {
  branch(body, target);
  if (left_) return Leave::Function;
  const bool leave = broke_;
  const bool skip = continued_;
  broke_ = continued_ = false;
  if (leave) return Leave::Loop;
  if (skip) return Leave::No;  // the yield was not reached: what is carried stays as it is
  std::vector<Value> next;
  next.reserve(yields.size());
  for (const ExprId y : yields) {
    Value value = evaluate(y);
    // Carried tensors may change places: each keeps what it was until all are read.
    if (value.kind == ValueKind::Tensor && yields.size() > 1) {
      const TensorValue read = tensor(value);
      value = temporary_tensor(read);
    }
    next.push_back(value);
  }
  for (std::uint32_t k = 0; k < facts.iter_args.count && k < next.size(); ++k) {
    const VarId iter_arg = store_.at<VarId>(facts.iter_args, k);
    // In a parallel loop every iteration waits for the initial id only (P19).
    if (facts.parallel && is_task_scalar(store_, iter_arg)) continue;
    if (!carries_array(iter_arg, target, k)) assign(iter_arg, next[k]);
  }
  temporaries_.clear();
  return Leave::No;
}

void Interpreter::run_for(StmtId id) {
  const ir::ForData d = store_.for_data(id);
  const std::int64_t start = need_int(d.start, "the start of this loop");
  const std::int64_t stop = need_int(d.stop, "the end of this loop");
  const std::int64_t stride = need_int(d.step, "the step of this loop");
  const Span at = store_.stmt(id).span;
  if (stride == 0) fail(at, "the step of this loop is 0");
  const std::uint64_t trips = trip_count(start, stop, stride);
  const lower::LoopFacts& facts = facts_.loop(id);

  YieldTarget target;
  target.trips = facts.trips.value_or(0);
  carry_into(facts, target);
  init_values(facts, target);
  std::vector<VarId> barriers;
  if (facts.trips && trips > 1) compress_edges(facts, barriers);

  const std::vector<ExprId> yields = trailing_yield(d.body);
  iteration_.push_back(0);
  std::int64_t counter = start;
  for (std::uint64_t i = 0; i < trips; ++i) {
    step(at);
    iteration_.back() = static_cast<std::uint32_t>(i);
    if (i != 0) counter += stride;
    assign(d.counter, number(counter));
    if (iteration(d.body, facts, target, yields) != Leave::No) break;
  }
  iteration_.pop_back();
  for (const VarId v : barriers) barriers_.erase(v.value);
  if (!left_) result_values(facts, target);
}

// A while whose condition names only values that its body cannot change, and that nothing leaves, never ends. One iteration
// shows everything that it does.
bool Interpreter::is_endless(StmtId loop) {
  const auto known = endless_.find(loop.value);
  if (known != endless_.end()) return known->second;
  const ir::WhileData d = store_.while_data(loop);
  std::unordered_set<std::uint32_t> fixed;
  bool endless = true;
  std::vector<ExprId> open{d.cond};
  while (endless && !open.empty()) {
    const ExprId e = open.back();
    open.pop_back();
    if (store_.expr(e).kind == ir::ExprKind::Call) endless = false;  // contents of tensors and arrays
    if (store_.is_var(e)) fixed.insert(store_.as_var(e).value);
    for (const ExprId c : ir::children(store_, e)) open.push_back(c);
  }
  const auto define = [&](Range vars) {
    for (const VarId v : store_.list<VarId>(vars)) endless = endless && !fixed.contains(v.value);
  };
  define(d.iter_args);
  ir::for_each_stmt(store_, d.body, [&](StmtId s) {
    const ir::Stmt& st = store_.stmt(s);
    switch (st.kind) {
      case StmtKind::Break:
      case StmtKind::Return: endless = false; break;
      case StmtKind::Assign: endless = endless && !fixed.contains(st.a); break;
      case StmtKind::For:
        endless = endless && !fixed.contains(store_.for_data(s).counter.value);
        define(store_.for_data(s).result_vars);
        break;
      case StmtKind::While: define(store_.while_data(s).result_vars); break;
      case StmtKind::If: define(store_.if_data(s).result_vars); break;
      default: break;
    }
  });
  endless_.emplace(loop.value, endless);
  if (endless) {
    result_.notices.push_back({"endless_loop",
                               "nothing in this loop changes its condition: it never ends. One iteration is shown, and then what "
                               "stands behind it",
                               "while",
                               {},
                               line(store_.stmt(loop).span)});
  }
  return endless;
}

void Interpreter::run_while(StmtId id) {
  const ir::WhileData d = store_.while_data(id);
  const Span at = store_.stmt(id).span;
  const lower::LoopFacts& facts = facts_.loop(id);
  YieldTarget target;
  carry_into(facts, target);
  init_values(facts, target);
  const std::vector<ExprId> yields = trailing_yield(d.body);
  iteration_.push_back(0);
  while (truth(d.cond, "this condition")) {
    if (iteration_.back() == 1 && is_endless(id)) break;
    step(at);
    if (iteration(d.body, facts, target, yields) != Leave::No) break;
    ++iteration_.back();
  }
  iteration_.pop_back();
  if (!left_) result_values(facts, target);
}

void Interpreter::run_scope(StmtId id) {
  const ir::ScopeData d = store_.scope_data(id);
  const Span at = store_.stmt(id).span;
  if (d.kind != ir::ScopeKind::Runtime) {
    const std::string construct = d.header.valid() ? "pl." + std::string(store_.callee(d.header)) : "scope";
    not_modelled(
        at, construct,
        fmt::format(
            "'{}' regions are outlined by passes that are not modelled: open the passes_dump directory of this program instead",
            construct));
  }
  // What a MANUAL scope creates directly is allocated in front of it (passes.md 9.7).
  if (d.manual) create_batch(d.body);
  const std::uint8_t owner = d.materialised ? (d.manual ? 1 : 2) : (d.compiler_owned ? 1 : 0);
  if (!at_place(at, [&] { return model_.begin_scope(d.manual, owner); }))
    not_modelled(at, "scope", "an AUTO scope inside a MANUAL scope ends the run with error 5");
  scopes_.push_back(d.manual);
  ids_.enter();
  if (d.manual) {
    statements(d.body);
  } else {
    block(d.body);
  }
  ids_.leave();
  scopes_.pop_back();
  model_.end_scope();
}

RunResult run_program(const ir::Program& program, const ProgramInput& input, const RunHost& host, runtime::Model& model) {
  return Interpreter(program, input, host, model).run();
}

}  // namespace depscope::execute
