// What there is to say about one region: why, where, the way back, what was lost, what would change it.
#include <fmt/format.h>

#include <algorithm>

#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/regions_model.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

std::vector<AnswerLine> why_lines(const Document& document, std::uint32_t region) {
  const auto& r = document.recording();
  const DecisionWords kind = region_kind_words(r.regions.kind[region]);
  const DecisionWords outcome = region_outcome_words(r.regions.outcome[region]);
  AnswerText out("");
  out.line(fmt::format("{}: {} ({}).", kind.name, kind.sentence, kind.section));
  // A container is walked through, but nothing in it is judged.
  const bool container = r.regions.kind[region] == static_cast<std::uint8_t>(pass::RegionKind::Container);
  const bool analysed = r.regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::Analysed);
  if (container && analysed) {
    out.line("analysed: its scopes were looked at one by one; calls that stand directly in it are not judged (passes.md 5.1).");
  } else {
    out.line(fmt::format("{}: {} ({}).", outcome.name, outcome.sentence, outcome.section));
  }
  if (const std::string_view reason = r.text(r.regions.reason[region]); !reason.empty()) {
    const DecisionWords words = fallback_reason_words(reason);
    out.line(words.sentence.empty() ? fmt::format("Reason: {}.", reason)
                                    : fmt::format("Reason: {}: {} ({}).", reason, words.sentence, words.section));
  }
  if (const std::uint32_t parent = r.regions.parent[region]; parent != kNoRow)
    out.line("It stands in ").link({ItemKind::Region, parent}, region_label(document, parent)).say(".");
  return out.take().lines;
}

void hazard_lines(AnswerText& out, const Document& document, std::uint32_t hazard) {
  const auto& r = document.recording();
  const auto& h = r.hazards;
  out.line("The conflict: ").link({ItemKind::Hazard, hazard}, replay::hazard_text(r, hazard)).say(".");
  out.bullet("this call touches " + replay::storage_text(r, h.current_storage[hazard]));
  out.bullet("").link({ItemKind::CallSite, h.prior[hazard]}, replay::call_text(r, h.prior[hazard]));
  out.say(fmt::format(" touched {} before", replay::storage_text(r, h.prior_storage[hazard])));
  if (h.prior[hazard] != kNoRow) {
    out.code(document, r.call_sites.line[h.prior[hazard]], replay::argument_text(r, h.prior[hazard], h.prior_arg[hazard]));
  }
}

std::vector<AnswerLine> call_lines(const Document& document, std::uint32_t region) {
  const auto& r = document.recording();
  const std::uint32_t site = r.regions.offending_site[region];
  if (site == kNoRow) return {};
  const std::uint32_t position = r.regions.offending_arg[region];
  AnswerText out("");
  out.line("The call that could not be judged: ").link({ItemKind::CallSite, site}, replay::call_text(r, site));
  if (position == kNoRow) {
    out.say(".").code(document, r.call_sites.line[site]);
  } else {
    const std::string name = replay::argument_text(r, site, position);
    out.say(", argument ");
    if (position < r.call_sites.argument_count[site]) {
      out.link({ItemKind::Argument, r.call_sites.argument_begin[site] + position}, name);
    } else {
      out.say(name);
    }
    out.say(fmt::format(" (number {}).", position)).code(document, r.call_sites.line[site], name);
  }
  if (r.regions.offending_hazard[region] != kNoRow) hazard_lines(out, document, r.regions.offending_hazard[region]);
  return out.take().lines;
}

/// The name in quotes of a step, as in "'flat' is the result of tensor.reshape".
std::string_view quoted(std::string_view what) {
  const std::size_t begin = what.find('\'');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = what.find('\'', begin + 1);
  return end == std::string_view::npos ? std::string_view() : what.substr(begin + 1, end - begin - 1);
}

std::vector<AnswerLine> lost_lines(const Document& document, const RegionIndex& index, std::uint32_t region) {
  const auto& r = document.recording();
  AnswerText out("");
  std::vector<std::uint32_t> names;
  for (const std::uint32_t edge : index.stripped(region)) names.push_back(r.pass_edges.id[edge]);
  const replay::ShownNames ids(r, std::move(names));
  std::size_t shown = 0;
  for (const std::uint32_t edge : index.stripped(region)) {
    if (++shown > kMaxAnswerItems) break;
    const std::uint32_t more = r.pass_edges.more_count[edge];
    out.bullet(fmt::format("edge {}{} of ", ids.text(r.pass_edges.id[edge]),
                           more == 0 ? std::string() : fmt::format(" and {} more", more)));
    out.link({ItemKind::CallSite, r.pass_edges.consumer[edge]}, replay::call_text(r, r.pass_edges.consumer[edge]));
  }
  if (index.stripped(region).size() > kMaxAnswerItems)
    out.line(fmt::format("… and {} more edges", index.stripped(region).size() - kMaxAnswerItems));
  shown = 0;
  for (const std::uint32_t row : index.undone(region)) {
    if (++shown > kMaxAnswerItems) break;
    const std::uint32_t argument = r.rewrites_undone.argument[row];
    const std::uint32_t site = r.arguments.call_site[argument];
    out.bullet(fmt::format("{} → {} for argument ", direction_name(r.rewrites_undone.from[row]),
                           direction_name(r.rewrites_undone.to[row])));
    out.link({ItemKind::Argument, argument}, replay::argument_text(r, site, argument - r.call_sites.argument_begin[site]));
    out.say(" of ").link({ItemKind::CallSite, site}, replay::call_text(r, site));
  }
  if (index.undone(region).size() > kMaxAnswerItems)
    out.line(fmt::format("… and {} more directions", index.undone(region).size() - kMaxAnswerItems));
  if (r.regions.kept_edges[region] != 0)
    out.line(fmt::format("Kept: {} of this function.", count_of(r.regions.kept_edges[region], "compiler edge")));
  return out.take().lines;
}

}  // namespace

RegionDetail region_detail(const Document& document, const RegionIndex& index, std::uint32_t region) {
  const auto& r = document.recording();
  RegionDetail detail;
  detail.region = region;
  detail.why = why_lines(document, region);
  detail.call = call_lines(document, region);
  for (const std::uint32_t row : index.lineage(region)) {
    RegionDetail::Step step{row, r.lineage.line[row], site_on_line(r, r.regions.function[region], r.lineage.line[row]), {}};
    const std::string_view what = r.text(r.lineage.what[row]);
    AnswerText out("");
    out.line(step.line == 0 ? std::string(what) : fmt::format("line {}: {}", step.line, what));
    out.code(document, step.line, quoted(what));
    step.lines = out.take().lines;
    detail.steps.push_back(std::move(step));
  }
  detail.lost = lost_lines(document, index, region);
  const std::uint32_t hazard = r.regions.offending_hazard[region];
  const auto steps = index.lineage(region);
  detail.change = replay::region_advice(r, region, hazard == kNoRow ? kNoRow : r.hazards.prior[hazard],
                                        steps.empty() ? std::string_view() : r.text(r.lineage.what[steps.back()]));
  return detail;
}

Answer region_answer(const RegionDetail& detail) {
  AnswerText out("");
  const auto add = [&](const std::vector<AnswerLine>& lines) { out.append({{}, lines}); };
  add(detail.why);
  add(detail.call);
  if (!detail.steps.empty()) out.line("The way back from the argument:");
  for (const RegionDetail::Step& step : detail.steps) add(step.lines);
  if (!detail.lost.empty()) out.line("Lost:");
  add(detail.lost);
  if (!detail.change.empty()) out.line(fmt::format("What would change it: {}.", detail.change));
  return out.take();
}

Answer why_region(const Document& document, std::uint32_t region) {
  const auto& r = document.recording();
  const bool fell_back = r.regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
  Answer answer = region_answer(region_detail(document, RegionIndex(r), region));
  answer.question = fell_back ? "Why did this region fall back?" : "What became of this region?";
  return answer;
}

}  // namespace depscope::viewers
