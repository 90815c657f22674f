#include "depscope/replay/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "depscope/replay/summary_text.h"
#include "explain_advice.h"
#include "explain_call.h"
#include "explain_words.h"
#include "row_groups.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

constexpr std::string_view kOrchestration = "Orchestration";

class Explanation {
 public:
  Explanation(const Recording& recording, const ExplainOptions& options) : r_(recording), o_(options), calls_(recording) {
    const std::uint32_t functions = r_.functions.rows();
    sites_ = groups_of(r_.call_sites.function, functions);
    regions_ = groups_of(r_.regions.function, functions);
    decisions_ = groups_of(r_.scope_decisions.function, functions);
    fences_ = groups_of(r_.fences.function, functions);
    carries_ = groups_of(r_.carries.function, functions);
    lineage_ = groups_of(r_.lineage.region, r_.regions.rows());
    undone_ = groups_of(r_.rewrites_undone.region, r_.regions.rows());
    stripped_ = groups_of(r_.pass_edges.stripped_by, r_.regions.rows());
  }

  std::string run() {
    head();
    dumps();
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      if (r_.text(r_.functions.kind[f]) != kOrchestration) continue;
      if (o_.function == kNoRow || o_.function == f) function(f);
    }
    other_warnings();
    return out_.take();
  }

 private:
  void head() {
    out_.line(0, r_.program_name.empty() ? r_.input_name : fmt::format("{} ({})", r_.program_name, r_.input_name));
    std::string changed;
    std::string unchanged;
    for (std::uint32_t i = 1; i < r_.passes.rows(); ++i) {
      std::string& list = r_.passes.changed[i] != 0 ? changed : unchanged;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", r_.text(r_.passes.name[i]));
    }
    if (!changed.empty()) out_.line(0, fmt::format("Changed by: {}", changed));
    if (!unchanged.empty()) out_.line(0, fmt::format("Unchanged by: {}", unchanged));
    for (std::uint32_t i = 0; i < r_.options.rows(); ++i) {
      const std::string_view name = r_.text(r_.options.name[i]);
      if (name == "profile" || name == "analyze-auto-scopes")
        out_.line(0, fmt::format("Option {}: {}", name, r_.text(r_.options.value[i])));
    }
  }

  /// Of a dump directory: whether the passes agree with it, directions of parameters, changes from dump to dump.
  void dumps() {
    if (o_.function != kNoRow || o_.call_site != kNoRow) return;
    std::vector<std::string_view> lines;
    std::size_t unchanged = 0;
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) {
      const std::string_view kind = r_.text(r_.findings.kind[i]);
      const std::string_view fields = r_.text(r_.findings.fields[i]);
      const auto has = [&](std::string_view text) { return fields.find(text) != std::string_view::npos; };
      if (kind == "agreement") out_.line(0, r_.text(r_.findings.summary[i]));
      if (kind == "rewrite" ? has(R"("parameter":)") : kind == "difference" && has(R"("what":"pass_changed")"))
        lines.push_back(r_.text(r_.findings.summary[i]));
      unchanged += kind == "difference" && has(R"("what":"pass_noop")") ? 1U : 0U;
    }
    if (lines.empty() && unchanged == 0) return;
    out_.blank();
    out_.line(0, "Dumps");
    const std::size_t shown = std::min<std::size_t>(lines.size(), std::size_t{4} * o_.max_items);
    for (std::size_t i = 0; i < shown; ++i) out_.line(2, lines[i]);
    if (shown < lines.size()) out_.line(2, fmt::format("… and {} more", lines.size() - shown));
    if (unchanged != 0) out_.line(2, fmt::format("{} dump{} changed nothing", unchanged, unchanged == 1 ? "" : "s"));
  }

  void function(std::uint32_t f) {
    out_.blank();
    const std::span<const std::uint32_t> sites = sites_.of(f);
    out_.line(0, fmt::format("{}{}: {} call site{}", r_.text(r_.functions.name[f]), at_line(r_.functions.line[f]), sites.size(),
                             sites.size() == 1 ? "" : "s"));
    if (o_.call_site != kNoRow) {
      explain_call(r_, calls_, o_.call_site, kNoRow, 2, out_);
      explain_accesses(r_, calls_, o_.call_site, 6, out_);
      return;
    }
    const std::uint32_t max_calls = o_.function == kNoRow ? o_.max_calls : kNoRow;
    list("Regions, as the analysis numbers them (scopes are numbered in the last program)", shown_regions(f), max_calls,
         [this](std::uint32_t row) { region(row); });
    if (!sites.empty()) out_.line(2, "Calls");
    for (std::size_t i = 0; i < std::min<std::size_t>(sites.size(), max_calls); ++i)
      explain_call(r_, calls_, sites[i], o_.max_items, 4, out_);
    if (sites.size() > max_calls) {
      out_.line(4, fmt::format("… and {} more; use --function {}, or --call N for one of them", sites.size() - max_calls,
                               r_.text(r_.functions.name[f])));
    }
    list("Scopes", decisions_.of(f), max_calls, [this](std::uint32_t row) { scope(row); });
    list("Phase fences", fences_.of(f), max_calls, [this](std::uint32_t row) { fence(row); });
    list("Carried values", carries_.of(f), max_calls, [this](std::uint32_t row) { carry(row); });
    warnings(r_.text(r_.functions.name[f]));
  }

  template <class Print>
  void list(std::string_view title, std::span<const std::uint32_t> rows, std::uint32_t max_rows, Print&& print) {
    if (rows.empty()) return;
    out_.line(2, title);
    for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), max_rows); ++i) print(rows[i]);
    if (rows.size() > max_rows) out_.line(4, fmt::format("… and {} more", rows.size() - max_rows));
  }

  /// Where not all regions fit, those that were not analysed come first: they are what a reader looks for.
  [[nodiscard]] std::vector<std::uint32_t> shown_regions(std::uint32_t f) const {
    const std::span<const std::uint32_t> all = regions_.of(f);
    std::vector<std::uint32_t> rows(all.begin(), all.end());
    if (o_.function != kNoRow || rows.size() <= o_.max_calls) return rows;
    std::stable_partition(rows.begin(), rows.end(), [this](std::uint32_t row) {
      return r_.regions.outcome[row] != static_cast<std::uint8_t>(pass::RegionOutcome::Analysed);
    });
    return rows;
  }

  void region(std::uint32_t region) {
    const auto& g = r_.regions;
    const auto outcome = static_cast<pass::RegionOutcome>(g.outcome[region]);
    const std::string_view reason = r_.text(g.reason[region]);
    std::string head =
        fmt::format("region {:<3} {}{}", g.index[region], pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region])),
                    at_line(g.line[region]));
    if (g.parent[region] != kNoRow) head += fmt::format(" in region {}", g.index[g.parent[region]]);
    head += fmt::format(": {}", pass::region_outcome_name(outcome));
    if (!reason.empty()) head += fmt::format(", {}", reason);
    out_.line(4, head);
    if (outcome != pass::RegionOutcome::FellBack) return advice(region);
    if (const std::string_view words = fallback_words(reason); !words.empty()) out_.line(8, words);
    if (const std::uint32_t site = g.offending_site[region]; site != kNoRow) {
      out_.line(8, fmt::format("at {}, argument {}", call_text(r_, site), argument_text(r_, site, g.offending_arg[region])));
      if (const std::uint32_t hazard = g.offending_hazard[region]; hazard != kNoRow) out_.line(8, hazard_text(r_, hazard));
    }
    for (const std::uint32_t step : lineage_.of(region)) {
      const std::uint32_t line = r_.lineage.line[step];
      out_.line(10,
                fmt::format("{}{}", line == 0 ? std::string() : fmt::format("line {}: ", line), r_.text(r_.lineage.what[step])));
    }
    std::vector<std::uint32_t> id_names;
    for (const std::uint32_t edge : stripped_.of(region)) id_names.push_back(r_.pass_edges.id[edge]);
    const ShownNames ids(r_, std::move(id_names));
    lost(stripped_.of(region), [&](std::uint32_t edge) {
      const std::uint32_t more = r_.pass_edges.more_count[edge];
      return fmt::format("lost: edge {}{} of {}", ids.text(r_.pass_edges.id[edge]),
                         more == 0 ? std::string() : fmt::format(" and {} more", more),
                         call_text(r_, r_.pass_edges.consumer[edge]));
    });
    lost(undone_.of(region), [&](std::uint32_t undone) {
      const auto& u = r_.rewrites_undone;
      const std::uint32_t site = r_.arguments.call_site[u.argument[undone]];
      return fmt::format("lost: {} for argument {} of {}",
                         pass::arg_direction_name(static_cast<pass::ArgDirection>(u.to[undone])),
                         argument_text(r_, site, u.argument[undone] - r_.call_sites.argument_begin[site]), call_text(r_, site));
    });
    if (g.kept_edges[region] != 0) out_.line(8, fmt::format("kept: {} compiler edges of this function", g.kept_edges[region]));
    advice(region);
  }

  void advice(std::uint32_t region) {
    const std::uint32_t hazard = r_.regions.offending_hazard[region];
    const auto steps = lineage_.of(region);
    const std::string change = region_advice(r_, region, hazard == kNoRow ? kNoRow : r_.hazards.prior[hazard],
                                             steps.empty() ? "" : r_.text(r_.lineage.what[steps.back()]));
    if (!change.empty()) out_.line(8, fmt::format("what would change it: {}", change));
  }

  template <class Print>
  void lost(std::span<const std::uint32_t> rows, Print&& print) {
    const std::size_t shown = std::min<std::size_t>(rows.size(), o_.max_items);
    for (std::size_t i = 0; i < shown; ++i) out_.line(8, print(rows[i]));
    if (rows.size() > shown) out_.line(8, fmt::format("lost: {} more of these", rows.size() - shown));
  }

  void scope(std::uint32_t row) {
    const auto& d = r_.scope_decisions;
    const std::string_view mode = d.manual[row] != 0 ? "MANUAL" : "AUTO";
    const std::string name = d.scope[row] == kNoRow ? std::string() : fmt::format(" {}", r_.ir_scopes.index[d.scope[row]]);
    std::string text;
    switch (static_cast<pass::ScopeChange>(d.change[row])) {
      case pass::ScopeChange::Kept: text = fmt::format("{} scope{} of the user", mode, name); break;
      case pass::ScopeChange::InsertedAuto:
      case pass::ScopeChange::InsertedManual: text = fmt::format("{} scope{} inserted", mode, name); break;
      case pass::ScopeChange::NotInserted: text = "no scope inserted"; break;
    }
    out_.line(4, fmt::format("{}{}: {}", text, at_line(d.line[row]), r_.text(d.decision[row])));
  }

  void fence(std::uint32_t row) {
    const auto& f = r_.fences;
    std::string text = fmt::format("{} before the loop{}: ", ir::source_name(r_.text(f.array[row])), at_line(f.line[row]));
    if (f.accepted[row] != 0) {
      text += fmt::format("barrier, {} x {} edges become {} + {}, saving {}", f.producers[row], f.consumers[row],
                          f.producers[row], f.consumers[row], f.saving[row]);
    } else {
      text += fmt::format("no barrier, {}", r_.text(f.reason[row]));
      if (f.producers[row] != 0 || f.consumers[row] != 0)
        text += fmt::format(" (N {}, M {}, saving {})", f.producers[row], f.consumers[row], f.saving[row]);
    }
    out_.line(4, text);
  }

  void carry(std::uint32_t row) {
    const auto& c = r_.carries;
    std::string text = fmt::format("{} through the loop{}: ", ir::source_name(r_.text(c.name[row])), at_line(c.line[row]));
    text += c.rebind[row] != 0 ? "assigned anew (rebind)" : "one buffer throughout (trivial)";
    if (c.array_size[row] != 0) text += fmt::format(", {} ids side by side", c.array_size[row]);
    out_.line(4, text);
  }

  /// Name of the function that a finding is about, empty if it names none.
  [[nodiscard]] std::string function_of(std::uint32_t finding) const {
    const auto fields = nlohmann::json::parse(r_.text(r_.findings.fields[finding]), nullptr, /*allow_exceptions=*/false);
    if (!fields.is_object()) return "";
    const auto found = fields.find("function");
    return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
  }

  template <class Wanted>
  void warnings_if(std::size_t indent, Wanted&& wanted) {
    std::size_t shown = 0;
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) {
      const auto severity = static_cast<Severity>(r_.findings.severity[i]);
      if (severity == Severity::Info || !wanted(function_of(i))) continue;
      if (shown == 0) out_.line(indent, "Warnings");
      if (shown++ < std::size_t{4} * o_.max_items) {
        out_.line(indent + 2, fmt::format("{}{}: {}", r_.text(r_.findings.kind[i]), at_line(r_.findings.line[i]),
                                          r_.text(r_.findings.summary[i])));
      }
    }
    if (shown > std::size_t{4} * o_.max_items)
      out_.line(indent + 2, fmt::format("… and {} more", shown - std::size_t{4} * o_.max_items));
  }

  void warnings(std::string_view function) {
    warnings_if(2, [&](const std::string& of) { return of == function; });
  }

  void other_warnings() {
    if (o_.function != kNoRow || o_.call_site != kNoRow) return;
    warnings_if(0, [&](const std::string& of) {
      for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
        if (r_.text(r_.functions.name[f]) == of && r_.text(r_.functions.kind[f]) == kOrchestration) return false;
      }
      return true;
    });
  }

  const Recording& r_;
  const ExplainOptions& o_;
  CallRows calls_;
  RowGroups sites_, regions_, decisions_, fences_, carries_, lineage_, undone_, stripped_;
  TextLines out_;
};

}  // namespace

std::string explain_text(const Recording& recording, const ExplainOptions& options) {
  if (recording.functions.rows() == 0) return summary_text(recording);
  return Explanation(recording, options).run();
}

}  // namespace depscope::replay
