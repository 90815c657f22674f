// ExpandManualPhaseFence (passes.md 6): one barrier in front of a loop instead of N dependencies in each of its submits.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "depscope/ir/dep_flags.h"
#include "depscope/pass/pass.h"
#include "fence_summary.h"
#include "task_sites.h"
#include "var_table.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

/// Arrays that are one storage because a loop carries one as the other: union-find over variables.
class ArrayAliases {
 public:
  void clear() { parent_.clear(); }
  void unite(VarId a, VarId b) { parent_[find(a)] = find(b); }
  [[nodiscard]] VarId find(VarId var) {
    while (true) {
      const VarId* up = parent_.find(var);
      if (up == nullptr || *up == var) return var;
      var = *up;
    }
  }

 private:
  VarTable<VarId> parent_;
};

struct Replacement {
  VarId array;
  VarId barrier;
};

class Expander {
 public:
  Expander(const ir::Program& program, DecisionSink& sink) : store_(*program.store), summaries_(store_), sink_(sink) {}

  Range run(FunctionIndex index, Range body) {
    index_ = index;
    barriers_ = 0;
    manual_depth_ = 0;
    aliases_.clear();
    return expand(body);
  }

 private:
  Range expand(Range body) {
    const std::vector<StmtId> statements = store_.list<StmtId>(body);
    std::vector<StmtId> out;
    out.reserve(statements.size());
    for (const StmtId stmt : statements) {
      const std::pair<Range, Range> inner = bodies(store_, stmt);
      switch (store_.stmt(stmt).kind) {
        case StmtKind::For: expand_for(stmt, out); break;
        case StmtKind::If:
        case StmtKind::While: {
          const Range first = expand(inner.first);
          out.push_back(with_bodies(store_, stmt, first, expand(inner.second)));
          break;
        }
        case StmtKind::Scope: {
          const bool manual = store_.scope_data(stmt).kind == ir::ScopeKind::Runtime && store_.scope_data(stmt).manual;
          manual_depth_ += manual ? 1 : 0;
          out.push_back(with_bodies(store_, stmt, expand(inner.first), {}));
          manual_depth_ -= manual ? 1 : 0;
          break;
        }
        default: out.push_back(stmt); break;
      }
    }
    return out == statements ? body : store_.make_list(out);
  }

  void expand_for(StmtId stmt, std::vector<StmtId>& out) {
    const ir::ForData loop = store_.for_data(stmt);
    for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) {
      const VarId iter_arg = store_.at<VarId>(loop.iter_args, k);
      const VarId init = store_.as_var(store_.at<ExprId>(loop.inits, k));
      if (init.valid() && ir::is_task_id_array(store_, store_.var(iter_arg).type) &&
          ir::is_task_id_array(store_, store_.var(init).type)) {
        aliases_.unite(iter_arg, init);
      }
    }
    std::vector<Replacement> replacements;
    const LoopSummary& summary = summaries_.of(stmt);
    for (const ArrayUse& use : summary.uses) {
      if (!judge(stmt, loop, summary, use)) continue;
      const VarId barrier = make_barrier(use.array, stmt, out);
      replacements.push_back({use.array, barrier});
    }
    for (const RejectedUse& use : summary.rejected) {
      sink_.fence({index_, stmt, use.array, 0, 0, 0, false, std::string(use.reason)});
    }
    Range body = loop.body;
    if (!replacements.empty()) body = replace_deps(body, is_sequential(loop), replacements);
    out.push_back(with_bodies(store_, stmt, expand(body), {}));
  }

  /// Decides about one array before one loop and records why.
  bool judge(StmtId stmt, const ir::ForData& loop, const LoopSummary& summary, const ArrayUse& use) {
    FenceRecord record;
    record.function = index_;
    record.loop = stmt;
    record.array = use.array;
    record.producers = ir::array_extent(store_, store_.var(use.array).type).value_or(0);
    const auto trips = trip_count(store_, loop);
    const bool sequential = is_sequential(loop);
    record.consumers = saturating_product(use.consumers, trips && *trips > 0 ? *trips : 1);
    const auto carried = [&] {
      for (std::uint32_t k = 0; k < loop.iter_args.count; ++k) {
        if (store_.at<VarId>(loop.iter_args, k) == use.array) return true;
      }
      return false;
    };
    const auto updated = [&] {
      const VarId own = aliases_.find(use.array);
      return std::any_of(summary.updated.begin(), summary.updated.end(), [&](VarId base) { return aliases_.find(base) == own; });
    };
    const std::int64_t product = saturating_product(record.producers, record.consumers);
    record.saving = product == INT64_MAX ? product : product - (record.producers + record.consumers);
    if (manual_depth_ == 0) {
      record.reason = "not_manual_scope";
    } else if (!sequential && trips.value_or(0) <= 0) {
      record.reason = "parallel_trip_not_positive_constant";
    } else if (sequential && trips && *trips <= 0) {
      record.reason = "zero_trip";
    } else if (carried()) {
      record.reason = "loop_iter_arg";
    } else if (summary.defined.contains(use.array)) {
      record.reason = "defined_in_body";
    } else if (updated()) {
      record.reason = "updated_in_body";
    } else if (record.producers <= 0 || record.consumers <= 0 || record.saving < 1) {
      record.reason = "no_profit";
    } else {
      record.accepted = true;
    }
    sink_.fence(record);
    return record.accepted;
  }

  VarId make_barrier(VarId array, StmtId loop, std::vector<StmtId>& out) {
    const Span span = store_.stmt(loop).span;
    const ir::TypeId type = store_.scalar_type(ir::DType::TaskId);
    const VarId barrier =
        store_.make_var(store_.names.intern(fmt::format("phase_fence_barrier_{}_tid", barriers_++)), type, span);
    ir::Call call;
    call.form = ir::CallForm::Op;
    call.callee = store_.names.intern("system.task_dummy");
    call.has_deps = true;
    call.deps = store_.make_list({store_.make_var_ref(array)});
    out.push_back(store_.make_assign(barrier, store_.make_call(call, type, span), type, span));
    return barrier;
  }

  /// Submits of the body that were counted wait for the barrier instead.
  Range replace_deps(Range body, bool sequential, const std::vector<Replacement>& replacements) {
    std::vector<StmtId> statements = store_.list<StmtId>(body);
    bool changed = false;
    for (StmtId& stmt : statements) {
      StmtId next = stmt;
      const std::pair<Range, Range> inner = bodies(store_, stmt);
      const StmtKind kind = store_.stmt(stmt).kind;
      if (kind == StmtKind::For) {
        const ir::ForData loop = store_.for_data(stmt);
        if (sequential && trip_count(store_, loop).value_or(0) > 0) {
          next = with_bodies(store_, stmt, replace_deps(inner.first, is_sequential(loop), replacements), {});
        }
      } else if (kind == StmtKind::If || kind == StmtKind::While || kind == StmtKind::Scope) {
        const Range first = replace_deps(inner.first, sequential, replacements);
        next = with_bodies(store_, stmt, first, replace_deps(inner.second, sequential, replacements));
      } else if (kind == StmtKind::Assign || kind == StmtKind::Eval) {
        const ExprId value = statement_value(store_, stmt);
        const VarId array = fence_candidate(store_, value);
        const auto it =
            std::find_if(replacements.begin(), replacements.end(), [&](const Replacement& r) { return r.array == array; });
        if (array.valid() && it != replacements.end()) {
          ir::Call call = store_.call(value);
          call.deps = store_.make_list({store_.make_var_ref(it->barrier)});
          if (!ir::dep_flags(store_, call).empty()) {
            // What the submit asked of the producers cannot be asked of a barrier, which only waits for them and keeps them.
            AttrEdit attrs(store_, call.attrs);
            attrs.set(store_, ir::kDepFlagsAttribute, ir::make_dep_flags(store_, {ir::kDepWaitRetain}));
            call.attrs = attrs.make(store_);
          }
          next = with_call(store_, stmt, call);
        }
      }
      changed = changed || next != stmt;
      stmt = next;
    }
    return changed ? store_.make_list(statements) : body;
  }

  ir::NodeStore& store_;
  LoopSummaries summaries_;
  DecisionSink& sink_;
  ArrayAliases aliases_;
  FunctionIndex index_ = 0;
  std::uint32_t barriers_ = 0;
  std::uint32_t manual_depth_ = 0;
};

class ExpandManualPhaseFencePass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "ExpandManualPhaseFence"; }
  [[nodiscard]] PropertySet required() const override { return properties(); }
  [[nodiscard]] PropertySet produced() const override { return properties(); }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& /*options*/, DecisionSink& sink) const override {
    ir::Program out = program;
    Expander expander(program, sink);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (out.functions[f].kind != ir::FunctionKind::Orchestration) continue;
      out.functions[f].body = expander.run(f, out.functions[f].body);
    }
    return out;
  }

 private:
  static PropertySet properties() {
    return (Property::NoNestedCalls | Property::NormalizedStmtStructure) | Property::CallDirectionsResolved;
  }
};

}  // namespace

std::unique_ptr<Pass> ExpandManualPhaseFence() { return std::make_unique<ExpandManualPhaseFencePass>(); }

}  // namespace depscope::pass
