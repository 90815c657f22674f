// Runtime scopes, ifs and yields.
#include "lowering.h"

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

void Lowering::scope(StmtId id) {
  const ir::ScopeData d = store_.scope_data(id);
  // What a MANUAL scope creates directly is allocated in front of it (9.7).
  if (d.manual) allocate_batch(d.body);
  emit(OpKind::ScopeBegin, id, kNone, kNone, kNone, d.manual ? kManual : std::uint8_t{0});
  const std::size_t mark = enter();
  const std::uint32_t first_array = plan_.arrays.size();
  manual_.push_back(d.manual);
  if (d.manual) {
    statements(d.body);
  } else {
    block(d.body);
  }
  manual_.pop_back();
  leave(mark, first_array);
  emit(OpKind::ScopeEnd, id);
}

void Lowering::if_statement(StmtId id) {
  const ir::IfData d = store_.if_data(id);
  YieldTarget target;
  target.carries.resize(d.result_vars.count);
  for (std::uint32_t k = 0; k < d.result_vars.count; ++k) {
    Carry& carry = target.carries[k];
    carry.result = store_.at<VarId>(d.result_vars, k);
    const VarFacts& facts = facts_.var(carry.result);
    const ir::TypeId type = store_.var(carry.result).type;
    if (ir::is_task_id_array(store_, type)) {
      if (facts.in_place) continue;
      carry.array = make_array(carry.result, ir::array_extent(store_, type).value_or(-1));
      emit(OpKind::IdArray, id, carry.array);
      continue;
    }
    const bool task_id = ir::is_task_id(store_, type);
    carry.value_target = task_id ? VarId() : carry.result;
    // Both branch scopes are closed behind the if: outside MANUAL scopes nothing keeps the id (P09), unless an edge asks for it.
    const bool for_users = task_id && (in_manual() || facts.edge);
    if (!for_users && !facts.needed) continue;
    const IdCount count = facts_.ids(carry.result);
    if (count.list) {
      carry.array = make_array(carry.result, count.slots);
      emit(OpKind::IdArray, id, carry.array);
    } else {
      carry.id = set_id(id, carry.result, IdKind::Carry, kNone);
      bindings_[carry.result.value].compiler_only = task_id && !for_users;
    }
  }
  emit(OpKind::IfBegin, id, d.cond.value);
  const auto branch = [&](Range body) {
    const std::size_t mark = enter();
    const std::uint32_t first_array = plan_.arrays.size();
    yields_.push_back(target);
    block(body);
    yields_.pop_back();
    leave(mark, first_array);
  };
  branch(d.then_body);
  if (d.has_else) {
    emit(OpKind::IfElse, id);
    branch(d.else_body);
  }
  emit(OpKind::IfEnd, id);
  for (const Carry& carry : target.carries) {
    const VarFacts& facts = facts_.var(carry.result);
    if (carry.array != kNone) {
      const bool hidden = ir::is_task_id(store_, store_.var(carry.result).type) && !in_manual() && !facts.edge;
      bind(carry.result, {Binding::Kind::Array, true, hidden, carry.array});
    } else if (facts.in_place) {
      bind(carry.result, binding(facts.root));
    }
  }
}

void Lowering::yield(StmtId id) {
  if (yields_.empty()) {
    emit(OpKind::Return, id);  // a yield at function level is a return (ir-text.md 3.6)
    return;
  }
  const ir::Stmt& s = store_.stmt(id);
  const Range values{s.a, s.b};
  const YieldTarget& target = yields_.back();
  std::unordered_set<std::uint64_t> appended;
  for (std::uint32_t k = 0; k < values.count && k < target.carries.size(); ++k) {
    yield_carry(id, target.carries[k], store_.at<ExprId>(values, k), appended);
  }
}

}  // namespace depscope::lower
