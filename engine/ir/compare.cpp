// Structural comparison of two programs (ir-text.md, section 9; "auto mapping" mode).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "depscope/ir/text.h"

namespace depscope::ir {
namespace {

class Comparison {
 public:
  Comparison(const Program& a, const Program& b) : a_(a), b_(b), x_(*a.store), y_(*b.store) {}

  std::string run() {
    std::vector<std::string_view> left;
    std::vector<std::string_view> right;
    for (const Function& f : a_.functions) left.push_back(x_.text(f.name));
    for (const Function& f : b_.functions) right.push_back(y_.text(f.name));
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    if (left != right) return fmt::format("functions differ: {} against {}", left.size(), right.size());
    for (const std::string_view name : left) {
      where_ = std::string(name);
      function(*a_.find(name), *b_.find(name));
      if (!difference_.empty()) return difference_;
    }
    return {};
  }

 private:
  bool fail(std::string_view what) {
    if (difference_.empty()) difference_ = fmt::format("function {}: {}", where_, what);
    return false;
  }

  // A pair of variables is fixed at its first meeting and must stay one-to-one.
  bool same_var(VarId a, VarId b) {
    if (a.valid() != b.valid()) return fail("a variable is missing on one side");
    if (!a.valid()) return true;
    const auto forward = map_.find(a.value);
    const auto backward = back_.find(b.value);
    if (forward == map_.end() && backward == back_.end()) {
      map_[a.value] = b.value;
      back_[b.value] = a.value;
      return true;
    }
    if (forward != map_.end() && backward != back_.end() && forward->second == b.value && backward->second == a.value) return true;
    return fail(fmt::format("variable '{}' does not match '{}'", x_.name(a), y_.name(b)));
  }

  bool same_vars(Range a, Range b, std::string_view what) {
    if (a.count != b.count) return fail(fmt::format("{} {} against {}", a.count, what, b.count));
    for (std::uint32_t i = 0; i < a.count; ++i) {
      if (!same_var(x_.at<VarId>(a, i), y_.at<VarId>(b, i))) return false;
    }
    return true;
  }

  bool same_list(Range a, Range b, std::string_view what) {
    if (a.count != b.count) return fail(fmt::format("{} {} against {}", a.count, what, b.count));
    for (std::uint32_t i = 0; i < a.count; ++i) {
      if (!same(x_.at<ExprId>(a, i), y_.at<ExprId>(b, i))) return false;
    }
    return true;
  }

  bool same_pairs(PairRange a, PairRange b) {
    std::vector<NamedExpr> p = x_.pairs(a);
    std::vector<NamedExpr> q = y_.pairs(b);
    return same_pairs(p, q);
  }

  bool same_pairs(std::vector<NamedExpr> p, std::vector<NamedExpr> q) {
    if (p.size() != q.size()) return fail("attributes differ in number");
    std::sort(p.begin(), p.end(), [&](const NamedExpr& u, const NamedExpr& v) { return x_.text(u.name) < x_.text(v.name); });
    std::sort(q.begin(), q.end(), [&](const NamedExpr& u, const NamedExpr& v) { return y_.text(u.name) < y_.text(v.name); });
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (x_.text(p[i].name) != y_.text(q[i].name)) {
        return fail(fmt::format("attribute '{}' against '{}'", x_.text(p[i].name), y_.text(q[i].name)));
      }
      if (!same(p[i].value, q[i].value)) return false;
    }
    return true;
  }

  bool same_type(TypeId a, TypeId b) {
    if (a.valid() != b.valid()) return fail("a type is missing on one side");
    if (!a.valid()) return true;
    const Type t = x_.type(a);
    const Type u = y_.type(b);
    if (t.kind != u.kind || t.dtype != u.dtype || x_.text(t.name) != y_.text(u.name) || t.list.count != u.list.count) {
      return fail(fmt::format("type {} against {}", print_type(x_, a), print_type(y_, b)));
    }
    if (t.kind == TypeKind::Tuple) {
      for (std::uint32_t i = 0; i < t.list.count; ++i) {
        if (!same_type(x_.at<TypeId>(t.list, i), y_.at<TypeId>(u.list, i))) return false;
      }
      return true;
    }
    return same_list(t.list, u.list, "dimensions") && same_list(t.extras, u.extras, "type extras");
  }

  bool same(ExprId a, ExprId b) {
    if (a.valid() != b.valid()) return fail("an expression is missing on one side");
    if (!a.valid()) return true;
    const Expr e = x_.expr(a);
    const Expr f = y_.expr(b);
    const auto differ = [&] { return fail(fmt::format("'{}' against '{}'", print_expr(x_, a), print_expr(y_, b))); };
    if (e.kind != f.kind) return differ();
    switch (e.kind) {
      case ExprKind::Var: return same_var(VarId(e.a), VarId(f.a));
      case ExprKind::Int: {
        // INDEX and INT64 are the same for constants.
        const auto kind = [](std::uint8_t op) { return static_cast<DType>(op) == DType::Int64 ? DType::Index : static_cast<DType>(op); };
        return x_.int_value(a) == y_.int_value(b) && kind(e.op) == kind(f.op) ? true : differ();
      }
      case ExprKind::Float: return e.op == f.op && e.a == f.a && e.b == f.b ? true : differ();
      case ExprKind::Bool: return e.a == f.a ? true : differ();
      case ExprKind::None: return true;
      case ExprKind::Str:
      case ExprKind::Name:
      case ExprKind::Opaque: return x_.text(NameId(e.a)) == y_.text(NameId(f.a)) ? true : differ();
      case ExprKind::Unary:
      case ExprKind::Cast: return e.op == f.op ? same(ExprId(e.a), ExprId(f.a)) : differ();
      case ExprKind::Binary: return e.op == f.op ? same(ExprId(e.a), ExprId(f.a)) && same(ExprId(e.b), ExprId(f.b)) : differ();
      case ExprKind::Subscript: return same(ExprId(e.a), ExprId(f.a)) && same(ExprId(e.b), ExprId(f.b));
      case ExprKind::TupleGet: return e.b == f.b ? same(ExprId(e.a), ExprId(f.a)) : differ();
      case ExprKind::List:
      case ExprKind::Tuple: return same_list(Range{e.a, e.b}, Range{f.a, f.b}, "items");
      case ExprKind::Call: {
        const Call c = x_.call(a);
        const Call d = y_.call(b);
        if (c.form != d.form || x_.text(c.callee) != y_.text(d.callee)) return differ();
        return same_list(c.args, d.args, "arguments") && same_list(c.deps, d.deps, "deps") && same_pairs(c.kwargs, d.kwargs) &&
               same_pairs(c.attrs, d.attrs);
      }
    }
    return true;
  }

  bool bodies(Range a, Range b) {
    if (a.count != b.count) return fail(fmt::format("{} statements against {}", a.count, b.count));
    for (std::uint32_t i = 0; i < a.count; ++i) {
      if (!statements(x_.at<StmtId>(a, i), y_.at<StmtId>(b, i))) return false;
    }
    return true;
  }

  bool statements(StmtId a, StmtId b) {
    const Stmt s = x_.stmt(a);
    const Stmt t = y_.stmt(b);
    if (s.kind != t.kind) return fail("statements of different kind");
    switch (s.kind) {
      case StmtKind::Assign: return same(ExprId(s.b), ExprId(t.b)) && same_type(s.type, t.type) && same_var(VarId(s.a), VarId(t.a));
      case StmtKind::Eval: return same(ExprId(s.a), ExprId(t.a));
      case StmtKind::Return:
      case StmtKind::Yield: return same_list(Range{s.a, s.b}, Range{t.a, t.b}, "values");
      case StmtKind::If: {
        const IfData d = x_.if_data(a);
        const IfData e = y_.if_data(b);
        if (d.has_else != e.has_else) return fail("else is missing on one side");
        return same(d.cond, e.cond) && bodies(d.then_body, e.then_body) && bodies(d.else_body, e.else_body) &&
               same_vars(d.result_vars, e.result_vars, "merge variables");
      }
      case StmtKind::For: {
        const ForData d = x_.for_data(a);
        const ForData e = y_.for_data(b);
        if (d.kind != e.kind) return fail("loops of different kind");
        return same(d.start, e.start) && same(d.stop, e.stop) && same(d.step, e.step) && same(d.stage, e.stage) &&
               same_list(d.inits, e.inits, "start values") && same_var(d.counter, e.counter) &&
               same_vars(d.iter_args, e.iter_args, "carried values") && same_pairs(d.attrs, e.attrs) && bodies(d.body, e.body) &&
               same_vars(d.result_vars, e.result_vars, "loop results");
      }
      case StmtKind::While: {
        const WhileData d = x_.while_data(a);
        const WhileData e = y_.while_data(b);
        return same_list(d.inits, e.inits, "start values") && same_vars(d.iter_args, e.iter_args, "carried values") &&
               same(d.cond, e.cond) && bodies(d.body, e.body) && same_vars(d.result_vars, e.result_vars, "loop results");
      }
      case StmtKind::Scope: {
        const ScopeData d = x_.scope_data(a);
        const ScopeData e = y_.scope_data(b);
        if (d.kind != e.kind || d.manual != e.manual) return fail("scopes of different kind or mode");
        return same(d.header, e.header) && same_var(d.as_var, e.as_var) && same_var(d.loop_var, e.loop_var) && bodies(d.body, e.body);
      }
      case StmtKind::Opaque: return x_.text(NameId(s.a)) == y_.text(NameId(t.a)) ? true : fail("different text");
      default: return true;
    }
  }

  bool function(const Function& f, const Function& g) {
    map_.clear();
    back_.clear();
    if (f.kind != g.kind) return fail("function types differ");
    if (x_.text(f.level) != y_.text(g.level) || x_.text(f.role) != y_.text(g.role)) return fail("level or role differs");
    if (f.auto_scope != g.auto_scope) return fail("auto_scope differs");
    if (f.params.size() != g.params.size()) return fail("parameter counts differ");
    if (f.return_types.size() != g.return_types.size()) return fail("result counts differ");
    for (std::size_t i = 0; i < f.params.size(); ++i) {
      if (f.params[i].direction != g.params[i].direction) return fail("parameter directions differ");
      if (!same_var(f.params[i].var, g.params[i].var)) return false;
    }
    for (std::size_t i = 0; i < f.params.size(); ++i) {
      if (!same_type(f.params[i].type, g.params[i].type)) return false;
    }
    for (std::size_t i = 0; i < f.return_types.size(); ++i) {
      if (!same_type(f.return_types[i], g.return_types[i])) return false;
    }
    return same_pairs(f.attrs, g.attrs) && bodies(f.body, g.body);
  }

  const Program& a_;
  const Program& b_;
  const NodeStore& x_;
  const NodeStore& y_;
  std::unordered_map<std::uint32_t, std::uint32_t> map_, back_;
  std::string where_;
  std::string difference_;
};

}  // namespace

std::string first_difference(const Program& a, const Program& b) { return Comparison(a, b).run(); }

}  // namespace depscope::ir
