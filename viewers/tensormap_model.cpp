#include "tensormap_model.h"

#include <algorithm>

#include "depscope/replay/state_queries.h"
#include "view_bytes.h"

namespace depscope::viewers {
namespace {

using replay::kNever;
using runtime::ArgKind;
using runtime::EventKind;

}  // namespace

std::string_view verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::Overlaps: return "overlaps";
    case Verdict::Covers: return "covers the whole write";
    case Verdict::Removes: return "covers: entry is removed";
    case Verdict::Disjoint: return "disjoint";
    case Verdict::Stale: return "passed over: retired";
    case Verdict::Miss: return "miss: no entry overlaps";
    case Verdict::NoLookup: return "no lookup";
    case Verdict::NotTold: return "no edge found";
  }
  return {};
}

std::string_view no_lookup_words(const recording::Recording& r, std::uint32_t access) {
  if ((r.tasks.flags[r.accesses.task[access]] & 1U) != 0) return "MANUAL scope: nothing is looked up or registered";
  const bool manual = r.tensors.manual_dep[r.accesses.tensor[access]] != 0;
  switch (static_cast<ArgKind>(r.accesses.kind[access])) {
    case ArgKind::Input:
    case ArgKind::InOut: return manual ? "manual_dep: nothing is looked up or registered" : "";
    case ArgKind::Output: return "OUTPUT: new memory, found later through its owner";
    case ArgKind::OutputExisting:
      return manual ? "manual_dep: nothing is looked up or registered" : "OUTPUT_EXISTING: registered without a lookup";
    case ArgKind::NoDep: return "NO_DEP: takes no part";
    case ArgKind::Scalar: return "a scalar";
  }
  return {};
}

TensorMapModel::TensorMapModel(const Document& document, const Buffers& buffers) : document_(&document), buffers_(&buffers) {
  const auto& r = document.recording();
  const bool full = document.cursor().full();
  inserted_.assign(full ? r.accesses.rows() : 0, kNever);
  gone_ = inserted_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // address, accesses row
  std::vector<std::pair<std::uint64_t, std::uint32_t>> addresses;
  for (std::uint32_t t = 0; t < r.tensors.rows(); ++t) addresses.emplace_back(r.tensors.address[t], t);
  std::sort(addresses.begin(), addresses.end());
  address_.assign(r.tensors.rows(), 0);
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (i > 0 && addresses[i].first != addresses[i - 1].first) ++number;
    address_[addresses[i].second] = number;
  }
  const auto begin_kind = full ? EventKind::SubmitBegin : EventKind::Submit;
  for (std::uint32_t e = 0; e < r.events.rows(); ++e) {
    const auto kind = static_cast<EventKind>(r.events.kind[e]);
    if (kind == begin_kind) submits_.push_back(e);
    if (!full) continue;
    const std::uint32_t entry = r.events.subject[e];
    if (kind == EventKind::TensorMapInsert) {
      inserted_[entry] = e;
      order.emplace_back(address_[r.accesses.tensor[entry]], entry);
      changes_.push_back(e);
    } else if (kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup) {
      gone_[entry] = e;
      changes_.push_back(e);
    }
  }
  inserts_of_address_ = Groups(order, number + 1);
}

std::vector<EntryRow> TensorMapModel::entries(const replay::Cursor& cursor, std::uint32_t& total) const {
  std::vector<EntryRow> rows;
  total = 0;
  const auto found = replay::tensormap_entries(cursor, kMaxEntries);
  if (!found) return rows;
  total = found->total;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // buffer, accesses row
  order.reserve(found->rows.size());
  for (const std::uint32_t access : found->rows) order.emplace_back(buffers_->of_access(access), access);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return inserted_[a.second] > inserted_[b.second];
  });
  std::size_t head = 0;
  for (const auto& [buffer, access] : order) {
    if (rows.empty() || rows[head].buffer != buffer) {
      head = rows.size();
      rows.push_back({buffer, kNoRow, 0});
    }
    ++rows[head].count;
    rows.push_back({buffer, access, 0});
  }
  return rows;
}

SubmitView TensorMapModel::submit_at(std::uint32_t position) const {
  const auto after = std::lower_bound(submits_.begin(), submits_.end(), position);
  return after == submits_.begin() ? SubmitView() : submit(static_cast<std::size_t>(after - submits_.begin()) - 1);
}

SubmitView TensorMapModel::submit_of(std::uint32_t task) const {
  const auto& submitted = document_->moments().submitted;
  if (task >= submitted.size() || submitted[task] == kNever) return {};
  return submit_at(submitted[task] + 1);
}

SubmitView TensorMapModel::submit(std::size_t index) const {
  const auto& r = document_->recording();
  SubmitView view;
  view.begin = submits_[index];
  const std::uint32_t stop = index + 1 < submits_.size() ? submits_[index + 1] : r.events.rows();
  std::vector<LookupRow> hits;
  std::vector<std::uint32_t> removed_after;  // per removal among the changes: the access whose lookup removed it
  for (view.end = view.begin; view.end < stop; ++view.end) {
    const std::uint32_t e = view.end;
    const auto kind = static_cast<EventKind>(r.events.kind[e]);
    if (kind == EventKind::ScopeEnd || kind == EventKind::ScopeBegin || kind == EventKind::RunEnd) break;
    if (kind == EventKind::Submit && view.task == kNoRow) view.task = r.events.subject[e];
    if (kind == EventKind::TensorMapHit) {
      hits.push_back({.access = r.events.subject[e],
                      .entry = r.events.object[e],
                      .edge = edge_between(r.accesses.task[r.events.object[e]], r.accesses.task[r.events.subject[e]]),
                      .event = e,
                      .verdict = r.events.new_value[e] == 2 ? Verdict::Covers : Verdict::Overlaps});
    } else if (kind == EventKind::TensorMapInsert || kind == EventKind::TensorMapRemove || kind == EventKind::TensorMapCleanup) {
      view.changes.push_back({e, r.events.subject[e], kind});
      removed_after.push_back(kind == EventKind::TensorMapRemove && !hits.empty() ? hits.back().access : kNoRow);
      if (kind == EventKind::TensorMapRemove && !hits.empty() && hits.back().entry == r.events.subject[e])
        hits.back().verdict = Verdict::Removes;
    }
  }
  if (view.task == kNoRow) return view;
  if (!document_->cursor().full()) hits = hits_of_reasons(view.task);
  look_up(view, hits, removed_after);
  return view;
}

void TensorMapModel::look_up(SubmitView& view, const std::vector<LookupRow>& hits,
                             const std::vector<std::uint32_t>& removed_after) const {
  const auto [first, last] = document_->accesses_of_task(view.task);
  for (std::uint32_t access = first; access < last; ++access) {
    const std::size_t before = view.lookups.size();
    for (const LookupRow& hit : hits) {
      if (hit.access == access) view.lookups.push_back(hit);
    }
    if (!looks_up(access)) {
      if (view.lookups.size() == before) view.lookups.push_back({.access = access, .verdict = Verdict::NoLookup});
      continue;
    }
    const bool full = document_->cursor().full();
    if (view.lookups.size() == before)
      view.lookups.push_back({.access = access, .verdict = full ? Verdict::Miss : Verdict::NotTold});
    if (full) looked_at(view, hits, removed_after, access);
  }
}

/// Adds the entries of the same address that were there and gave no hit.
void TensorMapModel::looked_at(SubmitView& view, const std::vector<LookupRow>& hits,
                               const std::vector<std::uint32_t>& removed_after, std::uint32_t access) const {
  const auto& r = document_->recording();
  const std::uint32_t submitted = document_->moments().submitted[view.task];
  const auto request = descriptor_of_access(r, access);
  const auto all = inserts_of_address_.of(address_[r.accesses.tensor[access]]);
  const auto end =
      std::partition_point(all.begin(), all.end(), [&](std::uint32_t entry) { return inserted_[entry] < submitted; });
  // Older entries are mostly gone: how far back one looks is limited, too.
  constexpr std::ptrdiff_t kMaxWalk = 5000;
  const auto begin = end - all.begin() > kMaxWalk ? end - kMaxWalk : all.begin();
  std::uint32_t listed = 0;
  for (auto at = end; at != begin;) {
    const std::uint32_t entry = *--at;
    if (gone_[entry] < view.begin) continue;
    const bool hit =
        std::any_of(hits.begin(), hits.end(), [&](const LookupRow& row) { return row.access == access && row.entry == entry; });
    if (hit) continue;
    // What this submit took out before the lookup of the argument was not there any more.
    if (gone_[entry] < view.end) {
      const auto change =
          std::find_if(view.changes.begin(), view.changes.end(), [&](const MapChange& c) { return c.event == gone_[entry]; });
      const std::uint32_t by =
          change == view.changes.end() ? kNoRow : removed_after[static_cast<std::size_t>(change - view.changes.begin())];
      if (by == kNoRow || by < access) continue;
    }
    if (listed++ == kMaxLookedAt) {
      view.not_listed += 1;
      listed = kMaxLookedAt;
      continue;
    }
    const bool apart = runtime::classify_overlap(descriptor_of_access(r, entry), request) == runtime::Overlap::None;
    view.lookups.push_back({.access = access,
                            .entry = entry,
                            .edge = edge_between(r.accesses.task[entry], view.task),
                            .verdict = apart ? Verdict::Disjoint : Verdict::Stale});
  }
}

/// A summary has no events of lookups, but every discovery of an edge tells what it was found through.
std::vector<LookupRow> TensorMapModel::hits_of_reasons(std::uint32_t task) const {
  const auto& r = document_->recording();
  std::vector<LookupRow> hits;
  const auto [first, last] = document_->edges_of_consumer(task);
  for (std::uint32_t edge = first; edge < last; ++edge) {
    for (const std::uint32_t reason : document_->reasons_of_edge().of(edge)) {
      if (r.edge_reasons.source[reason] != runtime::kTensorMap || r.edge_reasons.producer_access[reason] == kNoRow) continue;
      hits.push_back({.access = r.edge_reasons.consumer_access[reason],
                      .entry = r.edge_reasons.producer_access[reason],
                      .edge = edge,
                      .verdict = r.edge_reasons.overlap[reason] == 2 ? Verdict::Covers : Verdict::Overlaps});
      const bool writes = static_cast<ArgKind>(r.accesses.kind[hits.back().access]) == ArgKind::InOut;
      if (hits.back().verdict == Verdict::Covers && writes) hits.back().verdict = Verdict::Removes;
    }
  }
  return hits;
}

std::uint32_t TensorMapModel::edge_between(std::uint32_t producer, std::uint32_t consumer) const {
  const auto& producers = document_->recording().edges.producer;
  const auto [first, last] = document_->edges_of_consumer(consumer);
  for (std::uint32_t edge = first; edge < last; ++edge) {
    if (producers[edge] == producer) return edge;
  }
  return kNoRow;
}

bool TensorMapModel::looks_up(std::uint32_t access) const { return no_lookup_words(document_->recording(), access).empty(); }

}  // namespace depscope::viewers
