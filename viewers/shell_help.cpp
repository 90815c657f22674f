// The key table (F1): all actions in groups, in as many columns as fit.
#include <imgui.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr float kColumnWidth = 310.0F;  // at 96 dots per inch
constexpr std::size_t kMostColumns = 4;
constexpr std::size_t kRowsAroundGroup = 2;

struct Group {
  std::string_view name;
  std::vector<const Action*> actions;
};

std::vector<Group> groups_of(const Actions& actions) {
  std::vector<Group> groups;
  for (const Action& action : actions.all()) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.name == action.group; });
    if (found == groups.end()) found = groups.insert(groups.end(), Group{action.group, {}});
    found->actions.push_back(&action);
  }
  return groups;
}

void draw_group(const Context& context, const Group& group) {
  ImGui::PushFont(context.theme.bold);
  text(group.name);
  ImGui::PopFont();
  float key_width = 0;  // of the group: names have little room
  for (const Action* action : group.actions)
    key_width = std::max(key_width, ImGui::CalcTextSize(key_name(action->key).c_str()).x);
  for (const Action* action : group.actions) {
    const float left = ImGui::GetCursorPosX();
    const float room = ImGui::GetContentRegionAvail().x;
    text(key_name(action->key), colour::warning());
    ImGui::SameLine();
    ImGui::SetCursorPosX(left + key_width + context.theme.px(10));
    ImGui::PushTextWrapPos(left + room);
    text(action->name);
    ImGui::PopTextWrapPos();
  }
  ImGui::Spacing();
}

}  // namespace

void Shell::draw_help() {
  if (!show_help_) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const std::vector<Group> groups = groups_of(context_.actions);
  std::size_t rows = 0;
  for (const Group& group : groups) rows += group.actions.size() + kRowsAroundGroup;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const auto fit = static_cast<std::size_t>(display.x * 0.96F / context_.theme.px(kColumnWidth));
  const std::size_t wanted = 1 + rows / std::max<std::size_t>(10, static_cast<std::size_t>(display.y * 0.7F / line));
  const std::size_t columns =
      std::clamp<std::size_t>(std::max<std::size_t>(wanted, 2), 1, std::clamp<std::size_t>(fit, 1, kMostColumns));
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.5F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(display.x * 0.97F, context_.theme.px(kColumnWidth) * static_cast<float>(columns) * 1.06F), 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y * 0.96F});
  ImGui::SetNextWindowFocus();
  if (ImGui::Begin(
          "Keys", &show_help_,
          ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize)) {
    if (ImGui::BeginTable("columns", static_cast<int>(columns))) {
      // Groups go to the column that is shortest so far.
      std::vector<std::vector<const Group*>> of_column(columns);
      std::vector<std::size_t> length(columns, 0);
      for (const Group& group : groups) {
        const auto shortest = static_cast<std::size_t>(std::min_element(length.begin(), length.end()) - length.begin());
        of_column[shortest].push_back(&group);
        length[shortest] += group.actions.size() + kRowsAroundGroup;
      }
      for (const auto& column : of_column) {
        ImGui::TableNextColumn();
        for (const Group* group : column) draw_group(context_, *group);
      }
      ImGui::EndTable();
    }
    ImGui::PushTextWrapPos(0.0F);
    text(
        "Ctrl+P finds all of these by name. Click a line of a program to select its call site, a name to follow it, an event to "
        "go "
        "there. The mouse wheel scrolls; drag the gaps between panels to resize them; right click a tab to move its panel.",
        colour::dim());
    ImGui::PopTextWrapPos();
  }
  ImGui::End();
}

}  // namespace depscope::viewers
