// Folding rules. Constants stand right of `+`, `*`, min and max; `a > b` becomes `b < a`.
#include "folding.h"

#include "expr_rewriter.h"

namespace depscope::pass {

using ir::BinaryOp;
using ir::DType;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::TypeId;
using ir::TypeKind;
using ir::UnaryOp;

namespace {

/// Number of value bits and signedness of an integer type; 0 bits for anything else.
struct IntegerShape {
  int bits = 0;
  bool is_signed = true;
};

IntegerShape integer_shape(DType dtype) {
  switch (dtype) {
    case DType::Int4: return {4, true};
    case DType::Int8: return {8, true};
    case DType::Int16: return {16, true};
    case DType::Int32: return {32, true};
    case DType::Int64:
    case DType::Index: return {64, true};
    case DType::UInt4: return {4, false};
    case DType::UInt8: return {8, false};
    case DType::UInt16: return {16, false};
    case DType::UInt32: return {32, false};
    case DType::UInt64: return {63, false};  // the upper half is not folded
    default: return {};
  }
}

bool fits(std::int64_t value, DType dtype) {
  const IntegerShape shape = integer_shape(dtype);
  if (shape.bits == 0) return false;
  if (shape.bits == 64) return true;
  if (!shape.is_signed) return value >= 0 && (shape.bits == 63 || value < (std::int64_t{1} << shape.bits));
  const std::int64_t half = std::int64_t{1} << (shape.bits - 1);
  return value >= -half && value < half;
}

std::optional<std::int64_t> evaluate(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case BinaryOp::Add: return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case BinaryOp::Sub: return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case BinaryOp::Mul: return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod: {
      if (b == 0 || (a == Interval::kMin && b == -1)) return std::nullopt;
      const std::int64_t rest = a % b;
      const bool down = rest != 0 && (rest < 0) != (b < 0);
      return op == BinaryOp::FloorDiv ? a / b - (down ? 1 : 0) : rest + (down ? b : 0);
    }
    case BinaryOp::Min: return a < b ? a : b;
    case BinaryOp::Max: return a > b ? a : b;
    case BinaryOp::BitAnd: return a & b;
    case BinaryOp::BitOr: return a | b;
    case BinaryOp::BitXor: return a ^ b;
    case BinaryOp::ShiftLeft:
      if (b < 0 || b > 62 || a < 0 || a > (Interval::kMax >> b)) return std::nullopt;
      return a << b;
    case BinaryOp::ShiftRight:
      if (b < 0 || b > 63) return std::nullopt;
      return a >> b;
    default: return std::nullopt;
  }
}

bool is_float(const ir::NodeStore& store, ExprId id) {
  const Expr& e = store.expr(id);
  if (e.kind == ExprKind::Float) return true;
  if (!e.type.valid() || store.type(e.type).kind != TypeKind::Scalar) return false;
  const DType dtype = store.type(e.type).dtype;
  return dtype >= DType::Fp4 && dtype <= DType::Hf8;
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Eq && op <= BinaryOp::Ge; }
bool is_logic(BinaryOp op) { return op <= BinaryOp::And; }

}  // namespace

bool Folder::is_constant(ExprId id) const {
  if (!id.valid()) return false;
  const ExprKind kind = store_.expr(id).kind;
  return kind == ExprKind::Int || kind == ExprKind::Float || kind == ExprKind::Bool;
}

std::optional<bool> Folder::truth(ExprId id) const {
  if (!id.valid() || store_.expr(id).kind != ExprKind::Bool) return std::nullopt;
  return store_.expr(id).a != 0;
}

ExprId Folder::integer_like(ExprId node, std::int64_t value) {
  const Expr e = store_.expr(node);
  const auto element = [&](const Expr& of) {
    if (of.type.valid() && store_.type(of.type).kind == TypeKind::Scalar) return store_.type(of.type).dtype;
    return of.kind == ExprKind::Int ? static_cast<DType>(of.op) : DType::None;
  };
  DType dtype = element(e);
  if (dtype == DType::None && e.kind == ExprKind::Binary) dtype = element(store_.expr(ExprId(e.a)));
  if (dtype == DType::None && e.kind == ExprKind::Binary) dtype = element(store_.expr(ExprId(e.b)));
  if (!fits(value, dtype)) return {};
  return store_.make_int(value, dtype, e.span);
}

ExprId Folder::binary_like(ExprId node, BinaryOp op, ExprId a, ExprId b) {
  Expr e = store_.expr(node);
  e.op = static_cast<std::uint8_t>(op);
  e.a = a.value;
  e.b = b.value;
  return store_.make_expr(e);
}

ExprId Folder::fold(ExprId id) {
  switch (store_.expr(id).kind) {
    case ExprKind::Unary: return fold_unary(id);
    case ExprKind::Binary: return fold_binary(id);
    case ExprKind::Cast: return fold_cast(id);
    default: return id;
  }
}

ExprId Folder::fold_constants(ExprId id) {
  const Expr& e = store_.expr(id);
  if (e.kind == ExprKind::Binary && (!is_constant(ExprId(e.a)) || !is_constant(ExprId(e.b)))) return id;
  return fold(id);
}

ExprId Folder::fold_unary(ExprId id) {
  const Expr e = store_.expr(id);
  const ExprId a(e.a);
  switch (static_cast<UnaryOp>(e.op)) {
    case UnaryOp::Plus: return a;
    case UnaryOp::Neg:
    case UnaryOp::Abs: {
      const auto v = store_.as_int(a);
      if (!v || *v == Interval::kMin) return id;
      const ExprId made = integer_like(a, static_cast<UnaryOp>(e.op) == UnaryOp::Neg || *v < 0 ? -*v : *v);
      return made.valid() ? made : id;
    }
    case UnaryOp::Not: {
      if (const auto v = truth(a)) return store_.make_bool(!*v, e.span);
      const Expr c = store_.expr(a);
      if (c.kind != ExprKind::Binary) return id;
      switch (static_cast<BinaryOp>(c.op)) {
        case BinaryOp::Lt: return binary_like(a, BinaryOp::Le, ExprId(c.b), ExprId(c.a));
        case BinaryOp::Le: return binary_like(a, BinaryOp::Lt, ExprId(c.b), ExprId(c.a));
        case BinaryOp::Eq: return binary_like(a, BinaryOp::Ne, ExprId(c.a), ExprId(c.b));
        case BinaryOp::Ne: return binary_like(a, BinaryOp::Eq, ExprId(c.a), ExprId(c.b));
        default: return id;
      }
    }
    default: return id;
  }
}

ExprId Folder::fold_cast(ExprId id) {
  const Expr e = store_.expr(id);
  const auto v = store_.as_int(ExprId(e.a));
  const auto to = static_cast<DType>(e.op);
  return v && fits(*v, to) ? store_.make_int(*v, to, e.span) : id;
}

ExprId Folder::fold_binary(ExprId id) {
  const Expr e = store_.expr(id);
  const auto op = static_cast<BinaryOp>(e.op);
  const ExprId a(e.a);
  const ExprId b(e.b);
  if (is_logic(op)) return fold_logic(id, op, a, b);
  if (is_comparison(op)) return fold_comparison(id, op, a, b);
  if (op == BinaryOp::FloatDiv || op == BinaryOp::Pow || is_float(store_, a) || is_float(store_, b)) return id;
  return fold_arithmetic(id, op, a, b);
}

ExprId Folder::fold_arithmetic(ExprId id, BinaryOp op, ExprId a, ExprId b) {
  const auto va = store_.as_int(a);
  const auto vb = store_.as_int(b);
  if (va && vb) {
    const auto value = evaluate(op, *va, *vb);
    const ExprId made = value ? integer_like(id, *value) : ExprId();
    return made.valid() ? made : id;
  }
  const bool pure = !has_call(store_, id);
  if (const Interval value = interval(id); value.point() && pure) {
    const ExprId made = integer_like(id, value.low);
    if (made.valid()) return made;
  }
  const bool commutes = op == BinaryOp::Add || op == BinaryOp::Mul || op == BinaryOp::Min || op == BinaryOp::Max;
  if (va && commutes) return fold_arithmetic(binary_like(id, op, b, a), op, b, a);
  const Interval ia = interval(a);
  const Interval ib = interval(b);
  const Expr left = store_.expr(a);
  const auto left_op = left.kind == ExprKind::Binary ? static_cast<BinaryOp>(left.op) : BinaryOp::Pow;
  const auto constant_in_left = left.kind == ExprKind::Binary ? store_.as_int(ExprId(left.b)) : std::nullopt;
  const bool has_left_constant = constant_in_left.has_value() && *constant_in_left != Interval::kMin;
  const std::int64_t left_constant = constant_in_left.value_or(0);
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: {
      if (vb == 0) return a;
      if (op == BinaryOp::Sub && pure && same_expr(store_, a, b)) {
        const ExprId zero = integer_like(id, 0);
        if (zero.valid()) return zero;
      }
      // (x + c) + d, (x - c) + d, …: one constant.
      if (vb && has_left_constant && (left_op == BinaryOp::Add || left_op == BinaryOp::Sub) && *vb != Interval::kMin) {
        const auto sum =
            evaluate(BinaryOp::Add, left_op == BinaryOp::Add ? left_constant : -left_constant, op == BinaryOp::Add ? *vb : -*vb);
        if (sum == 0) return ExprId(left.a);
        if (sum && *sum != Interval::kMin) {
          const ExprId constant = integer_like(b, *sum > 0 ? *sum : -*sum);
          if (constant.valid()) return binary_like(id, *sum > 0 ? BinaryOp::Add : BinaryOp::Sub, ExprId(left.a), constant);
        }
      }
      return id;
    }
    case BinaryOp::Mul:
      if (vb == 1) return a;
      if (vb == 0 && pure) return b;
      if (vb && has_left_constant && left_op == BinaryOp::Mul) {
        const auto product = evaluate(BinaryOp::Mul, left_constant, *vb);
        const ExprId constant = product ? integer_like(b, *product) : ExprId();
        if (constant.valid()) return binary_like(id, BinaryOp::Mul, ExprId(left.a), constant);
      }
      return id;
    case BinaryOp::FloorDiv: return vb == 1 ? a : id;
    case BinaryOp::FloorMod:
      if (vb && *vb > 0 && ia.low >= 0 && ia.high < *vb) return a;
      return id;
    case BinaryOp::Min:
      if (same_expr(store_, a, b) || (ia.high != Interval::kMax && ia.high <= ib.low)) return a;
      return ib.high != Interval::kMax && ib.high <= ia.low ? b : id;
    case BinaryOp::Max:
      if (same_expr(store_, a, b) || (ib.high != Interval::kMax && ib.high <= ia.low)) return a;
      return ia.high != Interval::kMax && ia.high <= ib.low ? b : id;
    default: return id;
  }
}

ExprId Folder::fold_comparison(ExprId id, BinaryOp op, ExprId a, ExprId b) {
  const Expr e = store_.expr(id);
  if (op == BinaryOp::Gt || op == BinaryOp::Ge) {
    op = op == BinaryOp::Gt ? BinaryOp::Lt : BinaryOp::Le;
    std::swap(a, b);
    id = binary_like(id, op, a, b);
  }
  const auto decided = [&](bool value) { return store_.make_bool(value, e.span); };
  const auto ta = truth(a);
  const auto tb = truth(b);
  if (ta && tb && (op == BinaryOp::Eq || op == BinaryOp::Ne)) return decided((*ta == *tb) == (op == BinaryOp::Eq));
  if (has_call(store_, id) || is_float(store_, a) || is_float(store_, b)) return id;
  const Interval ia = interval(a);
  const Interval ib = interval(b);
  // The signs of a - b that are possible.
  bool less = true;
  bool equal = true;
  bool greater = true;
  if (const auto gap = difference(a, b)) {
    less = *gap > 0;
    equal = *gap == 0;
    greater = *gap < 0;
  } else {
    if (ia.high != Interval::kMax && ib.low != Interval::kMin) {
      if (ia.high < ib.low) equal = greater = false;
      if (ia.high <= ib.low) greater = false;
    }
    if (ia.low != Interval::kMin && ib.high != Interval::kMax) {
      if (ia.low > ib.high) equal = less = false;
      if (ia.low >= ib.high) less = false;
    }
  }
  switch (op) {
    case BinaryOp::Lt:
      if (!equal && !greater) return decided(true);
      return less ? id : decided(false);
    case BinaryOp::Le:
      if (!greater) return decided(true);
      return less || equal ? id : decided(false);
    case BinaryOp::Eq:
      if (!less && !greater) return decided(true);
      return equal ? id : decided(false);
    case BinaryOp::Ne:
      if (!equal) return decided(true);
      return less || greater ? id : decided(false);
    default: return id;
  }
}

ExprId Folder::fold_logic(ExprId id, BinaryOp op, ExprId a, ExprId b) {
  const auto ta = truth(a);
  const auto tb = truth(b);
  const Span span = store_.expr(id).span;
  if (ta && tb) {
    const bool value = op == BinaryOp::And ? *ta && *tb : op == BinaryOp::Or ? *ta || *tb : *ta != *tb;
    return store_.make_bool(value, span);
  }
  if (op == BinaryOp::Xor || (!ta && !tb)) return id;
  const bool known = ta ? *ta : *tb;
  const ExprId other = ta ? b : a;
  if (known == (op == BinaryOp::And)) return other;  // true and x, false or x
  return has_call(store_, other) ? id : store_.make_bool(known, span);
}

}  // namespace depscope::pass
