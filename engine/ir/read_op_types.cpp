// Result types of operations, where the rules are known (ir-text.md 4, 6.2).
#include <algorithm>
#include <array>

#include "function_reader.h"

namespace depscope::ir {

TypeId FunctionReader::slice_type(const Arguments& a, TypeId base) {
  if (a.args.size() < 3 || !base.valid() || !is_tensor_like(store_, base) || store_.expr(a.args[1]).kind != ExprKind::List)
    return {};
  std::vector<ExprId> shape = children(store_, a.args[1]);
  std::vector<ExprId> valid;
  if (a.args.size() > 3 && store_.expr(a.args[3]).kind == ExprKind::List) valid = children(store_, a.args[3]);
  std::vector<bool> drop(shape.size(), false);
  if (a.args.size() > 4 && store_.expr(a.args[4]).kind == ExprKind::List) {
    for (const ExprId axis : children(store_, a.args[4])) {
      const auto k = store_.as_int(axis);
      if (k && *k >= 0 && static_cast<std::size_t>(*k) < drop.size()) drop[static_cast<std::size_t>(*k)] = true;
    }
  }
  const auto kept = [&](const std::vector<ExprId>& all) {
    std::vector<ExprId> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= drop.size() || !drop[i]) out.push_back(all[i]);
    }
    return out;
  };
  Type t = store_.type(base);
  ExprId pad;
  for (const NamedExpr& k : a.kwargs) {
    if (store_.text(k.name) == "pad_value") pad = k.value;
  }
  const bool has_pad =
      pad.valid() && !(store_.expr(pad).kind == ExprKind::Name && store_.text(NameId(store_.expr(pad).a)) == "pl.PadValue.null");
  std::vector<ExprId> extras;
  if (t.kind == TypeKind::Tile) {
    for (std::uint32_t i = 0; i < t.extras.count; ++i) {
      const ExprId x = store_.at<ExprId>(t.extras, i);
      if (store_.expr(x).kind == ExprKind::Name) extras.push_back(x);
    }
    if (!valid.empty()) extras.push_back(make_op("TileView", {}, {kwarg("valid_shape", store_.make_list_expr(valid))}, {}));
  } else if (!valid.empty() || has_pad) {
    std::vector<NamedExpr> view;
    if (!valid.empty()) view.push_back(kwarg("valid_shape", store_.make_list_expr(kept(valid))));
    view.push_back(kwarg("stride", store_.make_list_expr({})));
    view.push_back(kwarg("layout", store_.make_name("pl.TensorLayout.ND")));
    if (has_pad) view.push_back(kwarg("pad", pad));
    extras.push_back(make_op("TensorView", {}, view, {}));
  }
  t.list = store_.make_list(kept(shape));
  t.extras = store_.make_list(extras);
  return store_.intern_type(t);
}

TypeId FunctionReader::op_type(std::string_view op, const Arguments& a) {
  const auto arg_type = [&](std::size_t i) { return i < a.args.size() ? type_of(a.args[i]) : TypeId(); };
  const auto key = [&](std::string_view name) {
    for (const NamedExpr& k : a.kwargs) {
      if (store_.text(k.name) == name) return k.value;
    }
    return ExprId();
  };
  const auto dtype_of = [&](ExprId e) {
    if (!e.valid() || store_.expr(e).kind != ExprKind::Name) return DType::None;
    const std::string_view n = store_.text(NameId(store_.expr(e).a));
    return n.starts_with("pl.") ? dtype_from_name(n.substr(3)) : DType::None;
  };
  const auto shape_arg = [&](std::size_t i) {
    return i < a.args.size() && store_.expr(a.args[i]).kind == ExprKind::List ? children(store_, a.args[i])
                                                                              : std::vector<ExprId>();
  };
  const auto shaped = [&](TypeKind kind, const std::vector<ExprId>& shape, DType dtype, const std::vector<ExprId>& extras) {
    if (dtype == DType::None) return TypeId();  // not written, or newer than this reader
    Type t;
    t.kind = kind;
    t.dtype = dtype;
    if (dtype == DType::Other && arg_type(0).valid())
      t.name = store_.type(arg_type(0)).name;  // only ever that of the first operand
    t.list = store_.make_list(shape);
    t.extras = store_.make_list(extras);
    return store_.intern_type(t);
  };
  const auto element = [&](TypeId of) {
    return store_.intern_type({.kind = TypeKind::Scalar, .dtype = store_.type(of).dtype, .name = store_.type(of).name});
  };
  const auto memory = [&](std::string_view fallback) {
    const ExprId m = key("target_memory");
    return m.valid() ? m : store_.make_name(fallback);
  };
  const auto memory_of = [&](TypeId type) -> std::vector<ExprId> {
    if (!type.valid()) return {};
    const Range extras = store_.type(type).extras;
    for (std::uint32_t i = 0; i < extras.count; ++i) {
      const ExprId x = store_.at<ExprId>(extras, i);
      if (store_.expr(x).kind == ExprKind::Name) return {x};
    }
    return {};
  };

  if (op == "system.task_invalid" || op == "system.task_dummy") return store_.scalar_type(DType::TaskId);
  if (op == "system.task_is_valid") return store_.scalar_type(DType::Bool);
  if (op == "system.available_cluster_count" || op == "system.available_aiv_count" || op == "tensor.dim" ||
      op == "tile.get_block_idx") {
    return store_.scalar_type(DType::Index);
  }
  if (op == "pld.system.world_size") return store_.scalar_type(DType::Int64);
  if (op == "pld.tensor.alloc_window_buffer" || op == "tile.alloc" || op == "tensor.alloc") {
    return store_.intern_type({.kind = TypeKind::Named, .name = store_.names.intern("pl.Ptr")});
  }
  if (op == "pld.system.get_comm_ctx")
    return store_.intern_type({.kind = TypeKind::Named, .name = store_.names.intern("pld.CommCtxType")});
  if (op == "pld.tensor.window") return shaped(TypeKind::DistributedTensor, shape_arg(1), dtype_of(key("dtype")), {});
  if (op == "array.create") {
    const DType d = dtype_of(key("dtype"));
    return a.args.empty() || d == DType::None ? TypeId() : store_.array_type(a.args[0], d);
  }
  if (op == "array.update_element") return arg_type(0);
  if (op == "array.get_element") {
    const TypeId t = arg_type(0);
    return t.valid() && store_.type(t).kind == TypeKind::Array ? element(t) : TypeId();
  }
  if (op == "tensor.create") {
    const DType d = dtype_of(key("dtype"));
    if (a.args.empty() || d == DType::None) return {};
    std::vector<ExprId> extras;
    const ExprId layout = key("layout");
    if (layout.valid() && store_.expr(layout).kind == ExprKind::Name &&
        store_.text(NameId(store_.expr(layout).a)) != "pl.TensorLayout.ND") {
      extras.push_back(make_op("TensorView", {}, {kwarg("stride", store_.make_list_expr({})), kwarg("layout", layout)}, {}));
    }
    return shaped(TypeKind::Tensor, shape_arg(0), d, extras);
  }
  if (op == "tensor.slice" || op == "tile.slice") return slice_type(a, arg_type(0));
  if (op == "tensor.assemble" || op == "tile.assemble") return arg_type(0);
  if (op == "tile.store") return arg_type(2);
  if (op == "tensor.read" || op == "tile.read") {
    const TypeId t = arg_type(0);
    return t.valid() && is_tensor_like(store_, t) ? element(t) : TypeId();
  }
  if (op == "tensor.write" || op == "tile.write") return {};
  if (op == "tile.load") {
    const TypeId t = arg_type(0);
    if (!t.valid() || !is_tensor_like(store_, t)) return {};
    std::vector<ExprId> extras{memory("pl.Mem.Vec")};
    const std::vector<ExprId> shape = shape_arg(2);
    const std::vector<ExprId> valid = shape_arg(3);
    bool whole = valid.size() == shape.size();
    for (std::size_t i = 0; whole && i < shape.size(); ++i) whole = same_expr(store_, shape[i], valid[i]);
    if (!whole && !valid.empty())
      extras.push_back(make_op("TileView", {}, {kwarg("valid_shape", store_.make_list_expr(valid))}, {}));
    return shaped(TypeKind::Tile, shape, store_.type(t).dtype, extras);
  }
  if (op == "tensor.full") {
    const DType d = dtype_of(key("dtype"));
    return d == DType::None ? TypeId() : shaped(TypeKind::Tensor, shape_arg(0), d, {});
  }
  if (op == "tile.create" || op == "tile.full") {
    const DType d = dtype_of(key("dtype"));
    return d == DType::None ? TypeId() : shaped(TypeKind::Tile, shape_arg(0), d, {memory("pl.Mem.Vec")});
  }
  if (op == "tile.move") {
    const TypeId t = arg_type(0);
    if (!t.valid() || store_.type(t).kind != TypeKind::Tile) return {};
    return shaped(TypeKind::Tile, store_.list<ExprId>(store_.type(t).list), store_.type(t).dtype, {memory("pl.Mem.Vec")});
  }
  const TypeId first = arg_type(0);
  if (!first.valid() || !is_tensor_like(store_, first)) return {};
  const TypeKind kind = store_.type(first).kind;
  const DType d = store_.type(first).dtype;
  const std::vector<ExprId> dims = store_.list<ExprId>(store_.type(first).list);
  const std::size_t dot = op.find('.');
  const std::string_view base = dot == std::string_view::npos ? op : op.substr(dot + 1);
  if (base == "reshape" || base == "view") {
    const std::vector<ExprId> shape = shape_arg(1);
    return shape.empty() ? TypeId() : shaped(kind, shape, d, kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (base == "reinterpret_view") {
    const DType to = dtype_of(key("dtype"));
    if (to == DType::None) return {};
    const ExprId shape = key("shape");
    return shaped(kind, shape.valid() && store_.expr(shape).kind == ExprKind::List ? children(store_, shape) : dims, to,
                  kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (base == "transpose" && a.args.size() == 3) {
    const auto x = store_.as_int(a.args[1]);
    const auto y = store_.as_int(a.args[2]);
    if (!x || !y || *x < 0 || *y < 0 || static_cast<std::size_t>(*x) >= dims.size() ||
        static_cast<std::size_t>(*y) >= dims.size())
      return {};
    std::vector<ExprId> swapped = dims;
    std::swap(swapped[static_cast<std::size_t>(*x)], swapped[static_cast<std::size_t>(*y)]);
    return shaped(kind, swapped, d, kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (base == "gather") {
    const ExprId index = key("index");
    const TypeId by = index.valid() ? type_of(index) : arg_type(a.args.size() > 2 ? 2 : 1);
    if (!by.valid() || !is_tensor_like(store_, by)) return {};
    return shaped(kind, store_.list<ExprId>(store_.type(by).list), d,
                  kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (op == "tensor.set_validshape" && a.args.size() == 1 + dims.size()) {
    const std::vector<ExprId> valid(a.args.begin() + 1, a.args.end());
    const ExprId view = make_op("TensorView", {},
                                {kwarg("valid_shape", store_.make_list_expr(valid)), kwarg("stride", store_.make_list_expr({})),
                                 kwarg("layout", store_.make_name("pl.TensorLayout.ND"))},
                                {});
    return shaped(kind, dims, d, {view});
  }
  if (base == "cast") {
    const DType to = dtype_of(key("target_type"));
    if (to == DType::None) return {};
    Type t = store_.type(first);
    t.dtype = to;
    t.name = NameId(0);
    return store_.intern_type(t);
  }
  if (op == "tile.fillpad") {
    std::vector<ExprId> extras = memory_of(first);
    const ExprId pad = key("pad_value");
    if (pad.valid()) extras.push_back(make_op("TileView", {}, {kwarg("pad", pad)}, {}));
    return shaped(kind, dims, d, extras);
  }
  if (op == "tile.transpose_view" && dims.size() == 2) {
    std::vector<ExprId> extras = memory_of(first);
    extras.push_back(make_op("TileView", {},
                             {kwarg("blayout", store_.make_name("pl.TileLayout.row_major")),
                              kwarg("slayout", store_.make_name("pl.TileLayout.col_major"))},
                             {}));
    return shaped(kind, {dims[1], dims[0]}, d, extras);
  }
  if (base == "row_argmax" || base == "row_argmin") {
    if (dims.size() != 2) return {};
    return shaped(kind, {dims[0], store_.make_int(1)}, DType::Int32,
                  kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (base == "row_max" || base == "row_sum" || base == "row_min") {
    if (dims.size() != 2) return {};
    return shaped(kind, {dims[0], store_.make_int(1)}, d, kind == TypeKind::Tile ? memory_of(first) : std::vector<ExprId>());
  }
  if (base == "matmul") {
    const TypeId second = arg_type(1);
    if (dims.size() != 2 || !second.valid() || store_.type(second).list.count != 2) return {};
    const ExprId columns = store_.at<ExprId>(store_.type(second).list, 1);
    const bool integer = d >= DType::Int4 && d <= DType::UInt64;
    const std::vector<ExprId> extras =
        kind == TypeKind::Tile ? std::vector{store_.make_name("pl.Mem.Acc")} : std::vector<ExprId>();
    return shaped(kind, {dims[0], columns}, integer ? DType::Int32 : DType::Fp32, extras);
  }
  static constexpr std::array<std::string_view, 30> kElementwise = {"add",
                                                                    "sub",
                                                                    "mul",
                                                                    "div",
                                                                    "adds",
                                                                    "subs",
                                                                    "muls",
                                                                    "divs",
                                                                    "maximum",
                                                                    "minimum",
                                                                    "maxs",
                                                                    "mins",
                                                                    "exp",
                                                                    "log",
                                                                    "sqrt",
                                                                    "rsqrt",
                                                                    "recip",
                                                                    "neg",
                                                                    "abs",
                                                                    "relu",
                                                                    "not_",
                                                                    "row_expand_sub",
                                                                    "row_expand_mul",
                                                                    "row_expand_div",
                                                                    "row_expand_add",
                                                                    "col_expand_mul",
                                                                    "col_expand_sub",
                                                                    "col_expand_add",
                                                                    "col_expand_div",
                                                                    "rem"};
  if (std::find(kElementwise.begin(), kElementwise.end(), base) != kElementwise.end()) return first;
  return {};
}

}  // namespace depscope::ir
