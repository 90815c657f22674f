#include "directions_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <nlohmann/json.hpp>

#include "depscope/viewers/decision_words.h"

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kRowsPerFrame = 20000;  // looked at when a filter changes
constexpr std::uint32_t kMaxCopied = 100000;

void direction_cell(std::uint8_t direction) {
  const std::string_view name = direction_name(direction);
  if (direction == 0) {
    text(name, colour::dim());
  } else {
    badge(name, colour::direction(name), false);
  }
}

std::string_view function_name(const recording::Recording& r, const DirectionRow& row) {
  return row.function < r.functions.rows() ? r.text(r.functions.name[row.function]) : std::string_view("?");
}

/// "main:7 put", as `depscope explain --why` names calls.
std::string call_label(const recording::Recording& r, const DirectionRow& row) {
  return fmt::format("{}:{} {}", function_name(r, row), row.call, row.callee);
}

}  // namespace

void DirectionsPanel::add_actions(Context& c) {
  c.actions.add("Directions", "Filter directions", "Ctrl+Shift+D", [this] { focus_ = true; });
  c.actions.add("Directions", "Only rewritten directions", "Ctrl+Shift+I", [this, &c] {
    only_rewritten_ = !only_rewritten_;
    apply(c);
  });
}

void DirectionsPanel::opened(Context& context) { apply(context); }

void DirectionsPanel::save(Settings& settings) const {
  settings.set("directions.filter", text_);
  settings.set("directions.only_rewritten", only_rewritten_);
}

void DirectionsPanel::restore(const Settings& settings) {
  text_ = settings.text("directions.filter");
  only_rewritten_ = settings.truth("directions.only_rewritten", false);
}

void DirectionsPanel::apply(Context& context) {
  ParsedDirectionFilter parsed = parse_direction_filter(text_);
  parsed.filter.rewritten |= only_rewritten_;
  error_ = parsed.error;
  rows_.restart(context.document == nullptr ? nullptr : &context.document->recording(), std::move(parsed.filter));
  seen_selection_ = 0;
}

void DirectionsPanel::draw(Context& context) {
  if (rows_.total() == 0) {
    empty_state(
        "This recording has no call sites, so there are no directions to show: it was made from a submission trace or a task "
        "graph. Record a program (.py) or a passes_dump directory to see them.");
    return;
  }
  rows_.advance(kRowsPerFrame);
  draw_filter(context);
  if (context.show_legends) legend(context, "directions", colour::direction_legend());
  side_legend(context, true);
  if (rows_.size() == 0 && rows_.complete()) {
    empty_state("No argument passes the filter. Empty the field, or switch off “only rewritten”, to see all.");
    return;
  }
  draw_rows(context);
}

void DirectionsPanel::draw_filter(Context& context) {
  ImGui::SetNextItemWidth(std::max(context.theme.px(150), ImGui::GetContentRegionAvail().x - context.theme.px(340)));
  if (focus_) ImGui::SetKeyboardFocusHere();
  focus_ = false;
  if (ImGui::InputTextWithHint("##filter", "filter: words, rewritten, reason:no_hazard, direction:inout", &text_)) apply(context);
  tooltip_for_item(context.actions.tooltip("Filter directions"));
  context.elements.add_item("directions/filter", text_);
  ImGui::SameLine();
  if (ImGui::Checkbox("only rewritten", &only_rewritten_)) apply(context);
  tooltip_for_item(context.actions.tooltip("Only rewritten directions"));
  ImGui::SameLine();
  const std::string count = !error_.empty()    ? error_
                            : rows_.complete() ? fmt::format("{} of {}", rows_.size(), count_of(rows_.total(), "argument"))
                                               : fmt::format("{} found …", rows_.size());
  text(count, error_.empty() ? colour::dim() : colour::error());
  context.elements.add_item("directions/count", count);
}

void DirectionsPanel::draw_rows(Context& context) {
  if (context.selection.revision() != seen_selection_ && rows_.complete()) {
    seen_selection_ = context.selection.revision();
    std::uint32_t wanted = context.selection.row(ItemKind::Argument);
    if (const std::uint32_t site = context.selection.row(ItemKind::CallSite); wanted == kNoRow && site != kNoRow)
      wanted = context.document->recording().call_sites.argument_begin[site];
    if (wanted != kNoRow) list_.reveal(rows_.place_of(wanted));
  }
  const float height = ImGui::GetTextLineHeight() + 2.0F * ImGui::GetStyle().CellPadding.y;
  // What only the other recording has stands below.
  const std::vector<std::uint32_t> none;
  const auto& there = context.comparison == nullptr ? none : context.comparison->rows(ItemKind::Argument).only_there;
  const RowList::Visible visible = list_.begin("rows", rows_.size() + there.size(), height, height);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings |
                                     ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX | ImGuiTableFlags_RowBg;
  if (ImGui::BeginTable("directions", 6, kFlags, {list_.content_width(), 0})) {
    ImGui::TableSetupColumn("call", ImGuiTableColumnFlags_WidthFixed, context.theme.px(130));
    ImGui::TableSetupColumn("argument", ImGuiTableColumnFlags_WidthFixed, context.theme.px(72));
    ImGui::TableSetupColumn("callee", ImGuiTableColumnFlags_WidthFixed, context.theme.px(42));
    ImGui::TableSetupColumn("derived, by rule", ImGuiTableColumnFlags_WidthFixed, context.theme.px(182));
    ImGui::TableSetupColumn("final", ImGuiTableColumnFlags_WidthFixed, context.theme.px(106));
    ImGui::TableSetupColumn("why", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    for (std::uint64_t i = visible.first; i < visible.last; ++i) {
      if (i < rows_.size()) {
        draw_row(context, rows_.at(static_cast<std::uint32_t>(i)));
      } else {
        draw_row_there(context, there[i - rows_.size()]);
      }
    }
    ImGui::EndTable();
  }
  list_.end();
}

void DirectionsPanel::draw_row_there(Context& context, std::uint32_t argument) {
  const auto& r = context.comparison->there().recording();
  const DirectionRow row = direction_row(r, argument);
  const ImU32 ink = context.comparison->there_colour();
  ImGui::TableNextRow();
  const auto cell = [&](std::string_view words) {
    ImGui::TableNextColumn();
    text(words, ink);
    if (context.elements.recording() && ImGui::TableGetColumnIndex() == 0)
      context.elements.add_item(fmt::format("directions/there {}", argument), direction_text(row));
  };
  cell(call_label(r, row));
  cell(row.name);
  cell(callee_direction_name(row.callee_direction));
  cell(fmt::format("{} {}", direction_name(row.derived), direction_rule_words(row.rule).name));
  cell(direction_name(row.direction));
  cell(fmt::format("only in {}; {}", context.comparison->there_name(), rewrite_text(row)));
}

void DirectionsPanel::select(Context& context, const DirectionRow& row) {
  if (row.wrapper) {
    const auto& r = context.document->recording();
    context.status = fmt::format("call {} stands in a wrapper: the passes show it on line {}", call_label(r, row), row.line);
    return;
  }
  context.selection.select({ItemKind::Argument, row.row});
  seen_selection_ = context.selection.revision();  // it is in view already
}

void DirectionsPanel::draw_row(Context& context, std::uint32_t index) {
  const auto& r = context.document->recording();
  const DirectionRow row = direction_row(r, index);
  const DecisionWords rule = direction_rule_words(row.rule);
  const DecisionWords reason = rewrite_reason_words(row.rewrite);
  ImGui::TableNextRow();
  const bool selected = !row.wrapper && context.selection.is(ItemKind::Argument, row.row);
  if (!selected && row.site != kNoRow && context.selection.is(ItemKind::CallSite, row.site))
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, colour::with_alpha(colour::selected_row(), 70));
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable("##row", selected, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    select(context, row);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !row.wrapper) context.wanted_panel = "Passes";
  }
  if (context.elements.recording()) {
    const std::string name =
        row.wrapper ? fmt::format("directions/wrapper-row {}", row.row) : fmt::format("directions/row {}", row.row);
    context.elements.add(name, at, {at.x + context.theme.px(60), at.y + ImGui::GetTextLineHeight()}, direction_text(row));
  }
  ImGui::SameLine(0, 0);
  if (context.comparison != nullptr && !row.wrapper) {
    mark_badge(context, ItemKind::Argument, row.row, false);
    if (context.comparison->mark(ItemKind::Argument, row.row) != Mark::Same) ImGui::SameLine(0, context.theme.px(4));
  }
  const std::string call = call_label(r, row);
  const std::string shown_call = elided(call, ImGui::GetContentRegionAvail().x);
  text(shown_call, row.wrapper ? colour::dim() : colour::text());
  if (shown_call.size() != call.size() && !row.wrapper) tooltip_for_item(call);
  if (row.wrapper) tooltip_for_item("a call inside a wrapper (Group or Spmd): nothing of an orchestration launches it by itself");
  ImGui::TableNextColumn();
  text(row.name);
  tooltip_for_item(fmt::format("argument {} of call {}{}", row.position, call_label(r, row),
                               row.line == 0 ? std::string() : fmt::format(", line {}", row.line)));
  ImGui::TableNextColumn();
  text(callee_direction_name(row.callee_direction));
  ImGui::TableNextColumn();
  direction_cell(row.derived);
  ImGui::SameLine(0, context.theme.px(6));
  text(rule.name, colour::dim());
  tooltip_for_item(rule.explained());
  ImGui::TableNextColumn();
  direction_cell(row.direction);
  ImGui::TableNextColumn();
  text((row.wrapper ? "wrapper; " : "") + rewrite_text(row), row.rewritten() ? colour::good() : colour::text());
  tooltip_for_item(reason.explained());
  ImGui::PopID();
}

std::string DirectionsPanel::copy_text(const Context& context) const {
  if (context.document == nullptr) return {};
  const auto& r = context.document->recording();
  std::string out;
  for (std::uint32_t i = 0; i < std::min(rows_.size(), kMaxCopied); ++i) {
    const DirectionRow row = direction_row(r, rows_.at(i));
    out += fmt::format("{}{}, {}\n", call_label(r, row), row.wrapper ? " in a wrapper" : "", direction_text(row));
  }
  if (rows_.size() > kMaxCopied) out += fmt::format("… and {} more\n", rows_.size() - kMaxCopied);
  return out;
}

std::string DirectionsPanel::copy_json(const Context& context) const {
  if (context.document == nullptr) return {};
  const auto& r = context.document->recording();
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::uint32_t i = 0; i < std::min(rows_.size(), kMaxCopied); ++i) {
    const DirectionRow row = direction_row(r, rows_.at(i));
    out.push_back({{"function", function_name(r, row)},
                   {"call", row.call},
                   {"callee", row.callee},
                   {"argument", row.position},
                   {"name", row.name},
                   {"wrapper", row.wrapper},
                   {"callee_direction", callee_direction_name(row.callee_direction)},
                   {"derived", direction_name(row.derived)},
                   {"rule", direction_rule_words(row.rule).name},
                   {"final", direction_name(row.direction)},
                   {"reason", rewrite_reason_words(row.rewrite).name}});
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace depscope::viewers
