#include "passes_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "depscope/viewers/widgets.h"

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kFoldContext = 3;  // equal lines shown around a change when only changes are shown

constexpr LegendEntry kChanges[] = {
    {IM_COL32(110, 205, 140, 255), "added", "characters and lines that the pass wrote"},
    {IM_COL32(235, 110, 110, 255), "removed", "characters and lines that the pass took away"},
    {IM_COL32(255, 215, 90, 255), "followed name", "all versions of the name that was clicked (x, x__ssa_v1, …)"},
};
const LegendEntry kEdges[] = {
    {colour::provenance(runtime::kUser), "user edge", "manual_dep_edges, deps=: written in the program"},
    {colour::provenance(runtime::kCompiler), "compiler edge", "compiler_manual_dep_edges: added by AutoDeriveTaskDependencies"},
};

const FunctionText* find(const std::vector<FunctionText>& functions, std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const FunctionText& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace

void PassesPanel::add_actions(Context& c) {
  c.actions.add("Passes", "Next pass", "Down", [this, &c] { step_pass(c, 1, false); });
  c.actions.add("Passes", "Previous pass", "Up", [this, &c] { step_pass(c, -1, false); });
  c.actions.add("Passes", "Next pass that changed something", "PageDown", [this, &c] { step_pass(c, 1, true); });
  c.actions.add("Passes", "Previous pass that changed something", "PageUp", [this, &c] { step_pass(c, -1, true); });
  c.actions.add("Passes", "Next change", ".", [this, &c] { step_change(c, 1); });
  c.actions.add("Passes", "Previous change", ",", [this, &c] { step_change(c, -1); });
  c.actions.add("Passes", "Next function", "G", [this] { step_function(1); });
  c.actions.add("Passes", "Previous function", "Shift+G", [this] { step_function(-1); });
  c.actions.add("Passes", "Badges instead of attribute text", "B",
                [this] { style_.badges = !style_.badges, rows_stale_ = true; });
  c.actions.add("Passes", "Fold type annotations", "A", [this] { style_.fold_types = !style_.fold_types, rows_stale_ = true; });
  c.actions.add("Passes", "Only changes", "C", [this] {
    only_changes_ = !only_changes_;
    rows_stale_ = true;
    reveal_first_change_ = true;
  });
  c.actions.add("Passes", "Before above after", "V", [this] { stacked_ = !stacked_, reveal_first_change_ = true; });
  c.actions.add("Passes", "Stop following the name", "Shift+F", [this, &c] { follow(c, {}); });
}

void PassesPanel::opened(Context& context) {
  pass_ = kNoRow;
  function_.clear();
  followed_.clear();
  mentions_.clear();
  stale_ = true;
  seen_selection_ = context.selection.revision();
  if (context.document == nullptr) return;
  const auto& recording = context.document->recording();
  for (std::uint32_t f = 0; f < recording.functions.rows() && function_.empty(); ++f) {
    if (recording.text(recording.functions.kind[f]) == "Orchestration") function_ = recording.text(recording.functions.name[f]);
  }
  if (recording.passes.rows() == 0) return;
  std::uint32_t first = 0;
  for (std::uint32_t pass = 1; pass < recording.passes.rows() && first == 0; ++pass) {
    if (recording.passes.changed[pass] != 0) first = pass;
  }
  show_pass(context, first);
}

std::string_view PassesPanel::program(const Context& context, std::uint32_t pass) const {
  const auto& recording = context.document->recording();
  return recording.text(recording.passes.text[pass]);
}

void PassesPanel::show_pass(Context& context, std::uint32_t pass) {
  if (context.document == nullptr || pass >= context.document->recording().passes.rows()) return;
  stale_ |= pass != pass_;
  reveal_first_change_ |= pass != pass_;
  scroll_list_ |= pass != pass_;
  pass_ = pass;
}

void PassesPanel::step_pass(Context& context, int direction, bool changed_only) {
  if (context.document == nullptr || pass_ == kNoRow) return;
  const auto& passes = context.document->recording().passes;
  for (std::int64_t pass = std::int64_t{pass_} + direction; pass >= 0 && pass < passes.rows(); pass += direction) {
    if (changed_only && passes.changed[static_cast<std::size_t>(pass)] == 0) continue;
    context.selection.select({ItemKind::Pass, static_cast<std::uint32_t>(pass)});
    return;
  }
  context.status = changed_only ? "no pass that changed something from here" : "no pass from here";
}

void PassesPanel::step_function(int direction) {
  if (functions_.empty()) return;
  const auto count = static_cast<std::int64_t>(functions_.size());
  std::int64_t at = 0;
  while (at < count && functions_[static_cast<std::size_t>(at)].name != function_) ++at;
  function_ = functions_[static_cast<std::size_t>(((at + direction) % count + count) % count)].name;
  stale_ = reveal_first_change_ = true;
}

void PassesPanel::step_change(Context& context, int direction) {
  if (diff_.change_starts.empty()) {
    context.status = "this pass did not change what is shown";
    return;
  }
  const std::size_t count = diff_.change_starts.size();
  change_ = direction > 0 ? (change_ + 1) % count : (change_ + count - 1) % count;
  scroll_to(context, diff_.change_starts[change_], 8.0F * code_row_height(context.theme));
  context.status = fmt::format("change {} of {}", change_ + 1, count);
}

void PassesPanel::scroll_to(const Context& context, std::uint32_t row, float room) {
  const auto shown = std::find_if(rows_.begin(), rows_.end(), [&](const CodeRow& r) { return r.row == row; });
  if (shown == rows_.end()) return;
  const float height = code_row_height(context.theme);
  const float y = static_cast<float>(shown - rows_.begin()) * height;
  scroll_.y = y > room ? y - 4.0F * height : 0.0F;
  // Across as well, if the first changed character is far to the right.
  const float x = std::max(first_mark(context.theme, diff_, diff_.rows[row], true, style_),
                           first_mark(context.theme, diff_, diff_.rows[row], false, style_));
  scroll_.x = x > text_width_ * 0.75F ? x - text_width_ * 0.3F : 0.0F;
  scroll_.moved = true;
}

void PassesPanel::follow(Context& context, std::string_view name) {
  followed_ = base_name(name);
  mentions_.clear();
  context.status.clear();
  if (followed_.empty()) return;
  const auto& passes = context.document->recording().passes;
  for (std::uint32_t pass = 0; pass < passes.rows(); ++pass) mentions_.push_back(mentions(program(context, pass), followed_));
  const auto count = std::count(mentions_.begin(), mentions_.end(), true);
  context.status = fmt::format("following {}: in the text of {} of {} passes", followed_, count, mentions_.size());
}

void PassesPanel::rebuild(Context& context) {
  stale_ = false;
  rows_stale_ = true;
  functions_.clear();
  const std::string_view after = program(context, pass_);
  const std::string_view before = pass_ > 0 ? program(context, pass_ - 1) : std::string_view();
  const auto after_functions = functions_of(after);
  const auto before_functions = functions_of(before);
  functions_.push_back({"", before != after});
  for (const FunctionText& function : after_functions) {
    const FunctionText* old = find(before_functions, function.name);
    functions_.push_back({std::string(function.name), old == nullptr || old->text != function.text});
  }
  for (const FunctionText& function : before_functions) {
    if (find(after_functions, function.name) == nullptr) functions_.push_back({std::string(function.name), true});
  }
  const FunctionText* new_text = find(after_functions, function_);
  const FunctionText* old_text = find(before_functions, function_);
  if (function_.empty() || (new_text == nullptr && old_text == nullptr)) {
    before_ = {{}, before, 1};
    after_ = {{}, after, 1};
    has_before_ = pass_ > 0;
    has_after_ = true;
  } else {
    has_before_ = old_text != nullptr;
    has_after_ = new_text != nullptr;
    before_ = has_before_ ? *old_text : FunctionText{};
    after_ = has_after_ ? *new_text : FunctionText{};
  }
  // The input has nothing before it: shown alone, without marks.
  diff_ = diff_text(pass_ > 0 ? before_.text : after_.text, after_.text);
  change_ = 0;
}

void PassesPanel::rebuild_rows() {
  rows_stale_ = false;
  rows_.clear();
  const auto count = static_cast<std::uint32_t>(diff_.rows.size());
  std::vector<bool> show(count, !only_changes_ || pass_ == 0);
  if (only_changes_) {
    for (std::uint32_t row = 0; row < count; ++row) {
      if (diff_.rows[row].change == LineChange::Same) continue;
      const std::uint32_t begin = row > kFoldContext ? row - kFoldContext : 0;
      const std::uint32_t end = std::min(count, row + kFoldContext + 1);
      std::fill(show.begin() + begin, show.begin() + end, true);
    }
  }
  for (std::uint32_t row = 0; row < count; ++row) {
    if (show[row]) {
      rows_.push_back({row, 0});
    } else if (!rows_.empty() && rows_.back().row == kNoRow) {
      ++rows_.back().folded;
    } else {
      rows_.push_back({kNoRow, 1});
    }
  }
}

void PassesPanel::reveal_call_site(Context& context) {
  const std::uint32_t site = context.selection.row(ItemKind::CallSite);
  const std::uint32_t line = context.document->pass_line(site, pass_);
  if (line == 0) return;
  const auto& recording = context.document->recording();
  const std::uint32_t function = recording.call_sites.function[site];
  if (!function_.empty() && function < recording.functions.rows() &&
      recording.text(recording.functions.name[function]) != function_) {
    function_ = recording.text(recording.functions.name[function]);
    rebuild(context);
  }
  if (rows_stale_) rebuild_rows();
  const float height = code_row_height(context.theme);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].row == kNoRow) continue;
    const std::uint32_t after = diff_.rows[rows_[i].row].after;
    if (after == kNoRow || after_.first_line + after != line) continue;
    const float y = static_cast<float>(i) * height;
    const float room = ImGui::GetContentRegionAvail().y * 0.7F;
    if (y < scroll_.y + height || y > scroll_.y + room) {
      scroll_.y = std::max(0.0F, y - room * 0.4F);
      scroll_.moved = true;
    }
    reveal_first_change_ = false;
    return;
  }
}

void PassesPanel::draw(Context& context) {
  if (pass_ == kNoRow) {
    empty_state(
        "This recording has no passes: it was made from a submission trace. Record a program (.py) or a passes_dump "
        "directory to see what the passes do.");
    return;
  }
  const bool selected = context.selection.revision() != seen_selection_;
  seen_selection_ = context.selection.revision();
  if (selected && context.selection.current().kind == ItemKind::Pass) show_pass(context, context.selection.current().row);
  if (stale_) rebuild(context);
  if (selected && context.selection.current().kind != ItemKind::Pass) reveal_call_site(context);
  if (rows_stale_) rebuild_rows(), scroll_.width = widest_line(context.theme, diff_, style_);

  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float list_width = room.x * list_fraction_;
  draw_list(context, list_width);
  ImGui::SameLine(0, 0);
  splitter(context, "list-splitter", true, room.y, room.x, list_fraction_, 0.1F, 0.5F);
  ImGui::SameLine(0, 0);
  ImGui::BeginChild("texts", {0, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw_toolbar(context);
  if (context.show_legends) draw_legend(context);
  draw_sides(context);
  ImGui::EndChild();
}

void PassesPanel::draw_list(Context& context, float width) {
  const auto& passes = context.document->recording().passes;
  ImGui::BeginChild("list", {width, 0});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(passes.rows()), ImGui::GetTextLineHeightWithSpacing());
  if (scroll_list_) clipper.ForceDisplayRangeByIndices(static_cast<int>(pass_), static_cast<int>(pass_) + 1);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto pass = static_cast<std::uint32_t>(i);
      const bool changed = pass == 0 || passes.changed[pass] != 0;
      const bool warned = passes.message_begin_count[pass] != 0;
      ImGui::PushID(i);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      if (ImGui::Selectable("##pass", pass == pass_)) context.selection.select({ItemKind::Pass, pass});
      if (scroll_list_ && pass == pass_) ImGui::SetScrollHereY(0.5F), scroll_list_ = false;
      const std::string name = context.document->pass_label(pass);
      tooltip_for_item(fmt::format("{}{}", name,
                                   pass == 0 ? ": the input as read"
                                   : changed ? ": changed the program"
                                             : ": no-op"));
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const std::string_view state = pass == 0 ? "input" : changed ? "changed" : "no-op";
      const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - badge_size(state).x;
      list.PushClipRect(at, {right - context.theme.px(4), at.y + ImGui::GetTextLineHeightWithSpacing()}, true);
      list.AddText(at, changed ? colour::kText : colour::kFaint, name.c_str());
      list.PopClipRect();
      draw_badge(list, {right, at.y}, ImGui::GetTextLineHeight(), state,
                 pass == 0 ? colour::kDim
                 : warned  ? colour::kWarning
                 : changed ? colour::kGood
                           : colour::kFaint,
                 false);
      if (pass < mentions_.size() && mentions_[pass]) {
        list.AddCircleFilled({right - context.theme.px(8), at.y + ImGui::GetTextLineHeight() * 0.5F}, context.theme.px(3),
                             colour::kWarning);
      }
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
}

void PassesPanel::draw_toolbar(Context& context) {
  const auto toggle = [&](const char* label, bool on, std::string_view action) {
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
    action_button(context, label, action);
    if (on) ImGui::PopStyleColor();
    ImGui::SameLine();
  };
  ImGui::SetNextItemWidth(context.theme.px(130));
  if (ImGui::BeginCombo("##function", function_.empty() ? "whole program" : function_.c_str())) {
    for (const Entry& entry : functions_) {
      const std::string label =
          fmt::format("{}{}", entry.name.empty() ? "whole program" : entry.name, entry.changed && pass_ > 0 ? "  (changed)" : "");
      if (ImGui::Selectable(label.c_str(), entry.name == function_)) function_ = entry.name, stale_ = reveal_first_change_ = true;
    }
    ImGui::EndCombo();
  }
  tooltip_for_item("The function that is shown. " + context.actions.tooltip("Next function"));
  ImGui::SameLine();
  toggle("badges", style_.badges, "Badges instead of attribute text");
  toggle("fold types", style_.fold_types, "Fold type annotations");
  toggle("only changes", only_changes_, "Only changes");
  toggle("stacked", stacked_, "Before above after");
  toggle("<##change", false, "Previous change");
  toggle(">##change", false, "Next change");
  const std::size_t changes = diff_.change_starts.size();
  if (pass_ == 0) {
    text("the input as read", colour::kDim);
  } else if (changes == 0) {
    text("no change here" + changed_elsewhere(), colour::kDim);
  } else {
    text(count_of(changes, "change") + (diff_.limited ? " (too many to align)" : ""), colour::kDim);
  }
  if (!followed_.empty()) {
    const std::string label = fmt::format("following {}  x", followed_);
    same_line_if_fits(context, ImGui::CalcTextSize(label.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x);
    action_button(context, label.c_str(), "Stop following the name");
  }
}

std::string PassesPanel::changed_elsewhere() const {
  std::string names;
  std::size_t count = 0;
  for (const Entry& entry : functions_) {
    if (entry.name.empty() || !entry.changed || ++count > 2) continue;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  if (count == 0) return {};
  return fmt::format("; changed: {}{}", names, count > 2 ? fmt::format(" and {} more", count - 2) : "");
}

void PassesPanel::draw_legend(Context& context) {
  legend(context, "arguments", colour::direction_legend());
  legend(context, "edges", kEdges, true);
  legend(context, "text", kChanges, true);
}

void PassesPanel::draw_sides(Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float thickness = context.theme.px(6);
  const bool single = pass_ == 0;
  const float gaps = stacked_ ? 2.0F * context.theme.px(2) : 0.0F;
  const float along = (stacked_ ? room.y : room.x) - thickness - gaps;
  const float first = along * half_fraction_;
  text_width_ = single || stacked_ ? room.x : std::min(first, along - first);
  if (reveal_first_change_) {
    reveal_first_change_ = false;
    scroll_.x = scroll_.y = 0;
    scroll_.moved = true;
    if (!diff_.change_starts.empty()) scroll_to(context, diff_.change_starts.front(), (stacked_ ? first : room.y) * 0.6F);
  }
  click_ = {};
  if (single) {
    draw_side(context, true, room);
  } else if (stacked_) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.theme.px(6), context.theme.px(2)));
    draw_side(context, false, {room.x, first});
    splitter(context, "side-splitter", false, room.x, room.y, half_fraction_, 0.15F, 0.85F);
    draw_side(context, true, {room.x, along - first});
    ImGui::PopStyleVar();
  } else {
    draw_side(context, false, {first, room.y});
    ImGui::SameLine(0, 0);
    splitter(context, "side-splitter", true, room.y, room.x, half_fraction_, 0.15F, 0.85F);
    ImGui::SameLine(0, 0);
    draw_side(context, true, {along - first, room.y});
  }
  scroll_.moved = false;
  if (!click_.name.empty()) follow(context, click_.name);
  if (click_.call_site != kNoRow) context.selection.select({ItemKind::CallSite, click_.call_site});
}

void PassesPanel::draw_side(Context& context, bool after, ImVec2 size) {
  const std::uint32_t pass = after ? pass_ : pass_ - 1;
  ImGui::BeginGroup();
  text(fmt::format("{} {}",
                   pass_ == 0 ? "the input:"
                   : after    ? "after"
                              : "before:  after",
                   context.document->pass_label(pass)),
       colour::kDim);
  size.y -= ImGui::GetItemRectSize().y + ImGui::GetStyle().ItemSpacing.y;
  if (after ? has_after_ : has_before_) {
    const CodeSide what{after ? "after" : "before", after, pass, after ? after_.first_line : before_.first_line};
    const CodeClick click =
        draw_code(context, diff_, rows_, what, style_, followed_, scroll_, after ? after_scroll_ : before_scroll_, size);
    if (!click.name.empty() || click.call_site != kNoRow) click_ = click;
  } else {
    ImGui::BeginChild(after ? "no-after" : "no-before", size);
    empty_state(after ? "The pass removed this function." : "This function did not exist before the pass.");
    ImGui::EndChild();
  }
  ImGui::EndGroup();
}

}  // namespace depscope::viewers
