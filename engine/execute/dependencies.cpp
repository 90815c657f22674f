// What a task waits for explicitly, and barriers (passes.md 9.4, 9.5).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "depscope/ir/dep_flags.h"
#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {
constexpr std::string_view kFenceBarrier = "phase_fence_barrier_";  // names that ExpandManualPhaseFence gives
static_assert(ir::kDepWait == runtime::kWait && ir::kDepRetain == runtime::kRetain);
}  // namespace

bool Interpreter::is_task_scalar(const ir::NodeStore& store, VarId var) { return ir::is_task_id(store, store.var(var).type); }

/// The valid ids behind a binding; an id or list that the task already waits for adds its flags to those that are there.
void Interpreter::add_dependency(const IdBinding& binding, std::uint8_t flags, std::uint8_t provenance) {
  if (!binding.bound()) return;
  const bool added = ids_.name(binding, merged_task_);
  if (!added && !weak_flags_) return;
  dependency_ids_.clear();
  ids_.append_ids(binding, dependency_ids_);
  for (const runtime::TaskId id : dependency_ids_) {
    if (added) {
      submission_.deps.push_back({id, flags, provenance});
      continue;
    }
    for (runtime::ExplicitDep& dep : submission_.deps) {
      if (dep.task == id) dep.flags |= flags;
    }
  }
}

void Interpreter::lose_user_edge(std::string_view consumer, std::string_view id, Span at) {
  result_.notices.push_back(
      {"user_edge_lost",
       fmt::format(
           "'{}' waits for '{}', whose producer belongs to a scope that is already closed: the code generator refuses this "
           "(keep the id in a TASK_ID array that outlives the scope, or use one MANUAL scope)",
           consumer, id),
       std::string(id), std::string(consumer), line(at)});
  throw Stop{};
}

/// False for what names no variable, and for one that the task being merged names already.
bool Interpreter::is_new_edge(VarId var) {
  return var.valid() && std::exchange(merged_vars_[var.value], merged_task_) != merged_task_;
}

// User edges first, in their order, then the compiler's; repeats of a variable or of a name are one edge with the flags of all.
void Interpreter::add_dependencies(ExprId call, std::string_view consumer, Span at, bool fence_barrier) {
  const ir::Call c = store_.call(call);
  ++merged_task_;
  const std::vector<std::uint8_t> given = ir::dep_flags(store_, c);
  weak_flags_ = std::any_of(given.begin(), given.end(), [](std::uint8_t f) { return f != ir::kDepWaitRetain; });
  for (std::uint32_t i = 0; i < c.deps.count; ++i) {
    const VarId var = store_.as_var(store_.at<ExprId>(c.deps, i));
    if (!is_new_edge(var) && !(weak_flags_ && var.valid())) continue;
    const std::uint8_t flags = i < given.size() ? given[i] : ir::kDepWaitRetain;
    const std::string_view name = store_.name(var);
    const IdBinding known = ids_.of(var);
    if (!known.bound() || known.hidden || (known.is_list() && ids_.list(known.row).lost))
      lose_user_edge(consumer, source_name(name), at);
    const bool fence = fence_barrier || name.starts_with(kFenceBarrier);
    add_dependency(known, flags, fence ? runtime::kFence : runtime::kUser);
  }
  const ExprId edges = store_.find_pair(c.attrs, "compiler_manual_dep_edges");
  store_.for_each_listed_var(edges, [&](VarId var) { add_compiler_edge(var); });
}

void Interpreter::add_compiler_edge(VarId var) {
  if (!is_new_edge(var)) {
    if (weak_flags_ && var.valid()) add_dependency(ids_.of(var), runtime::kWaitRetain, runtime::kCompiler);
    return;
  }
  const auto barrier = barriers_.find(var.value);
  if (barrier == barriers_.end()) {
    add_dependency(ids_.of(var), runtime::kWaitRetain, runtime::kCompiler);
  } else if (barrier->second != runtime::kInvalidTask) {
    submission_.deps.push_back({barrier->second, runtime::kWaitRetain, runtime::kCompiler});
  }
}

runtime::TaskId Interpreter::barrier_over(const std::vector<runtime::TaskId>& valid, Span at) {
  if (valid.empty()) return runtime::kInvalidTask;
  submission_ = {};
  submission_.kind = runtime::TaskKind::Dummy;
  for (const runtime::TaskId id : valid) submission_.deps.push_back({id, runtime::kWaitRetain, runtime::kCompiler});
  submit(at);
  return submitted_;
}

// P producers waited for by C consumers of one loop are cheaper behind a barrier when P·C exceeds P + C (passes.md 9.5).
void Interpreter::compress_edges(const lower::LoopFacts& loop, std::vector<VarId>& made) {
  for (const lower::EdgeUse& use : loop.edge_uses) {
    const IdBinding known = ids_.of(use.var);
    if (!known.is_list() || barriers_.contains(use.var.value)) continue;
    __extension__ using Wide = __int128;  // a loop may have any trip count
    const Wide producers = ids_.list(known.row).slots;
    const Wide consumers = static_cast<Wide>(use.count) * *loop.trips;
    if (producers < 1 || producers * consumers <= producers + consumers) continue;
    std::vector<runtime::TaskId> valid;
    ids_.append_ids(known, valid);
    barriers_[use.var.value] = barrier_over(valid, store_.stmt(loop.statement).span);
    made.push_back(use.var);
  }
}

Value Interpreter::dummy(StmtId site, ExprId call) {
  const ir::Call c = store_.call(call);
  const Span at = store_.stmt(site).span;
  submission_ = {};
  submission_.kind = runtime::TaskKind::Dummy;
  submission_.call_site = host_.call_site(site);
  const ir::Stmt st = store_.stmt(site);
  const bool fence = st.kind == ir::StmtKind::Assign && store_.name(VarId(st.a)).starts_with(kFenceBarrier);
  add_dependencies(call, "task_dummy", at, fence);
  Value v{.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(runtime::kInvalidTask)};
  // Without any entry it is always submitted; with entries only if one of them is valid.
  if (c.deps.count == 0 || !submission_.deps.empty()) {
    submit(at);
    v.number = static_cast<std::int64_t>(submitted_);
  }
  if (st.kind == ir::StmtKind::Assign) ids_.assign(VarId(st.a), static_cast<runtime::TaskId>(v.number));
  return v;
}

}  // namespace depscope::execute
