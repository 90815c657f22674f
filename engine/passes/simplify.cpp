// Simplify (passes.md, section 3): folding, constant scalars, decided branches, loops of no or one trip, unused values.
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/pass/pass.h"
#include "expr_rewriter.h"
#include "folding.h"
#include "loop_exits.h"
#include "not_modelled.h"
#include "trailing_yield.h"
#include "unused_values.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::ForData;
using ir::ForKind;
using ir::Function;
using ir::IfData;
using ir::NodeStore;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;
using ir::WhileData;

/// A start expression larger than this is not copied to the uses of its loop variable.
constexpr std::uint32_t kMaxCopiedNodes = 16;

/// Folding and collapsing of one function; removing unused values comes after it.
class Simplifier final : public ExprRewriter {
 public:
  Simplifier(NodeStore& store, const Function& function);

  Range run(const Function& function) {
    std::vector<StmtId> out;
    const bool changed = body(function.body, out);
    return changed ? store_.make_list(out) : function.body;
  }

 protected:
  ExprId var(ExprId reference, VarId variable) override {
    const auto it = replacement_.find(variable);
    return it == replacement_.end() ? reference : it->second;
  }
  // Runs share their lists: what was looked at once is looked at again only when there are new replacements.
  bool leaves(const ir::VarRun& run) override {
    if (seen_replacements_ != replacement_.size()) seen_.clear();
    seen_replacements_ = replacement_.size();
    return seen_.each_new(store_, run, [&](VarId var, std::uint32_t) { return !replacement_.contains(var); });
  }
  ExprId finish(ExprId id) override { return in_memref_ ? folder_.fold_constants(id) : folder_.fold(id); }
  /// The address of a MemRef keeps its shape; only what became constant is folded.
  ExprId type_extra(ExprId id) override {
    in_memref_ = type_memref_call(id);
    const ExprId out = expr(id);
    in_memref_ = false;
    return out;
  }

 private:
  /// Appends the simplified statements; true if anything changed.
  bool body(Range body, std::vector<StmtId>& out);
  void statement(StmtId id, std::vector<StmtId>& out);
  void assign(StmtId id, std::vector<StmtId>& out);
  void if_statement(StmtId id, std::vector<StmtId>& out);
  void for_statement(StmtId id, std::vector<StmtId>& out);
  void while_statement(StmtId id, std::vector<StmtId>& out);
  void scope(StmtId id, std::vector<StmtId>& out);
  Range region(Range body);
  /// Makes `value` the meaning of `variable`: by replacing its uses where that is safe, else by an assignment. An expression is
  /// copied to the uses only with `copy_expression`.
  void bind(VarId variable, ExprId value, std::vector<StmtId>& out, bool copy_expression = false);
  [[nodiscard]] bool assigned_once(VarId variable) const { return assignments_[variable.value] <= 1; }
  [[nodiscard]] bool type_memref_call(ExprId id) const {
    const ExprId call = store_.expr(id).kind == ExprKind::Subscript ? ExprId(store_.expr(id).a) : id;
    return store_.expr(call).kind == ExprKind::Call && store_.callee(call) == "MemRef";
  }

  Folder folder_;
  std::vector<std::uint32_t> assignments_;  ///< by VarId: definitions in the function
  ir::SeenRuns seen_;                       ///< variables without one of the first seen_replacements_ replacements
  std::size_t seen_replacements_ = 0;
  std::unordered_map<VarId, ExprId> replacement_;
  std::uint32_t region_depth_ = 0;  ///< enclosing loops and branches
  bool in_memref_ = false;
};

Simplifier::Simplifier(NodeStore& store, const Function& function)
    : ExprRewriter(store), folder_(store), assignments_(store.var_count(), 0) {
  const auto define = [&](VarId var) {
    if (var.valid()) ++assignments_[var.value];
  };
  const auto define_all = [&](Range vars) {
    for (std::uint32_t i = 0; i < vars.count; ++i) define(store.at<VarId>(vars, i));
  };
  for (const ir::Param& p : function.params) define(p.var);
  ir::for_each_stmt(store, function.body, [&](StmtId id) {
    switch (store.stmt(id).kind) {
      case StmtKind::Assign: define(VarId(store.stmt(id).a)); break;
      case StmtKind::If: define_all(store.if_data(id).result_vars); break;
      case StmtKind::For:
        define(store.for_data(id).counter);
        define_all(store.for_data(id).iter_args);
        define_all(store.for_data(id).result_vars);
        break;
      case StmtKind::While:
        define_all(store.while_data(id).iter_args);
        define_all(store.while_data(id).result_vars);
        break;
      case StmtKind::Scope:
        define(store.scope_data(id).as_var);
        define(store.scope_data(id).loop_var);
        break;
      default: break;
    }
  });
  folder_.ignore_reassigned(assignments_);
  // An index is a size or a position: the compiler takes it as not negative.
  for (const ir::Param& p : function.params) {
    if (assigned_once(p.var) && is_scalar(store, p.type, ir::DType::Index)) folder_.learn(p.var, {0, Interval::kMax});
  }
}

bool Simplifier::body(Range body, std::vector<StmtId>& out) {
  out.reserve(out.size() + body.count);
  const std::size_t first = out.size();
  for (std::uint32_t i = 0; i < body.count; ++i) statement(store_.at<StmtId>(body, i), out);
  if (out.size() - first != body.count) return true;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    if (out[first + i] != store_.at<StmtId>(body, i)) return true;
  }
  return false;
}

Range Simplifier::region(Range old) {
  const std::size_t mark = folder_.mark();
  ++region_depth_;
  std::vector<StmtId> out;
  const bool changed = body(old, out);
  --region_depth_;
  folder_.forget(mark);
  return changed ? store_.make_list(out) : old;
}

void Simplifier::statement(StmtId id, std::vector<StmtId>& out) {
  Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: assign(id, out); return;
    case StmtKind::Eval: {
      const ExprId value = expr(ExprId(s.a));
      out.push_back(value.value == s.a ? id : store_.make_eval(value, s.span, s.comments));
      return;
    }
    case StmtKind::Return:
    case StmtKind::Yield: {
      const Range values = exprs(Range{s.a, s.b});
      if (values == Range{s.a, s.b}) {
        out.push_back(id);
        return;
      }
      s.a = values.begin;
      s.b = values.count;
      out.push_back(store_.make_stmt(s));
      return;
    }
    case StmtKind::If: if_statement(id, out); return;
    case StmtKind::For: for_statement(id, out); return;
    case StmtKind::While: while_statement(id, out); return;
    case StmtKind::Scope: scope(id, out); return;
    default: out.push_back(id); return;
  }
}

void Simplifier::assign(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const VarId target(s.a);
  const ExprId value = expr(ExprId(s.b));
  const TypeId new_type = type(s.type);
  const bool same = value.value == s.b && new_type == s.type;
  out.push_back(same ? id : store_.make_assign(target, value, new_type, s.span, s.comments));
  const TypeId of_target = new_type.valid() ? new_type : store_.var(target).type;
  if (!assigned_once(target) || !of_target.valid() || store_.type(of_target).kind != TypeKind::Scalar) return;
  if (region_depth_ == 0 && folder_.is_constant(value)) {
    replacement_[target] = value;
  } else if (const Interval range = folder_.interval(value); range.known()) {
    folder_.learn(target, range);
  }
}

void Simplifier::bind(VarId variable, ExprId value, std::vector<StmtId>& out, bool copy_expression) {
  bool simple = folder_.is_constant(value) || store_.is_var(value) ||
                (copy_expression && !has_call(store_, value) && is_small(store_, value, kMaxCopiedNodes));
  for_each_var(store_, value, [&](VarId v) { simple = simple && assigned_once(v); });
  if (simple && assigned_once(variable)) {
    replacement_[variable] = value;
    return;
  }
  out.push_back(store_.make_assign(variable, value, store_.var(variable).type, store_.expr(value).span));
}

void Simplifier::if_statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const IfData old = store_.if_data(id);
  IfData d = old;
  d.cond = expr(old.cond);
  if (const auto taken = folder_.truth(d.cond)) {
    std::vector<StmtId> kept;
    body(*taken ? old.then_body : old.else_body, kept);
    const std::vector<VarId> results = store_.list<VarId>(old.result_vars);
    std::vector<ExprId> values;
    if (!results.empty()) values = take_yield(store_, kept).value_or(std::vector<ExprId>{});
    out.insert(out.end(), kept.begin(), kept.end());
    for (std::size_t i = 0; i < results.size() && i < values.size(); ++i) bind(results[i], values[i], out);
    return;
  }
  const std::size_t mark = folder_.mark();
  folder_.assume(d.cond, true);
  d.then_body = region(old.then_body);
  folder_.forget(mark);
  folder_.assume(d.cond, false);
  d.else_body = region(old.else_body);
  folder_.forget(mark);
  const bool same = d.cond == old.cond && d.then_body == old.then_body && d.else_body == old.else_body;
  out.push_back(same ? id : store_.make_if(d, s.span, s.comments));
}

void Simplifier::for_statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const ForData old = store_.for_data(id);
  ForData d = old;
  d.start = expr(old.start);
  d.stop = expr(old.stop);
  d.step = expr(old.step);
  d.stage = expr(old.stage);
  d.attrs = pairs(old.attrs);
  d.inits = exprs(old.inits);

  const auto trip = folder_.difference(d.start, d.stop);  // stop - start, if it is known
  const Interval step = folder_.interval(d.step);
  if (d.kind == ForKind::Range && d.attrs.empty() && step.low >= 1 && d.iter_args.count == d.inits.count) {
    const std::vector<VarId> results = store_.list<VarId>(old.result_vars);
    const std::vector<ExprId> inits = store_.list<ExprId>(d.inits);
    const Interval start_range = folder_.interval(d.start);
    const Interval stop_range = folder_.interval(d.stop);
    const bool none = (trip && *trip <= 0) || (stop_range.high != Interval::kMax && stop_range.high <= start_range.low);
    if (none && results.size() == inits.size()) {
      for (std::size_t i = 0; i < results.size(); ++i) {
        out.push_back(store_.make_assign(results[i], inits[i], store_.var(results[i]).type, s.span));
      }
      return;
    }
    if (trip && *trip > 0 && *trip <= step.low && !break_or_continue(store_, old.body).valid() &&
        !nested_return(store_, old.body).valid() && results.size() == inits.size() && !has_call(store_, d.start)) {
      bind(old.counter, d.start, out, true);
      const std::vector<VarId> iter_args = store_.list<VarId>(old.iter_args);
      for (std::size_t i = 0; i < iter_args.size(); ++i) bind(iter_args[i], inits[i], out);
      std::vector<StmtId> kept;
      body(old.body, kept);
      std::vector<ExprId> values;
      if (!results.empty()) values = take_yield(store_, kept).value_or(std::vector<ExprId>{});
      out.insert(out.end(), kept.begin(), kept.end());
      for (std::size_t i = 0; i < results.size() && i < values.size(); ++i) bind(results[i], values[i], out);
      return;
    }
  }

  const std::size_t mark = folder_.mark();
  const auto start = store_.as_int(d.start);
  const auto stop = store_.as_int(d.stop);
  if (start && stop && *start < *stop && step.low >= 1) folder_.learn(old.counter, {*start, *stop - 1});
  d.body = region(old.body);
  folder_.forget(mark);
  const bool same = d.start == old.start && d.stop == old.stop && d.step == old.step && d.stage == old.stage &&
                    d.attrs == old.attrs && d.inits == old.inits && d.body == old.body;
  out.push_back(same ? id : store_.make_for(d, s.span, s.comments));
}

void Simplifier::while_statement(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const WhileData old = store_.while_data(id);
  WhileData d = old;
  d.inits = exprs(old.inits);
  d.cond = expr(old.cond);
  d.body = region(old.body);
  const bool same = d.inits == old.inits && d.cond == old.cond && d.body == old.body;
  out.push_back(same ? id : store_.make_while(d, s.span, s.comments));
}

void Simplifier::scope(StmtId id, std::vector<StmtId>& out) {
  const Stmt s = store_.stmt(id);
  const ScopeData old = store_.scope_data(id);
  ScopeData d = old;
  d.header = expr(old.header);
  d.attrs = pairs(old.attrs);
  std::vector<StmtId> kept;
  if (body(old.body, kept)) d.body = store_.make_list(kept);
  const bool same = d.header == old.header && d.attrs == old.attrs && d.body == old.body;
  out.push_back(same ? id : store_.make_scope(d, s.span, s.comments));
}

class SimplifyPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "Simplify"; }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink&) const override {
    Program out = program;
    NodeStore& store = *program.store;
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (is_opaque(store, program.functions[f])) continue;  // ConvertToSSA tells of it
      Function& function = out.functions[f];
      function.body = Simplifier(store, function).run(function);
      function.body = remove_unused_scalars(store, function);
      function.body = remove_unused_if_results(store, function);
      function.body = remove_unused_scalars(store, function);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> Simplify() { return std::make_unique<SimplifyPass>(); }

}  // namespace depscope::pass
