#include "id_bindings.h"

#include <algorithm>

namespace depscope::execute {

using ir::VarId;
using runtime::TaskId;

void IdBindings::leave() {
  const Block closed = blocks_.back();
  blocks_.pop_back();
  std::vector<std::pair<VarId, IdBinding>> kept;
  while (log_.size() > closed.log) {
    const auto [var, before] = log_.back();
    log_.pop_back();
    const IdBinding now = std::exchange(bindings_[var.value], before);
    if (now.is_list() && lists_[now.row].block < closed.serial) kept.emplace_back(var, now);
  }
  ids_.resize(closed.ids);
  for (auto it = kept.rbegin(); it != kept.rend(); ++it) {
    const IdBinding& now = bindings_[it->first.value];
    if (now.kind != it->second.kind || now.row != it->second.row) bind(it->first, it->second);
  }
}

void IdBindings::bind(VarId var, IdBinding binding) {
  // What is bound in no block is never undone.
  if (!blocks_.empty()) log_.emplace_back(var, bindings_[var.value]);
  bindings_[var.value] = binding;
}

void IdBindings::assign(VarId var, TaskId id, bool hidden) {
  const IdBinding& known = bindings_[var.value];
  if (known.is_id() && ids_[known.row].hoisted == var) {
    ids_[known.row].id = id;
    return;
  }
  ids_.push_back({.id = id, .hoisted = {}});
  bind(var, {IdBinding::Kind::Id, hidden, static_cast<std::uint32_t>(ids_.size() - 1)});
}

void IdBindings::copy(VarId target, VarId source) {
  const IdBinding from = bindings_[source.value];
  if (!from.bound()) return;
  const IdBinding& known = bindings_[target.value];
  if (from.is_id() && known.is_id() && ids_[known.row].hoisted.valid()) {
    ids_[known.row].id = ids_[from.row].id;
  } else {
    bind(target, from);
  }
}

void IdBindings::hoist(VarId var) {
  ids_.push_back({.hoisted = var});
  bind(var, {IdBinding::Kind::Id, false, static_cast<std::uint32_t>(ids_.size() - 1)});
}

std::uint32_t IdBindings::new_list(std::int64_t slots) {
  lists_.emplace_back().slots = slots;
  const auto row = static_cast<std::uint32_t>(lists_.size() - 1);
  reset_list(row);
  return row;
}

void IdBindings::reset_list(std::uint32_t row) {
  IdList& list = lists_[row];
  list.ids.clear();
  list.block = block();
  list.lost = false;
}

bool IdBindings::name(const IdBinding& binding, std::uint64_t task) {
  std::uint64_t& named = binding.is_list() ? lists_[binding.row].named : ids_[binding.row].named;
  return std::exchange(named, task) != task;
}

void IdBindings::append_ids(const IdBinding& binding, std::vector<TaskId>& out) const {
  const auto add = [&](TaskId id) {
    if (id != runtime::kInvalidTask) out.push_back(id);
  };
  if (binding.is_id()) add(ids_[binding.row].id);
  if (!binding.is_list()) return;
  for (const TaskId id : lists_[binding.row].ids) add(id);
}

}  // namespace depscope::execute
