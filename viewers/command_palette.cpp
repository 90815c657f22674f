#include "command_palette.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "depscope/viewers/widgets.h"
#include "text_fields.h"

namespace depscope::viewers {
namespace {

constexpr const char* kTitle = "Commands";
constexpr std::size_t kPage = 12;

/// What can be typed next, where the query is a question.
std::string_view hint(std::string_view query) {
  if (query.starts_with("why")) return "First the task that waits, then the one it waits for: a name, t12, or both.";
  if (query.starts_with("edges")) return "Who asked for them, then the task that waits and the one it waits for.";
  return "Up and Down choose, Enter runs, Escape closes.";
}

bool pressed(ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); }

}  // namespace

int CommandPalette::edit(ImGuiInputTextCallbackData* data) {
  auto& self = *static_cast<CommandPalette*>(data->UserData);
  if (!self.new_text_) return 0;
  replace_text(*data, *self.new_text_);
  self.new_text_.reset();
  return 0;
}

void CommandPalette::take(std::size_t row) {
  if (row >= model_.entries().size()) return;
  const PaletteEntry& entry = model_.entries()[row];
  if (entry.what == PaletteEntry::What::Nothing) return;
  if (entry.what != PaletteEntry::What::Kernel) {
    chosen_ = entry;
    return;
  }
  new_text_ = text_ = entry.text;  // its tasks are listed next
  focus_ = true;
}

void CommandPalette::draw_rows(Context& context, float height) {
  ImGui::BeginChild("rows", {0, height});
  const auto& entries = model_.entries();
  const float row_height = ImGui::GetTextLineHeightWithSpacing();
  if (std::exchange(reveal_, false)) {
    const float top = static_cast<float>(highlighted_) * row_height;
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top > ImGui::GetScrollY() + height - 2 * row_height) ImGui::SetScrollY(top - height + 2 * row_height);
  }
  if (entries.empty()) text("Nothing fits.", colour::dim());
  std::size_t clicked = entries.size();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(entries.size()), row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const PaletteEntry& entry = entries[row];
      const float width = ImGui::GetContentRegionAvail().x;
      const float left = ImGui::GetCursorPosX();
      ImGui::PushID(i);
      if (ImGui::Selectable("##row", row == highlighted_, ImGuiSelectableFlags_DontClosePopups)) clicked = row;
      if (context.elements.recording()) context.elements.add_item(fmt::format("palette/row {}", row + 1), entry.text);
      ImGui::PopID();
      ImGui::SameLine(left);
      text(entry.text, entry.what == PaletteEntry::What::Action    ? colour::text()
                       : entry.what == PaletteEntry::What::Nothing ? colour::dim()
                                                                   : colour::link());
      ImGui::SameLine(left + std::max(width * 0.5F, width - ImGui::CalcTextSize(entry.detail.c_str()).x - context.theme.px(6)));
      text(entry.detail, colour::dim());
    }
  }
  ImGui::EndChild();
  if (clicked < entries.size()) take(clicked);
}

std::optional<PaletteEntry> CommandPalette::draw(Context& context) {
  if (std::exchange(opening_, false)) {
    ImGui::OpenPopup(kTitle);
    text_ = initial_;
    new_text_ = initial_;
    highlighted_ = 0;
    focus_ = reveal_ = true;
    model_.query(text_, context.actions);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float row = ImGui::GetTextLineHeightWithSpacing();
  ImGui::SetNextWindowPos({display.x * 0.5F, display.y * 0.12F}, ImGuiCond_Always, {0.5F, 0.0F});
  ImGui::SetNextWindowSize({std::min(display.x * 0.9F, context.theme.px(620)), 0});
  if (!ImGui::BeginPopup(kTitle, ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) return std::nullopt;
  const std::size_t count = model_.entries().size();
  if (pressed(ImGuiKey_DownArrow) && highlighted_ + 1 < count) ++highlighted_, reveal_ = true;
  if (pressed(ImGuiKey_UpArrow) && highlighted_ > 0) --highlighted_, reveal_ = true;
  if (pressed(ImGuiKey_PageDown) && count > 0) highlighted_ = std::min(count - 1, highlighted_ + kPage), reveal_ = true;
  if (pressed(ImGuiKey_PageUp)) highlighted_ -= std::min(highlighted_, kPage), reveal_ = true;
  const bool enter = pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter);
  if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string before = text_;
  ImGui::InputTextWithHint("##query", "an action, a kernel, a tensor, task 12, event 300, why gelu t3 up, edges compiler …",
                           &text_, ImGuiInputTextFlags_CallbackAlways, edit, this);
  const std::string queried = text_;
  if (enter) take(highlighted_);
  draw_rows(context, std::min(display.y * 0.6F, row * 18));
  if (text_ != before || text_ != queried) {
    model_.query(text_, context.actions);
    highlighted_ = 0;
    reveal_ = true;
  }
  text(hint(text_), colour::dim());
  if (chosen_) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return std::exchange(chosen_, std::nullopt);
}

}  // namespace depscope::viewers
