#include "depscope/viewers/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "foreign_text.h"

namespace depscope::viewers {
namespace {

const char* begin(std::string_view text) { return text.data(); }
const char* end(std::string_view text) { return text.data() + text.size(); }

constexpr float kBadgePadding = 0.3F;  // in font heights, left and right of the text

bool tooltips_wait = false;  // for the pointer to be moved

}  // namespace

void text(std::string_view text) {
  const std::string_view part = drawn_part(text);
  if (part.size() == text.size()) {
    ImGui::TextUnformatted(begin(text), end(text));
    return;
  }
  const std::string cut = std::string(part) + "…";
  ImGui::TextUnformatted(cut.data(), cut.data() + cut.size());
}

void text(std::string_view words, ImU32 colour) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  text(words);
  ImGui::PopStyleColor();
}

void field(const Context& context, std::string_view label) {
  const float left = ImGui::GetCursorPosX();
  text(label, colour::dim());
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(left + context.theme.px(100), ImGui::GetCursorPosX()));
}

void hold_tooltips() { tooltips_wait = true; }

void tooltip_for_item(std::string_view words) {
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  tooltips_wait = tooltips_wait && moved.x == 0.0F && moved.y == 0.0F;
  if (tooltips_wait) return;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 30.0F);
  text(words);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

ImVec2 badge_size(std::string_view words) {
  const ImVec2 size = ImGui::CalcTextSize(begin(words), end(words));
  return {size.x + 2.0F * kBadgePadding * ImGui::GetFontSize(), size.y};
}

float draw_badge(ImDrawList& list, ImVec2 at, float height, std::string_view words, ImU32 colour, bool marked) {
  words = drawn_part(words);
  const ImVec2 size = badge_size(words);
  const ImVec2 far_corner(at.x + size.x, at.y + height);
  const ImU32 ground = colour::with_alpha(colour, 58);
  list.AddRectFilled(at, far_corner, ground, 3.0F);
  if (marked) list.AddRect(at, far_corner, colour, 3.0F, 0, 1.5F);
  list.AddText({at.x + kBadgePadding * ImGui::GetFontSize(), at.y + (height - size.y) * 0.5F}, colour, begin(words), end(words));
  return size.x;
}

void badge(std::string_view words, ImU32 colour, bool same_line) {
  if (same_line) ImGui::SameLine(0.0F, ImGui::GetFontSize() * 0.3F);
  const ImVec2 size = badge_size(words);
  const float drop = ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset;  // of texts beside buttons
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_badge(*ImGui::GetWindowDrawList(), {at.x, at.y + drop}, size.y, words, colour, false);
  ImGui::Dummy({size.x, size.y + drop});
}

void struck_badge(std::string_view words, bool same_line) {
  badge(words, colour::faint(), same_line);
  const ImVec2 least = ImGui::GetItemRectMin();
  const ImVec2 most = ImGui::GetItemRectMax();
  const float middle = std::floor((least.y + most.y) * 0.5F) + 0.5F;
  ImGui::GetWindowDrawList()->AddLine({least.x, middle}, {most.x, middle}, colour::dim(), 1.5F);
}

void mark_badge(Context& context, ItemKind kind, std::uint32_t row, bool same_line) {
  if (context.comparison == nullptr) return;
  const Mark mark = context.comparison->mark(kind, row);
  if (mark == Mark::Same) return;
  const std::string words = context.comparison->words(mark);
  badge(words, context.comparison->colour(mark), same_line);
  if (ImGui::IsItemHovered()) tooltip_for_item(words + difference_text(context, kind, row));
  if (context.elements.recording()) context.elements.add_item(fmt::format("mark/{} {}", item_kind_name(kind), row), words);
}

void only_there_badge(Context& context, ItemKind kind, std::uint32_t row_there, bool same_line) {
  if (context.comparison == nullptr) return;
  const std::string words = fmt::format("only in {}", context.comparison->there_name());
  badge(words, context.comparison->there_colour(), same_line);
  if (context.elements.recording()) {
    context.elements.add_item(fmt::format("mark-there/{} {}", item_kind_name(kind), row_there), words);
  }
}

std::string difference_text(const Context& context, ItemKind kind, std::uint32_t row) {
  std::string out;
  if (context.comparison == nullptr) return out;
  for (const std::string& line : context.comparison->differences(kind, row)) out += "\n" + line;
  return out;
}

std::string actor_name(std::uint8_t actor) {
  if (actor == runtime::kCoreActor) return "core";
  return actor == 0 ? "orchestrator" : fmt::format("scheduler {}", actor);
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void link(Context& context, Item item, std::string_view label) {
  const ImVec2 size = ImGui::CalcTextSize(begin(label), end(label));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  // The same item can be linked several times in a window: the place tells the links apart.
  ImGui::PushID(static_cast<int>(ImGui::GetCursorPosY()));
  ImGui::PushID(static_cast<int>(ImGui::GetCursorPosX()));
  const bool clicked = size.x > 0.0F && ImGui::InvisibleButton("link", size);
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (context.selection.is(item.kind, item.row)) {
    list.AddRectFilled({at.x - 2, at.y}, {at.x + size.x + 2, at.y + size.y}, colour::selected_row(), 2.0F);
  }
  // Only what is drawn is shortened: columns that take their width from what is in them get to know the whole.
  const bool whole = size.x <= room + 1.0F || room < ImGui::GetFontSize() * 2.0F;
  const std::string drawn = whole ? std::string() : elided(label, room);
  const std::string_view shown = drawn_part(whole ? label : std::string_view(drawn));
  list.AddText(at, colour::link(), begin(shown), end(shown));
  if (hovered && !whole) ImGui::SetTooltip("%.*s", static_cast<int>(label.size()), label.data());
  if (hovered) {
    list.AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, colour::link());
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (context.elements.recording()) {
    context.elements.add(fmt::format("link/{} {}", item_kind_name(item.kind), item.row), at, {at.x + size.x, at.y + size.y},
                         label);
  }
  if (!clicked) return;
  context.selection.select(item);
  if (item.kind == ItemKind::Event) context.transport.seek(item.row + 1);
}

bool action_button(Context& context, const char* label, std::string_view action) {
  const bool clicked = ImGui::Button(label);
  tooltip_for_item(context.actions.tooltip(action));
  if (clicked) context.actions.run(action);
  return clicked;
}

void empty_state(std::string_view words) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::min(room.x * 0.9F, ImGui::GetFontSize() * 34.0F);
  const ImVec2 size = ImGui::CalcTextSize(begin(words), end(words), false, width);
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::SetCursorPos({at.x + std::max(0.0F, (room.x - size.x) * 0.5F), at.y + std::max(0.0F, (room.y - size.y) * 0.4F)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + size.x + 1.0F);
  text(words, colour::dim());
  ImGui::PopTextWrapPos();
}

void same_line_if_fits(const Context& context, float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + width + context.theme.px(12) < right) ImGui::SameLine(0, context.theme.px(12));
}

void legend(const Context& context, std::string_view title, std::span<const LegendEntry> entries, bool same_line) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  const auto fits = [&](float width) { return ImGui::GetItemRectMax().x + width + context.theme.px(8) < right; };
  if (!title.empty()) {
    const float needed =
        ImGui::CalcTextSize(begin(title), end(title)).x + badge_size(entries.front().name).x + context.theme.px(24);
    if (same_line && fits(needed)) ImGui::SameLine(0, context.theme.px(14));
    text(title, colour::dim());
  }
  bool first = title.empty();
  for (const LegendEntry& entry : entries) {
    badge(entry.name, entry.colour, !first && fits(badge_size(entry.name).x));
    tooltip_for_item(entry.meaning);
    first = false;
  }
}

std::string elided(std::string_view text, float width) {
  const auto width_of = [](std::string_view t) { return ImGui::CalcTextSize(t.data(), t.data() + t.size()).x; };
  if (width_of(text) <= width) return std::string(text);
  const float room = width - width_of("…");
  if (room <= 0.0F) return {};
  std::size_t fits = 0;
  std::size_t too_long = text.size();
  while (too_long - fits > 1) {
    const std::size_t middle = (fits + too_long) / 2;
    (width_of(text.substr(0, middle)) <= room ? fits : too_long) = middle;
  }
  while (fits > 0 && (static_cast<unsigned char>(text[fits]) & 0xC0U) == 0x80U) --fits;  // not inside a character
  return std::string(text.substr(0, fits)) + "…";
}

void side_legend(const Context& context, bool same_line) {
  if (context.show_legends && context.comparison != nullptr) legend(context, "compared", colour::side_legend(), same_line);
}

void splitter(Context& context, const char* id, bool vertical, float length, float extent, float& fraction, float least,
              float most) {
  const float thickness = context.theme.px(6);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = vertical ? ImVec2(thickness, length) : ImVec2(length, thickness);
  ImGui::InvisibleButton(id, size);
  if (context.elements.recording()) context.elements.add_item(id);
  const bool active = ImGui::IsItemActive();
  if (active || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y}, colour::handle());
  }
  if (active && extent > 0.0F) fraction += (vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y) / extent;
  fraction = std::clamp(fraction, least, most);
}

RowList::Visible RowList::begin(const char* id, std::uint64_t rows, float row_height, float header_height) {
  ImGui::BeginChild(id, {0, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  rows_ = rows;
  header_height_ = header_height;
  fits_ = std::max(1.0, static_cast<double>((room.y - header_height) / row_height));
  const double most = std::max(0.0, static_cast<double>(rows) - fits_ + 0.999);
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) top_ -= 3.0 * static_cast<double>(ImGui::GetIO().MouseWheel);
  if (reveal_ != kNone) {
    const auto row = static_cast<double>(reveal_);
    if (row < top_ + 1.0 || row > top_ + fits_ - 2.0) top_ = row - fits_ * 0.4;
    reveal_ = kNone;
  }
  top_ = std::clamp(top_, 0.0, most);
  content_width_ = std::max(1.0F, room.x - ImGui::GetStyle().ScrollbarSize);
  const auto first = static_cast<std::uint64_t>(top_);
  return {first, std::min(rows, first + static_cast<std::uint64_t>(fits_) + 2)};
}

void RowList::end() {
  scrollbar();
  ImGui::EndChild();
}

void RowList::scrollbar() {
  if (static_cast<double>(rows_) <= fits_) return;
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float width = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 at(window.x + size.x - width, window.y + header_height_);
  const float height = std::max(1.0F, size.y - header_height_);
  const double most = static_cast<double>(rows_) - fits_ + 0.999;
  const float grab =
      std::clamp(static_cast<float>(fits_ / static_cast<double>(rows_)) * height, ImGui::GetFontSize() * 1.5F, height);
  float grab_top = static_cast<float>(top_ / most) * (height - grab);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##scrollbar", {width, height});
  const float mouse = ImGui::GetIO().MousePos.y - at.y;
  if (ImGui::IsItemActivated()) grab_offset_ = mouse >= grab_top && mouse <= grab_top + grab ? mouse - grab_top : grab * 0.5F;
  if (ImGui::IsItemActive() && height > grab) {
    grab_top = std::clamp(mouse - grab_offset_, 0.0F, height - grab);
    top_ = most * static_cast<double>(grab_top / (height - grab));
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, ImGui::GetColorU32(ImGuiCol_ScrollbarBg));
  const ImGuiCol part = ImGui::IsItemActive()    ? ImGuiCol_ScrollbarGrabActive
                        : ImGui::IsItemHovered() ? ImGuiCol_ScrollbarGrabHovered
                                                 : ImGuiCol_ScrollbarGrab;
  list.AddRectFilled({at.x + 2, at.y + grab_top}, {at.x + width - 2, at.y + grab_top + grab}, ImGui::GetColorU32(part), 3.0F);
}

}  // namespace depscope::viewers
