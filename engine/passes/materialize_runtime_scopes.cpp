// MaterializeRuntimeScopes (passes.md 8): AUTO scopes around bodies and branches, MANUAL ones where AutoDerive ordered
// everything.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "depscope/pass/pass.h"
#include "task_sites.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;

/// What decides about the scope around a body.
struct BodyFacts {
  std::uint32_t sites = 0;
  std::uint32_t marked = 0;
  bool has_scope = false;
  StmtId first_unmarked;

  void add(const BodyFacts& inner) {
    sites += inner.sites;
    marked += inner.marked;
    has_scope = has_scope || inner.has_scope;
    if (!first_unmarked.valid()) first_unmarked = inner.first_unmarked;
  }
};

class Materializer {
 public:
  Materializer(const ir::Program& program, DecisionSink& sink) : program_(program), store_(*program.store), sink_(sink) {}

  void run(FunctionIndex index, ir::Function& function) {
    index_ = index;
    manual_depth_ = 0;
    const auto marker = [&](const ir::NamedExpr& attr) { return store_.text(attr.name) == kFunctionMarker; };
    const bool whole_manual = std::any_of(function.attrs.begin(), function.attrs.end(), marker);
    std::erase_if(function.attrs, marker);
    function.auto_scope = false;
    insert_ = !whole_manual;
    BodyFacts facts;
    Range body = rewrite(function.body, facts);
    if (whole_manual) {
      body = wrap(body, {}, true, false, "function marker");
    } else if (!is_auto_scope(body)) {
      body = wrap(body, {}, false, false, "whole body");
    }
    function.body = body;
  }

 private:
  [[nodiscard]] bool is_auto_scope(Range body) const {
    if (body.count != 1) return false;
    const StmtId only = store_.at<StmtId>(body, 0);
    if (store_.stmt(only).kind != StmtKind::Scope) return false;
    const ir::ScopeData& scope = store_.scope_data(only);
    return scope.kind == ir::ScopeKind::Runtime && !scope.manual;
  }

  [[nodiscard]] Range wrap(Range body, StmtId around, bool manual, bool leaf, std::string decision) {
    ir::ScopeData scope;
    scope.manual = manual;
    scope.compiler_owned = manual;
    scope.materialised = true;
    scope.body = body;
    if (leaf) {
      const ir::NamedExpr attr{store_.names.intern(kCallMarker), store_.make_bool(true)};
      scope.attrs = store_.make_pairs({&attr, 1});
    }
    const StmtId stmt = store_.make_scope(scope);
    sink_.scope(
        {index_, stmt, manual, std::move(decision), manual ? ScopeChange::InsertedManual : ScopeChange::InsertedAuto, around});
    return store_.make_list({stmt});
  }

  /// The body of a loop or branch with its wrapper. `facts` are those of the body itself; the wrapper is added to them.
  [[nodiscard]] Range wrapped(Range body, StmtId around, BodyFacts& facts) {
    if (!insert_ || manual_depth_ > 0) {
      sink_.scope({index_, {}, true, insert_ ? "inside a MANUAL scope" : "function marker", ScopeChange::NotInserted, around});
      return body;
    }
    if (is_auto_scope(body)) return body;
    const bool leaf = facts.marked > 0 && facts.marked == facts.sites && !facts.has_scope;
    std::string decision;
    if (leaf) {
      decision = "leaf, all marked";
    } else if (facts.has_scope) {
      decision = "nested scope";
    } else if (facts.sites == 0) {
      decision = "no task";
    } else {
      decision = fmt::format("missing marker (line {})", program_.line(store_.stmt(facts.first_unmarked).span));
    }
    facts.has_scope = true;
    return wrap(body, around, leaf, leaf, std::move(decision));
  }

  Range rewrite(Range body, BodyFacts& facts) {
    std::vector<StmtId> statements = store_.list<StmtId>(body);
    bool changed = false;
    for (StmtId& stmt : statements) {
      const StmtId next = rewrite(stmt, facts);
      changed = changed || next != stmt;
      stmt = next;
    }
    return changed ? store_.make_list(statements) : body;
  }

  StmtId rewrite(StmtId stmt, BodyFacts& facts) {
    const std::pair<Range, Range> inner = bodies(store_, stmt);
    switch (store_.stmt(stmt).kind) {
      case StmtKind::Assign:
      case StmtKind::Eval: return rewrite_site(stmt, facts);
      case StmtKind::If: {
        BodyFacts then_facts;
        BodyFacts else_facts;
        const Range then_body = wrapped(rewrite(inner.first, then_facts), stmt, then_facts);
        Range else_body = inner.second;
        if (store_.if_data(stmt).has_else) else_body = wrapped(rewrite(inner.second, else_facts), stmt, else_facts);
        facts.add(then_facts);
        facts.add(else_facts);
        return with_bodies(store_, stmt, then_body, else_body);
      }
      case StmtKind::For: {
        BodyFacts body_facts;
        const Range body = wrapped(rewrite(inner.first, body_facts), stmt, body_facts);
        facts.add(body_facts);
        return with_bodies(store_, stmt, body, {});
      }
      case StmtKind::While: return with_bodies(store_, stmt, rewrite(inner.first, facts), {});
      case StmtKind::Scope: {
        const bool runtime = store_.scope_data(stmt).kind == ir::ScopeKind::Runtime;
        const bool manual = runtime && store_.scope_data(stmt).manual;
        manual_depth_ += manual ? 1 : 0;
        const Range body = rewrite(inner.first, facts);
        manual_depth_ -= manual ? 1 : 0;
        const StmtId next = with_bodies(store_, stmt, body, {});
        if (runtime) {
          facts.has_scope = true;
          sink_.scope({index_, next, manual, manual ? "kept, nothing is inserted inside" : "kept", ScopeChange::Kept, {}});
        }
        return next;
      }
      default: return stmt;
    }
  }

  StmtId rewrite_site(StmtId stmt, BodyFacts& facts) {
    const ExprId value = task_call(store_, stmt);
    if (!value.valid()) return stmt;
    ++facts.sites;
    ir::Call call = store_.call(value);
    if (!store_.find_pair(call.attrs, kCallMarker).valid()) {
      if (!facts.first_unmarked.valid()) facts.first_unmarked = stmt;
      return stmt;
    }
    ++facts.marked;
    AttrEdit attrs(store_, call.attrs);
    attrs.remove(store_, kCallMarker);
    call.attrs = attrs.make(store_);
    return with_call(store_, stmt, call);
  }

  const ir::Program& program_;
  ir::NodeStore& store_;
  DecisionSink& sink_;
  FunctionIndex index_ = 0;
  std::uint32_t manual_depth_ = 0;
  bool insert_ = true;
};

class MaterializeRuntimeScopesPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "MaterializeRuntimeScopes"; }
  [[nodiscard]] PropertySet required() const override { return Property::SplitIncoreOrch | Property::CallDirectionsResolved; }
  [[nodiscard]] PropertySet produced() const override { return PropertySet{} | Property::RuntimeScopesMaterialized; }

  [[nodiscard]] ir::Program run(const ir::Program& program, const Options& /*options*/, DecisionSink& sink) const override {
    ir::Program out = program;
    Materializer materializer(program, sink);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      ir::Function& function = out.functions[f];
      if (function.kind == ir::FunctionKind::Orchestration && function.auto_scope && !function.foreign_body) {
        materializer.run(f, function);
      }
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> MaterializeRuntimeScopes() { return std::make_unique<MaterializeRuntimeScopesPass>(); }

}  // namespace depscope::pass
