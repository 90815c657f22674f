// A plan as text, one operation a line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "depscope/ir/dep_flags.h"
#include "depscope/ir/text.h"
#include "depscope/lower/plan.h"
#include "ir_questions.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {

class Printer {
 public:
  Printer(const Plan& plan, const ir::Program& program) : plan_(plan), store_(*program.store) {}

  std::string print(const FunctionPlan& function) {
    for (std::uint32_t op = function.ops.begin; op < function.ops.end; ++op) {
      const OpKind kind = plan_.ops.kind[op];
      const bool closes = kind == OpKind::ScopeEnd || kind == OpKind::LoopEnd || kind == OpKind::IfEnd || kind == OpKind::IfElse;
      const bool opens =
          kind == OpKind::ScopeBegin || kind == OpKind::LoopBegin || kind == OpKind::IfBegin || kind == OpKind::IfElse;
      if (closes && depth_ != 0) --depth_;
      const std::string operands = describe(op);
      out_.append(2 * depth_, ' ');
      out_ += op_name(kind);
      if (!operands.empty()) out_ += " " + operands;
      out_ += '\n';
      if (opens) ++depth_;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view id(std::uint32_t row) const {
    return row == kNone ? std::string_view("invalid") : std::string_view(plan_.names[plan_.ids.name[row]]);
  }
  [[nodiscard]] std::string_view array(std::uint32_t row) const { return plan_.names[plan_.arrays.name[row]]; }
  [[nodiscard]] std::string expr(std::uint32_t value) const { return ir::print_expr(store_, ExprId(value)); }
  [[nodiscard]] std::string_view var(std::uint32_t value) const { return store_.name(VarId(value)); }

  [[nodiscard]] std::string vars(std::uint32_t begin, std::uint32_t end) const {
    std::string out;
    for (std::uint32_t w = begin; w < end; ++w) {
      if (w != begin) out += ", ";
      out += var(plan_.words[w]);
    }
    return out;
  }

  [[nodiscard]] std::string task(std::uint32_t row) const {
    return plan_.tasks.number[row] == kNone ? "barrier" : fmt::format("task {}", plan_.tasks.number[row]);
  }

  /// A value that an argument takes; for runtime-allocated outputs the parameter that describes it.
  [[nodiscard]] std::string argument(std::uint32_t op) const {
    const Ops& ops = plan_.ops;
    if (ops.a[op] != kNone) {
      const bool bits = ops.kind[op] == OpKind::AddScalar && (ops.flags[op] & kBitCast) != 0;
      return expr(ops.a[op]) + (bits ? " as bits" : "");
    }
    return fmt::format("new (parameter {})", ops.b[op]);
  }

  [[nodiscard]] std::string dependency(std::uint32_t row) const {
    const Deps& deps = plan_.deps;
    std::string out;
    if (deps.id[row] != kNone) {
      out = id(deps.id[row]);
    } else {
      const std::int64_t extent = plan_.arrays.extent[deps.array[row]];
      out = fmt::format("{}[{}]", array(deps.array[row]), extent < 0 ? "all" : fmt::format("0:{}", extent));
    }
    if (deps.guarded[row] != 0) out += " guarded";
    if (deps.flags[row] != (kWait | kRetain)) out += fmt::format(" {}", ir::dep_flags_word(deps.flags[row]));
    out += " <-";
    const Rows reasons = deps.reasons[row];
    for (std::uint32_t r = reasons.begin; r < reasons.end; ++r) {
      out += fmt::format("{} {} {}", r == reasons.begin ? "" : ",", edge_origin_name(plan_.reasons.origin[r]),
                         store_.name(plan_.reasons.var[r]));
    }
    if (reasons.size() == 0) out += " all iterations";
    return out;
  }

  [[nodiscard]] std::string loop_header(StmtId stmt, std::uint8_t flags) const {
    if (store_.stmt(stmt).kind == ir::StmtKind::While)
      return fmt::format("while {}", ir::print_expr(store_, store_.while_data(stmt).cond));
    const ir::ForData& d = store_.for_data(stmt);
    return fmt::format("{} in {}({}, {}, {})", store_.name(d.counter), (flags & kParallel) != 0 ? "parallel" : "range",
                       ir::print_expr(store_, d.start), ir::print_expr(store_, d.stop), ir::print_expr(store_, d.step));
  }

  [[nodiscard]] std::string describe(std::uint32_t op) const {
    const Ops& ops = plan_.ops;
    const std::uint32_t a = ops.a[op];
    const std::uint32_t b = ops.b[op];
    const std::uint32_t c = ops.c[op];
    const std::uint8_t flags = ops.flags[op];
    switch (ops.kind[op]) {
      case OpKind::ScopeBegin: return (flags & kManual) != 0 ? "MANUAL" : "AUTO";
      case OpKind::AllocTensors:
      case OpKind::Dump: return vars(a, b);
      case OpKind::Args: return fmt::format("{}: {}", task(a), store_.text(plan_.tasks.callee[a]));
      case OpKind::AddInput:
      case OpKind::AddOutput:
      case OpKind::AddInOut:
      case OpKind::AddNoDep:
      case OpKind::AddScalar: return argument(op);
      case OpKind::DepArray: return plan_.tasks.capacity[a] < 0 ? "all" : fmt::format("{}", plan_.tasks.capacity[a]);
      case OpKind::Dep: return dependency(a);
      case OpKind::Launch: {
        std::string out = a == kNone ? "" : fmt::format("core_num={}", expr(a));
        if ((flags & kSyncStart) != 0) out += out.empty() ? "sync_start" : " sync_start";
        return out;
      }
      case OpKind::Predicate:
      case OpKind::Evaluate:
      case OpKind::IfBegin: return expr(a);
      case OpKind::Submit:
        return fmt::format("{}{}", store_.text(plan_.tasks.callee[a]), (flags & kCaptures) != 0 ? " captures" : "");
      case OpKind::BindId: return fmt::format("{} = {}", id(a), task(b));
      case OpKind::DeclareId:
      case OpKind::AssignId: return fmt::format("{} = {}", id(a), id(b));
      case OpKind::ReadId: return fmt::format("{} = {}[{}]", id(a), array(b), expr(c));
      case OpKind::Dummy:
        return fmt::format("{}{}", (flags & kAlways) != 0 ? "always" : "if_any", b == kNone ? "" : fmt::format(" = {}", id(b)));
      case OpKind::IdArray: {
        const std::int64_t extent = plan_.arrays.extent[a];
        return fmt::format("{}[{}] = {}", array(a), extent < 0 ? "?" : fmt::format("{}", extent), id(b));
      }
      case OpKind::IdStore: {
        const std::string slot = (flags & kLoopSlot) != 0 ? "iteration" : c == kNone ? "0" : expr(c);
        return fmt::format("{}[{}] = {}", array(a), slot, id(b));
      }
      case OpKind::IdCopy: return fmt::format("{}{} = {}", array(a), (flags & kLoopSlot) != 0 ? "[iteration]" : "", array(b));
      case OpKind::IdList: return fmt::format("{} of {} per iteration", array(a), b);
      case OpKind::IdAppend: return fmt::format("{} += {}", array(a), (flags & kFromArray) != 0 ? array(b) : id(b));
      case OpKind::LoopBegin: return loop_header(ops.statement[op], flags);
      case OpKind::Assign:
        return (flags & kResult) != 0 ? fmt::format("{} = {} result {}", var(a), task(b), c)
                                      : fmt::format("{} = {}", var(a), expr(b));
      default: return "";
    }
  }

  const Plan& plan_;
  const ir::NodeStore& store_;
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string plan_text(const Plan& plan, const ir::Program& program, const FunctionPlan& function) {
  if (function.planned) return Printer(plan, program).print(function);
  for (const Finding& finding : plan.findings) {
    if (finding.function == function.function && finding.kind == FindingKind::NotModelled) return "# " + finding.message + "\n";
  }
  return "# no plan\n";
}

}  // namespace depscope::lower
