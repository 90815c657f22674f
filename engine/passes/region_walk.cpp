#include "region_walk.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "not_modelled.h"
#include "trailing_yield.h"

namespace depscope::pass {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;
using ir::VarId;

namespace {

/// A launch inside another expression: FlattenCallExpr would have given it a statement of its own.
bool launches(const ir::NodeStore& store, ExprId id) {
  if (!id.valid()) return false;
  const ir::Expr& e = store.expr(id);
  switch (e.kind) {
    case ir::ExprKind::Unary:
    case ir::ExprKind::Cast:
    case ir::ExprKind::TupleGet: return launches(store, ExprId(e.a));
    case ir::ExprKind::Binary:
    case ir::ExprKind::Subscript: return launches(store, ExprId(e.a)) || launches(store, ExprId(e.b));
    case ir::ExprKind::List:
    case ir::ExprKind::Tuple:
      for (std::uint32_t i = 0; i < e.b; ++i) {
        if (launches(store, store.at<ExprId>({e.a, e.b}, i))) return true;
      }
      return false;
    case ir::ExprKind::Call: {
      const ir::Call& call = store.call(id);
      if (call.form == ir::CallForm::Function || call.form == ir::CallForm::Submit) return true;
      for (std::uint32_t i = 0; i < call.args.count; ++i) {
        if (launches(store, store.at<ExprId>(call.args, i))) return true;
      }
      return false;
    }
    default: return false;
  }
}

bool has_inner_launch(const ir::NodeStore& store, StmtId stmt) {
  const ExprId value = statement_value(store, stmt);
  if (!value.valid()) {
    if (store.stmt(stmt).kind == StmtKind::Yield || store.stmt(stmt).kind == StmtKind::Return ||
        !bodies(store, stmt).first.empty()) {
      for (const ExprId part : ir::expressions(store, stmt)) {
        if (launches(store, part)) return true;
      }
    }
    return false;
  }
  if (store.expr(value).kind != ir::ExprKind::Call) return launches(store, value);
  const ir::Call& call = store.call(value);
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    if (launches(store, store.at<ExprId>(call.args, i))) return true;
  }
  return false;
}

}  // namespace

UnmodelledConstruct find_unmodelled(const ir::Program& program, const ir::Function& function) {
  const ir::NodeStore& store = *program.store;
  UnmodelledConstruct found;
  ir::for_each_stmt(store, function.body, [&](StmtId stmt) {
    if (!found.name.empty()) return;
    const ir::Stmt& s = store.stmt(stmt);
    if (s.kind == StmtKind::Opaque) found = {stmt, "statement kept as text"};
    if (has_inner_launch(store, stmt)) found = {stmt, "launch inside an expression"};
    if (s.kind != StmtKind::Scope) return;
    switch (store.scope_data(stmt).kind) {
      case ir::ScopeKind::Runtime: break;
      case ir::ScopeKind::At: found = {stmt, "pl.at region"}; break;
      case ir::ScopeKind::Cluster: found = {stmt, "pl.cluster region"}; break;
      case ir::ScopeKind::Spmd: found = {stmt, "pl.spmd region"}; break;
      case ir::ScopeKind::SplitAiv: found = {stmt, "pl.split_aiv region"}; break;
      case ir::ScopeKind::Other: found = {stmt, "with block of unknown kind"}; break;
    }
  });
  if (found.name.empty() && is_opaque(store, function)) found.name = "expression kept as text";
  return found;
}

RegionWalk::RegionWalk(const ir::Program& program, const FunctionTable& functions, const Options& options, DecisionSink& sink)
    : program_(program),
      store_(*program.store),
      options_(options),
      sink_(sink),
      lineage_(program, functions),
      ids_(program, options.profile == Profile::Seed),
      log_(lineage_),
      loops_(store_, lineage_, ids_, log_, options.profile == Profile::Seed),
      coverage_(store_, ids_, options.profile != Profile::Seed),
      scan_(log_, coverage_, invisible_, counters_),
      trail_(program, functions, lineage_) {}

const WalkResult& RegionWalk::run(FunctionIndex index, StorageIndex& next_storage) {
  const ir::Function& function = program_.functions[index];
  function_ = index;
  result_ = {};
  active_ = enclosing_ = kNoRegion;
  has_runtime_scope_ = false;
  clock_ = 0;
  created_at_.clear();
  carried_.clear();
  log_.clear();
  loops_.clear();
  coverage_.clear();
  invisible_.clear();
  lineage_.build(function);
  ids_.build(function);
  trail_.start(function);
  for (const StorageAlternative& a : lineage_.alternatives()) {
    StorageRecord record{index, a.root, a.region.kind, {}, {}, a.step};
    if (a.region.kind == StorageKind::Box) {
      const auto offset = lineage_.boxes().offset(a.region);
      const auto shape = lineage_.boxes().shape(a.region);
      record.offset.assign(offset.begin(), offset.end());
      record.shape.assign(shape.begin(), shape.end());
    }
    sink_.storage(record);
  }
  scan_.start({&program_, options_.max_single_priors, index, &sink_, &lineage_, &ids_, &loops_, next_storage});
  next_storage += static_cast<StorageIndex>(lineage_.alternatives().size());

  const UnmodelledConstruct unknown = find_unmodelled(program_, function);
  if (!options_.analyze_auto_scopes) {
    describe_unanalysed(function, RegionOutcome::SwitchedOff, {}, 0);
    report_edges(function);
    return result_;
  }
  if (!unknown.name.empty()) {
    const std::uint32_t line = program_.line(unknown.stmt.valid() ? store_.stmt(unknown.stmt).span : function.span);
    describe_unanalysed(function, RegionOutcome::NotModelled, unknown.name, line);
    notice("not_modelled", fmt::format("{} (line {}): the dependency analysis of this function is left out", unknown.name, line),
           unknown.stmt);
    report_edges(function);
    return result_;
  }
  const bool one_scope = function.body.count == 1 && store_.stmt(store_.at<StmtId>(function.body, 0)).kind == StmtKind::Scope;
  if (one_scope) {
    visit(function.body);
  } else if (function.kind == ir::FunctionKind::Orchestration && function.auto_scope) {
    active_ = enclosing_ = open_region(RegionKind::VirtualBody, {});
    log_.push_frame();
    visit(function.body);
    close_virtual_body(0);
  } else {
    enclosing_ = open_region(RegionKind::Container, {});
    log_.push_frame();
    visit(function.body);
  }
  for (const CarriedHazard& hazard : carried_) {
    const auto relies_on_edges = [](const WalkedSite& site) { return site.keeps_edges() && !site.findings.edges.empty(); };
    if (!result_.mark_function &&
        !std::any_of(result_.sites.begin() + hazard.first_site, result_.sites.begin() + hazard.end_site, relies_on_edges)) {
      continue;
    }
    notice("loop_carried_unchecked",
           fmt::format("'{}' is written in every iteration of this loop, and no edge orders the iterations",
                       store_.name(hazard.root)),
           hazard.loop);
  }
  report_edges(function);
  return result_;
}

RegionIndex RegionWalk::open_region(RegionKind kind, StmtId scope) {
  WalkedRegion region;
  region.record.function = function_;
  region.record.index = static_cast<RegionIndex>(result_.regions.size());
  region.record.kind = kind;
  region.record.scope = scope;
  region.record.parent = enclosing_;
  region.record.line = scope.valid() ? program_.line(store_.stmt(scope).span) : program_.line(program_.functions[function_].span);
  region.first_site = static_cast<std::uint32_t>(result_.sites.size());
  result_.regions.push_back(region);
  return region.record.index;
}

void RegionWalk::visit(Range body) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId stmt = store_.at<StmtId>(body, i);
    ++clock_;
    switch (store_.stmt(stmt).kind) {
      case StmtKind::Assign:
      case StmtKind::Eval: visit_site(stmt); break;
      case StmtKind::If: {
        const ir::IfData d = store_.if_data(stmt);
        const std::uint32_t first = log_.size();
        visit(d.then_body);
        scan_.enter_else(first, log_.size());
        visit(d.else_body);
        scan_.leave_else();
        note_lineage_gaps(stmt);
        break;
      }
      case StmtKind::For: visit_loop(stmt, true); break;
      case StmtKind::While: visit_loop(stmt, false); break;
      case StmtKind::Scope: visit_scope(stmt); break;
      default: break;
    }
  }
}

void RegionWalk::visit_site(StmtId stmt) {
  if (!task_call(store_, stmt).valid()) {
    const ExprId value = statement_value(store_, stmt);
    const VarId target = statement_target(store_, stmt);
    if (!target.valid() || store_.expr(value).kind != ir::ExprKind::Call) return;
    if (store_.is_op(value, "tensor.create")) created_at_[target] = clock_;
    if (active_ != kNoRegion && store_.is_op(value, "tensor.assemble") && store_.call(value).args.count > 1) {
      const Location base = lineage_.location(store_.at<ExprId>(store_.call(value).args, 0));
      const Location source = lineage_.location(store_.at<ExprId>(store_.call(value).args, 1));
      if (base.state == LocationState::Known && source.state == LocationState::Known &&
          lineage_.alternative(base.alternatives.begin).root != lineage_.alternative(source.alternatives.begin).root) {
        notice("assemble_copy", "the copy of a buffer of its own into the target of an assemble is no access of any task", stmt);
      }
    }
    return;
  }
  if (active_ == kNoRegion) {
    WalkedSite site;
    site.findings.stmt = stmt;
    site.region = enclosing_;
    site.skipped = RewriteReason::Container;
    result_.sites.push_back(std::move(site));
    note_invisible(stmt, "container_invisible");
    return;
  }
  WalkedSite site;
  site.analysed = true;
  site.region = active_;
  site.findings = scan_.scan(stmt, active_);
  WalkedRegion& region = result_.regions[active_];
  ++region.task_sites;
  region.directions_fit = region.directions_fit && site.findings.directions_fit;
  if (!site.findings.fallback.empty()) {
    fall_back(active_, site.findings);
    note_invisible(stmt, "fallback_invisible");
  }
  result_.sites.push_back(std::move(site));
}

void RegionWalk::visit_scope(StmtId stmt) {
  const ir::ScopeData d = store_.scope_data(stmt);
  has_runtime_scope_ = true;
  if (d.manual) {
    const RegionIndex region = open_region(RegionKind::ManualScope, stmt);
    result_.regions[region].record.outcome = RegionOutcome::SkippedManual;
    skip_sites(d.body, RewriteReason::ManualScope, "manual_invisible", region);
    return;
  }
  const RegionIndex region = open_region(RegionKind::AutoScope, stmt);
  const RegionIndex outer_active = std::exchange(active_, region);
  const RegionIndex outer = std::exchange(enclosing_, region);
  log_.push_frame();
  visit(d.body);
  close_auto_scope(region);
  active_ = outer_active;
  enclosing_ = outer;
}

void RegionWalk::visit_loop(StmtId stmt, bool is_for) {
  if (is_for) {
    loops_.enter_for(stmt);
  } else {
    loops_.enter_while(stmt);
  }
  const std::uint32_t entered_at = clock_;
  const auto first_site = static_cast<std::uint32_t>(result_.sites.size());
  visit(is_for ? store_.for_data(stmt).body : store_.while_data(stmt).body);
  const OpenLoop loop = loops_.leave();
  for (const std::uint32_t index : loops_.take_kept_inner()) {
    notice("inner_return_var_edge",
           fmt::format("'{}' stays known by '{}', the result of an inner loop",
                       store_.name(lineage_.alternative(log_[index].alternative).root), store_.name(log_[index].id)),
           stmt);
    break;
  }
  note_lineage_gaps(stmt);
  check_carried_hazard(loop, entered_at, first_site);
}

void RegionWalk::check_carried_hazard(const OpenLoop& loop, std::uint32_t entered_at, std::uint32_t first_site) {
  if (loop.loop_class == LoopClass::SingleTrip || (loop.loop_class == LoopClass::FixedTrip && loop.trips == 0)) return;
  // A write of a buffer from outside the loop meets itself, and every other access of that buffer, in the next iteration.
  for (std::uint32_t i = loop.first_access; i < log_.size(); ++i) {
    const Access& access = log_[i];
    if ((access.kind & kWrites) == 0) continue;
    const VarId root = lineage_.alternative(access.alternative).root;
    const std::uint32_t* created = created_at_.find(root);
    if (created != nullptr && *created > entered_at) continue;
    bool ordered = access.chained_loop == loop.serial;
    for (std::uint32_t j = loop.first_access; ordered && j < log_.size(); ++j) {
      ordered = log_[j].site == access.site || !lineage_.may_alias(root, lineage_.alternative(log_[j].alternative).root);
    }
    if (ordered) continue;
    carried_.push_back({loop.stmt, root, first_site, static_cast<std::uint32_t>(result_.sites.size())});
    return;
  }
}

void RegionWalk::skip_sites(Range body, RewriteReason reason, std::string_view invisible, RegionIndex region) {
  ir::for_each_stmt(store_, body, [&](StmtId stmt) {
    if (!task_call(store_, stmt).valid()) return;
    WalkedSite site;
    site.findings.stmt = stmt;
    site.region = region;
    site.skipped = reason;
    result_.sites.push_back(std::move(site));
    if (!invisible.empty()) note_invisible(stmt, invisible);
  });
}

void RegionWalk::note_invisible(StmtId stmt, std::string_view why) {
  const ir::Call& call = store_.call(task_call(store_, stmt));
  const std::vector<ArgDirection> directions = read_directions(store_, call);
  for (std::uint32_t i = 0; i < call.args.count && i < directions.size(); ++i) {
    const Location location = lineage_.location(store_.at<ExprId>(call.args, i));
    if (location.state != LocationState::Known) continue;
    for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
      invisible_.note(lineage_.alternative(location.alternatives.begin + k).root, why, stmt, access_kind(directions[i]));
    }
  }
}

void RegionWalk::fall_back(RegionIndex region, const SiteFindings& site) {
  RegionRecord& record = result_.regions[region].record;
  if (record.outcome == RegionOutcome::FellBack) return;
  record.outcome = RegionOutcome::FellBack;
  record.reason = site.fallback;
  record.offending_site = site.stmt;
  record.offending_arg = site.offending_arg;
  record.lineage = trail_.of(site.stmt, site.offending_arg);
}

void RegionWalk::close_auto_scope(RegionIndex region) {
  WalkedRegion& walked = result_.regions[region];
  const bool fell_back = walked.record.outcome == RegionOutcome::FellBack;
  if (fell_back) {
    for (std::size_t s = walked.first_site; s < result_.sites.size(); ++s) {
      WalkedSite& site = result_.sites[s];
      if (!site.analysed) continue;
      if (site.keeps_edges()) walked.record.stripped_edges += site.findings.edge_count;
      if (!site.stripped()) site.stripped_by = region;
      if (!site.kept_directions()) site.directions_kept_by = region;
    }
    for (std::uint32_t i = log_.frame_start(); i < log_.size(); ++i) {
      invisible_.note(lineage_.alternative(log_[i].alternative).root, "fallback_invisible", log_[i].site, log_[i].kind);
    }
  }
  log_.pop_frame(!fell_back);
}

void RegionWalk::close_virtual_body(RegionIndex region) {
  WalkedRegion& walked = result_.regions[region];
  if (walked.record.outcome != RegionOutcome::FellBack) {
    result_.mark_function = !has_runtime_scope_ && walked.task_sites > 0 && walked.directions_fit;
    // The seed asks for a body that its edges order completely.
    if (seed() && !carried_.empty()) result_.mark_function = false;
    return;
  }
  for (WalkedSite& site : result_.sites) {
    if (!site.analysed) continue;
    if (!site.kept_directions()) site.directions_kept_by = region;
    if (!site.keeps_edges()) {
      if (seed() && !site.stripped()) site.stripped_by = region;
      continue;
    }
    // The observed compiler keeps the edges here.
    (seed() ? walked.record.stripped_edges : walked.record.kept_edges) += site.findings.edge_count;
    if (seed()) site.stripped_by = region;
  }
}

void RegionWalk::describe_unanalysed(const ir::Function& function, RegionOutcome outcome, const std::string& reason,
                                     std::uint32_t line) {
  const bool one_scope = function.body.count == 1 && store_.stmt(store_.at<StmtId>(function.body, 0)).kind == StmtKind::Scope;
  if (!one_scope) {
    const bool is_virtual = function.kind == ir::FunctionKind::Orchestration && function.auto_scope;
    enclosing_ = open_region(is_virtual ? RegionKind::VirtualBody : RegionKind::Container, {});
  }
  // Scopes in pre-order with their parents; the nesting is a stack of (body end) marks kept by recursion over the tree.
  const auto describe = [&](const auto& self, Range body) -> void {
    for (std::uint32_t i = 0; i < body.count; ++i) {
      const StmtId stmt = store_.at<StmtId>(body, i);
      const std::pair<Range, Range> inner = bodies(store_, stmt);
      const bool scope = store_.stmt(stmt).kind == StmtKind::Scope && store_.scope_data(stmt).kind == ir::ScopeKind::Runtime;
      const RegionIndex outer = enclosing_;
      if (scope) {
        enclosing_ = open_region(store_.scope_data(stmt).manual ? RegionKind::ManualScope : RegionKind::AutoScope, stmt);
      }
      self(self, inner.first);
      self(self, inner.second);
      enclosing_ = outer;
    }
  };
  describe(describe, function.body);
  for (WalkedRegion& region : result_.regions) {
    region.record.outcome = region.record.kind == RegionKind::ManualScope ? RegionOutcome::SkippedManual : outcome;
    if (region.record.kind != RegionKind::ManualScope) region.record.reason = reason;
    if (line != 0 && region.record.kind != RegionKind::ManualScope) region.record.line = line;
  }
  skip_sites(function.body, outcome == RegionOutcome::SwitchedOff ? RewriteReason::SwitchOff : RewriteReason::NotModelled, {},
             kNoRegion);
}

void RegionWalk::note_lineage_gaps(StmtId stmt) {
  if (active_ == kNoRegion) return;
  const bool is_if = store_.stmt(stmt).kind == StmtKind::If;
  const Range results = is_if                                     ? store_.if_data(stmt).result_vars
                        : store_.stmt(stmt).kind == StmtKind::For ? store_.for_data(stmt).result_vars
                                                                  : store_.while_data(stmt).result_vars;
  if (results.empty()) return;
  const std::pair<Range, Range> inner = bodies(store_, stmt);
  for (const Range body : {inner.first, inner.second}) {
    if (body.empty() || direct_yield(store_, body).valid() || !trailing_yield(store_, body).valid()) continue;
    notice("yield_in_scope", "the yield stands inside a runtime scope, where the storage analysis does not look for it", stmt);
    break;
  }
  if (is_if) return;
  const bool is_for = store_.stmt(stmt).kind == StmtKind::For;
  const Range inits = is_for ? store_.for_data(stmt).inits : store_.while_data(stmt).inits;
  const StmtId yield = direct_yield(store_, inner.first);
  if (!yield.valid()) return;
  const Range values{store_.stmt(yield).a, store_.stmt(yield).b};
  for (std::uint32_t k = 0; k < inits.count && k < values.count; ++k) {
    const Location init = lineage_.location(store_.at<ExprId>(inits, k));
    const Location next = lineage_.location(store_.at<ExprId>(values, k));
    if (init.state != LocationState::Known || next.state != LocationState::Known) continue;
    if (lineage_.alternative(init.alternatives.begin).root == lineage_.alternative(next.alternatives.begin).root) continue;
    notice("iter_arg_initial_only",
           fmt::format("inside this loop carried value {} counts as '{}' only; later iterations see '{}'", k,
                       store_.name(lineage_.alternative(init.alternatives.begin).root),
                       store_.name(lineage_.alternative(next.alternatives.begin).root)),
           stmt);
  }
}

void RegionWalk::report_edges(const ir::Function& function) {
  producers_.clear();
  region_of_.clear();
  for (const WalkedSite& site : result_.sites) {
    if (site.region != kNoRegion) region_of_.emplace(site.findings.stmt, site.region);
    const VarId target = statement_target(store_, site.findings.stmt);
    if (!target.valid()) continue;
    producers_[target] = site.findings.stmt;
    if (const VarId id = ids_.tail_of(target); id.valid()) producers_[id] = site.findings.stmt;
  }
  // Barriers are no task sites of the walk, but users' edges lead to them and from them.
  auto next = result_.sites.begin();
  ir::for_each_stmt(store_, function.body, [&](StmtId stmt) {
    if (next != result_.sites.end() && next->findings.stmt == stmt) {
      report_edges_of(*next++);
      return;
    }
    const ExprId value = statement_value(store_, stmt);
    if (!value.valid() || !store_.is_op(value, "system.task_dummy")) return;
    EdgeRecord record;
    record.function = function_;
    record.site = stmt;
    report_user_edges(record, store_.call(value));
    if (const VarId target = statement_target(store_, stmt); target.valid()) producers_[target] = stmt;
  });
}

void RegionWalk::report_edges_of(const WalkedSite& site) {
  EdgeRecord record;
  record.function = function_;
  record.site = site.findings.stmt;
  report_user_edges(record, store_.call(task_call(store_, site.findings.stmt)));
  record.origin = EdgeOrigin::Compiler;
  record.status = !site.findings.fallback.empty() ? EdgeStatus::GivenUp
                  : site.stripped()               ? EdgeStatus::Stripped
                                                  : EdgeStatus::Kept;
  if (record.status == EdgeStatus::Stripped) record.stripped_by = site.stripped_by;
  for (const FoundEdge& edge : site.findings.edges) {
    record.id = edge.id;
    record.synthetic_id = !ir::is_task_id(store_, store_.var(edge.id).type);
    record.producer = edge.producer;
    record.imported_from = import_path(site.region, edge.producer);
    record.producers = edge.run;
    sink_.edge(record);
  }
}

void RegionWalk::report_user_edges(EdgeRecord record, const ir::Call& call) {
  const auto own = region_of_.find(record.site);
  record.origin = EdgeOrigin::User;
  for (const VarId id : user_edges(store_, call)) {
    record.id = id;
    const StmtId* producer = producers_.find(id);
    if (producer == nullptr) producer = producers_.find(ids_.canonical(id));
    record.producer = producer == nullptr ? StmtId() : *producer;
    record.imported_from = import_path(own == region_of_.end() ? kNoRegion : own->second, record.producer);
    sink_.edge(record);
  }
}

RegionIndex RegionWalk::import_path(RegionIndex consumer, StmtId producer) const {
  if (result_.regions.size() < 2 || consumer == kNoRegion) return kNoRegion;
  const auto found = region_of_.find(producer);
  if (found == region_of_.end() || found->second == consumer) return kNoRegion;
  // Handed up by a nested region, or else found on record of an enclosing one.
  for (RegionIndex at = found->second; at != kNoRegion; at = result_.regions[at].record.parent) {
    if (result_.regions[at].record.parent == consumer) return at;
  }
  return result_.regions[consumer].record.parent;
}

void RegionWalk::notice(std::string_view name, std::string message, StmtId where) {
  sink_.notice({function_, std::string(name), std::move(message), where});
}

}  // namespace depscope::pass
