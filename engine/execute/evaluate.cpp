// Values of expressions: scalar arithmetic, task ids, and views of tensors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "interpreter.h"

namespace depscope::execute {

using ir::BinaryOp;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;

namespace {

runtime::ElementType element_type(ir::DType dtype) {
  using runtime::ElementType;
  switch (dtype) {
    case ir::DType::Fp32: return ElementType::Float32;
    case ir::DType::Int32: return ElementType::Int32;
    case ir::DType::UInt32: return ElementType::UInt32;
    case ir::DType::Fp16: return ElementType::Float16;
    case ir::DType::Bf16: return ElementType::BFloat16;
    case ir::DType::Int16: return ElementType::Int16;
    case ir::DType::UInt16: return ElementType::UInt16;
    case ir::DType::Int64:
    case ir::DType::Index: return ElementType::Int64;
    case ir::DType::UInt64: return ElementType::UInt64;
    case ir::DType::Int8: return ElementType::Int8;
    case ir::DType::UInt8: return ElementType::UInt8;
    case ir::DType::Bool: return ElementType::Bool;
    case ir::DType::Fp8E4M3FN: return ElementType::Fp8E4M3FN;
    case ir::DType::Fp8E8M0: return ElementType::Fp8E8M0;
    case ir::DType::Fp4: return ElementType::Fp4E2M1;
    default: return ElementType::Unknown;
  }
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

}  // namespace

void Interpreter::fail(Span at, std::string message) {
  if (program_.source && at.known()) throw InputError(program_.source->diagnostic(Severity::Error, at.begin, std::move(message)));
  Diagnostic d;
  if (program_.source) d.file = program_.source->name();
  d.message = std::move(message);
  throw InputError(std::move(d));
}

void Interpreter::not_modelled(Span at, std::string construct, std::string message) {
  result_.notices.push_back({"not_modelled", std::move(message), std::move(construct), {}, line(at)});
  throw Stop{};
}

Value Interpreter::missing(std::string name, std::uint32_t at_line, bool result) {
  const auto [entry, added] =
      missing_index_.emplace(fmt::format("{}:{}", at_line, name), static_cast<std::uint32_t>(missing_.size()));
  if (added) missing_.push_back({std::move(name), at_line, result});
  return {.kind = ValueKind::Missing, .index = entry->second};
}

void Interpreter::needs_data(const Value& value, std::string_view what, Span at) {
  const Missing& m = missing_[value.index];
  if (m.result) {
    not_modelled(at, "kernel_result",
                 fmt::format("'{}' returns a buffer that is none of its parameters: a pass that is not modelled gives it an Out "
                             "parameter. Open the passes_dump directory of this program instead",
                             m.name));
  }
  const bool contents = m.name.find('[') != std::string::npos;
  const std::string name = m.name.substr(0, m.name.find('['));
  fail(at, contents
               ? fmt::format("needs_data: {} depends on the contents of '{}': give them with --data {}=[…]", what, name, name)
               : fmt::format("needs_data: {} depends on '{}': give its value with --arg {}=VALUE", what, name, name));
}

// ---------------------------------------------------------------- variables

Value Interpreter::keep(Value value, std::uint32_t& slot) {
  if (value.kind != ValueKind::Tensor) return value;
  if (slot == 0xffffffffU) {
    slot = static_cast<std::uint32_t>(tensors_.size());
    tensors_.emplace_back();
  }
  if (value.index != slot) tensors_[slot] = tensor(value);
  value.index = slot;
  return value;
}

void Interpreter::assign(ir::VarId var, Value value) {
  if (var.value >= values_.size()) throw InternalError("a variable was made while the program runs");
  if (value.kind == ValueKind::Tensor) value = keep(value, tensor_slot_[var.value]);
  values_[var.value] = value;
}

Value Interpreter::get(ir::VarId var, Span at) {
  const Value& v = values_[var.value];
  if (v.kind != ValueKind::Unset) return v;
  const std::string name(source_name(store_.name(var)));
  if (store_.var(var).dynamic) {
    for (const auto& [key, text] : input_.args) {
      if (key != name) continue;
      std::int64_t number_value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number_value);
      if (error != std::errc() || end != text.data() + text.size())
        fail(at, fmt::format("--arg {}={}: an integer was expected", key, text));
      values_[var.value] = number(number_value);
      return values_[var.value];
    }
    values_[var.value] = missing(name, line(at));
    return values_[var.value];
  }
  fail(at, fmt::format("'{}' has no value here", name));
}

TensorValue Interpreter::tensor_of(ir::TypeId type, std::string_view name, Span at) {
  if (!type.valid() || !ir::is_tensor_like(store_, type)) fail(at, fmt::format("the shape of '{}' is not known", name));
  const ir::Type t = store_.type(type);
  TensorValue out;
  if (t.list.count > runtime::kMaxRank)
    fail(at, fmt::format("'{}' has rank {}: the runtime's limit is {}", name, t.list.count, runtime::kMaxRank));
  out.descriptor.rank = static_cast<std::uint8_t>(t.list.count);
  out.descriptor.dtype = element_type(t.dtype);
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < t.list.count; ++i) {
    const std::int64_t extent = need_int(store_.at<ExprId>(t.list, i), fmt::format("the shape of '{}'", name));
    if (extent < 0 || extent > 0xffffffffLL) fail(at, fmt::format("'{}' has the extent {} in dimension {}", name, extent, i));
    out.descriptor.shape[i] = static_cast<std::uint32_t>(extent);
    if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements) || elements > (std::uint64_t{1} << 46U)) {
      fail(at, fmt::format("'{}' is larger than the limit of 2^46 elements", name));
    }
  }
  row_major(out.descriptor);
  out.descriptor.buffer_elements = elements;
  out.name = host_.intern(name);
  return out;
}

Value Interpreter::temporary_tensor(const TensorValue& t) {
  temporaries_.push_back(t);
  return {.kind = ValueKind::Tensor, .index = static_cast<std::uint32_t>(temporaries_.size() - 1) | kTemporary};
}

// ---------------------------------------------------------------- contents of tensors (--data)

void Interpreter::check_extent(std::int64_t extent, Span at) {
  constexpr std::int64_t kMaxSlots = 1'000'000;
  if (extent < 0 || extent > kMaxSlots) fail(at, fmt::format("an array of {} slots: the limit is {}", extent, kMaxSlots));
}

Value Interpreter::new_array(std::int64_t extent, Span at) {
  check_extent(extent, at);
  array_slots_ += static_cast<std::uint64_t>(extent) + 1;
  if (array_slots_ > input_.limits.max_array_slots)
    fail(at, fmt::format("the arrays of this run have more than the limit of {} slots", input_.limits.max_array_slots));
  const std::uint32_t row = ids_.new_list(extent);
  ids_.list(row).ids.assign(static_cast<std::size_t>(extent), runtime::kInvalidTask);
  return {.kind = ValueKind::Array, .index = row};
}

std::uint32_t Interpreter::data_of(std::string_view name) {
  for (std::size_t i = 0; i < data_.size(); ++i) {
    if (data_[i].name == name) return static_cast<std::uint32_t>(i);
  }
  return 0xffffffffU;
}

// ---------------------------------------------------------------- expressions

std::int64_t Interpreter::need_int(ExprId id, std::string_view what) {
  return need_int(evaluate(id), what, store_.expr(id).span);
}

std::int64_t Interpreter::need_int(const Value& v, std::string_view what, Span at) {
  switch (v.kind) {
    case ValueKind::Int:
    case ValueKind::Bool: return v.number;
    case ValueKind::Missing: needs_data(v, what, at);
    default: fail(at, fmt::format("{} is not an integer", what));
  }
}

bool Interpreter::truth(ExprId id, std::string_view what) {
  const Value v = evaluate(id);
  return v.kind == ValueKind::Float ? v.real != 0 : need_int(v, what, store_.expr(id).span) != 0;
}

Value Interpreter::evaluate(ExprId id) {
  const Expr e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Var: return get(ir::VarId(e.a), e.span);
    case ExprKind::Int: return number(store_.int_value(id));
    case ExprKind::Float: return {.kind = ValueKind::Float, .real = store_.float_value(id)};
    case ExprKind::Bool: return {.kind = ValueKind::Bool, .number = e.a};
    case ExprKind::Unary: return evaluate_unary(e);
    case ExprKind::Binary: return evaluate_binary(e);
    case ExprKind::Cast: {
      Value v = evaluate(ExprId(e.a));
      const auto to = static_cast<ir::DType>(e.op);
      const bool floating = to >= ir::DType::Fp4 && to <= ir::DType::Hf8;
      if (v.kind == ValueKind::Float && !floating)
        return number(std::isfinite(v.real) ? static_cast<std::int64_t>(std::clamp(v.real, -9.2e18, 9.2e18)) : 0);
      if ((v.kind == ValueKind::Int || v.kind == ValueKind::Bool) && floating)
        return {.kind = ValueKind::Float, .real = static_cast<double>(v.number)};
      if (v.kind == ValueKind::Bool) v.kind = ValueKind::Int;
      return v;
    }
    case ExprKind::TupleGet: {
      const Value tuple = evaluate(ExprId(e.a));
      if (tuple.kind != ValueKind::Tuple || e.b >= tuples_[tuple.index].items.size())
        fail(e.span, "this value has no such element");
      return tuples_[tuple.index].items[e.b];
    }
    case ExprKind::Call: return evaluate_call(id);
    default: break;
  }
  fail(e.span, "this expression has no value in an orchestration body");
}

Value Interpreter::evaluate_unary(const Expr& e) {
  Value v = evaluate(ExprId(e.a));
  if (v.kind == ValueKind::Missing) return v;
  const auto op = static_cast<ir::UnaryOp>(e.op);
  if (op == ir::UnaryOp::Not && (v.kind == ValueKind::Int || v.kind == ValueKind::Bool || v.kind == ValueKind::Float)) {
    const bool zero = v.kind == ValueKind::Float ? v.real == 0 : v.number == 0;
    return {.kind = ValueKind::Bool, .number = zero ? 1 : 0};
  }
  if (v.kind == ValueKind::Float) {
    if (op == ir::UnaryOp::BitNot) fail(e.span, "this operator needs integers");
    if (op == ir::UnaryOp::Neg) v.real = -v.real;
    if (op == ir::UnaryOp::Abs) v.real = std::fabs(v.real);
    return v;
  }
  if (v.kind != ValueKind::Int && v.kind != ValueKind::Bool) fail(e.span, "a number was expected");
  switch (op) {
    case ir::UnaryOp::Abs:
      if (v.number >= 0) return number(v.number);
      [[fallthrough]];
    case ir::UnaryOp::Neg: {
      std::int64_t r = 0;
      if (__builtin_sub_overflow(std::int64_t{0}, v.number, &r)) fail(e.span, "the result does not fit in 64 bits");
      return number(r);
    }
    case ir::UnaryOp::BitNot: return number(~v.number);
    default: return v;
  }
}

Value Interpreter::evaluate_binary(const Expr& e) {
  const auto op = static_cast<BinaryOp>(e.op);
  const auto boolean = [](bool v) { return Value{.kind = ValueKind::Bool, .number = v ? 1 : 0}; };
  const auto is_number = [](const Value& v) {
    return v.kind == ValueKind::Int || v.kind == ValueKind::Bool || v.kind == ValueKind::Float;
  };
  const Value a = evaluate(ExprId(e.a));
  if (a.kind == ValueKind::Missing) return a;
  if ((op == BinaryOp::And || op == BinaryOp::Or) && is_number(a)) {  // the right side only where it decides
    const bool left = a.kind == ValueKind::Float ? a.real != 0 : a.number != 0;
    if (left == (op == BinaryOp::Or)) return boolean(left);
  }
  const Value b = evaluate(ExprId(e.b));
  if (b.kind == ValueKind::Missing) return b;
  if (!is_number(a) || !is_number(b)) fail(e.span, "numbers were expected");
  if (a.kind == ValueKind::Float || b.kind == ValueKind::Float || op == BinaryOp::FloatDiv) {
    const double x = a.kind == ValueKind::Float ? a.real : static_cast<double>(a.number);
    const double y = b.kind == ValueKind::Float ? b.real : static_cast<double>(b.number);
    const auto real = [](double v) { return Value{.kind = ValueKind::Float, .real = v}; };
    switch (op) {
      case BinaryOp::Add: return real(x + y);
      case BinaryOp::Sub: return real(x - y);
      case BinaryOp::Mul: return real(x * y);
      case BinaryOp::FloatDiv: return real(x / y);
      case BinaryOp::FloorDiv: return real(std::floor(x / y));
      case BinaryOp::FloorMod: return real(x - std::floor(x / y) * y);
      case BinaryOp::Pow: return real(std::pow(x, y));
      case BinaryOp::Min: return real(std::min(x, y));
      case BinaryOp::Max: return real(std::max(x, y));
      case BinaryOp::Eq: return boolean(x == y);
      case BinaryOp::Ne: return boolean(x != y);
      case BinaryOp::Lt: return boolean(x < y);
      case BinaryOp::Le: return boolean(x <= y);
      case BinaryOp::Gt: return boolean(x > y);
      case BinaryOp::Ge: return boolean(x >= y);
      case BinaryOp::And: return boolean(x != 0 && y != 0);
      case BinaryOp::Or: return boolean(x != 0 || y != 0);
      case BinaryOp::Xor: return boolean((x != 0) != (y != 0));
      default: fail(e.span, "this operator needs integers");
    }
  }
  const std::int64_t x = a.number;
  const std::int64_t y = b.number;
  std::int64_t r = 0;
  bool overflow = false;
  switch (op) {
    case BinaryOp::Add: overflow = __builtin_add_overflow(x, y, &r); break;
    case BinaryOp::Sub: overflow = __builtin_sub_overflow(x, y, &r); break;
    case BinaryOp::Mul: overflow = __builtin_mul_overflow(x, y, &r); break;
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      if (y == 0) fail(e.span, "division by zero");
      if (y == -1) {
        overflow = op == BinaryOp::FloorDiv && __builtin_sub_overflow(std::int64_t{0}, x, &r);
      } else {
        r = op == BinaryOp::FloorDiv ? floor_div(x, y) : x - floor_div(x, y) * y;
      }
      break;
    case BinaryOp::Pow:
      if (y < 0) fail(e.span, "a negative exponent needs floating point");
      if (x == 0 || x == 1) {
        r = y == 0 ? 1 : x;
      } else if (x == -1) {
        r = y % 2 == 0 ? 1 : -1;
      } else {
        r = 1;
        for (std::int64_t i = 0; i < y && !overflow; ++i) overflow = __builtin_mul_overflow(r, x, &r);
      }
      break;
    case BinaryOp::ShiftLeft:
      if (y < 0 || y > 62) fail(e.span, "shift by this amount does not fit in 64 bits");
      overflow = __builtin_mul_overflow(x, std::int64_t{1} << y, &r);
      break;
    case BinaryOp::ShiftRight:
      if (y < 0) fail(e.span, "shift by a negative amount");
      r = x >> std::min<std::int64_t>(y, 63);
      break;
    case BinaryOp::BitAnd: r = x & y; break;
    case BinaryOp::BitOr: r = x | y; break;
    case BinaryOp::BitXor: r = x ^ y; break;
    case BinaryOp::Min: r = std::min(x, y); break;
    case BinaryOp::Max: r = std::max(x, y); break;
    case BinaryOp::Eq: return boolean(x == y);
    case BinaryOp::Ne: return boolean(x != y);
    case BinaryOp::Lt: return boolean(x < y);
    case BinaryOp::Le: return boolean(x <= y);
    case BinaryOp::Gt: return boolean(x > y);
    case BinaryOp::Ge: return boolean(x >= y);
    case BinaryOp::And: return boolean(x != 0 && y != 0);
    case BinaryOp::Or: return boolean(x != 0 || y != 0);
    case BinaryOp::Xor: return boolean((x != 0) != (y != 0));
    case BinaryOp::FloatDiv: break;
  }
  if (overflow) fail(e.span, "the result does not fit in 64 bits");
  return number(r);
}

// ---------------------------------------------------------------- calls

Value Interpreter::evaluate_call(ExprId id) {
  const ir::Call c = store_.call(id);
  const Expr e = store_.expr(id);
  if (c.form == ir::CallForm::Function || c.form == ir::CallForm::Submit) fail(e.span, "a launch inside an expression");
  const std::string_view op = store_.text(c.callee);
  const auto arg = [&](std::uint32_t i) { return store_.at<ExprId>(c.args, i); };
  need_operands(id);
  if (op == "tensor.slice") return slice(id);
  if (op == "tensor.reshape" || op == "tensor.view") return reshape(id);
  if (op == "tensor.transpose") return transpose(id);
  if (op == "tensor.set_validshape") return evaluate(arg(0));
  if (op == "tensor.assemble") return evaluate(arg(0));
  if (op == "tensor.read") return read_element(id);
  if (op == "tensor.dim") {
    const Value base = evaluate(arg(0));
    if (base.kind == ValueKind::Missing) return base;
    const std::int64_t axis = need_int(arg(1), "a dimension");
    if (base.kind != ValueKind::Tensor || axis < 0 || axis >= tensor(base).descriptor.rank)
      fail(e.span, "the tensor has no such dimension");
    return number(tensor(base).descriptor.shape[static_cast<std::size_t>(axis)]);
  }
  if (op == "tensor.reinterpret_view") {
    const Value base = evaluate(arg(0));
    if (base.kind == ValueKind::Missing) return base;
    if (base.kind != ValueKind::Tensor) fail(e.span, "a tensor was expected");
    TensorValue t = tensor(base);
    const std::uint32_t before = runtime::element_size(t.descriptor.dtype);
    if (e.type.valid()) t.descriptor.dtype = element_type(store_.type(e.type).dtype);
    const std::uint32_t after = runtime::element_size(t.descriptor.dtype);
    if (before != after) {
      if (before == 0 || after == 0) not_modelled(e.span, std::string(op), "a view of an element type of unknown size");
      t.descriptor.buffer_elements = t.descriptor.buffer_elements * before / after;
      t.descriptor.start_offset = t.descriptor.start_offset * before / after;
    }
    return temporary_tensor(t);
  }
  if (op == "system.task_invalid") return {.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(runtime::kInvalidTask)};
  if (op == "system.task_is_valid") {
    const Value v = evaluate(arg(0));
    return {.kind = ValueKind::Bool,
            .number = v.kind == ValueKind::TaskId && static_cast<runtime::TaskId>(v.number) != runtime::kInvalidTask ? 1 : 0};
  }
  if (op == "array.get_element") {
    const Value array = evaluate(arg(0));
    const std::int64_t i = need_int(arg(1), "an array index");
    if (array.kind != ValueKind::Array) fail(e.span, "an array was expected");
    const std::vector<runtime::TaskId>& slots = ids_.list(array.index).ids;
    if (i < 0 || static_cast<std::size_t>(i) >= slots.size())
      fail(e.span, fmt::format("index {} is outside the array of {}", i, slots.size()));
    const runtime::TaskId slot = slots[static_cast<std::size_t>(i)];
    if (e.type.valid() && store_.type(e.type).kind == ir::TypeKind::Scalar && store_.type(e.type).dtype != ir::DType::TaskId) {
      const std::vector<bool>& stored = ids_.list(array.index).stored;
      if (static_cast<std::size_t>(i) >= stored.size() || !stored[static_cast<std::size_t>(i)])
        fail(e.span, fmt::format("slot {} of this array was never stored", i));
      return number(static_cast<std::int64_t>(slot));
    }
    return {.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(slot)};
  }
  if (op == "array.create") {
    const std::int64_t extent = need_int(arg(0), "the extent of this array");
    return new_array(extent, e.span);
  }
  if (op == "array.update_element") {
    // The arrays of one chain of updates share their storage, as the generated code does.
    const Value array = evaluate(arg(0));
    const std::int64_t i = need_int(arg(1), "an array index");
    const Value v = evaluate(arg(2));
    if (array.kind != ValueKind::Array) fail(e.span, "an array was expected");
    std::vector<runtime::TaskId>& slots = ids_.list(array.index).ids;
    if (i < 0 || static_cast<std::size_t>(i) >= slots.size())
      fail(e.span, fmt::format("index {} is outside the array of {}", i, slots.size()));
    if (store_.is_var(arg(0)) && ir::is_task_id_array(store_, store_.var(store_.as_var(arg(0))).type)) {
      // What has no binding here cannot be stored: who waits for the array later, waits for less than it was given.
      const IdBinding stored = binding_of(arg(2));
      runtime::TaskId stored_id = stored.is_id() ? ids_.id(stored.row) : runtime::kInvalidTask;
      if (stored.is_list() && binding_of(arg(0)).is_list()) {
        // A slot holds one id: for all that a parallel loop left, that of a barrier over them.
        std::vector<runtime::TaskId> valid;
        ids_.append_ids(stored, valid);
        stored_id = barrier_over(valid, e.span);
      }
      slots[static_cast<std::size_t>(i)] = stored_id;
      if (!stored.bound() && store_.is_var(arg(2))) ids_.list(array.index).lost = true;
    } else if (v.kind == ValueKind::Int || v.kind == ValueKind::Bool) {
      slots[static_cast<std::size_t>(i)] = static_cast<runtime::TaskId>(v.number);
      ids_.list(array.index).stored.resize(slots.size());
      ids_.list(array.index).stored[static_cast<std::size_t>(i)] = true;
    }
    return array;
  }
  not_modelled(e.span, std::string(op), fmt::format("'{}' in an orchestration body is not executed", op));
}

}  // namespace depscope::execute
