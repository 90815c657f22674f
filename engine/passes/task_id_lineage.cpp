#include "task_id_lineage.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace depscope::pass {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

void TaskIdLineage::build(const ir::Function& function) {
  tail_of_tuple_.clear();
  tails_.clear();
  canonical_.clear();
  element_tuple_.clear();
  id_lists_.clear();
  slots_.clear();
  arrays_.clear();
  steps_.clear();
  loops_.clear();
  resolved_.clear();
  visit(function.body);
  resolved_.clear();  // loop carries may have changed what an array variable holds
}

VarId TaskIdLineage::tail_of(VarId tuple) const {
  const VarId* tail = tail_of_tuple_.find(tuple);
  return tail == nullptr ? VarId() : *tail;
}

VarId TaskIdLineage::canonical(VarId var) const {
  if (const VarId* known = canonical_.find(var)) return *known;
  if (const VarId* tuple = element_tuple_.find(var)) return tail_of(*tuple);
  return {};
}

void TaskIdLineage::visit(Range body) {
  const ir::NodeStore& store = *program_.store;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store.at<StmtId>(body, i);
    switch (store.stmt(stmt).kind) {
      case StmtKind::Assign: visit_assign(stmt); break;
      case StmtKind::If: {
        const ir::IfData d = store.if_data(stmt);
        const std::vector<OpenLoop> before = loops_;
        for (OpenLoop& loop : loops_) loop.straight = false;
        visit(d.then_body);
        visit(d.else_body);
        loops_ = before;
        break;
      }
      case StmtKind::For: {
        const ir::ForData d = store.for_data(stmt);
        loops_.push_back({d.counter, store.as_int(d.start), store.as_int(d.step), trip_count(store, d), true});
        for (std::uint32_t k = 0; k < d.iter_args.count; ++k) {
          const VarId init = store.as_var(store.at<ExprId>(d.inits, k));
          const std::uint32_t step = step_of(init);
          if (step != kNoStep) arrays_[store.at<VarId>(d.iter_args, k)] = step;
        }
        visit(d.body);
        loops_.pop_back();
        carry(d.iter_args, d.result_vars, d.body);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData d = store.while_data(stmt);
        const std::vector<OpenLoop> before = loops_;
        for (OpenLoop& loop : loops_) loop.straight = false;
        for (std::uint32_t k = 0; k < d.iter_args.count; ++k) {
          const VarId init = store.as_var(store.at<ExprId>(d.inits, k));
          const std::uint32_t step = step_of(init);
          if (step != kNoStep) arrays_[store.at<VarId>(d.iter_args, k)] = step;
        }
        visit(d.body);
        loops_ = before;
        carry(d.iter_args, d.result_vars, d.body);
        break;
      }
      case StmtKind::Scope: visit(store.scope_data(stmt).body); break;
      default: break;
    }
  }
}

void TaskIdLineage::visit_assign(StmtId stmt) {
  const ir::NodeStore& store = *program_.store;
  const VarId target = statement_target(store, stmt);
  const ExprId value = statement_value(store, stmt);
  const ir::Expr& e = store.expr(value);
  if (e.kind == ExprKind::Var) {
    const VarId source(e.a);
    const VarId id = canonical(source);
    if (id.valid()) {
      canonical_[target] = id;
    } else if (ir::is_task_id(store, target_type(store, stmt))) {
      canonical_[target] = source;
    }
    if (const std::vector<VarId>* list = id_lists_.find(source)) {
      std::vector<VarId> copy = *list;
      id_lists_[target] = std::move(copy);
    }
    if (const ArraySlot* slot = slots_.find(source)) {
      const ArraySlot copy = *slot;
      slots_[target] = copy;
    }
    const std::uint32_t step = step_of(source);
    if (step != kNoStep) arrays_[target] = step;
  } else if (e.kind == ExprKind::TupleGet) {
    const VarId tuple = store.as_var(ExprId(e.a));
    if (!tuple.valid()) return;
    const ir::TypeId type = store.var(tuple).type;
    bool tail = false;
    if (type.valid() && store.type(type).kind == ir::TypeKind::Tuple) {
      const Range items = store.type(type).list;
      tail = items.count != 0 && e.b + 1 == items.count && ir::is_task_id(store, store.at<ir::TypeId>(items, e.b));
    } else {
      tail = ir::is_task_id(store, target_type(store, stmt));
    }
    if (tail) {
      tail_of_tuple_[tuple] = target;
      tails_[target] = 1;
      canonical_[target] = target;
    } else {
      element_tuple_[target] = tuple;
    }
  } else if (e.kind == ExprKind::Call) {
    const ir::Call call = store.call(value);
    if (store.text(call.callee).starts_with("array.")) visit_array_op(target, call);
  }
}

std::vector<VarId> TaskIdLineage::known_ids(VarId var) const {
  if (const std::vector<VarId>* list = id_lists_.find(var)) {
    if (!list->empty()) return *list;
  }
  const VarId id = canonical(var);
  return id.valid() ? std::vector<VarId>{id} : std::vector<VarId>{};
}

void TaskIdLineage::visit_array_op(VarId target, const ir::Call& call) {
  const ir::NodeStore& store = *program_.store;
  const std::string_view op = store.text(call.callee);
  if (op == "array.create") {
    Step step;
    step.extent = call.args.count != 0 ? store.as_int(store.at<ExprId>(call.args, 0)).value_or(0) : 0;
    steps_.push_back(step);
    arrays_[target] = static_cast<std::uint32_t>(steps_.size() - 1);
    return;
  }
  const VarId base = call.args.count != 0 ? store.as_var(store.at<ExprId>(call.args, 0)) : VarId();
  const std::uint32_t parent = step_of(base);
  if (parent == kNoStep) return;
  if (op == "array.update_element" && call.args.count >= 3) {
    const ExprId index = store.at<ExprId>(call.args, 1);
    const ExprId value = store.at<ExprId>(call.args, 2);
    Step step;
    step.parent = parent;
    if (store.is_op(value, "array.get_element")) {  // read in place, when calls are not flattened
      SlotRead read = read_slot(store.call(value));
      step.ids = std::move(read.ids);
      step.copy = read.slot;
    } else {
      step.ids = known_ids(store.as_var(value));
      if (const ArraySlot* slot = slots_.find(store.as_var(value))) step.copy = *slot;
    }
    if (const auto constant = store.as_int(index)) {
      step.kind = StepKind::Store;
      step.index = *constant;
      step.known = !step.ids.empty() || step.copy;
    } else {
      step.kind = StepKind::VariableStore;
      step.known = !step.ids.empty() && !step.copy;
      step.reaches_all = reaches_all_slots(index, extent_of(parent));
    }
    steps_.push_back(std::move(step));
    arrays_[target] = static_cast<std::uint32_t>(steps_.size() - 1);
  } else if (op == "array.get_element") {
    SlotRead read = read_slot(call);
    if (!read.ids.empty()) id_lists_[target] = std::move(read.ids);
    if (read.slot) slots_[target] = *read.slot;
  }
}

TaskIdLineage::SlotRead TaskIdLineage::read_slot(const ir::Call& call) const {
  const ir::NodeStore& store = *program_.store;
  SlotRead read;
  if (call.args.count < 2) return read;
  const VarId array = store.as_var(store.at<ExprId>(call.args, 0));
  const auto index = store.as_int(store.at<ExprId>(call.args, 1));
  const std::uint32_t step = step_of(array);
  if (!index || step == kNoStep) return read;
  for (std::uint32_t s = step; s != kNoStep; s = steps_[s].parent) {
    if (steps_[s].kind != StepKind::Store || steps_[s].index != *index) continue;
    read.ids = steps_[s].ids;
    break;
  }
  const ArrayContents& contents = resolve(step);
  if (!contents.fills.empty() || !contents.expanded.empty()) read.slot = ArraySlot{array, *index};
  return read;
}

bool TaskIdLineage::reaches_all_slots(ExprId index, std::int64_t extent) const {
  const VarId counter = program_.store->as_var(index);
  for (const OpenLoop& loop : loops_) {
    if (loop.counter != counter || !counter.valid()) continue;
    return loop.straight && extent > 0 && loop.start == 0 && loop.step == 1 && loop.trips && *loop.trips >= extent;
  }
  return false;
}

std::int64_t TaskIdLineage::extent_of(std::uint32_t step) const {
  while (steps_[step].kind != StepKind::Create) step = steps_[step].parent;
  return steps_[step].extent;
}

std::uint32_t TaskIdLineage::step_of(VarId array) const {
  const std::uint32_t* step = arrays_.find(array);
  return step == nullptr ? kNoStep : *step;
}

void TaskIdLineage::carry(Range iter_args, Range results, Range body) {
  const ir::NodeStore& store = *program_.store;
  const StmtId yield = direct_yield(store, body);
  if (!yield.valid()) return;
  const Range values{store.stmt(yield).a, store.stmt(yield).b};
  for (std::uint32_t k = 0; k < results.count && k < values.count; ++k) {
    const VarId value = store.as_var(store.at<ExprId>(values, k));
    if (!value.valid()) continue;
    const VarId iter_arg = store.at<VarId>(iter_args, k);
    const VarId result = store.at<VarId>(results, k);
    const VarId id = canonical(value);
    if (id.valid()) {
      canonical_[iter_arg] = id;
      canonical_[result] = id;
    }
    const std::uint32_t step = step_of(value);
    if (step != kNoStep) {
      arrays_[iter_arg] = step;
      arrays_[result] = step;
    }
  }
}

const ArrayContents* TaskIdLineage::contents(VarId array) const {
  const std::uint32_t step = step_of(array);
  return step == kNoStep ? nullptr : &resolve(step);
}

TaskIdLineage::Scan TaskIdLineage::scan(std::uint32_t step) const {
  Scan scan;
  std::unordered_set<std::int64_t> seen;  // slots whose latest store was met
  std::int64_t filled = 0;
  for (std::uint32_t s = step; s != kNoStep; s = steps_[s].parent) {
    const Step& at = steps_[s];
    ArrayContents& contents = scan.contents;
    if (at.kind == StepKind::Create) {
      contents.extent = at.extent;
    } else if (at.kind == StepKind::VariableStore) {
      contents.clean = contents.clean && at.known;
      contents.partial_fill = contents.partial_fill || !at.reaches_all;
      if (at.known && (at.reaches_all || !full_fills_only_)) {
        contents.fills.insert(contents.fills.end(), at.ids.begin(), at.ids.end());
      }
    } else if (seen.insert(at.index).second) {
      contents.clean = contents.clean && at.known;
      contents.expanded.insert(contents.expanded.end(), at.ids.begin(), at.ids.end());
      if (at.copy) scan.copies.push_back(*at.copy);
      if (at.known && at.index >= 0) ++filled;
    }
  }
  scan.contents.complete = scan.contents.extent > 0 && scan.contents.clean && filled == scan.contents.extent;
  return scan;
}

const ArrayContents& TaskIdLineage::resolve(std::uint32_t step) const {
  const auto known = resolved_.find(step);
  if (known != resolved_.end()) return known->second;

  Scan own = scan(step);
  ArrayContents& contents = own.contents;
  std::vector<VarId>& expanded = contents.expanded;
  if (contents.clean) {
    expanded.insert(expanded.end(), contents.fills.begin(), contents.fills.end());
    std::sort(own.copies.begin(), own.copies.end(),
              [](const ArraySlot& a, const ArraySlot& b) { return std::pair(a.array, a.slot) < std::pair(b.array, b.slot); });
    for (std::size_t begin = 0; begin < own.copies.size();) {
      const VarId source = own.copies[begin].array;
      const std::uint32_t source_step = step_of(source);
      const ArrayContents from = source_step == kNoStep ? ArrayContents{} : scan(source_step).contents;
      std::int64_t read = 0;  // different slots of the source
      std::int64_t last = -1;
      for (; begin < own.copies.size() && own.copies[begin].array == source; ++begin) {
        const std::int64_t slot = own.copies[begin].slot;
        if (slot <= last || slot >= from.extent) continue;
        last = slot;
        ++read;
      }
      if (!from.clean || from.extent <= 0) continue;
      contents.partial_fill = contents.partial_fill || from.partial_fill;
      if (read == from.extent) expanded.insert(expanded.end(), from.fills.begin(), from.fills.end());
    }
  }
  std::sort(expanded.begin(), expanded.end());
  expanded.erase(std::unique(expanded.begin(), expanded.end()), expanded.end());
  return resolved_.insert_or_assign(step, std::move(contents)).first->second;
}

}  // namespace depscope::pass
