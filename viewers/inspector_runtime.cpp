// The inspector's pages of scopes, events and findings.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "depscope/base/diagnostics.h"
#include "depscope/viewers/widgets.h"
#include "inspector_panel.h"

namespace depscope::viewers {
namespace {

std::string_view owner_name(std::uint8_t owner) {
  constexpr std::array<std::string_view, 4> kNames{"the user", "the compiler", "materialised by MaterializeRuntimeScopes",
                                                   "the implicit root"};
  return kNames[std::min<std::size_t>(owner, kNames.size() - 1)];
}

std::string row_text(std::uint32_t row) { return row == kNoRow ? "none" : fmt::format("{}", row); }

}  // namespace

void inspect_scope(Context& context, std::uint32_t scope) {
  const Document& document = *context.document;
  const auto& r = document.recording();
  field(context, "mode");
  badge(r.scopes.manual[scope] != 0 ? "MANUAL" : "AUTO", r.scopes.manual[scope] != 0 ? colour::warning() : colour::good(), false);
  field(context, "made by");
  text(owner_name(r.scopes.owner[scope]));
  field(context, "depth, ring");
  text(fmt::format("{}, {}", r.scopes.depth[scope], r.scopes.ring[scope]));
  field(context, "at the cursor");
  constexpr std::array<std::string_view, 3> kStates{"not begun", "open", "ended"};
  text(kStates[std::min<std::size_t>(document.cursor().state().scope_state[scope], 2)]);
  if (const std::uint32_t parent = r.scopes.parent[scope]; parent != kNoRow) {
    field(context, "inside");
    link(context, {ItemKind::Scope, parent}, document.scope_label(parent));
  }
  const auto list = [&](const char* title, ItemKind kind, std::span<const std::uint32_t> rows) {
    if (!section(context, fmt::format("{} ({})###{}", title, rows.size(), title).c_str())) return;
    if (rows.empty()) text("none", colour::dim());
    const float height = ImGui::GetTextLineHeightWithSpacing();
    ImGui::BeginChild(title, {0, height * static_cast<float>(std::min<std::size_t>(rows.size(), 12))});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), height);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Item item{kind, rows[static_cast<std::size_t>(i)]};
        link(context, item, item_label(document, item));
      }
    }
    ImGui::EndChild();
  };
  if (const auto children = document.children_of_scope().of(scope); !children.empty())
    list("Scopes inside", ItemKind::Scope, children);
  list("Tasks", ItemKind::Task, document.tasks_of_scope().of(scope));
}

void inspect_event(Context& context, std::uint32_t event) {
  const auto& r = context.document->recording();
  const auto kind = static_cast<runtime::EventKind>(r.events.kind[event]);
  field(context, "kind");
  badge(runtime::event_kind_name(kind), colour::event(kind), false);
  field(context, "what");
  ImGui::PushTextWrapPos(0.0F);
  text(replay::describe_event(r, event));
  ImGui::PopTextWrapPos();
  field(context, context.document->unit_us() == 0 ? "time, actor" : "us, actor");
  text(fmt::format("{}, {}", context.document->time_text(r.events.time[event]), actor_name(r.events.actor[event])));
  field(context, "old → new");
  text(fmt::format("{} → {}", r.events.old_value[event], r.events.new_value[event]));
  field(context, "rows");
  text(fmt::format("subject {}, object {}", row_text(r.events.subject[event]), row_text(r.events.object[event])));
}

void inspect_finding(Context& context, std::uint32_t finding) {
  const auto& r = context.document->recording();
  const auto severity = static_cast<Severity>(r.findings.severity[finding]);
  field(context, "severity");
  badge(to_string(severity), colour::severity(r.findings.severity[finding]), false);
  field(context, "kind");
  text(r.text(r.findings.kind[finding]));
  field(context, "line");
  text(r.findings.line[finding] == 0 ? "none" : fmt::format("{}", r.findings.line[finding]));
  ImGui::PushTextWrapPos(0.0F);
  text(r.text(r.findings.summary[finding]));
  text(r.text(r.findings.fields[finding]), colour::dim());
  ImGui::PopTextWrapPos();
}

}  // namespace depscope::viewers
