// CollectCommGroups (passes.md 7): leaves the program as it is and says what of it belongs to distributed communication.
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "depscope/pass/pass.h"

namespace depscope::pass {
namespace {

struct CommFacts {
  std::uint32_t allocations = 0, windows = 0, collectives = 0, other = 0, parameters = 0;
  ir::StmtId first;

  [[nodiscard]] bool any() const { return allocations + windows + collectives + other + parameters != 0; }
};

bool is_collective(std::string_view op) {
  return op.find("all_reduce") != std::string_view::npos || op.find("allreduce") != std::string_view::npos ||
         op.find("all_gather") != std::string_view::npos || op.find("allgather") != std::string_view::npos ||
         op.find("reduce_scatter") != std::string_view::npos || op.find("broadcast") != std::string_view::npos ||
         op.find("all_to_all") != std::string_view::npos || op.find("barrier") != std::string_view::npos;
}

CommFacts collect(const ir::NodeStore& store, const ir::Function& function) {
  CommFacts facts;
  for (const ir::Param& param : function.params) {
    const bool distributed = param.type.valid() && store.type(param.type).kind == ir::TypeKind::DistributedTensor;
    facts.parameters += distributed ? 1 : 0;
  }
  ir::for_each_stmt(store, function.body, [&](ir::StmtId stmt) {
    for (const ir::ExprId value : ir::expressions(store, stmt)) {
      if (!value.valid() || store.expr(value).kind != ir::ExprKind::Call || store.call(value).form != ir::CallForm::Op) continue;
      const std::string_view op = store.callee(value);
      if (!op.starts_with("pld.")) continue;
      if (op.ends_with("alloc_window_buffer")) {
        ++facts.allocations;
      } else if (op.ends_with(".window")) {
        ++facts.windows;
      } else if (is_collective(op)) {
        ++facts.collectives;
      } else {
        ++facts.other;
      }
      if (!facts.first.valid()) facts.first = stmt;
    }
  });
  return facts;
}

class CollectCommGroupsPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "CollectCommGroups"; }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& /*options*/, DecisionSink& sink) const override {
    for (FunctionIndex f = 0; f < program.functions.size(); ++f) {
      const ir::Function& function = program.functions[f];
      const bool orchestrates = function.kind == ir::FunctionKind::Orchestration || function.kind == ir::FunctionKind::Opaque;
      if (!orchestrates) continue;
      const CommFacts facts = collect(*program.store, function);
      if (!facts.any()) continue;
      const Span span = facts.first.valid() ? program.store->stmt(facts.first).span : function.span;
      sink.notice(
          {f, "comm_not_modelled",
           fmt::format(
               "'{}' (line {}) uses distributed communication, which is left as it is: {} window allocations, {} windows, "
               "{} collectives, {} other operations, {} distributed parameters",
               program.store->text(function.name), program.line(span), facts.allocations, facts.windows, facts.collectives,
               facts.other, facts.parameters),
           facts.first});
    }
    return program;
  }
};

}  // namespace

std::unique_ptr<Pass> CollectCommGroups() { return std::make_unique<CollectCommGroupsPass>(); }

}  // namespace depscope::pass
