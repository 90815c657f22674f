#include "task_sites.h"

#include <algorithm>
#include <string>

namespace depscope::pass {

using ir::Call;
using ir::CallForm;
using ir::ExprId;
using ir::NodeStore;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

FunctionTable::FunctionTable(const ir::Program& program) : functions_(&program.functions) {
  by_name_.reserve(functions_->size());
  for (std::uint32_t i = 0; i < functions_->size(); ++i) by_name_.try_emplace((*functions_)[i].name, i);
}

const ir::Function* FunctionTable::find(NameId name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &(*functions_)[it->second];
}

std::optional<std::uint32_t> FunctionTable::index(NameId name) const {
  const auto it = by_name_.find(name);
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

bool is_builtin(const NodeStore& store, const Call& call) {
  if (call.form == CallForm::Function || call.form == CallForm::Submit) return false;
  const std::string_view name = store.text(call.callee);
  return name.starts_with("tensor.") || name.starts_with("tile.") || name.starts_with("system.") || name.starts_with("array.") ||
         name == "pld.system.get_comm_ctx";
}

ExprId statement_value(const NodeStore& store, StmtId stmt) {
  const ir::Stmt& s = store.stmt(stmt);
  if (s.kind == StmtKind::Assign) return ExprId(s.b);
  if (s.kind == StmtKind::Eval) return ExprId(s.a);
  return {};
}

ExprId task_call(const NodeStore& store, StmtId stmt) {
  const ExprId value = statement_value(store, stmt);
  if (!value.valid() || store.expr(value).kind != ir::ExprKind::Call || is_builtin(store, store.call(value))) return {};
  return value;
}

VarId statement_target(const NodeStore& store, StmtId stmt) {
  const ir::Stmt& s = store.stmt(stmt);
  return s.kind == StmtKind::Assign ? VarId(s.a) : VarId();
}

ir::TypeId target_type(const NodeStore& store, StmtId stmt) {
  const ir::Stmt& s = store.stmt(stmt);
  if (s.kind != StmtKind::Assign) return {};
  return s.type.valid() ? s.type : store.var(VarId(s.a)).type;
}

ir::TypeId value_type(const NodeStore& store, ExprId value) {
  if (!value.valid()) return {};
  const ir::Expr& e = store.expr(value);
  const bool known = e.type.valid() && store.type(e.type).kind != ir::TypeKind::Unknown;
  if (!known && e.kind == ir::ExprKind::Var) return store.var(VarId(e.a)).type;
  return e.type;
}

ParameterMap::ParameterMap(const NodeStore& store, const Call& call, const ir::Function& callee) {
  const auto params = static_cast<std::uint32_t>(callee.params.size());
  split_ = call.args.count;
  if (call.args.count == params) return;
  if (call.form != CallForm::Submit || call.args.count > params) {
    fits_ = false;
    return;
  }
  gap_ = params - call.args.count;
  std::uint32_t contexts = 0;
  while (contexts < params) {
    const ir::TypeId type = callee.params[params - 1 - contexts].type;
    if (!type.valid() || store.type(type).kind != ir::TypeKind::Named || store.text(store.type(type).name) != "pld.CommCtxType")
      break;
    ++contexts;
  }
  split_ = call.args.count - std::min(contexts, call.args.count);
}

std::optional<std::uint32_t> ParameterMap::argument(std::uint32_t parameter) const {
  if (parameter < split_) return parameter;
  if (parameter < split_ + gap_) return std::nullopt;
  return parameter - gap_;
}

bool has_directions(const NodeStore& store, const Call& call) { return store.find_pair(call.attrs, kArgDirections).valid(); }

std::vector<ArgDirection> read_directions(const NodeStore& store, const Call& call) {
  std::vector<ArgDirection> directions;
  const ExprId list = store.find_pair(call.attrs, kArgDirections);
  if (!list.valid() || store.expr(list).kind != ir::ExprKind::List) return directions;
  const Range items{store.expr(list).a, store.expr(list).b};
  constexpr std::string_view kPrefix = "pl.adir.";
  for (std::uint32_t i = 0; i < items.count; ++i) {
    const ir::Expr& item = store.expr(store.at<ExprId>(items, i));
    ArgDirection direction = ArgDirection::None;
    if (item.kind == ir::ExprKind::Name) {
      const std::string_view name = store.text(NameId(item.a));
      if (name.starts_with(kPrefix)) direction = arg_direction_from_name(name.substr(kPrefix.size()));
    }
    directions.push_back(direction);
  }
  return directions;
}

std::vector<VarId> read_var_list(const NodeStore& store, ExprId list) {
  std::vector<VarId> vars;
  store.for_each_listed_var(list, [&](VarId var) {
    if (var.valid()) vars.push_back(var);
  });
  return vars;
}

std::vector<VarId> user_edges(const NodeStore& store, const Call& call) {
  std::vector<VarId> edges;
  for (std::uint32_t i = 0; i < call.deps.count; ++i) {
    const VarId var = store.as_var(store.at<ExprId>(call.deps, i));
    if (var.valid()) edges.push_back(var);
  }
  if (call.attrs.count != 0) {
    const std::vector<VarId> older = read_var_list(store, store.find_pair(call.attrs, kManualDepEdges));
    edges.insert(edges.end(), older.begin(), older.end());
  }
  return edges;
}

void AttrEdit::set(NodeStore& store, std::string_view key, ExprId value) {
  const NameId name = store.names.intern(key);
  changed_ = true;
  for (ir::NamedExpr& pair : pairs_) {
    if (pair.name == name) {
      pair.value = value;
      return;
    }
  }
  pairs_.push_back({name, value});
}

void AttrEdit::set_directions(NodeStore& store, ExprId value) {
  const NameId name = store.names.intern(kArgDirections);
  const bool present = std::any_of(pairs_.begin(), pairs_.end(), [&](const ir::NamedExpr& p) { return p.name == name; });
  if (present) {
    set(store, kArgDirections, value);
    return;
  }
  changed_ = true;
  const bool dumps_first = !pairs_.empty() && store.text(pairs_.front().name) == "dump_vars";
  pairs_.insert(pairs_.begin() + (dumps_first ? 1 : 0), {name, value});
}

void AttrEdit::remove(const NodeStore& store, std::string_view key) {
  const auto end =
      std::remove_if(pairs_.begin(), pairs_.end(), [&](const ir::NamedExpr& p) { return store.text(p.name) == key; });
  if (end == pairs_.end()) return;
  pairs_.erase(end, pairs_.end());
  changed_ = true;
}

ExprId DirectionNodes::list(NodeStore& store, const std::vector<ArgDirection>& directions) {
  std::vector<ExprId> items;
  items.reserve(directions.size());
  for (const ArgDirection direction : directions) {
    ExprId& node = nodes_[static_cast<std::size_t>(direction)];
    if (!node.valid()) node = store.make_name("pl.adir." + std::string(arg_direction_name(direction)));
    items.push_back(node);
  }
  return store.make_list_expr(items);
}

StmtId with_call(NodeStore& store, StmtId stmt, const Call& call) {
  const ir::Stmt s = store.stmt(stmt);
  const ir::Expr old = store.expr(statement_value(store, stmt));
  const ExprId value = store.make_call(call, old.type, old.span);
  ir::Stmt changed = s;
  if (s.kind == StmtKind::Assign) {
    changed.b = value.value;
  } else {
    changed.a = value.value;
  }
  return store.make_stmt(changed);
}

std::pair<Range, Range> bodies(const NodeStore& store, StmtId stmt) {
  switch (store.stmt(stmt).kind) {
    case StmtKind::If: return {store.if_data(stmt).then_body, store.if_data(stmt).else_body};
    case StmtKind::For: return {store.for_data(stmt).body, {}};
    case StmtKind::While: return {store.while_data(stmt).body, {}};
    case StmtKind::Scope: return {store.scope_data(stmt).body, {}};
    default: return {};
  }
}

StmtId with_bodies(NodeStore& store, StmtId stmt, Range first, Range second) {
  const std::pair<Range, Range> old = bodies(store, stmt);
  if (old.first == first && old.second == second) return stmt;
  const ir::Stmt s = store.stmt(stmt);
  switch (s.kind) {
    case StmtKind::If: {
      ir::IfData d = store.if_data(stmt);
      d.then_body = first;
      d.else_body = second;
      return store.make_if(d, s.span, s.comments);
    }
    case StmtKind::For: {
      ir::ForData d = store.for_data(stmt);
      d.body = first;
      return store.make_for(d, s.span, s.comments);
    }
    case StmtKind::While: {
      ir::WhileData d = store.while_data(stmt);
      d.body = first;
      return store.make_while(d, s.span, s.comments);
    }
    case StmtKind::Scope: {
      ir::ScopeData d = store.scope_data(stmt);
      d.body = first;
      return store.make_scope(d, s.span, s.comments);
    }
    default: return stmt;
  }
}

Range replace_statements(NodeStore& store, Range body, const StatementMap& replacements) {
  std::vector<StmtId> statements = store.list<StmtId>(body);
  bool changed = false;
  for (StmtId& stmt : statements) {
    StmtId next = stmt;
    const auto it = replacements.find(stmt);
    if (it != replacements.end()) {
      next = it->second;
    } else {
      const std::pair<Range, Range> inner = bodies(store, stmt);
      if (!inner.first.empty() || !inner.second.empty()) {
        const Range first = replace_statements(store, inner.first, replacements);
        const Range second = replace_statements(store, inner.second, replacements);
        next = with_bodies(store, stmt, first, second);
      }
    }
    changed = changed || next != stmt;
    stmt = next;
  }
  return changed ? store.make_list(statements) : body;
}

StmtId direct_yield(const NodeStore& store, Range body) {
  if (body.empty()) return {};
  const StmtId last = store.at<StmtId>(body, body.count - 1);
  return store.stmt(last).kind == StmtKind::Yield ? last : StmtId();
}

std::optional<std::int64_t> trip_count(const NodeStore& store, const ir::ForData& loop) {
  const auto start = store.as_int(loop.start);
  const auto stop = store.as_int(loop.stop);
  const auto step = store.as_int(loop.step);
  if (!start || !stop || !step || *step == 0) return std::nullopt;
  // In 128 bits: the bounds may be any 64-bit numbers.
  __extension__ using Wide = __int128;
  const auto distance = static_cast<Wide>(*stop) - *start;
  const Wide stride = *step;
  const Wide trips = stride > 0 ? (distance + stride - 1) / stride : (-distance - stride - 1) / -stride;
  if (distance == 0 || (distance > 0) != (stride > 0)) return 0;
  if (trips > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(trips);
}

}  // namespace depscope::pass
