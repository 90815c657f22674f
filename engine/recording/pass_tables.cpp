// What becomes of the decisions when the last pass has run: rows of call sites, regions, hazards and findings.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "depscope/ir/text.h"
#include "pass_findings.h"
#include "pass_recorder_state.h"

namespace depscope::recording {
namespace {

using ir::ExprId;

pass::ArgDirection direction_of(const ir::NodeStore& store, ExprId name) {
  if (store.expr(name).kind != ir::ExprKind::Name) return pass::ArgDirection::None;
  const std::string_view text = store.text(NameId(store.expr(name).a));
  return pass::arg_direction_from_name(text.substr(text.rfind('.') + 1));
}

/// The items of a list-valued expression, empty for anything else.
std::vector<ExprId> list_items(const ir::NodeStore& store, ExprId list) {
  if (!list.valid()) return {};
  const ir::Expr& e = store.expr(list);
  if (e.kind != ir::ExprKind::List && e.kind != ir::ExprKind::Tuple) return {};
  return store.list<ExprId>(Range{e.a, e.b});
}

std::string expr_text(const ir::NodeStore& store, ExprId id) {
  return store.is_var(id) ? std::string(store.name(store.as_var(id))) : ir::print_expr(store, id);
}

bool is_true(const ir::NodeStore& store, const std::vector<ir::NamedExpr>& attrs, std::string_view key) {
  for (const ir::NamedExpr& attr : attrs) {
    if (store.text(attr.name) == key)
      return !(store.expr(attr.value).kind == ir::ExprKind::Bool && store.expr(attr.value).a == 0);
  }
  return false;
}

}  // namespace

/// Follows the sites of every snapshot to the last program.
void PassRecorder::State::follow(const ir::Program& last) {
  snapshots.push_back({collect_sites(last), {}});
  programs.push_back(last);
  const std::size_t n = snapshots.size();
  to_last.resize(n);
  function_to_last.resize(n);
  for (std::size_t k = n; k-- > 0;) {
    const std::vector<FunctionSites>& functions = snapshots[k].functions;
    to_last[k].resize(functions.size());
    function_to_last[k].assign(functions.size(), kNoRow);
    std::unordered_map<NameId, std::uint32_t> next;  // function names of the following program
    if (k + 1 < n) {
      for (std::uint32_t f = 0; f < snapshots[k + 1].functions.size(); ++f) next.emplace(snapshots[k + 1].functions[f].name, f);
    }
    for (std::uint32_t f = 0; f < functions.size(); ++f) {
      std::vector<std::uint32_t>& out = to_last[k][f];
      out.assign(functions[f].sites.size(), kNoRow);
      if (k + 1 == n) {
        function_to_last[k][f] = f;
        for (std::uint32_t s = 0; s < out.size(); ++s) out[s] = s;
        continue;
      }
      const auto found = next.find(functions[f].name);
      if (found == next.end()) continue;
      function_to_last[k][f] = function_to_last[k + 1][found->second];
      const std::vector<std::uint32_t> step = follow_sites(*last.store, functions[f], snapshots[k + 1].functions[found->second]);
      for (std::uint32_t s = 0; s < out.size(); ++s) out[s] = step[s] == kNoRow ? kNoRow : to_last[k + 1][found->second][step[s]];
    }
  }
}

void PassRecorder::State::write_functions(const ir::Program& last) {
  for (const ir::Function& function : last.functions) {
    r.functions.name.push_back(r.strings.add(last.store->text(function.name)));
    r.functions.kind.push_back(r.strings.add(ir::function_kind_name(function.kind)));
    r.functions.auto_scope.push_back(function.auto_scope ? 1 : 0);
    r.functions.compiler_manual_candidate.push_back(
        is_true(*last.store, function.attrs, "__compiler_auto_manual_layer_candidate") ? 1 : 0);
    r.functions.line.push_back(last.line(function.span));
  }
}

void PassRecorder::State::write_sites(const ir::Program& last) {
  const std::vector<FunctionSites>& functions = snapshots.back().functions;
  row_of_site.resize(functions.size());
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    row_of_site[f].assign(functions[f].sites.size(), kNoRow);
    if (last.functions[f].kind != ir::FunctionKind::Orchestration) continue;
    const std::uint32_t first_scope = r.ir_scopes.rows();
    for (std::uint32_t s = 0; s < functions[f].scopes.size(); ++s) {
      const ScopeSite& scope = functions[f].scopes[s];
      const ir::ScopeData& data = last.store->scope_data(scope.statement);
      r.ir_scopes.function.push_back(f);
      r.ir_scopes.index.push_back(s);
      r.ir_scopes.manual.push_back(data.manual ? 1 : 0);
      r.ir_scopes.owner.push_back(data.compiler_owned ? 1 : data.materialised ? 2 : 0);
      r.ir_scopes.parent.push_back(scope.parent == kNoRow ? kNoRow : first_scope + scope.parent);
      r.ir_scopes.line.push_back(last.line(last.store->stmt(scope.statement).span));
    }
    for (std::uint32_t s = 0; s < functions[f].sites.size(); ++s) write_site(last, f, s, first_scope);
  }
}

void PassRecorder::State::write_site(const ir::Program& last, std::uint32_t f, std::uint32_t s, std::uint32_t first_scope) {
  const ir::NodeStore& store = *last.store;
  const FunctionSites& function = snapshots.back().functions[f];
  const TaskSite& site = function.sites[s];
  const ir::Stmt& statement = store.stmt(site.statement);
  const ir::Call& call = store.call(site.call);
  auto& t = r.call_sites;
  const std::uint32_t row = t.rows();
  row_of_site[f][s] = row;
  final_sites.try_emplace(site.statement, row);

  t.function.push_back(f);
  t.index.push_back(s);
  t.kind.push_back(static_cast<std::uint8_t>(site.kind));
  t.callee.push_back(r.strings.add(store.text(site.callee)));
  t.line.push_back(last.line(statement.span));
  t.loop_depth.push_back(site.loop_depth);
  std::vector<std::uint32_t> words;
  for (std::uint32_t scope = site.scope; scope != kNoRow; scope = function.scopes[scope].parent)
    words.push_back(first_scope + scope);
  std::reverse(words.begin(), words.end());
  run_of(t.scope_begin, t.scope_begin_count, words);
  words.clear();
  if (statement.kind == ir::StmtKind::Assign) words.push_back(r.strings.add(store.name(ir::VarId(statement.a))));
  run_of(t.result_begin, t.result_begin_count, words);

  const auto names = [&](const std::vector<ExprId>& list) {
    for (const ExprId id : list) words.push_back(r.strings.add(expr_text(store, id)));
  };
  words.clear();
  names(store.list<ExprId>(call.deps));
  names(list_items(store, store.find_pair(call.attrs, "manual_dep_edges")));  // the older spelling of user edges
  run_of(t.user_dep_begin, t.user_dep_begin_count, words);
  words.clear();
  names(list_items(store, store.find_pair(call.attrs, "compiler_manual_dep_edges")));
  run_of(t.compiler_dep_begin, t.compiler_dep_begin_count, words);
  write_arguments(last, site, row);
  t.pass_line_begin.push_back(0);  // filled in once all rows are there
  t.pass_line_begin_count.push_back(0);
}

void PassRecorder::State::write_arguments(const ir::Program& last, const TaskSite& site, std::uint32_t row) {
  const ir::NodeStore& store = *last.store;
  const ir::Call& call = store.call(site.call);
  auto& a = r.arguments;
  r.call_sites.argument_begin.push_back(a.rows());
  const std::uint32_t count = site.kind == SiteKind::Dummy ? 0 : call.args.count;
  r.call_sites.argument_count.push_back(count);
  const ir::Function* callee = last.find(site.callee);
  const std::vector<ExprId> directions = list_items(store, store.find_pair(call.attrs, "arg_directions"));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto direction = i < directions.size() ? direction_of(store, directions[i]) : pass::ArgDirection::None;
    a.call_site.push_back(row);
    a.name.push_back(r.strings.add(expr_text(store, store.at<ExprId>(call.args, i))));
    const bool known = callee != nullptr && i < callee->params.size();
    a.callee_direction.push_back(static_cast<std::uint8_t>(known ? callee->params[i].direction : ir::ParamDirection::In));
    a.derived.push_back(static_cast<std::uint8_t>(direction));
    a.direction.push_back(static_cast<std::uint8_t>(direction));
    a.rule.push_back(static_cast<std::uint8_t>(pass::DirectionRule::Given));
    a.rewrite.push_back(static_cast<std::uint8_t>(pass::RewriteReason::SwitchOff));
  }
}

void PassRecorder::State::apply_argument_decisions() {
  const auto argument_row = [&](const SiteRef& site, std::uint32_t arg) {
    const std::uint32_t at = row(site);
    return at == kNoRow || arg >= r.call_sites.argument_count[at] ? kNoRow : r.call_sites.argument_begin[at] + arg;
  };
  for (const RecordedRewrite& rewrite : rewrites) {
    const std::uint32_t at = argument_row(rewrite.site, rewrite.arg);
    if (at == kNoRow) continue;
    r.arguments.derived[at] = static_cast<std::uint8_t>(rewrite.before);
    r.arguments.rewrite[at] = static_cast<std::uint8_t>(rewrite.reason);
  }
  for (const RecordedArgument& argument : arguments) {
    const std::uint32_t at = argument_row(argument.site, argument.arg);
    if (at == kNoRow) continue;
    r.arguments.callee_direction[at] = static_cast<std::uint8_t>(argument.callee);
    r.arguments.derived[at] = static_cast<std::uint8_t>(argument.direction);
    r.arguments.rule[at] = static_cast<std::uint8_t>(argument.rule);
  }
  // Lines of each call site in the text of each pass.
  const std::uint32_t passes = r.passes.rows();
  const std::uint32_t sites = r.call_sites.rows();
  if (passes == 0 || sites == 0) return;
  const std::size_t begin = r.pool.size();
  r.pool.resize(begin + std::size_t{passes} * sites, 0);
  for (std::uint32_t site = 0; site < sites; ++site) {
    r.call_sites.pass_line_begin[site] = static_cast<std::uint32_t>(begin + std::size_t{passes} * site);
    r.call_sites.pass_line_begin_count[site] = passes;
  }
  for (std::uint32_t k = 0; k < passes; ++k) {
    for (std::uint32_t f = 0; f < snapshots[k].functions.size(); ++f) {
      for (std::uint32_t s = 0; s < snapshots[k].functions[f].sites.size(); ++s) {
        const std::uint32_t site = row({k, f, s});
        if (site != kNoRow) r.pool[begin + std::size_t{passes} * site + k] = snapshots[k].lines[f][s];
      }
    }
  }
}

void PassRecorder::State::write_regions() {
  // A pass that ran twice decided anew: its last run counts.
  std::uint32_t newest = 0;
  for (const RecordedRegion& region : regions) newest = std::max(newest, region.snapshot);
  std::erase_if(regions, [&](const RecordedRegion& region) {
    return region.snapshot != newest || function_row(region.snapshot, region.record.function) == kNoRow;
  });
  std::stable_sort(regions.begin(), regions.end(), [](const RecordedRegion& a, const RecordedRegion& b) {
    return std::pair(a.record.function, a.record.index) < std::pair(b.record.function, b.record.index);
  });
  auto& t = r.regions;
  std::uint32_t first = 0;  // row of the function's first region
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    const pass::RegionRecord& record = regions[i].record;
    if (i > 0 && regions[i - 1].record.function != record.function) first = i;
    const auto parent_at =
        std::lower_bound(regions.begin() + first, regions.begin() + i, record.parent,
                         [](const RecordedRegion& region, std::uint32_t index) { return region.record.index < index; });
    const bool has_parent = parent_at != regions.begin() + i && parent_at->record.index == record.parent;
    t.function.push_back(function_row(regions[i].snapshot, record.function));
    t.index.push_back(record.index);
    t.kind.push_back(static_cast<std::uint8_t>(record.kind));
    t.outcome.push_back(static_cast<std::uint8_t>(record.outcome));
    t.reason.push_back(r.strings.add(record.reason));
    t.offending_site.push_back(row(regions[i].offending));
    t.offending_arg.push_back(record.offending_arg);
    t.parent.push_back(has_parent ? static_cast<std::uint32_t>(parent_at - regions.begin()) : kNoRow);
    t.stripped_edges.push_back(record.stripped_edges);
    t.line.push_back(record.line != 0 ? record.line : line(regions[i].snapshot, record.scope));
  }
}

void PassRecorder::State::write_storage_and_hazards() {
  std::uint32_t newest = 0;
  for (const RecordedStorage& storage : storages) newest = std::max(newest, storage.snapshot);
  for (const RecordedHazard& hazard : hazards) newest = std::max(newest, hazard.snapshot);
  std::erase_if(storages, [&](const RecordedStorage& storage) { return storage.snapshot != newest; });
  std::erase_if(hazards, [&](const RecordedHazard& hazard) { return hazard.snapshot != newest; });

  for (const RecordedStorage& storage : storages) {
    const ir::NodeStore& store = *programs[storage.snapshot].store;
    r.storage.root.push_back(storage.record.root.valid() ? r.strings.add(store.name(storage.record.root)) : 0);
    r.storage.kind.push_back(static_cast<std::uint8_t>(storage.record.kind));
    std::vector<std::uint32_t> words;
    for (const auto* list : {&storage.record.offset, &storage.record.shape}) {
      for (const std::int64_t value : *list) {
        words.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
        words.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32U));
      }
    }
    if (storage.record.offset.size() != storage.record.shape.size()) words.clear();
    run_of(r.storage.box_begin, r.storage.box_begin_count, words);
    r.storage.step_line.push_back(line(storage.snapshot, storage.record.step));
  }

  std::unordered_map<std::uint64_t, std::uint32_t> region_row;  // (function, index), looked up only
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    region_row[(std::uint64_t{regions[i].record.function} << 32U) | regions[i].record.index] = i;
  }
  auto& t = r.hazards;
  for (const RecordedHazard& hazard : hazards) {
    const pass::HazardRecord& record = hazard.record;
    const ir::NodeStore& store = *programs[hazard.snapshot].store;
    const auto region = region_row.find((std::uint64_t{record.function} << 32U) | record.region);
    const auto storage_row = [&](pass::StorageIndex index) { return index < storages.size() ? index : kNoRow; };
    t.region.push_back(region == region_row.end() ? kNoRow : region->second);
    t.prior.push_back(row(hazard.prior));
    t.current.push_back(row(hazard.current));
    t.prior_arg.push_back(record.prior_arg);
    t.current_arg.push_back(record.current_arg);
    t.kinds.push_back(record.kinds);
    t.prior_storage.push_back(storage_row(record.prior_storage));
    t.current_storage.push_back(storage_row(record.current_storage));
    t.verdict.push_back(static_cast<std::uint8_t>(record.verdict));
    t.edge.push_back(record.edge.valid() ? r.strings.add(store.name(record.edge)) : 0);
    t.reason.push_back(r.strings.add(record.reason));
  }
}

void PassRecorder::State::write_findings() {
  std::vector<std::uint32_t> occurrence(r.call_sites.rows(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;  // (function, callee), looked up only
  for (std::uint32_t i = 0; i < r.call_sites.rows(); ++i) {
    occurrence[i] = seen[(std::uint64_t{r.call_sites.function[i]} << 32U) | r.call_sites.callee[i]]++;
  }
  for (std::uint32_t i = 0; i < r.regions.rows(); ++i) {
    if (r.regions.outcome[i] == static_cast<std::uint8_t>(pass::RegionOutcome::Analysed)) continue;
    const std::uint32_t site = r.regions.offending_site[i];
    add_fallback(r, i, site == kNoRow ? 0 : occurrence[site]);
  }
  const auto function_name = [&](std::uint32_t at, std::uint32_t function) -> std::string_view {
    if (at >= programs.size() || function >= programs[at].functions.size()) return "";
    return programs[at].store->text(programs[at].functions[function].name);
  };
  for (const RecordedFence& fence : fences) {
    const std::string_view array =
        fence.record.array.valid() ? programs[fence.snapshot].store->name(fence.record.array) : std::string_view();
    add_fence(r, function_name(fence.snapshot, fence.record.function), array, fence.record,
              line(fence.snapshot, fence.record.loop));
  }
  // Several passes may have the same thing to say.
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> told;
  for (const RecordedNotice& notice : notices) {
    const std::string_view function = function_name(notice.snapshot, notice.record.function);
    if (!told.emplace(function, notice.record.name, notice.record.message).second) continue;
    add_notice(r, function, notice.record.name, notice.record.message, row(notice.site),
               line(notice.snapshot, notice.record.where));
  }
}

void PassRecorder::finish(const ir::Program& last) {
  state_->follow(last);
  state_->write_functions(last);
  state_->write_sites(last);
  state_->apply_argument_decisions();
  state_->write_regions();
  state_->write_storage_and_hazards();
  state_->write_findings();
}

}  // namespace depscope::recording
