#include "storage_lineage.h"

#include <algorithm>

namespace depscope::pass {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

bool is_dynamic_access(std::string_view op) {
  return op.starts_with("tensor.gather") || op.starts_with("tile.gather") || op.starts_with("tensor.scatter") ||
         op.starts_with("tile.scatter") || op == "tile.mscatter";
}

/// Values of the Yield that directly ends the body; runtime scopes are not entered here.
std::optional<Range> yielded(const ir::NodeStore& store, Range body) {
  const StmtId yield = direct_yield(store, body);
  if (!yield.valid()) return std::nullopt;
  return Range{store.stmt(yield).a, store.stmt(yield).b};
}

}  // namespace

std::string_view unresolved_reason(LocationState state) {
  switch (state) {
    case LocationState::DynamicAccess: return "unresolved_storage.dynamic_access";
    case LocationState::MixedMerge: return "unresolved_storage.mixed_merge";
    case LocationState::TooManyRoots: return "unresolved_storage.too_many_roots";
    default: return "unresolved_storage.unknown";
  }
}

void StorageLineage::build(const ir::Function& function) {
  locations_.clear();
  outputs_.clear();
  output_list_.clear();
  alternatives_.clear();
  boxes_.clear();
  by_base_.clear();
  bases_.clear();
  aliases_.clear();
  referenced_.clear();
  const ir::NodeStore& store = *program_.store;
  for (const ir::Param& param : function.params) {
    const ir::TypeId type = param.type.valid() ? param.type : store.var(param.var).type;
    if (type.valid() && ir::is_tensor_like(store, type)) define_root(param.var, type, {});
  }
  visit(function.body);
  link_aliases();
}

void StorageLineage::visit(Range body) {
  const ir::NodeStore& store = *program_.store;
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store.at<StmtId>(body, i);
    switch (store.stmt(stmt).kind) {
      case StmtKind::Assign: visit_assign(stmt); break;
      case StmtKind::If: visit_if(stmt); break;
      case StmtKind::For: {
        const ir::ForData d = store.for_data(stmt);
        visit_loop(stmt, d.iter_args, d.inits, d.result_vars, d.body, true);
        break;
      }
      case StmtKind::While: {
        const ir::WhileData d = store.while_data(stmt);
        visit_loop(stmt, d.iter_args, d.inits, d.result_vars, d.body, false);
        break;
      }
      case StmtKind::Scope: visit(store.scope_data(stmt).body); break;
      default: break;
    }
  }
}

void StorageLineage::visit_assign(StmtId stmt) {
  const ir::NodeStore& store = *program_.store;
  const VarId target = statement_target(store, stmt);
  const ExprId value = statement_value(store, stmt);
  const ir::Expr& e = store.expr(value);
  switch (e.kind) {
    case ExprKind::Var: {
      const VarId source(e.a);
      define(target, target_type(store, stmt), location(source), stmt);
      if (const Range* entries = outputs_.find(source)) {
        const Range copy = *entries;
        outputs_[target] = copy;
      }
      break;
    }
    case ExprKind::TupleGet: {
      const Range* entries = outputs_.find(store.as_var(ExprId(e.a)));
      if (entries != nullptr && e.b < entries->count) {
        const Location entry = output_list_[entries->begin + e.b];
        if (entry.state == LocationState::Known) define(target, target_type(store, stmt), entry, stmt);
      }
      break;
    }
    case ExprKind::Call: visit_call(stmt, value); break;
    default: break;
  }
}

void StorageLineage::visit_call(StmtId stmt, ExprId value) {
  const ir::NodeStore& store = *program_.store;
  const ir::Call call = store.call(value);
  if (!is_builtin(store, call)) {
    visit_task(stmt, call);
    return;
  }
  const std::string_view op = store.text(call.callee);
  const VarId target = statement_target(store, stmt);
  const ir::TypeId type = target_type(store, stmt);
  if (op == "tensor.create") {
    define_root(target, type, stmt);
  } else if (op == "tensor.slice" && call.args.count >= 1) {
    const Location parent = location(store.at<ExprId>(call.args, 0));
    if (parent.state != LocationState::Known) return;
    const auto shape = call.args.count > 1 ? constant_list(store, store.at<ExprId>(call.args, 1)) : std::nullopt;
    const auto offset = call.args.count > 2 ? constant_list(store, store.at<ExprId>(call.args, 2)) : std::nullopt;
    const ViewEffect effect = slice_effect(store, call);
    std::vector<StorageAlternative> parts;
    for (std::uint32_t k = 0; k < parent.alternatives.count; ++k) {
      const StorageAlternative from = alternatives_[parent.alternatives.begin + k];
      parts.push_back({from.root, apply(effect, boxes_.slice(from.region, shape, offset)), stmt});
    }
    define(target, type, make(parts), stmt);
  } else if (op == "tensor.assemble" && call.args.count >= 1) {
    define(target, type, location(store.at<ExprId>(call.args, 0)), stmt);
  } else if (is_dynamic_access(op)) {
    locations_[target] = {LocationState::DynamicAccess, {}};
  }
}

const std::vector<std::int32_t>& StorageLineage::returned_parameters(std::uint32_t function) {
  const auto [it, fresh] = returned_.try_emplace(function);
  if (!fresh) return it->second;
  const ir::NodeStore& store = *program_.store;
  const ir::Function& callee = program_.functions[function];
  if (callee.body.empty()) return it->second;
  const ir::Stmt& last = store.stmt(store.at<StmtId>(callee.body, callee.body.count - 1));
  if (last.kind != StmtKind::Return) return it->second;
  for (std::uint32_t k = 0; k < last.b; ++k) {
    const VarId var = store.as_var(store.at<ExprId>({last.a, last.b}, k));
    std::int32_t position = -1;
    for (std::size_t p = 0; p < callee.params.size() && var.valid(); ++p) {
      if (callee.params[p].var == var) position = static_cast<std::int32_t>(p);
    }
    it->second.push_back(position);
  }
  return it->second;
}

void StorageLineage::visit_task(StmtId stmt, const ir::Call& call) {
  const ir::NodeStore& store = *program_.store;
  const auto callee_index = functions_.index(call.callee);
  if (!callee_index) return;
  const ir::Function& callee = program_.functions[*callee_index];
  const ParameterMap map(store, call, callee);
  if (!map.fits()) return;
  const auto begin = static_cast<std::uint32_t>(output_list_.size());
  bool located = false;
  for (const std::int32_t position : returned_parameters(*callee_index)) {
    Location entry;
    const auto arg = position < 0 ? std::nullopt : map.argument(static_cast<std::uint32_t>(position));
    if (arg && *arg < call.args.count) entry = location(store.at<ExprId>(call.args, *arg));
    if (entry.state != LocationState::Known) entry = {};
    located = located || entry.state == LocationState::Known;
    output_list_.push_back(entry);
  }
  if (!located) {
    output_list_.resize(begin);
    for (std::uint32_t i = 0; i < call.args.count; ++i) {
      if (callee.params[map.parameter(i)].direction == ir::ParamDirection::In) continue;
      output_list_.push_back(location(store.at<ExprId>(call.args, i)));
    }
  }
  const Range outputs{begin, static_cast<std::uint32_t>(output_list_.size()) - begin};
  const VarId target = statement_target(store, stmt);
  const ir::TypeId type = target_type(store, stmt);
  const bool tuple = call.form == ir::CallForm::Submit || (type.valid() && store.type(type).kind == ir::TypeKind::Tuple);
  if (tuple) {
    outputs_[target] = outputs;
  } else if (!outputs.empty() && output_list_[begin].state == LocationState::Known) {
    define(target, type, output_list_[begin], stmt);
  }
}

void StorageLineage::visit_if(StmtId stmt) {
  const ir::NodeStore& store = *program_.store;
  const ir::IfData d = store.if_data(stmt);
  visit(d.then_body);
  visit(d.else_body);
  const auto then_values = yielded(store, d.then_body);
  const auto else_values = yielded(store, d.else_body);
  if (!d.has_else || !then_values || !else_values) return;
  for (std::uint32_t k = 0; k + d.lost_results < d.result_vars.count && k < then_values->count && k < else_values->count; ++k) {
    const VarId result = store.at<VarId>(d.result_vars, k);
    const ir::TypeId type = store.var(result).type;
    if (type.valid() && !ir::is_tensor_like(store, type) && store.type(type).kind != ir::TypeKind::Unknown) continue;
    const Location merged = merge(location(store.at<ExprId>(*then_values, k)), location(store.at<ExprId>(*else_values, k)), stmt);
    define(result, type, merged, stmt);
  }
}

void StorageLineage::visit_loop(StmtId stmt, Range iter_args, Range inits, Range results, Range body, bool is_for) {
  const ir::NodeStore& store = *program_.store;
  for (std::uint32_t k = 0; k < iter_args.count; ++k) {
    const VarId iter_arg = store.at<VarId>(iter_args, k);
    define(iter_arg, store.var(iter_arg).type, location(store.at<ExprId>(inits, k)), stmt);
  }
  visit(body);
  const auto values = yielded(store, body);
  for (std::uint32_t k = 0; k < results.count; ++k) {
    const VarId result = store.at<VarId>(results, k);
    const ir::TypeId type = store.var(result).type;
    if (type.valid() && !ir::is_tensor_like(store, type) && store.type(type).kind != ir::TypeKind::Unknown) continue;
    const bool packed = is_for && view_effect(store, type) != ViewEffect::Unknown;
    const StorageKind widened = packed ? StorageKind::Conservative : StorageKind::Unknown;
    Location merged = location(store.at<ExprId>(inits, k));
    if (values && k < values->count) merged = merge(merged, location(store.at<ExprId>(*values, k)), stmt);
    define(result, type, widen(merged, widened, stmt), stmt);
  }
}

void StorageLineage::define(VarId var, ir::TypeId type, const Location& location, StmtId step) {
  if (location.state != LocationState::Known) {
    if (location.state != LocationState::Unknown) locations_[var] = location;
    return;
  }
  const ViewEffect effect = view_effect(*program_.store, type);
  bool same = true;
  for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
    note_memory_reference(alternatives_[location.alternatives.begin + k].root, type);
    const StorageRegion& region = alternatives_[location.alternatives.begin + k].region;
    same = same && apply(effect, region).kind == region.kind;
  }
  if (effect == ViewEffect::Unchanged || same) {
    locations_[var] = location;
    return;
  }
  std::vector<StorageAlternative> adapted;
  for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
    const StorageAlternative from = alternatives_[location.alternatives.begin + k];
    adapted.push_back({from.root, apply(effect, from.region), step});
  }
  locations_[var] = make(adapted);
}

void StorageLineage::define_root(VarId var, ir::TypeId type, StmtId step) {
  note_memory_reference(var, type);
  const StorageRegion full{StorageKind::Full, 0, 0};
  locations_[var] = make({{var, apply(view_effect(*program_.store, type), full), step}});
}

Location StorageLineage::make(const std::vector<StorageAlternative>& list) {
  const Range range{static_cast<std::uint32_t>(alternatives_.size()), static_cast<std::uint32_t>(list.size())};
  alternatives_.insert(alternatives_.end(), list.begin(), list.end());
  return {LocationState::Known, range};
}

Location StorageLineage::merge(const Location& a, const Location& b, StmtId step) {
  if (a.state != LocationState::Known || b.state != LocationState::Known) {
    for (const LocationState state : {a.state, b.state}) {
      if (state != LocationState::Known && state != LocationState::Unknown) return {state, {}};
    }
    return {LocationState::MixedMerge, {}};
  }
  std::vector<StorageAlternative> merged;
  for (std::uint32_t k = 0; k < a.alternatives.count; ++k) {
    StorageAlternative next = alternatives_[a.alternatives.begin + k];
    next.step = step;
    merged.push_back(next);
  }
  for (std::uint32_t k = 0; k < b.alternatives.count; ++k) {
    const StorageAlternative& other = alternatives_[b.alternatives.begin + k];
    const auto it = std::find_if(merged.begin(), merged.end(), [&](const StorageAlternative& x) { return x.root == other.root; });
    if (it == merged.end()) {
      merged.push_back({other.root, other.region, step});
    } else if (!boxes_.same(it->region, other.region)) {
      it->region = {StorageKind::Unknown, 0, 0};
    }
  }
  if (merged.size() > kMaxAlternatives) return {LocationState::TooManyRoots, {}};
  return make(merged);
}

Location StorageLineage::widen(const Location& location, StorageKind kind, StmtId step) {
  if (location.state != LocationState::Known) return location;
  std::vector<StorageAlternative> widened;
  for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
    widened.push_back({alternatives_[location.alternatives.begin + k].root, {kind, 0, 0}, step});
  }
  return make(widened);
}

void StorageLineage::note_memory_reference(VarId root, ir::TypeId type) {
  const ir::NodeStore& store = *program_.store;
  if (!type.valid() || referenced_.contains(root)) return;
  ExprId reference = ir::type_memref(store, type);
  if (!reference.valid()) return;
  bool slot = false;
  if (store.expr(reference).kind == ExprKind::Subscript) {
    reference = ExprId(store.expr(reference).a);
    slot = true;
  }
  if (store.expr(reference).kind != ExprKind::Call) return;
  const ir::Call& call = store.call(reference);
  if (call.args.count == 0) return;
  const ir::Expr& base = store.expr(store.at<ExprId>(call.args, 0));
  NameId name;
  if (base.kind == ExprKind::Str || base.kind == ExprKind::Name) name = NameId(base.a);
  if (base.kind == ExprKind::Var) name = store.var(VarId(base.a)).name;
  if (!name.valid()) return;
  MemoryReference entry{root, std::nullopt, std::nullopt};
  if (!slot && call.args.count > 2) {
    entry.offset = store.as_int(store.at<ExprId>(call.args, 1));
    entry.size = store.as_int(store.at<ExprId>(call.args, 2));
  }
  referenced_[root] = 1;
  std::vector<MemoryReference>& list = by_base_[name];
  if (list.empty()) bases_.push_back(name);
  list.push_back(entry);
}

void StorageLineage::link_aliases() {
  for (const NameId base : bases_) {
    const std::vector<MemoryReference>& list = by_base_[base];
    if (list.size() < 2) continue;
    for (const MemoryReference& a : list) {
      std::vector<VarId> others{a.root};
      for (const MemoryReference& b : list) {
        if (a.root == b.root) continue;
        bool alias = true;
        std::int64_t a_end = 0;
        std::int64_t b_end = 0;
        if (a.offset && b.offset && a.size && b.size && !__builtin_add_overflow(*a.offset, *a.size, &a_end) &&
            !__builtin_add_overflow(*b.offset, *b.size, &b_end)) {
          alias = *a.offset < b_end && *b.offset < a_end;
        }
        if (alias) others.push_back(b.root);
      }
      if (others.size() > 1) aliases_[a.root] = std::move(others);
    }
  }
}

std::span<const VarId> StorageLineage::alias_class(VarId root) const {
  if (const std::vector<VarId>* others = aliases_.find(root)) return *others;
  single_.assign(1, root);
  return single_;
}

bool StorageLineage::may_alias(VarId a, VarId b) const {
  if (a == b) return true;
  const std::vector<VarId>* others = aliases_.find(a);
  return others != nullptr && std::find(others->begin() + 1, others->end(), b) != others->end();
}

bool StorageLineage::may_overlap(const Location& location, const StorageAlternative& other) const {
  if (location.state != LocationState::Known) return false;
  for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
    const StorageAlternative& own = alternatives_[location.alternatives.begin + k];
    if (may_alias(own.root, other.root) && boxes_.overlap(own.region, other.region)) return true;
  }
  return false;
}

}  // namespace depscope::pass
