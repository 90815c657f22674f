// Which task ids the variables of straight-line code stand for (passes.md 9.3, 9.4).
#include "interpreter.h"

namespace depscope::execute {

using ir::ExprId;
using ir::VarId;

// Ids that edges of the compiler name outlive the scopes of their producers. Those that share the name base of a loop result are
// bound where they are made, and end there.
void Interpreter::hoist_ids() {
  for (const VarId var : facts_.edge_vars()) {
    if (facts_.result_base(var) || ids_.of(var).bound() || ir::is_task_id_array(store_, store_.var(var).type)) continue;
    ids_.hoist(var);
  }
}

void Interpreter::bind_copy(VarId target, ExprId value) {
  const VarId source = store_.as_var(value);
  if (source.valid()) ids_.copy(target, source);
}

/// target = element of the tuple that a launch left. The results of a plain call share the id of their tuple.
void Interpreter::bind_element(VarId target, ExprId tuple, const Value& element, runtime::TaskId producer) {
  if (producer == runtime::kInvalidTask) return;
  const lower::VarFacts& facts = facts_.var(target);
  if (element.kind == ValueKind::TaskId) {
    if (facts.used || facts.needed) ids_.assign(target, producer);
    return;
  }
  if (!facts.needed) return;
  const IdBinding shared = binding_of(tuple);
  if (shared.is_id() && !ids_.of(target).bound()) {
    ids_.bind(target, shared);
  } else {
    ids_.assign(target, producer);
  }
}

/// After a launch: its target, and the arguments it writes, as far as edges of the compiler ask for them.
void Interpreter::bind_results(VarId target, ExprId call, const std::vector<runtime::ArgKind>& kinds, runtime::TaskId task) {
  if (target.valid() && facts_.var(target).needed) ids_.assign(target, task);
  const Range args = store_.call(call).args;
  for (std::uint32_t i = 0; i < args.count; ++i) {
    const VarId var = store_.as_var(store_.at<ExprId>(args, i));
    const bool written = kinds[i] == runtime::ArgKind::OutputExisting || kinds[i] == runtime::ArgKind::InOut;
    if (written && var.valid() && facts_.var(var).edge) ids_.assign(var, task);
  }
}

/// target = a builtin operation whose value is already there.
void Interpreter::bind_operation(VarId target, ExprId call) {
  const std::string_view op = store_.text(store_.call(call).callee);
  const bool id = ir::is_task_id(store_, store_.var(target).type);
  const bool id_array = ir::is_task_id_array(store_, store_.var(target).type);
  if (op == "system.task_invalid") {
    ids_.assign(target, runtime::kInvalidTask);
  } else if (op == "array.create" && id_array) {
    ids_.bind(target, {IdBinding::Kind::List, false, values_[target.value].index});
  } else if (op == "array.update_element" && id_array) {
    const IdBinding array = binding_of(store_.at<ExprId>(store_.call(call).args, 0));
    if (array.is_list()) ids_.bind(target, array);
  } else if (op == "array.get_element" && id) {
    // A snapshot; of an array whose scope is closed there is none.
    const IdBinding array = binding_of(store_.at<ExprId>(store_.call(call).args, 0));
    if (array.is_list()) ids_.assign(target, static_cast<runtime::TaskId>(values_[target.value].number));
  }
}

}  // namespace depscope::execute
