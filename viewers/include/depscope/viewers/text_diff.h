// Difference of two texts for side-by-side display: lines first, then the changed characters inside paired lines.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

/// Bytes [begin, end) of a line.
struct TextSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const TextSpan&) const = default;
};

enum class LineChange : std::uint8_t { Same, Changed, Removed, Added };

/// One row of the side-by-side view. `before` or `after` is none (kNoRow) where that side has no line.
struct DiffRow {
  std::uint32_t before = recording::kNoRow;
  std::uint32_t after = recording::kNoRow;
  LineChange change = LineChange::Same;
  std::uint32_t before_marks = 0, before_mark_count = 0;  ///< run in TextDiff::marks
  std::uint32_t after_marks = 0, after_mark_count = 0;
};

struct TextDiff {
  std::vector<std::string_view> before, after;  ///< lines without their newline; views into the texts given
  std::vector<DiffRow> rows;
  std::vector<TextSpan> marks;               ///< changed characters of Changed rows
  std::vector<std::uint32_t> change_starts;  ///< first row of every run of rows that are not Same
  bool limited = false;                      ///< more than kMaxLineEdits edits: the middle was paired in order

  [[nodiscard]] std::span<const TextSpan> marks_before(const DiffRow& row) const {
    return std::span(marks).subspan(row.before_marks, row.before_mark_count);
  }
  [[nodiscard]] std::span<const TextSpan> marks_after(const DiffRow& row) const {
    return std::span(marks).subspan(row.after_marks, row.after_mark_count);
  }
};

/// Largest number of removed plus added lines for which the shortest edit script is searched.
inline constexpr std::uint32_t kMaxLineEdits = 1500;

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

/// The texts must outlive the result.
[[nodiscard]] TextDiff diff_text(std::string_view before, std::string_view after);

struct LineMarks {
  std::vector<TextSpan> before, after;
};
/// Changed characters of two versions of one line: by token, then without the common beginning and end of replaced tokens.
[[nodiscard]] LineMarks diff_line(std::string_view before, std::string_view after);

}  // namespace depscope::viewers
