// One side of the side-by-side text: draws the visible lines of a diff with syntax colours, change marks and badges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/attributes.h"
#include "depscope/viewers/panel.h"
#include "depscope/viewers/text_diff.h"

namespace depscope::viewers {

/// What both sides show; one line per entry.
struct CodeRow {
  std::uint32_t row = recording::kNoRow;  ///< in TextDiff::rows; none for a fold
  std::uint32_t folded = 0;               ///< number of equal lines that the fold stands for
};

struct CodeSide {
  const char* id = "";
  bool after = false;  ///< the right side
  std::uint32_t pass = recording::kNoRow;
  std::uint32_t first_line = 1;  ///< 1-based line of the text's first line in the whole program
  /// The recording that the text is of, null for context.document. Call sites of another one are those of their counterparts.
  const Document* document = nullptr;
};

struct CodeClick {
  std::uint32_t call_site = recording::kNoRow;
  std::string name;  ///< the name under the pointer, empty if none
};

/// Scroll position that the two sides share, and the width of the longest line.
struct CodeScroll {
  float x = 0, y = 0;
  float width = 0;
  bool moved = false;  ///< set to scroll both sides to x and y
};

/// Draws into a child window of the given size. Returns what was clicked.
CodeClick draw_code(Context& context, const TextDiff& diff, const std::vector<CodeRow>& rows, const CodeSide& side,
                    const LineStyle& style, std::string_view followed, CodeScroll& scroll, float (&own_scroll)[2], ImVec2 size);

/// Pixels of the longest line of a diff in the mono font, badges included.
[[nodiscard]] float widest_line(const Theme& theme, const TextDiff& diff, const LineStyle& style);
/// Pixels from the left edge of the text to the first changed character of a row on one side; 0 if it has no marks.
[[nodiscard]] float first_mark(const Theme& theme, const TextDiff& diff, const DiffRow& row, bool after, const LineStyle& style);
[[nodiscard]] float code_row_height(const Theme& theme);

}  // namespace depscope::viewers
