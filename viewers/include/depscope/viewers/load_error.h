// What a failed opening says, in parts, and what to do about it. No drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace depscope::viewers {

struct LoadError {
  std::string path;  ///< what was to be opened
  std::string text;  ///< all of it, for the clipboard
  struct Line {
    std::string text;
    bool code;  ///< a source line or the caret below it: needs a font of equal widths
  };
  std::vector<Line> lines;
  std::string advice;
};

/// `text` as the program `depscope` prints it on standard error, or as an exception says it: "FILE:LINE:COLUMN: message", below
/// it the source line and a line with '^' in it.
[[nodiscard]] LoadError explain_load_error(const std::string& path, std::string_view text);

}  // namespace depscope::viewers
