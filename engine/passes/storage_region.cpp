#include "storage_region.h"

#include <algorithm>
#include <string_view>

namespace depscope::pass {

using ir::ExprId;
using ir::ExprKind;

StorageRegion BoxPool::make(std::span<const std::int64_t> offset, std::span<const std::int64_t> shape) {
  const StorageRegion box{StorageKind::Box, static_cast<std::uint32_t>(values_.size()),
                          static_cast<std::uint32_t>(offset.size())};
  values_.insert(values_.end(), offset.begin(), offset.end());
  values_.insert(values_.end(), shape.begin(), shape.end());
  return box;
}

bool BoxPool::same(const StorageRegion& a, const StorageRegion& b) const {
  if (a.kind != b.kind) return false;
  if (a.kind != StorageKind::Box || a.begin == b.begin) return true;
  return std::ranges::equal(offset(a), offset(b)) && std::ranges::equal(shape(a), shape(b));
}

bool BoxPool::overlap(const StorageRegion& a, const StorageRegion& b) const {
  if (a.kind != StorageKind::Box || b.kind != StorageKind::Box || a.rank != b.rank) return true;
  const std::int64_t* first = values_.data() + a.begin;
  const std::int64_t* second = values_.data() + b.begin;
  bool apart = false;
  for (std::uint32_t d = 0; d < a.rank; ++d) {
    std::int64_t first_end = 0;
    std::int64_t second_end = 0;
    if (__builtin_add_overflow(first[d], first[a.rank + d], &first_end)) return true;
    if (__builtin_add_overflow(second[d], second[b.rank + d], &second_end)) return true;
    apart = apart || first_end <= second[d] || second_end <= first[d];
  }
  return !apart;
}

StorageRegion BoxPool::slice(const StorageRegion& parent, const std::optional<std::vector<std::int64_t>>& shape,
                             const std::optional<std::vector<std::int64_t>>& offset) {
  const StorageRegion dynamic{StorageKind::Dynamic, 0, 0};
  const bool constant = shape && offset && shape->size() == offset->size();
  switch (parent.kind) {
    case StorageKind::Unknown: return parent;
    case StorageKind::Conservative: return constant ? parent : dynamic;
    case StorageKind::Dynamic: return dynamic;
    case StorageKind::Full: return constant ? make(*offset, *shape) : dynamic;
    case StorageKind::Box: break;
  }
  if (!constant || parent.rank != shape->size()) return dynamic;
  std::vector<std::int64_t> moved(parent.rank);
  for (std::uint32_t d = 0; d < parent.rank; ++d) {
    if (__builtin_add_overflow(values_[parent.begin + d], (*offset)[d], &moved[d])) return dynamic;
  }
  return make(moved, *shape);
}

std::optional<std::vector<std::int64_t>> constant_list(const ir::NodeStore& store, ExprId list) {
  if (!list.valid()) return std::nullopt;
  const ir::Expr& e = store.expr(list);
  if (e.kind != ExprKind::List && e.kind != ExprKind::Tuple) return std::nullopt;
  std::vector<std::int64_t> values;
  values.reserve(e.b);
  for (std::uint32_t i = 0; i < e.b; ++i) {
    const auto value = store.as_int(store.at<ExprId>({e.a, e.b}, i));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

namespace {

bool empty_list(const ir::NodeStore& store, ExprId list) {
  if (!list.valid()) return true;
  const ir::Expr& e = store.expr(list);
  return e.kind == ExprKind::None || ((e.kind == ExprKind::List || e.kind == ExprKind::Tuple) && e.b == 0);
}

/// The last part of a dotted name ("pl.PadValue.zero" -> "zero"); empty for anything else.
std::string_view last_part(const ir::NodeStore& store, ExprId name) {
  if (!name.valid() || store.expr(name).kind != ExprKind::Name) return {};
  const std::string_view text = store.text(NameId(store.expr(name).a));
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

bool has_padding(const ir::NodeStore& store, ExprId pad) {
  return pad.valid() && store.expr(pad).kind != ExprKind::None && last_part(store, pad) != "null";
}

/// Strides of a row-major tensor of this shape, all constant.
bool packed(const ir::NodeStore& store, const ir::Type& type, ExprId stride) {
  const auto strides = constant_list(store, stride);
  if (!strides || strides->size() != type.list.count) return false;
  std::int64_t expected = 1;
  for (std::uint32_t d = type.list.count; d-- > 0;) {
    if ((*strides)[d] != expected) return false;
    const auto extent = store.as_int(store.at<ExprId>(type.list, d));
    if (d > 0 && (!extent || __builtin_mul_overflow(expected, *extent, &expected))) return false;
  }
  return true;
}

}  // namespace

ViewEffect view_effect(const ir::NodeStore& store, ir::TypeId type_id) {
  if (!type_id.valid()) return ViewEffect::Unchanged;
  const ir::Type& type = store.type(type_id);
  if (type.kind != ir::TypeKind::Tensor && type.kind != ir::TypeKind::DistributedTensor) return ViewEffect::Unchanged;
  const ExprId view = ir::type_view(store, type_id);
  if (!view.valid()) return ViewEffect::Unchanged;
  if (store.expr(view).kind != ExprKind::Call)
    return last_part(store, view) == "ND" ? ViewEffect::Unchanged : ViewEffect::Unknown;
  const ir::Call& call = store.call(view);
  if (call.args.count != 0) return ViewEffect::Unknown;
  const std::string_view layout = last_part(store, store.find_pair(call.kwargs, "layout"));
  if (!layout.empty() && layout != "ND") return ViewEffect::Unknown;
  if (has_padding(store, store.find_pair(call.kwargs, "pad"))) return ViewEffect::Unknown;
  const ExprId stride = store.find_pair(call.kwargs, "stride");
  if (!empty_list(store, stride) && !packed(store, type, stride)) return ViewEffect::Unknown;
  return empty_list(store, store.find_pair(call.kwargs, "valid_shape")) ? ViewEffect::Unchanged : ViewEffect::Conservative;
}

ViewEffect slice_effect(const ir::NodeStore& store, const ir::Call& slice) {
  if (has_padding(store, store.find_pair(slice.kwargs, "pad_value"))) return ViewEffect::Unknown;
  ExprId valid = store.find_pair(slice.kwargs, "valid_shape");
  if (!valid.valid() && slice.args.count > 3) valid = store.at<ExprId>(slice.args, 3);
  if (empty_list(store, valid)) return ViewEffect::Unchanged;
  // A valid shape that repeats the shape is none.
  const ExprId shape = slice.args.count > 1 ? store.at<ExprId>(slice.args, 1) : ExprId();
  return shape.valid() && ir::same_expr(store, valid, shape) ? ViewEffect::Unchanged : ViewEffect::Conservative;
}

StorageRegion apply(ViewEffect effect, const StorageRegion& region) {
  switch (effect) {
    case ViewEffect::Unchanged: return region;
    case ViewEffect::Conservative: return {StorageKind::Conservative, 0, 0};
    case ViewEffect::Unknown: return {StorageKind::Unknown, 0, 0};
  }
  return region;
}

}  // namespace depscope::pass
