// What call sites and calls of wrappers have in common when they become rows. Private.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/recording/tables.h"
#include "task_sites.h"

namespace depscope::recording {

/// The items of a list-valued expression, empty for anything else.
[[nodiscard]] inline std::vector<ir::ExprId> list_items(const ir::NodeStore& store, ir::ExprId list) {
  if (!list.valid()) return {};
  const ir::Expr& e = store.expr(list);
  if (e.kind != ir::ExprKind::List && e.kind != ir::ExprKind::Tuple) return {};
  return store.list<ir::ExprId>(Range{e.a, e.b});
}

[[nodiscard]] inline std::string expr_text(const ir::NodeStore& store, ir::ExprId id) {
  return store.is_var(id) ? std::string(store.name(store.as_var(id))) : ir::print_expr(store, id);
}

[[nodiscard]] inline pass::ArgDirection direction_of(const ir::NodeStore& store, ir::ExprId name) {
  if (store.expr(name).kind != ir::ExprKind::Name) return pass::ArgDirection::None;
  const std::string_view text = store.text(NameId(store.expr(name).a));
  return pass::arg_direction_from_name(text.substr(text.rfind('.') + 1));
}

/// Fills the columns results, user_dep and compiler_dep of a table of calls. `name_of` gives the string of an
/// expression, `name_of_var` that of a variable. With `runs_elsewhere`, a long list with runs of compiler edges stays empty.
template <class Table, class NameOf, class NameOfVar>
void write_names(Recording& r, const ir::NodeStore& store, const TaskSite& site, Table& t, bool runs_elsewhere, NameOf&& name_of,
                 NameOfVar&& name_of_var) {
  const ir::Stmt& statement = store.stmt(site.statement);
  const ir::Call& call = store.call(site.call);
  const auto run = [&](std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count, std::size_t from) {
    count.push_back(static_cast<std::uint32_t>(r.pool.size() - from));
    begin.push_back(count.back() == 0 ? 0 : static_cast<std::uint32_t>(from));
  };
  const auto names = [&](const std::vector<ir::ExprId>& list) {
    for (const ir::ExprId id : list) r.pool.push_back(name_of(id));
  };
  std::size_t from = r.pool.size();
  if (statement.kind == ir::StmtKind::Assign) r.pool.push_back(r.strings.add(store.name(ir::VarId(statement.a))));
  run(t.result_begin, t.result_begin_count, from);
  from = r.pool.size();
  names(store.list<ir::ExprId>(call.deps));
  names(list_items(store, store.find_pair(call.attrs, "manual_dep_edges")));  // the older spelling of user edges
  run(t.user_dep_begin, t.user_dep_begin_count, from);
  from = r.pool.size();
  const std::vector<ir::ExprId> edges = list_items(store, store.find_pair(call.attrs, "compiler_manual_dep_edges"));
  std::uint64_t count = 0;
  bool runs = false;
  for (const ir::ExprId id : edges) {
    const bool is_run = store.expr(id).kind == ir::ExprKind::VarRun;
    runs = runs || is_run;
    count += is_run ? store.var_run(id).count : 1;
  }
  for (const ir::ExprId id : edges) {
    if (runs_elsewhere && runs && count > ir::kReadableRun) break;
    if (store.expr(id).kind != ir::ExprKind::VarRun) {
      r.pool.push_back(name_of(id));
      continue;
    }
    const ir::VarRun& run = store.var_run(id);
    for (std::uint32_t i = 0; i < run.count; ++i) r.pool.push_back(name_of_var(store.run_var(run, i)));
  }
  run(t.compiler_dep_begin, t.compiler_dep_begin_count, from);
}

/// Adds the rows of a call's arguments as the last program has them; `owner` is the column that names the call. Returns how
/// many there are: a barrier has none.
template <class Table>
std::uint32_t write_arguments(Recording& r, const ir::Program& last, const TaskSite& site, Table& a,
                              std::vector<std::uint32_t>& owner, std::uint32_t row) {
  const ir::NodeStore& store = *last.store;
  const ir::Call& call = store.call(site.call);
  const std::uint32_t count = site.kind == SiteKind::Dummy ? 0 : call.args.count;
  const ir::Function* callee = last.find(site.callee);
  const std::vector<ir::ExprId> directions = list_items(store, store.find_pair(call.attrs, "arg_directions"));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto direction = i < directions.size() ? direction_of(store, directions[i]) : pass::ArgDirection::None;
    owner.push_back(row);
    a.name.push_back(r.strings.add(expr_text(store, store.at<ir::ExprId>(call.args, i))));
    const bool known = callee != nullptr && i < callee->params.size();
    a.callee_direction.push_back(static_cast<std::uint8_t>(known ? callee->params[i].direction : ir::ParamDirection::In));
    a.derived.push_back(static_cast<std::uint8_t>(direction));
    a.direction.push_back(static_cast<std::uint8_t>(direction));
    a.rule.push_back(static_cast<std::uint8_t>(pass::DirectionRule::Given));
    a.rewrite.push_back(static_cast<std::uint8_t>(pass::RewriteReason::PassNotRun));
  }
  return count;
}

}  // namespace depscope::recording
