// Names of element types and function kinds, and questions about types.
#include <array>

#include "depscope/ir/program.h"

namespace depscope::ir {
namespace {

constexpr std::array<std::string_view, 24> kDTypeNames = {
    "",    "BOOL",      "INT4",    "INT8",    "INT16", "INT32", "INT64", "UINT4", "UINT8", "UINT16", "UINT32",  "UINT64",
    "FP4", "FP8E4M3FN", "FP8E5M2", "FP8E8M0", "FP16",  "FP32",  "BF16",  "HF4",   "HF8",   "INDEX",  "TASK_ID", ""};
static_assert(kDTypeNames.size() == static_cast<std::size_t>(DType::Other) + 1);

ExprId extra_call(const NodeStore& store, TypeId type, std::string_view first, std::string_view second) {
  if (!type.valid()) return {};
  const Type& t = store.type(type);
  for (std::uint32_t i = 0; i < t.extras.count; ++i) {
    const ExprId whole = store.at<ExprId>(t.extras, i);
    ExprId id = whole;
    if (store.expr(id).kind == ExprKind::Subscript) id = ExprId(store.expr(id).a);
    if (store.expr(id).kind != ExprKind::Call) continue;
    const std::string_view callee = store.callee(id);
    if (callee == first || callee == second) return whole;
  }
  return {};
}

}  // namespace

std::string_view dtype_name(DType dtype) { return kDTypeNames[static_cast<std::size_t>(dtype)]; }

DType dtype_from_name(std::string_view name) {
  for (std::size_t i = 1; i + 1 < kDTypeNames.size(); ++i) {
    if (kDTypeNames[i] == name) return static_cast<DType>(i);
  }
  return DType::None;
}

std::string_view function_kind_name(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::Opaque: return "Opaque";
    case FunctionKind::Orchestration: return "Orchestration";
    case FunctionKind::Graph: return "Graph";
    case FunctionKind::InCore: return "InCore";
    case FunctionKind::Aic: return "AIC";
    case FunctionKind::Aiv: return "AIV";
    case FunctionKind::Group: return "Group";
    case FunctionKind::Spmd: return "Spmd";
    case FunctionKind::Inline: return "Inline";
  }
  return "Opaque";
}

bool is_tensor_like(const NodeStore& store, TypeId type) {
  if (!type.valid()) return false;
  const TypeKind kind = store.type(type).kind;
  return kind == TypeKind::Tensor || kind == TypeKind::DistributedTensor || kind == TypeKind::Tile;
}

bool is_scalar(const NodeStore& store, TypeId type, DType dtype) {
  return type.valid() && store.type(type).kind == TypeKind::Scalar && store.type(type).dtype == dtype;
}

bool is_task_id(const NodeStore& store, TypeId type) { return is_scalar(store, type, DType::TaskId); }

bool is_task_id_array(const NodeStore& store, TypeId type) {
  return type.valid() && store.type(type).kind == TypeKind::Array && store.type(type).dtype == DType::TaskId;
}

std::optional<std::int64_t> array_extent(const NodeStore& store, TypeId type) {
  if (!type.valid() || store.type(type).kind != TypeKind::Array || store.type(type).list.count != 1) return std::nullopt;
  return store.as_int(store.at<ExprId>(store.type(type).list, 0));
}

ExprId type_view(const NodeStore& store, TypeId type) { return extra_call(store, type, "TensorView", "TileView"); }
ExprId type_memref(const NodeStore& store, TypeId type) { return extra_call(store, type, "MemRef", "MemRef"); }

}  // namespace depscope::ir
