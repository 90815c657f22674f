// Literals and arithmetic on them (ir-text.md 2, 6.1).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "function_reader.h"

namespace depscope::ir {

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
    value = std::strtod(digits.c_str(), nullptr);  // 0, a denormal or inf
  } else if (error != std::errc() || end != digits.data() + digits.size()) {
    read_fail(span, "'" + digits + "' is not a number");
  }
  return store_.make_float(value, DType::Fp32, span);
}

namespace {

void append_utf8(std::uint32_t c, std::string& out) {
  if (c >= 0x110000U || (c >= 0xD800U && c < 0xE000U)) c = 0xFFFDU;
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (c < 0x80U) return byte(c);
  if (c < 0x800U) {
    byte(0xC0U | (c >> 6U));
  } else if (c < 0x10000U) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
  }
  byte(0x80U | (c & 0x3FU));
}

/// Appends what an escape stands for; `text` begins behind the backslash and is not empty. Returns how much of it was used.
std::size_t escape(std::string_view text, std::string& out) {
  const char c = text[0];
  const auto digits = [&](std::size_t from, std::size_t most, int base) {
    std::uint32_t value = 0;
    const char* const end =
        std::from_chars(text.data() + from, text.data() + std::min(text.size(), from + most), value, base).ptr;
    const auto used = static_cast<std::size_t>(end - text.data());
    return std::pair(value, used);
  };
  switch (c) {
    case 'n': out += '\n'; return 1;
    case 't': out += '\t'; return 1;
    case 'r': out += '\r'; return 1;
    case 'a': out += '\a'; return 1;
    case 'b': out += '\b'; return 1;
    case 'f': out += '\f'; return 1;
    case 'v': out += '\v'; return 1;
    case '\\':
    case '"':
    case '\'': out += c; return 1;
    case '\n': return 1;
    case '\r': return text.substr(0, 2) == "\r\n" ? 2 : 1;
    case 'x':
    case 'u':
    case 'U': {
      const std::size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      const auto [value, used] = digits(1, wanted, 16);
      if (used != 1 + wanted) break;
      append_utf8(value, out);
      return used;
    }
    default: {
      if (c < '0' || c > '7') break;
      const auto [value, used] = digits(0, 3, 8);
      append_utf8(value, out);
      return used;
    }
  }
  out += '\\';
  out += c;
  return 1;
}

}  // namespace

ExprId FunctionReader::string_expr(Span span) {
  // One or more adjacent literals, comments between them; Python's escapes but for \N{…}.
  const std::string_view raw = context_.source->text(span);
  std::string out;
  std::size_t i = 0;
  while (i < raw.size()) {
    bool plain = false;
    while (i < raw.size() && raw[i] != '"' && raw[i] != '\'') {
      if (raw[i] == '#') i = std::min(raw.find('\n', i), raw.size() - 1);
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
        i += 1 + escape(raw.substr(i + 1), out);
        continue;
      }
      out += raw[i++];
    }
  }
  return store_.make_str(out, false, span);
}

namespace {

__extension__ using Wide = __int128;

/// Exact value of an Int node.
Wide whole_of(const NodeStore& store, ExprId id) {
  const std::int64_t value = store.int_value(id);
  return (store.expr(id).flags & Expr::kUnsigned) != 0 ? static_cast<Wide>(static_cast<std::uint64_t>(value))
                                                       : static_cast<Wide>(value);
}

}  // namespace

double FunctionReader::number_of(ExprId id) const {
  return store_.expr(id).kind == ExprKind::Int ? static_cast<double>(whole_of(store_, id)) : store_.float_value(id);
}

bool FunctionReader::is_literal(ExprId id) const {
  const Expr& e = store_.expr(id);
  return ((e.kind == ExprKind::Int || e.kind == ExprKind::Float) && (e.flags & Expr::kTyped) == 0) || e.kind == ExprKind::Bool;
}

ExprId FunctionReader::with_type(ExprId literal, TypeId annotation) {
  if (!annotation.valid() || !literal.valid()) return literal;
  const Type t = store_.type(annotation);
  const Expr e = store_.expr(literal);
  if (t.kind != TypeKind::Scalar || !is_literal(literal) || t.dtype == DType::Other) return literal;
  if (e.kind == ExprKind::Int && t.dtype != DType::Index && t.dtype != DType::Bool && t.dtype != DType::TaskId) {
    const bool floating = t.dtype >= DType::Fp4 && t.dtype <= DType::Hf8;
    if (floating) return store_.make_float(number_of(literal), t.dtype, e.span);
    Expr typed = store_.expr(store_.make_int(store_.int_value(literal), t.dtype, e.span));
    typed.flags |= e.flags & Expr::kUnsigned;
    return store_.make_expr(typed);
  }
  if (e.kind == ExprKind::Float && t.dtype != DType::Fp32) return store_.make_float(store_.float_value(literal), t.dtype, e.span);
  return literal;
}

// ---------------------------------------------------------------- arithmetic on literals

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
    const Wide p = whole_of(store_, left);
    const Wide q = whole_of(store_, right);
    switch (op) {
      case BinaryOp::Eq: return store_.make_bool(p == q, span);
      case BinaryOp::Ne: return store_.make_bool(p != q, span);
      case BinaryOp::Lt: return store_.make_bool(p < q, span);
      case BinaryOp::Le: return store_.make_bool(p <= q, span);
      case BinaryOp::Gt: return store_.make_bool(p > q, span);
      case BinaryOp::Ge: return store_.make_bool(p >= q, span);
      default: break;
    }
    if (p > INT64_MAX || q > INT64_MAX) return {};
    const std::optional<std::int64_t> r = fold_int(op, store_.int_value(left), store_.int_value(right), zero);
    if (zero) read_fail(span, "division by zero");
    if (r) return store_.make_int(*r, DType::Index, span);
    return {};
  }
  const double x = number_of(left);
  const double y = number_of(right);
  const std::optional<double> r = fold_float(op, x, y, zero);
  if (zero) read_fail(span, "division by zero");
  return r && std::isfinite(*r) ? store_.make_float(*r, DType::Fp32, span) : ExprId();
}

}  // namespace depscope::ir
