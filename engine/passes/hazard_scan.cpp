#include "hazard_scan.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "depscope/ir/text.h"

namespace depscope::pass {

using ir::ExprId;
using ir::StmtId;
using ir::VarId;

std::uint8_t access_kind(ArgDirection direction) {
  switch (direction) {
    case ArgDirection::Input: return kReads;
    case ArgDirection::Output:
    case ArgDirection::OutputExisting: return kWrites;
    case ArgDirection::InOut: return kReads | kWrites;
    default: return 0;
  }
}

void InvisibleAccesses::note(VarId root, std::string_view why, StmtId where, std::uint8_t kind) {
  if (kind == 0) return;
  Slot& slot = entries_[root];
  if (slot.entry.kind == 0 || ((slot.entry.kind & kWrites) == 0 && (kind & kWrites) != 0)) slot = {{why, where, kind}, false};
}

const InvisibleAccesses::Entry* InvisibleAccesses::take_conflict(VarId root, std::uint8_t kind) {
  Slot* slot = entries_.find(root);
  if (slot == nullptr || slot->taken || ((slot->entry.kind | kind) & kWrites) == 0) return nullptr;
  slot->taken = true;
  return &slot->entry;
}

namespace {

bool precise(StorageKind kind) {
  return kind == StorageKind::Full || kind == StorageKind::Box || kind == StorageKind::Conservative;
}

}  // namespace

void HazardScan::start(const ScanContext& context) {
  c_ = context;
  other_branches_.clear();
  producers_of_.clear();
  implied_edge_noted_ = false;
}

SiteFindings HazardScan::scan(StmtId stmt, RegionIndex region) {
  const ir::NodeStore& store = *c_.program->store;
  const ir::Call call = store.call(task_call(store, stmt));
  SiteFindings site;
  site.stmt = stmt;
  site.region = region;
  const std::vector<ArgDirection> directions = read_directions(store, call);
  site.directions_fit = directions.size() == call.args.count;
  if (!site.directions_fit) return site;
  site.arguments.resize(directions.size());
  for (std::size_t i = 0; i < directions.size(); ++i) site.arguments[i].direction = directions[i];
  ++serial_;
  few_edges_.clear();
  whole_lists_.clear();
  const std::vector<VarId> users = user_edges(store, call);
  site_has_user_edges_ = !users.empty();
  coverage_.set_site(users);
  if (!collect_accesses(call, site)) {
    report_accesses(site, AccessOutcome::SiteFellBack);
    return site;
  }
  name_producer(call, site);
  for (const Access& access : pending_) {
    if (judge(access, site)) continue;
    report_accesses(site, AccessOutcome::SiteFellBack);
    return site;
  }
  report_accesses(site, AccessOutcome::Recorded);
  note_implied_edge(site);
  for (const Access& access : pending_) {
    note_blind_spots(access);
    log_.add(access);
  }
  for (std::size_t i = 0; i < directions.size(); ++i) {
    // What the user takes out of the analysis is still touched by the kernel.
    if (directions[i] != ArgDirection::NoDep) continue;
    const Location location = c_.lineage->location(store.at<ExprId>(call.args, static_cast<std::uint32_t>(i)));
    if (location.state != LocationState::Known) continue;
    for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
      invisible_.note(c_.lineage->alternative(location.alternatives.begin + k).root, "no_dep_invisible", stmt, kReads | kWrites);
    }
  }
  return site;
}

bool HazardScan::collect_accesses(const ir::Call& call, SiteFindings& site) {
  const ir::NodeStore& store = *c_.program->store;
  pending_.clear();
  unplaced_.clear();
  for (std::uint32_t i = 0; i < call.args.count; ++i) {
    ArgumentFindings& argument = site.arguments[i];
    const std::uint8_t kind = access_kind(argument.direction);
    if (kind == 0) continue;
    const VarId var = store.as_var(store.at<ExprId>(call.args, i));
    const Location location = c_.lineage->location(var);
    if (location.state != LocationState::Known) {
      unplaced_.push_back(i);
      const VarId producer = c_.ids->canonical(var);
      if (kind == kReads && producer.valid() && coverage_.names(producer)) {
        argument.unlocated = true;
        continue;
      }
      site.fallback = unresolved_reason(location.state);
      site.offending_arg = i;
      return false;
    }
    for (std::uint32_t k = 0; k < location.alternatives.count; ++k) {
      Access access;
      access.site = site.stmt;
      access.arg = i;
      access.alternative = location.alternatives.begin + k;
      access.region = site.region;
      access.kind = kind;
      access.in_loop = c_.loops->in_loop();
      if (const OpenLoop* dynamic = c_.loops->dynamic()) {
        access.dynamic_serial = dynamic->serial;
        access.dynamic_depth = dynamic->depth;
      }
      argument.imprecise_part = argument.imprecise_part || !precise(c_.lineage->alternative(access.alternative).region.kind);
      pending_.push_back(access);
    }
  }
  return true;
}

void HazardScan::name_producer(const ir::Call& call, SiteFindings& site) {
  const ir::NodeStore& store = *c_.program->store;
  const VarId target = statement_target(store, site.stmt);
  VarId id;
  if (target.valid()) {
    id = c_.ids->tail_of(target);
    if (!id.valid()) id = target;
    std::uint32_t chained = 0;
    for (const VarId edge : user_edges(store, call)) {
      const std::uint32_t loop = c_.loops->carrying_loop(edge);
      if (loop != 0 && c_.ids->canonical(edge) == id) chained = loop;
    }
    for (Access& access : pending_) {
      access.id = id;
      access.own_id = true;
      access.chained_loop = chained;
    }
    return;
  }
  // A statement without result is known by the first buffer it writes that overlaps the access.
  for (Access& access : pending_) {
    if ((access.kind & kWrites) == 0) continue;
    const StorageAlternative& part = c_.lineage->alternative(access.alternative);
    for (std::uint32_t i = 0; i < call.args.count && !access.id.valid(); ++i) {
      const ArgDirection direction = site.arguments[i].direction;
      if (direction != ArgDirection::OutputExisting && direction != ArgDirection::InOut) continue;
      const VarId var = store.as_var(store.at<ExprId>(call.args, i));
      if (c_.lineage->may_overlap(c_.lineage->location(var), part)) access.id = var;
    }
  }
}

void HazardScan::report_accesses(const SiteFindings& site, AccessOutcome outcome) {
  auto unplaced = unplaced_.begin();
  const auto report_unplaced = [&](std::uint32_t end_arg) {
    for (; unplaced != unplaced_.end() && *unplaced < end_arg; ++unplaced) {
      const ArgumentFindings& argument = site.arguments[*unplaced];
      const OpenLoop* dynamic = c_.loops->dynamic();
      c_.sink->access({c_.function, site.region, site.stmt, *unplaced, argument.direction, access_kind(argument.direction),
                       kNoStorage, VarId(), c_.loops->in_loop(), dynamic == nullptr ? 0 : dynamic->serial,
                       argument.unlocated ? AccessOutcome::Exempt : AccessOutcome::Unresolved});
      ++counters_.accesses;
    }
  };
  for (Access& access : pending_) {
    report_unplaced(access.arg);
    access.number = counters_.accesses++;
    c_.sink->access({c_.function, access.region, access.site, access.arg, site.arguments[access.arg].direction, access.kind,
                     c_.first_storage + access.alternative, access.id, access.in_loop, access.dynamic_serial, outcome});
  }
  report_unplaced(static_cast<std::uint32_t>(site.arguments.size()));
}

bool HazardScan::judge(const Access& current, SiteFindings& site) {
  if (judge_whole_list(current, site)) return true;
  mark_whole_lists(site);
  const StorageAlternative& mine = c_.lineage->alternative(current.alternative);
  log_.conflicting(mine, current.kind, kMaxDisjointRecords, priors_);
  compact_ = priors_.size() > c_.max_single_priors;
  ++judgement_;
  std::uint32_t disjoint = 0;
  bool offsets_noted = false;
  for (const std::uint32_t index : priors_) {
    const Access& prior = log_[index];
    const StorageAlternative& theirs = c_.lineage->alternative(prior.alternative);
    if (mine.root != theirs.root && !offsets_noted && mine.region.kind == StorageKind::Box &&
        theirs.region.kind == StorageKind::Box) {
      const ir::NodeStore& store = *c_.program->store;
      notice("alias_offsets",
             fmt::format("windows of '{}' and '{}', which may share memory, are compared without the offsets of their MemRefs",
                         ir::source_name(store.name(mine.root)), ir::source_name(store.name(theirs.root))),
             site.stmt);
      offsets_noted = true;
    }
    if (c_.lineage->boxes().overlap(mine.region, theirs.region)) {
      if (judge_pair(current, index, site)) continue;
      finish_runs(site);
      return false;
    }
    if (++disjoint > kMaxDisjointRecords) continue;
    put({c_.function, current.region, prior.site, current.site, prior.arg, current.arg, hazards_between(current.kind, prior.kind),
         mine.root != theirs.root, c_.first_storage + prior.alternative, c_.first_storage + current.alternative,
         HazardVerdict::Disjoint, VarId(), false, "disjoint_boxes"},
        prior);
  }
  finish_runs(site);
  return true;
}

bool HazardScan::judge_pair(const Access& current, std::uint32_t prior_index, SiteFindings& site) {
  const Access& prior = log_[prior_index];
  const ir::NodeStore& store = *c_.program->store;
  const StorageAlternative& mine = c_.lineage->alternative(current.alternative);
  const StorageAlternative& theirs = c_.lineage->alternative(prior.alternative);
  const auto is_direct = [&](VarId id) { return ir::is_task_id(store, store.var(id).type); };
  const VarId edge = edge_id(prior);
  HazardRecord record{c_.function,
                      current.region,
                      prior.site,
                      current.site,
                      prior.arg,
                      current.arg,
                      hazards_between(current.kind, prior.kind),
                      mine.root != theirs.root,
                      c_.first_storage + prior.alternative,
                      c_.first_storage + current.alternative,
                      HazardVerdict::None,
                      edge,
                      edge.valid() && !is_direct(edge),
                      {}};
  const bool dynamic_open = prior.dynamic_serial != 0 && c_.loops->is_open_dynamic(prior.dynamic_serial);
  const Coverage coverage = coverage_.of(edge, prior.in_loop);
  std::string_view fallback;
  if (coverage.covered) {
    record.verdict = coverage.windowed ? HazardVerdict::Windowed : HazardVerdict::UserEdge;
    record.reason = coverage.detail;
    record.edge_index = coverage.edge;
    if (coverage.windowed) {
      notice("windowed_blanket", "a task id of unknown origin is taken to cover a producer in a loop; nothing shows that it does",
             site.stmt);
    } else if (coverage_.partial_fill() && prior.in_loop) {
      notice("partial_fill_counts_full", "the loop that fills the dependency array is not proved to fill every slot", site.stmt);
    }
  } else if (!dynamic_open && prior.dynamic_serial != 0) {
    fallback = "prior_in_closed_dynamic_loop";
  } else if (!dynamic_open && prior.in_loop) {
    fallback = "prior_in_loop_without_summary";
    if (c_.loops->in_open_loop(prior_index)) {
      notice("same_iteration_fallback",
             "both tasks stand in one iteration of a loop of constant length: an edge could be given, the observed compiler "
             "falls back",
             site.stmt);
    }
  } else if (!edge.valid()) {
    fallback = "producer_without_task_id";
  } else {
    record.verdict = HazardVerdict::CompilerEdge;
    record.edge_index = add_edge(edge, prior, site);
    const auto holds = [&](const AccessRange& range) { return prior_index >= range.first && prior_index < range.end; };
    if (std::any_of(other_branches_.begin(), other_branches_.end(), holds)) {
      notice("else_sees_then",
             fmt::format("the edge on '{}' names a task of the other branch: {}", ir::source_name(store.name(edge)),
                         c_.loops->any_open() ? "when this branch runs, its id is that of an earlier iteration, or invalid"
                                              : "its id is invalid whenever this branch runs"),
             site.stmt);
    }
  }
  if (!fallback.empty()) {
    record.verdict = HazardVerdict::FellBack;
    record.reason = fallback;
    site.fallback = fallback;
    site.offending_arg = current.arg;
    put(record, prior);
    return false;
  }
  put(record, prior);
  ArgumentFindings& argument = site.arguments[current.arg];
  switch (mine.region.kind) {
    case StorageKind::Unknown: argument.unknown_hazard = true; break;
    case StorageKind::Dynamic: argument.dynamic_hazard = true; break;
    default:
      argument.precise_hazard = true;
      if (prior.in_loop && prior.dynamic_serial == 0 && !coverage.whole) argument.loop_incomplete = true;
      if (prior.region != current.region) argument.cross_scope = true;
      break;
  }
  return true;
}

// Edges are never taken away because others imply them; one example is enough to know that.
void HazardScan::note_implied_edge(const SiteFindings& site) {
  if (implied_edge_noted_ || site.edge_count == 0 || site.edge_count > kFewEdges) return;
  std::vector<StmtId>& producers = producers_of_[site.stmt];
  for (const FewEdge& edge : few_edges_) producers.push_back(edge.producer);
  for (const FewEdge& via : few_edges_) {
    const auto before = producers_of_.find(via.producer);
    if (before == producers_of_.end() || via.producer == site.stmt) continue;
    for (const FewEdge& edge : few_edges_) {
      if (edge.producer == via.producer) continue;
      if (std::find(before->second.begin(), before->second.end(), edge.producer) == before->second.end()) continue;
      const ir::NodeStore& store = *c_.program->store;
      notice("redundant_edges",
             fmt::format("the edge on '{}' is implied by the one on '{}': edges are not reduced",
                         ir::source_name(store.name(edge.id)), ir::source_name(store.name(via.id))),
             site.stmt);
      implied_edge_noted_ = true;
      return;
    }
  }
}

void HazardScan::note_blind_spots(const Access& access) {
  const ir::NodeStore& store = *c_.program->store;
  const VarId root = c_.lineage->alternative(access.alternative).root;
  const InvisibleAccesses::Entry* entry = invisible_.take_conflict(root, access.kind);
  if (entry == nullptr || entry->where == access.site) return;
  notice(entry->why,
         fmt::format("'{}' is also used by a task that the analysis does not see (line {})", store.name(root),
                     c_.program->line(store.stmt(entry->where).span)),
         access.site);
}

void HazardScan::notice(std::string_view name, std::string message, StmtId where) {
  c_.sink->notice({c_.function, std::string(name), std::move(message), where});
}

}  // namespace depscope::pass
