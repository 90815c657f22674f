// Splits a line of printed IR into segments: syntax classes, and the dependency attributes as badges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace depscope::viewers {

enum class SegmentKind : std::uint8_t {
  Text,
  Keyword,
  Name,
  Number,
  String,
  Comment,
  Direction,    ///< one entry of "arg_directions": text "input", "inout", …
  UserDep,      ///< one entry of deps= or "manual_dep_edges": a user edge
  CompilerDep,  ///< one entry of "compiler_manual_dep_edges": a compiler edge
  Marker,       ///< a compiler marker such as the MANUAL candidate
  FoldedType,   ///< a type annotation that is folded away; shown as "…"
  Hidden,       ///< brackets, commas and keys around badges; not drawn
};

/// Bytes [begin, end) of the line and the text to show for them. Segments cover the line without gap or overlap.
struct Segment {
  SegmentKind kind = SegmentKind::Text;
  std::uint32_t begin = 0, end = 0;
  std::string_view shown;  ///< a part of the line, or static text
};

struct LineStyle {
  bool badges = true;       ///< draw dependency attributes as badges
  bool fold_types = false;  ///< fold the annotation of `name: Type = value`
};

/// Writes to `segments` (cleared first), so that drawing a frame does not allocate for every line. Never fails: what is not
/// understood stays text. A bracket that does not close on the line (a wrapped attribute) is handled up to the line's end.
void split_line(std::string_view line, const LineStyle& style, std::vector<Segment>& segments);

}  // namespace depscope::viewers
