#include "foreign_text.h"

#include <algorithm>

namespace depscope::viewers {
namespace {

constexpr std::size_t kMostDrawnBytes = 16000;  // a character has four corners

ImVec2 size_of(std::string_view words) { return ImGui::CalcTextSize(words.data(), words.data() + words.size()); }

void draw(ImVec2 at, std::string_view words) {
  words = drawn_part(words);
  ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), words.data(), words.data() + words.size());
}

}  // namespace

std::string_view drawn_part(std::string_view text) {
  if (text.size() <= kMostDrawnBytes) return text;
  std::size_t end = kMostDrawnBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

bool selectable(std::string_view words, bool selected, ImGuiSelectableFlags flags) {
  const bool spans = (flags & ImGuiSelectableFlags_SpanAllColumns) != 0;
  // Where nothing gives it a width, as in a list that opens below a box, the text does.
  const float width = spans ? 0.0F : std::max(size_of(words).x, ImGui::GetContentRegionAvail().x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable("##words", selected, flags, {width, 0.0F});
  draw(at, words);
  return clicked;
}

bool checkbox(std::string_view words, bool& on) {
  const ImVec2 size = size_of(words);
  const ImGuiStyle& style = ImGui::GetStyle();
  ImGui::BeginGroup();
  bool pressed = ImGui::Checkbox("##words", &on);
  ImGui::SameLine(0.0F, style.ItemInnerSpacing.x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (size.x > 0.0F && ImGui::InvisibleButton("text", {size.x, ImGui::GetFrameHeight()})) {
    on = !on;
    pressed = true;
  }
  draw({at.x, at.y + style.FramePadding.y}, words);
  ImGui::EndGroup();
  return pressed;
}

bool button(std::string_view words) {
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const ImVec2 size = size_of(words);
  const bool pressed = ImGui::Button("##words", {size.x + 2.0F * padding.x, ImGui::GetFrameHeight()});
  const ImVec2 at = ImGui::GetItemRectMin();
  draw({at.x + padding.x, at.y + padding.y}, words);
  return pressed;
}

}  // namespace depscope::viewers
