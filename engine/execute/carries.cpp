// Task ids that loops and ifs carry, hand on and collect (passes.md 9.4, 9.5).
#include <algorithm>

#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {

constexpr std::uint32_t kNoRow = 0xffffffffU;

}  // namespace

/// The list that a loop or if keeps for one of its values, empty: one for all executions of the statement.
std::uint32_t Interpreter::list_of(StmtId owner, std::uint32_t position, bool carried, std::int64_t slots) {
  const std::uint64_t key = (static_cast<std::uint64_t>(owner.value) << 32U) | (position * 2U + (carried ? 1U : 0U));
  const auto known = carry_lists_.find(key);
  if (known != carry_lists_.end()) {
    ids_.reset_list(known->second);
    return known->second;
  }
  const std::uint32_t row = ids_.new_list(slots);
  carry_lists_.emplace(key, row);
  return row;
}

/// A list with a place for each of its slots, all invalid.
std::uint32_t Interpreter::slots_of(StmtId owner, std::uint32_t position, std::int64_t slots, Span at) {
  const std::uint32_t row = list_of(owner, position, true, slots);
  const std::int64_t places = std::max<std::int64_t>(slots, 0);
  check_extent(places, at);
  ids_.list(row).ids.assign(static_cast<std::size_t>(places), runtime::kInvalidTask);
  return row;
}

IdBinding Interpreter::binding_of(ExprId value) const {
  const VarId var = store_.as_var(value);
  return var.valid() ? ids_.of(var) : IdBinding{};
}

// ---------------------------------------------------------------- in front of a loop

void Interpreter::carry_into(const lower::LoopFacts& loop, YieldTarget& target) {
  target.carries.resize(loop.iter_args.count);
  for (std::uint32_t k = 0; k < loop.iter_args.count && k < loop.results.count && k < loop.inits.count; ++k) {
    Carry& carry = target.carries[k];
    carry.result = store_.at<VarId>(loop.results, k);
    const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
    if (ir::is_task_id_array(store_, store_.var(iter_arg).type)) {
      carry_array(loop, k, carry);
      continue;
    }
    carry_id(loop, k, carry);
    carry.append = loop.parallel && !loop.trips && facts_.var(carry.result).needed;
    if (carry.append && target.list == kNoRow) {
      // One growing list for all results of the loop that edges name.
      target.list = list_of(loop.statement, loop.iter_args.count, false, -1);
    }
  }
}

void Interpreter::carry_array(const lower::LoopFacts& loop, std::uint32_t k, Carry& carry) {
  const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
  const IdBinding init = binding_of(store_.at<ExprId>(loop.inits, k));
  if (facts_.var(iter_arg).in_place) {
    ids_.bind(iter_arg, init);
    return;
  }
  const std::int64_t slots = ir::array_extent(store_, store_.var(iter_arg).type).value_or(-1);
  carry.array = slots_of(loop.statement, k, slots, store_.stmt(loop.statement).span);
  if (init.is_list()) fill(carry.array, ids_.list(init.row).ids);
  ids_.bind(iter_arg, {IdBinding::Kind::List, false, carry.array});
  assign(iter_arg, {.kind = ValueKind::Array, .index = carry.array});
}

// A task id, or a tensor whose task's id an edge asks for.
void Interpreter::carry_id(const lower::LoopFacts& loop, std::uint32_t k, Carry& carry) {
  const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
  const lower::VarFacts& facts = facts_.var(iter_arg);
  const bool task_id = ir::is_task_id(store_, store_.var(iter_arg).type);
  const bool manual = task_id && in_manual();
  const IdBinding init = binding_of(store_.at<ExprId>(loop.inits, k));
  const bool for_users = !task_id || manual || facts.edge;

  if (facts_.collected(carry.result) || (manual && loop.parallel && loop.trips))
    carry.collected = list_of(loop.statement, k, false, facts_.ids(carry.result).slots);
  const bool wanted = manual || facts.edge || facts.needed;
  if (loop.parallel) {
    // Iterations are independent: each sees the initial id (P19).
    if (wanted && init.bound()) ids_.bind(iter_arg, init.for_users(for_users));
    return;
  }
  if (!wanted && (!facts_.var(carry.result).needed || carry.collected != kNoRow)) return;
  const lower::IdCount count = facts_.ids(iter_arg);
  const runtime::TaskId first = init.is_id() ? ids_.id(init.row) : runtime::kInvalidTask;
  if (!count.list) {
    ids_.assign(iter_arg, first, !for_users);
    carry.id = ids_.of(iter_arg).row;
    return;
  }
  // A parallel loop before or inside this one leaves one id per iteration; this loop carries all of them on.
  carry.array = slots_of(loop.statement, k, count.slots, store_.stmt(loop.statement).span);
  std::vector<runtime::TaskId>& slots = ids_.list(carry.array).ids;
  std::fill(slots.begin(), slots.end(), first);
  if (init.is_list()) fill(carry.array, ids_.list(init.row).ids);
  ids_.bind(iter_arg, IdBinding{IdBinding::Kind::List, false, carry.array}.for_users(for_users));
}

/// Copies `from` over the first slots of a list, which grows if it must.
void Interpreter::fill(std::uint32_t row, const std::vector<runtime::TaskId>& from) {
  const std::vector<runtime::TaskId> source(from.begin(), from.end());  // may be the list itself
  std::vector<runtime::TaskId>& slots = ids_.list(row).ids;
  if (slots.size() < source.size()) slots.resize(source.size(), runtime::kInvalidTask);
  std::copy(source.begin(), source.end(), slots.begin());
}

// ---------------------------------------------------------------- at a yield

void Interpreter::yield_ids(StmtId id) {
  if (yields_.empty()) return;
  const ir::Stmt s = store_.stmt(id);
  const Range values{s.a, s.b};
  YieldTarget& target = *yields_.back();
  // All sources are read before anything is assigned.
  struct Source {
    IdBinding binding;
    std::vector<runtime::TaskId> ids;
    std::int64_t slots = 0;
  };
  std::vector<Source> sources(std::min<std::size_t>(values.count, target.carries.size()));
  for (std::uint32_t k = 0; k < sources.size(); ++k) {
    const Carry& carry = target.carries[k];
    if (carry.id == kNoRow && carry.array == kNoRow && carry.collected == kNoRow && !carry.append) continue;
    Source& source = sources[k];
    source.binding = binding_of(store_.at<ExprId>(values, k));
    if (source.binding.is_id()) source.ids = {ids_.id(source.binding.row)};
    if (source.binding.is_list()) {
      source.ids = ids_.list(source.binding.row).ids;
      source.slots = ids_.list(source.binding.row).slots;
    }
  }
  std::vector<IdBinding> appended;
  for (std::uint32_t k = 0; k < sources.size(); ++k) {
    const Carry& carry = target.carries[k];
    const Source& source = sources[k];
    const bool list = source.binding.is_list();
    if (carry.collected != kNoRow) collect(carry, source.ids, list ? &source.slots : nullptr, target.trips, store_.stmt(id).span);
    if (carry.array != kNoRow && !(list && source.binding.row == carry.array)) {
      // What fills the array only partly must not leave older ids behind.
      std::vector<runtime::TaskId>& slots = ids_.list(carry.array).ids;
      std::fill(slots.begin(), slots.end(), runtime::kInvalidTask);
      fill(carry.array, source.ids);
    }
    if (carry.id != kNoRow) ids_.set_id(carry.id, source.binding.is_id() ? source.ids[0] : runtime::kInvalidTask);
    if (!carry.append || !source.binding.bound()) continue;
    // The same id in two results of one iteration is stored once.
    const bool again = std::any_of(appended.begin(), appended.end(), [&](const IdBinding& b) {
      return b.kind == source.binding.kind && b.row == source.binding.row;
    });
    if (again) continue;
    appended.push_back(source.binding);
    std::vector<runtime::TaskId>& all = ids_.list(target.list).ids;
    all.insert(all.end(), source.ids.begin(), source.ids.end());
  }
}

// One place per iteration, or one run of places; where it does not hold what an iteration leaves, a barrier over that.
void Interpreter::collect(const Carry& carry, const std::vector<runtime::TaskId>& ids, const std::int64_t* width,
                          std::int64_t trips, Span at) {
  std::vector<runtime::TaskId> valid;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(valid), [](runtime::TaskId t) { return t != runtime::kInvalidTask; });
  std::int64_t places = 0;
  const bool fits = width == nullptr ||
                    (*width > 0 && !__builtin_mul_overflow(*width, trips, &places) && places == ids_.list(carry.collected).slots);
  if (!fits) {
    const runtime::TaskId all = barrier_over(valid, at);
    valid.clear();
    if (all != runtime::kInvalidTask) valid.push_back(all);
  }
  std::vector<runtime::TaskId>& out = ids_.list(carry.collected).ids;
  out.insert(out.end(), valid.begin(), valid.end());
}

// ---------------------------------------------------------------- behind a loop

void Interpreter::carry_out(const lower::LoopFacts& loop, const YieldTarget& target) {
  runtime::TaskId barrier = runtime::kInvalidTask;
  std::uint32_t barrier_row = kNoRow;
  if (target.list != kNoRow) {
    std::vector<runtime::TaskId> valid;
    ids_.append_ids({IdBinding::Kind::List, false, target.list}, valid);
    barrier = barrier_over(valid, store_.stmt(loop.statement).span);
  }
  for (std::uint32_t k = 0; k < target.carries.size(); ++k) {
    const Carry& carry = target.carries[k];
    if (!carry.result.valid()) continue;
    const lower::VarFacts& result = facts_.var(carry.result);
    const bool for_users = !ir::is_task_id(store_, store_.var(carry.result).type) || in_manual() || result.edge;
    const std::uint32_t list = carry.collected != kNoRow ? carry.collected : carry.array;
    if (result.in_place) {
      ids_.bind(carry.result, binding_of(store_.at<ExprId>(loop.inits, k)));
    } else if (carry.append && barrier_row == kNoRow) {
      ids_.assign(carry.result, barrier, !for_users);
      barrier_row = ids_.of(carry.result).row;
    } else if (carry.append) {
      // Results of one loop share the barrier, under one name.
      ids_.bind(carry.result, IdBinding{IdBinding::Kind::Id, false, barrier_row}.for_users(for_users));
    } else if (list != kNoRow) {
      ids_.bind(carry.result, IdBinding{IdBinding::Kind::List, false, list}.for_users(for_users));
      if (ir::is_task_id_array(store_, store_.var(carry.result).type))
        assign(carry.result, {.kind = ValueKind::Array, .index = list});
    } else if (carry.id != kNoRow && (for_users || result.needed)) {
      ids_.bind(carry.result, IdBinding{IdBinding::Kind::Id, false, carry.id}.for_users(for_users));
    }
  }
}

// ---------------------------------------------------------------- ifs

void Interpreter::merge_into(StmtId id, YieldTarget& target) {
  const ir::IfData d = store_.if_data(id);
  target.carries.resize(d.result_vars.count);
  for (std::uint32_t k = 0; k < d.result_vars.count; ++k) {
    Carry& carry = target.carries[k];
    carry.result = store_.at<VarId>(d.result_vars, k);
    const lower::VarFacts& facts = facts_.var(carry.result);
    const ir::TypeId type = store_.var(carry.result).type;
    if (ir::is_task_id_array(store_, type)) {
      if (!facts.in_place) carry.array = slots_of(id, k, ir::array_extent(store_, type).value_or(-1), store_.stmt(id).span);
      continue;
    }
    const bool task_id = ir::is_task_id(store_, type);
    // Both branch scopes are closed behind the if: outside MANUAL scopes nothing keeps the id (P09), unless an edge asks for it.
    const bool for_users = task_id && (in_manual() || facts.edge);
    if (!for_users && !facts.needed) continue;
    const lower::IdCount count = facts_.ids(carry.result);
    if (count.list) {
      carry.array = slots_of(id, k, count.slots, store_.stmt(id).span);
    } else {
      ids_.assign(carry.result, runtime::kInvalidTask, task_id && !for_users);
      carry.id = ids_.of(carry.result).row;
    }
  }
}

void Interpreter::merge_out(const YieldTarget& target) {
  for (const Carry& carry : target.carries) {
    const lower::VarFacts& facts = facts_.var(carry.result);
    const ir::TypeId type = store_.var(carry.result).type;
    if (carry.array != kNoRow) {
      const bool hidden = ir::is_task_id(store_, type) && !in_manual() && !facts.edge;
      ids_.bind(carry.result, {IdBinding::Kind::List, hidden, carry.array});
      if (ir::is_task_id_array(store_, type)) assign(carry.result, {.kind = ValueKind::Array, .index = carry.array});
    } else if (facts.in_place) {
      ids_.bind(carry.result, ids_.of(facts.root));
    }
  }
}

}  // namespace depscope::execute
