// The inspector's pages of what the passes decided: call sites, passes, regions, hazards.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>

#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "depscope/pass/pass.h"
#include "depscope/recording/runs.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/regions_model.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
namespace {

constexpr std::size_t kMaxListed = 200;  // rows drawn of a list that has no scroll bar of its own

std::string_view call_kind(std::uint8_t kind) {
  constexpr std::array<std::string_view, 4> kNames{"call", "submit", "dummy barrier", "alloc"};
  return kNames[std::min<std::size_t>(kind, kNames.size() - 1)];
}

std::string line_text(std::uint32_t line) { return line == 0 ? "not known" : fmt::format("{}", line); }

void strings(Context& context, std::uint32_t begin, std::uint32_t count, ImU32 colour) {
  if (count == 0) text("none", colour::dim());
  const auto& r = context.document->recording();
  for (std::uint32_t i = 0; i < count; ++i) badge(r.text(r.pool[begin + i]), colour, i > 0);
}

void compiler_edges(Context& context, std::uint32_t site) {
  const auto& r = context.document->recording();
  const std::uint64_t count = recording::compiler_dep_count(r, site);
  if (count == 0) text("none", colour::dim());
  bool next = false;
  recording::for_first_compiler_deps(r, site, kMaxListed, [&](std::uint32_t id) {
    badge(r.text(id), colour::provenance(runtime::kCompiler), next);
    next = true;
  });
  if (count > kMaxListed) text(fmt::format("… and {} more", count - kMaxListed), colour::dim());
}

void draw_arguments(Context& context, std::uint32_t site) {
  const auto& r = context.document->recording();
  const std::uint32_t first = r.call_sites.argument_begin[site];
  const std::uint32_t count = r.call_sites.argument_count[site];
  if (!section(context, fmt::format("Arguments ({})###arguments", count).c_str())) return;
  if (count == 0) {
    text("none", colour::dim());
    return;
  }
  if (!ImGui::BeginTable(
          "arguments", 4,
          ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit)) {
    return;
  }
  ImGui::TableSetupColumn("argument", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("callee", ImGuiTableColumnFlags_WidthFixed, context.theme.px(44));
  ImGui::TableSetupColumn("derived", ImGuiTableColumnFlags_WidthFixed, context.theme.px(112));
  ImGui::TableSetupColumn("final", ImGuiTableColumnFlags_WidthFixed, context.theme.px(112));
  ImGui::TableHeadersRow();
  for (std::uint32_t argument = first; argument < first + count; ++argument) {
    ImGui::TableNextColumn();
    link(context, {ItemKind::Argument, argument}, ir::source_name(r.text(r.arguments.name[argument])));
    tooltip_for_item(r.text(r.arguments.name[argument]));
    ImGui::TableNextColumn();
    text(callee_direction_name(r.arguments.callee_direction[argument]));
    ImGui::TableNextColumn();
    direction_badge(r.arguments.derived[argument]);
    tooltip_for_item(direction_rule_words(r.arguments.rule[argument]).explained());
    ImGui::TableNextColumn();
    direction_badge(r.arguments.direction[argument]);
    tooltip_for_item(rewrite_reason_words(r.arguments.rewrite[argument]).explained());
  }
  ImGui::EndTable();
}

void draw_hazards(Context& context, const char* title, std::span<const std::uint32_t> hazards) {
  if (!section(context, fmt::format("{} ({})###{}", title, hazards.size(), title).c_str(), !hazards.empty())) return;
  if (hazards.empty()) text("none", colour::dim());
  const auto& r = context.document->recording();
  for (std::size_t i = 0; i < std::min(hazards.size(), kMaxListed); ++i) {
    const std::uint32_t hazard = hazards[i];
    std::string kinds;
    for (const std::string_view kind : pass::hazard_kind_names(r.hazards.kinds[hazard]))
      kinds += (kinds.empty() ? "" : "+") + std::string(kind);
    ImGui::Bullet();
    link(
        context, {ItemKind::Hazard, hazard},
        fmt::format("{} {}{} → {}: {}", kinds, context.document->call_site_label(r.hazards.prior[hazard]),
                    r.hazards.more_count[hazard] == 0 ? std::string() : fmt::format(" and {} more", r.hazards.more_count[hazard]),
                    context.document->call_site_label(r.hazards.current[hazard]),
                    pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(r.hazards.verdict[hazard]))));
  }
  if (hazards.size() > kMaxListed) text(fmt::format("… and {} more", hazards.size() - kMaxListed), colour::dim());
}

std::string properties(std::uint32_t bits) { return bits == 0 ? "none" : pass::property_names(bits); }

void wrapped_field(const Context& context, std::string_view label, std::string_view words) {
  field(context, label);
  ImGui::PushTextWrapPos(0.0F);
  text(words);
  ImGui::PopTextWrapPos();
}

}  // namespace

void inspect_call_site(Context& context, std::uint32_t site) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  field(context, "kind");
  text(fmt::format("{} of {}", call_kind(r.call_sites.kind[site]), document.text(r.call_sites.callee[site])));
  field(context, "line");
  text(fmt::format("{} of {}", line_text(r.call_sites.line[site]), r.input_name));
  field(context, "loops around");
  text(fmt::format("{}", r.call_sites.loop_depth[site]));
  field(context, "results");
  strings(context, r.call_sites.result_begin[site], r.call_sites.result_begin_count[site], colour::text());
  field(context, "user edges");
  strings(context, r.call_sites.user_dep_begin[site], r.call_sites.user_dep_begin_count[site],
          colour::provenance(runtime::kUser));
  field(context, "compiler edges");
  compiler_edges(context, site);
  ImGui::Spacing();
  draw_arguments(context, site);
  draw_hazards(context, "Hazards with earlier calls", document.hazards_of_current().of(site));
  draw_hazards(context, "Hazards with later calls", document.hazards_of_prior().of(site));
  const auto tasks = document.tasks_of_call_site().of(site);
  if (section(context, fmt::format("Tasks ({})###tasks", tasks.size()).c_str())) {
    if (tasks.empty()) text("none was submitted from here", colour::dim());
    for (std::size_t i = 0; i < std::min(tasks.size(), kMaxListed); ++i)
      link(context, {ItemKind::Task, tasks[i]}, document.task_label(tasks[i]));
    if (tasks.size() > kMaxListed) text(fmt::format("… and {} more", tasks.size() - kMaxListed), colour::dim());
  }
  if (context.show_legends) {
    ImGui::Spacing();
    legend(context, "arguments", colour::direction_legend());
    legend(context, "edges", colour::provenance_legend().first(2));
  }
}

void inspect_pass(Context& context, std::uint32_t pass) {
  const auto& r = context.document->recording();
  field(context, "result");
  text(pass == 0                     ? "the input as read"
       : r.passes.changed[pass] != 0 ? "changed the program"
                                     : "no-op: the program stayed as it was");
  wrapped_field(context, "requires", properties(r.passes.required[pass]));
  wrapped_field(context, "produces", properties(r.passes.produced[pass]));
  wrapped_field(context, "invalidates", properties(r.passes.invalidated[pass]));
  const std::uint32_t count = r.passes.message_begin_count[pass];
  if (section(context, fmt::format("Messages ({})###messages", count).c_str())) {
    if (count == 0) text("none", colour::dim());
    ImGui::PushTextWrapPos(0.0F);
    for (std::uint32_t i = 0; i < count; ++i) text(r.text(r.pool[r.passes.message_begin[pass] + i]), colour::warning());
    ImGui::PopTextWrapPos();
  }
}

void inspect_region(Context& context, std::uint32_t region) {
  const auto& r = context.document->recording();
  const DecisionWords kind = region_kind_words(r.regions.kind[region]);
  const DecisionWords outcome = region_outcome_words(r.regions.outcome[region]);
  field(context, "region");
  text(region_label(*context.document, region));
  field(context, "kind");
  text(kind.name);
  tooltip_for_item(kind.explained());
  field(context, "outcome");
  badge(outcome.name, colour::outcome(r.regions.outcome[region]), false);
  tooltip_for_item(outcome.explained());
  const std::string_view reason = r.text(r.regions.reason[region]);
  wrapped_field(context, "reason", reason.empty() ? "none" : reason);
  field(context, "line");
  text(line_text(r.regions.line[region]));
  field(context, "edges stripped");
  text(fmt::format("{}", r.regions.stripped_edges[region]));
  ImGui::Spacing();
}

void inspect_hazard(Context& context, std::uint32_t hazard) {
  const auto& r = context.document->recording();
  field(context, "kinds");
  bool first = true;
  for (const std::string_view kind : pass::hazard_kind_names(r.hazards.kinds[hazard]))
    badge(kind, colour::warning(), !std::exchange(first, false));
  field(context, "verdict");
  const DecisionWords verdict = hazard_verdict_words(r.hazards.verdict[hazard]);
  text(verdict.name);
  tooltip_for_item(verdict.explained());
  wrapped_field(context, "", verdict.sentence);
  if (const std::string_view edge = r.text(r.hazards.edge[hazard]); !edge.empty()) wrapped_field(context, "covered by", edge);
  if (const std::string_view reason = r.text(r.hazards.reason[hazard]); !reason.empty()) wrapped_field(context, "reason", reason);
  const auto end = [&](std::string_view label, std::uint32_t site, std::uint32_t argument, std::uint32_t where) {
    field(context, label);
    if (site == kNoRow) {
      text("a call that later passes removed", colour::dim());
    } else {
      link(context, {ItemKind::CallSite, site}, context.document->call_site_label(site));
    }
    field(context, "");
    text(fmt::format("argument {} ({}): {}", argument, replay::argument_text(r, site, argument), replay::storage_text(r, where)),
         colour::dim());
  };
  end("prior", r.hazards.prior[hazard], r.hazards.prior_arg[hazard], r.hazards.prior_storage[hazard]);
  end("current", r.hazards.current[hazard], r.hazards.current_arg[hazard], r.hazards.current_storage[hazard]);
}

}  // namespace depscope::viewers
