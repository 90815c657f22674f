// Text from outside in report.md: names and messages must not become markup.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace depscope::replay {

/// The text on one line, for a paragraph, a heading or a table cell. Markup in it is shown, not followed.
[[nodiscard]] inline std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*<[|";
  std::string out;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// As many backticks as no stretch of them in the text has, and no fewer than `least`.
[[nodiscard]] inline std::string markdown_fence(std::string_view text, std::size_t least) {
  std::size_t longest = least - 1;
  std::size_t now = 0;
  for (const char c : text) {
    now = c == '`' ? now + 1 : 0;
    longest = std::max(longest, now);
  }
  return std::string(longest + 1, '`');
}

/// The text as code on one line.
[[nodiscard]] inline std::string markdown_code(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const std::string fence = markdown_fence(line, 1);
  const std::string_view blank = line.starts_with('`') || line.ends_with('`') ? " " : "";
  return fence + std::string(blank) + line + std::string(blank) + fence;
}

}  // namespace depscope::replay
