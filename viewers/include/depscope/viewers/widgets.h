// Small pieces that several panels draw.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "depscope/viewers/panel.h"

namespace depscope::viewers {

void text(std::string_view text);
void text(std::string_view text, ImU32 colour);
/// A dim label in the left column, for "label  value" lines.
void field(const Context& context, std::string_view label);
void tooltip_for_item(std::string_view text);
/// No tooltip until the pointer is moved: what lies under it now has been put there by an answer, and was not pointed at.
void hold_tooltips();
/// A small coloured plate with text, at the cursor; same_line draws it after the last item.
void badge(std::string_view text, ImU32 colour, bool same_line = true);
[[nodiscard]] ImVec2 badge_size(std::string_view text);
/// Draws a badge into a draw list without moving the cursor; returns its width.
float draw_badge(ImDrawList& list, ImVec2 at, float height, std::string_view text, ImU32 colour, bool marked);
/// A text that selects an item when clicked, highlighted if the item is selected. The cursor goes behind an event.
void link(Context& context, Item item, std::string_view label);
/// A button that runs an action, with its key in the tooltip.
bool action_button(Context& context, const char* label, std::string_view action);
/// A wrapped explanation in the middle of an empty panel.
void empty_state(std::string_view text);
/// A horizontal run of legend plates that wraps; same_line goes on after the last item where there is room.
void legend(const Context& context, std::string_view title, std::span<const LegendEntry> entries, bool same_line = false);
/// What the colours of a comparison mean, if there is one and legends are shown.
void side_legend(const Context& context, bool same_line);
/// A badge of something that was there and was taken away.
void struck_badge(std::string_view text, bool same_line = true);
/// What a comparison says of a row: a plate "differs" or "only in a" in the colour of the side, its tooltip the differences.
/// Draws nothing for a row that is the same on both sides, or without a comparison.
void mark_badge(Context& context, ItemKind kind, std::uint32_t row, bool same_line = true);
/// The same for a row that only the other side has.
void only_there_badge(Context& context, ItemKind kind, std::uint32_t row_there, bool same_line = true);
/// The lines that mark_badge's tooltip has, each after a line feed; empty if there is no difference.
[[nodiscard]] std::string difference_text(const Context& context, ItemKind kind, std::uint32_t row);
/// Stays on the line if an item of this width fits there, else goes to the next.
void same_line_if_fits(const Context& context, float width);
/// As much of a text as fits a width in pixels, with "…" where something is left out at the end.
[[nodiscard]] std::string elided(std::string_view text, float width);
/// "1 task", "2 tasks".
[[nodiscard]] std::string count_of(std::uint64_t count, std::string_view noun);
/// Who makes an event happen: "orchestrator", "scheduler 2", "core".
[[nodiscard]] std::string actor_name(std::uint8_t actor);

/// Drag handle between two areas; `fraction` is the share of the first and stays in [least, most].
void splitter(Context& context, const char* id, bool vertical, float length, float extent, float& fraction, float least,
              float most);

/// A list of any number of rows of equal height. ImGui's own scrolling keeps positions as float pixels, which is too coarse
/// above a million rows; this one scrolls by row.
class RowList {
 public:
  struct Visible {
    std::uint64_t first = 0, last = 0;  ///< rows to draw: [first, last)
  };
  /// Opens a child window that fills the rest of the current one. Draw the visible rows (a header of `header_height` pixels
  /// may come first), then call end().
  Visible begin(const char* id, std::uint64_t rows, float row_height, float header_height);
  void end();
  /// Brings a row into view at the next begin().
  void reveal(std::uint64_t row) { reveal_ = row; }
  /// Width that is left of the scroll bar.
  [[nodiscard]] float content_width() const { return content_width_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  void scrollbar();

  double top_ = 0.0;  // first row that is shown
  std::uint64_t reveal_ = kNone;
  std::uint64_t rows_ = 0;
  double fits_ = 1.0;  // rows that fit
  float content_width_ = 0.0F;
  float header_height_ = 0.0F;
  float grab_offset_ = 0.0F;
};

}  // namespace depscope::viewers
