// Names and operators (ir-text.md 6.1).
#include <algorithm>
#include <limits>

#include "function_reader.h"

namespace depscope::ir {

// ---------------------------------------------------------------- names

FunctionReader::Nesting::Nesting(FunctionReader& reader, Span at) : reader_(reader) {
  constexpr std::uint32_t kMaxExpanded = 65536;
  const std::uint32_t most = reader.context_.limits.max_nesting;
  if (reader.syntax_uses_ != 0 && ++reader.expanded_ > kMaxExpanded) {
    read_fail(at, "module names stand for more than the expansion limit of " + std::to_string(kMaxExpanded) + " nodes");
  }
  if (reader.depth_ >= most) read_fail(at, "nested deeper than the nesting limit of " + std::to_string(most));
  if (reader.store_.expr_count() > reader.context_.limits.max_nodes) {
    read_fail(at, "more than the node limit of " + std::to_string(reader.context_.limits.max_nodes));
  }
  ++reader.depth_;
}

VarId FunctionReader::lookup(NameId name) const {
  if (name.value >= context_.bindings.size()) return {};
  const ReaderContext::Binding& b = context_.bindings[name.value];
  return b.reader == id_ ? b.var : VarId();
}

void FunctionReader::bind(NameId name, VarId var) {
  std::vector<ReaderContext::Binding>& all = context_.bindings;
  if (name.value >= all.size()) all.resize(std::max<std::size_t>(store_.names.size(), name.value + std::size_t{1}));
  all[name.value] = {id_, var};
}

VarId FunctionReader::define_fresh(NameId name, TypeId type, Span span) { return store_.make_var(name, type, span); }

VarId FunctionReader::define(NameId name, TypeId type, Span span) {
  VarId var = lookup(name);
  if (!var.valid()) {
    var = define_fresh(name, type, span);
    bind(name, var);
    return var;
  }
  if (store_.var(var).dynamic) {
    read_fail(span, "'" + std::string(store_.text(name)) + "' stands for the dynamic dimension '" +
                        std::string(store_.name(var)) + "' and cannot be assigned again");
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
        if (syntax_uses_ >= 64) read_fail(e.span, "'" + std::string(raw) + "' stands for itself");
        const Expansion expansion(*this);
        return expr(b.syntax);
      }
      case ModuleBinding::Kind::Function: read_fail(e.span, "'" + std::string(raw) + "' is a function, a value was expected");
    }
  }
  if (raw == "nan") return store_.make_float(std::numeric_limits<double>::quiet_NaN(), DType::Fp32, e.span);
  if (raw == "inf") return store_.make_float(std::numeric_limits<double>::infinity(), DType::Fp32, e.span);
  if (in_dims_ && !module_mode_) return store_.make_var_ref(invent_dim(e.name, e.span), e.span);
  if (raw.ends_with("__FREE_VAR")) {
    context_.report(Severity::Warning, e.span.begin,
                    "'" + std::string(raw) + "' is used but defined nowhere: the program was already broken when it was printed");
    const VarId free_var = define_fresh(e.name, store_.unknown_type(), e.span);
    bind(e.name, free_var);
    return var_expr(free_var, e.span);
  }
  read_fail(e.span, "name '" + std::string(raw) + "' is not defined");
}

// ---------------------------------------------------------------- operators

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
  const ExprId operand = expr(kid);
  const Expr x = store_.expr(operand);
  if (op == UnaryOp::Plus) return operand;
  if (op == UnaryOp::Neg && is_literal(operand) && x.kind != ExprKind::Bool) {
    if (x.kind == ExprKind::Int) {
      const std::int64_t value = store_.int_value(operand);
      const bool least = value == INT64_MIN;  // of an unsigned literal: 2**63
      if (least != ((x.flags & Expr::kUnsigned) != 0)) read_fail(e.span, "integer does not fit in 64 bits");
      return store_.make_int(least ? value : -value, DType::Index, e.span);
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
  const Nesting nesting(*this, e.span);
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
      throw ReadFailure{e.span.begin, tree_.messages[e.name.value].text};
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
