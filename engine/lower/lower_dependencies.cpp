// What a task waits for explicitly (passes.md 9.4), and barriers that save dependencies (9.5).
#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/dep_flags.h"
#include "depscope/ir/text.h"
#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

static_assert(kWait == ir::kDepWait && kRetain == ir::kDepRetain);

std::uint32_t Lowering::add_task(TaskForm form, StmtId stmt, ExprId call) {
  Tasks& tasks = plan_.tasks;
  const bool kernel = form == TaskForm::Kernel || form == TaskForm::Wrapper;
  tasks.form.push_back(form);
  tasks.statement.push_back(stmt);
  tasks.call.push_back(call);
  tasks.callee.push_back(kernel ? store_.call(call).callee : NameId(0));
  tasks.number.push_back(kernel ? next_number_++ : kNone);
  tasks.site.push_back(form == TaskForm::Barrier ? kNone : site_.index);
  tasks.deps.push_back({plan_.deps.size(), plan_.deps.size()});
  tasks.capacity.push_back(0);
  return tasks.size() - 1;
}

// User edges first, in their order, then compiler edges; repeats of a variable or of a name are merged, their flags
// united, their reasons kept.
void Lowering::merge_dependencies(std::uint32_t task) {
  const ir::Call call = store_.call(plan_.tasks.call[task]);
  reasons_.clear();
  merged_ids_.resize(plan_.ids.size());
  merged_arrays_.resize(plan_.arrays.size());
  if (merged_vars_.empty()) merged_vars_.resize(store_.var_count());
  const std::vector<std::uint8_t> flags = ir::dep_flags(store_, call);
  const std::vector<VarId> users = user_edges(store_, call);
  for (std::uint32_t i = 0; i < users.size(); ++i) {
    if (!users[i].valid()) continue;
    const EdgeOrigin origin = is_fence(users[i]) ? EdgeOrigin::Fence : EdgeOrigin::User;
    merge_edge(task, users[i], origin, i, i < flags.size() ? flags[i] : kWait | kRetain);
  }
  if (options_.findings_only) {
    check_compiler_edges(task, call);
    forget_dependencies(task);
    return;
  }
  const std::vector<VarId> compiler = compiler_edges(store_, call);
  for (std::uint32_t i = 0; i < compiler.size(); ++i) {
    if (compiler[i].valid()) merge_edge(task, compiler[i], EdgeOrigin::Compiler, i, kWait | kRetain);
  }
  write_reasons(task);
}

// An edge whose id has a binding gives no finding. Runs share their lists: what was looked at once is looked at again only when
// a binding was lost since.
void Lowering::check_compiler_edges(std::uint32_t task, const ir::Call& call) {
  if (call.attrs.empty()) return;
  std::uint32_t position = 0;
  const auto bound = [&](VarId var) { return var.valid() && binding(var).bound(); };
  const auto check = [&](VarId var) {
    if (var.valid() && !bound(var)) merge_edge(task, var, EdgeOrigin::Compiler, position, kWait | kRetain);
    ++position;
  };
  store_.for_each_listed(store_.find_pair(call.attrs, kCompilerEdges), check, [&](const ir::VarRun& run) {
    if (bound_when_ != lost_bindings_) bound_lists_.clear();
    bound_when_ = lost_bindings_;
    std::uint32_t known = run.count;
    bound_lists_.each_new(store_, run, [&](VarId var, std::uint32_t i) {
      if (!bound(var)) known = i;
      return bound(var);
    });
    position += known;
    for (std::uint32_t i = known; i < run.count; ++i) check(store_.run_var(run, i));
  });
}

void Lowering::forget_dependencies(std::uint32_t task) {
  Deps& deps = plan_.deps;
  const std::uint32_t begin = plan_.tasks.deps[task].begin;
  for (auto* column : {&deps.id, &deps.array}) column->resize(begin);
  for (auto* column : {&deps.guarded, &deps.flags}) column->resize(begin);
  deps.reasons.resize(begin);
  plan_.tasks.deps[task] = {begin, begin};
  plan_.tasks.capacity[task] = 0;
}

bool Lowering::is_fence(VarId var) const {
  const VarFacts& facts = facts_.var(var);
  return facts.definition == Definition::Assign && store_.name(var).starts_with("phase_fence_barrier_") &&
         store_.is_op(statement_value(store_, facts.statement), "system.task_dummy");
}

void Lowering::merge_edge(std::uint32_t task, VarId var, EdgeOrigin origin, std::uint32_t position, std::uint8_t flags) {
  const bool compiler = origin == EdgeOrigin::Compiler;
  Merged& merged = merged_vars_[var.value];
  if (merged.task == task) {
    // A user edge that is lost stays lost; a compiler edge beside it adds nothing.
    if (merged.dependency == kNone) return;
    reasons_.push_back({merged.dependency, origin, position, var, kNone});
    plan_.deps.flags[merged.dependency] |= flags;
    return;
  }
  merged = {task, kNone};
  const auto barrier = compiler ? barriers_.find(var.value) : barriers_.end();
  if (barrier != barriers_.end()) {
    merged.dependency = add_dependency(task, {Binding::Kind::Id, true, false, barrier->second.id}, flags);
    reasons_.push_back({merged.dependency, origin, position, var, barrier->second.task});
    return;
  }
  const Binding& known = binding(var);
  if (known.bound() && (compiler || !known.compiler_only)) {
    merged.dependency = add_dependency(task, known, flags);
    reasons_.push_back({merged.dependency, origin, position, var, kNone});
    if (known.is_array() && !compiler) lose_slots(task, known.index, origin, position);
  } else if (compiler) {
    lose_compiler_edge(task, var, position);
  } else {
    lose_user_edge(task, var, origin, position);
  }
}

/// The row of the dependency, an earlier one if the same name is there already.
std::uint32_t Lowering::add_dependency(std::uint32_t task, const Binding& binding, std::uint8_t flags) {
  Merged& merged = binding.is_array() ? merged_arrays_[binding.index] : merged_ids_[binding.index];
  if (merged.task == task) {
    plan_.deps.flags[merged.dependency] |= flags;
    return merged.dependency;
  }
  Deps& deps = plan_.deps;
  merged = {task, deps.size()};
  deps.id.push_back(binding.is_id() ? binding.index : kNone);
  deps.array.push_back(binding.is_array() ? binding.index : kNone);
  deps.guarded.push_back(binding.guarded ? 1 : 0);
  deps.flags.push_back(flags);
  deps.reasons.push_back({});
  const std::int64_t ids = binding.is_array() ? plan_.arrays.extent[binding.index] : 1;
  std::int64_t& capacity = plan_.tasks.capacity[task];
  if (ids < 0 || capacity < 0 || __builtin_add_overflow(capacity, ids, &capacity)) capacity = -1;
  plan_.tasks.deps[task].end = deps.size();
  return merged.dependency;
}

void Lowering::write_reasons(std::uint32_t task) {
  // Reasons came in order of the edges; they are stored by dependency.
  std::stable_sort(reasons_.begin(), reasons_.end(),
                   [](const OpenReason& a, const OpenReason& b) { return a.dependency < b.dependency; });
  Reasons& out = plan_.reasons;
  std::size_t next = 0;
  for (std::uint32_t d = plan_.tasks.deps[task].begin; d < plan_.tasks.deps[task].end; ++d) {
    plan_.deps.reasons[d].begin = out.size();
    for (; next < reasons_.size() && reasons_[next].dependency == d; ++next) {
      const OpenReason& reason = reasons_[next];
      out.origin.push_back(reason.origin);
      out.position.push_back(reason.position);
      out.var.push_back(reason.var);
      out.barrier.push_back(reason.barrier);
    }
    plan_.deps.reasons[d].end = out.size();
  }
}

void Lowering::emit_dependencies(std::uint32_t task) {
  const Rows deps = plan_.tasks.deps[task];
  if (deps.size() == 0 || plan_.tasks.capacity[task] == 0) return;
  const StmtId stmt = plan_.tasks.statement[task];
  emit(OpKind::DepArray, stmt, task);
  for (std::uint32_t d = deps.begin; d < deps.end; ++d) emit(OpKind::Dep, stmt, d);
  const bool dummy = plan_.tasks.form[task] == TaskForm::Dummy || plan_.tasks.form[task] == TaskForm::Barrier;
  if (!dummy) emit(OpKind::SetDeps, stmt, task);
}

// ---------------------------------------------------------------- edges without a binding

// An array keeps what it is given; an id without a binding cannot be given.
void Lowering::lose_slots(std::uint32_t task, std::uint32_t array, EdgeOrigin origin, std::uint32_t position) {
  const auto lost = lost_slots_.find(array);
  if (lost == lost_slots_.end()) return;
  for (const VarId var : lost->second) {
    if (merged_vars_[var.value].task == task) continue;
    merged_vars_[var.value] = {task, kNone};
    lose_user_edge(task, var, origin, position);
    plan_.findings.back().reason = "a slot of an array";
  }
}

void Lowering::lose_user_edge(std::uint32_t task, VarId var, EdgeOrigin origin, std::uint32_t position) {
  const VarFacts& facts = facts_.var(var);
  const StmtId stmt = plan_.tasks.statement[task];
  Finding& finding = find(FindingKind::UserEdgeLost, Severity::Error, stmt, plan_.tasks.call[task]);
  finding.var = var;
  finding.origin = origin;
  finding.position = position;
  finding.name = facts_.base(var);
  // A slot that was read on the way has no name of its own: the array has.
  if (facts.definition == Definition::Assign && store_.is_op(statement_value(store_, facts.statement), "array.get_element") &&
      store_.name(var).find("__tmp") != std::string_view::npos) {
    const ir::Call& read = store_.call(statement_value(store_, facts.statement));
    const VarId array = read.args.empty() ? VarId() : store_.as_var(store_.at<ExprId>(read.args, 0));
    if (array.valid()) finding.name = facts_.base(array);
  }
  const StmtId producer = facts_.producer(var);
  if (producer.valid()) finding.producer_line = program_.line(store_.stmt(producer).span);
  const std::string from = finding.producer_line == 0 ? "" : fmt::format(" (launched in line {})", finding.producer_line);
  if (facts.definition == Definition::IterArg) {
    finding.reason = "a loop-carried id has no binding outside a MANUAL scope";
    finding.message = fmt::format(
        "'{}' in line {} waits for '{}'{}, which a loop carries outside a MANUAL scope: there it has no binding and the code "
        "generator refuses it. Put the loop into a MANUAL scope, or keep the ids in a TASK_ID array",
        finding.callee, finding.line, finding.name, from);
  } else {
    finding.reason = "producer id lives in a scope already closed";
    finding.message = fmt::format(
        "'{}' in line {} waits for '{}'{}, whose producer belongs to a scope that is already closed: the code generator refuses "
        "it. Keep the id in a TASK_ID array that outlives the scope, or use one MANUAL scope",
        finding.callee, finding.line, finding.name, from);
  }
}

void Lowering::lose_compiler_edge(std::uint32_t task, VarId var, std::uint32_t position) {
  const StmtId stmt = plan_.tasks.statement[task];
  const bool refused = options_.profile == pass::Profile::Upstream202608 && names_inner_result(var);
  Finding& finding = find(refused ? FindingKind::CodegenAbort : FindingKind::LostEdge, refused ? Severity::Error : Severity::Info,
                          stmt, plan_.tasks.call[task]);
  finding.var = var;
  finding.origin = EdgeOrigin::Compiler;
  finding.position = position;
  finding.name = facts_.base(var);
  const StmtId producer = facts_.producer(var);
  if (producer.valid()) finding.producer_line = program_.line(store_.stmt(producer).span);
  if (refused) {
    finding.reason = "the ids of an inner loop are named outside its block";
    finding.message = fmt::format(
        "'{}' in line {} waits for '{}', the result of a loop inside another loop: the generated code names the ids of that loop "
        "outside its block and does not compile",
        finding.callee, finding.line, finding.name);
  } else {
    finding.reason = "no binding";
    finding.message =
        fmt::format("the compiler's edge from '{}' to '{}' in line {} has no binding here: the code generator leaves it out",
                    finding.name, finding.callee, finding.line);
  }
}

// ---------------------------------------------------------------- barriers

Lowering::Barrier Lowering::barrier_over(StmtId loop, const Binding& ids) {
  const std::uint32_t task = add_task(TaskForm::Barrier, loop, {});
  merged_ids_.resize(plan_.ids.size());
  merged_arrays_.resize(plan_.arrays.size());
  reasons_.clear();
  add_dependency(task, ids, kWait | kRetain);
  write_reasons(task);
  const std::uint32_t id = make_id(IdKind::Barrier, {}, fmt::format("barrier_{}", next_barrier_++));
  emit_dependencies(task);
  emit(OpKind::Dummy, loop, task, id);
  return {task, id};
}

// P producers waited for by C consumers are cheaper behind a barrier when P·C exceeds P + C.
void Lowering::compress(const LoopFacts& facts, std::vector<VarId>& made) {
  for (const EdgeUse& use : facts.edge_uses) {
    const Binding known = binding(use.var);
    if (!known.is_array() || barriers_.contains(use.var.value)) continue;
    __extension__ using Wide = __int128;  // a loop may have any trip count
    const Wide producers = plan_.arrays.extent[known.index];
    const Wide consumers = static_cast<Wide>(use.count) * *facts.trips;
    if (producers < 1 || producers * consumers <= producers + consumers) continue;
    barriers_.emplace(use.var.value, barrier_over(facts.statement, known));
    made.push_back(use.var);
  }
}

}  // namespace depscope::lower
