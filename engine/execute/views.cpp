// Views of tensors, and elements of tensors that the orchestration reads and writes.
#include <fmt/format.h>

#include <algorithm>

#include "interpreter.h"

namespace depscope::execute {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

void row_major(runtime::TensorDescriptor& d) {
  std::uint64_t stride = 1;
  for (std::size_t i = d.rank; i-- > 0;) {
    d.strides[i] = stride;
    stride *= std::max<std::uint64_t>(d.shape[i], 1);
  }
}

Value Interpreter::slice(ExprId id) {
  const ir::Call c = store_.call(id);
  const Expr e = store_.expr(id);
  const Value base = evaluate(store_.at<ExprId>(c.args, 0));
  if (base.kind == ValueKind::Missing) return base;
  if (base.kind != ValueKind::Tensor || c.args.count < 3) fail(e.span, "a tensor was expected");
  TensorValue t = tensor(base);
  const ExprId shape = store_.at<ExprId>(c.args, 1);
  const ExprId offset = store_.at<ExprId>(c.args, 2);
  if (store_.expr(shape).kind != ExprKind::List || store_.expr(offset).kind != ExprKind::List)
    fail(e.span, "a list was expected");
  const Range shapes{store_.expr(shape).a, store_.expr(shape).b};
  const Range offsets{store_.expr(offset).a, store_.expr(offset).b};
  runtime::TensorDescriptor& d = t.descriptor;
  if (shapes.count != d.rank || offsets.count != d.rank) {
    fail(e.span,
         fmt::format("a slice with {} extents and {} offsets of a tensor of rank {}", shapes.count, offsets.count, d.rank));
  }
  std::int64_t start = static_cast<std::int64_t>(d.start_offset);
  for (std::uint32_t i = 0; i < d.rank; ++i) {
    const std::int64_t extent = need_int(store_.at<ExprId>(shapes, i), "the shape of this slice");
    const std::int64_t at = need_int(store_.at<ExprId>(offsets, i), "the offset of this slice");
    if (extent < 0 || extent > 0xffffffffLL) fail(e.span, fmt::format("a slice of {} elements in dimension {}", extent, i));
    std::int64_t shift = 0;
    if (__builtin_mul_overflow(at, static_cast<std::int64_t>(d.strides[i]), &shift) ||
        __builtin_add_overflow(start, shift, &start)) {
      fail(e.span, "the offset of this slice does not fit in 64 bits");
    }
    d.shape[i] = static_cast<std::uint32_t>(extent);
  }
  if (start < 0) fail(e.span, fmt::format("this slice begins {} elements before its buffer", -start));
  d.start_offset = static_cast<std::uint64_t>(start);
  if (c.args.count > 4) {
    const ExprId dropped = store_.at<ExprId>(c.args, 4);
    std::vector<bool> drop(d.rank, false);
    for (const ExprId axis : ir::children(store_, dropped)) {
      const auto k = store_.as_int(axis);
      if (k && *k >= 0 && *k < d.rank) drop[static_cast<std::size_t>(*k)] = true;
    }
    std::uint8_t rank = 0;
    for (std::size_t i = 0; i < drop.size(); ++i) {
      if (drop[i]) continue;
      d.shape[rank] = d.shape[i];
      d.strides[rank] = d.strides[i];
      ++rank;
    }
    for (std::size_t i = rank; i < runtime::kMaxRank; ++i) d.shape[i] = 0, d.strides[i] = 0;
    d.rank = rank;
  }
  d.manual_dep = false;
  return temporary_tensor(t);
}

Value Interpreter::reshape(ExprId id) {
  const ir::Call c = store_.call(id);
  const Expr e = store_.expr(id);
  const Value base = evaluate(store_.at<ExprId>(c.args, 0));
  if (base.kind == ValueKind::Missing) return base;
  if (base.kind != ValueKind::Tensor || c.args.count < 2) fail(e.span, "a tensor was expected");
  TensorValue t = tensor(base);
  const ExprId shape = store_.at<ExprId>(c.args, 1);
  if (store_.expr(shape).kind != ExprKind::List) fail(e.span, "a shape was expected");
  const Range shapes{store_.expr(shape).a, store_.expr(shape).b};
  if (shapes.count > runtime::kMaxRank)
    fail(e.span, fmt::format("rank {}: the runtime's limit is {}", shapes.count, runtime::kMaxRank));
  t.descriptor.rank = static_cast<std::uint8_t>(shapes.count);
  for (std::uint32_t i = 0; i < shapes.count; ++i) {
    const std::int64_t extent = need_int(store_.at<ExprId>(shapes, i), "the shape of this view");
    if (extent < 0 || extent > 0xffffffffLL) fail(e.span, fmt::format("a view of {} elements in dimension {}", extent, i));
    t.descriptor.shape[i] = static_cast<std::uint32_t>(extent);
  }
  row_major(t.descriptor);
  t.descriptor.manual_dep = false;
  return temporary_tensor(t);
}

Value Interpreter::transpose(ExprId id) {
  const ir::Call c = store_.call(id);
  const Expr e = store_.expr(id);
  const Value base = evaluate(store_.at<ExprId>(c.args, 0));
  if (base.kind == ValueKind::Missing) return base;
  if (base.kind != ValueKind::Tensor || c.args.count != 3) fail(e.span, "a tensor and two dimensions were expected");
  TensorValue t = tensor(base);
  const std::int64_t x = need_int(store_.at<ExprId>(c.args, 1), "a dimension");
  const std::int64_t y = need_int(store_.at<ExprId>(c.args, 2), "a dimension");
  if (x < 0 || y < 0 || x >= t.descriptor.rank || y >= t.descriptor.rank) fail(e.span, "the tensor has no such dimension");
  std::swap(t.descriptor.shape[static_cast<std::size_t>(x)], t.descriptor.shape[static_cast<std::size_t>(y)]);
  std::swap(t.descriptor.strides[static_cast<std::size_t>(x)], t.descriptor.strides[static_cast<std::size_t>(y)]);
  t.descriptor.manual_dep = false;
  return temporary_tensor(t);
}

// The orchestrator itself reads or writes memory: it waits for the tasks that have to do with it (runtime.md 3.7).
void Interpreter::host_access(const runtime::TensorDescriptor& tensor, bool write, Span at) {
  if (at_place(at, [&] { return model_.host_access(tensor, write); })) return;
  result_.notices.push_back({"runtime_error",
                             fmt::format("the orchestrator waits for ever for this tensor (error {})", model_.error_code()),
                             fmt::format("error_{}", model_.error_code()),
                             {},
                             line(at)});
  throw Stop{};
}

Value Interpreter::read_element(ExprId id) {
  const ir::Call c = store_.call(id);
  const Expr e = store_.expr(id);
  const Value base = evaluate(store_.at<ExprId>(c.args, 0));
  if (base.kind == ValueKind::Missing) return base;
  if (base.kind != ValueKind::Tensor || c.args.count < 2) fail(e.span, "a tensor was expected");
  const TensorValue t = tensor(base);
  if (!in_predicate_) host_access(t.descriptor, false, e.span);
  std::uint64_t at = t.descriptor.start_offset;
  const std::vector<ExprId> indices = ir::children(store_, store_.at<ExprId>(c.args, 1));
  if (indices.size() != t.descriptor.rank)
    fail(e.span, fmt::format("{} indices for a tensor of rank {}", indices.size(), t.descriptor.rank));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Value index = evaluate(indices[i]);
    if (index.kind == ValueKind::Missing) return index;
    if (index.kind != ValueKind::Int) fail(e.span, "an index is not an integer");
    if (index.number < 0 || index.number >= t.descriptor.shape[i])
      fail(e.span, fmt::format("index {} is outside the extent {}", index.number, t.descriptor.shape[i]));
    at += static_cast<std::uint64_t>(index.number) * t.descriptor.strides[i];
  }
  if (t.data == 0xffffffffU) {
    return missing(fmt::format("{}[…]", store_.is_var(store_.at<ExprId>(c.args, 0))
                                            ? source_name(store_.name(store_.as_var(store_.at<ExprId>(c.args, 0))))
                                            : "tensor"),
                   line(e.span));
  }
  const std::vector<double>& values = data_[t.data].values;
  if (at >= values.size())
    fail(e.span, fmt::format("--data {} has {} elements, element {} is read", data_[t.data].name, values.size(), at));
  const double value = values[at];
  const ir::TypeId type = e.type;
  const bool floating = type.valid() && store_.type(type).dtype >= ir::DType::Fp4 && store_.type(type).dtype <= ir::DType::Hf8;
  if (floating) return {.kind = ValueKind::Float, .real = value};
  if (!(value > -0x1p63 && value < 0x1p63))
    fail(e.span, fmt::format("--data {}: element {} does not fit in 64 bits", data_[t.data].name, at));
  return number(static_cast<std::int64_t>(value));
}

// What the orchestration writes itself is known to later reads only where the contents were given.
void Interpreter::write_element(ExprId call) {
  need_operands(call);
  const ir::Call c = store_.call(call);
  const Value base = evaluate(store_.at<ExprId>(c.args, 0));
  if (base.kind != ValueKind::Tensor) fail(store_.expr(call).span, "a tensor was expected");
  const TensorValue t = tensor(base);
  host_access(t.descriptor, true, store_.expr(call).span);
  const std::vector<ExprId> indices = ir::children(store_, store_.at<ExprId>(c.args, 1));
  const Value v = evaluate(store_.at<ExprId>(c.args, 2));
  std::uint64_t at = t.descriptor.start_offset;
  bool known = indices.size() == t.descriptor.rank &&
               (v.kind == ValueKind::Int || v.kind == ValueKind::Float || v.kind == ValueKind::Bool);
  for (std::size_t i = 0; known && i < indices.size(); ++i) {
    const Value index = evaluate(indices[i]);
    known = index.kind == ValueKind::Int && index.number >= 0;
    if (known) at += static_cast<std::uint64_t>(index.number) * t.descriptor.strides[i];
  }
  if (known && t.data != 0xffffffffU && at < data_[t.data].values.size()) {
    data_[t.data].values[at] = v.kind == ValueKind::Float ? v.real : static_cast<double>(v.number);
  }
}

// The reader leaves the number of operands of builtin ops open.
void Interpreter::need_operands(ExprId call) {
  struct Need {
    std::string_view op;
    std::uint32_t count;
  };
  static constexpr Need kNeeds[] = {
      {"tensor.slice", 3},
      {"tensor.reshape", 2},
      {"tensor.view", 2},
      {"tensor.transpose", 3},
      {"tensor.read", 2},
      {"tensor.write", 3},
      {"tensor.dim", 2},
      {"tensor.assemble", 1},
      {"tensor.create", 1},
      {"tensor.set_validshape", 1},
      {"tensor.reinterpret_view", 1},
      {"system.task_is_valid", 1},
      {"array.get_element", 2},
      {"array.create", 1},
      {"array.update_element", 3},
  };
  const ir::Call c = store_.call(call);
  const std::string_view op = store_.text(c.callee);
  for (const Need& n : kNeeds) {
    if (n.op == op && c.args.count < n.count) {
      fail(store_.expr(call).span, fmt::format("'{}' has {} of the {} operands that it needs", op, c.args.count, n.count));
    }
  }
}

}  // namespace depscope::execute
