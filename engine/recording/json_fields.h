// Fields of a finding, written as the text of a JSON object. There may be one finding or several per call site, so no tree is
// built for them. Private.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::recording {

/// The text in double quotes with what JSON wants escaped; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string json_quoted(std::string_view text);

class JsonFields {
 public:
  JsonFields& add(std::string_view key, std::string_view text) { return add_json(key, json_quoted(text)); }
  JsonFields& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  JsonFields& add(std::string_view key, bool value) { return add_json(key, value ? "true" : "false"); }
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonFields& add(std::string_view key, T value) { return add_json(key, std::to_string(value)); }
  /// `json` is the text of a value.
  JsonFields& add_json(std::string_view key, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
    text_ += json;
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

/// A JSON array that keeps the first `limit` items and counts all.
class JsonList {
 public:
  explicit JsonList(std::uint32_t limit = 0xffffffffU) : limit_(limit) {}
  void add_json(std::string_view json) {
    if (count_++ >= limit_) return;
    if (text_.size() > 1) text_ += ',';
    text_ += json;
  }
  void add(std::string_view text) {
    if (count_ < limit_) {
      add_json(json_quoted(text));
    } else {
      ++count_;
    }
  }
  /// False once further items are only counted: no need to make their text.
  [[nodiscard]] bool open() const { return count_ < limit_; }
  void skip(std::uint32_t items = 1) { count_ += items; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::string text() const { return text_ + "]"; }

 private:
  std::string text_ = "[";
  std::uint32_t limit_;
  std::uint32_t count_ = 0;
};

}  // namespace depscope::recording
