#include <algorithm>
#include <bit>

#include "depscope/ir/program.h"

namespace depscope::ir {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  h ^= value + 0x9E3779B97F4A7C15ULL + (h << 6U) + (h >> 2U);
  return h * 0xff51afd7ed558ccdULL;
}

}  // namespace

NodeStore::NodeStore() { unknown_ = intern_type(Type{}); }

void NodeStore::reserve_for_text(std::size_t bytes) {
  vars_.reserve(vars_.size() + bytes / 160);
  exprs_.reserve(exprs_.size() + bytes / 16);
  stmts_.reserve(stmts_.size() + bytes / 120);
  calls_.reserve(calls_.size() + bytes / 100);
  pool_.reserve(pool_.size() + bytes / 10);
}

// ---------------------------------------------------------------- reading

std::vector<NamedExpr> NodeStore::pairs(PairRange range) const {
  std::vector<NamedExpr> out;
  out.reserve(range.count);
  for (std::uint32_t i = 0; i < range.count; ++i) out.push_back(pair(range, i));
  return out;
}

ExprId NodeStore::find_pair(PairRange range, std::string_view key) const {
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const NamedExpr p = pair(range, i);
    if (text(p.name) == key) return p.value;
  }
  return {};
}

std::int64_t NodeStore::int_value(ExprId id) const {
  const Expr& e = expr(id);
  return std::bit_cast<std::int64_t>((static_cast<std::uint64_t>(e.b) << 32U) | e.a);
}

double NodeStore::float_value(ExprId id) const {
  const Expr& e = expr(id);
  return std::bit_cast<double>((static_cast<std::uint64_t>(e.b) << 32U) | e.a);
}

std::optional<std::int64_t> NodeStore::as_int(ExprId id) const {
  if (!id.valid()) return std::nullopt;
  const Expr& e = expr(id);
  if (e.kind == ExprKind::Int) {
    const std::int64_t v = int_value(id);
    if ((e.flags & Expr::kUnsigned) != 0 && v < 0) return std::nullopt;
    return v;
  }
  if (e.kind == ExprKind::Unary && static_cast<UnaryOp>(e.op) == UnaryOp::Neg && expr(ExprId(e.a)).kind == ExprKind::Int) {
    const std::int64_t v = int_value(ExprId(e.a));
    if (v == INT64_MIN) return std::nullopt;
    return -v;
  }
  return std::nullopt;
}

bool NodeStore::is_op(ExprId id, std::string_view op) const {
  if (!id.valid() || expr(id).kind != ExprKind::Call) return false;
  const Call& c = call(id);
  return c.form == CallForm::Op && text(c.callee) == op;
}

// ---------------------------------------------------------------- building

VarId NodeStore::make_var(NameId name, TypeId type, Span span, bool dynamic) {
  vars_.push_back({name, type, span, dynamic});
  return VarId(static_cast<std::uint32_t>(vars_.size() - 1));
}

PairRange NodeStore::make_pairs(std::span<const NamedExpr> pairs) {
  if (pairs.empty()) return {};
  const Range r{static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(pairs.size())};
  for (const NamedExpr& p : pairs) {
    pool_.push_back(p.name.value);
    pool_.push_back(p.value.value);
  }
  return r;
}

ExprId NodeStore::make_expr(const Expr& node) {
  exprs_.push_back(node);
  return ExprId(static_cast<std::uint32_t>(exprs_.size() - 1));
}

ExprId NodeStore::make_var_ref(VarId var, Span span) {
  return make_expr({.kind = ExprKind::Var, .type = vars_[var.value].type, .span = span, .a = var.value});
}

ExprId NodeStore::make_int(std::int64_t value, DType dtype, Span span) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return make_expr({.kind = ExprKind::Int,
                    .op = static_cast<std::uint8_t>(dtype),
                    .flags = dtype == DType::Index ? std::uint16_t{0} : Expr::kTyped,
                    .type = scalar_type(dtype),
                    .span = span,
                    .a = static_cast<std::uint32_t>(bits),
                    .b = static_cast<std::uint32_t>(bits >> 32U)});
}

ExprId NodeStore::make_float(double value, DType dtype, Span span) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return make_expr({.kind = ExprKind::Float,
                    .op = static_cast<std::uint8_t>(dtype),
                    .flags = dtype == DType::Fp32 ? std::uint16_t{0} : Expr::kTyped,
                    .type = scalar_type(dtype),
                    .span = span,
                    .a = static_cast<std::uint32_t>(bits),
                    .b = static_cast<std::uint32_t>(bits >> 32U)});
}

ExprId NodeStore::make_bool(bool value, Span span) {
  return make_expr({.kind = ExprKind::Bool, .type = scalar_type(DType::Bool), .span = span, .a = value ? 1U : 0U});
}

ExprId NodeStore::make_str(std::string_view text, bool single_quoted, Span span) {
  return make_expr({.kind = ExprKind::Str,
                    .flags = single_quoted ? Expr::kSingleQuoted : std::uint16_t{0},
                    .span = span,
                    .a = names.intern(text).value});
}

ExprId NodeStore::make_name(std::string_view dotted, Span span) {
  return make_expr({.kind = ExprKind::Name, .span = span, .a = names.intern(dotted).value});
}

ExprId NodeStore::make_unary(UnaryOp op, ExprId operand, TypeId type, Span span) {
  return make_expr(
      {.kind = ExprKind::Unary, .op = static_cast<std::uint8_t>(op), .type = type, .span = span, .a = operand.value});
}

ExprId NodeStore::make_binary(BinaryOp op, ExprId left, ExprId right, TypeId type, Span span) {
  return make_expr({.kind = ExprKind::Binary,
                    .op = static_cast<std::uint8_t>(op),
                    .type = type,
                    .span = span,
                    .a = left.value,
                    .b = right.value});
}

ExprId NodeStore::make_list_expr(std::span<const ExprId> items, Span span) {
  const Range r = make_list(items);
  return make_expr({.kind = ExprKind::List, .span = span, .a = r.begin, .b = r.count});
}

ExprId NodeStore::make_var_run(const VarRun& run, Span span) {
  var_runs_.push_back(run);
  return make_expr({.kind = ExprKind::VarRun, .span = span, .a = static_cast<std::uint32_t>(var_runs_.size()) - 1});
}

std::vector<ExprId> NodeStore::expand_runs(std::vector<ExprId> items) {
  const auto is_run = [&](ExprId id) { return expr(id).kind == ExprKind::VarRun; };
  if (std::none_of(items.begin(), items.end(), is_run)) return items;
  std::vector<ExprId> out;
  for (const ExprId id : items) {
    if (!is_run(id)) {
      out.push_back(id);
      continue;
    }
    const VarRun run = var_run(id);
    for (std::uint32_t i = 0; i < run.count; ++i) out.push_back(make_var_ref(run_var(run, i)));
  }
  return out;
}

ExprId NodeStore::make_tuple_get(ExprId tuple, std::uint32_t index, TypeId type, Span span) {
  return make_expr({.kind = ExprKind::TupleGet, .type = type, .span = span, .a = tuple.value, .b = index});
}

ExprId NodeStore::make_call(const Call& call, TypeId type, Span span) {
  calls_.push_back(call);
  return make_expr({.kind = ExprKind::Call, .type = type, .span = span, .a = static_cast<std::uint32_t>(calls_.size() - 1)});
}

StmtId NodeStore::make_stmt(const Stmt& node) {
  stmts_.push_back(node);
  return StmtId(static_cast<std::uint32_t>(stmts_.size() - 1));
}

StmtId NodeStore::make_assign(VarId target, ExprId value, TypeId type, Span span, Range comments) {
  return make_stmt(
      {.kind = StmtKind::Assign, .type = type, .comments = comments, .span = span, .a = target.value, .b = value.value});
}

StmtId NodeStore::make_eval(ExprId value, Span span, Range comments) {
  return make_stmt({.kind = StmtKind::Eval, .comments = comments, .span = span, .a = value.value});
}

StmtId NodeStore::make_return(std::span<const ExprId> values, Span span, Range comments) {
  const Range r = make_list(values);
  return make_stmt({.kind = StmtKind::Return, .comments = comments, .span = span, .a = r.begin, .b = r.count});
}

StmtId NodeStore::make_yield(std::span<const ExprId> values, Span span, Range comments) {
  const Range r = make_list(values);
  return make_stmt({.kind = StmtKind::Yield, .comments = comments, .span = span, .a = r.begin, .b = r.count});
}

StmtId NodeStore::make_if(const IfData& data, Span span, Range comments) {
  ifs_.push_back(data);
  return make_stmt({.kind = StmtKind::If, .comments = comments, .span = span, .a = static_cast<std::uint32_t>(ifs_.size() - 1)});
}

StmtId NodeStore::make_for(const ForData& data, Span span, Range comments) {
  fors_.push_back(data);
  return make_stmt(
      {.kind = StmtKind::For, .comments = comments, .span = span, .a = static_cast<std::uint32_t>(fors_.size() - 1)});
}

StmtId NodeStore::make_while(const WhileData& data, Span span, Range comments) {
  whiles_.push_back(data);
  return make_stmt(
      {.kind = StmtKind::While, .comments = comments, .span = span, .a = static_cast<std::uint32_t>(whiles_.size() - 1)});
}

StmtId NodeStore::make_scope(const ScopeData& data, Span span, Range comments) {
  scopes_.push_back(data);
  return make_stmt(
      {.kind = StmtKind::Scope, .comments = comments, .span = span, .a = static_cast<std::uint32_t>(scopes_.size() - 1)});
}

// ---------------------------------------------------------------- types

// Shapes are shallow; hashing looks only this deep so that it stays cheap, equality looks at everything.
std::uint64_t NodeStore::expr_hash(ExprId id) const {
  const Expr& e = expr(id);
  std::uint64_t h = mix(static_cast<std::uint64_t>(e.kind), e.op);
  switch (e.kind) {
    case ExprKind::Var:
    case ExprKind::Bool:
    case ExprKind::Str:
    case ExprKind::Name:
    case ExprKind::Opaque:
    case ExprKind::VarRun: return mix(h, e.a);
    case ExprKind::Int:
    case ExprKind::Float: return mix(mix(h, e.a), e.b);
    case ExprKind::List:
    case ExprKind::Tuple:
      for (std::uint32_t i = 0; i < e.b; ++i) h = mix(h, expr_hash(ExprId(pool_[e.a + i])));
      return h;
    case ExprKind::Call: {
      const Call& c = calls_[e.a];
      h = mix(h, c.callee.value);
      for (std::uint32_t i = 0; i < c.args.count; ++i) h = mix(h, expr_hash(at<ExprId>(c.args, i)));
      for (std::uint32_t i = 0; i < c.kwargs.count; ++i)
        h = mix(mix(h, pair(c.kwargs, i).name.value), expr_hash(pair(c.kwargs, i).value));
      return h;
    }
    case ExprKind::Unary:
    case ExprKind::Cast:
    case ExprKind::TupleGet: return mix(h, expr_hash(ExprId(e.a)));
    case ExprKind::Binary:
    case ExprKind::Subscript: return mix(mix(h, expr_hash(ExprId(e.a))), expr_hash(ExprId(e.b)));
    case ExprKind::None: return h;
  }
  return h;
}

std::uint64_t NodeStore::type_hash(const Type& type) const {
  std::uint64_t h = mix(static_cast<std::uint64_t>(type.kind), static_cast<std::uint64_t>(type.dtype));
  h = mix(h, type.name.value);
  const bool of_types = type.kind == TypeKind::Tuple;
  for (std::uint32_t i = 0; i < type.list.count; ++i) {
    h = mix(h, of_types ? at(type.list, i) : expr_hash(at<ExprId>(type.list, i)));
  }
  for (std::uint32_t i = 0; i < type.extras.count; ++i) h = mix(h, expr_hash(at<ExprId>(type.extras, i)));
  return h;
}

bool NodeStore::same_type(const Type& a, const Type& b) const {
  if (a.kind != b.kind || a.dtype != b.dtype || a.name != b.name || a.list.count != b.list.count ||
      a.extras.count != b.extras.count) {
    return false;
  }
  for (std::uint32_t i = 0; i < a.list.count; ++i) {
    const bool same = a.kind == TypeKind::Tuple ? at(a.list, i) == at(b.list, i)
                                                : same_expr(*this, at<ExprId>(a.list, i), at<ExprId>(b.list, i));
    if (!same) return false;
  }
  for (std::uint32_t i = 0; i < a.extras.count; ++i) {
    if (!same_expr(*this, at<ExprId>(a.extras, i), at<ExprId>(b.extras, i))) return false;
  }
  return true;
}

TypeId NodeStore::intern_type(const Type& type) {
  const std::uint64_t h = type_hash(type);
  const auto [first, last] = type_index_.equal_range(h);
  for (auto it = first; it != last; ++it) {
    if (same_type(types_[it->second.value], type)) return it->second;
  }
  types_.push_back(type);
  const TypeId id(static_cast<std::uint32_t>(types_.size() - 1));
  type_index_.emplace(h, id);
  return id;
}

TypeId NodeStore::scalar_type(DType dtype) {
  TypeId& known = scalar_types_[static_cast<std::size_t>(dtype)];
  if (!known.valid()) known = intern_type({.kind = TypeKind::Scalar, .dtype = dtype});
  return known;
}

TypeId NodeStore::tuple_type(std::span<const TypeId> items) {
  const Range list = make_list(items);
  return intern_type({.kind = TypeKind::Tuple, .list = list});
}

TypeId NodeStore::array_type(ExprId extent, DType dtype) {
  const Range list = make_list({extent});
  return intern_type({.kind = TypeKind::Array, .dtype = dtype, .list = list});
}

TypeId NodeStore::tensor_type(std::span<const ExprId> shape, DType dtype, std::span<const ExprId> extras) {
  const Range list = make_list(shape);
  const Range more = make_list(extras);
  return intern_type({.kind = TypeKind::Tensor, .dtype = dtype, .list = list, .extras = more});
}

// ---------------------------------------------------------------- equality

// Every node a program is made of is shared or made new, so equal handles mean equal programs.
bool same_nodes(const Program& a, const Program& b) {
  const auto same_param = [](const Param& p, const Param& q) {
    return p.var == q.var && p.direction == q.direction && p.type == q.type;
  };
  const auto same_attr = [](const NamedExpr& x, const NamedExpr& y) { return x.name == y.name && x.value == y.value; };
  return a.store == b.store &&
         std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(),
                    [&](const Function& f, const Function& g) {
                      return f.name == g.name && f.kind == g.kind && f.auto_scope == g.auto_scope && f.body == g.body &&
                             std::equal(f.params.begin(), f.params.end(), g.params.begin(), g.params.end(), same_param) &&
                             f.return_types == g.return_types &&
                             std::equal(f.attrs.begin(), f.attrs.end(), g.attrs.begin(), g.attrs.end(), same_attr);
                    });
}

bool same_expr(const NodeStore& store, ExprId a, ExprId b) {
  if (a == b) return true;
  if (!a.valid() || !b.valid()) return false;
  const Expr& x = store.expr(a);
  const Expr& y = store.expr(b);
  if (x.kind != y.kind || x.op != y.op) return false;
  switch (x.kind) {
    case ExprKind::Var:
    case ExprKind::Bool:
    case ExprKind::Str:
    case ExprKind::Name:
    case ExprKind::Opaque:
    case ExprKind::VarRun: return x.a == y.a;
    case ExprKind::Int:
    case ExprKind::Float: return x.a == y.a && x.b == y.b;
    case ExprKind::None: return true;
    case ExprKind::Unary:
    case ExprKind::Cast: return same_expr(store, ExprId(x.a), ExprId(y.a));
    case ExprKind::TupleGet: return x.b == y.b && same_expr(store, ExprId(x.a), ExprId(y.a));
    case ExprKind::Binary:
    case ExprKind::Subscript: return same_expr(store, ExprId(x.a), ExprId(y.a)) && same_expr(store, ExprId(x.b), ExprId(y.b));
    case ExprKind::List:
    case ExprKind::Tuple:
    case ExprKind::Call: break;
  }
  const std::vector<ExprId> cx = children(store, a);
  const std::vector<ExprId> cy = children(store, b);
  if (cx.size() != cy.size()) return false;
  if (x.kind == ExprKind::Call) {
    const Call& p = store.call(a);
    const Call& q = store.call(b);
    if (p.form != q.form || p.callee != q.callee || p.args.count != q.args.count || p.deps.count != q.deps.count ||
        p.kwargs.count != q.kwargs.count || p.attrs.count != q.attrs.count || p.has_deps != q.has_deps) {
      return false;
    }
    for (std::uint32_t i = 0; i < p.kwargs.count; ++i) {
      if (store.pair(p.kwargs, i).name != store.pair(q.kwargs, i).name) return false;
    }
    for (std::uint32_t i = 0; i < p.attrs.count; ++i) {
      if (store.pair(p.attrs, i).name != store.pair(q.attrs, i).name) return false;
    }
  }
  for (std::size_t i = 0; i < cx.size(); ++i) {
    if (!same_expr(store, cx[i], cy[i])) return false;
  }
  return true;
}

// ---------------------------------------------------------------- programs

const Function* Program::find(NameId function) const {
  const auto it = std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == function; });
  return it == functions.end() ? nullptr : &*it;
}

const Function* Program::find(std::string_view function) const {
  const NameId id = store->names.find(function);
  return id.valid() ? find(id) : nullptr;
}

}  // namespace depscope::ir
