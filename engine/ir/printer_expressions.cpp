// Expressions, types and attribute values as P-text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "printer.h"

namespace depscope::ir {
namespace {

constexpr int kNotLevel = 3;
constexpr int kUnaryLevel = 11;
constexpr int kPowLevel = 12;

struct OperatorText {
  std::string_view text;
  int level;
};

OperatorText operator_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return {"or", 0};
    case BinaryOp::Xor: return {"xor", 1};
    case BinaryOp::And: return {"and", 2};
    case BinaryOp::Eq: return {"==", 4};
    case BinaryOp::Ne: return {"!=", 4};
    case BinaryOp::Lt: return {"<", 4};
    case BinaryOp::Le: return {"<=", 4};
    case BinaryOp::Gt: return {">", 4};
    case BinaryOp::Ge: return {">=", 4};
    case BinaryOp::BitOr: return {"|", 5};
    case BinaryOp::BitXor: return {"^", 6};
    case BinaryOp::BitAnd: return {"&", 7};
    case BinaryOp::ShiftLeft: return {"<<", 8};
    case BinaryOp::ShiftRight: return {">>", 8};
    case BinaryOp::Add: return {"+", 9};
    case BinaryOp::Sub: return {"-", 9};
    case BinaryOp::Mul: return {"*", 10};
    case BinaryOp::FloatDiv: return {"/", 10};
    case BinaryOp::FloorDiv: return {"//", 10};
    case BinaryOp::FloorMod: return {"%", 10};
    case BinaryOp::Pow: return {"**", kPowLevel};
    case BinaryOp::Min: return {"pl.min", -1};
    case BinaryOp::Max: return {"pl.max", -1};
  }
  return {"?", 0};
}

}  // namespace

void Printer::var(VarId id) {
  out += var_name(id);
  // A use of something that nothing defines marks broken IR; types may name dimensions of other functions.
  if (function_ != nullptr && !in_type_ && !store_.var(id).dynamic && !defined_.contains(id.value) &&
      !store_.name(id).ends_with("__FREE_VAR")) {
    out += "__FREE_VAR";
  }
}

void Printer::int_literal(const Expr& e, bool typed) {
  const auto dtype = static_cast<DType>(e.op);
  const std::uint64_t bits = (static_cast<std::uint64_t>(e.b) << 32U) | e.a;
  const std::string digits =
      (e.flags & Expr::kUnsigned) != 0 ? fmt::format("{}", bits) : fmt::format("{}", static_cast<std::int64_t>(bits));
  if (typed || (e.flags & Expr::kTyped) != 0 || dtype != DType::Index) {
    out += fmt::format("pl.const({}, pl.{})", digits, dtype_name(dtype));
  } else {
    out += digits;
  }
}

void Printer::float_literal(const Expr& e) {
  const auto dtype = static_cast<DType>(e.op);
  double value = 0;
  const std::uint64_t bits = (static_cast<std::uint64_t>(e.b) << 32U) | e.a;
  static_assert(sizeof value == sizeof bits);
  std::copy_n(reinterpret_cast<const char*>(&bits), sizeof value, reinterpret_cast<char*>(&value));
  std::string digits;
  if (std::isnan(value)) {
    digits = "nan";
  } else if (std::isinf(value)) {
    digits = value < 0 ? "-inf" : "inf";
  } else {
    digits = fmt::format("{:.17g}", value);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  }
  if ((e.flags & Expr::kTyped) != 0 || dtype != DType::Fp32) {
    out += fmt::format("pl.const({}, pl.{})", digits, dtype_name(dtype));
  } else {
    out += digits;
  }
}

void Printer::string_literal(std::string_view text, char quote) {
  // Single-quoted strings have no escapes in P-text; fall back to the escaped form where they would need one.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (quote == '\'' && (text.find_first_of("'\\") != std::string_view::npos || std::any_of(text.begin(), text.end(), is_control)))
    quote = '"';
  out += quote;
  for (const char c : text) {
    if (quote == '"' && (c == '"' || c == '\\')) out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += quote;
}

bool Printer::all_int_leaves(ExprId id) const {
  const Expr& e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Int: return true;
    case ExprKind::Unary: return all_int_leaves(ExprId(e.a));
    case ExprKind::Binary: return all_int_leaves(ExprId(e.a)) && all_int_leaves(ExprId(e.b));
    default: return false;
  }
}

void Printer::list(Range items, char open, char close) {
  out += open;
  for (std::uint32_t i = 0; i < items.count; ++i) {
    if (i != 0) out += ", ";
    const ExprId item = store_.at<ExprId>(items, i);
    if (store_.expr(item).kind == ExprKind::VarRun) {
      var_run(store_.var_run(item));
    } else {
      expr(item);
    }
  }
  if (open == '(' && items.count == 1) out += ',';
  out += close;
}

void Printer::var_run(const VarRun& run) {
  const bool all = max_run == 0 || run.count <= max_run;
  const std::uint32_t shown = all ? run.count : kRunEnds;
  for (std::uint32_t i = 0; i < shown; ++i) {
    if (i != 0) out += ", ";
    var(store_.run_var(run, i));
  }
  if (all) return;
  out += fmt::format(", ... {} more ...", run.count - 2 * kRunEnds);
  for (std::uint32_t i = run.count - kRunEnds; i < run.count; ++i) {
    out += ", ";
    var(store_.run_var(run, i));
  }
}

void Printer::expr(ExprId id, int parent_level, bool right_side) {
  const Expr e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Var: var(VarId(e.a)); return;
    case ExprKind::Int:
    case ExprKind::Float: {
      // -2 ** x is -(2 ** x): a negative constant in front of an operator that binds tighter than '-' needs parentheses.
      const std::size_t begin = out.size();
      if (e.kind == ExprKind::Int)
        int_literal(e, typed_ints_);
      else
        float_literal(e);
      if (parent_level > kUnaryLevel && !(parent_level == kPowLevel && !right_side) && out[begin] == '-') {
        out.insert(begin, 1, '(');
        out += ')';
      }
      return;
    }
    case ExprKind::Bool: out += e.a != 0 ? "True" : "False"; return;
    case ExprKind::Str: string_literal(store_.text(NameId(e.a)), '"'); return;
    case ExprKind::None: out += "None"; return;
    case ExprKind::Name:
    case ExprKind::Opaque: out += store_.text(NameId(e.a)); return;
    case ExprKind::List: {
      const bool typed = typed_ints_;
      typed_ints_ = false;
      list(Range{e.a, e.b}, '[', ']');
      typed_ints_ = typed;
      return;
    }
    case ExprKind::Tuple: list(Range{e.a, e.b}, '(', ')'); return;
    case ExprKind::TupleGet:
      expr(ExprId(e.a), 100);
      out += fmt::format("[{}]", e.b);
      return;
    case ExprKind::Subscript: {
      expr(ExprId(e.a), 100);
      out += '[';
      const bool typed = typed_ints_;
      typed_ints_ = false;
      expr(ExprId(e.b));
      typed_ints_ = typed;
      out += ']';
      return;
    }
    case ExprKind::Cast:
      out += "pl.cast(";
      expr(ExprId(e.a));
      out += fmt::format(", pl.{})", dtype_name(static_cast<DType>(e.op)));
      return;
    case ExprKind::Call: call(id); return;
    case ExprKind::VarRun: var_run(store_.var_run(id)); return;
    case ExprKind::Unary:
    case ExprKind::Binary: break;
  }

  const bool typed = typed_ints_;
  if (!typed_ints_ && all_int_leaves(id)) typed_ints_ = true;
  if (e.kind == ExprKind::Unary) {
    const auto op = static_cast<UnaryOp>(e.op);
    if (op == UnaryOp::Abs) {
      out += "abs(";
      expr(ExprId(e.a));
      out += ')';
    } else {
      const int level = op == UnaryOp::Not ? kNotLevel : kUnaryLevel;
      const bool parens = level < parent_level || (level == parent_level && right_side);
      if (parens) out += '(';
      out += op == UnaryOp::Not ? "not " : op == UnaryOp::Neg ? "-" : op == UnaryOp::BitNot ? "~" : "+";
      expr(ExprId(e.a), level);
      if (parens) out += ')';
    }
  } else {
    const auto op = static_cast<BinaryOp>(e.op);
    const OperatorText t = operator_text(op);
    if (t.level < 0) {
      out += t.text;
      out += '(';
      expr(ExprId(e.a));
      out += ", ";
      expr(ExprId(e.b));
      out += ')';
    } else {
      const bool parens = t.level < parent_level || (t.level == parent_level && right_side);
      const bool pow = op == BinaryOp::Pow;
      if (parens) out += '(';
      expr(ExprId(e.a), t.level, pow);
      out += ' ';
      out += t.text;
      out += ' ';
      expr(ExprId(e.b), t.level, !pow);
      if (parens) out += ')';
    }
  }
  typed_ints_ = typed;
}

void Printer::kwarg_value(ExprId id, bool op) {
  const Expr& e = store_.expr(id);
  if (e.kind == ExprKind::Str && op) {
    string_literal(store_.text(NameId(e.a)), '\'');
  } else {
    expr(id);
  }
}

void Printer::attrs(PairRange pairs, bool submit, bool comma) {
  std::vector<NamedExpr> shown = store_.pairs(pairs);
  if (shown.empty()) return;
  const auto rank = [&](const NamedExpr& p) {
    const std::string_view key = store_.text(p.name);
    if (key == "dump_vars") return submit ? 2 : 0;
    return key == "arg_directions" ? 1 : 2;
  };
  std::stable_sort(shown.begin(), shown.end(), [&](const NamedExpr& a, const NamedExpr& b) { return rank(a) < rank(b); });
  out += comma ? ", attrs={" : "attrs={";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i != 0) out += ", ";
    string_literal(store_.text(shown[i].name), '"');
    out += ": ";
    expr(shown[i].value);
  }
  out += '}';
}

void Printer::call(ExprId id) {
  const Call c = store_.call(id);
  const std::string_view callee = store_.text(c.callee);
  const bool typed = typed_ints_;
  typed_ints_ = false;
  bool first = true;
  const auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  const bool op = c.form == CallForm::Op || c.form == CallForm::Plain;
  switch (c.form) {
    case CallForm::Op:
      if (!callee.starts_with("pld.")) out += "pl.";
      out += callee;
      out += '(';
      break;
    case CallForm::Function:
      out += "self.";
      out += callee;
      out += '(';
      break;
    case CallForm::Submit:
      out += store_.find_pair(c.kwargs, "core_num").valid() ? "pl.spmd_submit(self." : "pl.submit(self.";
      out += callee;
      first = false;
      break;
    case CallForm::Plain:
      out += callee;
      out += '(';
      break;
  }
  for (std::uint32_t i = 0; i < c.args.count; ++i) {
    separate();
    expr(store_.at<ExprId>(c.args, i));
  }
  if (!c.deps.empty() || (c.has_deps && c.form == CallForm::Op)) {
    separate();
    out += "deps=";
    list(c.deps, '[', ']');
  }
  const bool double_quoted =
      callee == "system.syncall" || callee.ends_with("View") || callee == "at" || callee == "spmd" || callee == "cluster";
  for (std::uint32_t i = 0; i < c.kwargs.count; ++i) {
    const NamedExpr k = store_.pair(c.kwargs, i);
    separate();
    const std::string_view key = store_.text(k.name);
    out += key;
    out += '=';
    if (key == "predicate") {
      out += '(';
      expr(k.value);
      out += ')';
    } else {
      kwarg_value(k.value, op && !double_quoted);
    }
  }
  attrs(c.attrs, c.form == CallForm::Submit, !first);
  out += ')';
  typed_ints_ = typed;
}

void Printer::type(TypeId id) {
  if (!id.valid()) {
    out += "pl.UnknownType";
    return;
  }
  const Type t = store_.type(id);
  const auto dtype = [&] {
    out += "pl.";
    out += t.dtype == DType::Other ? store_.text(t.name) : dtype_name(t.dtype);
  };
  const bool was_in_type = in_type_;
  in_type_ = true;
  switch (t.kind) {
    case TypeKind::Unknown: out += "pl.UnknownType"; break;
    case TypeKind::Named:
    case TypeKind::Opaque: out += store_.text(t.name); break;
    case TypeKind::Scalar:
      out += "pl.Scalar[";
      dtype();
      out += ']';
      break;
    case TypeKind::Array:
      out += "pl.Array[";
      expr(store_.at<ExprId>(t.list, 0));
      out += ", ";
      dtype();
      out += ']';
      break;
    case TypeKind::Tuple:
      out += "pl.Tuple[";
      if (t.list.empty()) out += "()";
      for (std::uint32_t i = 0; i < t.list.count; ++i) {
        if (i != 0) out += ", ";
        type(store_.at<TypeId>(t.list, i));
      }
      out += ']';
      break;
    case TypeKind::Tensor:
    case TypeKind::DistributedTensor:
    case TypeKind::Tile: {
      out += t.kind == TypeKind::Tensor ? "pl.Tensor[[" : t.kind == TypeKind::Tile ? "pl.Tile[[" : "pld.DistributedTensor[[";
      for (std::uint32_t i = 0; i < t.list.count; ++i) {
        if (i != 0) out += ", ";
        const ExprId dim = store_.at<ExprId>(t.list, i);
        const ExprKind kind = store_.expr(dim).kind;
        // A composite dimension prints every integer leaf typed, so that nothing folds it.
        typed_ints_ = kind == ExprKind::Binary || kind == ExprKind::Unary;
        expr(dim);
        typed_ints_ = false;
      }
      out += "], ";
      dtype();
      for (std::uint32_t i = 0; i < t.extras.count; ++i) {
        out += ", ";
        expr(store_.at<ExprId>(t.extras, i));
      }
      out += ']';
      break;
    }
  }
  in_type_ = was_in_type;
}

}  // namespace depscope::ir
