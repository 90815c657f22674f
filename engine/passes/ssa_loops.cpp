// Loops of the conversion to SSA form: what they carry, and with which start values.
#include <algorithm>
#include <string>

#include "depscope/base/diagnostics.h"
#include "loop_exits.h"
#include "property_verifiers.h"
#include "ssa_converter.h"
#include "trailing_yield.h"

namespace depscope::pass {

using ir::ExprId;
using ir::ForData;
using ir::Param;
using ir::ParamDirection;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;
using ir::WhileData;

void SsaConverter::collect_variables() {
  std::vector<VarId> all = assigned_variables(store_, function_->body);
  for (const Param& p : function_->params) all.push_back(p.var);
  ir::for_each_stmt(store_, function_->body, [&](StmtId id) {
    if (store_.stmt(id).kind == StmtKind::For) {
      const ForData d = store_.for_data(id);
      all.push_back(d.counter);
      for (const VarId v : store_.list<VarId>(d.iter_args)) all.push_back(v);
    } else if (store_.stmt(id).kind == StmtKind::While) {
      for (const VarId v : store_.list<VarId>(store_.while_data(id).iter_args)) all.push_back(v);
    }
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const VarId v : all) variables_of_type_[store_.var(v).type].push_back(v);
}

/// Start value of a variable that is first assigned in the loop: a value of the same type that is already there. It is never
/// read, unless the loop runs zero times. An id without any such value starts as the invalid one.
ExprId SsaConverter::escaping_init(VarId variable, StmtId loop, std::vector<StmtId>& out) {
  const TypeId wanted = store_.var(variable).type;
  if (wanted.valid() && store_.type(wanted).kind != TypeKind::Unknown) {
    for (const Param& p : function_->params) {
      if (p.direction != ParamDirection::In && p.type == wanted && lookup(p.var).valid())
        return store_.make_var_ref(lookup(p.var));
    }
    if (variables_of_type_.empty()) collect_variables();
    for (const VarId source : variables_of_type_[wanted]) {
      if (lookup(source).valid()) return store_.make_var_ref(lookup(source));
    }
  }
  const Span span = store_.stmt(loop).span;
  if (is_task_id(store_, wanted)) {
    ir::Call invalid;
    invalid.callee = store_.names.intern("system.task_invalid");
    const ExprId value = store_.make_call(invalid, wanted, span);
    const VarId start = make_version(variable, "ssa", wanted);
    out.push_back(store_.make_assign(start, value, wanted, span));
    return store_.make_var_ref(start);
  }
  const std::string name(store_.name(variable));
  throw InputError(error_at(program_, store_.var(variable).span.known() ? store_.var(variable).span : span,
                            "'" + name + "' is used behind the loop at line " + std::to_string(program_.line(span)) +
                                " but assigned only inside it, and no value of its type exists before the loop: assign '" + name +
                                "' before the loop"));
}

SsaConverter::Carried SsaConverter::find_carried(StmtId loop, Range body, Range iter_args, VarId counter,
                                                 std::vector<StmtId>& before) {
  Carried out;
  std::vector<VarId> own = store_.list<VarId>(iter_args);
  own.push_back(counter);
  const auto is_own = [&](VarId v) { return is_unshadowed(v) || std::find(own.begin(), own.end(), v) != own.end(); };
  for (const VarId v : assigned_variables(store_, body)) {
    if (lookup(v).valid() && !is_own(v)) out.variables.push_back(v);
  }
  const auto order = [&](VarId a, VarId b) { return by_name(a, b); };
  std::sort(out.variables.begin(), out.variables.end(), order);
  const auto carried = static_cast<std::ptrdiff_t>(out.variables.size());
  if (const std::vector<VarId>* needed = escaping_->of(loop)) {
    for (const VarId v : *needed) {
      if (!lookup(v).valid() && !is_own(v)) out.variables.push_back(v);
    }
    std::sort(out.variables.begin() + carried, out.variables.end(), order);
  }
  for (const VarId v : out.variables) {
    const VarId now = lookup(v);
    out.inits.push_back(now.valid() ? store_.make_var_ref(now) : escaping_init(v, loop, before));
    const TypeId t = now.valid() ? store_.var(now).type : type(store_.var(v).type);
    out.iter_args.push_back(make_version(v, "iter", t));
    out.results.push_back(make_version(v, "rv", t));
  }
  return out;
}

/// The yield stands at the end of the body; what a break or continue would hand on has no place in this form.
void SsaConverter::report_early_exit(StmtId loop, Range body, bool carries) {
  using ir::FunctionKind;
  const FunctionKind kind = function_->kind;
  const StmtId exit = carries ? break_or_continue(store_, body) : StmtId();
  if (!exit.valid() || kind == FunctionKind::InCore || kind == FunctionKind::Aic || kind == FunctionKind::Aiv) return;
  const std::string word = store_.stmt(exit).kind == StmtKind::Break ? "break" : "continue";
  sink_.notice({.function = index_,
                .name = "not_modelled",
                .message = word + " in a loop that carries values, line " +
                           std::to_string(program_.line(store_.stmt(exit).span)) +
                           ": values assigned in the same iteration before it are not carried",
                .where = loop});
}

void SsaConverter::enter(const Carried& carried) {
  for (std::size_t i = 0; i < carried.variables.size(); ++i) set(carried.variables[i], carried.iter_args[i]);
}

void SsaConverter::leave(const Carried& carried, std::size_t mark, Range old_results, std::vector<VarId>& results) {
  roll_back(mark);
  for (const VarId source : store_.list<VarId>(old_results)) {
    results.push_back(keep_name(source));
    set(source, results.back());
  }
  for (std::size_t i = 0; i < carried.variables.size(); ++i) {
    results.push_back(carried.results[i]);
    set(carried.variables[i], carried.results[i]);
  }
}

std::vector<ExprId> SsaConverter::current_values(const std::vector<VarId>& variables) {
  std::vector<ExprId> out;
  out.reserve(variables.size());
  for (const VarId v : variables) out.push_back(store_.make_var_ref(lookup(v)));
  return out;
}

StmtId SsaConverter::for_statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const ForData old = store_.for_data(id);
  ForData d = old;
  d.start = expr(old.start);
  d.stop = expr(old.stop);
  d.step = expr(old.step);
  d.stage = expr(old.stage);
  d.attrs = pairs(old.attrs);
  std::vector<ExprId> inits;
  for (const ExprId init : store_.list<ExprId>(old.inits)) inits.push_back(expr(init));
  const Carried carried = find_carried(id, old.body, old.iter_args, old.counter, out);
  report_early_exit(id, old.body, !carried.variables.empty() || !old.iter_args.empty());

  const std::size_t mark = trail_.size();
  d.counter = make_version(old.counter, "idx", type(store_.var(old.counter).type));
  set(old.counter, d.counter);
  std::vector<VarId> iter_args;
  for (const VarId source : store_.list<VarId>(old.iter_args)) {
    iter_args.push_back(keep_name(source));
    set(source, iter_args.back());
  }
  const std::vector<VarId> outer_iter_args = enter_iter_args(old.iter_args);
  enter(carried);
  std::vector<StmtId> loop_body = body(old.body);
  extend_yield(store_, loop_body, current_values(carried.variables), false);
  std::vector<VarId> results;
  leave(carried, mark, old.result_vars, results);
  leave_iter_args(old.iter_args, outer_iter_args);

  inits.insert(inits.end(), carried.inits.begin(), carried.inits.end());
  iter_args.insert(iter_args.end(), carried.iter_args.begin(), carried.iter_args.end());
  d.inits = store_.make_list(inits);
  d.iter_args = store_.make_list(iter_args);
  d.result_vars = store_.make_list(results);
  d.body = store_.make_list(loop_body);
  return store_.make_for(d, s.span, s.comments);
}

StmtId SsaConverter::while_statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const WhileData old = store_.while_data(id);
  WhileData d = old;
  std::vector<ExprId> inits;
  for (const ExprId init : store_.list<ExprId>(old.inits)) inits.push_back(expr(init));
  const Carried carried = find_carried(id, old.body, old.iter_args, VarId(), out);
  report_early_exit(id, old.body, !carried.variables.empty() || !old.iter_args.empty());

  const std::size_t mark = trail_.size();
  std::vector<VarId> iter_args;
  for (const VarId source : store_.list<VarId>(old.iter_args)) {
    iter_args.push_back(keep_name(source));
    set(source, iter_args.back());
  }
  const std::vector<VarId> outer_iter_args = enter_iter_args(old.iter_args);
  enter(carried);
  d.cond = expr(old.cond);
  std::vector<StmtId> loop_body = body(old.body);
  extend_yield(store_, loop_body, current_values(carried.variables), false);
  std::vector<VarId> results;
  leave(carried, mark, old.result_vars, results);
  leave_iter_args(old.iter_args, outer_iter_args);

  inits.insert(inits.end(), carried.inits.begin(), carried.inits.end());
  iter_args.insert(iter_args.end(), carried.iter_args.begin(), carried.iter_args.end());
  d.inits = store_.make_list(inits);
  d.iter_args = store_.make_list(iter_args);
  d.result_vars = store_.make_list(results);
  d.body = store_.make_list(loop_body);
  return store_.make_while(d, s.span, s.comments);
}

}  // namespace depscope::pass
