// What the passes decided about arguments, regions and pairs of calls.
#include <fmt/format.h>

#include <algorithm>

#include "depscope/ir/text.h"
#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/replay/why.h"
#include "depscope/viewers/answers.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/regions_model.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

std::uint32_t position_of(const recording::Recording& r, std::uint32_t argument) {
  return argument - r.call_sites.argument_begin[r.arguments.call_site[argument]];
}

bool is_disjoint(const recording::Recording& r, std::uint32_t hazard) {
  return r.hazards.verdict[hazard] == static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint);
}

/// The conflicts of one argument with earlier calls, with what became of them.
void conflicts(AnswerText& out, const Document& document, std::uint32_t argument) {
  const auto& r = document.recording();
  const std::uint32_t site = r.arguments.call_site[argument];
  std::size_t found = 0;
  std::size_t disjoint = 0;
  for (const std::uint32_t hazard : document.hazards_of_current().of(site)) {
    if (r.hazards.current_arg[hazard] != position_of(r, argument)) continue;
    if (is_disjoint(r, hazard)) {
      ++disjoint;
      continue;
    }
    if (++found > kMaxAnswerItems) continue;
    const std::uint32_t row = r.hazards.edge_row[hazard];
    const replay::ShownNames ids(r, {row == kNoRow ? r.hazards.edge[hazard] : r.pass_edges.id[row]});
    out.bullet("").link({ItemKind::Hazard, hazard}, replay::hazard_text(r, hazard));
    out.say(": " + replay::verdict_text(r, hazard, ids));
  }
  if (found > kMaxAnswerItems) out.line(fmt::format("… and {} more conflicts", found - kMaxAnswerItems));
  if (found == 0) out.line("No conflict with an earlier call is on record.", AnswerStyle::Dim);
  if (disjoint != 0)
    out.line(fmt::format("{} of the same buffer touch other elements.", count_of(disjoint, "earlier access")), AnswerStyle::Dim);
}

void why_lines(AnswerText& out, const replay::WhyAnswer& why) {
  const auto line = [&](std::string_view label, const std::string& words) {
    if (!words.empty()) out.line(fmt::format("{}: {}", label, words));
  };
  out.line(fmt::format("{}: {}. {}", why.edge ? "An edge" : "No edge", why.code, why.sentence));
  for (const std::string& edge : why.edges) line("edge", edge);
  for (const replay::WhyMeeting& m : why.meetings) {
    out.bullet(fmt::format("{} on {}{}", m.kinds == 0 ? std::string("both only read,") : replay::kinds_text(m.kinds), m.root,
                           m.verdict.empty() ? std::string() : ": " + m.verdict));
    line("first", m.first);
    line("second", m.second);
    line("bytes that both use", m.shared);
  }
  if (why.meetings.empty()) line("bytes that both use", why.shared);
  line("region", why.region);
  for (const std::string& step : why.path) line("through", step);
  line("run", why.run);
  line("rule", why.rule);
  line("what would change it", why.change);
}

}  // namespace

Answer why_direction(const Document& document, std::uint32_t argument) {
  AnswerText out("Why was this direction derived?");
  const auto& r = document.recording();
  const auto& a = r.arguments;
  const DecisionWords rule = direction_rule_words(a.rule[argument]);
  out.line(fmt::format("The callee declares it {}; DeriveCallDirections made it {} by the rule {} ({}): {}.",
                       callee_direction_name(a.callee_direction[argument]), direction_name(a.derived[argument]), rule.name,
                       rule.section, rule.sentence));
  out.code(document, r.call_sites.line[a.call_site[argument]], r.text(a.name[argument]));
  return out.take();
}

Answer why_rewritten(const Document& document, std::uint32_t argument) {
  const auto& r = document.recording();
  const auto& a = r.arguments;
  const auto reason = static_cast<pass::RewriteReason>(a.rewrite[argument]);
  const bool changed = a.derived[argument] != a.direction[argument];
  AnswerText out(changed ? "Why was this direction rewritten?" : "Why was this direction not rewritten?");
  const DecisionWords words = rewrite_reason_words(a.rewrite[argument]);
  out.line(changed ? fmt::format("{} became {}: {} ({}).", direction_name(a.derived[argument]),
                                 direction_name(a.direction[argument]), words.sentence, words.section)
                   : fmt::format("{} stays, {}: {} ({}).", direction_name(a.direction[argument]), words.name, words.sentence,
                                 words.section));
  for (std::uint32_t i = 0; i < r.rewrites_undone.rows(); ++i) {
    if (r.rewrites_undone.argument[i] != argument) continue;
    const std::uint32_t region = r.rewrites_undone.region[i];
    out.line("Had ").link({ItemKind::Region, region}, region_label(document, region));
    out.say(fmt::format(" not fallen back, it would be {}.", direction_name(r.rewrites_undone.to[i])));
  }
  if (reason != pass::RewriteReason::PassNotRun && reason != pass::RewriteReason::SwitchOff) conflicts(out, document, argument);
  if (const std::string change = changed ? std::string() : replay::rewrite_advice(reason); !change.empty())
    out.line(fmt::format("What would change it: {}.", change));
  return out.take();
}

Answer why_pair(const Document& document, std::uint32_t first_site, std::uint32_t second_site) {
  const auto& r = document.recording();
  AnswerText out(fmt::format("What is between {} and {}?", replay::call_text(r, first_site), replay::call_text(r, second_site)));
  const std::uint32_t function = r.call_sites.function[first_site];
  if (function != r.call_sites.function[second_site])
    return out.line("The two calls stand in different functions: the passes never judge them together.").take();
  const auto name = [&](std::uint32_t site) {
    return fmt::format("{}:{}", r.text(r.functions.name[function]), r.call_sites.index[site]);
  };
  try {
    replay::WhyOptions options;
    options.function = function;
    why_lines(out, replay::why(r, name(first_site), name(second_site), options));
  } catch (const replay::WhyError& problem) {
    out.line(problem.what());
  }
  return out.take();
}

}  // namespace depscope::viewers
