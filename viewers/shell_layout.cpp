// The panels in their areas.
#include <fmt/format.h>
#include <imgui.h>

#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr ImGuiWindowFlags kContent =
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_AlwaysUseWindowPadding;

}  // namespace

void Shell::draw_panels() {
  const float status = ImGui::GetFrameHeightWithSpacing();
  const float thickness = context_.theme.px(6);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = room.y - status - ImGui::GetFrameHeightWithSpacing();  // of the transport bar
  // An empty area leaves its room to its neighbour.
  const bool side = !layout_.empty(Area::Side);
  const bool bottom = !layout_.empty(Area::Bottom);
  const float left = side ? (room.x - thickness) * layout_.side : room.x;
  const float top = bottom ? (height - thickness) * layout_.bottom : height;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::BeginGroup();
  if (layout_.split()) {
    const float first = (left - thickness) * layout_.middle;
    draw_area(Area::Main, {first, top});
    ImGui::SameLine();
    splitter(context_, "main-right", true, top, left, layout_.middle, 0.15F, 0.85F);
    context_.elements.add_item("shell/splitter main-right");
    ImGui::SameLine();
    draw_area(Area::Right, {left - thickness - first, top});
  } else {
    draw_area(Area::Main, {left, top});
  }
  if (bottom) {
    splitter(context_, "main-bottom", false, left, height, layout_.bottom, 0.15F, 0.85F);
    context_.elements.add_item("shell/splitter main-bottom");
    draw_area(Area::Bottom, {left, height - thickness - top});
  }
  ImGui::EndGroup();
  if (side) {
    ImGui::SameLine();
    splitter(context_, "left-side", true, height, room.x, layout_.side, 0.3F, 0.88F);
    context_.elements.add_item("shell/splitter left-side");
    ImGui::SameLine();
    draw_area(Area::Side, {room.x - thickness - left, height});
  }
  ImGui::PopStyleVar();
}

void Shell::draw_area(Area area, ImVec2 size) {
  const auto index = static_cast<std::size_t>(area);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context_.theme.px(6), context_.theme.px(4)));
  ImGui::PushID(static_cast<int>(index));
  ImGui::BeginChild("place", size, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (context_.elements.recording()) {
    const ImVec2 at = ImGui::GetWindowPos();
    context_.elements.add(fmt::format("shell/area {}", area_name(area)), at, {at.x + size.x, at.y + size.y});
  }
  if (ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_NoCloseWithMiddleMouseButton | ImGuiTabBarFlags_FittingPolicyScroll)) {
    for (std::size_t panel = 0; panel < layout_.size(); ++panel) {
      if (layout_.area(panel) != area) continue;
      View& view = *views_[panel];
      const bool front = bring_to_front_[index] && layout_.front(area) == panel;
      const std::string title(view.title());
      const bool open = ImGui::BeginTabItem(title.c_str(), nullptr, front ? ImGuiTabItemFlags_SetSelected : 0);
      if (context_.elements.recording()) context_.elements.add_item("shell/tab " + title, open ? "front" : "");
      if (ImGui::IsItemClicked()) clicked_panel_ = panel;
      draw_tab_menu(panel);
      // Where the pointer rests on the tab that was clicked, a tooltip would cover the toolbar of its panel.
      if (!open) tooltip_for_item(fmt::format("{}\n{}", context_.actions.tooltip(title), view.purpose()));
      if (!open) continue;
      if (!bring_to_front_[index] && layout_.area(panel) == area) layout_.bring_to_front(panel);
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context_.theme.px(6), context_.theme.px(3)));
      ImGui::BeginChild("content", {0, 0}, false, kContent);
      ImGui::PopStyleVar();
      if (ImGui::IsMouseClicked(0) &&
          ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
        clicked_panel_ = panel;
      if (panel == current_panel()) {
        const ImVec2 at = ImGui::GetWindowPos();
        panel_box_ = {at, {at.x + ImGui::GetWindowWidth(), at.y + ImGui::GetWindowHeight()}};
      }
      view.draw(context_);
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    bring_to_front_[index] = false;
    ImGui::EndTabBar();
  }
  ImGui::EndChild();
  ImGui::PopID();
  ImGui::PopStyleVar();
}

void Shell::draw_tab_menu(std::size_t panel) {
  ImGui::PushID(static_cast<int>(panel));
  if (ImGui::BeginPopupContextItem("tab menu")) {
    constexpr std::array<std::pair<Area, const char*>, kAreaCount> kAreas{{{Area::Main, "Main area"},
                                                                           {Area::Right, "Right half of the main area"},
                                                                           {Area::Side, "Side"},
                                                                           {Area::Bottom, "Bottom"}}};
    text(fmt::format("Move {} to", layout_.title(panel)), colour::dim());
    for (const auto& [area, label] : kAreas) {
      const bool here = layout_.area(panel) == area;
      if (ImGui::MenuItem(label, nullptr, here, !here)) {
        if (!layout_.move(panel, area)) context_.status = "the main area keeps one panel at least";
        bring_to_front_.fill(true);
      }
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

}  // namespace depscope::viewers
