// U-text sugar: short operation names, default arguments, subscripts (ir-text.md 5.10).
#include <algorithm>
#include <array>

#include "function_reader.h"

namespace depscope::ir {
namespace {

// Operations that exist only on tiles; written without a namespace they are tile operations whatever their operands are.
constexpr std::array<std::string_view, 8> kTileOnly = {"load",       "store",    "move",          "matmul",
                                                       "matmul_acc", "mscatter", "get_block_idx", "gemv"};
// Element-wise operations with a form of their own for a scalar right side.
constexpr std::array<std::string_view, 12> kScalarForms = {"add", "sub",  "mul", "div", "maximum", "minimum",
                                                           "rem", "and_", "or_", "shl", "shr",     "cmp"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool deeper_than(const NodeStore& store, ExprId id, int depth) {
  if (depth == 0) return true;
  const std::vector<ExprId> kids = children(store, id);
  return std::any_of(kids.begin(), kids.end(), [&](ExprId kid) { return deeper_than(store, kid, depth - 1); });
}

std::string scalar_form(std::string_view op) {
  if (op == "maximum") return "maxs";
  if (op == "minimum") return "mins";
  if (op.ends_with('_')) return std::string(op.substr(0, op.size() - 1)) + "s";
  return std::string(op) + "s";
}

}  // namespace

ExprId FunctionReader::task_invalid(Span span) {
  Call c;
  c.callee = store_.names.intern("system.task_invalid");
  return store_.make_call(c, store_.scalar_type(DType::TaskId), span);
}

std::string FunctionReader::resolve_short_op(std::string_view op, Arguments& a, Span at) {
  if (op.starts_with("pld.")) {
    const std::string_view rest = op.substr(4);
    if (rest == "alloc_window_buffer" || rest == "window") return "pld.tensor." + std::string(rest);
    if (rest == "world_size" || rest == "get_comm_ctx") return "pld.system." + std::string(rest);
    return std::string(op);
  }
  const std::size_t dot = op.find('.');
  std::string space = dot == std::string_view::npos ? std::string() : std::string(op.substr(0, dot));
  std::string name(dot == std::string_view::npos ? op : op.substr(dot + 1));
  if (!space.empty() && space != "tensor" && space != "tile") return std::string(op);
  if (space.empty()) {
    // Expressions of types and annotations: pl.MemRef(…), pl.TensorView(…), pl.split(…)
    if (name == "MemRef" || name.ends_with("View") || name == "split" || name == "cross_core_slot" || name == "scope" ||
        name == "at" || name == "cluster" || name == "spmd" || name == "manual_scope" || name == "range" || name == "parallel" ||
        name == "unroll" || name == "pipeline" || name == "while_" || name == "split_aiv" || name == "dynamic") {
      return name;
    }
    if (name == "create_tensor") return "tensor.create";
    if (name == "create_tile") return "tile.create";
    if (contains(kTileOnly, name)) return "tile." + name;
    TypeKind first = TypeKind::Unknown;
    for (const ExprId arg : a.args) {
      const TypeId t = type_of(arg);
      if (!t.valid()) continue;
      const TypeKind kind = store_.type(t).kind;
      if (kind == TypeKind::Tensor || kind == TypeKind::DistributedTensor || kind == TypeKind::Tile) {
        first = kind;
        break;
      }
      if (kind == TypeKind::Array) return "array." + name;
    }
    if (first == TypeKind::Unknown) return name;  // kept as written
    space = first == TypeKind::Tile ? "tile" : "tensor";
  }
  // A literal or scalar second operand selects the scalar form. The printed `tensor.add(x, 2.0)` is already `tensor.adds`.
  if (contains(kScalarForms, name) && a.args.size() >= 2) {
    const TypeId second = type_of(a.args[1]);
    const bool first_tensor = is_tensor_like(store_, type_of(a.args[0]));
    const bool scalar = is_literal(a.args[1]) || (second.valid() && store_.type(second).kind == TypeKind::Scalar);
    if (first_tensor && scalar) {
      name = scalar_form(name);
      const Type& t = store_.type(type_of(a.args[0]));
      if (is_literal(a.args[1]) && store_.expr(a.args[1]).kind == ExprKind::Int && t.dtype >= DType::Fp4 &&
          t.dtype <= DType::Hf8) {
        a.args[1] = store_.make_float(number_of(a.args[1]), DType::Fp32, at);
      }
    }
  }
  return space + "." + name;
}

// Arguments that the front end fills in.
void FunctionReader::default_arguments(std::string_view op, Arguments& a) {
  const auto find = [&](std::string_view key) {
    return std::find_if(a.kwargs.begin(), a.kwargs.end(), [&](const NamedExpr& k) { return store_.text(k.name) == key; });
  };
  const auto take = [&](std::string_view key) {
    const auto it = find(key);
    if (it == a.kwargs.end()) return ExprId();
    const ExprId value = it->value;
    a.kwargs.erase(it);
    return value;
  };
  if (op == "tensor.create" || op == "tile.create" || op == "array.create") {
    if (a.args.size() == 2 && find("dtype") == a.kwargs.end()) {
      a.kwargs.insert(a.kwargs.begin(), kwarg("dtype", a.args[1]));
      a.args.pop_back();
    }
    if (op == "tensor.create" && find("layout") == a.kwargs.end()) {
      const auto at = find("dtype") == a.kwargs.end() ? a.kwargs.begin() : find("dtype") + 1;
      a.kwargs.insert(at, kwarg("layout", store_.make_name("pl.TensorLayout.ND")));
    }
  } else if (op == "tile.load") {
    ExprId valid = take("valid_shape");
    if (!valid.valid()) valid = take("valid_shapes");
    if (a.args.size() == 3) a.args.push_back(valid.valid() ? valid : a.args[2]);
    if (find("target_memory") == a.kwargs.end()) a.kwargs.push_back(kwarg("target_memory", store_.make_name("pl.Mem.Vec")));
  } else if (op == "tile.cast" || op == "tensor.cast") {
    if (a.args.size() >= 2) {
      a.kwargs.insert(a.kwargs.begin(), kwarg("target_type", a.args[1]));
      a.args.resize(1);
    }
    if (find("mode") == a.kwargs.end()) a.kwargs.push_back(kwarg("mode", store_.make_str("round", true)));
  } else if (op == "tensor.slice") {
    const ExprId valid = take("valid_shape");
    if (a.args.size() == 3 && valid.valid()) a.args.push_back(valid);
  } else if (op == "tensor.reinterpret_view" || op == "tile.reinterpret_view") {
    if (a.args.size() == 2) {
      a.kwargs.insert(a.kwargs.begin(), kwarg("dtype", a.args[1]));
      a.args.pop_back();
    }
  }
}

// ---------------------------------------------------------------- subscripts

FunctionReader::Window FunctionReader::window_of(SynExprId index, TypeId tensor, Span at) {
  std::vector<SynExprId> parts;
  const SynExpr e = tree_.expr(index);
  if (e.kind == SynKind::Tuple) {
    for (std::uint32_t i = 0; i < e.kids.count; ++i) parts.push_back(tree_.kid_id(index, i));
  } else {
    parts.push_back(index);
  }
  const Range dims = store_.type(tensor).list;
  if (parts.size() > dims.count)
    read_fail(at, "more indices than the tensor has dimensions (" + std::to_string(dims.count) + ")");
  Window w;
  for (std::uint32_t i = 0; i < dims.count; ++i) {
    const ExprId extent = store_.at<ExprId>(dims, i);
    if (i >= parts.size()) {
      w.shape.push_back(extent);
      w.offset.push_back(store_.make_int(0));
      w.any_slice = true;
      continue;
    }
    const SynExpr p = tree_.expr(parts[i]);
    if (p.kind != SynKind::Slice) {
      w.shape.push_back(store_.make_int(1));
      w.offset.push_back(expr(parts[i]));
      w.dropped.push_back(store_.make_int(i));
      continue;
    }
    w.any_slice = true;
    std::uint32_t kid = 0;
    const ExprId start = (p.op & 1U) != 0 ? expr(tree_.kid_id(parts[i], kid++)) : store_.make_int(0);
    const ExprId stop = (p.op & 2U) != 0 ? expr(tree_.kid_id(parts[i], kid)) : extent;
    w.offset.push_back(start);
    if (is_literal(start) && store_.as_int(start) == 0) {
      w.shape.push_back(stop);
    } else if (is_literal(start) && is_literal(stop)) {
      w.shape.push_back(fold(BinaryOp::Sub, stop, start, p.span));
    } else {
      // Slices of slices of an unknown extent would build an expression that nothing can read back.
      constexpr int kMaxDimensionDepth = 64;
      if (deeper_than(store_, stop, kMaxDimensionDepth) || deeper_than(store_, start, kMaxDimensionDepth)) {
        read_fail(p.span, "the extent of this slice is nested deeper than the limit of " + std::to_string(kMaxDimensionDepth));
      }
      w.shape.push_back(store_.make_binary(BinaryOp::Sub, stop, start, arithmetic_type(BinaryOp::Sub, stop, start), p.span));
    }
  }
  return w;
}

ExprId FunctionReader::tensor_subscript(ExprId base, SynExprId index, Span span) {
  const TypeId t = type_of(base);
  const std::string space = store_.type(t).kind == TypeKind::Tile ? "tile." : "tensor.";
  Window w = window_of(index, t, span);
  if (!w.any_slice) return make_op(space + "read", {base, store_.make_list_expr(w.offset)}, {}, span);
  std::vector<ExprId> args{base, store_.make_list_expr(w.shape), store_.make_list_expr(w.offset)};
  if (!w.dropped.empty()) {
    args.push_back(store_.make_list_expr({}));
    args.push_back(store_.make_list_expr(w.dropped));
  }
  return make_op(space + "slice", args, {}, span);
}

ExprId FunctionReader::subscript_expr(SynExprId id) {
  const SynExpr e = tree_.expr(id);
  const ExprId base = expr(tree_.kid_id(id, 0));
  const SynExprId index = tree_.kid_id(id, 1);
  const TypeId t = type_of(base);
  const TypeKind kind = t.valid() ? store_.type(t).kind : TypeKind::Unknown;
  if (kind == TypeKind::Tensor || kind == TypeKind::DistributedTensor || kind == TypeKind::Tile)
    return tensor_subscript(base, index, e.span);
  if (tree_.expr(index).kind == SynKind::Slice || tree_.expr(index).kind == SynKind::Tuple) {
    read_fail(tree_.expr(index).span, "only tensors can be sliced");
  }
  const ExprId i = expr(index);
  if (kind == TypeKind::Array) return make_op("array.get_element", {base, i}, {}, e.span);
  const auto constant = store_.as_int(i);
  if (kind == TypeKind::Tuple) {
    const Range items = store_.type(t).list;
    if (!constant || !is_literal(i)) read_fail(tree_.expr(index).span, "the index of a tuple must be a literal");
    if (*constant < 0 || *constant >= items.count)
      read_fail(tree_.expr(index).span, "index " + std::to_string(*constant) + " of a tuple of " + std::to_string(items.count));
    return store_.make_tuple_get(base, static_cast<std::uint32_t>(*constant),
                                 store_.at<TypeId>(items, static_cast<std::uint32_t>(*constant)), e.span);
  }
  if (store_.expr(base).kind == ExprKind::Var && constant && is_literal(i) && *constant >= 0 && *constant < INT32_MAX) {
    return store_.make_tuple_get(base, static_cast<std::uint32_t>(*constant), {}, e.span);
  }
  return store_.make_expr({.kind = ExprKind::Subscript, .type = {}, .span = e.span, .a = base.value, .b = i.value});
}

StmtId FunctionReader::subscript_assign(SynExprId target, SynExprId value, Span span) {
  const SynExprId base_syntax = tree_.kid_id(target, 0);
  const SynExpr b = tree_.expr(base_syntax);
  if (b.kind != SynKind::Name || !lookup(b.name).valid())
    read_fail(b.span, "only elements of a local array or tensor can be assigned");
  const VarId var = lookup(b.name);
  const ExprId base = expr(base_syntax);
  const TypeId t = type_of(base);
  const SynExprId index = tree_.kid_id(target, 1);
  const ExprId v = expr(value);
  const TypeKind kind = t.valid() ? store_.type(t).kind : TypeKind::Unknown;
  if (kind == TypeKind::Array)
    return store_.make_assign(var, make_op("array.update_element", {base, expr(index), v}, {}, span), t, span);
  if (kind != TypeKind::Tensor && kind != TypeKind::DistributedTensor && kind != TypeKind::Tile)
    read_fail(b.span, "only elements of a local array or tensor can be assigned");
  const std::string space = kind == TypeKind::Tile ? "tile." : "tensor.";
  Window w = window_of(index, t, span);
  if (!w.any_slice) return store_.make_eval(make_op(space + "write", {base, store_.make_list_expr(w.offset), v}, {}, span), span);
  ExprId source = v;
  const TypeId source_type = type_of(v);
  if (source_type.valid() && is_tensor_like(store_, source_type) &&
      store_.type(source_type).list.count != store_.type(t).list.count) {
    source = make_op(space + "reshape", {v, store_.make_list_expr(w.shape)}, {}, span);
  }
  return store_.make_assign(var, make_op(space + "assemble", {base, source, store_.make_list_expr(w.offset)}, {}, span), t, span);
}

}  // namespace depscope::ir
