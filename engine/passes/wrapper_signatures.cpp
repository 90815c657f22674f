#include "wrapper_signatures.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "task_sites.h"

namespace depscope::pass {
namespace {

using ir::Function;
using ir::FunctionKind;
using ir::ParamDirection;
using ir::VarId;

bool is_wrapper(const Function& function) { return function.kind == FunctionKind::Group || function.kind == FunctionKind::Spmd; }

/// One argument of a call in a wrapper's body that is one of the wrapper's own parameters.
struct Transfer {
  std::uint32_t parameter = 0;
  std::uint32_t callee = 0;
  std::uint32_t callee_parameter = 0;
};

std::vector<Transfer> collect_transfers(const ir::Program& program, const FunctionTable& table, const Function& wrapper) {
  const ir::NodeStore& store = *program.store;
  std::unordered_map<VarId, std::uint32_t> parameters;
  for (std::uint32_t p = 0; p < wrapper.params.size(); ++p) parameters.emplace(wrapper.params[p].var, p);
  std::vector<Transfer> transfers;
  ir::for_each_stmt(store, wrapper.body, [&](ir::StmtId stmt) {
    // A launch may also stand in a return.
    std::vector<ir::ExprId> values = ir::expressions(store, stmt);
    for (const ir::ExprId value : values) {
      if (!value.valid() || store.expr(value).kind != ir::ExprKind::Call || is_builtin(store, store.call(value))) continue;
      const ir::Call call = store.call(value);
      const auto callee = table.index(call.callee);
      if (!callee) continue;
      const Function& target = program.functions[*callee];
      if (target.kind == FunctionKind::Orchestration || target.kind == FunctionKind::Opaque) continue;
      const ParameterMap map(store, call, target);
      if (!map.fits()) continue;
      for (std::uint32_t i = 0; i < call.args.count; ++i) {
        const auto it = parameters.find(store.as_var(store.at<ir::ExprId>(call.args, i)));
        if (it != parameters.end()) transfers.push_back({it->second, *callee, map.parameter(i)});
      }
    }
  });
  return transfers;
}

}  // namespace

std::vector<std::vector<ParamDirection>> effective_directions(const ir::Program& program) {
  const auto& functions = program.functions;
  std::vector<std::vector<ParamDirection>> directions(functions.size());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    for (const ir::Param& param : functions[f].params) directions[f].push_back(param.direction);
  }
  const FunctionTable table(program);
  std::vector<std::vector<Transfer>> transfers(functions.size());
  std::vector<std::vector<std::uint32_t>> callers(functions.size());
  std::vector<std::uint32_t> work;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    if (!is_wrapper(functions[f])) continue;
    transfers[f] = collect_transfers(program, table, functions[f]);
    for (const Transfer& t : transfers[f]) callers[t.callee].push_back(f);
    work.push_back(f);
  }
  // Directions only rise, at most twice a parameter, so this ends also for wrappers that call one another.
  std::vector<bool> queued(functions.size(), false);
  for (const std::uint32_t f : work) queued[f] = true;
  for (std::size_t next = 0; next < work.size(); ++next) {
    const std::uint32_t f = work[next];
    queued[f] = false;
    bool raised = false;
    for (const Transfer& t : transfers[f]) {
      ParamDirection& own = directions[f][t.parameter];
      const ParamDirection theirs = directions[t.callee][t.callee_parameter];
      if (own < theirs) {
        own = theirs;
        raised = true;
      }
    }
    if (!raised) continue;
    for (const std::uint32_t caller : callers[f]) {
      if (queued[caller]) continue;
      queued[caller] = true;
      work.push_back(caller);
    }
  }
  return directions;
}

}  // namespace depscope::pass
