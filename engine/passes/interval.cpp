// What is known of the value of an expression: ranges and constant differences.
#include <algorithm>

#include "folding.h"

namespace depscope::pass {

using ir::BinaryOp;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::UnaryOp;
using ir::VarId;

namespace {

/// Bounds that do not fit count as unbounded on that side.
std::int64_t add_bound(std::int64_t a, std::int64_t b, std::int64_t unbounded) {
  if (a == Interval::kMin || a == Interval::kMax || b == Interval::kMin || b == Interval::kMax) return unbounded;
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? unbounded : out;
}

std::int64_t negate_bound(std::int64_t a) {
  if (a == Interval::kMin) return Interval::kMax;
  if (a == Interval::kMax) return Interval::kMin;
  return -a;
}

Interval negate(Interval a) { return {negate_bound(a.high), negate_bound(a.low)}; }

Interval add(Interval a, Interval b) {
  return {add_bound(a.low, b.low, Interval::kMin), add_bound(a.high, b.high, Interval::kMax)};
}

Interval scale(Interval a, std::int64_t factor) {
  if (factor == 0) return {0, 0};
  const auto bound = [&](std::int64_t v, std::int64_t unbounded) {
    if (v == Interval::kMin || v == Interval::kMax) return unbounded;
    std::int64_t out = 0;
    return __builtin_mul_overflow(v, factor, &out) ? unbounded : out;
  };
  if (factor > 0) return {bound(a.low, Interval::kMin), bound(a.high, Interval::kMax)};
  return {bound(a.high, Interval::kMin), bound(a.low, Interval::kMax)};
}

Interval multiply(Interval a, Interval b) {
  if (b.point()) return scale(a, b.low);
  if (a.point()) return scale(b, a.low);
  if (a.low >= 0 && b.low >= 0) {
    std::int64_t low = 0;
    std::int64_t high = Interval::kMax;
    if (__builtin_mul_overflow(a.low, b.low, &low)) low = 0;
    if (a.high == Interval::kMax || b.high == Interval::kMax || __builtin_mul_overflow(a.high, b.high, &high)) {
      high = Interval::kMax;
    }
    return {low, high};
  }
  return {};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

Interval divide(Interval a, std::int64_t by) {
  const auto bound = [&](std::int64_t v) { return v == Interval::kMin || v == Interval::kMax ? v : floor_div(v, by); };
  return {bound(a.low), bound(a.high)};
}

Interval modulo(Interval a, std::int64_t by) {
  if (a.low != Interval::kMin && a.high != Interval::kMax && floor_div(a.low, by) == floor_div(a.high, by)) {
    const std::int64_t base = floor_div(a.low, by) * by;
    return {a.low - base, a.high - base};
  }
  return {0, by - 1};
}

}  // namespace

Interval Folder::interval(ExprId id) const {
  if (!id.valid()) return {};
  const Expr& e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Int:
      if (const auto v = store_.as_int(id)) return {*v, *v};
      return {};
    case ExprKind::Var: {
      const auto it = ranges_.find(VarId(e.a));
      return it == ranges_.end() ? Interval{} : it->second;
    }
    case ExprKind::Unary: {
      const Interval a = interval(ExprId(e.a));
      switch (static_cast<UnaryOp>(e.op)) {
        case UnaryOp::Neg: return negate(a);
        case UnaryOp::Plus: return a;
        case UnaryOp::Abs: return a.low >= 0 ? a : Interval{0, Interval::kMax};
        default: return {};
      }
    }
    case ExprKind::Cast: {
      const auto to = static_cast<ir::DType>(e.op);
      return to == ir::DType::Index || to == ir::DType::Int64 ? interval(ExprId(e.a)) : Interval{};
    }
    case ExprKind::Binary: {
      const Interval a = interval(ExprId(e.a));
      const Interval b = interval(ExprId(e.b));
      switch (static_cast<BinaryOp>(e.op)) {
        case BinaryOp::Add: return add(a, b);
        case BinaryOp::Sub: return add(a, negate(b));
        case BinaryOp::Mul: return multiply(a, b);
        case BinaryOp::FloorDiv: return b.point() && b.low > 0 ? divide(a, b.low) : Interval{};
        case BinaryOp::FloorMod: return b.point() && b.low > 0 ? modulo(a, b.low) : Interval{};
        case BinaryOp::Min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
        case BinaryOp::Max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
        default: return {};
      }
    }
    default: return {};
  }
}

void Folder::linear(ExprId id, std::int64_t factor, Linear& out) const {
  if (!out.ok) return;
  if (const auto v = store_.as_int(id)) {
    std::int64_t scaled = 0;
    out.ok = !__builtin_mul_overflow(*v, factor, &scaled) && !__builtin_add_overflow(out.constant, scaled, &out.constant);
    return;
  }
  const Expr e = store_.expr(id);
  if (e.kind == ExprKind::Binary) {
    const auto op = static_cast<BinaryOp>(e.op);
    if (op == BinaryOp::Add || op == BinaryOp::Sub) {
      linear(ExprId(e.a), factor, out);
      linear(ExprId(e.b), op == BinaryOp::Add ? factor : -factor, out);
      return;
    }
    if (op == BinaryOp::Mul) {
      auto constant = store_.as_int(ExprId(e.b));
      ExprId other(e.a);
      if (!constant) {
        constant = store_.as_int(ExprId(e.a));
        other = ExprId(e.b);
      }
      std::int64_t scaled = 0;
      if (constant && !__builtin_mul_overflow(*constant, factor, &scaled) && scaled != Interval::kMin) {
        linear(other, scaled, out);
        return;
      }
    }
  }
  for (auto& [term, count] : out.terms) {
    if (same_expr(store_, term, id)) {
      out.ok = !__builtin_add_overflow(count, factor, &count);
      return;
    }
  }
  out.terms.emplace_back(id, factor);
  out.ok = out.terms.size() <= 16;  // longer sums are not worth comparing term by term
}

std::optional<std::int64_t> Folder::difference(ExprId a, ExprId b) const {
  Linear sum;
  linear(b, 1, sum);
  linear(a, -1, sum);
  if (!sum.ok) return std::nullopt;
  for (const auto& [term, count] : sum.terms) {
    if (count == 0) continue;
    const Interval value = interval(term);
    std::int64_t scaled = 0;
    if (!value.point() || __builtin_mul_overflow(value.low, count, &scaled) ||
        __builtin_add_overflow(sum.constant, scaled, &sum.constant)) {
      return std::nullopt;
    }
  }
  return sum.constant;
}

void Folder::learn(VarId variable, Interval interval) {
  if (definitions_ != nullptr && variable.value < definitions_->size() && (*definitions_)[variable.value] > 1) return;
  const auto it = ranges_.find(variable);
  trail_.emplace_back(variable, it == ranges_.end() ? std::nullopt : std::optional(it->second));
  ranges_[variable] = interval;
}

void Folder::forget(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    if (trail_.back().second) {
      ranges_[trail_.back().first] = *trail_.back().second;
    } else {
      ranges_.erase(trail_.back().first);
    }
  }
}

void Folder::assume(ExprId condition, bool value) {
  const Expr e = store_.expr(condition);
  if (e.kind == ExprKind::Unary && static_cast<UnaryOp>(e.op) == UnaryOp::Not) return assume(ExprId(e.a), !value);
  if (e.kind != ExprKind::Binary) return;
  auto op = static_cast<BinaryOp>(e.op);
  ExprId a(e.a);
  ExprId b(e.b);
  if ((op == BinaryOp::And && value) || (op == BinaryOp::Or && !value)) {
    assume(a, value);
    assume(b, value);
    return;
  }
  // To the form a < b, a <= b or a == b.
  if (op == BinaryOp::Gt || op == BinaryOp::Ge) {
    std::swap(a, b);
    op = op == BinaryOp::Gt ? BinaryOp::Lt : BinaryOp::Le;
  }
  if (!value && (op == BinaryOp::Lt || op == BinaryOp::Le)) {
    std::swap(a, b);
    op = op == BinaryOp::Lt ? BinaryOp::Le : BinaryOp::Lt;
  } else if (op == BinaryOp::Ne) {
    op = BinaryOp::Eq;
    value = !value;
    if (!value) return;
  } else if (!value) {
    return;
  }
  const auto narrow = [&](ExprId side, Interval to) {
    if (!store_.is_var(side)) return;
    const Interval old = interval(side);
    const Interval now{std::max(old.low, to.low), std::min(old.high, to.high)};
    if (now.low <= now.high) learn(store_.as_var(side), now);
  };
  const Interval left = interval(a);
  const Interval right = interval(b);
  switch (op) {
    case BinaryOp::Lt:
      narrow(a, {Interval::kMin, add_bound(right.high, -1, Interval::kMax)});
      narrow(b, {add_bound(left.low, 1, Interval::kMin), Interval::kMax});
      break;
    case BinaryOp::Le:
      narrow(a, {Interval::kMin, right.high});
      narrow(b, {left.low, Interval::kMax});
      break;
    case BinaryOp::Eq:
      narrow(a, right);
      narrow(b, left);
      break;
    default: break;
  }
}

}  // namespace depscope::pass
