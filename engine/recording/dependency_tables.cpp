// Accesses and hazards arrived with numbers of sites and regions of the program that AutoDerive was given: now they get rows.
#include <cstddef>
#include <string_view>

#include "pass_recorder_state.h"

namespace depscope::recording {

/// The regions row of region `index` of the function that a site stands in, kNoRow if there is none.
std::uint32_t PassRecorder::State::region_row(std::uint32_t site, std::uint32_t index) const {
  if (site == kNoRow || index == pass::kNoRegion) return kNoRow;
  const std::uint32_t first = first_region_row[snapshots[derived_at].function_of[site]];
  if (first == kNoRow || index >= regions.size() - first || regions[first + index].record.index != index) return kNoRow;
  return first + index;
}

void PassRecorder::State::write_lists() {
  std::vector<std::uint32_t> first;  // by list: its first row
  for (const std::vector<ListedAccess>& list : lists) {
    first.push_back(r.listed_accesses.rows());
    for (const ListedAccess& listed : list) {
      r.listed_accesses.access.push_back(listed.access);
      r.listed_accesses.id.push_back(listed.id);
    }
  }
  const auto place = [&](auto& table) {
    for (std::uint32_t i = 0; i < table.rows(); ++i) {
      if (table.more_count[i] == 0) continue;
      const RunPlace& run = runs[table.more_begin[i]];
      table.more_begin[i] = first[run.list] + run.position;
    }
  };
  place(r.hazards);
  place(r.pass_edges);
  lists = {};
  runs = {};
}

void PassRecorder::State::resolve_accesses() {
  if (derived_at == kNoRow) return;
  auto& t = r.pass_accesses;
  std::vector<std::uint32_t> row_of(t.rows(), kNoRow);
  const std::uint32_t storage = r.storage.rows();
  // Accesses of functions that are no orchestration have no call site: they are left out.
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < t.rows(); ++i) {
    const std::uint32_t site = t.call_site[i];
    const std::uint32_t at = row(derived_at, site);
    if (at == kNoRow) continue;
    t.region[i] = region_row(site, t.region[i]);
    t.call_site[i] = at;
    if (t.storage[i] >= storage) t.storage[i] = kNoRow;
    row_of[i] = kept;
    if (kept != i) PassAccessesTable::columns(t, [&](std::string_view, auto& values, Target) { values[kept] = values[i]; });
    ++kept;
  }
  PassAccessesTable::columns(t, [&](std::string_view, auto& values, Target) { values.resize(kept); });
  for (std::uint32_t& access : r.listed_accesses.access) access = access < row_of.size() ? row_of[access] : kNoRow;
}

void PassRecorder::State::resolve_hazards() {
  if (derived_at == kNoRow) return;
  // Where the edges of each call site begin, and how many of them are the user's own: they come first.
  std::vector<std::uint32_t> first(r.call_sites.rows(), kNoRow);
  std::vector<std::uint32_t> users(r.call_sites.rows(), 0);
  for (std::uint32_t i = 0; i < r.pass_edges.rows(); ++i) {
    const std::uint32_t consumer = r.pass_edges.consumer[i];
    if (first[consumer] == kNoRow) first[consumer] = i;
    if (r.pass_edges.origin[i] == static_cast<std::uint8_t>(pass::EdgeOrigin::User)) ++users[consumer];
  }
  auto& t = r.hazards;
  const std::uint32_t storage = r.storage.rows();
  const std::uint32_t edges = r.pass_edges.rows();
  for (std::uint32_t i = 0; i < t.rows(); ++i) {
    const std::uint32_t current = t.current[i];
    t.region[i] = region_row(current, t.region[i]);
    t.prior[i] = row(derived_at, t.prior[i]);
    t.current[i] = row(derived_at, current);
    if (t.prior_storage[i] >= storage) t.prior_storage[i] = kNoRow;
    if (t.current_storage[i] >= storage) t.current_storage[i] = kNoRow;
    const auto verdict = static_cast<pass::HazardVerdict>(t.verdict[i]);
    if (verdict == pass::HazardVerdict::FellBack && t.region[i] != kNoRow) {
      const std::uint32_t region = t.region[i];
      if (r.regions.offending_hazard[region] == kNoRow && r.regions.offending_site[region] == t.current[i])
        r.regions.offending_hazard[region] = i;
    }
    std::uint32_t& edge = t.edge_row[i];
    const std::uint32_t consumer = t.current[i];
    if (edge == kNoRow) continue;
    if (consumer == kNoRow || first[consumer] == kNoRow) {
      edge = kNoRow;
      continue;
    }
    edge += first[consumer] + (verdict == pass::HazardVerdict::CompilerEdge ? users[consumer] : 0);
    if (edge >= edges || r.pass_edges.consumer[edge] != consumer) edge = kNoRow;
  }
}

void PassRecorder::State::write_undone_and_lineage() {
  for (const RecordedRewrite& rewrite : rewrites) {
    if (rewrite.undone == pass::ArgDirection::None || rewrite.site.snapshot != derived_at) continue;
    const std::uint32_t at = row(rewrite.site);
    const std::uint32_t region = region_row(rewrite.site.site, rewrite.undone_by);
    if (at == kNoRow || region == kNoRow || rewrite.arg >= r.call_sites.argument_count[at]) continue;
    r.rewrites_undone.region.push_back(region);
    r.rewrites_undone.argument.push_back(r.call_sites.argument_begin[at] + rewrite.arg);
    r.rewrites_undone.from.push_back(static_cast<std::uint8_t>(rewrite.before));
    r.rewrites_undone.to.push_back(static_cast<std::uint8_t>(rewrite.undone));
  }
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    for (const pass::LineageStep& step : regions[i].record.lineage) {
      r.lineage.region.push_back(i);
      r.lineage.line.push_back(step.line);
      r.lineage.what.push_back(r.strings.add(step.what));
    }
  }
}

}  // namespace depscope::recording
