// What becomes of the decisions when the last pass has run: rows of functions, call sites, arguments and regions. The other
// tables have files of their own.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "call_findings.h"
#include "pass_findings.h"
#include "pass_recorder_state.h"
#include "site_columns.h"

namespace depscope::recording {
namespace {

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
  snapshots.emplace_back(collect_sites(last));
  programs.push_back(last);
  current_valid = false;
  const std::size_t n = snapshots.size();
  to_last.resize(n);
  function_to_last.resize(n);
  for (std::size_t k = n; k-- > 0;) {
    const Snapshot& own = snapshots[k];
    to_last[k].assign(own.site_count(), kNoRow);
    function_to_last[k].assign(own.functions.size(), kNoRow);
    if (k + 1 == n) {
      for (std::uint32_t f = 0; f < own.functions.size(); ++f) function_to_last[k][f] = f;
      for (std::uint32_t s = 0; s < own.site_count(); ++s) to_last[k][s] = s;
      continue;
    }
    const Snapshot& next = snapshots[k + 1];
    // Dumps are texts of their own: only what the names say tells which functions are the same.
    const ir::NodeStore& own_store = *programs[k].store;
    const ir::NodeStore& next_store = *programs[k + 1].store;
    std::unordered_map<std::string_view, std::uint32_t> by_name;  // functions of the following program
    for (std::uint32_t f = 0; f < next.functions.size(); ++f) by_name.emplace(next_store.text(next.functions[f].name), f);
    for (std::uint32_t f = 0; f < own.functions.size(); ++f) {
      const auto found = by_name.find(own_store.text(own.functions[f].name));
      if (found == by_name.end()) continue;
      function_to_last[k][f] = function_to_last[k + 1][found->second];
      const std::vector<std::uint32_t> step =
          follow_sites(own_store, own.functions[f], next_store, next.functions[found->second]);
      for (std::uint32_t s = 0; s < step.size(); ++s) {
        if (step[s] != kNoRow) to_last[k][own.first_site[f] + s] = to_last[k + 1][next.first_site[found->second] + step[s]];
      }
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
  const Snapshot& now = snapshots.back();
  row_of_site.assign(now.site_count(), kNoRow);
  first_scope_row.assign(now.functions.size(), kNoRow);
  for (std::uint32_t f = 0; f < now.functions.size(); ++f) {
    if (last.functions[f].kind != ir::FunctionKind::Orchestration) continue;
    const std::uint32_t first_scope = r.ir_scopes.rows();
    first_scope_row[f] = first_scope;
    for (std::uint32_t s = 0; s < now.functions[f].scopes.size(); ++s) {
      const ScopeSite& scope = now.functions[f].scopes[s];
      const ir::ScopeData& data = last.store->scope_data(scope.statement);
      r.ir_scopes.function.push_back(f);
      r.ir_scopes.index.push_back(s);
      r.ir_scopes.manual.push_back(data.manual ? 1 : 0);
      r.ir_scopes.owner.push_back(data.compiler_owned ? 1 : data.materialised ? 2 : 0);
      r.ir_scopes.parent.push_back(scope.parent == kNoRow ? kNoRow : first_scope + scope.parent);
      r.ir_scopes.line.push_back(last.line(last.store->stmt(scope.statement).span));
    }
    for (std::uint32_t s = 0; s < now.functions[f].sites.size(); ++s) write_site(last, f, s, first_scope);
  }
}

void PassRecorder::State::write_site(const ir::Program& last, std::uint32_t f, std::uint32_t s, std::uint32_t first_scope) {
  const ir::NodeStore& store = *last.store;
  const FunctionSites& function = snapshots.back().functions[f];
  const TaskSite& site = function.sites[s];
  auto& t = r.call_sites;
  const std::uint32_t row = t.rows();
  row_of_site[snapshots.back().first_site[f] + s] = row;
  final_sites.try_emplace(site.statement, row);

  t.function.push_back(f);
  t.index.push_back(s);
  t.kind.push_back(static_cast<std::uint8_t>(site.kind));
  t.callee.push_back(r.strings.add(store.text(site.callee)));
  t.line.push_back(last.line(store.stmt(site.statement).span));
  t.loop_depth.push_back(site.loop_depth);
  std::vector<std::uint32_t> words;
  for (std::uint32_t scope = site.scope; scope != kNoRow; scope = function.scopes[scope].parent)
    words.push_back(first_scope + scope);
  std::reverse(words.begin(), words.end());
  run_of(t.scope_begin, t.scope_begin_count, words);
  write_names(
      r, store, site, t, true, [this](ir::ExprId id) { return expr_string(id); },
      [this](ir::VarId var) { return name_string(var); });
  t.argument_begin.push_back(r.arguments.rows());
  t.argument_count.push_back(write_arguments(r, last, site, r.arguments, r.arguments.call_site, row));
  t.pass_line_begin.push_back(0);  // filled in once all rows are there
  t.pass_line_begin_count.push_back(0);
}

void PassRecorder::State::apply_argument_decisions() {
  // Directions are derived in wrappers too.
  std::vector<std::uint32_t> wrapper_arguments(r.wrapper_calls.rows() + std::size_t{1}, 0);  // by call: its first argument
  for (const std::uint32_t call : r.wrapper_arguments.call) ++wrapper_arguments[call + std::size_t{1}];
  for (std::size_t i = 1; i < wrapper_arguments.size(); ++i) wrapper_arguments[i] += wrapper_arguments[i - 1];
  const auto apply = [&](const SiteRef& site, std::uint32_t arg, auto&& change) {
    if (site.site == kNoRow) return;
    const std::uint32_t last = to_last[site.snapshot][site.site];
    if (last == kNoRow) return;
    if (const std::uint32_t at = row_of_site[last]; at != kNoRow) {
      if (arg < r.call_sites.argument_count[at]) change(r.arguments, r.call_sites.argument_begin[at] + arg);
    } else if (const std::uint32_t call = wrapper_row_of_site[last]; call != kNoRow) {
      const std::uint32_t begin = wrapper_arguments[call];
      if (arg < wrapper_arguments[call + std::size_t{1}] - begin) change(r.wrapper_arguments, begin + arg);
    }
  };
  for (const RecordedRewrite& rewrite : rewrites) {
    apply(rewrite.site, rewrite.arg, [&](auto& table, std::uint32_t at) {
      table.derived[at] = static_cast<std::uint8_t>(rewrite.before);
      table.rewrite[at] = static_cast<std::uint8_t>(rewrite.reason);
    });
  }
  for (const RecordedArgument& argument : arguments) {
    apply(argument.site, argument.arg, [&](auto& table, std::uint32_t at) {
      table.callee_direction[at] = static_cast<std::uint8_t>(argument.callee);
      table.derived[at] = static_cast<std::uint8_t>(argument.direction);
      table.rule[at] = static_cast<std::uint8_t>(argument.rule);
    });
  }
}

/// Lines of each call site in the text of each pass.
void PassRecorder::State::write_pass_lines() {
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
    for (std::uint32_t s = 0; s < snapshots[k].site_count(); ++s) {
      const std::uint32_t site = row(k, s);
      if (site != kNoRow) r.pool[begin + std::size_t{passes} * site + k] = snapshots[k].lines[s];
    }
  }
}

void PassRecorder::State::write_regions() {
  if (derived_at == kNoRow) return;
  std::erase_if(regions,
                [&](const RecordedRegion& region) { return function_row(derived_at, region.record.function) == kNoRow; });
  std::stable_sort(regions.begin(), regions.end(), [](const RecordedRegion& a, const RecordedRegion& b) {
    return std::pair(a.record.function, a.record.index) < std::pair(b.record.function, b.record.index);
  });
  first_region_row.assign(snapshots[derived_at].functions.size(), kNoRow);
  auto& t = r.regions;
  std::uint32_t first = 0;  // row of the function's first region
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    const pass::RegionRecord& record = regions[i].record;
    if (i > 0 && regions[i - 1].record.function != record.function) first = i;
    first_region_row[record.function] = first;
    const auto parent_at =
        std::lower_bound(regions.begin() + first, regions.begin() + i, record.parent,
                         [](const RecordedRegion& region, std::uint32_t index) { return region.record.index < index; });
    const bool has_parent = parent_at != regions.begin() + i && parent_at->record.index == record.parent;
    t.function.push_back(function_row(derived_at, record.function));
    t.index.push_back(record.index);
    t.kind.push_back(static_cast<std::uint8_t>(record.kind));
    t.outcome.push_back(static_cast<std::uint8_t>(record.outcome));
    t.reason.push_back(r.strings.add(record.reason));
    t.offending_site.push_back(row(regions[i].offending));
    t.offending_arg.push_back(record.offending_arg);
    t.parent.push_back(has_parent ? static_cast<std::uint32_t>(parent_at - regions.begin()) : kNoRow);
    t.stripped_edges.push_back(record.stripped_edges);
    t.line.push_back(record.line != 0 ? record.line : line(derived_at, record.scope));
    t.kept_edges.push_back(record.kept_edges);
    t.offending_hazard.push_back(kNoRow);  // filled in with the hazards
  }
}

void PassRecorder::State::write_findings() {
  const CallNames calls(r);
  add_fallbacks(r, calls);
  const auto function_name = [&](std::uint32_t at, std::uint32_t function) -> std::string_view {
    if (at >= programs.size() || function >= programs[at].functions.size()) return "";
    return programs[at].store->text(programs[at].functions[function].name);
  };
  for (const Recorded<pass::FenceRecord>& fence : fences) {
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
  add_call_findings(r, calls);
}

void PassRecorder::finish(const ir::Program& last) {
  state_->follow(last);
  state_->write_functions(last);
  state_->write_parameters(last);
  state_->write_sites(last);
  state_->write_site_loops(last);
  state_->write_wrapper_calls(last);
  state_->apply_argument_decisions();
  state_->write_pass_lines();
  state_->write_regions();
  state_->write_lists();
  state_->resolve_edges();
  state_->resolve_accesses();
  state_->resolve_hazards();
  state_->write_undone_and_lineage();
  state_->write_fences_scopes_and_carries();
  state_->write_findings();
}

}  // namespace depscope::recording
