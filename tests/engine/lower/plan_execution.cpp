#include "plan_execution.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "depscope/ir/text.h"

namespace depscope::lower::testing {
namespace {

using ir::BinaryOp;
using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::VarId;

struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::uint32_t kInvalid = 0xffffffffU;
constexpr std::size_t kMaxSubmissions = 20000;

class Machine {
 public:
  Machine(const Plan& plan, const ir::Program& program, const std::map<std::string, std::int64_t>& args)
      : plan_(plan), store_(*program.store), args_(args), ids_(plan.ids.size(), kInvalid), arrays_(plan.arrays.size()) {}

  Execution run(const FunctionPlan& function) {
    try {
      range(function.ops.begin, function.ops.end);
    } catch (const Unsupported& e) {
      out_.unsupported = e.what();
    }
    return std::move(out_);
  }

 private:
  enum class Leave { No, Break, Continue, Return };

  // ---- structure

  /// The operation that closes the loop, if or scope that opens at `op`; for an if also its else.
  std::uint32_t closing(std::uint32_t op, std::optional<std::uint32_t>* other = nullptr) const {
    int depth = 0;
    for (;; ++op) {
      switch (plan_.ops.kind[op]) {
        case OpKind::LoopBegin:
        case OpKind::IfBegin: ++depth; break;
        case OpKind::IfElse:
          if (depth == 1 && other != nullptr) *other = op;
          break;
        case OpKind::LoopEnd:
        case OpKind::IfEnd:
          if (--depth == 0) return op;
          break;
        default: break;
      }
    }
  }

  Leave range(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t op = begin; op < end;) {
      const OpKind kind = plan_.ops.kind[op];
      if (kind == OpKind::LoopBegin) {
        const std::uint32_t close = closing(op);
        const Leave leave = loop(op, close);
        if (leave != Leave::No) return leave;
        op = close + 1;
      } else if (kind == OpKind::IfBegin) {
        std::optional<std::uint32_t> other;
        const std::uint32_t close = closing(op, &other);
        const bool taken = evaluate(ExprId(plan_.ops.a[op])) != 0;
        const std::uint32_t middle = other.value_or(close);
        const Leave leave = taken ? range(op + 1, middle) : other ? range(middle + 1, close) : Leave::No;
        if (leave != Leave::No) return leave;
        op = close + 1;
      } else if (kind == OpKind::Return || kind == OpKind::Break || kind == OpKind::Continue) {
        return kind == OpKind::Return ? Leave::Return : kind == OpKind::Break ? Leave::Break : Leave::Continue;
      } else if ((plan_.ops.flags[op] & kYield) != 0 && is_yield(kind)) {
        std::uint32_t last = op;
        while (last < end && plan_.ops.statement[last] == plan_.ops.statement[op] && is_yield(plan_.ops.kind[last])) ++last;
        yield(op, last);
        op = last;
      } else {
        execute(op);
        ++op;
      }
    }
    return Leave::No;
  }

  static bool is_yield(OpKind kind) {
    return kind == OpKind::AssignId || kind == OpKind::IdStore || kind == OpKind::IdCopy || kind == OpKind::Assign ||
           kind == OpKind::IdArray || kind == OpKind::IdAppend;
  }

  Leave loop(std::uint32_t op, std::uint32_t close) {
    const StmtId stmt = plan_.ops.statement[op];
    if (store_.stmt(stmt).kind == ir::StmtKind::While) {
      const ir::WhileData d = store_.while_data(stmt);
      for (int turns = 0; evaluate(d.cond) != 0; ++turns) {
        if (turns > 10000) throw Unsupported("a loop that does not end");
        const Leave leave = range(op + 1, close);
        if (leave == Leave::Break) break;
        if (leave == Leave::Return) return leave;
      }
      return Leave::No;
    }
    const ir::ForData d = store_.for_data(stmt);
    const std::int64_t start = evaluate(d.start);
    const std::int64_t stop = evaluate(d.stop);
    const std::int64_t step = evaluate(d.step);
    if (step == 0) throw Unsupported("a step of 0");
    std::int64_t iteration = 0;
    Leave result = Leave::No;
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step, ++iteration) {
      iterations_.push_back(iteration);
      values_[d.counter.value] = i;
      const Leave leave = range(op + 1, close);
      iterations_.pop_back();
      if (leave == Leave::Break) break;
      if (leave == Leave::Return) {
        result = leave;
        break;
      }
    }
    return result;
  }

  // The sources of one yield are read before anything is assigned.
  void yield(std::uint32_t begin, std::uint32_t end) {
    const auto ids = ids_;
    const auto arrays = arrays_;
    const auto values = values_;
    for (std::uint32_t op = begin; op < end; ++op) {
      const auto a = plan_.ops.a[op];
      const auto b = plan_.ops.b[op];
      const bool slot = (plan_.ops.flags[op] & kLoopSlot) != 0;
      switch (plan_.ops.kind[op]) {
        case OpKind::AssignId: ids_[a] = b == kNone ? kInvalid : ids[b]; break;
        case OpKind::IdArray: arrays_[a].assign(extent(a), b == kNone ? kInvalid : ids[b]); break;
        case OpKind::IdStore: store_slot(a, slot ? iterations_.back() : 0, b == kNone ? kInvalid : ids[b]); break;
        case OpKind::IdCopy: copy(a, arrays[b], slot ? iterations_.back() : 0); break;
        case OpKind::IdAppend:
          if ((plan_.ops.flags[op] & kFromArray) != 0) {
            arrays_[a].insert(arrays_[a].end(), arrays[b].begin(), arrays[b].end());
          } else {
            arrays_[a].push_back(ids[b]);
          }
          break;
        default: {  // Assign
          const auto now = std::exchange(values_, values);
          const auto value = try_evaluate(ExprId(b));
          values_ = now;
          set(a, value);
          break;
        }
      }
    }
  }

  // ---- single operations

  void execute(std::uint32_t op) {
    const Ops& ops = plan_.ops;
    const std::uint32_t a = ops.a[op];
    const std::uint32_t b = ops.b[op];
    const auto id = [&](std::uint32_t row) { return row == kNone ? kInvalid : ids_[row]; };
    switch (ops.kind[op]) {
      case OpKind::AllocTensors: submit({"alloc", std::vector<std::string>(b - a, "OUTPUT"), {}}); break;
      case OpKind::Args: open_ = {std::string(store_.text(plan_.tasks.callee[a])), {}, {}}; break;
      case OpKind::AddInput: open_.tensors.emplace_back("INPUT"); break;
      case OpKind::AddOutput: open_.tensors.emplace_back((ops.flags[op] & kCreation) != 0 ? "OUTPUT" : "OUTPUT_EXISTING"); break;
      case OpKind::AddInOut: open_.tensors.emplace_back("INOUT"); break;
      case OpKind::AddNoDep: open_.tensors.emplace_back("NO_DEP"); break;
      case OpKind::DepArray: open_.deps.clear(); break;
      case OpKind::Dep: wait(a); break;
      case OpKind::Submit:
        out_.executed.insert(ops.statement[op].value);
        handles_[a] = submit(open_);
        break;
      case OpKind::Dummy: {
        out_.executed.insert(ops.statement[op].value);
        const bool always = (ops.flags[op] & kAlways) != 0;
        open_.callee = "dummy";
        open_.tensors.clear();
        if (always) open_.deps.clear();
        const std::uint32_t task = always || !open_.deps.empty() ? submit(open_) : kInvalid;
        if (b != kNone) ids_[b] = task;
        open_.deps.clear();
        break;
      }
      case OpKind::BindId: ids_[a] = handles_.at(b); break;
      case OpKind::DeclareId:
      case OpKind::AssignId: ids_[a] = id(b); break;
      case OpKind::ReadId: ids_[a] = arrays_.at(b).at(slot(b, evaluate(ExprId(ops.c[op])))); break;
      case OpKind::IdArray: arrays_[a].assign(extent(a), id(b)); break;
      case OpKind::IdList: arrays_[a].clear(); break;
      case OpKind::IdStore:
        store_slot(a, (ops.flags[op] & kLoopSlot) != 0 ? iterations_.back() : evaluate(ExprId(ops.c[op])), id(b));
        break;
      case OpKind::IdCopy: copy(a, std::vector<std::uint32_t>(arrays_[b]), 0); break;
      case OpKind::Assign:
        if ((ops.flags[op] & kResult) == 0) set(a, try_evaluate(ExprId(b)));
        break;
      default: break;
    }
  }

  std::uint32_t submit(Submission s) {
    if (out_.submissions.size() == kMaxSubmissions) throw Unsupported("too many tasks");
    out_.submissions.push_back(std::move(s));
    open_ = {};
    return static_cast<std::uint32_t>(out_.submissions.size()) - 1;
  }

  void wait(std::uint32_t row) {
    const auto add = [&](std::uint32_t task) {
      if (task != kInvalid) {
        open_.deps.push_back(task);
      } else if (plan_.deps.guarded[row] == 0) {
        throw std::logic_error("an unguarded dependency on an invalid id");
      }
    };
    if (plan_.deps.id[row] != kNone) {
      add(ids_[plan_.deps.id[row]]);
    } else {
      for (const std::uint32_t task : arrays_[plan_.deps.array[row]]) add(task);
    }
  }

  std::size_t extent(std::uint32_t array) const {
    if (plan_.arrays.extent[array] < 0) throw Unsupported("an array of unknown extent");
    return static_cast<std::size_t>(plan_.arrays.extent[array]);
  }
  std::size_t slot(std::uint32_t array, std::int64_t index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= arrays_[array].size()) throw Unsupported("an index outside its array");
    return static_cast<std::size_t>(index);
  }
  void store_slot(std::uint32_t array, std::int64_t index, std::uint32_t task) { arrays_[array][slot(array, index)] = task; }
  void copy(std::uint32_t to, const std::vector<std::uint32_t>& from, std::int64_t turn) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      store_slot(to, turn * static_cast<std::int64_t>(from.size()) + static_cast<std::int64_t>(i), from[i]);
    }
  }

  // ---- scalars

  void set(std::uint32_t var, std::optional<std::int64_t> value) {
    if (value) {
      values_[var] = *value;
    } else {
      values_.erase(var);
    }
  }

  std::optional<std::int64_t> try_evaluate(ExprId id) {
    try {
      return evaluate(id);
    } catch (const Unsupported&) {
      return std::nullopt;
    }
  }

  std::int64_t evaluate(ExprId id) {
    const ir::Expr& e = store_.expr(id);
    if (const auto constant = store_.as_int(id)) return *constant;
    switch (e.kind) {
      case ExprKind::Bool: return e.a;
      case ExprKind::Var: {
        const auto it = values_.find(e.a);
        if (it != values_.end()) return it->second;
        const auto given = args_.find(std::string(ir::source_name(store_.name(VarId(e.a)))));
        if (given != args_.end()) return given->second;
        throw Unsupported("no value of '" + std::string(store_.name(VarId(e.a))) + "'");
      }
      case ExprKind::Cast: return evaluate(ExprId(e.a));
      case ExprKind::Unary: {
        const std::int64_t v = evaluate(ExprId(e.a));
        const auto op = static_cast<ir::UnaryOp>(e.op);
        if (op == ir::UnaryOp::Not) return v == 0 ? 1 : 0;
        if (op == ir::UnaryOp::Neg) return -v;
        break;
      }
      case ExprKind::Binary: return binary(static_cast<BinaryOp>(e.op), evaluate(ExprId(e.a)), evaluate(ExprId(e.b)));
      default: break;
    }
    throw Unsupported("an expression: " + ir::print_expr(store_, id));
  }

  static std::int64_t binary(BinaryOp op, std::int64_t x, std::int64_t y) {
    const auto floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); };
    switch (op) {
      case BinaryOp::Add: return x + y;
      case BinaryOp::Sub: return x - y;
      case BinaryOp::Mul: return x * y;
      case BinaryOp::FloorDiv:
        if (y != 0) return floor_div(x, y);
        break;
      case BinaryOp::FloorMod:
        if (y != 0) return x - floor_div(x, y) * y;
        break;
      case BinaryOp::Min: return std::min(x, y);
      case BinaryOp::Max: return std::max(x, y);
      case BinaryOp::Eq: return x == y ? 1 : 0;
      case BinaryOp::Ne: return x != y ? 1 : 0;
      case BinaryOp::Lt: return x < y ? 1 : 0;
      case BinaryOp::Le: return x <= y ? 1 : 0;
      case BinaryOp::Gt: return x > y ? 1 : 0;
      case BinaryOp::Ge: return x >= y ? 1 : 0;
      case BinaryOp::And: return x != 0 && y != 0 ? 1 : 0;
      case BinaryOp::Or: return x != 0 || y != 0 ? 1 : 0;
      default: break;
    }
    throw Unsupported("an operator");
  }

  const Plan& plan_;
  const ir::NodeStore& store_;
  const std::map<std::string, std::int64_t>& args_;
  Execution out_;
  Submission open_;
  std::vector<std::uint32_t> ids_;                            // by row of Plan::ids: submission
  std::vector<std::vector<std::uint32_t>> arrays_;            // by row of Plan::arrays
  std::unordered_map<std::uint32_t, std::uint32_t> handles_;  // task row -> submission
  std::unordered_map<std::uint32_t, std::int64_t> values_;    // VarId -> value of a scalar
  std::vector<std::int64_t> iterations_;
};

}  // namespace

Execution execute(const Plan& plan, const ir::Program& program, const FunctionPlan& function,
                  const std::map<std::string, std::int64_t>& args) {
  return Machine(plan, program, args).run(function);
}

}  // namespace depscope::lower::testing
