// AutoDeriveTaskDependencies (passes.md 5): applies what the region walk found to the program.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "depscope/pass/pass.h"
#include "region_walk.h"
#include "task_sites.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

class Applier {
 public:
  Applier(const ir::Program& program, const Options& options, DecisionSink& sink)
      : store_(*program.store), options_(options), sink_(sink) {}

  [[nodiscard]] Range run(FunctionIndex function, Range body, const WalkResult& result) {
    StatementMap replacements;
    for (const WalkedSite& site : result.sites) {
      const StmtId changed = site.analysed ? apply(function, site) : describe_skipped(function, site);
      if (changed != site.findings.stmt) replacements.emplace(site.findings.stmt, changed);
    }
    return replacements.empty() ? body : replace_statements(store_, body, replacements);
  }

 private:
  /// Sites outside analysed regions keep everything; the records say why.
  [[nodiscard]] StmtId describe_skipped(FunctionIndex function, const WalkedSite& site) {
    const std::vector<ArgDirection> directions = read_directions(store_, store_.call(task_call(store_, site.findings.stmt)));
    for (std::uint32_t i = 0; i < directions.size(); ++i) {
      sink_.rewrite({function, site.findings.stmt, i, directions[i], directions[i], site.skipped});
    }
    return site.findings.stmt;
  }

  /// The verdict of the argument's own hazards, whatever becomes of the region.
  [[nodiscard]] RewriteReason reason(const ArgumentFindings& argument) const {
    if (argument.direction == ArgDirection::NoDep) return RewriteReason::UserNoDep;
    if (argument.direction != ArgDirection::Input && argument.direction != ArgDirection::InOut)
      return RewriteReason::NotInputOrInOut;
    if (argument.precise_hazard) {
      if (argument.loop_incomplete) return RewriteReason::LoopProducerIncomplete;
      // The seed asks for coverage inside one successfully analysed scope.
      if (argument.cross_scope && options_.profile == Profile::Seed) return RewriteReason::CrossScope;
      return RewriteReason::Rewritten;
    }
    if (argument.unknown_hazard || argument.unlocated) return RewriteReason::UnknownRegion;
    if (argument.dynamic_hazard) return RewriteReason::DynamicRegion;
    return RewriteReason::NoHazard;
  }

  [[nodiscard]] StmtId apply(FunctionIndex function, const WalkedSite& site) {
    const SiteFindings& findings = site.findings;
    const ir::Call call = store_.call(task_call(store_, findings.stmt));
    AttrEdit attrs(store_, call.attrs);
    if (call.attrs.count > 1) {
      attrs.remove(store_, kNoDepCandidates);
      attrs.remove(store_, kOutputExistingCandidates);
      if (site.stripped()) {
        attrs.remove(store_, kCompilerEdges);
        attrs.remove(store_, kCallMarker);
      }
    }
    std::vector<ArgDirection> directions;
    bool rewritten = false;
    for (std::uint32_t i = 0; i < findings.arguments.size(); ++i) {
      const ArgumentFindings& argument = findings.arguments[i];
      RewriteRecord record{function, findings.stmt, i, argument.direction, argument.direction, reason(argument)};
      const ArgDirection better = argument.direction == ArgDirection::Input ? ArgDirection::NoDep : ArgDirection::OutputExisting;
      const bool candidate = record.reason != RewriteReason::UserNoDep && record.reason != RewriteReason::NotInputOrInOut;
      if (candidate && site.kept_directions()) {
        // What the offending site itself would have got was never settled.
        if (record.reason == RewriteReason::Rewritten && findings.fallback.empty()) {
          record.undone = better;
          record.undone_by = site.directions_kept_by;
        }
        record.reason = RewriteReason::RegionFellBack;
      } else if (record.reason == RewriteReason::Rewritten) {
        record.after = better;
        rewritten = true;
        if (argument.imprecise_part) {
          sink_.notice(
              {function, "mixed_alternatives",
               fmt::format("argument {} is taken out of the runtime's tracking although one of its places is not exact", i),
               findings.stmt});
        }
      }
      directions.push_back(record.after);
      sink_.rewrite(record);
    }
    if (rewritten) attrs.set_directions(store_, nodes_.list(store_, directions));
    if (!findings.edges.empty() && site.keeps_edges()) {
      std::vector<ExprId> edges;
      edges.reserve(findings.edges.size());
      for (const FoundEdge& edge : findings.edges) {
        edges.push_back(edge.run.count > 1 ? store_.make_var_run({edge.ir_list, edge.run.first, edge.run.count})
                                           : reference(edge.id));
      }
      attrs.set(store_, kCompilerEdges, store_.make_list_expr(edges));
      if (!site.kept_directions()) attrs.set(store_, kCallMarker, true_node());
    }
    if (!attrs.changed()) return findings.stmt;
    ir::Call changed = call;
    changed.attrs = attrs.make(store_);
    return with_call(store_, findings.stmt, changed);
  }

  /// One node per id, however many sites name it.
  [[nodiscard]] ExprId reference(VarId id) {
    ExprId& node = references_[id];
    if (!node.valid()) node = store_.make_var_ref(id);
    return node;
  }

  [[nodiscard]] ExprId true_node() {
    if (!true_.valid()) true_ = store_.make_bool(true);
    return true_;
  }

  ir::NodeStore& store_;
  const Options& options_;
  DecisionSink& sink_;
  DirectionNodes nodes_;
  VarTable<ExprId> references_;
  ExprId true_;
};

/// Kernels launch nothing and have no scopes: nothing to say about them.
bool concerns(const ir::NodeStore& store, const ir::Function& function) {
  if (function.foreign_body) return false;
  if (function.kind == ir::FunctionKind::Orchestration) return true;
  bool found = false;
  ir::for_each_stmt(store, function.body, [&](StmtId stmt) {
    found = found || (store.stmt(stmt).kind == ir::StmtKind::Scope && store.scope_data(stmt).kind == ir::ScopeKind::Runtime);
  });
  return found;
}

class AutoDeriveTaskDependenciesPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "AutoDeriveTaskDependencies"; }
  [[nodiscard]] PropertySet required() const override { return Property::SplitIncoreOrch | Property::CallDirectionsResolved; }
  [[nodiscard]] PropertySet produced() const override { return PropertySet{} | Property::CallDirectionsResolved; }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& options, DecisionSink& sink) const override {
    ir::Program out = program;
    ir::NodeStore& store = *out.store;
    const FunctionTable functions(program);
    RegionWalk walk(program, functions, options, sink);
    Applier applier(program, options, sink);
    StorageIndex next_storage = 0;
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      ir::Function& function = out.functions[f];
      std::erase_if(function.attrs, [&](const ir::NamedExpr& attr) { return store.text(attr.name) == kFunctionMarker; });
      if (!concerns(store, function)) continue;
      const WalkResult& result = walk.run(f, next_storage);
      for (const WalkedRegion& region : result.regions) sink.region(region.record);
      function.body = applier.run(f, function.body, result);
      if (result.mark_function) function.attrs.push_back({store.names.intern(kFunctionMarker), store.make_bool(true)});
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> AutoDeriveTaskDependencies() { return std::make_unique<AutoDeriveTaskDependenciesPass>(); }

}  // namespace depscope::pass
