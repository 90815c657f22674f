#include "error_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {

void ErrorPanel::draw(Context& context) {
  if (!error_) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.42F}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(display.x * 0.92F, context.theme.px(900)), 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y * 0.9F});
  bool stays = true;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetColorU32(ImGuiCol_PopupBg));
  if (ImGui::Begin(
          "Cannot open this", &stays,
          ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize)) {
    ImGui::PushFont(context.theme.bold);
    text(error_->path, colour::error());
    ImGui::PopFont();
    ImGui::Spacing();
    const float most = display.y * 0.6F;
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const float needed = (static_cast<float>(error_->lines.size()) + 1.0F) * line * 1.5F;
    const bool scrolls = needed > most;
    if (scrolls) ImGui::BeginChild("lines", {0, most}, false, ImGuiWindowFlags_HorizontalScrollbar);
    for (const LoadError::Line& l : error_->lines) {
      if (l.code) {
        ImGui::PushFont(context.theme.mono);
        text(l.text, l.text.find('^') != std::string::npos ? colour::error() : colour::text());
        ImGui::PopFont();
      } else {
        ImGui::PushTextWrapPos(0.0F);
        text(l.text);
        ImGui::PopTextWrapPos();
      }
    }
    if (scrolls) ImGui::EndChild();
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0.0F);
    text(error_->advice, colour::warning());
    text("What was open before stays open.", colour::dim());
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    if (ImGui::Button("Copy")) {
      ImGui::SetClipboardText(error_->text.c_str());
      context.status = "the error is on the clipboard";
    }
    tooltip_for_item("Put the whole message on the clipboard (Ctrl+C)");
    ImGui::SameLine();
    if (ImGui::Button("Close")) stays = false;
    tooltip_for_item("Close (Escape)");
  }
  ImGui::End();
  ImGui::PopStyleColor();
  if (!stays) error_.reset();
}

}  // namespace depscope::viewers
