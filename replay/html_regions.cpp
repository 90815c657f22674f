// The regions of the analysis as a tree, and the directions that it gave.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "depscope/pass/decisions.h"
#include "explain_advice.h"
#include "explain_words.h"
#include "html_sections.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using pass::RegionOutcome;
using recording::kNoRow;
using recording::Recording;

struct OutcomeShape {
  std::string_view shape, classes, words;
};

OutcomeShape outcome_shape(RegionOutcome outcome) {
  switch (outcome) {
    case RegionOutcome::Analysed: return {"✔", "good", "every conflict was judged"};
    case RegionOutcome::FellBack: return {"▲", "bad", "left to the runtime"};
    case RegionOutcome::SkippedManual: return {"■", "plain", "a MANUAL scope of the user's is not analysed"};
    case RegionOutcome::SwitchedOff: return {"○", "plain", "the analysis was not asked for"};
    case RegionOutcome::NotModelled: return {"◇", "bad", "holds something that the passes have no model for"};
  }
  return {"?", "plain", ""};
}

class RegionTree {
 public:
  explicit RegionTree(const HtmlPage& page)
      : page_(page),
        r_(page.r),
        lineage_(groups_of(r_.lineage.region, r_.regions.rows())),
        undone_(groups_of(r_.rewrites_undone.region, r_.regions.rows())) {
    choose();
    children_ = RowGroups(r_.regions.rows(), r_.regions.rows(), [this](std::uint32_t region) {
      const std::uint32_t parent = r_.regions.parent[region];
      return chosen_[region] != 0 && parent != kNoRow && chosen_[parent] != 0 ? parent : kNoRow;
    });
    by_function_ = RowGroups(r_.functions.rows(), r_.regions.rows(), [this](std::uint32_t region) {
      const std::uint32_t parent = r_.regions.parent[region];
      return chosen_[region] != 0 && (parent == kNoRow || chosen_[parent] == 0) ? r_.regions.function[region] : kNoRow;
    });
  }

  void write() {
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      if (by_function_.of(f).empty()) continue;
      page_.out.raw("<h3><code>");
      page_.text(r_.text(r_.functions.name[f]));
      page_.out.raw("</code> <small>");
      page_.line(r_.functions.line[f]);
      page_.out.raw("</small></h3>\n<ul class=\"tree\">\n");
      for (const std::uint32_t region : by_function_.of(f)) node(region);
      page_.out.raw("</ul>\n");
    }
    left_out(page_.out, shown_, r_.regions.rows(), "regions", "those that were not analysed first",
             "depscope explain FILE --json");
  }

 private:
  void choose() {
    const std::uint32_t regions = r_.regions.rows();
    chosen_.assign(regions, 0);
    for (const bool analysed : {false, true}) {
      for (std::uint32_t region = 0; region < regions && shown_ < page_.o.max_regions; ++region) {
        if ((outcome(region) == RegionOutcome::Analysed) != analysed) continue;
        chosen_[region] = 1;
        ++shown_;
      }
    }
  }

  [[nodiscard]] RegionOutcome outcome(std::uint32_t region) const {
    return static_cast<RegionOutcome>(r_.regions.outcome[region]);
  }

  /// At most as deep as there are chosen regions.
  void node(std::uint32_t region) {  // NOLINT(misc-no-recursion)
    const auto& g = r_.regions;
    HtmlWriter& out = page_.out;
    const OutcomeShape shape = outcome_shape(outcome(region));
    out.raw("<li id=\"region-").number(region).raw(R"("><div class="region"><b>region )").number(g.index[region]).raw("</b> ");
    out.text(pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region]))).raw(" <small>");
    page_.line(g.line[region]);
    out.raw("</small> <span class=\"state ").raw(shape.classes).raw(R"("><i aria-hidden="true">)").raw(shape.shape).raw("</i>");
    out.text(pass::region_outcome_name(outcome(region))).raw("</span>");
    const std::string_view reason = r_.text(g.reason[region]);
    if (!reason.empty()) out.raw(" ").element("code", "", reason);
    const std::string_view words = fallback_words(reason);
    out.raw(" <span class=\"dim\">").text(words.empty() ? shape.words : words).raw("</span>");
    details(region);
    out.raw("</div>");
    if (!children_.of(region).empty()) {
      out.raw("\n<ul>\n");
      for (const std::uint32_t child : children_.of(region)) node(child);
      out.raw("</ul>\n");
    }
    out.raw("</li>\n");
  }

  void entry(std::string_view label, std::string_view text) {
    page_.out.raw("<dt>").text(label).raw("</dt><dd>");
    page_.text(text);
    page_.out.raw("</dd>");
  }

  void details(std::uint32_t region) {
    const auto& g = r_.regions;
    const std::uint32_t site = g.offending_site[region];
    const std::uint32_t hazard = g.offending_hazard[region];
    const auto steps = lineage_.of(region);
    const std::string advice = region_advice(r_, region, hazard == kNoRow ? kNoRow : r_.hazards.prior[hazard],
                                             steps.empty() ? "" : r_.text(r_.lineage.what[steps.back()]));
    const bool fell_back = outcome(region) == RegionOutcome::FellBack;
    // What holds for a whole function is said once.
    const std::uint32_t parent = g.parent[region];
    const bool said = outcome(region) == RegionOutcome::SwitchedOff && parent != kNoRow && chosen_[parent] != 0 &&
                      outcome(parent) == RegionOutcome::SwitchedOff;
    if (!fell_back && (advice.empty() || said)) return;
    page_.out.raw("<dl>");
    if (fell_back && site != kNoRow) {
      entry("at", fmt::format("{}, argument {}", call_text(r_, site), argument_text(r_, site, g.offending_arg[region])));
      if (hazard != kNoRow) entry("conflict", hazard_text(r_, hazard));
    }
    if (fell_back && !steps.empty()) {
      page_.out.raw("<dt>comes from</dt><dd><ol>");
      for (std::size_t i = 0; i < std::min<std::size_t>(steps.size(), page_.o.max_items); ++i) {
        page_.out.raw("<li>");
        page_.text(r_.text(r_.lineage.what[steps[i]]));
        page_.out.raw(r_.lineage.line[steps[i]] == 0 ? "" : ", ");
        page_.line(r_.lineage.line[steps[i]]);
        page_.out.raw("</li>");
      }
      page_.out.raw("</ol>");
      if (steps.size() > page_.o.max_items) page_.out.text(fmt::format("… and {} more steps", steps.size() - page_.o.max_items));
      page_.out.raw("</dd>");
    }
    if (g.stripped_edges[region] != 0) entry("lost", counted(g.stripped_edges[region], "compiler edge", "compiler edges"));
    if (const std::size_t undone = undone_.of(region).size(); undone != 0)
      entry("lost", counted(undone, "rewrite of a direction", "rewrites of directions"));
    if (g.kept_edges[region] != 0)
      entry("kept", fmt::format("{} of this function", counted(g.kept_edges[region], "compiler edge", "compiler edges")));
    if (!advice.empty()) entry("would change it", advice);
    page_.out.raw("</dl>");
  }

  const HtmlPage& page_;
  const Recording& r_;
  std::vector<std::uint8_t> chosen_;
  std::uint32_t shown_ = 0;
  RowGroups lineage_, undone_, children_, by_function_;
};

/// 0: rewritten by AutoDerive, 1: refused although an edge might do, 2: another direction than the callee declares, 3: the rest.
std::uint32_t interest(const Recording& r, std::uint32_t argument) {
  const auto& a = r.arguments;
  if (a.derived[argument] != a.direction[argument]) return 0;
  if (rewrite_refused(static_cast<pass::RewriteReason>(a.rewrite[argument]))) return 1;
  constexpr std::array<pass::ArgDirection, 3> kPlain{pass::ArgDirection::Input, pass::ArgDirection::Output,
                                                     pass::ArgDirection::InOut};
  return static_cast<pass::ArgDirection>(a.direction[argument]) != kPlain[a.callee_direction[argument]] ? 2 : 3;
}

}  // namespace

void html_regions(const HtmlPage& page) {
  const Recording& r = page.r;
  if (r.regions.rows() == 0) return empty_state(page.out, "AutoDeriveTaskDependencies was not run, or found nothing to look at.");
  RegionTree(page).write();
}

void html_directions(const HtmlPage& page) {
  const Recording& r = page.r;
  const auto& a = r.arguments;
  std::vector<std::uint32_t> rows;
  std::array<std::uint32_t, 4> counts{};
  for (std::uint32_t level = 0; level < 4; ++level) {
    for (std::uint32_t i = 0; i < a.rows(); ++i) {
      const auto derived = static_cast<pass::ArgDirection>(a.derived[i]);
      if (derived == pass::ArgDirection::Scalar || derived == pass::ArgDirection::None || interest(r, i) != level) continue;
      ++counts[level];
      if (rows.size() < page.o.max_rows) rows.push_back(i);
    }
  }
  const std::uint32_t total = counts[0] + counts[1] + counts[2] + counts[3];
  if (total == 0) return empty_state(page.out, "No direction of a tensor argument was derived.");
  page.out.raw("<p>").text(
      fmt::format("{} rewritten because an edge orders every hazard, {} refused, {} others whose direction is "
                  "not the declared one.",
                  counts[0], counts[1], counts[2]));
  page.out.raw(" Scalars are left out.</p>\n");
  std::sort(rows.begin(), rows.end());
  HtmlTable table(page.out, "direction-table", "Directions of arguments",
                  {{"Function"}, {"Call"}, {"Argument"}, {"Callee"}, {"Derived"}, {"Rule"}, {"Final"}, {"Verdict"}}, true);
  constexpr std::array<std::string_view, 3> kDeclared{"In", "Out", "InOut"};
  for (const std::uint32_t i : rows) {
    const std::uint32_t site = a.call_site[i];
    const auto derived = static_cast<pass::ArgDirection>(a.derived[i]);
    const auto direction = static_cast<pass::ArgDirection>(a.direction[i]);
    const auto reason = static_cast<pass::RewriteReason>(a.rewrite[i]);
    table.row().cell(r.text(r.functions.name[r.call_sites.function[site]]));
    table.open();
    page.out.text(fmt::format("{} ", r.call_sites.index[site]));
    page.text(r.text(r.call_sites.callee[site]));
    page.out.raw(r.call_sites.line[site] == 0 ? "" : ", ");
    page.line(r.call_sites.line[site]);
    table.close().cell(argument_text(r, site, i - r.call_sites.argument_begin[site]));
    table.cell(kDeclared[a.callee_direction[i]]).cell(pass::arg_direction_name(derived));
    table.cell(pass::direction_rule_name(static_cast<pass::DirectionRule>(a.rule[i]))).open();
    page.out.element(direction == derived ? "span" : "b", "", pass::arg_direction_name(direction));
    table.close().open(" class=\"wrap\"");
    const bool refused = rewrite_refused(reason);
    page.out.raw(direction != derived ? "<i aria-hidden=\"true\">◆</i> rewritten: "
                 : refused            ? "<i aria-hidden=\"true\">▲</i> stays: "
                                      : "stays: ");
    page.out.text(rewrite_words(reason));
    if (const std::string advice = rewrite_advice(reason); refused && !advice.empty())
      page.out.raw(" <span class=\"dim\">(would change it: ").text(advice).raw(")</span>");
    table.close();
  }
  table.end();
  left_out(page.out, rows.size(), total, "arguments", "rewritten and refused ones first",
           "depscope export FILE --format csv --table arguments -o OUT");
}

}  // namespace depscope::replay
