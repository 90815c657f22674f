// Hazards and edges as runs: the accesses of one buffer are a list, and what a task has to do with a stretch of it is one record.
#include <algorithm>

#include "hazard_scan.h"

namespace depscope::pass {

using ir::StmtId;
using ir::VarId;

VarId HazardScan::edge_id(const Access& access) const {
  const ir::NodeStore& store = *c_.program->store;
  if (!access.id.valid() || ir::is_task_id(store, store.var(access.id).type)) return access.id;
  const VarId canonical = c_.ids->canonical(access.id);
  return canonical.valid() ? canonical : access.id;
}

std::uint32_t HazardScan::add_edge(VarId id, const Access& prior, SiteFindings& site) {
  TakenEdge& last = edge_of_[id];
  if (last.site == serial_) return last.position;
  if (++site.edge_count <= kFewEdges) few_edges_.push_back({id, prior.site});
  const ir::NodeStore& store = *c_.program->store;
  const VarId root = c_.lineage->alternative(prior.alternative).root;
  const AccessSource kind = (prior.kind & kWrites) != 0 ? AccessSource::Writers : AccessSource::Readers;
  const bool synthetic = !ir::is_task_id(store, store.var(id).type);
  if (edge_run_ && edge_run_->root == root && edge_run_->region == prior.region && edge_run_->synthetic == synthetic) {
    AccessRun& run = site.edges.back().run;
    const bool by_kind = edge_run_->by_kind && edge_run_->kind == kind && edge_run_->of_kind + run.count == prior.of_kind;
    const bool by_root = edge_run_->by_root && edge_run_->of_root + run.count == prior.of_root;
    if (by_kind || by_root) {
      edge_run_->by_kind = by_kind;
      edge_run_->by_root = by_root;
      ++run.count;
      last = {serial_, static_cast<std::uint32_t>(site.edges.size()) - 1};
      return last.position;
    }
  }
  close_edge_run(site);
  if (compact_) edge_run_ = {root, kind, prior.of_kind, prior.of_root, prior.region, synthetic};
  last = {serial_, static_cast<std::uint32_t>(site.edges.size())};
  site.edges.push_back({id, prior.site});
  return last.position;
}

void HazardScan::close_edge_run(SiteFindings& site) {
  if (!edge_run_) return;
  FoundEdge& edge = site.edges.back();
  if (edge.run.count > 1) {
    edge.run.first = edge_run_->by_kind ? edge_run_->of_kind : edge_run_->of_root;
    edge.run.list = write_list(edge_run_->root, edge_run_->by_kind ? edge_run_->kind : AccessSource::All);
    edge.ir_list = counters_.ir_of_list[edge.run.list];
  }
  edge_run_.reset();
}

/// Records are handed on as they come, or kept back while they may be the first of many.
void HazardScan::put(const HazardRecord& record, const Access& prior) {
  if (!compact_) {
    c_.sink->hazard(record);
    return;
  }
  const VarId root = c_.lineage->alternative(prior.alternative).root;
  const bool writes = (prior.kind & kWrites) != 0;
  NewestRuns& newest = newest_runs_[root];
  if (newest.judgement != judgement_) newest = {judgement_, {kNoList, kNoList}};
  std::uint32_t& position = newest.position[writes ? 1 : 0];
  if (position != kNoList) {
    HazardRecord& run = hazard_runs_[position].record;
    const bool next = run.priors.first + run.priors.count == prior.of_kind;
    if (next && run.kinds == record.kinds && run.by_memref == record.by_memref && run.verdict == record.verdict &&
        run.edge.valid() == record.edge.valid() && run.synthetic_id == record.synthetic_id && run.reason == record.reason &&
        run.edge_index == record.edge_index) {
      ++run.priors.count;
      return;
    }
  }
  position = static_cast<std::uint32_t>(hazard_runs_.size());
  hazard_runs_.push_back({record, root, writes ? AccessSource::Writers : AccessSource::Readers});
  hazard_runs_.back().record.priors.first = prior.of_kind;
}

void HazardScan::finish_runs(SiteFindings& site) {
  close_edge_run(site);
  for (GrowingHazards& run : hazard_runs_) {
    AccessRun& priors = run.record.priors;
    if (priors.count > 1) {
      priors.list = write_list(run.root, run.source);
    } else {
      priors = {};
    }
    c_.sink->hazard(run.record);
  }
  hazard_runs_.clear();
}

std::uint32_t HazardScan::write_list(VarId root, AccessSource source) {
  ir::NodeStore& store = *c_.program->store;
  SharedList& shared = log_.shared(root, source);
  const std::vector<std::uint32_t>& accesses = log_.of(root, source);
  if (shared.list == kNoList) {
    shared = {static_cast<std::uint32_t>(counters_.ir_of_list.size()), 0};
    counters_.ir_of_list.push_back(store.make_var_list());
  }
  for (; shared.written < accesses.size(); ++shared.written) {
    const Access& access = log_[accesses[shared.written]];
    const VarId id = edge_id(access);
    store.append_to_var_list(counters_.ir_of_list[shared.list], id);
    c_.sink->access_listed(shared.list, access.number, id);
  }
  return shared.list;
}

// ---------------------------------------------------------------- whole lists

/// Looks at what is new of the readers or the writers of a root: are all of them alike, and sure to be waited for by an edge?
const AlikeAccesses& HazardScan::alike(VarId root, AccessSource source) {
  const ir::NodeStore& store = *c_.program->store;
  AlikeAccesses& known = log_.alike(root, source);
  const std::vector<std::uint32_t>& accesses = log_.of(root, source);
  for (; known.looked_at < accesses.size(); ++known.looked_at) {
    const Access& access = log_[accesses[known.looked_at]];
    if (known.looked_at == 0) {
      known.all = true;
      known.region = access.region;
      known.task_ids = access.id.valid() && ir::is_task_id(store, store.var(access.id).type);
    }
    if (!known.all) continue;
    if (known.stretches.empty() || known.stretches.back().kind != access.kind)
      known.stretches.push_back({known.looked_at, access.kind});
    known.all = access.own_id && !access.in_loop && access.dynamic_serial == 0 && access.summarised_at == 0 &&
                c_.lineage->alternative(access.alternative).region.kind == StorageKind::Full && access.region == known.region &&
                known.stretches.size() <= AlikeAccesses::kMaxStretches &&
                ir::is_task_id(store, store.var(access.id).type) == known.task_ids && edge_id(access) == access.id;
  }
  return known;
}

/// True if no two accesses of a root are of one task: each has an id of its own then.
bool HazardScan::all_of_different_tasks(VarId root) {
  AlikeAccesses& known = log_.alike(root, AccessSource::All);
  const std::vector<std::uint32_t>& accesses = log_.of(root, AccessSource::All);
  for (; known.looked_at < accesses.size(); ++known.looked_at) {
    if (known.looked_at == 0) {
      known.all = true;
      continue;
    }
    // The accesses of a task follow each other.
    known.all = known.all && log_[accesses[known.looked_at]].site != log_[accesses[known.looked_at - 1]].site;
  }
  return known.all;
}

/// The ids of the first `count` accesses of two lists are the same.
bool HazardScan::same_ids(std::uint32_t list, std::uint32_t other, std::uint32_t count) const {
  const ir::NodeStore& store = *c_.program->store;
  const auto a = store.var_list(counters_.ir_of_list[list]);
  const auto b = store.var_list(counters_.ir_of_list[other]);
  return a.size() >= count && b.size() >= count && std::equal(a.begin(), a.begin() + count, b.begin());
}

// n tasks that write one buffer have n(n-1)/2 hazards, all of one sort: where all that an access meets is alike, and each gets an
// edge of its own, one look at the list is enough.
bool HazardScan::judge_whole_list(const Access& current, SiteFindings& site) {
  const StorageAlternative& mine = c_.lineage->alternative(current.alternative);
  const bool writes = (current.kind & kWrites) != 0;
  if (mine.region.kind != StorageKind::Full || site_has_user_edges_ || !other_branches_.empty()) return false;
  if (c_.lineage->alias_class(mine.root).size() != 1) return false;
  const std::vector<std::uint32_t>& met = log_.of(mine.root, writes ? AccessSource::All : AccessSource::Writers);
  const std::vector<std::uint32_t>& writers = log_.of(mine.root, AccessSource::Writers);
  if (met.size() <= c_.max_single_priors || met.front() < log_.frame_start()) return false;
  if (!writers.empty() && !alike(mine.root, AccessSource::Writers).all) return false;
  const std::size_t readers = met.size() - writers.size();
  if (readers != 0 && !alike(mine.root, AccessSource::Readers).all) return false;
  if (readers != 0 && !writers.empty()) {
    const AlikeAccesses& r = alike(mine.root, AccessSource::Readers);
    const AlikeAccesses& w = alike(mine.root, AccessSource::Writers);
    if (r.region != w.region || r.task_ids != w.task_ids) return false;
  }
  if (!all_of_different_tasks(mine.root)) return false;

  // Which edges are new: all of them, or those on the writers where another argument waits for the readers already.
  AccessSource fresh = readers == 0 ? AccessSource::Writers : writers.empty() ? AccessSource::Readers : AccessSource::All;
  std::uint32_t edge_of_readers = static_cast<std::uint32_t>(site.edges.size());
  if (!site.edges.empty()) {
    if (site.edges.size() != 1 || whole_lists_.size() != 1 || readers == 0 || writers.empty()) return false;
    const FoundEdge& edge = site.edges.front();
    if (edge.run.first != 0 || edge.run.count != readers) return false;
    if (!same_ids(edge.run.list, write_list(mine.root, AccessSource::Readers), edge.run.count)) return false;
    fresh = AccessSource::Writers;
    edge_of_readers = 0;
  }
  const auto edge_of_writers = static_cast<std::uint32_t>(site.edges.size());
  const std::vector<std::uint32_t>& news = log_.of(mine.root, fresh);
  const Access& first = log_[news.front()];
  const std::uint32_t list = write_list(mine.root, fresh);
  const auto count = static_cast<std::uint32_t>(news.size());
  for (std::uint32_t i = 0; i < count && few_edges_.size() < kFewEdges; ++i)
    few_edges_.push_back({log_[news[i]].id, log_[news[i]].site});
  site.edges.push_back({first.id, first.site, {list, 0, count}, counters_.ir_of_list[list]});
  site.edge_count += count;
  whole_lists_.push_back(edge_of_writers);

  const auto record = [&](AccessSource source, std::uint32_t edge) {
    const std::vector<std::uint32_t>& priors = log_.of(mine.root, source);
    if (priors.empty() || (source == AccessSource::Readers && readers == 0)) return;
    const AlikeAccesses& known = alike(mine.root, source);
    const std::uint32_t written = write_list(mine.root, source);
    for (std::size_t i = 0; i < known.stretches.size();) {
      const auto kinds = hazards_between(current.kind, known.stretches[i].kind);
      const std::uint32_t begin = known.stretches[i].first;
      while (++i < known.stretches.size() && hazards_between(current.kind, known.stretches[i].kind) == kinds) {
      }
      const auto end = i < known.stretches.size() ? known.stretches[i].first : static_cast<std::uint32_t>(priors.size());
      const Access& prior = log_[priors[begin]];
      c_.sink->hazard({c_.function, current.region, prior.site, current.site, prior.arg, current.arg, kinds, false,
                       c_.first_storage + prior.alternative, c_.first_storage + current.alternative, HazardVerdict::CompilerEdge,
                       prior.id, !known.task_ids, std::string_view(), edge,
                       end - begin == 1 ? AccessRun{} : AccessRun{written, begin, end - begin}});
    }
  };
  const bool reader_first = readers != 0 && met.front() == log_.of(mine.root, AccessSource::Readers).front();
  if (reader_first) record(AccessSource::Readers, edge_of_readers);
  record(AccessSource::Writers, edge_of_writers);
  if (!reader_first) record(AccessSource::Readers, edge_of_readers);
  ArgumentFindings& argument = site.arguments[current.arg];
  argument.precise_hazard = true;
  argument.cross_scope = argument.cross_scope || first.region != current.region;
  return true;
}

/// Before anything else of the site is judged one by one: the ids it waits for already.
void HazardScan::mark_whole_lists(const SiteFindings& site) {
  const ir::NodeStore& store = *c_.program->store;
  for (const std::uint32_t position : whole_lists_) {
    const FoundEdge& edge = site.edges[position];
    for (std::uint32_t i = 0; i < edge.run.count; ++i)
      edge_of_[store.run_var({edge.ir_list, edge.run.first, edge.run.count}, i)] = {serial_, position};
  }
  whole_lists_.clear();
}

}  // namespace depscope::pass
