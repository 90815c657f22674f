// Words and numbers of log lines. Private.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace depscope::replay {

[[nodiscard]] inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
[[nodiscard]] inline bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Takes the next word off `rest`; empty at the end.
[[nodiscard]] inline std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

/// Takes the number that `rest` begins with; false, and nothing changes, if there is none or it is too large.
[[nodiscard]] inline bool take_number(std::string_view& rest, std::uint64_t& value, int base = 10) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, base);
  if (error != std::errc()) return false;
  value = number;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

/// A word that is a number and nothing else.
[[nodiscard]] inline bool whole_number(std::optional<std::string_view> word, std::uint64_t& value) {
  std::uint64_t number = 0;
  if (!word || !take_number(*word, number) || !word->empty()) return false;
  value = number;
  return true;
}

/// A number that may be negative, modulo 2^64 (as ids are printed).
[[nodiscard]] inline bool take_wrapped(std::string_view& rest, std::uint64_t& value) {
  const bool negative = !rest.empty() && rest.front() == '-';
  std::string_view digits = rest.substr(negative ? 1 : 0);
  if (!take_number(digits, value)) return false;
  rest = digits;
  if (negative) value = ~value + 1;
  return true;
}

/// What stands after `key` ("task_id="), where that begins a word; nothing if it is not there.
[[nodiscard]] inline std::optional<std::string_view> text_after(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + key.size())) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (is_blank(before) || before == '[' || before == '(') return text.substr(at + key.size());
  }
  return std::nullopt;
}

/// The values of `key=value` words by key. Every other word, and every later one of a key, goes to `other`.
template <std::size_t N, class Other>
[[nodiscard]] std::array<std::optional<std::string_view>, N> word_values(std::string_view text,
                                                                         const std::array<std::string_view, N>& keys,
                                                                         const Other& other) {
  std::array<std::optional<std::string_view>, N> out;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    const std::size_t equals = word.find('=');
    std::size_t key = 0;
    while (key < N && (keys[key] != word.substr(0, equals) || out[key])) ++key;
    if (equals == std::string_view::npos || key == N) {
      other(word);
    } else {
      out[key] = word.substr(equals + 1);
    }
  }
  return out;
}

}  // namespace depscope::replay
