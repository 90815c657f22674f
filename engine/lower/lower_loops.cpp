// Loops: ids they carry (passes.md 9.4), ids they collect (9.5), values they carry (9.6).
#include <fmt/format.h>

#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

namespace {

VarId item(const ir::NodeStore& store, Range list, std::uint32_t k) {
  return k < list.count ? store.at<VarId>(list, k) : VarId();
}

}  // namespace

bool Lowering::rebinds(const LoopFacts& facts, std::uint32_t k) const {
  if (facts.is_while) return true;
  const ExprId attribute = store_.find_pair(store_.for_data(facts.statement).attrs, fmt::format("iter_arg_rebind_{}", k));
  return !attribute.valid() || is_true(store_, attribute);
}

void Lowering::loop(StmtId id) {
  const std::uint32_t index = next_loop_++;
  const LoopFacts& facts = facts_.loops()[index];
  if (options_.profile == pass::Profile::Upstream202608) check_loop(index);
  YieldTarget target;
  carry_values(facts, target);
  std::vector<VarId> compressed;
  if (facts.trips && *facts.trips > 1) compress(facts, compressed);

  emit(OpKind::LoopBegin, id, kNone, kNone, kNone, facts.parallel ? kParallel : std::uint8_t{0});
  const std::size_t mark = enter();
  const std::uint32_t first_array = plan_.arrays.size();
  open_loops_.push_back(index);
  yields_.push_back(target);
  block(facts.is_while ? store_.while_data(id).body : store_.for_data(id).body);
  yields_.pop_back();
  open_loops_.pop_back();
  leave(mark, first_array);
  emit(OpKind::LoopEnd, id);
  for (const VarId var : compressed) barriers_.erase(var.value);
  finish_loop(facts, target);
}

void Lowering::carry_values(const LoopFacts& facts, YieldTarget& target) {
  target.carries.resize(facts.iter_args.count);
  std::uint32_t listed = 0;
  for (std::uint32_t k = 0; k < facts.iter_args.count; ++k) {
    const VarId iter_arg = store_.at<VarId>(facts.iter_args, k);
    const ir::TypeId type = store_.var(iter_arg).type;
    Carry& carry = target.carries[k];
    carry.result = item(store_, facts.results, k);
    if (!carry.result.valid() || k >= facts.inits.count) continue;
    if (ir::is_task_id_array(store_, type)) {
      carry_array(facts, k, carry);
      continue;
    }
    if (!ir::is_task_id(store_, type) && rebinds(facts, k)) {
      carry.value_target = iter_arg;
      emit(OpKind::Assign, facts.statement, iter_arg.value, store_.at<ExprId>(facts.inits, k).value);
    }
    carry_id(facts, k, carry);
    const bool run_time = facts.parallel && !facts.trips && facts_.var(carry.result).needed;
    if (run_time) {
      carry.append = true;
      ++listed;
    }
  }
  if (listed == 0) return;
  // One growing list for all results of the loop that edges name.
  target.list = make_array({}, -1, fmt::format("list_{}", next_list_++));
  emit(OpKind::IdList, facts.statement, target.list, listed);
  for (Carry& carry : target.carries) {
    if (carry.append) carry.list = target.list;
  }
}

void Lowering::carry_array(const LoopFacts& facts, std::uint32_t k, Carry& carry) {
  const VarId iter_arg = store_.at<VarId>(facts.iter_args, k);
  const Binding init = binding_of(store_.at<ExprId>(facts.inits, k));
  if (facts_.var(iter_arg).in_place) {
    bind(iter_arg, init);
    return;
  }
  carry.array = make_array(iter_arg, ir::array_extent(store_, store_.var(iter_arg).type).value_or(-1));
  emit(OpKind::IdArray, facts.statement, carry.array);
  if (init.is_array()) emit(OpKind::IdCopy, facts.statement, carry.array, init.index);
  bind(iter_arg, {Binding::Kind::Array, true, false, carry.array});
}

// A task id, or a tensor whose task's id an edge asks for.
void Lowering::carry_id(const LoopFacts& facts, std::uint32_t k, Carry& carry) {
  const VarId iter_arg = store_.at<VarId>(facts.iter_args, k);
  const VarFacts& of_iter_arg = facts_.var(iter_arg);
  const bool task_id = ir::is_task_id(store_, store_.var(iter_arg).type);
  const bool manual = task_id && in_manual();
  const Binding init = binding_of(store_.at<ExprId>(facts.inits, k));
  const bool for_users = !task_id || manual || of_iter_arg.edge;

  if (facts_.collected(carry.result) || (manual && facts.parallel && facts.trips)) {
    carry.collected = make_array(carry.result, facts_.ids(carry.result).slots);
    emit(OpKind::IdArray, facts.statement, carry.collected);
    carry.trips = *facts.trips;
  }
  const bool wanted = manual || of_iter_arg.edge || of_iter_arg.needed;
  if (facts.parallel) {
    // Iterations are independent: each sees the initial id (P19).
    if (wanted && init.bound()) bind(iter_arg, init.for_users(for_users));
    return;
  }
  if (!wanted && (!facts_.var(carry.result).needed || carry.collected != kNone)) return;
  const IdCount count = facts_.ids(iter_arg);
  if (!count.list) {
    carry.id = set_id(facts.statement, iter_arg, IdKind::Carry, init.is_id() ? init.index : kNone);
    bindings_[iter_arg.value].compiler_only = !for_users;
    return;
  }
  // A parallel loop before or inside this one leaves one id per iteration; this loop carries all of them on.
  carry.array = make_array(iter_arg, count.slots);
  emit(OpKind::IdArray, facts.statement, carry.array, init.is_id() ? init.index : kNone);
  if (init.is_array()) emit(OpKind::IdCopy, facts.statement, carry.array, init.index);
  bind(iter_arg, Binding{Binding::Kind::Array, true, false, carry.array}.for_users(for_users));
}

void Lowering::finish_loop(const LoopFacts& facts, const YieldTarget& target) {
  std::uint32_t barrier_id = kNone;
  if (target.list != kNone) barrier_id = barrier_over(facts.statement, {Binding::Kind::Array, true, false, target.list}).id;
  for (std::uint32_t k = 0; k < target.carries.size(); ++k) {
    const Carry& carry = target.carries[k];
    if (!carry.result.valid()) continue;
    const VarFacts& result = facts_.var(carry.result);
    const bool for_users = !ir::is_task_id(store_, store_.var(carry.result).type) || in_manual() || result.edge;
    const std::uint32_t array = carry.collected != kNone ? carry.collected : carry.array;
    if (result.in_place) {
      bind(carry.result, binding_of(store_.at<ExprId>(facts.inits, k)));
    } else if (carry.append) {
      bind(carry.result, Binding{Binding::Kind::Id, true, false, barrier_id}.for_users(for_users));
    } else if (array != kNone) {
      bind(carry.result, Binding{Binding::Kind::Array, true, false, array}.for_users(for_users));
    } else if (carry.id != kNone && (for_users || result.needed)) {
      bind(carry.result, Binding{Binding::Kind::Id, true, false, carry.id}.for_users(for_users));
    }
  }
}

void Lowering::yield_carry(StmtId id, const Carry& carry, ExprId value, std::unordered_set<std::uint64_t>& appended) {
  const Binding source = binding_of(value);
  if (carry.value_target.valid()) emit(OpKind::Assign, id, carry.value_target.value, value.value, kNone, kYield);
  if (carry.collected != kNone) {
    if (source.is_id()) emit(OpKind::IdStore, id, carry.collected, source.index, kNone, kLoopSlot | kYield);
    if (source.is_array()) {
      __extension__ using Wide = __int128;
      const Wide width = plan_.arrays.extent[source.index];
      if (width > 0 && width * carry.trips == plan_.arrays.extent[carry.collected]) {
        emit(OpKind::IdCopy, id, carry.collected, source.index, kNone, kLoopSlot | kYield);
      } else {
        const Barrier all = barrier_over(id, source);
        emit(OpKind::IdStore, id, carry.collected, all.id, kNone, kLoopSlot);
      }
    }
  }
  if (carry.array != kNone && !(source.is_array() && source.index == carry.array)) {
    // What fills the array only partly must not leave older ids behind.
    const bool whole = source.is_array() && plan_.arrays.extent[source.index] == plan_.arrays.extent[carry.array];
    if (!whole) emit(OpKind::IdArray, id, carry.array, kNone, kNone, kYield);
    if (source.is_array()) emit(OpKind::IdCopy, id, carry.array, source.index, kNone, kYield);
    if (source.is_id()) emit(OpKind::IdStore, id, carry.array, source.index, kNone, kYield);
  }
  if (carry.id != kNone && !(source.is_id() && source.index == carry.id)) {
    emit(OpKind::AssignId, id, carry.id, source.is_id() ? source.index : kNone, kNone, kYield);
  }
  if (carry.list == kNone || !source.bound()) return;
  // The same id in two results of one iteration is stored once.
  if (!appended.insert((std::uint64_t{source.is_array() ? 1U : 0U} << 32U) | source.index).second) return;
  emit(OpKind::IdAppend, id, carry.list, source.index, kNone, (source.is_array() ? kFromArray : std::uint8_t{0}) | kYield);
}

}  // namespace depscope::lower
