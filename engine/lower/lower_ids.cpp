// Names of ids and arrays, and what a variable stands for where (passes.md 9.4).
#include <fmt/format.h>

#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

std::uint32_t Lowering::unique_name(std::string_view wanted) {
  std::string name(wanted);
  std::uint32_t& used = names_[name];
  if (used++ != 0) {
    // "x_1" may itself be somebody's name.
    std::string candidate;
    do {
      candidate = fmt::format("{}_{}", wanted, names_[name]++ - 1);
    } while (names_.contains(candidate));
    names_.emplace(candidate, 1);
    name = std::move(candidate);
  }
  plan_.names.push_back(std::move(name));
  return static_cast<std::uint32_t>(plan_.names.size()) - 1;
}

std::uint32_t Lowering::make_id(IdKind kind, VarId var, std::string_view name) {
  plan_.ids.name.push_back(unique_name(name.empty() ? store_.name(var) : name));
  plan_.ids.kind.push_back(kind);
  plan_.ids.var.push_back(var);
  return plan_.ids.size() - 1;
}

std::uint32_t Lowering::make_array(VarId var, std::int64_t extent, std::string_view name) {
  plan_.arrays.name.push_back(unique_name(name.empty() ? store_.name(var) : name));
  plan_.arrays.extent.push_back(extent);
  plan_.arrays.var.push_back(var);
  return plan_.arrays.size() - 1;
}

Binding Lowering::binding_of(ExprId value) const {
  const VarId var = store_.as_var(value);
  return var.valid() ? bindings_[var.value] : Binding{};
}

void Lowering::bind(VarId var, const Binding& binding) {
  log_.emplace_back(var, bindings_[var.value]);
  bindings_[var.value] = binding;
}

/// Ends the bindings made since `mark`. Arrays whose storage is older than row `first_array` live on under the names they got.
void Lowering::leave(std::size_t mark, std::uint32_t first_array) {
  std::vector<std::pair<VarId, Binding>> kept;
  while (log_.size() > mark) {
    const auto& [var, before] = log_.back();
    const Binding& now = bindings_[var.value];
    if (first_array != kNone && now.is_array() && now.index < first_array) kept.emplace_back(var, now);
    if (now.bound() && !before.bound()) ++lost_bindings_;
    bindings_[var.value] = before;
    log_.pop_back();
  }
  for (auto it = kept.rbegin(); it != kept.rend(); ++it) {
    const Binding& now = bindings_[it->first.value];
    if (now.kind != it->second.kind || now.index != it->second.index) bind(it->first, it->second);
  }
}

/// The id that stands for a variable from here on: the declared one if it was hoisted, else a new one.
std::uint32_t Lowering::id_for(VarId var, IdKind kind, bool guarded) {
  const Binding& known = binding(var);
  if (known.is_id() && plan_.ids.kind[known.index] == IdKind::Hoisted && plan_.ids.var[known.index] == var) return known.index;
  const std::uint32_t id = make_id(kind, var);
  bind(var, {Binding::Kind::Id, guarded, false, id});
  return id;
}

void Lowering::bind_task(StmtId stmt, VarId var, std::uint32_t task) {
  emit(OpKind::BindId, stmt, id_for(var, IdKind::Task, false), task);
}

/// Declares an id for a variable, or assigns to the one that was declared in front of the first scope.
std::uint32_t Lowering::set_id(StmtId stmt, VarId var, IdKind kind, std::uint32_t from) {
  const std::uint32_t id = id_for(var, kind);
  emit(plan_.ids.kind[id] == IdKind::Hoisted ? OpKind::AssignId : OpKind::DeclareId, stmt, id, from);
  return id;
}

void Lowering::copy(StmtId stmt, VarId target, ExprId value) {
  const Binding source = binding_of(value);
  const bool id = ir::is_task_id(store_, store_.var(target).type) || ir::is_task_id_array(store_, store_.var(target).type);
  if (!id) emit(OpKind::Assign, stmt, target.value, value.value);
  if (!source.bound()) return;
  const Binding& known = binding(target);
  if (source.is_id() && known.is_id() && plan_.ids.kind[known.index] == IdKind::Hoisted) {
    emit(OpKind::AssignId, stmt, known.index, source.index);
  } else {
    bind(target, source);
  }
}

// Ids that compiler edges name outlive the scopes of their producers: they are declared in front of the first scope. Those that
// share the name base of a loop result are bound where they are made.
void Lowering::declare_hoisted() {
  if (hoisted_) return;
  hoisted_ = true;
  for (const VarId var : facts_.edge_vars()) {
    if (facts_.result_base(var) || binding(var).bound() || ir::is_task_id_array(store_, store_.var(var).type)) continue;
    const std::uint32_t id = make_id(IdKind::Hoisted, var);
    emit(OpKind::DeclareId, {}, id);
    bind(var, {Binding::Kind::Id, true, false, id});
  }
}

}  // namespace depscope::lower
