// What differs between two texts, line by line, with the changed characters marked. Private.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "html_writer.h"

namespace depscope::replay {

struct ByteSpan {
  std::size_t begin = 0, end = 0;
};

/// A line of the difference: one side only, or both. Spans are what of it the other side has not.
struct DiffLine {
  enum class Kind : std::uint8_t { Same, Removed, Added, Changed } kind = Kind::Same;
  std::string_view before, after;  ///< empty where the line is on one side only
};

/// Lines are versions of each other if they are equal, or equal but for the suffixes of variables, or have target and callee in
/// common, or stand in the same place.
[[nodiscard]] std::vector<DiffLine> diff_lines(std::string_view before, std::string_view after);

/// What of each of two lines is not in the other: ascending, apart.
[[nodiscard]] std::pair<std::vector<ByteSpan>, std::vector<ByteSpan>> changed_characters(std::string_view before,
                                                                                         std::string_view after);

/// Writes a difference; unchanged stretches are folded. At most `lines_left` lines, which are counted down; returns the number of
/// lines that found no room. Lines are cut after `max_text` bytes.
std::uint64_t html_diff(HtmlWriter& out, const std::vector<DiffLine>& lines, std::uint32_t& lines_left, std::size_t max_text);

}  // namespace depscope::replay
