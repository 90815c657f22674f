// Names, literals and operators (ir-text.md 6.1).
#include <charconv>
#include <cmath>
#include <limits>

#include "function_reader.h"

namespace depscope::ir {

// ---------------------------------------------------------------- names

VarId FunctionReader::lookup(NameId name) const {
  return name.value < bindings_.size() ? bindings_[name.value] : VarId();
}

void FunctionReader::bind(NameId name, VarId var) {
  if (name.value >= bindings_.size()) bindings_.resize(std::max<std::size_t>(store_.names.size(), name.value + std::size_t{1}));
  bindings_[name.value] = var;
}

VarId FunctionReader::define_fresh(NameId name, TypeId type, Span span) { return store_.make_var(name, type, span); }

VarId FunctionReader::define(NameId name, TypeId type, Span span) {
  VarId var = lookup(name);
  if (!var.valid()) {
    var = define_fresh(name, type, span);
    bind(name, var);
    return var;
  }
  set_type(var, type);
  return var;
}

TypeId FunctionReader::type_of(VarId var) const {
  const auto it = current_types_.find(var.value);
  return it != current_types_.end() ? it->second : store_.var(var).type;
}

void FunctionReader::set_type(VarId var, TypeId type) {
  if (!store_.var(var).type.valid()) {
    store_.set_var_type(var, type);
  } else if (type != type_of(var)) {
    current_types_[var.value] = type;
  }
}

ExprId FunctionReader::var_expr(VarId var, Span span) {
  return store_.make_expr({.kind = ExprKind::Var, .type = type_of(var), .span = span, .a = var.value});
}

std::string FunctionReader::canonical(std::string_view text) const {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::string(text);
  const NameId first = store_.names.find(text.substr(0, dot));
  std::string out(text);
  if (first.valid()) {
    const auto it = context_.prefixes.find(first.value);
    if (it != context_.prefixes.end()) out = std::string(it->second) + std::string(text.substr(dot));
  }
  if (out.starts_with("pl.MemorySpace.")) out = "pl.Mem." + out.substr(15);
  return out;
}

std::string FunctionReader::dotted(SynExprId id) const {
  const SynExpr& e = tree_.expr(id);
  if (e.kind == SynKind::Name) return canonical(store_.text(e.name));
  if (e.kind == SynKind::Attribute) {
    const std::string base = dotted(tree_.kid_id(id, 0));
    if (!base.empty()) return canonical(base + "." + std::string(store_.text(e.name)));
  }
  return {};
}

ExprId FunctionReader::name_expr(SynExprId id) {
  const SynExpr& e = tree_.expr(id);
  const VarId var = lookup(e.name);
  if (var.valid()) return var_expr(var, e.span);
  const std::string_view raw = store_.text(e.name);
  if (e.op == 1 || e.kind == SynKind::Attribute) {  // dotted
    const std::string text = dotted(id);
    if (text.starts_with("pl.") || text.starts_with("pld.") || text.starts_with("math.")) {
      if (text == "math.inf") return store_.make_float(std::numeric_limits<double>::infinity(), DType::Fp32, e.span);
      return store_.make_name(text, e.span);
    }
    read_fail(e.span, "'" + (text.empty() ? std::string(raw) : text) + "' is not part of the language");
  }
  const auto found = context_.module_names.find(e.name.value);
  if (found != context_.module_names.end()) {
    const ModuleBinding& b = found->second;
    switch (b.kind) {
      case ModuleBinding::Kind::Constant: {
        Expr copy = store_.expr(b.constant);
        copy.span = e.span;
        return store_.make_expr(copy);
      }
      case ModuleBinding::Kind::Dynamic: return store_.make_var_ref(b.dynamic, e.span);
      case ModuleBinding::Kind::Syntax: {
        if (++syntax_uses_ > 64) read_fail(e.span, "'" + std::string(raw) + "' stands for itself");
        const ExprId value = expr(b.syntax);
        --syntax_uses_;
        return value;
      }
      case ModuleBinding::Kind::Function: read_fail(e.span, "'" + std::string(raw) + "' is a function, a value was expected");
    }
  }
  if (raw == "nan" || raw == "inf") return store_.make_name(raw, e.span);
  if (in_dims_ && !module_mode_) return store_.make_var_ref(invent_dim(e.name, e.span), e.span);
  if (raw.ends_with("__FREE_VAR")) {
    context_.report(Severity::Warning, e.span.begin, "'" + std::string(raw) + "' is used but defined nowhere: the program was already broken when it was printed");
    const VarId free_var = define_fresh(e.name, store_.unknown_type(), e.span);
    bind(e.name, free_var);
    return var_expr(free_var, e.span);
  }
  read_fail(e.span, "name '" + std::string(raw) + "' is not defined");
}

// ---------------------------------------------------------------- literals

ExprId FunctionReader::int_expr(Span span) {
  const std::string_view raw = context_.source->text(span);
  std::string digits;
  digits.reserve(raw.size());
  for (const char c : raw) {
    if (c != '_') digits += c;
  }
  int base = 10;
  std::string_view body = digits;
  if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')) base = 16;
  if (body.size() > 2 && body[0] == '0' && (body[1] == 'o' || body[1] == 'O')) base = 8;
  if (body.size() > 2 && body[0] == '0' && (body[1] == 'b' || body[1] == 'B')) base = 2;
  if (base != 10) body.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, base);
  if (error == std::errc::result_out_of_range) read_fail(span, "integer does not fit in 64 bits");
  if (error != std::errc() || end != body.data() + body.size()) read_fail(span, "'" + std::string(raw) + "' is not an integer");
  const ExprId id = store_.make_int(static_cast<std::int64_t>(value), DType::Index, span);
  if (value <= static_cast<std::uint64_t>(INT64_MAX)) return id;
  Expr wide = store_.expr(id);
  wide.flags |= Expr::kUnsigned;
  return store_.make_expr(wide);
}

ExprId FunctionReader::float_expr(Span span) {
  std::string digits;
  for (const char c : context_.source->text(span)) {
    if (c != '_') digits += c;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = digits.find("e-") != std::string::npos || digits.find("E-") != std::string::npos ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (error != std::errc() || end != digits.data() + digits.size()) {
    read_fail(span, "'" + digits + "' is not a number");
  }
  return store_.make_float(value, DType::Fp32, span);
}

ExprId FunctionReader::string_expr(Span span) {
  // One or more adjacent literals; the usual escapes.
  const std::string_view raw = context_.source->text(span);
  std::string out;
  std::size_t i = 0;
  while (i < raw.size()) {
    bool plain = false;
    while (i < raw.size() && raw[i] != '"' && raw[i] != '\'') {
      plain = plain || raw[i] == 'r' || raw[i] == 'R';
      ++i;
    }
    if (i >= raw.size()) break;
    const char quote = raw[i];
    const bool triple = raw.substr(i, 3) == std::string(3, quote);
    i += triple ? 3 : 1;
    while (i < raw.size()) {
      if (raw[i] == quote && (!triple || raw.substr(i, 3) == std::string(3, quote))) {
        i += triple ? 3 : 1;
        break;
      }
      if (raw[i] == '\\' && !plain && i + 1 < raw.size()) {
        const char c = raw[i + 1];
        i += 2;
        switch (c) {
          case 'n': out += '\n'; break;
          case 't': out += '\t'; break;
          case 'r': out += '\r'; break;
          case '\\':
          case '"':
          case '\'': out += c; break;
          case '\n': break;
          default: out += '\\'; out += c;
        }
        continue;
      }
      out += raw[i++];
    }
  }
  return store_.make_str(out, false, span);
}

bool FunctionReader::is_literal(ExprId id) const {
  const Expr& e = store_.expr(id);
  return ((e.kind == ExprKind::Int || e.kind == ExprKind::Float) && (e.flags & Expr::kTyped) == 0) || e.kind == ExprKind::Bool;
}

ExprId FunctionReader::with_type(ExprId literal, TypeId annotation) {
  if (!annotation.valid() || !literal.valid()) return literal;
  const Type& t = store_.type(annotation);
  const Expr& e = store_.expr(literal);
  if (t.kind != TypeKind::Scalar || !is_literal(literal) || t.dtype == DType::Other) return literal;
  if (e.kind == ExprKind::Int && t.dtype != DType::Index && t.dtype != DType::Bool && t.dtype != DType::TaskId) {
    const bool floating = t.dtype >= DType::Fp4 && t.dtype <= DType::Hf8;
    if (floating) return store_.make_float(static_cast<double>(store_.int_value(literal)), t.dtype, e.span);
    return store_.make_int(store_.int_value(literal), t.dtype, e.span);
  }
  if (e.kind == ExprKind::Float && t.dtype != DType::Fp32) return store_.make_float(store_.float_value(literal), t.dtype, e.span);
  return literal;
}

// ---------------------------------------------------------------- operators

namespace {

std::optional<std::int64_t> fold_int(BinaryOp op, std::int64_t a, std::int64_t b, bool& zero) {
  std::int64_t r = 0;
  switch (op) {
    case BinaryOp::Add: return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::Sub: return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::Mul: return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: {
      if (b == 0) {
        zero = true;
        return std::nullopt;
      }
      if (a == INT64_MIN && b == -1) return op == BinaryOp::FloorMod ? std::optional<std::int64_t>(0) : std::nullopt;
      std::int64_t q = a / b;
      if (a % b != 0 && ((a < 0) != (b < 0))) --q;
      return op == BinaryOp::FloorDiv ? q : a - q * b;
    }
    case BinaryOp::Pow: {
      if (b < 0) return std::nullopt;
      r = 1;
      for (std::int64_t i = 0; i < b; ++i) {
        if (__builtin_mul_overflow(r, a, &r)) return std::nullopt;
        if (r == 0 || (r == 1 && a == 1)) break;
        if (i > 64 && (a == -1)) break;
      }
      if (a == -1) return b % 2 == 0 ? 1 : -1;
      return r;
    }
    case BinaryOp::ShiftLeft:
      if (b < 0 || b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &r)) return std::nullopt;
      return r;
    case BinaryOp::ShiftRight: return b < 0 ? std::nullopt : std::optional(a >> std::min<std::int64_t>(b, 63));
    case BinaryOp::BitAnd: return a & b;
    case BinaryOp::BitOr: return a | b;
    case BinaryOp::BitXor: return a ^ b;
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    default: return std::nullopt;
  }
}

std::optional<double> fold_float(BinaryOp op, double a, double b, bool& zero) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::FloatDiv:
      if (b == 0.0) {
        zero = true;
        return std::nullopt;
      }
      return a / b;
    case BinaryOp::Pow: return std::pow(a, b);
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    default: return std::nullopt;
  }
}

}  // namespace

// Arithmetic on literals and closure constants happens when the text is read, as Python does it.
ExprId FunctionReader::fold(BinaryOp op, ExprId left, ExprId right, Span span) {
  const Expr& a = store_.expr(left);
  const Expr& b = store_.expr(right);
  if (a.kind == ExprKind::Bool || b.kind == ExprKind::Bool) return {};
  bool zero = false;
  if (a.kind == ExprKind::Int && b.kind == ExprKind::Int && op != BinaryOp::FloatDiv) {
    const std::int64_t x = store_.int_value(left);
    const std::int64_t y = store_.int_value(right);
    switch (op) {
      case BinaryOp::Eq: return store_.make_bool(x == y, span);
      case BinaryOp::Ne: return store_.make_bool(x != y, span);
      case BinaryOp::Lt: return store_.make_bool(x < y, span);
      case BinaryOp::Le: return store_.make_bool(x <= y, span);
      case BinaryOp::Gt: return store_.make_bool(x > y, span);
      case BinaryOp::Ge: return store_.make_bool(x >= y, span);
      default: break;
    }
    const std::optional<std::int64_t> r = fold_int(op, x, y, zero);
    if (zero) read_fail(span, "division by zero");
    if (r) return store_.make_int(*r, DType::Index, span);
    return {};
  }
  const double x = a.kind == ExprKind::Int ? static_cast<double>(store_.int_value(left)) : store_.float_value(left);
  const double y = b.kind == ExprKind::Int ? static_cast<double>(store_.int_value(right)) : store_.float_value(right);
  const std::optional<double> r = fold_float(op, x, y, zero);
  if (zero) read_fail(span, "division by zero");
  return r ? store_.make_float(*r, DType::Fp32, span) : ExprId();
}

TypeId FunctionReader::arithmetic_type(BinaryOp op, ExprId left, ExprId right) const {
  if (op <= BinaryOp::Ge) return store_.scalar_type(DType::Bool);
  const TypeId l = type_of(left);
  const TypeId r = type_of(right);
  if (!l.valid()) return r;
  // A bare literal takes the type of what stands beside it.
  if (is_literal(left) && r.valid()) return r;
  return l;
}

ExprId FunctionReader::unary_expr(SynExprId id) {
  const SynExpr e = tree_.expr(id);
  const auto op = static_cast<UnaryOp>(e.op);
  const SynExprId kid = tree_.kid_id(id, 0);
  if (op == UnaryOp::Neg && tree_.expr(kid).kind == SynKind::Int) {
    const std::string_view raw = context_.source->text(tree_.expr(kid).span);
    if (raw == "9223372036854775808") return store_.make_int(INT64_MIN, DType::Index, e.span);
  }
  const ExprId operand = expr(kid);
  const Expr x = store_.expr(operand);
  if (op == UnaryOp::Plus) return operand;
  if (op == UnaryOp::Neg && is_literal(operand) && x.kind != ExprKind::Bool) {
    if (x.kind == ExprKind::Int) {
      if ((x.flags & Expr::kUnsigned) != 0) read_fail(e.span, "integer does not fit in 64 bits");
      return store_.make_int(-store_.int_value(operand), DType::Index, e.span);
    }
    return store_.make_float(-store_.float_value(operand), DType::Fp32, e.span);
  }
  if (op == UnaryOp::Neg && is_tensor_like(store_, x.type)) {
    const bool tile = store_.type(x.type).kind == TypeKind::Tile;
    return make_op(tile ? "tile.neg" : "tensor.neg", {operand}, {}, e.span);
  }
  const TypeId type = op == UnaryOp::Not ? store_.scalar_type(DType::Bool) : x.type;
  return store_.make_unary(op, operand, type, e.span);
}

ExprId FunctionReader::binary_expr(SynExprId id) {
  const SynExpr e = tree_.expr(id);
  const auto op = static_cast<BinaryOp>(e.op);
  const ExprId left = expr(tree_.kid_id(id, 0));
  const ExprId right = expr(tree_.kid_id(id, 1));
  if (is_literal(left) && is_literal(right)) {
    const ExprId folded = fold(op, left, right, e.span);
    if (folded.valid()) return folded;
  }
  const bool left_tensor = is_tensor_like(store_, type_of(left));
  const bool right_tensor = is_tensor_like(store_, type_of(right));
  if (left_tensor || right_tensor) {
    std::string_view name;
    switch (op) {
      case BinaryOp::Add: name = "add"; break;
      case BinaryOp::Sub: name = "sub"; break;
      case BinaryOp::Mul: name = "mul"; break;
      case BinaryOp::FloatDiv: name = "div"; break;
      default: read_fail(e.span, "this operator does not work on tensors");
    }
    Arguments a;
    a.args = left_tensor ? std::vector{left, right} : std::vector{right, left};
    const std::string full = resolve_short_op(name, a, e.span);
    return make_op(full, a.args, a.kwargs, e.span);
  }
  return store_.make_binary(op, left, right, arithmetic_type(op, left, right), e.span);
}

ExprId FunctionReader::list_expr(SynExprId id, ExprKind kind) {
  const SynExpr e = tree_.expr(id);
  std::vector<ExprId> items;
  items.reserve(e.kids.count);
  for (std::uint32_t i = 0; i < e.kids.count; ++i) items.push_back(expr(tree_.kid_id(id, i)));
  const Range r = store_.make_list(items);
  return store_.make_expr({.kind = kind, .type = {}, .span = e.span, .a = r.begin, .b = r.count});
}

ExprId FunctionReader::expr(SynExprId id) {
  const SynExpr& e = tree_.expr(id);
  switch (e.kind) {
    case SynKind::Name:
    case SynKind::Attribute: return name_expr(id);
    case SynKind::Int: return int_expr(e.span);
    case SynKind::Float: return float_expr(e.span);
    case SynKind::String: return string_expr(e.span);
    case SynKind::True: return store_.make_bool(true, e.span);
    case SynKind::False: return store_.make_bool(false, e.span);
    case SynKind::None: return task_invalid(e.span);
    case SynKind::Call: return call_expr(id);
    case SynKind::Subscript: return subscript_expr(id);
    case SynKind::List: return list_expr(id, ExprKind::List);
    case SynKind::Tuple: return list_expr(id, ExprKind::Tuple);
    case SynKind::Unary: return unary_expr(id);
    case SynKind::Binary: return binary_expr(id);
    case SynKind::Unsupported: {
      const Diagnostic& d = tree_.messages[e.name.value];
      throw ReadFailure{e.span.begin, d.message};
    }
    case SynKind::FString: read_fail(e.span, "an f-string is allowed only in pl.static_print");
    case SynKind::Comprehension: read_fail(e.span, "a comprehension is allowed only in deps=[…]");
    case SynKind::Dict: read_fail(e.span, "a dict is allowed only in attrs={…} and pl.func_attr({…})");
    case SynKind::Slice: read_fail(e.span, "a slice is allowed only as an index of a tensor");
    case SynKind::Keyword: read_fail(e.span, "a keyword argument is not expected here");
    case SynKind::Ellipsis: read_fail(e.span, "'...' is allowed only as a whole body");
  }
  read_fail(e.span, "an expression was expected");
}

ExprId FunctionReader::read_constant(SynExprId id) {
  module_mode_ = true;
  const ExprId e = expr(id);
  switch (store_.expr(e).kind) {
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Bool:
    case ExprKind::Str:
    case ExprKind::Name: return e;
    case ExprKind::List:
    case ExprKind::Tuple:
      for (const ExprId item : children(store_, e)) {
        if (!is_literal(item)) read_fail(tree_.expr(id).span, "not a constant");
      }
      return e;
    default: read_fail(tree_.expr(id).span, "not a constant");
  }
}

}  // namespace depscope::ir
