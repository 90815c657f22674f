#include "kernel_body.h"

#include <algorithm>
#include <string_view>

namespace depscope::execute {

using ir::BinaryOp;
using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

constexpr std::uint64_t kMaxSteps = 16384;                        // statements of one task's bodies
constexpr std::uint64_t kMaxAllSteps = std::uint64_t{64} << 20U;  // of all tasks of a run
constexpr std::uint32_t kMaxCalls = 16;                           // inside one another
constexpr std::size_t kMaxBoxes = 64;                             // of one parameter
constexpr std::int64_t kMaxExtent = 0xffffffffLL;

bool is_touch(std::string_view op) {
  return op == "tile.load" || op == "tile.store" || op == "tensor.read" || op == "tensor.write";
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

/// The union of two boxes if that is a box.
bool join(BodyBox& a, const BodyBox& b) {
  std::uint32_t different = runtime::kMaxRank;
  for (std::uint32_t i = 0; i < a.rank; ++i) {
    if (a.at[i] == b.at[i] && a.extent[i] == b.extent[i]) continue;
    if (different != runtime::kMaxRank) return false;
    different = i;
  }
  if (different == runtime::kMaxRank) return true;
  const std::uint64_t a_end = std::uint64_t{a.at[different]} + a.extent[different];
  const std::uint64_t b_end = std::uint64_t{b.at[different]} + b.extent[different];
  if (a_end < b.at[different] || b_end < a.at[different]) return false;
  const std::uint32_t begin = std::min(a.at[different], b.at[different]);
  a.at[different] = begin;
  a.extent[different] = static_cast<std::uint32_t>(std::max(a_end, b_end) - begin);
  return true;
}

}  // namespace

KernelBodies::KernelBodies(const ir::Program& program) : program_(program), store_(*program.store) {}

const std::vector<BodyBox>& KernelBodies::boxes(const ir::Function& function, std::span<const BodyArgument> arguments,
                                                std::uint32_t blocks) {
  boxes_.clear();
  const auto [known, fresh] = plain_.try_emplace(function.name.value, false);
  if (fresh) {
    // A body without loads, stores and calls says nothing; most bodies in an orchestration's file are such.
    bool plain = true;
    ir::for_each_stmt(store_, function.body, [&](StmtId s) {
      std::vector<ExprId> open = ir::expressions(store_, s);
      while (plain && !open.empty()) {
        const ExprId e = open.back();
        open.pop_back();
        if (!e.valid()) continue;
        if (store_.expr(e).kind == ExprKind::Call) {
          const ir::Call& c = store_.call(e);
          if (c.form == ir::CallForm::Function || c.form == ir::CallForm::Submit || is_touch(store_.text(c.callee)))
            plain = false;
        }
        for (const ExprId c : ir::children(store_, e)) open.push_back(c);
      }
    });
    known->second = plain || function.foreign_body;
  }
  if (known->second || all_steps_ >= kMaxAllSteps || function.params.size() != arguments.size()) return boxes_;

  arguments_ = arguments;
  unknown_.assign(arguments.size(), 0);
  touched_.assign(arguments.size(), 0);
  blocks_ = blocks;
  steps_ = 0;
  depth_ = 0;
  std::vector<Value> values(arguments.size());
  for (std::uint32_t p = 0; p < arguments.size(); ++p) {
    if (arguments[p].tensor) {
      values[p] = {.kind = Kind::Part, .param = p};
    } else if (arguments[p].scalar) {
      values[p] = {.kind = Kind::Int, .number = *arguments[p].scalar};
    }
  }
  try {
    asked_block_ = false;
    for (block_ = 0; block_ < blocks_ && (block_ == 0 || asked_block_); ++block_) {
      values_.clear();
      tuples_.clear();
      returned_here_ = false;
      bind(function, values);
      statements(function.body);
    }
  } catch (const Stop&) {
    boxes_.clear();
  }
  all_steps_ += steps_;
  std::erase_if(boxes_, [&](const BodyBox& box) { return unknown_[box.param] != 0; });
  std::stable_sort(boxes_.begin(), boxes_.end(), [](const BodyBox& a, const BodyBox& b) { return a.param < b.param; });
  join_boxes();
  return boxes_;
}

void KernelBodies::step() {
  if (++steps_ > kMaxSteps) throw Stop{};
}

// ---------------------------------------------------------------- variables

void KernelBodies::set(VarId var, const Value& value) {
  if (var.valid()) values_[var.value] = value;
}

KernelBodies::Value KernelBodies::get(VarId var) const {
  const auto known = values_.find(var.value);
  return known == values_.end() ? Value{} : known->second;
}

void KernelBodies::bind(const ir::Function& function, std::span<const Value> values) {
  for (std::uint32_t p = 0; p < function.params.size(); ++p) set(function.params[p].var, values[p]);
  bind_dimensions(function, values);
}

/// Names of dimensions in the types of the parameters, from the shapes that are passed.
void KernelBodies::bind_dimensions(const ir::Function& function, std::span<const Value> values) {
  for (std::uint32_t p = 0; p < function.params.size(); ++p) {
    if (values[p].kind != Kind::Part || !function.params[p].type.valid()) continue;
    const ir::Type& type = store_.type(function.params[p].type);
    const BodyArgument& argument = arguments_[values[p].param];
    const bool whole = std::all_of(values[p].at.begin(), values[p].at.end(), [](std::int64_t at) { return at == 0; });
    if (!whole || type.list.count != argument.rank) continue;
    for (std::uint32_t i = 0; i < type.list.count; ++i) {
      const VarId dimension = store_.as_var(store_.at<ExprId>(type.list, i));
      if (dimension.valid() && get(dimension).kind == Kind::Unknown)
        set(dimension, {.kind = Kind::Int, .number = argument.shape[i]});
    }
  }
}

KernelBodies::Value KernelBodies::merge(const Value& a, const Value& b) {
  if (a.kind == b.kind && a.param == b.param && a.number == b.number && a.at == b.at && a.kind != Kind::Tuple) return a;
  give_up(a);
  give_up(b);
  return {};
}

// ---------------------------------------------------------------- statements

void KernelBodies::statements(Range body) {
  for (std::uint32_t i = 0; i < body.count && !returned_here_; ++i) statement(store_.at<StmtId>(body, i));
}

void KernelBodies::statement(StmtId id) {
  step();
  const ir::Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: set(VarId(s.a), evaluate(ExprId(s.b))); break;
    case StmtKind::Eval: evaluate(ExprId(s.a)); break;
    case StmtKind::If: run_if(id); break;
    case StmtKind::For: run_for(id); break;
    case StmtKind::While: run_while(id); break;
    case StmtKind::Scope: {
      const ir::ScopeData d = store_.scope_data(id);
      if (d.kind == ir::ScopeKind::SplitAiv && d.loop_var.valid()) {
        for (std::int64_t lane = 0; lane < 2; ++lane) {
          set(d.loop_var, {.kind = Kind::Int, .number = lane});
          statements(d.body);
        }
      } else {
        set(d.loop_var, {});
        statements(d.body);
      }
      break;
    }
    case StmtKind::Yield:
    case StmtKind::Return: {
      std::vector<Value> values;
      for (const ExprId e : store_.list<ExprId>(Range{s.a, s.b})) values.push_back(evaluate(e));
      if (s.kind == StmtKind::Yield) {
        yielded_ = std::move(values);
      } else {
        returned_ = std::move(values);
        returned_here_ = true;
      }
      break;
    }
    case StmtKind::Pass:
    case StmtKind::Ellipsis: break;
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Opaque: throw Stop{};  // what runs from here on is not known
  }
}

void KernelBodies::run_if(StmtId id) {
  const ir::IfData d = store_.if_data(id);
  const auto taken = integer(d.cond);
  const auto branch = [&](Range body) {
    yielded_.clear();
    statements(body);
    return std::exchange(yielded_, {});
  };
  std::vector<Value> values;
  if (taken) {
    values = branch(*taken != 0 ? d.then_body : d.else_body);
  } else {
    values = branch(d.then_body);
    if (returned_here_) throw Stop{};
    std::vector<Value> other = branch(d.else_body);
    if (returned_here_) throw Stop{};
    values.resize(d.result_vars.count);
    other.resize(d.result_vars.count);
    for (std::uint32_t i = 0; i < d.result_vars.count; ++i) values[i] = merge(values[i], other[i]);
  }
  for (std::uint32_t i = 0; i < d.result_vars.count; ++i)
    set(store_.at<VarId>(d.result_vars, i), i < values.size() ? values[i] : Value{});
}

void KernelBodies::run_for(StmtId id) {
  const ir::ForData d = store_.for_data(id);
  const auto start = integer(d.start);
  const auto stop = integer(d.stop);
  const auto stride = integer(d.step);
  std::vector<Value> carried;
  for (const ExprId e : store_.list<ExprId>(d.inits)) carried.push_back(evaluate(e));
  const auto once = [&](const Value& counter) {
    step();
    set(d.counter, counter);
    for (std::uint32_t i = 0; i < d.iter_args.count; ++i)
      set(store_.at<VarId>(d.iter_args, i), i < carried.size() ? carried[i] : Value{});
    yielded_.clear();
    statements(d.body);
    return std::exchange(yielded_, {});
  };
  if (start && stop && stride && *stride != 0) {
    for (std::int64_t at = *start; (*stride > 0 ? at < *stop : at > *stop) && !returned_here_;) {
      const std::vector<Value> next = once({.kind = Kind::Int, .number = at});
      for (std::size_t i = 0; i < carried.size() && i < next.size(); ++i) carried[i] = next[i];
      if (__builtin_add_overflow(at, *stride, &at)) break;
    }
  } else {
    // Any number of times: what is carried keeps its meaning only if an iteration does not change it.
    for (Value& value : carried) {
      if (value.kind != Kind::Part) value = {};
    }
    const std::vector<Value> next = once({});
    if (returned_here_) throw Stop{};
    for (std::size_t i = 0; i < carried.size() && i < next.size(); ++i) carried[i] = merge(carried[i], next[i]);
  }
  for (std::uint32_t i = 0; i < d.result_vars.count; ++i)
    set(store_.at<VarId>(d.result_vars, i), i < carried.size() ? carried[i] : Value{});
}

void KernelBodies::run_while(StmtId id) {
  const ir::WhileData d = store_.while_data(id);
  std::vector<Value> carried;
  for (const ExprId e : store_.list<ExprId>(d.inits)) carried.push_back(evaluate(e));
  for (std::uint32_t i = 0; i < d.iter_args.count; ++i) {
    if (i < carried.size() && carried[i].kind != Kind::Part) carried[i] = {};
    set(store_.at<VarId>(d.iter_args, i), i < carried.size() ? carried[i] : Value{});
  }
  evaluate(d.cond);
  yielded_.clear();
  statements(d.body);
  if (returned_here_) throw Stop{};
  const std::vector<Value> next = std::exchange(yielded_, {});
  for (std::size_t i = 0; i < carried.size() && i < next.size(); ++i) carried[i] = merge(carried[i], next[i]);
  for (std::uint32_t i = 0; i < d.result_vars.count; ++i)
    set(store_.at<VarId>(d.result_vars, i), i < carried.size() ? carried[i] : Value{});
}

// ---------------------------------------------------------------- expressions

std::optional<std::int64_t> KernelBodies::integer(ExprId id) {
  if (!id.valid()) return std::nullopt;
  const Value v = evaluate(id);
  if (v.kind == Kind::Int) return v.number;
  give_up(v);
  return std::nullopt;
}

std::vector<std::int64_t> KernelBodies::integers(ExprId list, bool& known) {
  std::vector<std::int64_t> out;
  const Expr e = store_.expr(list);
  if (e.kind != ExprKind::List && e.kind != ExprKind::Tuple) {
    known = false;
    use_children(list);
    return out;
  }
  for (const ExprId item : store_.list<ExprId>(Range{e.a, e.b})) {
    const auto value = integer(item);
    known = known && value.has_value();
    out.push_back(value.value_or(0));
  }
  return out;
}

/// Nothing is known of what happens to this part of a parameter.
void KernelBodies::give_up(const Value& value) {
  if (value.kind == Kind::Part) unknown_[value.param] = 1;
  if (value.kind != Kind::Tuple) return;
  for (const Value& item : tuples_[value.param]) {
    if (item.kind == Kind::Part) unknown_[item.param] = 1;
  }
}

void KernelBodies::use_children(ExprId id) {
  for (const ExprId child : ir::children(store_, id)) {
    if (child.valid()) give_up(evaluate(child));
  }
}

KernelBodies::Value KernelBodies::evaluate(ExprId id) {
  if (!id.valid()) return {};
  const Expr e = store_.expr(id);
  switch (e.kind) {
    case ExprKind::Var: return get(VarId(e.a));
    case ExprKind::Int: return {.kind = Kind::Int, .number = store_.int_value(id)};
    case ExprKind::Bool: return {.kind = Kind::Int, .number = e.a};
    case ExprKind::Binary: return binary(e);
    case ExprKind::Unary: return unary(e);
    case ExprKind::Cast: {
      const Value v = evaluate(ExprId(e.a));
      const auto to = static_cast<ir::DType>(e.op);
      if (v.kind == Kind::Int && !(to >= ir::DType::Fp4 && to <= ir::DType::Hf8)) return v;
      give_up(v);
      return {};
    }
    case ExprKind::TupleGet: {
      const Value tuple = evaluate(ExprId(e.a));
      if (tuple.kind == Kind::Tuple && e.b < tuples_[tuple.param].size()) return tuples_[tuple.param][e.b];
      give_up(tuple);
      return {};
    }
    case ExprKind::Call: {
      const ir::Call& c = store_.call(id);
      if (c.form == ir::CallForm::Function || c.form == ir::CallForm::Submit) return call(id);
      if (c.form == ir::CallForm::Op) return operation(id);
      use_children(id);
      return {};
    }
    case ExprKind::Float:
    case ExprKind::Str:
    case ExprKind::None:
    case ExprKind::Name: return {};
    default: use_children(id); return {};
  }
}

KernelBodies::Value KernelBodies::unary(const Expr& e) {
  const Value v = evaluate(ExprId(e.a));
  if (v.kind != Kind::Int) {
    give_up(v);
    return {};
  }
  const auto number = [](std::int64_t n) { return Value{.kind = Kind::Int, .number = n}; };
  switch (static_cast<ir::UnaryOp>(e.op)) {
    case ir::UnaryOp::Not: return number(v.number == 0 ? 1 : 0);
    case ir::UnaryOp::BitNot: return number(~v.number);
    case ir::UnaryOp::Plus: return v;
    case ir::UnaryOp::Abs:
      if (v.number >= 0) return v;
      [[fallthrough]];
    case ir::UnaryOp::Neg: {
      std::int64_t out = 0;
      return __builtin_sub_overflow(std::int64_t{0}, v.number, &out) ? Value{} : number(out);
    }
  }
  return {};
}

KernelBodies::Value KernelBodies::binary(const Expr& e) {
  const Value a = evaluate(ExprId(e.a));
  const Value b = evaluate(ExprId(e.b));
  if (a.kind != Kind::Int || b.kind != Kind::Int) {
    give_up(a);
    give_up(b);
    return {};
  }
  const std::int64_t x = a.number;
  const std::int64_t y = b.number;
  std::int64_t out = 0;
  bool bad = false;
  switch (static_cast<BinaryOp>(e.op)) {
    case BinaryOp::Add: bad = __builtin_add_overflow(x, y, &out); break;
    case BinaryOp::Sub: bad = __builtin_sub_overflow(x, y, &out); break;
    case BinaryOp::Mul: bad = __builtin_mul_overflow(x, y, &out); break;
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      bad = y == 0 || y == -1;
      if (!bad) out = static_cast<BinaryOp>(e.op) == BinaryOp::FloorDiv ? floor_div(x, y) : x - floor_div(x, y) * y;
      break;
    case BinaryOp::ShiftLeft: bad = y < 0 || y > 62 || __builtin_mul_overflow(x, std::int64_t{1} << (bad ? 0 : y), &out); break;
    case BinaryOp::ShiftRight:
      bad = y < 0;
      if (!bad) out = x >> std::min<std::int64_t>(y, 63);
      break;
    case BinaryOp::BitAnd: out = x & y; break;
    case BinaryOp::BitOr: out = x | y; break;
    case BinaryOp::BitXor: out = x ^ y; break;
    case BinaryOp::Min: out = std::min(x, y); break;
    case BinaryOp::Max: out = std::max(x, y); break;
    case BinaryOp::Eq: out = x == y ? 1 : 0; break;
    case BinaryOp::Ne: out = x != y ? 1 : 0; break;
    case BinaryOp::Lt: out = x < y ? 1 : 0; break;
    case BinaryOp::Le: out = x <= y ? 1 : 0; break;
    case BinaryOp::Gt: out = x > y ? 1 : 0; break;
    case BinaryOp::Ge: out = x >= y ? 1 : 0; break;
    case BinaryOp::And: out = x != 0 && y != 0 ? 1 : 0; break;
    case BinaryOp::Or: out = x != 0 || y != 0 ? 1 : 0; break;
    case BinaryOp::Xor: out = (x != 0) != (y != 0) ? 1 : 0; break;
    case BinaryOp::FloatDiv:
    case BinaryOp::Pow: bad = true; break;
  }
  return bad ? Value{} : Value{.kind = Kind::Int, .number = out};
}

// ---------------------------------------------------------------- operations and calls

KernelBodies::Value KernelBodies::operation(ExprId id) {
  const ir::Call c = store_.call(id);
  const std::string_view op = store_.text(c.callee);
  const auto arg = [&](std::uint32_t i) { return store_.at<ExprId>(c.args, i); };
  if (op == "tile.get_block_idx") {
    asked_block_ = true;
    return {.kind = Kind::Int, .number = block_};
  }
  if (op == "tile.get_block_num") return {.kind = Kind::Int, .number = blocks_};
  if (op == "tensor.slice" && c.args.count >= 3) return slice(id);
  if (op == "tensor.dim" && c.args.count == 2) {
    const Value base = evaluate(arg(0));
    const auto axis = integer(arg(1));
    const bool whole =
        base.kind == Kind::Part && std::all_of(base.at.begin(), base.at.end(), [](std::int64_t at) { return at == 0; });
    if (!whole || !axis || *axis < 0 || *axis >= arguments_[base.param].rank) return {};
    return {.kind = Kind::Int, .number = arguments_[base.param].shape[static_cast<std::size_t>(*axis)]};
  }
  if (op == "tensor.set_validshape" && c.args.count >= 1) return evaluate(arg(0));
  bool known = true;
  if (op == "tile.load" && c.args.count >= 3) {
    const Value base = evaluate(arg(0));
    // The part that is read may be smaller than the tile.
    std::vector<std::int64_t> extents = integers(arg(2), known);
    if (c.args.count > 3) {
      bool valid = true;
      const std::vector<std::int64_t> smaller = integers(arg(3), valid);
      if (valid && smaller.size() == extents.size()) extents = smaller, known = true;
    }
    touch(base, arg(1), extents, known, false);
    return {};
  }
  if (op == "tile.store" && c.args.count >= 3) {
    give_up(evaluate(arg(0)));
    const Value base = evaluate(arg(2));
    std::vector<std::int64_t> extents = c.args.count > 3 ? integers(arg(3), known) : tile_extents(arg(0), known);
    touch(base, arg(1), extents, known, true);
    return base;
  }
  if ((op == "tensor.read" || op == "tensor.write") && c.args.count >= 2) {
    const Value base = evaluate(arg(0));
    const std::vector<std::int64_t> extents(base.kind == Kind::Part ? arguments_[base.param].rank : 0U, 1);
    touch(base, arg(1), extents, true, op == "tensor.write");
    if (c.args.count > 2) give_up(evaluate(arg(2)));
    return op == "tensor.write" ? base : Value{};
  }
  use_children(id);
  return {};
}

KernelBodies::Value KernelBodies::slice(ExprId id) {
  const ir::Call c = store_.call(id);
  Value base = evaluate(store_.at<ExprId>(c.args, 0));
  bool known = c.args.count <= 4;  // dropped dimensions give another rank
  const std::vector<std::int64_t> offsets = integers(store_.at<ExprId>(c.args, 2), known);
  if (base.kind != Kind::Part) return {};
  if (!known || offsets.size() != arguments_[base.param].rank) {
    give_up(base);
    return {};
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (__builtin_add_overflow(base.at[i], offsets[i], &base.at[i])) give_up(base);
  }
  return base;
}

/// Shape of what a store writes: the valid part of its tile.
std::vector<std::int64_t> KernelBodies::tile_extents(ExprId tile, bool& known) {
  ir::TypeId type = store_.expr(tile).type;
  if (const VarId var = store_.as_var(tile); var.valid() && !type.valid()) type = store_.var(var).type;
  std::vector<std::int64_t> out;
  if (!type.valid() || !ir::is_tensor_like(store_, type)) {
    known = false;
    return out;
  }
  const auto values = [&](const std::vector<ExprId>& list, bool& all) {
    std::vector<std::int64_t> numbers;
    for (const ExprId e : list) {
      const auto value = integer(e);
      all = all && value.has_value();
      numbers.push_back(value.value_or(0));
    }
    return numbers;
  };
  out = values(store_.list<ExprId>(store_.type(type).list), known);
  const ExprId view = ir::type_view(store_, type);
  if (!view.valid() || store_.expr(view).kind != ExprKind::Call) return out;
  const ExprId valid_shape = store_.find_pair(store_.call(view).kwargs, "valid_shape");
  if (!valid_shape.valid()) return out;
  bool all = true;
  const std::vector<std::int64_t> smaller = values(ir::children(store_, valid_shape), all);
  if (all && smaller.size() == out.size()) {
    known = true;
    return smaller;
  }
  return out;
}

KernelBodies::Value KernelBodies::call(ExprId id) {
  const ir::Call c = store_.call(id);
  const ir::Function* callee = program_.find(c.callee);
  std::vector<Value> values;
  for (const ExprId e : store_.list<ExprId>(c.args)) values.push_back(evaluate(e));
  if (callee == nullptr || callee->foreign_body || callee->params.size() != values.size() || depth_ == kMaxCalls) {
    for (const Value& v : values) give_up(v);
    return {};
  }
  std::vector<std::uint32_t> before;
  for (const Value& v : values) before.push_back(v.kind == Kind::Part ? touched_[v.param] : 0);
  ++depth_;
  bind(*callee, values);
  returned_.clear();
  statements(callee->body);
  returned_here_ = false;
  --depth_;
  std::vector<Value> results = std::exchange(returned_, {});
  // What a kernel neither loads nor stores it touches as it declares.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind == Kind::Part && touched_[values[i].param] == before[i]) give_up(values[i]);
  }
  if (results.size() == 1) return results[0];
  tuples_.push_back(std::move(results));
  return {.kind = Kind::Tuple, .param = static_cast<std::uint32_t>(tuples_.size() - 1)};
}

// ---------------------------------------------------------------- boxes

void KernelBodies::touch(const Value& part, ExprId offsets, const std::vector<std::int64_t>& extents, bool known, bool stores) {
  const std::vector<std::int64_t> at = integers(offsets, known);
  if (part.kind != Kind::Part) return;
  const BodyArgument& argument = arguments_[part.param];
  if (!known || at.size() != argument.rank || extents.size() != argument.rank) {
    give_up(part);
    return;
  }
  ++touched_[part.param];
  BodyBox box{.param = part.param, .loads = !stores, .stores = stores, .rank = argument.rank};
  for (std::size_t i = 0; i < argument.rank; ++i) {
    std::int64_t begin = 0;
    if (__builtin_add_overflow(part.at[i], at[i], &begin) || begin < 0 || extents[i] < 0 || extents[i] > kMaxExtent) {
      give_up(part);
      return;
    }
    // What lies behind the view is padding.
    const std::int64_t end = std::min<std::int64_t>(argument.shape[i], std::min(begin, kMaxExtent) + extents[i]);
    if (end <= begin) return;
    box.at[i] = static_cast<std::uint32_t>(begin);
    box.extent[i] = static_cast<std::uint32_t>(end - begin);
  }
  add(box);
}

/// Boxes that were loaded first and stored later did not fit their neighbours while they were added.
void KernelBodies::join_boxes() {
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    for (std::size_t k = i + 1; k < boxes_.size() && boxes_[k].param == boxes_[i].param;) {
      const bool same = boxes_[k].loads == boxes_[i].loads && boxes_[k].stores == boxes_[i].stores;
      if (!same || !join(boxes_[i], boxes_[k])) {
        ++k;
        continue;
      }
      boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(k));
      k = i + 1;  // the larger box may fit one that it did not fit before
    }
  }
}

void KernelBodies::add(BodyBox box) {
  std::size_t count = 0;
  for (BodyBox& other : boxes_) {
    if (other.param != box.param) continue;
    if (other.at == box.at && other.extent == box.extent) {
      other.loads = other.loads || box.loads;
      other.stores = other.stores || box.stores;
      return;
    }
    if (other.loads == box.loads && other.stores == box.stores && join(other, box)) return;
    ++count;
  }
  if (count == kMaxBoxes) {
    unknown_[box.param] = 1;
    return;
  }
  boxes_.push_back(box);
}

}  // namespace depscope::execute
