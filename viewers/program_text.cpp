#include "depscope/viewers/program_text.h"

#include <cctype>

namespace depscope::viewers {
namespace {

bool name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t indent_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.size() : first;
}

/// Name of the function that a `def` line begins; empty if it is none.
std::string_view def_name(std::string_view line) {
  line.remove_prefix(indent_of(line));
  if (line.starts_with("async ")) line.remove_prefix(6);
  if (!line.starts_with("def ")) return {};
  line.remove_prefix(4);
  std::size_t end = 0;
  while (end < line.size() && name_char(line[end])) ++end;
  return line.substr(0, end);
}

}  // namespace

std::vector<FunctionText> functions_of(std::string_view program) {
  std::vector<FunctionText> functions;
  std::vector<std::size_t> begins;  // byte where each function's text begins
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t decorator = kNone;  // first decorator of the run above the current line
  std::uint32_t decorator_line = 0;
  std::size_t body_indent = kNone;  // lines indented deeper than this belong to the last function
  std::uint32_t line_number = 0;
  std::size_t end_of_last = program.size();
  for (std::size_t at = 0; at < program.size();) {
    std::size_t newline = program.find('\n', at);
    if (newline == std::string_view::npos) newline = program.size();
    const std::string_view line = program.substr(at, newline - at);
    const std::size_t begin = at;
    at = newline + 1;
    ++line_number;
    const std::size_t indent = indent_of(line);
    if (indent == line.size()) continue;  // blank
    const char first = line[indent];
    if (body_indent != kNone && indent > body_indent) continue;
    if (first == '@') {
      if (decorator == kNone) {
        decorator = begin;
        decorator_line = line_number;
      }
      continue;
    }
    const std::string_view name = def_name(line);
    if (!name.empty()) {
      const bool decorated = decorator != kNone;
      functions.push_back({name, {}, decorated ? decorator_line : line_number});
      begins.push_back(decorated ? decorator : begin);
      body_indent = indent;
      end_of_last = program.size();
    } else if (body_indent != kNone && first != ')' && first != '#') {
      // Something else at this level (a class, module code) ends the last function; a lone `)` closes a wrapped signature.
      body_indent = kNone;
      end_of_last = decorator != kNone ? decorator : begin;
    }
    decorator = kNone;
  }
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::size_t end = i + 1 < functions.size() ? begins[i + 1] : end_of_last;
    functions[i].text = program.substr(begins[i], end - begins[i]);
  }
  return functions;
}

std::string_view base_name(std::string_view name) {
  const std::size_t split = name.find("__", 1);
  return split == std::string_view::npos || name.starts_with("__") ? name : name.substr(0, split);
}

bool mentions(std::string_view text, std::string_view base) {
  if (base.empty()) return false;
  for (std::size_t at = text.find(base); at != std::string_view::npos; at = text.find(base, at + 1)) {
    if (at > 0 && name_char(text[at - 1])) continue;
    std::size_t end = at + base.size();
    while (end < text.size() && name_char(text[end])) ++end;
    if (base_name(text.substr(at, end - at)) == base) return true;
  }
  return false;
}

}  // namespace depscope::viewers
