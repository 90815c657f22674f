// String literals of the Python subset as they are written.
#pragma once

#include <string_view>

namespace depscope::replay {

struct StringLiteral {
  std::string_view prefix;  ///< "r", "f", …
  std::string_view quote;   ///< one or three characters
  std::string_view body;    ///< between the quotes, escapes as written
};

/// Of a complete literal, as the lexer gives it.
[[nodiscard]] inline StringLiteral string_literal(std::string_view token) {
  const std::size_t begin = token.find_first_of("\"'");
  StringLiteral out{token.substr(0, begin), token.substr(begin, 1), {}};
  const std::string_view rest = token.substr(begin);
  if (rest.size() >= 6 && rest[1] == rest[0] && rest[2] == rest[0]) out.quote = rest.substr(0, 3);
  out.body = rest.substr(out.quote.size(), rest.size() - 2 * out.quote.size());
  return out;
}

}  // namespace depscope::replay
