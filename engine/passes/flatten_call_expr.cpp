// FlattenCallExpr: a call inside a call, an operator, a bound, a condition or a result gets a temporary `t__tmp_vN` of its own
// before the statement. A dispatch predicate keeps its nested read: it is evaluated by the runtime, not by the statement.
#include <string>
#include <vector>

#include "depscope/pass/pass.h"
#include "expr_rewriter.h"
#include "not_modelled.h"
#include "ssa_names.h"

namespace depscope::pass {
namespace {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::ForData;
using ir::IfData;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using ir::WhileData;

class Flattener final : public ExprRewriter {
 public:
  Flattener(const Program& program, FunctionIndex function, DecisionSink& sink)
      : ExprRewriter(*program.store), program_(program), function_(function), sink_(sink) {}

  Range body(Range body);

 protected:
  ExprId var(ExprId reference, VarId) override { return reference; }
  ExprId finish(ExprId id) override {
    if (store_.expr(id).kind != ExprKind::Call) return id;
    const Expr e = store_.expr(id);
    const VarId temporary = store_.make_var(store_.names.intern(versioned_name("t", "tmp", next_++)), e.type, e.span);
    out_->push_back(store_.make_assign(temporary, id, e.type, e.span));
    return store_.make_var_ref(temporary, e.span);
  }
  ExprId kwarg(NameId name, ExprId value) override { return store_.text(name) == "predicate" ? value : expr(value); }

 private:
  /// The value of a statement: only the calls below it move.
  ExprId value(ExprId id) {
    if (!id.valid() || store_.expr(id).kind != ExprKind::Call) return expr(id);
    const ir::Call old = store_.call(id);
    ir::Call c = old;
    c.args = exprs(old.args);
    c.deps = exprs(old.deps);
    c.kwargs = pairs(old.kwargs);
    if (c.args == old.args && c.deps == old.deps && c.kwargs == old.kwargs) return id;
    const Expr e = store_.expr(id);
    return store_.make_call(c, e.type, e.span);
  }
  StmtId statement(StmtId id);

  const Program& program_;
  FunctionIndex function_;
  DecisionSink& sink_;
  std::vector<StmtId>* out_ = nullptr;  ///< where temporaries go
  std::uint32_t next_ = 0;
};

Range Flattener::body(Range body) {
  std::vector<StmtId> out;
  out.reserve(body.count);
  std::vector<StmtId>* const outer = out_;
  bool changed = false;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store_.at<StmtId>(body, i);
    out_ = &out;
    const StmtId now = statement(id);
    changed |= now != id;
    out.push_back(now);
  }
  out_ = outer;
  return changed ? store_.make_list(out) : body;
}

StmtId Flattener::statement(StmtId id) {
  Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: {
      const ExprId now = value(ExprId(s.b));
      return now.value == s.b ? id : store_.make_assign(VarId(s.a), now, s.type, s.span, s.comments);
    }
    case StmtKind::Eval: {
      const ExprId now = value(ExprId(s.a));
      return now.value == s.a ? id : store_.make_eval(now, s.span, s.comments);
    }
    case StmtKind::Return:
    case StmtKind::Yield: {
      const Range values = exprs(Range{s.a, s.b});
      if (values == Range{s.a, s.b}) return id;
      s.a = values.begin;
      s.b = values.count;
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
      const WhileData old = store_.while_data(id);
      WhileData d = old;
      if (has_call(store_, old.cond)) {  // it is evaluated once per iteration: no place in front of the loop would do
        sink_.notice({.function = function_,
                      .name = "not_modelled",
                      .message = "call in a while condition stays nested, line " + std::to_string(program_.line(s.span)),
                      .where = id});
      }
      d.inits = exprs(old.inits);
      d.body = body(old.body);
      return d.inits == old.inits && d.body == old.body ? id : store_.make_while(d, s.span, s.comments);
    }
    case StmtKind::Scope: {
      const ScopeData old = store_.scope_data(id);
      ScopeData d = old;
      d.body = body(old.body);
      return d.body == old.body ? id : store_.make_scope(d, s.span, s.comments);
    }
    default: return id;
  }
}

class FlattenCallExprPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "FlattenCallExpr"; }
  [[nodiscard]] PropertySet produced() const override { return Property::NoNestedCalls | Property::NormalizedStmtStructure; }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink& sink) const override {
    Program out = program;
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (is_opaque(*program.store, program.functions[f])) continue;  // ConvertToSSA tells of it
      out.functions[f].body = Flattener(program, f, sink).body(program.functions[f].body);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> FlattenCallExpr() { return std::make_unique<FlattenCallExprPass>(); }

}  // namespace depscope::pass
