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
    : program_(program), store_(*program.store), input_(input), host_(host), model_(model), kernels_(program), bodies_(program) {
  const std::size_t vars = store_.var_count();
  values_.resize(vars);
  tensor_slot_.assign(vars, 0xffffffffU);
  id_list_slot_.assign(vars, 0xffffffffU);
  tuple_slot_.assign(vars, 0xffffffffU);
  for (const auto& [name, text] : input.data) read_data(name, text);
}

void Interpreter::step(Span at) {
  if (at.known()) last_known_ = at;
  if (++steps_ > input_.limits.max_steps)
    fail(last_known_, fmt::format("more than the limit of {} executed statements: does this loop end?", input_.limits.max_steps));
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
      Value v = evaluate(value);
      if (e.kind != ir::ExprKind::Var && e.kind != ir::ExprKind::TupleGet) v.producer = runtime::kInvalidTask;
      assign(target, v);
      if (e.kind == ir::ExprKind::Var && v.binding != 0) values_[target.value].binding = v.binding;
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
    case StmtKind::Yield:
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

void Interpreter::run_if(StmtId id) {
  const ir::IfData d = store_.if_data(id);
  const bool taken = truth(d.cond, "this condition");
  const Range body = taken ? d.then_body : d.else_body;
  block(body);
  if (left_ || broke_ || continued_ || d.result_vars.empty()) return;
  const std::vector<ExprId> yields = trailing_yield(body);
  const bool manual = !scopes_.empty() && scopes_.back().manual;
  for (std::uint32_t i = 0; i < d.result_vars.count && i < yields.size(); ++i) {
    const VarId var = store_.at<VarId>(d.result_vars, i);
    Value v = evaluate(yields[i]);
    // An id merged by an if has no binding after it: both branch scopes are closed (P09).
    if (v.kind == ValueKind::TaskId && !manual && !edge_vars_.contains(var.value)) v.kind = ValueKind::Unbound;
    assign(var, v);
  }
}

/// Ids of the producers of one loop result over all iterations, kept only for results that a compiler edge names and for ids
/// carried by a parallel loop.
struct Interpreter::LoopCarry {
  std::vector<VarId> iter_args;
  std::vector<VarId> results;
  std::vector<std::vector<runtime::TaskId>> ids;
  std::vector<bool> collect;
  bool fixed = false;  ///< constant trip count
};

void Interpreter::collect(LoopCarry& carry, const std::vector<ExprId>& yields) {
  for (std::size_t i = 0; i < carry.results.size() && i < yields.size(); ++i) {
    if (!carry.collect[i]) continue;
    const Value v = evaluate(yields[i]);
    std::vector<runtime::TaskId>& ids = carry.ids[i];
    // An array of one slot per iteration keeps what it is given; a growing list stores the repeated ids of one iteration once.
    const auto add = [&](runtime::TaskId id) {
      if (id != runtime::kInvalidTask && (carry.fixed || ids.empty() || ids.back() != id)) ids.push_back(id);
    };
    if (v.kind == ValueKind::TaskId) {
      add(static_cast<runtime::TaskId>(v.number));
    } else if (v.kind == ValueKind::IdList) {
      for (const runtime::TaskId id : id_lists_[v.index]) add(id);
    } else if (store_.is_var(yields[i]) && id_list_slot_[store_.as_var(yields[i]).value] != 0xffffffffU) {
      for (const runtime::TaskId id : id_lists_[id_list_slot_[store_.as_var(yields[i]).value]]) add(id);
    } else {
      add(v.producer);
    }
  }
}

void Interpreter::finish_carry(LoopCarry& carry, Range results, bool parallel, bool constant_trips, Span at) {
  std::vector<runtime::TaskId> barrier_ids;
  std::unordered_set<runtime::TaskId> listed;
  if (parallel && !constant_trips) {
    // One growing list per loop, and a barrier over it behind the loop (passes.md 9.5).
    for (std::size_t i = 0; i < carry.results.size(); ++i) {
      if (!carry.collect[i]) continue;
      for (const runtime::TaskId id : carry.ids[i]) {
        if (listed.insert(id).second) barrier_ids.push_back(id);
      }
    }
    if (!barrier_ids.empty()) {
      submission_ = {};
      submission_.kind = runtime::TaskKind::Dummy;
      for (const runtime::TaskId id : barrier_ids) submission_.deps.push_back({id, runtime::kWaitRetain, runtime::kCompiler});
      submit(at);
      barrier_ids = {submitted_};
      for (std::vector<runtime::TaskId>& ids : carry.ids) ids = barrier_ids;
    }
  }
  for (std::size_t i = 0; i < carry.results.size(); ++i) {
    const VarId var = store_.at<VarId>(results, static_cast<std::uint32_t>(i));
    Value v = values_[carry.iter_args[i].value];
    if (v.kind == ValueKind::TaskId) v.scope = 0;
    if (carry.collect[i]) {
      std::uint32_t& slot = id_list_slot_[var.value];
      if (slot == 0xffffffffU) {
        slot = static_cast<std::uint32_t>(id_lists_.size());
        id_lists_.emplace_back();
      }
      id_lists_[slot] = carry.ids[i];
      if (v.kind == ValueKind::TaskId || v.kind == ValueKind::Unbound || v.kind == ValueKind::IdList)
        v = {.kind = ValueKind::IdList, .index = slot};
    }
    assign(var, v);
  }
}

// The name of a carried id is declared around the loop in MANUAL scopes; elsewhere it has no binding unless a compiler edge
// names it (passes.md 9.4).
void Interpreter::bind_carry(VarId var, Value v, bool manual) {
  if (v.kind == ValueKind::TaskId) {
    v.scope = 0;
    if (!manual && !edge_vars_.contains(var.value)) v.kind = ValueKind::Unbound;
  }
  assign(var, v);
}

void Interpreter::run_for(StmtId id) {
  const ir::ForData d = store_.for_data(id);
  const std::int64_t start = need_int(d.start, "the start of this loop");
  const std::int64_t stop = need_int(d.stop, "the end of this loop");
  const std::int64_t stride = need_int(d.step, "the step of this loop");
  const Span at = store_.stmt(id).span;
  if (stride == 0) fail(at, "the step of this loop is 0");
  const bool constant = store_.as_int(d.start) && store_.as_int(d.stop) && store_.as_int(d.step);
  const bool parallel = d.kind == ir::ForKind::Parallel;
  const bool manual = !scopes_.empty() && scopes_.back().manual;
  const std::uint64_t trips = trip_count(start, stop, stride);

  LoopCarry carry;
  carry.iter_args = store_.list<VarId>(d.iter_args);
  carry.results = store_.list<VarId>(d.result_vars);
  carry.ids.resize(carry.results.size());
  carry.fixed = constant;
  std::vector<Value> inits;
  for (std::uint32_t i = 0; i < d.inits.count; ++i) inits.push_back(evaluate(store_.at<ExprId>(d.inits, i)));
  for (std::size_t i = 0; i < carry.iter_args.size(); ++i) {
    const bool task_scalar = is_task_scalar(store_, carry.iter_args[i]);
    bool named = edge_vars_.contains(carry.results[i].value);
    // A loop around this one may name the result through its own yield.
    named = named || edge_vars_.contains(carry.iter_args[i].value) || (!edge_vars_.empty() && !iteration_.empty());
    carry.collect.push_back(named || (task_scalar && parallel && manual));
    bind_carry(carry.iter_args[i], inits[i], manual);
  }
  std::vector<VarId> barriers;
  if (constant && trips > 1 && !edge_vars_.empty()) compress_edges(id, trips, barriers);

  const std::vector<ExprId> yields = trailing_yield(d.body);
  iteration_.push_back(0);
  std::int64_t counter = start;
  for (std::uint64_t i = 0; i < trips; ++i) {
    step(at);
    iteration_.back() = static_cast<std::uint32_t>(i);
    if (i != 0) counter += stride;
    assign(d.counter, number(counter));
    block(d.body);
    if (left_) break;
    const bool leave = broke_;
    const bool skip = continued_;
    broke_ = continued_ = false;
    if (leave) break;
    if (skip) continue;  // the yield was not reached: what is carried stays as it is
    collect(carry, yields);
    std::vector<Value> next;
    next.reserve(yields.size());
    for (const ExprId y : yields) next.push_back(evaluate(y));
    for (std::size_t k = 0; k < carry.iter_args.size() && k < next.size(); ++k) {
      // In a parallel loop every iteration waits for the initial id only (P19).
      if (parallel && is_task_scalar(store_, carry.iter_args[k])) continue;
      bind_carry(carry.iter_args[k], next[k], manual);
    }
    temporaries_.clear();
  }
  iteration_.pop_back();
  for (const VarId v : barriers) barriers_.erase(v.value);
  if (left_) return;
  finish_carry(carry, d.result_vars, parallel, constant, at);
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
  LoopCarry carry;
  carry.iter_args = store_.list<VarId>(d.iter_args);
  carry.results = store_.list<VarId>(d.result_vars);
  carry.ids.resize(carry.results.size());
  carry.collect.assign(carry.results.size(), false);
  std::vector<Value> inits;
  for (std::uint32_t i = 0; i < d.inits.count; ++i) inits.push_back(evaluate(store_.at<ExprId>(d.inits, i)));
  for (std::size_t i = 0; i < carry.iter_args.size(); ++i) assign(carry.iter_args[i], inits[i]);
  const std::vector<ExprId> yields = trailing_yield(d.body);
  iteration_.push_back(0);
  while (truth(d.cond, "this condition")) {
    if (iteration_.back() == 1 && is_endless(id)) break;
    step(at);
    block(d.body);
    if (left_) break;
    const bool leave = broke_;
    const bool skip = continued_;
    broke_ = continued_ = false;
    if (leave) break;
    std::vector<Value> next;
    next.reserve(yields.size());
    if (skip) {
      ++iteration_.back();
      continue;
    }
    for (const ExprId y : yields) next.push_back(evaluate(y));
    for (std::size_t k = 0; k < carry.iter_args.size() && k < next.size(); ++k) assign(carry.iter_args[k], next[k]);
    ++iteration_.back();
    temporaries_.clear();
  }
  iteration_.pop_back();
  if (!left_) finish_carry(carry, d.result_vars, false, false, at);
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
  if (!model_.begin_scope(d.manual, owner))
    not_modelled(at, "scope", "an AUTO scope inside a MANUAL scope ends the run with error 5");
  scopes_.push_back({next_scope_++, d.manual});
  if (d.manual) {
    statements(d.body);
  } else {
    block(d.body);
  }
  scopes_.pop_back();
  model_.end_scope();
}

RunResult run_program(const ir::Program& program, const ProgramInput& input, const RunHost& host, runtime::Model& model) {
  return Interpreter(program, input, host, model).run();
}

}  // namespace depscope::execute
