// The list of passes beside their texts.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/shell.h"
#include "depscope/viewers/widgets.h"
#include "passes_panel.h"

namespace depscope::viewers {

void PassesPanel::draw_list(Context& context, float width) {
  ImGui::BeginChild("list", {width, 0});
  const auto at = std::find_if(list_.begin(), list_.end(), [&](const PassRow& row) { return row.here == pass_; });
  const auto selected = static_cast<int>(at - list_.begin());
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(list_.size()), ImGui::GetTextLineHeightWithSpacing());
  if (scroll_list_ && at != list_.end()) clipper.ForceDisplayRangeByIndices(selected, selected + 1);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      draw_list_row(context, list_[static_cast<std::size_t>(i)]);
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
}

void PassesPanel::draw_list_row(Context& context, const PassRow& row) {
  const bool only_there = row.here == kNoRow;
  const Document& document = only_there ? context.comparison->there() : *context.document;
  const std::uint32_t pass = only_there ? row.there : row.here;
  const auto& passes = document.recording().passes;
  const bool changed = pass == 0 || passes.changed[pass] != 0;
  const bool warned = passes.message_begin_count[pass] != 0;
  const bool chosen = only_there ? pass == there_ : pass == pass_ && there_ == kNoRow;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable("##pass", chosen)) {
    if (only_there) {
      show_there(pass);
    } else {
      show_pass(context, pass);  // also when it is selected already
      context.selection.select({ItemKind::Pass, pass});
    }
  }
  if (scroll_list_ && chosen) ImGui::SetScrollHereY(0.5F), scroll_list_ = false;
  const std::string name = document.pass_label(pass);
  std::string_view state = pass == 0 ? "input" : changed ? "changed" : "no-op";
  ImU32 colour = pass == 0 ? colour::dim() : warned ? colour::warning() : changed ? colour::good() : colour::faint();
  std::string words = name + (pass == 0 ? ": the input as read" : changed ? ": changed the program" : ": no-op");
  // What differs says more than what the pass did, for which the colour of its name is left.
  std::string mark;
  if (only_there) {
    mark = fmt::format("only in {}", context.comparison->there_name());
    colour = context.comparison->there_colour();
  } else if (context.comparison != nullptr && context.comparison->mark(ItemKind::Pass, pass) != Mark::Same) {
    mark = context.comparison->words(context.comparison->mark(ItemKind::Pass, pass));
    colour = context.comparison->colour(context.comparison->mark(ItemKind::Pass, pass));
  }
  if (!mark.empty()) {
    state = mark;
    words += "\n" + mark + (only_there ? std::string() : difference_text(context, ItemKind::Pass, pass));
  }
  tooltip_for_item(words);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - badge_size(state).x;
  const bool mentioned = !only_there && pass < mentions_.size() && mentions_[pass];
  const float end = right - context.theme.px(mentioned ? 14 : 4);
  list.AddText(at, changed ? colour::text() : colour::faint(), elided(name, end - at.x).c_str());
  draw_badge(list, {right, at.y}, ImGui::GetTextLineHeight(), state, colour, false);
  if (mentioned) {
    list.AddCircleFilled({right - context.theme.px(8), at.y + ImGui::GetTextLineHeight() * 0.5F}, context.theme.px(3),
                         colour::warning());
  }
  if (context.elements.recording()) {
    context.elements.add_item(fmt::format("passes/{}pass {}", only_there ? "only-there " : "", pass),
                              fmt::format("{}: {}", name, state));
  }
}

}  // namespace depscope::viewers
