#include "regions_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer_view.h"
#include "depscope/pass/decisions.h"
#include "depscope/replay/decision_words.h"
#include "depscope/viewers/decision_words.h"
#include "depscope/viewers/shell.h"

namespace depscope::viewers {
namespace {

constexpr std::string_view kHeadings[] = {"Phase fences", "Scopes", "Carried values", "Only in the other recording"};

}  // namespace

void RegionsPanel::add_actions(Context& c) {
  c.actions.add("Regions", "Next region", "Ctrl+Shift+N", [this, &c] { step(c, 1, false); });
  c.actions.add("Regions", "Previous region", "Ctrl+Shift+B", [this, &c] { step(c, -1, false); });
  c.actions.add("Regions", "Next region that fell back", "Ctrl+Shift+X", [this, &c] { step(c, 1, true); });
}

void RegionsPanel::opened(Context& context) {
  lines_.clear();
  line_of_region_.clear();
  detail_ = {};
  index_ = {};
  seen_selection_ = 0;
  if (context.document == nullptr) return;
  const auto& r = context.document->recording();
  index_ = RegionIndex(r);
  line_of_region_.resize(r.regions.rows());
  for (const RegionLine& line : region_tree(r)) {
    if (line.region == kNoRow) {
      lines_.push_back({Line::Kind::Function, line.function, 0});
    } else {
      line_of_region_[line.region] = static_cast<std::uint32_t>(lines_.size());
      lines_.push_back({Line::Kind::Region, line.region, line.depth});
    }
  }
  if (context.comparison != nullptr) {
    const auto& there = context.comparison->rows(ItemKind::Region).only_there;
    if (!there.empty()) lines_.push_back({Line::Kind::Heading, 3, 0});
    for (const std::uint32_t region : there) lines_.push_back({Line::Kind::There, region, 0});
  }
  const auto section = [&](std::uint32_t heading, Line::Kind kind, std::uint32_t rows) {
    if (rows == 0) return;
    lines_.push_back({Line::Kind::Heading, heading, 0});
    for (std::uint32_t row = 0; row < rows; ++row) lines_.push_back({kind, row, 0});
  };
  section(0, Line::Kind::Fence, r.fences.rows());
  section(1, Line::Kind::Scope, r.scope_decisions.rows());
  section(2, Line::Kind::Carry, r.carries.rows());
}

void RegionsPanel::save(Settings& settings) const { settings.set("regions.list", static_cast<double>(list_fraction_)); }
void RegionsPanel::restore(const Settings& settings) {
  list_fraction_ = static_cast<float>(settings.number("regions.list", 0.52, 0.2, 0.85));
}

bool RegionsPanel::fell_back(const Context& context, std::uint32_t region) const {
  return context.document->recording().regions.outcome[region] == static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
}

void RegionsPanel::step(Context& context, int direction, bool fell_back_only) {
  if (context.document == nullptr || line_of_region_.empty()) return;
  const auto count = static_cast<std::int64_t>(lines_.size());
  std::int64_t at = detail_.region == kNoRow ? (direction > 0 ? -1 : count) : line_of_region_[detail_.region];
  for (at += direction; at >= 0 && at < count; at += direction) {
    const Line& line = lines_[static_cast<std::size_t>(at)];
    if (line.kind != Line::Kind::Region || (fell_back_only && !fell_back(context, line.row))) continue;
    context.selection.select({ItemKind::Region, line.row});
    context.wanted_panel = title();
    return;
  }
  context.status = fell_back_only ? "no region that fell back follows" : "no region from here";
}

void RegionsPanel::open(Context& context, std::uint32_t region) {
  if (detail_.region == region) return;
  detail_ = region_detail(*context.document, index_, region);
  scroll_detail_ = true;
}

void RegionsPanel::follow_selection(Context& context) {
  if (context.selection.revision() == seen_selection_) return;
  seen_selection_ = context.selection.revision();
  const std::uint32_t region = context.selection.row(ItemKind::Region);
  if (region == kNoRow) return;  // what is open stays open while its calls and lines are looked at
  open(context, region);
  list_.reveal(line_of_region_[region]);
}

void RegionsPanel::go_to_line(Context& context, std::uint32_t function, std::uint32_t line) const {
  if (const std::uint32_t site = site_on_line(context.document->recording(), function, line); site != kNoRow) {
    context.selection.select({ItemKind::CallSite, site});
  } else {
    context.selection.select({ItemKind::Pass, 0});
    context.status = line == 0 ? std::string("the line is not known") : fmt::format("line {} of the input holds no call", line);
  }
  context.wanted_panel = "Passes";
}

void RegionsPanel::draw(Context& context) {
  if (lines_.empty()) {
    empty_state(
        "This recording has no regions: it was made from a submission trace or a task graph, and no pass has looked at a "
        "program. "
        "Record a program (.py) or a passes_dump directory, with --analyze-auto-scopes to have its AUTO scopes analysed.");
    return;
  }
  follow_selection(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float thickness = context.theme.px(6);
  const bool detail = detail_.region != kNoRow;
  const float first = detail ? (room.x - thickness) * list_fraction_ : room.x;
  ImGui::BeginChild("list", {first, 0});
  draw_list(context);
  ImGui::EndChild();
  if (!detail) return;
  ImGui::SameLine(0, 0);
  splitter(context, "regions-splitter", true, room.y, room.x, list_fraction_, 0.2F, 0.85F);
  ImGui::SameLine(0, 0);
  ImGui::BeginChild("detail");
  draw_detail(context);
  ImGui::EndChild();
}

void RegionsPanel::draw_list(Context& context) {
  action_button(context, "next", "Next region");
  ImGui::SameLine();
  action_button(context, "next that fell back", "Next region that fell back");
  if (detail_.region == kNoRow) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text("Click a region to see why.", colour::dim());
  }
  side_legend(context, true);
  const float height = ImGui::GetTextLineHeight() * 2.0F + context.theme.px(8);
  const RowList::Visible visible = list_.begin("regions", lines_.size(), height, 0);
  for (std::uint64_t i = visible.first; i < visible.last; ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    draw_line(context, lines_[i]);
    ImGui::PopID();
    ImGui::SetCursorScreenPos({at.x, at.y + height});
  }
  list_.end();
}

void RegionsPanel::draw_line(Context& context, const Line& line) {
  const auto& r = context.document->recording();
  switch (line.kind) {
    case Line::Kind::Function:
    case Line::Kind::Heading: {
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetTextLineHeight() * 0.7F);
      ImGui::PushFont(context.theme.bold);
      text(line.kind == Line::Kind::Heading ? kHeadings[line.row] : r.text(r.functions.name[line.row]));
      ImGui::PopFont();
      if (line.kind == Line::Kind::Function) {
        ImGui::SameLine();
        text(replay::at_line(r.functions.line[line.row]), colour::dim());
      }
      break;
    }
    case Line::Kind::Region: draw_region(context, line.row, line.depth); break;
    case Line::Kind::Fence:
    case Line::Kind::Scope:
    case Line::Kind::Carry: draw_decision(context, line); break;
    case Line::Kind::There: draw_there(context, line.row); break;
  }
}

void RegionsPanel::draw_region(Context& context, std::uint32_t region, std::uint32_t depth) {
  const auto& r = context.document->recording();
  const float indent = context.theme.px(14) * static_cast<float>(std::min(depth, 12U));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = list_.content_width();
  const float height = ImGui::GetTextLineHeight() * 2.0F + context.theme.px(5);
  const bool selected = detail_.region == region;
  if (ImGui::Selectable("##region", selected, 0, {width, height})) {
    context.selection.select({ItemKind::Region, region});
    open(context, region);
    seen_selection_ = context.selection.revision();
  }
  if (context.elements.recording()) {
    context.elements.add(fmt::format("regions/row {}", region), corner, {corner.x + width, corner.y + height},
                         fmt::format("{}; {}", region_summary(*context.document, region), counts_text(index_.counts(region))));
  }
  const DecisionWords outcome = region_outcome_words(r.regions.outcome[region]);
  ImGui::PushClipRect(corner, {corner.x + width, corner.y + height}, true);
  ImGui::SetCursorScreenPos({corner.x + indent + context.theme.px(4), corner.y + context.theme.px(2)});
  text(fmt::format("{}", r.regions.index[region]), colour::dim());
  ImGui::SameLine();
  ImGui::SetCursorScreenPos({corner.x + indent + context.theme.px(26), corner.y + context.theme.px(2)});
  badge(outcome.name, colour::outcome(r.regions.outcome[region]), false);
  tooltip_for_item(outcome.explained());
  ImGui::SameLine(0, context.theme.px(6));
  text(fmt::format("{}{}", region_kind_words(r.regions.kind[region]).name, replay::at_line(r.regions.line[region])));
  mark_badge(context, ItemKind::Region, region);
  if (const std::string_view reason = r.text(r.regions.reason[region]); !reason.empty()) {
    ImGui::SameLine(0, context.theme.px(8));
    text(elided(reason, corner.x + width - ImGui::GetCursorScreenPos().x), colour::warning());
  }
  ImGui::SetCursorScreenPos(
      {corner.x + indent + context.theme.px(28), corner.y + context.theme.px(3) + ImGui::GetTextLineHeight()});
  const std::string_view words = replay::fallback_words(r.text(r.regions.reason[region]));
  const std::string counts = counts_text(index_.counts(region));
  text(elided(words.empty() ? counts : fmt::format("{}; {}", words, counts), corner.x + width - ImGui::GetCursorScreenPos().x),
       colour::dim());
  ImGui::PopClipRect();
}

void RegionsPanel::draw_there(Context& context, std::uint32_t region) const {
  if (context.comparison == nullptr) return;
  const Document& there = context.comparison->there();
  text(region_label(there, region), context.comparison->there_colour());
  only_there_badge(context, ItemKind::Region, region);
  text(region_summary(there, region), context.comparison->there_colour());
}

void RegionsPanel::draw_decision(Context& context, const Line& line) {
  const auto& r = context.document->recording();
  const bool fence = line.kind == Line::Kind::Fence;
  const bool scope = line.kind == Line::Kind::Scope;
  const DecisionLine decision = fence ? fence_line(r, line.row) : scope ? scope_line(r, line.row) : carry_line(r, line.row);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = list_.content_width();
  const float height = ImGui::GetTextLineHeight() * 2.0F + context.theme.px(5);
  if (ImGui::Selectable("##decision", false, 0, {width, height})) go_to_line(context, decision.function, decision.line);
  tooltip_for_item(decision.explained);
  if (context.elements.recording()) {
    context.elements.add(fmt::format("regions/{} {}",
                                     fence   ? "fence"
                                     : scope ? "scope"
                                             : "carry",
                                     line.row),
                         corner, {corner.x + width, corner.y + height}, decision.text);
  }
  ImGui::SetCursorScreenPos({corner.x + context.theme.px(18), corner.y + context.theme.px(1)});
  // Two lines are room enough for what decisions say; the rest is in the tooltip.
  ImGui::PushClipRect(corner, {corner.x + width, corner.y + height}, true);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - context.theme.px(22));
  const std::string_view function = decision.function < r.functions.rows() ? r.text(r.functions.name[decision.function]) : "?";
  text(fmt::format("{}: {}", function, decision.text), decision.accepted ? colour::good() : colour::text());
  ImGui::PopTextWrapPos();
  ImGui::PopClipRect();
}

void RegionsPanel::draw_detail(Context& context) {
  if (scroll_detail_) ImGui::SetScrollY(0);
  scroll_detail_ = false;
  const auto& r = context.document->recording();
  ImGui::PushFont(context.theme.bold);
  text(region_label(*context.document, detail_.region));
  ImGui::PopFont();
  badge(region_outcome_words(r.regions.outcome[detail_.region]).name, colour::outcome(r.regions.outcome[detail_.region]));
  ImGui::SameLine(0, context.theme.px(8));
  text(replay::at_line(r.regions.line[detail_.region]), colour::dim());
  draw_answer_lines(context, detail_.why, "regions/why");
  if (!detail_.call.empty()) {
    ImGui::Spacing();
    draw_answer_lines(context, detail_.call, "regions/call");
  }
  draw_steps(context);
  if (!detail_.lost.empty()) {
    ImGui::Spacing();
    text("What was lost", colour::dim());
    draw_answer_lines(context, detail_.lost, "regions/lost");
  }
  if (!detail_.change.empty()) {
    ImGui::Spacing();
    text("What would change it", colour::dim());
    wrapped_text(detail_.change, colour::good());
    if (context.elements.recording()) context.elements.add_item("regions/change", detail_.change);
  }
  if (context.comparison == nullptr) return;
  const auto differences = context.comparison->differences(ItemKind::Region, detail_.region);
  if (!differences.empty()) ImGui::Spacing();
  for (const std::string& difference : differences) wrapped_text(difference, context.comparison->colour(Mark::Differs));
}

void RegionsPanel::draw_steps(Context& context) {
  if (detail_.steps.empty()) return;
  ImGui::Spacing();
  text("The way back from the argument; click a step to see its line", colour::dim());
  const std::uint32_t function = context.document->recording().regions.function[detail_.region];
  for (std::size_t i = 0; i < detail_.steps.size(); ++i) {
    const RegionDetail::Step& step = detail_.steps[i];
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::BeginGroup();
    for (const AnswerLine& line : step.lines) draw_answer_line(context, line);
    ImGui::EndGroup();
    const ImVec2 low(corner.x, ImGui::GetItemRectMin().y);
    const ImVec2 high(ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x, ImGui::GetItemRectMax().y);
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    if (hovered) {
      ImGui::GetWindowDrawList()->AddRect(low, high, colour::link(), 2.0F);
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) go_to_line(context, function, step.line);
    }
    if (context.elements.recording())
      context.elements.add(fmt::format("regions/lineage {}", i), low, high, answer_words(step.lines));
    ImGui::PopID();
  }
}

std::string RegionsPanel::copy_text(const Context& context) const {
  if (context.document == nullptr) return {};
  const auto& r = context.document->recording();
  std::string out;
  for (const Line& line : lines_) {
    switch (line.kind) {
      case Line::Kind::Function: out += fmt::format("{}\n", r.text(r.functions.name[line.row])); break;
      case Line::Kind::Heading: out += fmt::format("{}\n", kHeadings[line.row]); break;
      case Line::Kind::Region:
        out += fmt::format("{:{}}{}; {}\n", "", 2 + 2 * line.depth, region_summary(*context.document, line.row),
                           counts_text(index_.counts(line.row)));
        break;
      case Line::Kind::Fence: out += fmt::format("  {}\n", fence_line(r, line.row).text); break;
      case Line::Kind::Scope: out += fmt::format("  {}\n", scope_line(r, line.row).text); break;
      case Line::Kind::Carry: out += fmt::format("  {}\n", carry_line(r, line.row).text); break;
      case Line::Kind::There:
        if (context.comparison != nullptr) out += fmt::format("  {}\n", region_summary(context.comparison->there(), line.row));
        break;
    }
  }
  if (detail_.region != kNoRow) {
    Answer answer = region_answer(detail_);
    answer.question = region_label(*context.document, detail_.region);
    out += '\n' + answer_text(answer);
  }
  return out;
}

std::string RegionsPanel::copy_json(const Context& context) const {
  if (context.document == nullptr) return {};
  const auto& r = context.document->recording();
  nlohmann::ordered_json regions = nlohmann::ordered_json::array();
  for (const Line& line : lines_) {
    if (line.kind != Line::Kind::Region) continue;
    const RegionCounts& counts = index_.counts(line.row);
    regions.push_back({{"function", r.text(r.functions.name[r.regions.function[line.row]])},
                       {"region", r.regions.index[line.row]},
                       {"kind", region_kind_words(r.regions.kind[line.row]).name},
                       {"outcome", region_outcome_words(r.regions.outcome[line.row]).name},
                       {"reason", r.text(r.regions.reason[line.row])},
                       {"line", r.regions.line[line.row]},
                       {"hazards", counts.hazards},
                       {"kept_edges", counts.kept},
                       {"stripped_edges", counts.stripped},
                       {"rewrites_undone", counts.undone}});
  }
  nlohmann::ordered_json out{{"regions", std::move(regions)}};
  if (detail_.region != kNoRow) {
    Answer answer = region_answer(detail_);
    answer.question = region_label(*context.document, detail_.region);
    out["open"] = nlohmann::ordered_json::parse(answers_json({answer}));
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace depscope::viewers
