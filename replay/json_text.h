// Strings for JSON that is written without a tree.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace depscope::replay {

/// The text in double quotes, with what JSON wants escaped. Bytes above 0x7F are taken as UTF-8.
[[nodiscard]] inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace depscope::replay
