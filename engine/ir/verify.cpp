// Rules that every program must keep: use after definition, arity and position of yields, single assignment (ir-text 5, passes.md
// 2).
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "depscope/ir/text.h"

namespace depscope::ir {
namespace {

class Verifier {
 public:
  Verifier(const Program& program, const VerifyOptions& options) : program_(program), store_(*program.store), options_(options) {}

  std::vector<Diagnostic> run() {
    for (const Function& f : program_.functions) function(f);
    return std::move(out_);
  }

 private:
  void report(std::string_view rule, Span at, std::string message) {
    Diagnostic d;
    message = fmt::format("{} [{}]", message, rule);
    if (program_.source && at.known()) {
      d = program_.source->diagnostic(Severity::Error, at.begin, std::move(message));
    } else {
      if (program_.source) d.file = program_.source->name();
      d.message = fmt::format("in function '{}': {}", store_.text(function_->name), message);
    }
    out_.push_back(std::move(d));
  }

  void function(const Function& f) {
    if (f.foreign_body) return;
    function_ = &f;
    visible_.clear();
    assigned_.clear();
    undo_.clear();
    for (const Param& p : f.params) define(p.var, f.span, false);
    body(f.body, Owner::Function, 0);
  }

  // ---- definitions

  void define(VarId v, Span at, bool assignment) {
    if (!v.valid()) return;
    if (options_.ssa && assignment && !assigned_.insert(v.value).second) {
      report("multiple_assignment", at, fmt::format("'{}' is assigned more than once", store_.name(v)));
    }
    if (options_.ssa && !assignment) assigned_.insert(v.value);
    if (visible_.insert(v.value).second) undo_.push_back(v);
  }

  /// Variables of a branch or loop end with it once the program is in SSA form; before, they stay.
  void leave(std::size_t mark) {
    if (!options_.ssa) return;
    while (undo_.size() > mark) {
      visible_.erase(undo_.back().value);
      undo_.pop_back();
    }
  }

  void use(ExprId id) {
    if (!id.valid()) return;
    const Expr& e = store_.expr(id);
    if (e.kind == ExprKind::Var) {
      const VarId v(e.a);
      if (store_.var(v).dynamic || visible_.contains(v.value)) return;
      // One report per variable is enough.
      if (!reported_.insert(v.value).second) return;
      report("use_after_def", e.span, fmt::format("'{}' is used where it is not defined", store_.name(v)));
      return;
    }
    if (e.kind == ExprKind::Call) {
      // Attributes are facts about a call, not uses: a compiler edge may name an id of a branch or loop that is already closed.
      const Call c = store_.call(id);
      for (const ExprId x : store_.list<ExprId>(c.args)) use(x);
      for (const ExprId x : store_.list<ExprId>(c.deps)) use(x);
      for (const NamedExpr& k : store_.pairs(c.kwargs)) use(k.value);
      return;
    }
    for (const ExprId child : children(store_, id)) use(child);
  }

  // ---- bodies

  enum class Owner : std::uint8_t { Function, Loop, Branch, Scope };

  /// `arity` is the number of values the owner expects from its trailing yield.
  void body(Range stmts, Owner owner, std::uint32_t arity) {
    for (std::uint32_t i = 0; i < stmts.count; ++i) {
      const StmtId id = store_.at<StmtId>(stmts, i);
      const bool last = i + 1 == stmts.count;
      const Stmt s = store_.stmt(id);
      if (s.kind == StmtKind::Yield) {
        if (!last) report("yield_position", s.span, "a yield must be the last statement of its body");
        for (std::uint32_t k = 0; k < s.b; ++k) use(store_.at<ExprId>(Range{s.a, s.b}, k));
        if (last && owner != Owner::Function && s.b != arity) {
          report("yield_arity", s.span, fmt::format("{} values are yielded, {} are expected", s.b, arity));
        }
        continue;
      }
      statement(id, s, last ? arity : 0, last, owner);
    }
  }

  [[nodiscard]] bool ends_in_yield(Range stmts) const {
    while (!stmts.empty()) {
      const StmtId last = store_.at<StmtId>(stmts, stmts.count - 1);
      if (store_.stmt(last).kind == StmtKind::Yield) return true;
      if (store_.stmt(last).kind != StmtKind::Scope || store_.scope_data(last).kind != ScopeKind::Runtime) return false;
      stmts = store_.scope_data(last).body;
    }
    return false;
  }

  void statement(StmtId id, const Stmt& s, std::uint32_t arity, bool last, Owner owner) {
    switch (s.kind) {
      case StmtKind::Assign:
        use(ExprId(s.b));
        define(VarId(s.a), s.span, true);
        break;
      case StmtKind::Eval: use(ExprId(s.a)); break;
      case StmtKind::Return:
        for (std::uint32_t k = 0; k < s.b; ++k) use(store_.at<ExprId>(Range{s.a, s.b}, k));
        if (!last && owner == Owner::Function) report("return_position", s.span, "a statement follows this return");
        break;
      case StmtKind::If: {
        const IfData d = store_.if_data(id);
        use(d.cond);
        const std::uint32_t count = d.result_vars.count;
        const std::size_t mark = undo_.size();
        body(d.then_body, Owner::Branch, count);
        leave(mark);
        body(d.else_body, Owner::Branch, count);
        leave(mark);
        if (count != 0 && options_.ssa) {
          if (!ends_in_yield(d.then_body) || !d.has_else || !ends_in_yield(d.else_body)) {
            report("missing_yield", s.span, "an if with merge variables needs a yield at the end of both branches");
          }
        }
        define_all(d.result_vars, s.span);
        break;
      }
      case StmtKind::For: {
        const ForData d = store_.for_data(id);
        for (const ExprId e : expressions(store_, id)) use(e);
        loop(s, d.counter, d.iter_args, d.inits, d.result_vars, d.body, ExprId());
        break;
      }
      case StmtKind::While: {
        const WhileData d = store_.while_data(id);
        for (std::uint32_t k = 0; k < d.inits.count; ++k) use(store_.at<ExprId>(d.inits, k));
        loop(s, VarId(), d.iter_args, d.inits, d.result_vars, d.body, d.cond);
        break;
      }
      case StmtKind::Scope: {
        const ScopeData d = store_.scope_data(id);
        if (d.header.valid()) use(d.header);
        // `as tid` is a variable of the outer scope; everything assigned inside stays visible after the scope.
        define(d.as_var, s.span, true);
        if (d.loop_var.valid()) define(d.loop_var, s.span, true);
        body(d.body, d.kind == ScopeKind::Runtime ? owner : Owner::Scope, d.kind == ScopeKind::Runtime && last ? arity : 0);
        break;
      }
      default: break;
    }
  }

  void define_all(Range vars, Span at) {
    for (std::uint32_t k = 0; k < vars.count; ++k) define(store_.at<VarId>(vars, k), at, true);
  }

  void loop(const Stmt& s, VarId counter, Range iter_args, Range inits, Range results, Range stmts, ExprId cond) {
    if (iter_args.count != inits.count || iter_args.count != results.count) {
      report("carry_arity", s.span,
             fmt::format("{} carried values, {} start values and {} results", iter_args.count, inits.count, results.count));
    }
    const std::size_t mark = undo_.size();
    define(counter, s.span, true);
    define_all(iter_args, s.span);
    if (cond.valid()) use(cond);
    body(stmts, Owner::Loop, results.count);
    leave(mark);
    if (results.count != 0 && !ends_in_yield(stmts))
      report("missing_yield", s.span, "a loop with carried values needs a yield at the end of its body");
    define_all(results, s.span);
  }

  const Program& program_;
  const NodeStore& store_;
  const VerifyOptions& options_;
  const Function* function_ = nullptr;
  std::unordered_set<std::uint32_t> visible_, assigned_, reported_;
  std::vector<VarId> undo_;
  std::vector<Diagnostic> out_;
};

}  // namespace

std::vector<Diagnostic> verify(const Program& program, const VerifyOptions& options) { return Verifier(program, options).run(); }

}  // namespace depscope::ir
