#include "inspector_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include "answer_view.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/keys.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

void InspectorPanel::opened(Context& context) {
  (void)context;
  task_ = kNoRow;
  measured_of_ = kNoRow;
  position_ = kNoRow;
  answered_document_ = nullptr;
  site_ = earlier_site_ = kNoRow;
  pair_first_ = pair_second_ = kNoRow;
}

bool section(const Context& context, const char* title, bool open) {
  ImGui::PushFont(context.theme.bold);
  const bool shown = ImGui::CollapsingHeader(title, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
  ImGui::PopFont();
  return shown;
}

void flag_badges(std::uint8_t flags, std::uint8_t found, bool same_line) {
  if ((flags | found) == runtime::kNone) badge("none", colour::dim(), same_line);
  for (const std::uint8_t flag : {runtime::kWait, runtime::kRetain}) {
    if (((flags | found) & flag) == 0) continue;
    const std::string_view name = flag == runtime::kWait ? "WAIT" : "RETAIN";
    if ((flags & flag) != 0) {
      badge(name, colour::flag(flag), same_line);
      tooltip_for_item(colour::flag_legend()[flag == runtime::kWait ? 0 : 1].meaning);
    } else {
      struck_badge(name, same_line);
      tooltip_for_item("found, then taken away by the reduction: other edges imply it");
    }
    same_line = true;
  }
}

void provenance_badges(std::uint8_t bits, bool same_line) {
  for (std::size_t i = 0; i < colour::provenance_legend().size(); ++i) {
    if ((bits >> i & 1U) == 0) continue;
    const LegendEntry& entry = colour::provenance_legend()[i];
    badge(entry.name, entry.colour, same_line);
    tooltip_for_item(entry.meaning);
    same_line = true;
  }
}

void direction_badge(std::uint8_t direction) {
  const std::string_view name = direction_name(direction);
  if (direction == 0) {
    text(name, colour::dim());
  } else {
    badge(name, colour::direction(name), false);
  }
}

void InspectorPanel::draw(Context& context) {
  const Item item = context.selection.current();
  update_answers(context);
  draw_heading(context);
  if (item.kind == ItemKind::None) {
    draw_questions(context);
    return;
  }
  ImGui::BeginChild("details");
  draw_implied(context);
  draw_differences(context, item);
  draw_page(context, item);
  ImGui::EndChild();
}

/// Nothing is selected: the questions that the window answers, each with the way to its answer.
void InspectorPanel::draw_questions(Context& context) {
  wrapped_text(
      "Nothing selected. Click an event, a line of the program with a blue dot, or a pass; or press E to select the "
      "current event.",
      colour::dim());
  ImGui::Spacing();
  wrapped_text("Or ask:", colour::dim());
  for (const Action& action : context.actions.all()) {
    if (action.group != "Questions") continue;
    if (action_button(context, action.name.c_str(), action.name)) break;
    if (context.elements.recording()) context.elements.add_item("inspector/question " + action.name, key_name(action.key));
  }
  draw_run_notes(context);
}

void InspectorPanel::draw_page(Context& context, Item item) {
  const auto& r = context.document->recording();
  switch (item.kind) {
    case ItemKind::Task: draw_task(context, item.row); break;
    case ItemKind::Edge: {
      inspect_edge(context, item.row);
      draw_answers(context);
      const std::uint32_t producer = r.tasks.call_site[r.edges.producer[item.row]];
      const std::uint32_t consumer = r.tasks.call_site[r.edges.consumer[item.row]];
      draw_pair(context, producer, consumer);
      if (context.show_legends) {
        ImGui::Spacing();
        legend(context, "asked for by", colour::provenance_legend());
        legend(context, "flags", colour::flag_legend());
      }
      break;
    }
    case ItemKind::Scope: inspect_scope(context, item.row); break;
    case ItemKind::CallSite:
      inspect_call_site(context, item.row);
      draw_pair(context, earlier_site_, item.row);
      break;
    case ItemKind::Pass: inspect_pass(context, item.row); break;
    case ItemKind::Event:
      inspect_event(context, item.row);
      if (const std::uint32_t task = context.selection.row(ItemKind::Task); task != kNoRow) {
        ImGui::Spacing();
        ImGui::Separator();
        link(context, {ItemKind::Task, task}, context.document->task_label(task));
        draw_task(context, task);
      }
      break;
    case ItemKind::Region:
      inspect_region(context, item.row);
      draw_answers(context);
      break;
    case ItemKind::Hazard:
      inspect_hazard(context, item.row);
      draw_pair(context, r.hazards.prior[item.row], r.hazards.current[item.row]);
      break;
    case ItemKind::Argument:
      inspect_argument(context, item.row);
      draw_answers(context);
      break;
    case ItemKind::Tensor:
      inspect_tensor(context, item.row);
      draw_answers(context);
      break;
    case ItemKind::Access:
      inspect_access(context, item.row);
      draw_answers(context);
      break;
    case ItemKind::Finding:
      inspect_finding(context, item.row);
      draw_answers(context);
      break;
    case ItemKind::None: break;
  }
}

void InspectorPanel::draw_heading(Context& context) {
  const auto button = [&](const char* label, std::string_view action, bool enabled) {
    ImGui::BeginDisabled(!enabled);
    action_button(context, label, action);
    ImGui::EndDisabled();
    ImGui::SameLine();
  };
  button("<##back", "Back to the previous selection", context.selection.can_go_back());
  button(">##forward", "Forward to the next selection", context.selection.can_go_forward());
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(context.theme.bold);
  ImGui::PushTextWrapPos(0.0F);  // all of it: numbers stand at the end
  text(item_label(*context.document, context.selection.current()));
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

void InspectorPanel::draw_implied(Context& context) {
  // What the selection implies, as links.
  constexpr ItemKind kKinds[] = {ItemKind::Task, ItemKind::Edge, ItemKind::CallSite, ItemKind::Scope, ItemKind::Region};
  bool any = false;
  for (const ItemKind kind : kKinds) {
    const std::uint32_t row = context.selection.row(kind);
    if (row == kNoRow || kind == context.selection.current().kind) continue;
    const Item item{kind, row};
    const std::string label = item_label(*context.document, item);
    if (any) same_line_if_fits(context, ImGui::CalcTextSize(label.c_str()).x);
    link(context, item, label);
    any = true;
  }
  if (any) ImGui::Spacing();
}

void InspectorPanel::update_task(Context& context, std::uint32_t task) {
  const replay::Cursor& cursor = context.document->cursor();
  if (task == task_ && cursor.position() == position_) return;
  if (task != task_) {
    fanin_ = cursor.fanin(task);
    fanout_ = cursor.fanout(task);
  }
  task_ = task;
  position_ = cursor.position();
}

}  // namespace depscope::viewers
