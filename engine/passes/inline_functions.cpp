// InlineFunctions: a call of an Inline function becomes a copy of its body; the function itself goes. Locals of the copy are
// named `<name>_inline<k>`, k counting over the whole program.
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "clone_statements.h"
#include "depscope/pass/pass.h"
#include "escaping.h"
#include "not_modelled.h"

namespace depscope::pass {
namespace {

using ir::CallForm;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::ForData;
using ir::Function;
using ir::FunctionKind;
using ir::IfData;
using ir::NodeStore;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using ir::WhileData;

/// Inline functions may call each other this deep.
constexpr int kMaxInlineRounds = 64;
constexpr std::uint64_t kMaxInlinedStatements = 1'000'000;
/// An argument larger than this gets a local instead of being copied to the uses of its parameter.
constexpr std::uint32_t kMaxCopiedNodes = 32;
/// Blocks and operators inside one another after inlining; the passes behind it recurse over nesting.
constexpr int kMaxInlinedNesting = 1000;

[[noreturn]] void fail(const Program& program, Span span, const std::string& message) {
  if (program.source) throw InputError(program.source->diagnostic(Severity::Error, span.begin, message));
  Diagnostic plain;
  plain.message = message;
  throw InputError(plain);
}

/// All variables a body defines, each once, in order of their definition: what must be renamed in a copy.
std::vector<VarId> local_variables(const NodeStore& store, Range body) {
  std::vector<VarId> out;
  std::unordered_set<VarId> seen;
  const auto add = [&](VarId var) {
    if (var.valid() && seen.insert(var).second) out.push_back(var);
  };
  const auto add_all = [&](Range vars) {
    for (std::uint32_t i = 0; i < vars.count; ++i) add(store.at<VarId>(vars, i));
  };
  ir::for_each_stmt(store, body, [&](StmtId id) {
    switch (store.stmt(id).kind) {
      case StmtKind::Assign: add(VarId(store.stmt(id).a)); break;
      case StmtKind::If: add_all(store.if_data(id).result_vars); break;
      case StmtKind::For:
        add(store.for_data(id).counter);
        add_all(store.for_data(id).iter_args);
        add_all(store.for_data(id).result_vars);
        break;
      case StmtKind::While:
        add_all(store.while_data(id).iter_args);
        add_all(store.while_data(id).result_vars);
        break;
      case StmtKind::Scope:
        add(store.scope_data(id).as_var);
        add(store.scope_data(id).loop_var);
        break;
      default: break;
    }
  });
  return out;
}

bool deeper_than(const NodeStore& store, ExprId id, int budget) {
  if (!id.valid()) return false;
  const ExprKind kind = store.expr(id).kind;
  if (kind == ExprKind::Var || kind == ExprKind::Int || kind == ExprKind::Name) return budget < 1;
  if (budget < 1) return true;
  for (const ExprId child : ir::children(store, id)) {
    if (deeper_than(store, child, budget - 1)) return true;
  }
  return false;
}

bool deeper_than(const NodeStore& store, Range body, int budget) {
  if (body.empty()) return false;
  if (budget < 1) return true;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store.at<StmtId>(body, i);
    for (const ExprId e : ir::expressions(store, id)) {
      if (deeper_than(store, e, budget)) return true;
    }
    bool deep = false;
    switch (store.stmt(id).kind) {
      case StmtKind::If:
        deep = deeper_than(store, store.if_data(id).then_body, budget - 1) ||
               deeper_than(store, store.if_data(id).else_body, budget - 1);
        break;
      case StmtKind::For: deep = deeper_than(store, store.for_data(id).body, budget - 1); break;
      case StmtKind::While: deep = deeper_than(store, store.while_data(id).body, budget - 1); break;
      case StmtKind::Scope: deep = deeper_than(store, store.scope_data(id).body, budget - 1); break;
      default: break;
    }
    if (deep) return true;
  }
  return false;
}

/// State shared by all functions of one run.
struct InlineState {
  std::unordered_map<NameId, const Function*> inlined;  ///< Inline functions by name
  std::unordered_set<NameId> still_called;              ///< of which a call could not be replaced
  std::uint32_t next_local = 0;
  std::uint64_t statements = 0;
};

/// One round over one function: the calls that stand in it now are replaced, calls in the copies are left to the next round.
class Inliner final : public ExprRewriter {
 public:
  Inliner(const Program& program, FunctionIndex function, InlineState& state, DecisionSink& sink)
      : ExprRewriter(*program.store), program_(program), function_(function), state_(state), sink_(sink) {}

  Range body(Range body);
  [[nodiscard]] bool changed() const { return replaced_ != 0; }

 protected:
  ExprId var(ExprId reference, VarId) override { return reference; }
  ExprId finish(ExprId id) override;

 private:
  StmtId statement(StmtId id, bool& drop);
  ExprId inline_call(ExprId call_expr, const Function& callee);
  VarId make_local(VarId of);

  const Program& program_;
  FunctionIndex function_;
  InlineState& state_;
  DecisionSink& sink_;
  std::vector<StmtId>* out_ = nullptr;
  std::unordered_map<VarId, std::vector<ExprId>> tuples_;  ///< variables bound to the results of an inlined call
  std::uint32_t replaced_ = 0;
};

VarId Inliner::make_local(VarId of) {
  const ir::Var v = store_.var(of);
  const std::string name = std::string(store_.text(v.name)) + "_inline" + std::to_string(state_.next_local++);
  return store_.make_var(store_.names.intern(name), v.type, v.span);
}

ExprId Inliner::finish(ExprId id) {
  const Expr e = store_.expr(id);
  if (e.kind == ExprKind::TupleGet) {
    const Expr tuple = store_.expr(ExprId(e.a));
    if (tuple.kind == ExprKind::Tuple && e.b < tuple.b) return store_.at<ExprId>(Range{tuple.a, tuple.b}, e.b);
    if (tuple.kind == ExprKind::Var) {
      const auto it = tuples_.find(VarId(tuple.a));
      if (it != tuples_.end() && e.b < it->second.size()) return it->second[e.b];
    }
    return id;
  }
  if (e.kind != ExprKind::Call || store_.call(id).form != CallForm::Function) return id;
  const auto it = state_.inlined.find(store_.call(id).callee);
  return it == state_.inlined.end() ? id : inline_call(id, *it->second);
}

/// Emits a copy of the callee's body and returns its result: an expression, a Tuple of several, or none.
ExprId Inliner::inline_call(ExprId call_expr, const Function& callee) {
  const Span span = store_.expr(call_expr).span;
  const std::vector<ExprId> args = store_.list<ExprId>(store_.call(call_expr).args);
  const std::string name(store_.text(callee.name));
  if (args.size() != callee.params.size()) {
    fail(program_, span,
         "inline function '" + name + "' takes " + std::to_string(callee.params.size()) + " arguments, the call gives " +
             std::to_string(args.size()));
  }
  std::vector<StmtId> statements = store_.list<StmtId>(callee.body);
  std::vector<ExprId> results;
  bool early_return = is_opaque(store_, callee);
  std::uint64_t size = 0;
  ir::for_each_stmt(store_, callee.body, [&](StmtId id) {
    ++size;
    early_return |= store_.stmt(id).kind == StmtKind::Return && id != statements.back();
  });
  if (early_return) {
    state_.still_called.insert(callee.name);
    sink_.notice({.function = function_,
                  .name = "not_modelled",
                  .message = "call of inline function '" + name + "' stays: its body returns early or is not understood, line " +
                             std::to_string(program_.line(span)),
                  .where = {}});
    return call_expr;
  }
  state_.statements += size;
  if (state_.statements > kMaxInlinedStatements) {
    fail(program_, span,
         "inlining gives more than " + std::to_string(kMaxInlinedStatements) + " statements (limit of InlineFunctions)");
  }
  ++replaced_;

  StatementCloner cloner(store_);
  const std::vector<VarId> locals = local_variables(store_, callee.body);
  const std::unordered_set<VarId> assigned(locals.begin(), locals.end());
  for (std::size_t i = 0; i < args.size(); ++i) {
    const VarId param = callee.params[i].var;
    if (assigned.count(param) == 0 && !has_call(store_, args[i]) && is_small(store_, args[i], kMaxCopiedNodes)) {
      cloner.replace(param, args[i]);
      continue;
    }
    const VarId local = make_local(param);
    out_->push_back(store_.make_assign(local, args[i], store_.var(param).type, span));
    cloner.rename(param, local);
  }
  const auto is_param = [&](VarId v) {
    for (const ir::Param& p : callee.params) {
      if (p.var == v) return true;
    }
    return false;
  };
  for (const VarId v : locals) {
    if (!is_param(v)) cloner.rename(v, make_local(v));
  }
  if (!statements.empty() && store_.stmt(statements.back()).kind == StmtKind::Return) {
    const Stmt last = store_.stmt(statements.back());
    statements.pop_back();
    results = store_.list<ExprId>(Range{last.a, last.b});
  }
  for (const StmtId id : statements) out_->push_back(cloner.statement(id));
  for (ExprId& r : results) r = cloner.expr(r);
  if (results.empty()) return {};
  if (results.size() == 1) return results[0];
  const Range list = store_.make_list(results);
  return store_.make_expr(
      {.kind = ExprKind::Tuple, .type = store_.expr(call_expr).type, .span = span, .a = list.begin, .b = list.count});
}

Range Inliner::body(Range body) {
  std::vector<StmtId> out;
  out.reserve(body.count);
  std::vector<StmtId>* const outer = out_;
  bool changed = false;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    out_ = &out;
    bool drop = false;
    const StmtId now = statement(id, drop);
    changed |= now != id || drop;
    if (!drop) out.push_back(now);
  }
  out_ = outer;
  return changed ? store_.make_list(out) : body;
}

StmtId Inliner::statement(StmtId id, bool& drop) {
  Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: {
      const ExprId value = expr(ExprId(s.b));
      if (value.value == s.b) return id;
      if (!value.valid()) fail(program_, s.span, "the inline function called here returns nothing");
      const Expr e = store_.expr(value);
      if (e.kind == ExprKind::Tuple) {
        // The results may be read later than here: what is not a copy's own local gets one.
        std::vector<ExprId> items = store_.list<ExprId>(Range{e.a, e.b});
        const bool parser_temporary = store_.name(VarId(s.a)).starts_with("_tuple_tmp");
        for (ExprId& item : items) {
          const ExprKind kind = store_.expr(item).kind;
          if (parser_temporary || kind == ExprKind::Int || kind == ExprKind::Float || kind == ExprKind::Bool) continue;
          const VarId local = make_local(VarId(s.a));
          out_->push_back(store_.make_assign(local, item, store_.expr(item).type, s.span));
          item = store_.make_var_ref(local, s.span);
        }
        tuples_[VarId(s.a)] = std::move(items);
        drop = true;
        return id;
      }
      return store_.make_assign(VarId(s.a), value, s.type, s.span, s.comments);
    }
    case StmtKind::Eval: {
      const ExprId value = expr(ExprId(s.a));
      if (value.value == s.a) return id;
      if (!value.valid() || !has_call(store_, value)) {
        drop = true;
        return id;
      }
      return store_.make_eval(value, s.span, s.comments);
    }
    case StmtKind::Return:
    case StmtKind::Yield: {
      const Range old{s.a, s.b};
      const Range values = exprs(old);
      if (values == old) return id;
      if (old.count == 1 && store_.expr(store_.at<ExprId>(values, 0)).kind == ExprKind::Tuple) {
        const Expr tuple = store_.expr(store_.at<ExprId>(values, 0));
        s.a = tuple.a;
        s.b = tuple.b;
      } else {
        s.a = values.begin;
        s.b = values.count;
      }
      return store_.make_stmt(s);
    }
    case StmtKind::If: {
      const IfData old = store_.if_data(id);
      IfData d = old;
      d.cond = expr(old.cond);
      d.then_body = body(old.then_body);
      d.else_body = body(old.else_body);
      if (d.cond == old.cond && d.then_body == old.then_body && d.else_body == old.else_body) return id;
      return store_.make_if(d, s.span, s.comments);
    }
    case StmtKind::For: {
      const ForData old = store_.for_data(id);
      ForData d = old;
      d.start = expr(old.start);
      d.stop = expr(old.stop);
      d.step = expr(old.step);
      d.inits = exprs(old.inits);
      d.body = body(old.body);
      if (d.start == old.start && d.stop == old.stop && d.step == old.step && d.inits == old.inits && d.body == old.body)
        return id;
      return store_.make_for(d, s.span, s.comments);
    }
    case StmtKind::While: {
      WhileData d = store_.while_data(id);
      const Range inits = exprs(d.inits);
      const Range inner = body(d.body);
      if (inits == d.inits && inner == d.body) return id;
      d.inits = inits;
      d.body = inner;
      return store_.make_while(d, s.span, s.comments);
    }
    case StmtKind::Scope: {
      ScopeData d = store_.scope_data(id);
      const Range inner = body(d.body);
      if (inner == d.body) return id;
      d.body = inner;
      return store_.make_scope(d, s.span, s.comments);
    }
    default: return id;
  }
}

class InlineFunctionsPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "InlineFunctions"; }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink& sink) const override {
    Program out = program;
    InlineState state;
    for (const Function& f : program.functions) {
      if (f.kind == FunctionKind::Inline) state.inlined.emplace(f.name, &f);
    }
    if (state.inlined.empty()) return out;
    // Bodies of Inline functions are expanded too, although they go in the end: it keeps the numbers of locals in step.
    std::vector<FunctionIndex> order;
    for (const bool inlined : {false, true}) {
      for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
        if ((out.functions[f].kind == FunctionKind::Inline) == inlined && !is_opaque(*program.store, out.functions[f])) {
          order.push_back(f);
        }
      }
    }
    bool again = true;
    for (int round = 0; again; ++round) {
      again = false;
      for (const FunctionIndex f : order) {
        Function& function = out.functions[f];
        if (round == kMaxInlineRounds && function.kind != FunctionKind::Inline) {
          fail(program, function.span,
               "inline functions call each other more than " + std::to_string(kMaxInlineRounds) +
                   " deep (limit of InlineFunctions)");
        }
        Inliner inliner(program, f, state, sink);
        function.body = inliner.body(function.body);
        if (inliner.changed() && deeper_than(*program.store, function.body, kMaxInlinedNesting)) {
          fail(program, function.span,
               "inlining nests more than " + std::to_string(kMaxInlinedNesting) + " deep (limit of InlineFunctions)");
        }
        again |= inliner.changed() && function.kind != FunctionKind::Inline;
      }
    }
    std::erase_if(out.functions,
                  [&](const Function& f) { return f.kind == FunctionKind::Inline && state.still_called.count(f.name) == 0; });
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> InlineFunctions() { return std::make_unique<InlineFunctionsPass>(); }

}  // namespace depscope::pass
