// Words of the sentences that a health page has. Private.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::replay {

/// "1 row", "2 rows".
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// "1 row was", "2 rows were".
[[nodiscard]] inline std::string were(std::uint64_t number, std::string_view what) {
  return counted(number, what) + (number == 1 ? " was" : " were");
}
/// "1 row has", "2 rows have".
[[nodiscard]] inline std::string have(std::uint64_t number, std::string_view what) {
  return counted(number, what) + (number == 1 ? " has" : " have");
}

/// Text of a file in printable characters, whatever the file holds.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return out;
}
/// The same, and short.
[[nodiscard]] inline std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return printable(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "");
}

}  // namespace depscope::replay
