#include "depscope/viewers/regions_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

using recording::Recording;

/// " (line 12)".
std::string at(std::uint32_t line) { return replay::at_line(line); }

}  // namespace

std::vector<RegionLine> region_tree(const Recording& r) {
  const std::uint32_t count = r.regions.rows();
  const Groups of_function(r.regions.function, r.functions.rows());
  const Groups children(r.regions.parent, count);
  std::vector<RegionLine> lines;
  lines.reserve(count + std::size_t{4});
  std::vector<bool> seen(count, false);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // region, depth; the next one last
  const auto walk = [&](std::uint32_t function, std::uint32_t root) {
    open.assign(1, {root, 0});
    while (!open.empty()) {
      const auto [region, depth] = open.back();
      open.pop_back();
      if (seen[region]) continue;
      seen[region] = true;
      lines.push_back({function, region, depth});
      const auto inside = children.of(region);
      for (auto child = inside.rbegin(); child != inside.rend(); ++child) open.emplace_back(*child, depth + 1);
    }
  };
  for (std::uint32_t f = 0; f < r.functions.rows(); ++f) {
    const auto regions = of_function.of(f);
    if (regions.empty()) continue;
    lines.push_back({f, kNoRow, 0});
    for (const std::uint32_t region : regions) {
      if (r.regions.parent[region] == kNoRow) walk(f, region);
    }
    // Parents that point in a circle, or into another function, do not hide anything.
    for (const std::uint32_t region : regions) {
      if (!seen[region]) walk(f, region);
    }
  }
  return lines;
}

RegionIndex::RegionIndex(const Recording& r)
    : counts_(r.regions.rows()),
      lineage_(r.lineage.region, r.regions.rows()),
      stripped_(r.pass_edges.stripped_by, r.regions.rows()),
      undone_(r.rewrites_undone.region, r.regions.rows()) {
  std::vector<bool> counted(r.pass_edges.rows(), false);
  for (std::uint32_t hazard = 0; hazard < r.hazards.rows(); ++hazard) {
    const std::uint32_t region = r.hazards.region[hazard];
    if (region == kNoRow || r.hazards.verdict[hazard] == static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint)) continue;
    counts_[region].hazards += recording::hazard_count(r, hazard);
    const std::uint32_t edge = r.hazards.edge_row[hazard];
    if (edge == kNoRow || counted[edge] || !recording::is_kept_compiler_edge(r, edge)) continue;
    counted[edge] = true;
    counts_[region].kept += recording::edge_count(r, edge);
  }
  for (std::uint32_t region = 0; region < r.regions.rows(); ++region) {
    RegionCounts& counts = counts_[region];
    // A virtual body keeps what was attached before it fell back, wherever its hazards are counted.
    if (r.regions.kept_edges[region] != 0) counts.kept = r.regions.kept_edges[region];
    counts.stripped = r.regions.stripped_edges[region];
    counts.undone = undone_.of(region).size();
  }
}

std::string counts_text(const RegionCounts& counts) {
  std::string text = counts.hazards == 0 ? std::string("no hazards") : count_of(counts.hazards, "hazard");
  if (counts.kept != 0) text += fmt::format(", {} kept", count_of(counts.kept, "edge"));
  if (counts.stripped != 0) text += fmt::format(", {} stripped", count_of(counts.stripped, "edge"));
  if (counts.undone != 0) text += fmt::format(", {} undone", count_of(counts.undone, "rewrite"));
  return text;
}

std::string region_label(const Document& document, std::uint32_t region) {
  const auto& r = document.recording();
  const std::uint32_t function = r.regions.function[region];
  return fmt::format("region {} of {}", r.regions.index[region],
                     function < r.functions.rows() ? r.text(r.functions.name[function]) : std::string_view("?"));
}

std::string region_summary(const Document& document, std::uint32_t region) {
  const auto& r = document.recording();
  std::string text = fmt::format("region {} {}{}: {}", r.regions.index[region], region_kind_words(r.regions.kind[region]).name,
                                 at(r.regions.line[region]), region_outcome_words(r.regions.outcome[region]).name);
  const std::string_view reason = r.text(r.regions.reason[region]);
  if (!reason.empty()) text += fmt::format(", {}", reason);
  if (const std::string_view words = replay::fallback_words(reason); !words.empty()) text += fmt::format(": {}", words);
  return text;
}

std::uint32_t site_on_line(const Recording& r, std::uint32_t function, std::uint32_t line) {
  if (line == 0) return kNoRow;
  for (std::uint32_t site = 0; site < r.call_sites.rows(); ++site) {
    if (r.call_sites.line[site] == line && r.call_sites.function[site] == function) return site;
  }
  return kNoRow;
}

DecisionLine fence_line(const Recording& r, std::uint32_t row) {
  const auto& f = r.fences;
  DecisionLine out{f.function[row], row, f.line[row], f.accepted[row] != 0, {}, {}};
  out.text = fmt::format("{} before the loop{}: ", ir::source_name(r.text(f.array[row])), at(f.line[row]));
  if (out.accepted) {
    out.text += fmt::format("barrier, {} x {} edges become {} + {}, saving {}", f.producers[row], f.consumers[row],
                            f.producers[row], f.consumers[row], f.saving[row]);
    out.explained = "every producer gives one edge to the barrier, and the barrier one to every consumer (passes.md 6.3)";
    return out;
  }
  const DecisionWords words = fence_reason_words(r.text(f.reason[row]));
  out.text += fmt::format("no barrier, {}", words.name);
  if (f.producers[row] != 0 || f.consumers[row] != 0)
    out.text += fmt::format(" (N {}, M {}, saving {})", f.producers[row], f.consumers[row], f.saving[row]);
  out.explained = words.explained();
  return out;
}

DecisionLine scope_line(const Recording& r, std::uint32_t row) {
  const auto& d = r.scope_decisions;
  const auto change = static_cast<pass::ScopeChange>(d.change[row]);
  const std::string_view mode = d.manual[row] != 0 ? "MANUAL" : "AUTO";
  const std::string name = d.scope[row] == kNoRow ? std::string() : fmt::format(" {}", r.ir_scopes.index[d.scope[row]]);
  DecisionLine out{d.function[row], row, d.line[row], false, {}, {}};
  switch (change) {
    case pass::ScopeChange::Kept: out.text = fmt::format("{} scope{} of the user", mode, name); break;
    case pass::ScopeChange::InsertedAuto:
    case pass::ScopeChange::InsertedManual:
      out.text = fmt::format("{} scope{} inserted", mode, name);
      out.accepted = true;
      break;
    case pass::ScopeChange::NotInserted: out.text = "no scope inserted"; break;
  }
  out.text += fmt::format("{}: {}", at(d.line[row]), r.text(d.decision[row]));
  out.explained =
      fmt::format("{}: what MaterializeRuntimeScopes did here and why (passes.md 8)", pass::scope_change_name(change));
  return out;
}

DecisionLine carry_line(const Recording& r, std::uint32_t row) {
  const auto& c = r.carries;
  DecisionLine out{c.function[row], row, c.line[row], c.rebind[row] != 0, {}, {}};
  out.text = fmt::format("{} through the loop{}: {}", ir::source_name(r.text(c.name[row])), at(c.line[row]),
                         out.accepted ? "assigned anew (rebind)" : "one buffer throughout (trivial)");
  if (c.array_size[row] != 0) out.text += fmt::format(", {} ids side by side", c.array_size[row]);
  out.explained = out.accepted ? "the loop hands another value on, so the generated code assigns it each time (passes.md 9.6)"
                               : "the value stays in the buffer that the loop was given (passes.md 9.6)";
  return out;
}

}  // namespace depscope::viewers
