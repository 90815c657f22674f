#include "synthetic_recording.h"

#include "depscope/pass/decisions.h"

#include <type_traits>
#include <vector>

#include "toy_runtime.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

/// Two call sites in one AUTO scope with one hazard: fill writes `scratch`, copy reads it.
void add_program(Recording& r) {
  auto run = [&](std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count,
                 std::initializer_list<std::uint32_t> words) {
    begin.push_back(static_cast<std::uint32_t>(r.pool.size()));
    count.push_back(static_cast<std::uint32_t>(words.size()));
    r.pool.insert(r.pool.end(), words);
  };
  const std::uint32_t text = r.strings.add("# pypto.program: Demo\nclass Demo:\n  pass\n");
  for (const char* name : {"frontend", "ConvertToSSA", "AutoDeriveTaskDependencies"}) {
    r.passes.name.push_back(r.strings.add(name));
    const bool changed = r.passes.rows() == 3;
    r.passes.text.push_back(changed ? r.strings.add("# pypto.program: Demo\nclass Demo:\n  changed\n") : text);
    r.passes.changed.push_back(changed ? 1 : 0);
    for (auto* set : {&r.passes.required, &r.passes.produced, &r.passes.invalidated}) set->push_back(0);
    run(r.passes.message_begin, r.passes.message_begin_count, {});
  }
  for (const char* name : {"main", "fill"}) {
    r.functions.name.push_back(r.strings.add(name));
    r.functions.kind.push_back(r.strings.add(r.functions.rows() == 1 ? "Orchestration" : "InCore"));
    r.functions.auto_scope.push_back(0);
    r.functions.compiler_manual_candidate.push_back(0);
    r.functions.line.push_back(2 + r.functions.rows());
  }
  r.ir_scopes.function.push_back(0);
  r.ir_scopes.index.push_back(0);
  r.ir_scopes.manual.push_back(0);
  r.ir_scopes.owner.push_back(0);
  r.ir_scopes.parent.push_back(kNoRow);
  r.ir_scopes.line.push_back(5);
  const std::uint32_t scratch = r.strings.add("scratch");
  for (std::uint32_t site = 0; site < 2; ++site) {
    auto& s = r.call_sites;
    s.function.push_back(0);
    s.index.push_back(site);
    s.kind.push_back(1);
    s.callee.push_back(r.strings.add(site == 0 ? "fill" : "copy"));
    s.line.push_back(6 + site);
    s.loop_depth.push_back(0);
    run(s.scope_begin, s.scope_begin_count, {0});
    run(s.result_begin, s.result_begin_count, {r.strings.add("_submit_tmp")});
    run(s.user_dep_begin, s.user_dep_begin_count, {});
    if (site == 0) {
      run(s.compiler_dep_begin, s.compiler_dep_begin_count, {});
    } else {
      run(s.compiler_dep_begin, s.compiler_dep_begin_count, {r.strings.add("fill_tid")});
    }
    s.argument_begin.push_back(site);
    s.argument_count.push_back(1);
    run(s.pass_line_begin, s.pass_line_begin_count, {6 + site, 6 + site, 7 + site});
    auto& a = r.arguments;
    a.call_site.push_back(site);
    a.name.push_back(scratch);
    a.callee_direction.push_back(site == 0 ? 1 : 0);
    a.derived.push_back(site == 0 ? 3 : 1);
    a.direction.push_back(site == 0 ? 3 : 5);
    a.rule.push_back(1);
    a.rewrite.push_back(0);
  }
  r.regions.function.push_back(0);
  r.regions.index.push_back(0);
  r.regions.kind.push_back(1);
  r.regions.outcome.push_back(0);
  r.regions.reason.push_back(0);
  for (auto* column : {&r.regions.offending_site, &r.regions.offending_arg, &r.regions.parent}) column->push_back(kNoRow);
  r.regions.stripped_edges.push_back(0);
  r.regions.line.push_back(5);
  r.regions.kept_edges.push_back(0);
  r.regions.offending_hazard.push_back(kNoRow);
  r.storage.root.push_back(scratch);
  r.storage.kind.push_back(1);
  run(r.storage.box_begin, r.storage.box_begin_count, {0, 0, 64, 0});
  r.storage.step_line.push_back(4);
  r.hazards.region.push_back(0);
  r.hazards.prior.push_back(0);
  r.hazards.current.push_back(1);
  r.hazards.prior_arg.push_back(0);
  r.hazards.current_arg.push_back(0);
  r.hazards.kinds.push_back(1);
  r.hazards.prior_storage.push_back(0);
  r.hazards.current_storage.push_back(0);
  r.hazards.verdict.push_back(1);
  r.hazards.edge.push_back(r.strings.add("fill_tid"));
  r.hazards.reason.push_back(0);
  r.hazards.by_memref.push_back(0);
  r.hazards.synthetic.push_back(0);
  r.hazards.edge_row.push_back(0);
  r.hazards.more_begin.push_back(0);
  r.hazards.more_count.push_back(0);
  r.options.name.push_back(r.strings.add("profile"));
  r.options.value.push_back(r.strings.add("seed"));
  r.findings.kind.push_back(r.strings.add("fallback"));
  r.findings.severity.push_back(0);
  r.findings.summary.push_back(r.strings.add("region 1 fell back"));
  r.findings.fields.push_back(r.strings.add(R"({"function":"main","region_kind":"auto_scope","outcome":"fell_back"})"));
  r.findings.line.push_back(5);
}

/// What the passes looked at beside the program: `pair` is a Group that calls copy; the copy of main lost nothing, waits for
/// fill, and a loop with one carried value got no barrier.
void add_decisions(Recording& r) {
  const std::uint32_t pair = r.functions.rows();
  r.functions.name.push_back(r.strings.add("pair"));
  r.functions.kind.push_back(r.strings.add("Group"));
  r.functions.auto_scope.push_back(1);
  r.functions.compiler_manual_candidate.push_back(0);
  r.functions.line.push_back(20);
  const std::uint32_t source = r.strings.add("source");
  for (std::uint32_t index = 0; index < 2; ++index) {
    r.parameters.function.push_back(pair);
    r.parameters.index.push_back(index);
    r.parameters.name.push_back(index == 0 ? source : r.strings.add("target"));
    r.parameters.declared.push_back(0);
    r.parameters.direction.push_back(index == 0 ? 0 : 2);
  }
  auto& w = r.wrapper_calls;
  w.function.push_back(pair);
  w.index.push_back(0);
  w.kind.push_back(0);
  w.callee.push_back(r.strings.add("copy"));
  w.line.push_back(21);
  w.loop_depth.push_back(1);
  for (auto* begin : {&w.scope_begin, &w.result_begin, &w.user_dep_begin, &w.compiler_dep_begin})
    begin->push_back(static_cast<std::uint32_t>(r.pool.size()));
  w.scope_begin_count.push_back(0);
  w.user_dep_begin_count.push_back(0);
  w.compiler_dep_begin_count.push_back(0);
  w.result_begin_count.push_back(1);
  r.pool.push_back(r.strings.add("result"));
  auto& wa = r.wrapper_arguments;
  wa.call.push_back(0);
  wa.name.push_back(source);
  wa.callee_direction.push_back(0);
  wa.derived.push_back(1);
  wa.direction.push_back(1);
  wa.rule.push_back(2);
  wa.rewrite.push_back(static_cast<std::uint8_t>(pass::RewriteReason::PassNotRun));
  const std::uint32_t id = r.strings.add("fill_tid");
  for (std::uint32_t site = 0; site < 2; ++site) {
    auto& a = r.pass_accesses;
    a.call_site.push_back(site);
    a.arg.push_back(0);
    a.direction.push_back(site == 0 ? 3 : 1);
    a.kind.push_back(site == 0 ? 2 : 1);
    a.storage.push_back(0);
    a.id.push_back(site == 0 ? id : 0);
    a.in_loop.push_back(0);
    a.dynamic_serial.push_back(0);
    a.region.push_back(0);
    a.outcome.push_back(0);
  }
  auto& e = r.pass_edges;
  e.consumer.push_back(1);
  e.id.push_back(id);
  e.origin.push_back(1);
  e.synthetic.push_back(0);
  e.producer.push_back(0);
  e.status.push_back(0);
  e.stripped_by.push_back(kNoRow);
  e.imported_from.push_back(kNoRow);
  e.more_begin.push_back(0);
  e.more_count.push_back(0);
  r.rewrites_undone.region.push_back(0);
  r.rewrites_undone.argument.push_back(0);
  r.rewrites_undone.from.push_back(4);
  r.rewrites_undone.to.push_back(3);
  r.lineage.region.push_back(0);
  r.lineage.line.push_back(6);
  r.lineage.what.push_back(r.strings.add("argument 'scratch' of fill"));
  r.fences.function.push_back(0);
  r.fences.line.push_back(9);
  r.fences.array.push_back(r.strings.add("ids"));
  r.fences.producers.push_back(2);
  r.fences.consumers.push_back(2);
  r.fences.saving.push_back(0);
  r.fences.accepted.push_back(0);
  r.fences.reason.push_back(r.strings.add("no_profit"));
  r.scope_decisions.function.push_back(0);
  r.scope_decisions.scope.push_back(0);
  r.scope_decisions.line.push_back(5);
  r.scope_decisions.manual.push_back(0);
  r.scope_decisions.change.push_back(0);
  r.scope_decisions.decision.push_back(r.strings.add("kept"));
  r.carries.function.push_back(0);
  r.carries.line.push_back(9);
  r.carries.index.push_back(0);
  r.carries.name.push_back(r.strings.add("prev"));
  r.carries.rebind.push_back(1);
  r.carries.array_size.push_back(4);
}

}  // namespace

Recording synthetic_recording(const SyntheticOptions& options) {
  Recording r;
  r.input_name = "demo.py";
  r.input_text = "import pypto.language as pl\n";
  r.input_digest = "0123456789abcdef";
  r.option_files = {{"--data", "lengths.json", "0123456789abcdee", "{\"n\": [1, 2]}"}, {"--timing", "a b/../t.json", "0", ""}};
  r.program_name = "Demo";
  r.window_misses = 3;
  if (options.program) {
    add_program(r);
    add_decisions(r);
  }
  add_toy_run(r, options);
  return r;
}

bool same_recording(const Recording& a, const Recording& b) {
  bool same = a.input_name == b.input_name && a.input_digest == b.input_digest && a.input_text == b.input_text &&
              a.option_files == b.option_files && a.program_name == b.program_name && a.window_misses == b.window_misses &&
              a.strings.bytes == b.strings.bytes && a.strings.offsets == b.strings.offsets && a.pool == b.pool;
  Recording::tables(a, [&](std::string_view name, const auto& left) {
    using Table = std::decay_t<decltype(left)>;
    Recording::tables(b, [&](std::string_view other, const auto& right) {
      if constexpr (std::is_same_v<Table, std::decay_t<decltype(right)>>) {
        if (name != other) return;
        Table::columns(left, [&](std::string_view column, const auto& values, recording::Target) {
          Table::columns(right, [&](std::string_view other_column, const auto& other_values, recording::Target) {
            if constexpr (std::is_same_v<decltype(values), decltype(other_values)>) {
              if (column == other_column) same = same && values == other_values;
            }
          });
        });
      }
    });
  });
  return same;
}

}  // namespace depscope::replay
