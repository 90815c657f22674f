// Types (ir-text.md, section 4).
#include <algorithm>

#include "function_reader.h"

namespace depscope::ir {
namespace {

/// Text of an expression in the layout of printed text: no newlines, no comments, one blank behind a comma, none inside brackets.
/// `canonical` gives the printed form of a dotted name.
template <class F>
std::string one_line(std::string_view text, F&& canonical) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  std::string out;
  bool blank = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      blank = true;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || (c == '\\' && i + 1 < text.size())) {
      blank = true;
      continue;
    }
    const bool closes = c == ')' || c == ']' || c == '}';
    if (closes && !out.empty() && out.back() == ',' && c != ')') out.pop_back();
    if (blank && !out.empty() && !closes && c != ',' && out.back() != '(' && out.back() != '[' && out.back() != '{') out += ' ';
    blank = false;
    if (is_word(c)) {
      std::size_t end = i;
      while (end < text.size() && is_word(text[end])) ++end;
      out += canonical(text.substr(i, end - i));
      i = end - 1;
      continue;
    }
    if (c != '"' && c != '\'') {
      out += c;
      continue;
    }
    const bool triple = text.substr(i, 3) == std::string(3, c);
    const std::size_t quotes = triple ? 3 : 1;
    std::size_t end = i + quotes;
    while (end < text.size() && text.substr(end, quotes) != std::string(quotes, c)) end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + quotes, text.size());
    out += text.substr(i, end - i);
    i = end - 1;
  }
  return out;
}

}  // namespace

DType FunctionReader::dtype(SynExprId id, NameId& other) {
  const std::string text = dotted(id);
  const std::string_view name =
      std::string_view(text).starts_with("pl.") ? std::string_view(text).substr(3) : std::string_view(text);
  const DType known = dtype_from_name(name);
  if (known != DType::None) return known;
  if (!text.empty() && text.starts_with("pl.")) {
    other = store_.names.intern(name);
    return DType::Other;
  }
  const ExprId value = expr(id);  // a Python variable in place of a dtype
  if (store_.expr(value).kind == ExprKind::Name) {
    const std::string_view named = store_.text(NameId(store_.expr(value).a));
    if (named.starts_with("pl.")) {
      const DType d = dtype_from_name(named.substr(3));
      if (d != DType::None) return d;
    }
  }
  read_fail(tree_.expr(id).span, "an element type such as pl.FP32 was expected");
}

VarId FunctionReader::invent_dim(NameId name, Span span) {
  VarId& v = context_.invented_dims[name.value];
  if (v.valid()) return v;
  v = store_.make_var(name, store_.scalar_type(DType::Index), span, true);
  context_.report(Severity::Warning, span.begin,
                  "dimension '" + std::string(store_.text(name)) + "' is not declared: taken as pl.dynamic(\"" +
                      std::string(store_.text(name)) + "\")");
  return v;
}

ExprId FunctionReader::dimension(SynExprId id) {
  const bool before = in_dims_;
  in_dims_ = true;
  ExprId e;
  try {
    e = expr(id);
  } catch (...) {
    in_dims_ = before;
    throw;
  }
  in_dims_ = before;
  return e;
}

TypeId FunctionReader::read_type(SynExprId id) { return type(id); }

TypeId FunctionReader::shaped_type(SynExprId id, TypeKind kind, const std::vector<SynExprId>& parts) {
  const Span at = tree_.expr(id).span;
  if (parts.size() < 2) read_fail(at, "a shape and an element type were expected");
  Type t;
  t.kind = kind;
  std::vector<ExprId> shape;
  const SynExpr& s = tree_.expr(parts[0]);
  if (s.kind == SynKind::List || s.kind == SynKind::Tuple) {
    for (std::uint32_t i = 0; i < s.kids.count; ++i) shape.push_back(dimension(tree_.kid_id(parts[0], i)));
  } else {
    const ExprId value = expr(parts[0]);  // a Python variable in place of the shape
    if (store_.expr(value).kind != ExprKind::List && store_.expr(value).kind != ExprKind::Tuple)
      read_fail(s.span, "a shape such as [64, 32] was expected");
    for (const ExprId e : children(store_, value)) shape.push_back(e);
  }
  t.dtype = dtype(parts[1], t.name);
  std::vector<ExprId> extras;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    ExprId e = dimension(parts[i]);
    // A bare layout in the view slot is the old spelling of a view with that layout.
    if (store_.expr(e).kind == ExprKind::Name) {
      const std::string_view name = store_.text(NameId(store_.expr(e).a));
      if (name == "pl.NZ" || name == "pl.ND" || name == "pl.DN") {
        const std::string layout = "pl.TensorLayout." + std::string(name.substr(3));
        e = make_op("TensorView", {}, {kwarg("stride", store_.make_list_expr({})), kwarg("layout", store_.make_name(layout))},
                    at);
      }
    }
    extras.push_back(e);
  }
  // Printed order: tensors view, MemRef, string; tiles MemRef, memory space, view.
  const auto rank = [&](ExprId e) {
    const Expr& x = store_.expr(e);
    if (x.kind == ExprKind::Name) return 1;
    if (x.kind == ExprKind::Str) return 3;
    const ExprId base = x.kind == ExprKind::Subscript ? ExprId(x.a) : e;
    const bool view = store_.expr(base).kind == ExprKind::Call && store_.callee(base).ends_with("View");
    if (kind == TypeKind::Tile) return view ? 2 : 0;
    return view ? 0 : 1;
  };
  std::stable_sort(extras.begin(), extras.end(), [&](ExprId a, ExprId b) { return rank(a) < rank(b); });
  t.list = store_.make_list(shape);
  t.extras = store_.make_list(extras);
  return store_.intern_type(t);
}

TypeId FunctionReader::type(SynExprId id) {
  const SynExpr e = tree_.expr(id);
  const Nesting nesting(*this, e.span);
  if (e.kind == SynKind::Name) {
    const std::string text = dotted(id);
    if (text.starts_with("pl.")) {
      const std::string_view name = std::string_view(text).substr(3);
      if (name == "TaskId") return store_.scalar_type(DType::TaskId);
      if (name == "UnknownType") return store_.unknown_type();
      const DType d = dtype_from_name(name);
      if (d != DType::None) return store_.scalar_type(d);
      return store_.intern_type({.kind = TypeKind::Named, .name = store_.names.intern(text)});
    }
    if (text.starts_with("pld.")) return store_.intern_type({.kind = TypeKind::Named, .name = store_.names.intern(text)});
    const auto found = context_.module_names.find(e.name.value);
    if (found != context_.module_names.end() && found->second.kind == ModuleBinding::Kind::Syntax) {
      if (syntax_uses_ >= 64) read_fail(e.span, "'" + text + "' stands for itself");
      const Expansion expansion(*this);
      return type(found->second.syntax);
    }
    read_fail(e.span, "'" + std::string(store_.text(e.name)) + "' is not a type");
  }
  SynExprId head;
  std::vector<SynExprId> parts;
  if (e.kind == SynKind::Subscript) {
    head = tree_.kid_id(id, 0);
    const SynExprId index = tree_.kid_id(id, 1);
    const SynExpr& i = tree_.expr(index);
    if (i.kind == SynKind::Tuple) {
      for (std::uint32_t k = 0; k < i.kids.count; ++k) parts.push_back(tree_.kid_id(index, k));
    } else {
      parts.push_back(index);
    }
  } else if (e.kind == SynKind::Call) {
    head = tree_.kid_id(id, 0);
    for (std::uint32_t k = 1; k < e.kids.count; ++k) parts.push_back(tree_.kid_id(id, k));
  } else {
    read_fail(e.span, "a type was expected");
  }
  const std::string text = dotted(head);
  if (text == "pl.Tensor") return shaped_type(id, TypeKind::Tensor, parts);
  if (text == "pld.DistributedTensor") return shaped_type(id, TypeKind::DistributedTensor, parts);
  if (text == "pl.Tile") return shaped_type(id, TypeKind::Tile, parts);
  if (text == "pl.Scalar") {
    if (parts.size() != 1) read_fail(e.span, "pl.Scalar takes one element type");
    Type t;
    t.kind = TypeKind::Scalar;
    t.dtype = dtype(parts[0], t.name);
    return store_.intern_type(t);
  }
  if (text == "pl.Array") {
    if (parts.size() != 2) read_fail(e.span, "pl.Array takes an extent and an element type");
    Type t;
    t.kind = TypeKind::Array;
    const ExprId extent = dimension(parts[0]);
    t.dtype = dtype(parts[1], t.name);
    t.list = store_.make_list({extent});
    return store_.intern_type(t);
  }
  if (text == "pl.Tuple" || text == "tuple") {
    std::vector<TypeId> items;
    items.reserve(parts.size());
    for (const SynExprId p : parts) items.push_back(type(p));
    return store_.tuple_type(items);
  }
  if (text == "pl.Out" || text == "pl.InOut") read_fail(e.span, text + " is allowed only around a whole parameter annotation");
  // Something newer than this reader: keep its text.
  const std::string kept = one_line(context_.source->text(e.span), [&](std::string_view name) { return canonical(name); });
  return store_.intern_type({.kind = TypeKind::Opaque, .name = store_.names.intern(kept)});
}

}  // namespace depscope::ir
