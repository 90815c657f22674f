// The inspector's page of one argument of a call site. Why its directions are so is answered in answers_program.cpp.
#include <fmt/format.h>
#include <imgui.h>

#include "depscope/ir/text.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {

void inspect_argument(Context& context, std::uint32_t argument) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  const auto& a = r.arguments;
  const std::uint32_t site = a.call_site[argument];
  field(context, "call");
  link(context, {ItemKind::CallSite, site}, document.call_site_label(site));
  field(context, "argument");
  text(fmt::format("{}, number {}", ir::source_name(r.text(a.name[argument])), argument - r.call_sites.argument_begin[site]));
  tooltip_for_item(r.text(a.name[argument]));
  field(context, "callee");
  text(callee_direction_name(a.callee_direction[argument]));
  field(context, "derived");
  direction_badge(a.derived[argument]);
  ImGui::SameLine();
  text(fmt::format("by {}", direction_rule_words(a.rule[argument]).name), colour::dim());
  tooltip_for_item(direction_rule_words(a.rule[argument]).explained());
  field(context, "final");
  direction_badge(a.direction[argument]);
  ImGui::SameLine();
  text(rewrite_reason_words(a.rewrite[argument]).name, colour::dim());
  tooltip_for_item(rewrite_reason_words(a.rewrite[argument]).explained());
  ImGui::Spacing();
}

}  // namespace depscope::viewers
