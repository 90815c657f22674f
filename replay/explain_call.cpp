#include "explain_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "depscope/ir/nodes.h"
#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "explain_advice.h"

namespace depscope::replay {

using recording::kNoRow;
using recording::Recording;

namespace {

constexpr std::array<std::string_view, 4> kCallKinds = {"call of", "submit of", "", "allocation"};
constexpr std::array<std::string_view, 3> kParamDirections = {"In", "Out", "InOut"};
constexpr std::size_t kMaxNonPairs = 20;  // of each sort; the rest is counted
constexpr std::string_view kDifferentRoots = "different_roots";

bool is_disjoint(const Recording& r, std::uint32_t hazard) {
  return r.hazards.verdict[hazard] == static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint);
}

/// Prints the first of a list and counts the others.
template <class Rows, class Print>
void bounded(const Rows& rows, std::uint32_t max_items, std::size_t indent, TextLines& out, Print&& print) {
  std::uint32_t shown = 0;
  for (const std::uint32_t row : rows) {
    if (shown++ < max_items) print(row);
  }
  if (shown > max_items) out.line(indent, fmt::format("… and {} more", shown - max_items));
}

void arguments(const Recording& r, const CallRows& rows, std::uint32_t site, bool all_advice, std::size_t indent,
               TextLines& out) {
  const auto& a = r.arguments;
  std::size_t width = 1;
  const std::uint32_t begin = r.call_sites.argument_begin[site];
  for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k)
    width = std::clamp<std::size_t>(argument_text(r, site, k).size(), width, 20);
  for (std::uint32_t k = 0; k < r.call_sites.argument_count[site]; ++k) {
    const std::uint32_t i = begin + k;
    const auto derived = static_cast<pass::ArgDirection>(a.derived[i]);
    const auto final = static_cast<pass::ArgDirection>(a.direction[i]);
    const auto reason = static_cast<pass::RewriteReason>(a.rewrite[i]);
    std::string text = fmt::format("{:<{}}  {}", argument_text(r, site, k), width, kParamDirections[a.callee_direction[i]]);
    if (derived != pass::ArgDirection::None) {
      text += fmt::format(" -> {} ({})", pass::arg_direction_name(derived),
                          pass::direction_rule_name(static_cast<pass::DirectionRule>(a.rule[i])));
      if (final != derived) {
        text += fmt::format(" -> {}", pass::arg_direction_name(final));
        if (!rewrite_words(reason).empty()) text += fmt::format(": {}", rewrite_words(reason));
      } else if (derived != pass::ArgDirection::Scalar && !rewrite_words(reason).empty()) {
        text += fmt::format(", stays: {}", rewrite_words(reason));
        if (const std::uint8_t undone = rows.undone_to[i]; undone != 0)
          text += fmt::format(" (else {})", pass::arg_direction_name(static_cast<pass::ArgDirection>(undone)));
      }
    }
    out.line(indent, text, width + 2);
    // What is refused says at once what would be accepted; where only one call is asked for, every argument does.
    if (final == derived && derived != pass::ArgDirection::Scalar && (rewrite_refused(reason) || all_advice)) {
      if (const std::string change = rewrite_advice(reason); !change.empty())
        out.line(indent + width + 2, fmt::format("what would change it: {}", change));
    }
  }
}

/// What happened between an access before the call and one of its own, where no hazard is on record.
std::string_view non_pair(const Recording& r, std::uint32_t prior, std::uint32_t current) {
  const auto& a = r.pass_accesses;
  if (a.storage[prior] == kNoRow || a.storage[current] == kNoRow) return "unknown place";
  const bool same_root = r.storage.root[a.storage[prior]] == r.storage.root[a.storage[current]];
  if (!same_root) return kDifferentRoots;
  if (((a.kind[prior] | a.kind[current]) & pass::kWrites) == 0) return "read_read";
  if (a.outcome[prior] != static_cast<std::uint8_t>(pass::AccessOutcome::Recorded)) return "not on record: its call fell back";
  const std::uint32_t region = a.region[prior];
  if (region != kNoRow && region != a.region[current] &&
      r.regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::FellBack))
    return "not on record: its region fell back";
  if (a.outcome[current] != static_cast<std::uint8_t>(pass::AccessOutcome::Recorded))
    return "not judged: this call fell back before";
  return "disjoint_boxes";
}

}  // namespace

CallRows::CallRows(const Recording& r) : undone_to(r.arguments.rows(), 0) {
  const std::uint32_t sites = r.call_sites.rows();
  hazards = groups_of(r.hazards.current, sites);
  edges = groups_of(r.pass_edges.consumer, sites);
  accesses = groups_of(r.pass_accesses.call_site, sites);
  for (std::uint32_t i = 0; i < r.rewrites_undone.rows(); ++i) undone_to[r.rewrites_undone.argument[i]] = r.rewrites_undone.to[i];
}

void explain_call(const Recording& r, const CallRows& rows, std::uint32_t site, std::uint32_t max_items, std::size_t indent,
                  TextLines& out) {
  const auto& s = r.call_sites;
  std::string head = fmt::format("{:<3} {} {}{}", s.index[site], kCallKinds[s.kind[site]],
                                 s.kind[site] == 2 ? "barrier" : r.text(s.callee[site]), at_line(s.line[site]));
  if (s.kind[site] == 2) head.erase(head.find("  "), 1);
  if (s.loop_depth[site] != 0) head += fmt::format(", in {} loop{}", s.loop_depth[site], s.loop_depth[site] == 1 ? "" : "s");
  if (s.scope_begin_count[site] != 0) {
    const std::uint32_t scope = r.pool[s.scope_begin[site] + s.scope_begin_count[site] - 1];
    head += fmt::format(", {} scope {}", r.ir_scopes.manual[scope] != 0 ? "MANUAL" : "AUTO", r.ir_scopes.index[scope]);
  }
  out.line(indent, head);
  arguments(r, rows, site, max_items == kNoRow, indent + 4, out);

  const std::span<const std::uint32_t> hazards = rows.hazards.of(site);
  std::vector<std::uint32_t> id_names;
  for (const std::uint32_t edge : rows.edges.of(site)) {
    id_names.push_back(r.pass_edges.id[edge]);
    id_names.push_back(recording::edge_part(r, edge, r.pass_edges.more_count[edge]).id);
  }
  for (const std::uint32_t hazard : hazards) {
    if (r.hazards.edge_row[hazard] == kNoRow) id_names.push_back(r.hazards.edge[hazard]);
  }
  const ShownNames ids(r, std::move(id_names));
  bounded(rows.edges.of(site), max_items, indent + 4, out, [&](std::uint32_t edge) {
    std::string text = edge_text(r, edge, ids);
    // What it covers, each sort once, in the order of the first of them.
    std::vector<std::pair<std::string, std::uint64_t>> covered;
    for (const std::uint32_t hazard : hazards) {
      if (r.hazards.edge_row[hazard] != edge) continue;
      const std::string sort =
          fmt::format("{} on {}", kinds_text(r.hazards.kinds[hazard]), argument_text(r, site, r.hazards.current_arg[hazard]));
      const auto known = std::find_if(covered.begin(), covered.end(), [&](const auto& c) { return c.first == sort; });
      const auto at = known == covered.end() ? covered.insert(known, {sort, 0}) : known;
      at->second += recording::hazard_count(r, hazard);
    }
    for (std::size_t i = 0; i < covered.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "; covers " : ", ", covered[i].first);
      if (covered[i].second > 1) text += fmt::format(" ({} times)", covered[i].second);
    }
    out.line(indent + 4, text);
  });
  std::vector<std::uint32_t> judged;
  std::uint64_t disjoint = 0;
  for (const std::uint32_t hazard : hazards) {
    if (is_disjoint(r, hazard)) {
      disjoint += recording::hazard_count(r, hazard);
    } else {
      judged.push_back(hazard);
    }
  }
  bounded(judged, max_items, indent + 4, out, [&](std::uint32_t hazard) {
    out.line(indent + 4, fmt::format("{}: {}", hazard_text(r, hazard), verdict_text(r, hazard, ids)));
  });
  if (disjoint != 0) {
    out.line(indent + 4, fmt::format("{} access{} of the same buffer touch{} other elements", disjoint, disjoint == 1 ? "" : "es",
                                     disjoint == 1 ? "es" : ""));
  }
}

void explain_accesses(const Recording& r, const CallRows& rows, std::uint32_t site, std::size_t indent, TextLines& out) {
  const auto& a = r.pass_accesses;
  const std::span<const std::uint32_t> own = rows.accesses.of(site);
  if (own.empty()) {
    out.line(indent, "no accesses: the analysis did not look at this call");
    return;
  }
  out.line(indent, "accesses");
  for (const std::uint32_t access : own) {
    std::string text = fmt::format("{} {} {}", a.kind[access] == 0 ? "-" : pass::access_kind_name(a.kind[access]),
                                   argument_text(r, site, a.arg[access]), storage_text(r, a.storage[access]));
    if (!r.text(a.id[access]).empty()) text += fmt::format(", known by {}", r.text(a.id[access]));
    if (a.in_loop[access] != 0) text += ", in a loop";
    if (a.dynamic_serial[access] != 0) text += fmt::format(" (loop {}, of unknown length)", a.dynamic_serial[access]);
    if (a.region[access] != kNoRow) text += fmt::format(", region {}", r.regions.index[a.region[access]]);
    text += fmt::format(": {}", pass::access_outcome_name(static_cast<pass::AccessOutcome>(a.outcome[access])));
    out.line(indent + 2, text);
  }
  // Pairs that are on record as hazards, by what they are made of.
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> judged;
  for (const std::uint32_t hazard : rows.hazards.of(site)) {
    if (is_disjoint(r, hazard)) continue;
    recording::for_each_hazard(r, hazard, [&](const recording::HazardPart& part) {
      judged.emplace_back(part.prior, part.prior_arg, part.prior_storage, r.hazards.current_arg[hazard]);
    });
  }
  std::sort(judged.begin(), judged.end());
  struct NonPairs {
    std::uint64_t count = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> shown;  // accesses before and of this call
    std::set<std::string_view> roots;                            // different_roots: of the accesses before
  };
  std::map<std::string_view, NonPairs> found;
  const std::uint32_t function = r.call_sites.function[site];
  for (std::uint32_t prior = 0; prior < own.front(); ++prior) {
    if (r.call_sites.function[a.call_site[prior]] != function) continue;
    for (const std::uint32_t access : own) {
      if (std::binary_search(judged.begin(), judged.end(),
                             std::tuple{a.call_site[prior], a.arg[prior], a.storage[prior], a.arg[access]}))
        continue;
      const std::string_view why = non_pair(r, prior, access);
      NonPairs& pairs = found[why];
      ++pairs.count;
      if (why == kDifferentRoots) {
        if (pairs.roots.size() <= kMaxNonPairs) pairs.roots.insert(ir::source_name(r.text(r.storage.root[a.storage[prior]])));
      } else if (pairs.shown.size() < kMaxNonPairs) {
        pairs.shown.emplace_back(prior, access);
      }
    }
  }
  if (found.empty()) return;
  out.line(indent, "earlier accesses without a hazard");
  for (const auto& [why, pairs] : found) {
    std::string head = fmt::format("{}: {}", why, pairs.count);
    if (!pairs.roots.empty()) {
      std::vector<std::string_view> names(pairs.roots.begin(), pairs.roots.end());
      const bool more = names.size() > kMaxNonPairs;
      if (more) names.pop_back();
      head += fmt::format(" (accesses of {}{})", fmt::join(names, ", "), more ? ", …" : "");
    }
    out.line(indent + 2, head);
    for (const auto& [prior, access] : pairs.shown) {
      out.line(indent + 4, fmt::format("{} {} with {} {} of {}, argument {}", pass::access_kind_name(a.kind[access]),
                                       storage_text(r, a.storage[access]), pass::access_kind_name(a.kind[prior]),
                                       storage_text(r, a.storage[prior]), call_text(r, a.call_site[prior]),
                                       argument_text(r, a.call_site[prior], a.arg[prior])));
    }
    if (why != kDifferentRoots && pairs.count > pairs.shown.size())
      out.line(indent + 4, fmt::format("… and {} more", pairs.count - pairs.shown.size()));
  }
}

}  // namespace depscope::replay
