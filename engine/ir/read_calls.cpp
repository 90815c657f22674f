// Calls, task launches and their attributes (ir-text.md 6.2, 7, 8).
#include <algorithm>

#include "function_reader.h"

namespace depscope::ir {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Adjacent swaps count once, so that "cpoy" is near "copy".
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

const Signature& FunctionReader::signature(NameId function, Span at) const {
  const auto it = context_.signatures.find(function.value);
  if (it != context_.signatures.end()) return it->second;
  const std::string_view wanted = store_.text(function);
  std::string_view nearest;
  std::size_t best = 3;
  std::vector<std::string_view> known;
  for (const auto& [name, s] : context_.signatures) known.push_back(store_.text(s.name));
  std::sort(known.begin(), known.end());
  for (const std::string_view k : known) {
    if (wanted.size() > 100 || k.size() > 100) continue;
    const std::size_t distance = edit_distance(wanted, k);
    if (distance < best) {
      best = distance;
      nearest = k;
    }
  }
  std::string message = "no function '" + std::string(wanted) + "' in the program";
  if (!nearest.empty()) message += " (did you mean '" + std::string(nearest) + "'?)";
  read_fail(at, std::move(message));
}

NameId FunctionReader::function_reference(SynExprId id) const {
  const SynExpr& e = tree_.expr(id);
  if (e.kind != SynKind::Name) return {};
  const std::string_view text = store_.text(e.name);
  if (text.starts_with("self.") && text.find('.', 5) == std::string_view::npos) return store_.names.intern(text.substr(5));
  if (e.op == 1 || lookup(e.name).valid()) return {};
  return context_.signatures.contains(e.name.value) ? e.name : NameId();
}

// ---------------------------------------------------------------- attributes

ExprId FunctionReader::attribute_value(SynExprId id) {
  const SynExpr& e = tree_.expr(id);
  if (e.kind == SynKind::List || e.kind == SynKind::Tuple) {
    const ExprKind kind = e.kind == SynKind::List ? ExprKind::List : ExprKind::Tuple;
    std::vector<ExprId> items;
    for (std::uint32_t i = 0; i < e.kids.count; ++i) items.push_back(attribute_value(tree_.kid_id(id, i)));
    const Range r = store_.make_list(items);
    return store_.make_expr({.kind = kind, .type = {}, .span = tree_.expr(id).span, .a = r.begin, .b = r.count});
  }
  return expr(id);
}

// A compiler edge may name an id of a loop or branch that stands further down: the task of the last iteration (passes.md 15).
ExprId FunctionReader::compiler_edges(SynExprId id) {
  const SynExpr& e = tree_.expr(id);
  if (e.kind != SynKind::List) return attribute_value(id);
  std::vector<ExprId> items;
  for (std::uint32_t i = 0; i < e.kids.count; ++i) {
    const SynExprId item = tree_.kid_id(id, i);
    const SynExpr& name = tree_.expr(item);
    if (name.kind != SynKind::Name || name.op == 1 || lookup(name.name).valid()) {
      items.push_back(attribute_value(item));
      continue;
    }
    const ExprId ref = store_.make_var_ref(define_fresh(name.name, store_.unknown_type(), name.span), name.span);
    forward_edges_.push_back({ref, name.name, name.span});
    items.push_back(ref);
  }
  const Range r = store_.make_list(items);
  return store_.make_expr({.kind = ExprKind::List, .type = {}, .span = tree_.expr(id).span, .a = r.begin, .b = r.count});
}

void FunctionReader::bind_forward_edges() {
  for (const ForwardEdge& edge : forward_edges_) {
    const VarId var = lookup(edge.name);
    if (var.valid()) {
      store_.set_var_ref(edge.ref, var);
    } else {
      context_.report(Severity::Error, edge.span.begin, "name '" + std::string(store_.text(edge.name)) + "' is not defined");
    }
  }
  forward_edges_.clear();
}

std::vector<NamedExpr> FunctionReader::attribute_pairs(SynExprId dict) {
  const SynExpr e = tree_.expr(dict);
  if (e.kind != SynKind::Dict) read_fail(e.span, "a dict such as {\"key\": value} was expected");
  std::vector<NamedExpr> out;
  for (std::uint32_t i = 0; i + 1 < e.kids.count; i += 2) {
    const SynExprId key = tree_.kid_id(dict, i);
    if (tree_.expr(key).kind != SynKind::String) read_fail(tree_.expr(key).span, "an attribute key must be a string");
    const ExprId text = string_expr(tree_.expr(key).span);
    const NameId name(store_.expr(text).a);
    const SynExprId value = tree_.kid_id(dict, i + 1);
    const bool edges = store_.text(name) == "compiler_manual_dep_edges";
    out.push_back({name, edges ? compiler_edges(value) : attribute_value(value)});
  }
  return out;
}

// ---------------------------------------------------------------- arguments

FunctionReader::Arguments FunctionReader::arguments(SynExprId call, std::uint32_t first_arg, bool task) {
  Arguments out;
  const SynExpr e = tree_.expr(call);
  const bool flagged = has_dep_flags(call, first_arg);
  SynExprId deps;
  for (std::uint32_t i = first_arg; i < e.kids.count; ++i) {
    const SynExprId arg = tree_.kid_id(call, i);
    const SynExpr a = tree_.expr(arg);
    if (a.kind == SynKind::Keyword) {
      const SynExprId value = tree_.kid_id(arg, 0);
      const std::string_view key = store_.text(a.name);
      if (key == "attrs") {
        out.attrs = attribute_pairs(value);
      } else if (key == "deps") {
        out.deps_span = a.span;
        // Which entries share an array depends on their flags, wherever those stand.
        if (flagged) {
          deps = value;
        } else {
          read_deps(value, out);
        }
      } else {
        const NameId name = a.name;
        out.kwargs.push_back({name, attribute_value(value)});
      }
      continue;
    }
    if (task && a.kind == SynKind::Call && dotted(tree_.kid_id(arg, 0)) == "pl.no_dep") {
      if (a.kids.count != 2) read_fail(a.span, "pl.no_dep takes one argument");
      out.no_dep.push_back(store_.make_int(static_cast<std::int64_t>(out.args.size())));
      out.args.push_back(expr(tree_.kid_id(arg, 1)));
      continue;
    }
    out.args.push_back(expr(arg));
  }
  if (flagged) read_flagged_deps(deps, out);
  return out;
}

TypeId FunctionReader::launch_type(const Signature& callee, bool submit) {
  std::vector<TypeId> results = callee.results;
  // The front end reads functions in order: what a later one returns is not known yet.
  if (function_ != nullptr && tree_.stmt(callee.syntax).span.begin > function_->span.begin) {
    results.assign(results.size(), store_.unknown_type());
  }
  if (submit) {
    results.push_back(store_.scalar_type(DType::TaskId));
    return store_.tuple_type(results);
  }
  if (results.empty()) return {};
  return results.size() == 1 ? results[0] : store_.tuple_type(results);
}

// pl.dump_tag(x) makes later launches that use x dump it.
void FunctionReader::add_dumps(Arguments& a, bool submit) {
  std::vector<ExprId> dumps;
  for (const ExprId arg : a.args) {
    const VarId v = store_.as_var(arg);
    if (v.valid() && dump_tags_.contains(v.value)) dumps.push_back(arg);
  }
  if (dumps.empty()) return;
  std::vector<NamedExpr>& where = submit ? a.kwargs : a.attrs;
  const NameId key = store_.names.intern(submit ? "dumps" : "dump_vars");
  for (NamedExpr& p : where) {
    if (p.name != key) continue;
    std::vector<ExprId> all = children(store_, p.value);
    for (const ExprId d : dumps) {
      const bool there = std::any_of(all.begin(), all.end(), [&](ExprId x) { return store_.as_var(x) == store_.as_var(d); });
      if (!there) all.push_back(d);
    }
    p.value = store_.make_list_expr(all);
    return;
  }
  where.insert(where.begin(), {key, store_.make_list_expr(dumps)});
}

// A plain call passes every parameter; a submit may leave out Out parameters that the runtime allocates (ir-text 7).
void FunctionReader::check_arguments(const Signature& callee, std::size_t args, bool submit, Span at) const {
  if (args == callee.params || (submit && args < callee.params)) return;
  read_fail(at, "'" + std::string(store_.text(callee.name)) + "' has " + std::to_string(callee.params) + " parameters, " +
                    std::to_string(args) + (args == 1 ? " argument is passed" : " arguments are passed"));
}

ExprId FunctionReader::function_call(SynExprId id, NameId function) {
  const SynExpr e = tree_.expr(id);
  const Signature& callee = signature(function, e.span);
  Arguments a = arguments(id, 1, true);
  if (a.has_deps) read_fail(e.span, "deps= needs pl.submit: a plain call has no dependency list");
  check_arguments(callee, a.args.size(), false, e.span);
  for (const NamedExpr& k : a.kwargs) {
    if (store_.text(k.name) != "device") {
      read_fail(e.span, "'" + std::string(store_.text(k.name)) + "=' is not a keyword of a plain call (use pl.submit)");
    }
  }
  if (!a.no_dep.empty()) a.attrs.push_back(kwarg("arg_direction_overrides", store_.make_list_expr(a.no_dep)));
  add_dumps(a, false);
  Call c;
  c.form = CallForm::Function;
  c.callee = function;
  c.args = store_.make_list(a.args);
  c.kwargs = store_.make_pairs(a.kwargs);
  c.attrs = store_.make_pairs(a.attrs);
  return store_.make_call(c, launch_type(callee, false), e.span);
}

// A predicate compares as INDEX: the element that is read gets a cast.
ExprId FunctionReader::predicate(ExprId id) {
  Expr e = store_.expr(id);
  if (e.kind != ExprKind::Binary) return id;
  const auto as_index = [&](ExprId side) {
    const TypeId t = type_of(side);
    const bool read = store_.is_op(side, "tensor.read");
    if (!read || !t.valid() || is_scalar(store_, t, DType::Index)) return side;
    return store_.make_expr({.kind = ExprKind::Cast,
                             .op = static_cast<std::uint8_t>(DType::Index),
                             .type = store_.scalar_type(DType::Index),
                             .span = store_.expr(side).span,
                             .a = side.value});
  };
  e.a = as_index(ExprId(e.a)).value;
  e.b = as_index(ExprId(e.b)).value;
  return store_.make_expr(e);
}

ExprId FunctionReader::submit_call(SynExprId id, bool spmd) {
  const SynExpr e = tree_.expr(id);
  if (e.kids.count < 2) read_fail(e.span, "a function was expected as the first argument");
  const SynExprId first = tree_.kid_id(id, 1);
  const NameId function = function_reference(first);
  if (!function.valid()) {
    const std::string_view name =
        tree_.expr(first).kind == SynKind::Name ? store_.text(tree_.expr(first).name) : std::string_view();
    read_fail(tree_.expr(first).span, name.empty() ? "a function such as self.kernel was expected"
                                                   : "no function '" + std::string(name) + "' in the program");
  }
  const Signature& callee = signature(function, tree_.expr(first).span);
  Arguments a = arguments(id, 2, true);
  check_arguments(callee, a.args.size(), true, e.span);
  bool has_core_num = false;
  for (const NamedExpr& k : a.kwargs) {
    const std::string_view key = store_.text(k.name);
    has_core_num = has_core_num || key == "core_num";
    if (key != "dumps" && key != "core_num" && key != "sync_start" && key != "allow_early_resolve" && key != "predicate") {
      read_fail(e.span, "'" + std::string(key) + "=' is not a keyword of a task launch");
    }
  }
  for (NamedExpr& k : a.kwargs) {
    if (store_.text(k.name) != "predicate") continue;
    const Expr& p = store_.expr(k.value);
    const auto op = static_cast<BinaryOp>(p.op);
    if (p.kind != ExprKind::Binary || op < BinaryOp::Eq || op > BinaryOp::Ge)
      read_fail(e.span, "a predicate is one comparison, such as (pl.tensor.read(t, [0]) > 0)");
    k.value = predicate(k.value);
  }
  if (spmd && !has_core_num) read_fail(e.span, "pl.spmd_submit needs core_num=");
  if (!a.no_dep.empty()) a.attrs.push_back(kwarg("arg_direction_overrides", store_.make_list_expr(a.no_dep)));
  add_dumps(a, true);
  // Printed order of the launch options.
  const auto rank = [&](const NamedExpr& k) {
    const std::string_view key = store_.text(k.name);
    return key == "dumps" ? 0 : key == "core_num" ? 1 : key == "sync_start" ? 2 : key == "allow_early_resolve" ? 3 : 4;
  };
  std::stable_sort(a.kwargs.begin(), a.kwargs.end(), [&](const NamedExpr& x, const NamedExpr& y) { return rank(x) < rank(y); });
  // Options that are false or empty are not kept.
  std::erase_if(a.kwargs, [&](const NamedExpr& k) {
    const Expr& v = store_.expr(k.value);
    return (v.kind == ExprKind::Bool && v.a == 0) || (v.kind == ExprKind::List && v.b == 0);
  });
  Call c;
  c.form = CallForm::Submit;
  c.callee = function;
  c.has_deps = a.has_deps;
  c.args = store_.make_list(a.args);
  c.deps = store_.make_list(a.deps);
  c.kwargs = store_.make_pairs(a.kwargs);
  c.attrs = store_.make_pairs(a.attrs);
  return store_.make_call(c, launch_type(callee, true), e.span);
}

ExprId FunctionReader::make_op(std::string_view op, std::vector<ExprId> args, std::vector<NamedExpr> kwargs, Span span) {
  Arguments a;
  a.args = std::move(args);
  a.kwargs = std::move(kwargs);
  Call c;
  c.form = CallForm::Op;
  c.callee = store_.names.intern(op);
  c.args = store_.make_list(a.args);
  c.kwargs = store_.make_pairs(a.kwargs);
  return store_.make_call(c, op_type(op, a), span);
}

ExprId FunctionReader::op_call(SynExprId id, std::string op) {
  const SynExpr e = tree_.expr(id);
  Arguments a = arguments(id, 1, false);
  op = resolve_short_op(op, a, e.span);
  default_arguments(op, a);
  if (a.has_deps && op != "system.task_dummy") {
    read_fail(e.span, "deps= needs pl.submit: '" + op + "' has no dependency list");
  }
  Call c;
  c.form = CallForm::Op;
  c.has_deps = a.has_deps || op == "system.task_dummy";
  c.callee = store_.names.intern(op);
  c.args = store_.make_list(a.args);
  c.deps = store_.make_list(a.deps);
  c.kwargs = store_.make_pairs(a.kwargs);
  c.attrs = store_.make_pairs(a.attrs);
  return store_.make_call(c, op_type(op, a), e.span);
}

ExprId FunctionReader::call_expr(SynExprId id) {
  const SynExpr e = tree_.expr(id);
  const SynExprId callee = tree_.kid_id(id, 0);
  const NameId function = function_reference(callee);
  if (function.valid()) return function_call(id, function);
  const std::string name = dotted(callee);
  if (name.empty()) read_fail(e.span, "this expression cannot be called");
  if (name == "pl.submit") return submit_call(id, false);
  if (name == "pl.spmd_submit") return submit_call(id, true);
  if (name == "pl.const") {
    if (e.kids.count != 3) read_fail(e.span, "pl.const takes a value and an element type");
    const ExprId value = expr(tree_.kid_id(id, 1));
    NameId other;
    const DType d = dtype(tree_.kid_id(id, 2), other);
    if (d == DType::Other) return op_call(id, "const");  // an element type newer than this reader: kept as it is
    Expr typed = store_.expr(value);
    if (typed.kind != ExprKind::Int && typed.kind != ExprKind::Float) read_fail(e.span, "the value of pl.const must be a number");
    const bool floating = d >= DType::Fp4 && d <= DType::Hf8;
    if (floating && typed.kind == ExprKind::Int) typed = store_.expr(store_.make_float(number_of(value), d, e.span));
    typed.op = static_cast<std::uint8_t>(d);
    typed.flags |= Expr::kTyped;
    typed.type = store_.scalar_type(d);
    typed.span = e.span;
    return store_.make_expr(typed);
  }
  if (name == "pl.min" || name == "pl.max") {
    if (e.kids.count == 3 && tree_.kid(id, 1).kind != SynKind::Keyword && tree_.kid(id, 2).kind != SynKind::Keyword) {
      const BinaryOp op = name == "pl.min" ? BinaryOp::Min : BinaryOp::Max;
      const ExprId left = expr(tree_.kid_id(id, 1));
      const ExprId right = expr(tree_.kid_id(id, 2));
      if (!is_tensor_like(store_, type_of(left)) && !is_tensor_like(store_, type_of(right))) {
        if (is_literal(left) && is_literal(right)) {
          const ExprId folded = fold(op, left, right, e.span);
          if (folded.valid()) return folded;
        }
        return store_.make_binary(op, left, right, arithmetic_type(op, left, right), e.span);
      }
    }
  }
  if (name == "abs" && e.kids.count == 2) {
    const ExprId operand = expr(tree_.kid_id(id, 1));
    return store_.make_unary(UnaryOp::Abs, operand, type_of(operand), e.span);
  }
  if (name == "pl.cast" && e.kids.count == 3) {
    const SynExprId second = tree_.kid_id(id, 2);
    const ExprId operand = expr(tree_.kid_id(id, 1));
    const TypeId t = type_of(operand);
    if (!is_tensor_like(store_, t)) {
      const SynExprId to = tree_.expr(second).kind == SynKind::Keyword ? tree_.kid_id(second, 0) : second;
      NameId other;
      const DType d = dtype(to, other);
      if (d == DType::Other) return op_call(id, "cast");
      return store_.make_expr({.kind = ExprKind::Cast,
                               .op = static_cast<std::uint8_t>(d),
                               .type = store_.scalar_type(d),
                               .span = e.span,
                               .a = operand.value});
    }
  }
  if (name.starts_with("pl.") && name.ends_with(".get_byte")) {
    const DType d = dtype_from_name(std::string_view(name).substr(3, name.size() - 12));
    std::int64_t bytes = 0;
    switch (d) {
      case DType::None: read_fail(e.span, "'" + name + "' is not an element type");
      case DType::Int64:
      case DType::UInt64:
      case DType::Index:
      case DType::TaskId: bytes = 8; break;
      case DType::Int32:
      case DType::UInt32:
      case DType::Fp32: bytes = 4; break;
      case DType::Int16:
      case DType::UInt16:
      case DType::Fp16:
      case DType::Bf16: bytes = 2; break;
      default: bytes = 1;  // 8 bits, and 4 bits rounded up
    }
    Expr typed = store_.expr(store_.make_int(bytes, DType::Index, e.span));
    typed.flags |= Expr::kTyped;
    return store_.make_expr(typed);
  }
  if (name == "pl.no_dep") read_fail(e.span, "pl.no_dep(x) is allowed only as an argument of a task");
  if (name == "pl.yield_" || name == "pl.cond" || name == "pl.func_attr")
    read_fail(e.span, name + " is a statement, not a value");
  if (name.starts_with("pl.")) return op_call(id, name.substr(3));
  if (name.starts_with("pld.")) return op_call(id, name);
  if (name.starts_with("self.")) read_fail(e.span, "'" + name + "' is not part of the language");
  if (tree_.expr(callee).op == 0 && tree_.expr(callee).kind == SynKind::Name) {
    // In printed text an op whose IR name has no dot stands as name(args).
    if (!context_.printed_text) (void)signature(tree_.expr(callee).name, e.span);  // fails: no such function
    Arguments a = arguments(id, 1, false);
    Call c;
    c.form = CallForm::Plain;
    c.has_deps = a.has_deps;
    c.callee = tree_.expr(callee).name;
    c.args = store_.make_list(a.args);
    c.deps = store_.make_list(a.deps);
    c.kwargs = store_.make_pairs(a.kwargs);
    c.attrs = store_.make_pairs(a.attrs);
    return store_.make_call(c, {}, e.span);
  }
  read_fail(e.span, "'" + name + "' is not part of the language");
}

}  // namespace depscope::ir
