#include "passes_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "depscope/viewers/widgets.h"
#include "foreign_text.h"

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kFoldContext = 3;  // equal lines shown around a change when only changes are shown

std::array<LegendEntry, 3> change_legend() {
  return {{{colour::good(), "added", "characters and lines that the pass wrote"},
           {colour::error(), "removed", "characters and lines that the pass took away"},
           {colour::warning(), "followed name", "all versions of the name that was clicked (x, x__ssa_v1, …)"}}};
}
std::array<LegendEntry, 2> edge_legend() {
  return {{{colour::provenance(runtime::kUser), "user edge", "manual_dep_edges, deps=: written in the program"},
           {colour::provenance(runtime::kCompiler), "compiler edge",
            "compiler_manual_dep_edges: added by AutoDeriveTaskDependencies"}}};
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
  c.actions.add("Passes", "This pass in the other recording", "X", [this, &c] {
    if (c.comparison == nullptr) {
      c.status = "one recording is open; depscope-view A B opens two side by side";
      return;
    }
    in_both_ = !comparing(c);
    there_ = kNoRow;
    stale_ = reveal_first_change_ = true;
  });
  c.actions.add("Passes", "Stop following the name", "Shift+F", [this, &c] { follow(c, {}); });
}

void PassesPanel::opened(Context& context) {
  const bool swapped = context.comparison != nullptr && context.comparison == compared_ &&
                       context.comparison->swapped() != was_swapped_ && pass_ != kNoRow;
  const std::uint32_t kept = swapped ? context.comparison->counterpart_there(ItemKind::Pass, pass_) : kNoRow;
  compared_ = context.comparison;
  was_swapped_ = compared_ != nullptr && compared_->swapped();
  pass_ = there_ = kNoRow;
  list_.clear();
  if (!swapped) function_.clear();
  followed_.clear();
  mentions_.clear();
  stale_ = true;
  seen_selection_ = context.selection.revision();
  if (context.document == nullptr) return;
  const auto& recording = context.document->recording();
  list_ = pass_rows(*context.document, context.comparison);
  for (std::uint32_t f = 0; f < recording.functions.rows() && function_.empty() && !swapped; ++f) {
    if (recording.text(recording.functions.kind[f]) == "Orchestration") function_ = recording.text(recording.functions.name[f]);
  }
  if (recording.passes.rows() == 0) return;
  std::uint32_t first = 0;
  for (std::uint32_t pass = 1; pass < recording.passes.rows() && first == 0; ++pass) {
    if (recording.passes.changed[pass] != 0) first = pass;
  }
  show_pass(context, kept != kNoRow ? kept : first);
}

bool PassesPanel::comparing(const Context& context) const {
  return context.comparison != nullptr && (in_both_ || there_ != kNoRow);
}

PassSides PassesPanel::sides(const Context& context) const {
  if (!comparing(context)) return sides_of(*context.document, pass_);
  if (there_ != kNoRow) return sides_of(*context.comparison, {kNoRow, there_});
  return sides_of(*context.comparison, {pass_, context.comparison->counterpart(ItemKind::Pass, pass_)});
}

void PassesPanel::show_there(std::uint32_t pass) {
  there_ = pass;
  stale_ = reveal_first_change_ = true;
}

void PassesPanel::show_pass(Context& context, std::uint32_t pass) {
  if (context.document == nullptr || pass >= context.document->recording().passes.rows()) return;
  const bool other = pass != pass_ || there_ != kNoRow;
  stale_ |= other;
  reveal_first_change_ |= other;
  scroll_list_ |= other;
  pass_ = pass;
  there_ = kNoRow;
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
  const auto& functions = shown_.functions;
  if (functions.empty()) return;
  const auto count = static_cast<std::int64_t>(functions.size());
  std::int64_t at = 0;
  while (at < count && functions[static_cast<std::size_t>(at)].name != function_) ++at;
  function_ = functions[static_cast<std::size_t>(((at + direction) % count + count) % count)].name;
  stale_ = reveal_first_change_ = true;
}

void PassesPanel::step_change(Context& context, int direction) {
  if (diff_.change_starts.empty()) {
    context.status = comparing(context) ? "what is shown is the same in both" : "this pass did not change what is shown";
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
  for (std::uint32_t pass = 0; pass < passes.rows(); ++pass)
    mentions_.push_back(mentions(context.document->text(passes.text[pass]), followed_));
  const auto count = std::count(mentions_.begin(), mentions_.end(), true);
  context.status = fmt::format("following {}: in the text of {} of {} passes", followed_, count, mentions_.size());
}

void PassesPanel::rebuild(Context& context) {
  stale_ = false;
  rows_stale_ = true;
  const PassSides both = sides(context);
  shown_ = texts_of(both, function_);
  // The input has nothing before it: shown alone, without marks.
  const bool alone = !both.before.exists() && !comparing(context);
  diff_ = diff_text(alone ? shown_.after.text : shown_.before.text, shown_.after.text);
  change_ = 0;
}

void PassesPanel::rebuild_rows() {
  rows_stale_ = false;
  rows_.clear();
  const auto count = static_cast<std::uint32_t>(diff_.rows.size());
  const bool alone = pass_ == 0 && !shown_.has_before && diff_.change_starts.empty();
  std::vector<bool> show(count, !only_changes_ || alone);
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
  const bool left = comparing(context) && !context.comparison->swapped();  // where the recording is that has the line
  const FunctionText& shown = left ? shown_.before : shown_.after;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].row == kNoRow) continue;
    const std::uint32_t index = left ? diff_.rows[rows_[i].row].before : diff_.rows[rows_[i].row].after;
    if (index == kNoRow || shown.first_line + index != line) continue;
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
        "This recording has no passes: it was made from a submission trace or a task graph. Record a program (.py) or a "
        "passes_dump "
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

void PassesPanel::draw_toolbar(Context& context) {
  const auto toggle = [&](const char* label, bool on, std::string_view action) {
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
    action_button(context, label, action);
    if (on) ImGui::PopStyleColor();
    ImGui::SameLine();
  };
  ImGui::SetNextItemWidth(context.theme.px(130));
  if (ImGui::BeginCombo("##function", function_.empty() ? "whole program" : function_.c_str())) {
    const std::string_view changed = comparing(context) ? "  (differs)" : pass_ > 0 ? "  (changed)" : "";
    for (std::size_t i = 0; i < shown_.functions.size(); ++i) {
      const ShownTexts::Entry& entry = shown_.functions[i];
      const std::string label =
          fmt::format("{}{}", entry.name.empty() ? "whole program" : entry.name, entry.changed ? changed : "");
      ImGui::PushID(static_cast<int>(i));
      if (selectable(label, entry.name == function_)) function_ = entry.name, stale_ = reveal_first_change_ = true;
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  tooltip_for_item("The function that is shown. " + context.actions.tooltip("Next function"));
  ImGui::SameLine();
  toggle("badges", style_.badges, "Badges instead of attribute text");
  toggle("fold types", style_.fold_types, "Fold type annotations");
  toggle("only changes", only_changes_, "Only changes");
  toggle("stacked", stacked_, "Before above after");
  if (context.comparison != nullptr) toggle("a | b", comparing(context), "This pass in the other recording");
  toggle("<##change", false, "Previous change");
  toggle(">##change", false, "Next change");
  const std::string summary = summary_of_changes(context);
  if (ImGui::CalcTextSize(summary.c_str()).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  text(summary, colour::dim());
  if (!followed_.empty()) {
    const std::string label = fmt::format("following {}  x", followed_);
    same_line_if_fits(context, ImGui::CalcTextSize(label.c_str()).x + 2.0F * ImGui::GetStyle().FramePadding.x);
    action_button(context, label.c_str(), "Stop following the name");
  }
}

std::string PassesPanel::summary_of_changes(const Context& context) const {
  const bool both = comparing(context);
  if (pass_ == 0 && !both) return "the input as read";
  const std::size_t changes = diff_.change_starts.size();
  if (changes == 0) return (both ? "the same in both" : "no change here") + changed_elsewhere(both ? "differs" : "changed");
  return count_of(changes, both ? "difference" : "change") + (diff_.limited ? " (too many to align)" : "");
}

std::string PassesPanel::changed_elsewhere(std::string_view word) const {
  std::string names;
  std::size_t count = 0;
  for (const ShownTexts::Entry& entry : shown_.functions) {
    if (entry.name.empty() || !entry.changed || ++count > 2) continue;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  if (count == 0) return {};
  return fmt::format("; {}: {}{}", word, names, count > 2 ? fmt::format(" and {} more", count - 2) : "");
}

void PassesPanel::draw_legend(Context& context) {
  legend(context, "arguments", colour::direction_legend());
  legend(context, "edges", edge_legend(), true);
  legend(context, "text", change_legend(), true);
  side_legend(context, true);
}

void PassesPanel::draw_sides(Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float thickness = context.theme.px(6);
  const bool single = pass_ == 0 && !comparing(context);
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

/// Whose text it is and after which pass.
void PassesPanel::draw_heading(Context& context, const PassText& side, bool after, float width) {
  const float left = ImGui::GetCursorScreenPos().x;
  if (!comparing(context)) {
    const std::string_view where = pass_ == 0 ? "the input:" : after ? "after" : "before:  after";
    text(fmt::format("{} {}", where, side.document->pass_label(side.pass)), colour::dim());
    return;
  }
  const std::string_view name = after ? "b" : "a";
  badge(name, colour::side_legend()[after ? 1 : 0].colour, false);
  ImGui::SameLine();
  const std::string label = side.exists() ? "after " + side.document->pass_label(side.pass) : "did not run this pass";
  const std::string whole = fmt::format("{}  ({})", label, side.document->recording().input_name);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = width - (at.x - left);
  const ImVec2 size = ImGui::CalcTextSize(whole.c_str());
  const std::string& shown = size.x <= room ? whole : label;  // the sides must not push one another
  ImGui::PushClipRect(at, {at.x + room, at.y + size.y}, true);
  const std::string_view part = drawn_part(shown);
  ImGui::GetWindowDrawList()->AddText(at, colour::dim(), part.data(), part.data() + part.size());
  ImGui::PopClipRect();
  ImGui::Dummy({std::min(room, ImGui::CalcTextSize(shown.c_str()).x), size.y});
  if (size.x > room) tooltip_for_item(whole);
  context.elements.add_item(after ? "passes/b" : "passes/a", label);
}

void PassesPanel::draw_side(Context& context, bool after, ImVec2 size) {
  const PassSides both = sides(context);
  const PassText& side = after ? both.after : both.before;
  ImGui::BeginGroup();
  draw_heading(context, side, after, size.x);
  size.y -= ImGui::GetItemRectSize().y + ImGui::GetStyle().ItemSpacing.y;
  if (after ? shown_.has_after : shown_.has_before) {
    const FunctionText& shown = after ? shown_.after : shown_.before;
    const CodeSide what{after ? "after" : "before", after, side.pass, shown.first_line, side.document};
    const CodeClick click =
        draw_code(context, diff_, rows_, what, style_, followed_, scroll_, after ? after_scroll_ : before_scroll_, size);
    if (!click.name.empty() || click.call_site != kNoRow) click_ = click;
  } else {
    ImGui::BeginChild(after ? "no-after" : "no-before", size);
    if (!comparing(context)) {
      empty_state(after ? "The pass removed this function." : "This function did not exist before the pass.");
    } else {
      empty_state(side.exists() ? fmt::format("{} has no function of this name after this pass.", after ? "b" : "a")
                                : fmt::format("{} did not run this pass.", after ? "b" : "a"));
    }
    ImGui::EndChild();
  }
  ImGui::EndGroup();
}

}  // namespace depscope::viewers
