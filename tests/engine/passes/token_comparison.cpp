#include "token_comparison.h"

#include <cctype>
#include <unordered_map>
#include <vector>

namespace depscope::pass::testing {
namespace {

struct Token {
  std::string_view text;
  std::size_t line = 0;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  std::size_t line = 1;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (c == '\n') {
      ++line;
    } else if (c == ' ') {
    } else if (c == '#' || c == '"' || c == '\'') {
      const char last = c == '#' ? '\n' : c;
      while (end < text.size() && text[end] != last) ++end;
      if (c != '#') ++end;
      out.push_back({text.substr(i, end - i), line});
    } else if (is_word(c)) {
      while (end < text.size() && (is_word(text[end]) || (text[end] == '.' && std::isdigit(static_cast<unsigned char>(c)) != 0)))
        ++end;
      out.push_back({text.substr(i, end - i), line});
    } else {
      // A comma before a closing bracket is layout.
      if ((c == ')' || c == ']' || c == '}') && !out.empty() && out.back().text == ",") out.pop_back();
      out.push_back({text.substr(i, 1), line});
    }
    i = end;
  }
  return out;
}

std::string_view without_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last == 0 || last + 1 == name.size() || name[last] != '_') return name;
  return name.substr(0, last);
}

/// "_submit_tmp_1__ssa_v0" and "_submit_tmp__ssa_v0_1" have the stem "_submit_tmp__ssa_v0".
std::string stem(std::string_view name) {
  name = without_number(name);
  for (const std::string_view role : {"__ssa_v", "__idx_v", "__iter_v", "__rv_v", "__phi_v"}) {
    const std::size_t at = name.rfind(role);
    if (at == std::string_view::npos) continue;
    return std::string(without_number(name.substr(0, at))) + std::string(name.substr(at));
  }
  return std::string(name);
}

}  // namespace

std::string token_difference(std::string_view expected, std::string_view actual) {
  const std::vector<Token> a = tokens_of(expected);
  const std::vector<Token> b = tokens_of(actual);
  std::unordered_map<std::string_view, std::string_view> to_actual;
  std::unordered_map<std::string_view, std::string_view> to_expected;
  const auto place = [&](std::size_t i) {
    std::string out = "line " + std::to_string(a[i].line) + ": expected";
    for (std::size_t k = i < 6 ? 0 : i - 6; k < a.size() && k < i + 6; ++k) out += " " + std::string(a[k].text);
    out += " | got";
    for (std::size_t k = i < 6 ? 0 : i - 6; k < b.size() && k < i + 6; ++k) out += " " + std::string(b[k].text);
    return out;
  };
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].text == "def") {
      to_actual.clear();
      to_expected.clear();
    }
    const bool name = is_word(a[i].text[0]) && std::isdigit(static_cast<unsigned char>(a[i].text[0])) == 0;
    if (!name) {
      if (a[i].text != b[i].text) return place(i);
      continue;
    }
    if (stem(a[i].text) != stem(b[i].text)) return place(i);
    if (to_actual.emplace(a[i].text, b[i].text).first->second != b[i].text ||
        to_expected.emplace(b[i].text, a[i].text).first->second != a[i].text) {
      return place(i) + " (another variable)";
    }
  }
  if (a.size() != b.size()) return "lengths differ: " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " tokens";
  return {};
}

}  // namespace depscope::pass::testing
