// Structural comparison of two programs (ir-text.md, section 9; "auto mapping" mode).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "depscope/ir/text.h"

namespace depscope::ir {
namespace {

/// What stands behind a tile's element type: the fields of its view that are not at their defaults (ir-text 4.4), and the rest.
struct TileExtras {
  std::vector<NamedExpr> view;
  std::vector<ExprId> others;
};

TileExtras tile_extras(const NodeStore& store, const Type& type) {
  TileExtras out;
  ExprId view;
  std::string_view space;
  for (const ExprId e : store.list<ExprId>(type.extras)) {
    const Expr& x = store.expr(e);
    if (x.kind == ExprKind::Call && store.callee(e) == "TileView") {
      view = e;
      continue;
    }
    const std::string_view name = x.kind == ExprKind::Name ? store.text(NameId(x.a)) : std::string_view();
    if (name.starts_with("pl.Mem.")) space = name.substr(7);
    out.others.push_back(e);
  }
  if (!view.valid()) return out;

  const auto dimension = [&](std::uint32_t i) { return store.as_int(store.at<ExprId>(type.list, i)); };
  const bool column = type.list.count == 2 && dimension(0).value_or(0) > 1 && dimension(1) == 1;
  std::string_view blayout = column ? "col_major" : "row_major";
  std::string_view slayout = "none_box";
  std::int64_t fractal = 512;
  if (space == "Mat" || space == "Left" || space == "Acc") {
    blayout = "col_major";
    slayout = "row_major";
    if (space == "Acc") fractal = 1024;
  } else if (space == "Right") {
    slayout = "col_major";
  } else if (space == "LeftScale" || space == "RightScale") {
    blayout = slayout = space == "LeftScale" ? "row_major" : "col_major";
    fractal = 32;
  }
  const auto named = [&](ExprId e, std::string_view prefix, std::string_view value) {
    if (store.expr(e).kind != ExprKind::Name) return false;
    const std::string_view text = store.text(NameId(store.expr(e).a));
    return text.starts_with(prefix) && text.substr(prefix.size()) == value;
  };
  const auto is_default = [&](const NamedExpr& field) {
    const std::string_view key = store.text(field.name);
    const Expr& e = store.expr(field.value);
    if (key == "blayout") return named(field.value, "pl.TileLayout.", blayout);
    if (key == "slayout") return named(field.value, "pl.TileLayout.", slayout);
    if (key == "fractal") return store.as_int(field.value) == fractal;
    if (key == "pad") return named(field.value, "pl.PadValue.", "null");
    if (key == "stride") return e.kind == ExprKind::List && e.b == 0;
    if (key == "valid_shape") {
      if (e.kind != ExprKind::List || e.b != type.list.count) return false;
      for (std::uint32_t i = 0; i < e.b; ++i) {
        if (!same_expr(store, store.at<ExprId>(Range{e.a, e.b}, i), store.at<ExprId>(type.list, i))) return false;
      }
      return true;
    }
    return false;
  };
  out.view = store.pairs(store.call(view).kwargs);
  std::erase_if(out.view, is_default);
  return out;
}

class Comparison {
 public:
  Comparison(const Program& a, const Program& b) : a_(a), b_(b), x_(*a.store), y_(*b.store) {}

  std::string run() {
    const std::vector<const Function*> left = by_name(a_);
    const std::vector<const Function*> right = by_name(b_);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const std::string_view l = i < left.size() ? x_.text(left[i]->name) : std::string_view();
      const std::string_view r = i < right.size() ? y_.text(right[i]->name) : std::string_view();
      if (l != r) return fmt::format("function '{}' is on one side only", l.empty() || (!r.empty() && r < l) ? r : l);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      where_ = std::string(x_.text(left[i]->name));
      function(*left[i], *right[i]);
      if (!difference_.empty()) return difference_;
    }
    return {};
  }

 private:
  static std::vector<const Function*> by_name(const Program& p) {
    std::vector<const Function*> out;
    for (const Function& f : p.functions) out.push_back(&f);
    std::sort(out.begin(), out.end(),
              [&](const Function* a, const Function* b) { return p.store->text(a->name) < p.store->text(b->name); });
    return out;
  }

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
    if (forward != map_.end() && backward != back_.end() && forward->second == b.value && backward->second == a.value)
      return true;
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

  static bool has_run(const NodeStore& store, Range items) {
    for (std::uint32_t i = 0; i < items.count; ++i) {
      if (store.expr(store.at<ExprId>(items, i)).kind == ExprKind::VarRun) return true;
    }
    return false;
  }

  bool same_var_lists(ExprId a, ExprId b) {
    const auto vars_of = [](const NodeStore& store, ExprId list) {
      std::vector<VarId> vars;
      store.for_each_listed_var(list, [&](VarId var) { vars.push_back(var); });
      return vars;
    };
    const std::vector<VarId> p = vars_of(x_, a);
    const std::vector<VarId> q = vars_of(y_, b);
    if (p.size() != q.size()) return fail(fmt::format("{} items against {}", p.size(), q.size()));
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!same_var(p[i], q[i])) return false;
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

  // No type and pl.UnknownType are the same.
  static TypeId known(const NodeStore& store, TypeId id) {
    return id.valid() && store.type(id).kind == TypeKind::Unknown ? TypeId() : id;
  }

  bool same_type(TypeId a, TypeId b) {
    a = known(x_, a);
    b = known(y_, b);
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
    if (!same_list(t.list, u.list, "dimensions")) return false;
    if (t.kind != TypeKind::Tile) return same_list(t.extras, u.extras, "type extras");
    // A view that is left out and one that repeats the defaults are the same.
    const TileExtras p = tile_extras(x_, t);
    const TileExtras q = tile_extras(y_, u);
    if (p.others.size() != q.others.size()) return fail(fmt::format("type {} against {}", print_type(x_, a), print_type(y_, b)));
    for (std::size_t i = 0; i < p.others.size(); ++i) {
      if (!same(p.others[i], q.others[i])) return false;
    }
    return same_pairs(p.view, q.view);
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
        const auto kind = [](std::uint8_t op) {
          return static_cast<DType>(op) == DType::Int64 ? DType::Index : static_cast<DType>(op);
        };
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
        if (has_run(x_, Range{e.a, e.b}) || has_run(y_, Range{f.a, f.b})) return same_var_lists(a, b);
        [[fallthrough]];
      case ExprKind::Tuple: return same_list(Range{e.a, e.b}, Range{f.a, f.b}, "items");
      case ExprKind::VarRun: return differ();  // compared with the list around it
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

  // `pass` says nothing; the body of an external kernel is written `...` or `pass` (3.6).
  [[nodiscard]] std::vector<StmtId> meaningful(const NodeStore& store, Range body) const {
    std::vector<StmtId> out = store.list<StmtId>(body);
    std::erase_if(out, [&](StmtId id) {
      const StmtKind kind = store.stmt(id).kind;
      return kind == StmtKind::Pass || (external_ && kind == StmtKind::Ellipsis);
    });
    return out;
  }

  bool bodies(Range a, Range b) {
    const std::vector<StmtId> p = meaningful(x_, a);
    const std::vector<StmtId> q = meaningful(y_, b);
    if (p.size() != q.size()) return fail(fmt::format("{} statements against {}", p.size(), q.size()));
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!statements(p[i], q[i])) return false;
    }
    return true;
  }

  bool statements(StmtId a, StmtId b) {
    const Stmt s = x_.stmt(a);
    const Stmt t = y_.stmt(b);
    if (s.kind != t.kind) return fail("statements of different kind");
    switch (s.kind) {
      case StmtKind::Assign:
        return same(ExprId(s.b), ExprId(t.b)) && same_type(s.type, t.type) && same_var(VarId(s.a), VarId(t.a));
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
        return same(d.header, e.header) && same_var(d.as_var, e.as_var) && same_var(d.loop_var, e.loop_var) &&
               bodies(d.body, e.body);
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
    if (x_.text(f.external_source) != y_.text(g.external_source)) return fail("external_source differs");
    external_ = !x_.text(f.external_source).empty();
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
  bool external_ = false;
  std::string where_;
  std::string difference_;
};

}  // namespace

std::string first_difference(const Program& a, const Program& b) { return Comparison(a, b).run(); }

}  // namespace depscope::ir
