#include "depscope/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace depscope {
namespace {

constexpr std::size_t kMaxShownLine = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6U);
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12U);
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | code >> 18U);
    out += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

/// Value of \uXXXX at raw[at] (at = position of the first digit), or -1.
std::int32_t hex4(std::string_view raw, std::size_t at) {
  if (at + 4 > raw.size()) return -1;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(raw.data() + at, raw.data() + at + 4, value, 16);
  return error == std::errc() && end == raw.data() + at + 4 ? static_cast<std::int32_t>(value) : -1;
}

}  // namespace

JsonReader::JsonReader(const SourceFile& source) : source_(source), text_(source.text()) {
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
}

Diagnostic JsonReader::diagnostic(std::size_t offset, const std::string& message) const {
  Diagnostic d;
  d.file = source_.name();
  // At the end of the text the last line that has characters is the one to look at.
  const SourceFile::Position position = source_.position(static_cast<std::uint32_t>(std::min(offset, text_.size())));
  d.line = position.line;
  d.column = position.column;
  d.message = message;
  const std::string_view line = source_.line_text(position.line);
  if (line.size() <= kMaxShownLine) d.source_line = std::string(line);
  return d;
}

void JsonReader::fail_syntax(std::size_t offset, const std::string& message) const {
  Diagnostic d = diagnostic(offset, offset >= text_.size() ? "unexpected end of JSON: " + message : message);
  d.byte_offset = std::min(offset, text_.size());
  d.json_path = path();
  throw InputError(std::move(d));
}

void JsonReader::fail_value(const std::string& message) const {
  Diagnostic d = diagnostic(value_, message);
  d.byte_offset = value_;
  d.json_path = path();
  throw InputError(std::move(d));
}

std::string JsonReader::path() const {
  std::string out;
  for (const Level& level : levels_) {
    if (level.first) break;
    if (level.array) {
      out += fmt::format("[{}]", level.index);
    } else {
      if (!out.empty()) out += '.';
      out += level.key;
    }
  }
  return out;
}

char JsonReader::peek() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
    ++at_;
  }
  return '\0';
}

void JsonReader::fail_type(std::string_view expected) {
  const char c = peek();
  value_ = at_;
  // A place where no value can begin is a fault of the text, not of the value.
  if (at_ >= text_.size() || std::string_view("{[\"-0123456789tfn").find(c) == std::string_view::npos) {
    fail_syntax(at_, fmt::format("{} was expected", expected));
  }
  fail_value(fmt::format("{} was expected", expected));
}

void JsonReader::open(char bracket) {
  if (peek() != bracket) fail_type(bracket == '{' ? "an object" : "an array");
  if (levels_.size() >= kMaxDepth) fail_syntax(at_, fmt::format("more than {} levels of nesting", kMaxDepth));
  value_ = at_;
  levels_.push_back({.array = bracket == '[', .first = true, .index = 0, .key = {}, .begin = at_});
  ++at_;
}

bool JsonReader::next(char close) {
  Level& level = levels_.back();
  const char c = peek();
  if (c == close) {
    ++at_;
    value_ = level.begin;
    levels_.pop_back();
    return false;
  }
  if (!level.first) {
    if (c != ',') fail_syntax(at_, fmt::format("',' or '{}' was expected", close));
    ++at_;
    ++level.index;
    if (peek() == close) fail_syntax(at_, "a value was expected after ','");
  }
  level.first = false;
  return true;
}

void JsonReader::begin_object() { open('{'); }

void JsonReader::begin_array() { open('['); }

bool JsonReader::next_element() { return next(']'); }

bool JsonReader::next_key(std::string_view& key) {
  if (!next('}')) return false;
  if (peek() != '"') fail_syntax(at_, "a key in double quotes was expected");
  std::string_view raw;
  key = string_token(raw);
  levels_.back().key = raw;
  if (peek() != ':') fail_syntax(at_, "':' was expected");
  ++at_;
  return true;
}

std::string_view JsonReader::string_token(std::string_view& raw) {
  const std::size_t begin = ++at_;
  bool escaped = false;
  for (;; ++at_) {
    if (at_ >= text_.size()) fail_syntax(at_, "a string is not closed");
    const char c = text_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20) fail_syntax(at_, "a control character in a string must be escaped");
    if (c == '\\') {
      escaped = true;
      if (++at_ >= text_.size()) fail_syntax(at_, "a string is not closed");
    }
  }
  raw = text_.substr(begin, at_ - begin);
  ++at_;
  return escaped ? unescape(raw, begin) : raw;
}

std::string_view JsonReader::unescape(std::string_view raw, std::size_t offset) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  scratch_.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      scratch_ += raw[i];
      continue;
    }
    ++i;
    const std::size_t simple = kEscapes.find(raw[i]);
    if (simple != std::string_view::npos) {
      scratch_ += kMeanings[simple];
      continue;
    }
    std::int32_t code = raw[i] == 'u' ? hex4(raw, i + 1) : -1;
    if (code < 0) fail_syntax(offset + i, "unknown escape in a string");
    i += 4;
    if (code >= 0xD800 && code < 0xDC00) {
      const std::int32_t low = raw.substr(i + 1, 2) == "\\u" ? hex4(raw, i + 3) : -1;
      if (low < 0xDC00 || low > 0xDFFF) fail_syntax(offset + i, "half of a surrogate pair in a string");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      i += 6;
    } else if (code >= 0xDC00 && code < 0xE000) {
      fail_syntax(offset + i, "half of a surrogate pair in a string");
    }
    append_utf8(scratch_, static_cast<std::uint32_t>(code));
  }
  return scratch_;
}

std::string_view JsonReader::string() {
  if (peek() != '"') fail_type("a string");
  value_ = at_;
  std::string_view raw;
  return string_token(raw);
}

void JsonReader::literal(std::string_view word) {
  for (const char c : word) {
    if (at_ >= text_.size() || text_[at_] != c) fail_syntax(at_, fmt::format("'{}' was expected", word));
    ++at_;
  }
}

bool JsonReader::boolean() {
  const char c = peek();
  if (c != 't' && c != 'f') fail_type("true or false");
  value_ = at_;
  literal(c == 't' ? "true" : "false");
  return c == 't';
}

bool JsonReader::null() {
  if (peek() != 'n') return false;
  value_ = at_;
  literal("null");
  return true;
}

bool JsonReader::is_string() { return peek() == '"'; }

bool JsonReader::is_object() { return peek() == '{'; }

bool JsonReader::is_array() { return peek() == '['; }

void JsonReader::number() {
  const auto digits = [this] {
    if (at_ >= text_.size() || !is_digit(text_[at_])) fail_syntax(at_, "a digit was expected");
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  };
  if (text_[at_] == '-') ++at_;
  if (at_ < text_.size() && text_[at_] == '0') {
    ++at_;
  } else {
    digits();
  }
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    digits();
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    digits();
  }
}

std::int64_t JsonReader::integer(std::int64_t low, std::int64_t high) {
  const char c = peek();
  if (c != '-' && !is_digit(c)) fail_type("an integer");
  value_ = at_;
  number();
  const std::string_view token = text_.substr(value_, at_ - value_);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc() && end != token.data() + token.size()) fail_value("an integer was expected");
  if (error != std::errc() || value < low || value > high) {
    fail_value(fmt::format("{} is out of range; allowed: {} to {}", token.substr(0, 40), low, high));
  }
  return value;
}

std::int64_t JsonReader::thousandths() {
  constexpr double kMost = 9e12;
  const char c = peek();
  if (c != '-' && !is_digit(c)) fail_type("a number");
  value_ = at_;
  number();
  const std::string_view token = text_.substr(value_, at_ - value_);
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || !(std::abs(value) * 1000 <= kMost))
    fail_value(fmt::format("{} is out of range; allowed: {:.0f} to {:.0f}", token.substr(0, 40), -kMost / 1000, kMost / 1000));
  return std::llround(value * 1000);
}

std::uint64_t JsonReader::decimal_string(std::uint64_t high) {
  if (peek() != '"') fail_type("a decimal number in a string");
  const std::string_view token = string();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool digits_only = !token.empty() && token.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits_only) fail_value("a decimal number in a string was expected");
  if (error != std::errc() || end != token.data() + token.size() || value > high) {
    fail_value(fmt::format("{} is out of range; allowed: 0 to {}", token.substr(0, 40), high));
  }
  return value;
}

bool JsonReader::wide_integer(std::uint64_t& value) {
  const char c = peek();
  std::string_view token;
  if (c == '"') {
    token = string();
  } else if (c == '-' || is_digit(c)) {
    value_ = at_;
    number();
    token = text_.substr(value_, at_ - value_);
  } else {
    skip();
    return false;
  }
  const bool negative = token.starts_with('-');
  if (negative) token.remove_prefix(1);
  if (token.empty() || !is_digit(token.front())) return false;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return false;
  if (negative) value = ~value + 1;
  return true;
}

void JsonReader::skip() {
  const std::size_t outer = levels_.size();
  std::string_view ignored;
  for (;;) {
    switch (peek()) {
      case '{': begin_object(); break;
      case '[': begin_array(); break;
      case '"': string(); break;
      case 't':
      case 'f': boolean(); break;
      case 'n': null(); break;
      default:
        if (peek() != '-' && !is_digit(peek())) fail_syntax(at_, "a value was expected");
        value_ = at_;
        number();
    }
    // Close what ends here; go on with the next value of the innermost container that is still open.
    while (levels_.size() > outer && !(levels_.back().array ? next_element() : next_key(ignored))) {
    }
    if (levels_.size() == outer) return;
  }
}

std::string_view JsonReader::raw() {
  peek();
  const std::size_t begin = at_;
  skip();
  value_ = begin;
  return text_.substr(begin, at_ - begin);
}

std::size_t JsonReader::give_up() {
  // Errors show the line that they are in, if it is no longer than that.
  const std::size_t out = at_ - std::min(at_, kMaxShownLine + 1);
  for (Level& level : levels_) {
    const bool inside = !level.key.empty() && level.key.data() >= text_.data() && level.key.data() < text_.data() + out;
    if (inside) level.key = kept_keys_.emplace_back(level.key);
  }
  return out;
}

void JsonReader::end() {
  if (peek(); at_ < text_.size()) fail_syntax(at_, "the document goes on after its end");
}

}  // namespace depscope
