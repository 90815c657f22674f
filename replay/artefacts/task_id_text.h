// Task ids as text: 0x and hexadecimal digits (artefacts.md 2), or decimal ones, where negative numbers count modulo 2^64.
// Private.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace depscope::replay {

/// False, and `id` is unchanged, if the text is none of up to 64 bits.
[[nodiscard]] inline bool parse_task_id(std::string_view text, std::uint64_t& id) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool negative = text.starts_with('-');
  text.remove_prefix(hexadecimal ? 2 : (negative ? 1 : 0));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  id = negative ? ~value + 1 : value;
  return true;
}

}  // namespace depscope::replay
