#include "escaping.h"

#include <unordered_set>

#include "expr_rewriter.h"

namespace depscope::pass {

using ir::ExprId;
using ir::ForData;
using ir::IfData;
using ir::ScopeData;
using ir::ScopeKind;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;
using ir::WhileData;

std::vector<VarId> assigned_variables(const ir::NodeStore& store, Range body) {
  std::vector<VarId> out;
  std::unordered_set<VarId> seen;
  const auto add = [&](VarId var) {
    if (var.valid() && seen.insert(var).second) out.push_back(var);
  };
  const auto add_all = [&](Range vars) {
    for (std::uint32_t i = 0; i < vars.count; ++i) add(store.at<VarId>(vars, i));
  };
  ir::for_each_stmt(store, body, [&](StmtId id) {
    switch (store.stmt(id).kind) {
      case StmtKind::Assign: add(VarId(store.stmt(id).a)); break;
      case StmtKind::If: add_all(store.if_data(id).result_vars); break;
      case StmtKind::For: add_all(store.for_data(id).result_vars); break;
      case StmtKind::While: add_all(store.while_data(id).result_vars); break;
      case StmtKind::Scope:
        add(store.scope_data(id).as_var);
        add(store.scope_data(id).loop_var);
        break;
      default: break;
    }
  });
  return out;
}

EscapingVariables::EscapingVariables(const ir::NodeStore& store, const ir::Function& function)
    : store_(store), live_(store.var_count(), 0) {
  sweep(function.body, true);
  live_.clear();
  trail_.clear();
}

void EscapingVariables::set(VarId var, bool live) {
  if (!var.valid() || live_[var.value] == static_cast<char>(live)) return;
  trail_.emplace_back(var, live_[var.value]);
  live_[var.value] = static_cast<char>(live);
}

void EscapingVariables::use(ExprId id) {
  for_each_var(store_, id, [&](VarId var) { set(var, true); });
}

void EscapingVariables::use_type(ir::TypeId id) {
  for_each_var_of_type(store_, id, [&](VarId var) { set(var, true); });
}

void EscapingVariables::sweep(Range body, bool record) {
  for (std::uint32_t i = body.count; i-- > 0;) statement(store_.at<StmtId>(body, i), record);
}

void EscapingVariables::keep_live_since(std::size_t mark) {
  std::unordered_set<VarId> seen;
  for (std::size_t i = mark, end = trail_.size(); i < end; ++i) {
    const auto [var, before] = trail_[i];  // the oldest record of a variable tells its state at the mark
    if (seen.insert(var).second && before != 0) set(var, true);
  }
}

void EscapingVariables::statement(StmtId id, bool record) {
  const Stmt s = store_.stmt(id);
  const auto define_all = [&](Range vars) {
    for (std::uint32_t i = 0; i < vars.count; ++i) set(store_.at<VarId>(vars, i), false);
  };
  const auto record_loop = [&](Range loop_body) {
    if (!record) return;
    std::vector<VarId> needed;
    for (const VarId var : assigned_variables(store_, loop_body)) {
      if (live(var)) needed.push_back(var);
    }
    if (!needed.empty()) needed_[id] = std::move(needed);
  };
  switch (s.kind) {
    case StmtKind::Assign:
      set(VarId(s.a), false);
      use_type(s.type);
      use(ExprId(s.b));
      break;
    case StmtKind::If: {
      const IfData d = store_.if_data(id);
      define_all(d.result_vars);
      const std::size_t mark = trail_.size();
      sweep(d.then_body, record);
      // What the then branch leaves, as net changes; then the else branch from the same state, then the union of both.
      std::vector<std::pair<VarId, char>> then_changes;
      for (std::size_t i = trail_.size(); i-- > mark;) {
        then_changes.emplace_back(trail_[i].first, live_[trail_[i].first.value]);
      }
      while (trail_.size() > mark) {
        live_[trail_.back().first.value] = trail_.back().second;
        trail_.pop_back();
      }
      std::unordered_map<VarId, char> then_state;
      for (const auto& [var, value] : then_changes) then_state.emplace(var, value);
      sweep(d.else_body, record);
      std::vector<VarId> again;
      for (std::size_t i = mark; i < trail_.size(); ++i) {
        const VarId var = trail_[i].first;
        if (!live(var) && then_state.find(var) == then_state.end()) again.push_back(var);
      }
      for (const auto& [var, value] : then_changes) {
        if (value != 0) again.push_back(var);
      }
      // A variable the else branch killed but the then branch did not touch was live before if its oldest record says so.
      std::unordered_map<VarId, char> before;
      for (std::size_t i = mark; i < trail_.size(); ++i) before.emplace(trail_[i].first, trail_[i].second);
      for (const VarId var : again) {
        const auto then_it = then_state.find(var);
        if (then_it != then_state.end() ? then_it->second != 0 : before[var] != 0) set(var, true);
      }
      use(d.cond);
      break;
    }
    case StmtKind::For: {
      const ForData d = store_.for_data(id);
      define_all(d.result_vars);
      record_loop(d.body);
      const std::size_t mark = trail_.size();
      sweep(d.body, record);
      keep_live_since(mark);
      define_all(d.iter_args);
      set(d.counter, false);
      for (const ExprId e : {d.start, d.stop, d.step, d.stage}) use(e);
      for (const ExprId e : store_.list<ExprId>(d.inits)) use(e);
      for (const auto& pair : store_.pairs(d.attrs)) use(pair.value);
      break;
    }
    case StmtKind::While: {
      const WhileData d = store_.while_data(id);
      define_all(d.result_vars);
      record_loop(d.body);
      const std::size_t mark = trail_.size();
      sweep(d.body, record);
      keep_live_since(mark);
      use(d.cond);
      define_all(d.iter_args);
      for (const ExprId e : store_.list<ExprId>(d.inits)) use(e);
      break;
    }
    case StmtKind::Scope: {
      const ScopeData d = store_.scope_data(id);
      sweep(d.body, record && d.kind == ScopeKind::Runtime);
      set(d.loop_var, false);
      set(d.as_var, false);
      use(d.header);
      for (const auto& pair : store_.pairs(d.attrs)) use(pair.value);
      break;
    }
    default:
      for (const ExprId e : ir::expressions(store_, id)) use(e);
      break;
  }
}

}  // namespace depscope::pass
