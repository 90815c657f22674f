// What a task waits for explicitly, and barriers (passes.md 9.4, 9.5).
#include <fmt/format.h>

#include <algorithm>

#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {
constexpr std::string_view kFenceBarrier = "phase_fence_barrier_";  // names that ExpandManualPhaseFence gives
}  // namespace

bool Interpreter::is_task_scalar(const ir::NodeStore& store, VarId var) { return ir::is_task_id(store, store.var(var).type); }

bool Interpreter::scope_open(std::uint32_t serial) const {
  if (serial == 0) return true;
  return std::binary_search(scopes_.begin(), scopes_.end(), OpenScope{serial, false},
                            [](const OpenScope& a, const OpenScope& b) { return a.serial < b.serial; });
}

/// Ids behind one entry of deps; false if the variable has no binding here.
bool Interpreter::resolve(VarId var, bool user, std::vector<Dependency>& out) {
  const Value& v = values_[var.value];
  const bool kept = edge_vars_.contains(var.value);
  const auto add = [&](runtime::TaskId id, std::uint64_t name = 0) {
    if (id != runtime::kInvalidTask) out.push_back({id, name});
  };
  switch (v.kind) {
    case ValueKind::TaskId:
      if (!kept && !scope_open(v.scope)) return false;
      add(static_cast<runtime::TaskId>(v.number), kept ? 0 : v.binding);
      return true;
    case ValueKind::IdList:
    case ValueKind::Array: {
      if (user && !kept && !scope_open(v.scope)) return false;
      // Names of slots: above the numbers of variables.
      std::uint64_t slot = (static_cast<std::uint64_t>(v.index) + 1) << 32U;
      for (const runtime::TaskId id : id_lists_[v.index]) add(id, slot++);
      return true;
    }
    case ValueKind::Tensor:
    case ValueKind::Tuple:
      if (user) return false;
      if (id_list_slot_[var.value] != 0xffffffffU) {
        for (const runtime::TaskId id : id_lists_[id_list_slot_[var.value]]) add(id);
      } else {
        add(v.producer);
      }
      return true;
    case ValueKind::Unset: return !user;  // a compiler edge to a branch that did not run: its id is invalid
    default: return false;
  }
}

void Interpreter::add_dependencies(ExprId call, std::string_view consumer, Span at, bool fence_barrier) {
  const ir::Call c = store_.call(call);
  std::unordered_set<std::uint32_t> seen;
  std::unordered_set<std::uint64_t> names;
  std::vector<Dependency> ids;
  const auto add = [&](std::uint8_t flags, std::uint8_t provenance) {
    for (const Dependency& d : ids) {
      if (d.name == 0 || names.insert(d.name).second) submission_.deps.push_back({d.task, flags, provenance});
    }
  };
  std::vector<ExprId> flag_texts;
  const ExprId dep_flags = store_.find_pair(c.attrs, "dep_flags");
  if (dep_flags.valid()) flag_texts = ir::children(store_, dep_flags);
  if (dep_flags.valid() && flag_texts.size() != c.deps.count) {
    fail(at, fmt::format("dep_flags has {} entries for {} deps", flag_texts.size(), c.deps.count));
  }
  for (std::uint32_t i = 0; i < c.deps.count; ++i) {
    const VarId var = store_.as_var(store_.at<ExprId>(c.deps, i));
    if (!var.valid() || !seen.insert(var.value).second) continue;
    std::uint8_t flags = runtime::kWaitRetain;
    if (dep_flags.valid()) {
      if (store_.expr(flag_texts[i]).kind != ir::ExprKind::Str)
        fail(at, R"(an entry of dep_flags must be "wait", "retain" or "wait|retain")");
      const std::string_view text = store_.text(NameId(store_.expr(flag_texts[i]).a));
      if (text == "wait") {
        flags = runtime::kWait;
      } else if (text == "retain") {
        flags = runtime::kRetain;
      } else if (text != "wait|retain" && text != "retain|wait") {
        fail(at, fmt::format(R"(dep_flags entry "{}": "wait", "retain" or "wait|retain" was expected)", text));
      }
    }
    ids.clear();
    const std::string name(store_.name(var));
    if (!resolve(var, true, ids)) {
      result_.notices.push_back(
          {"user_edge_lost",
           fmt::format(
               "'{}' waits for '{}', whose producer belongs to a scope that is already closed: the code generator refuses this "
               "(keep the id in a TASK_ID array that outlives the scope, or use one MANUAL scope)",
               consumer, source_name(name)),
           std::string(source_name(name)), std::string(consumer), line(at)});
      throw Stop{};
    }
    const bool fence = fence_barrier || name.starts_with(kFenceBarrier);
    add(flags, fence ? runtime::kFence : runtime::kUser);
  }
  const ExprId edges = store_.find_pair(c.attrs, "compiler_manual_dep_edges");
  store_.for_each_listed_var(edges, [&](VarId var) {
    if (!var.valid() || !seen.insert(var.value).second) return;
    ids.clear();
    const auto barrier = barriers_.find(var.value);
    if (barrier != barriers_.end()) {
      if (barrier->second != runtime::kInvalidTask)
        submission_.deps.push_back({barrier->second, runtime::kWaitRetain, runtime::kCompiler});
      return;
    }
    resolve(var, false, ids);
    add(runtime::kWaitRetain, runtime::kCompiler);
  });
}

// P producers waited for by C consumers of one loop are cheaper behind a barrier when P·C exceeds P + C (passes.md 9.5).
void Interpreter::compress_edges(StmtId loop, std::uint64_t trips, std::vector<VarId>& made) {
  auto known = loop_edges_.find(loop.value);
  if (known == loop_edges_.end()) {
    std::unordered_set<std::uint32_t> defined;
    std::vector<std::pair<VarId, std::uint32_t>> uses;
    std::unordered_map<std::uint32_t, std::size_t> use_of;
    const auto define = [&](Range vars) {
      for (const VarId v : store_.list<VarId>(vars)) defined.insert(v.value);
    };
    define(store_.for_data(loop).iter_args);
    define(store_.for_data(loop).result_vars);
    const Range body = store_.for_data(loop).body;
    ir::for_each_stmt(store_, body, [&](StmtId s) {
      const ir::Stmt& st = store_.stmt(s);
      if (st.kind == ir::StmtKind::Assign) defined.insert(st.a);
      if (st.kind == ir::StmtKind::For) define(store_.for_data(s).iter_args), define(store_.for_data(s).result_vars);
      if (st.kind == ir::StmtKind::While) define(store_.while_data(s).iter_args), define(store_.while_data(s).result_vars);
      if (st.kind == ir::StmtKind::If) define(store_.if_data(s).result_vars);
    });
    ir::for_each_stmt(store_, body, [&](StmtId s) {
      for (const ExprId e : ir::expressions(store_, s)) {
        if (store_.expr(e).kind != ir::ExprKind::Call) continue;
        const ExprId edges = store_.find_pair(store_.call(e).attrs, "compiler_manual_dep_edges");
        store_.for_each_listed_var(edges, [&](VarId var) {
          if (!var.valid() || defined.contains(var.value)) return;
          const auto [at, added] = use_of.try_emplace(var.value, uses.size());
          if (added) {
            uses.emplace_back(var, 1);
          } else {
            ++uses[at->second].second;
          }
        });
      }
    });
    known = loop_edges_.emplace(loop.value, std::move(uses)).first;
  }
  for (const auto& [var, count] : known->second) {
    if (barriers_.contains(var.value) || id_list_slot_[var.value] == 0xffffffffU) continue;
    const std::vector<runtime::TaskId> slots = id_lists_[id_list_slot_[var.value]];
    // P·C > P + C; a trip count beyond any run is as good as a large one.
    const std::uint64_t producers = slots.size();
    const std::uint64_t consumers = count * std::min<std::uint64_t>(trips, std::uint64_t{1} << 31U);
    if (producers < 2 || producers * consumers <= producers + consumers) continue;
    submission_ = {};
    submission_.kind = runtime::TaskKind::Dummy;
    for (const runtime::TaskId id : slots) {
      if (id != runtime::kInvalidTask) submission_.deps.push_back({id, runtime::kWaitRetain, runtime::kCompiler});
    }
    runtime::TaskId barrier = runtime::kInvalidTask;
    if (!submission_.deps.empty()) {
      submit(store_.stmt(loop).span);
      barrier = submitted_;
    }
    barriers_[var.value] = barrier;
    made.push_back(var);
  }
}

Value Interpreter::dummy(StmtId site, ExprId call) {
  const ir::Call c = store_.call(call);
  const Span at = store_.stmt(site).span;
  submission_ = {};
  submission_.kind = runtime::TaskKind::Dummy;
  submission_.call_site = host_.call_site(site);
  const ir::Stmt& st = store_.stmt(site);
  const bool fence = st.kind == ir::StmtKind::Assign && store_.name(VarId(st.a)).starts_with(kFenceBarrier);
  add_dependencies(call, "task_dummy", at, fence);
  Value v{.kind = ValueKind::TaskId, .number = static_cast<std::int64_t>(runtime::kInvalidTask)};
  // Without any entry it is always submitted; with entries only if one of them is valid.
  if (c.deps.count != 0 && submission_.deps.empty()) return v;
  submit(at);
  v.number = static_cast<std::int64_t>(submitted_);
  return v;
}

}  // namespace depscope::execute
