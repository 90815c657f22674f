// JSON written piece by piece: what it says may be larger than any tree of it could be.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// The caller keeps keys and values in order and brackets balanced. Nothing but what `break_lines` asks for stands between them.
class JsonWriter {
 public:
  explicit JsonWriter(const TextOutput& output) : output_(output) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& begin_list() { return begin('['); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& end_list() { return end(']'); }
  JsonWriter& key(std::string_view name) {
    separate();
    fmt::format_to(std::back_inserter(buffer_), "\"{}\":", name);
    after_key_ = true;
    return *this;
  }
  /// Items of the innermost bracket stand on lines of their own from here on.
  JsonWriter& break_lines() {
    levels_.back().lines = true;
    return *this;
  }

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool value) { return json(value ? "true" : "false"); }
  template <std::integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) {
    separate();
    fmt::format_to(std::back_inserter(buffer_), "{}", number);
    return *this;
  }
  JsonWriter& null() { return json("null"); }
  /// The text of a whole value.
  JsonWriter& json(std::string_view text) {
    separate();
    buffer_.append(text.data(), text.data() + text.size());
    return *this;
  }

  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  JsonWriter& null_field(std::string_view name) { return key(name).null(); }

  /// Hands over what is left, and a line end.
  void finish();

 private:
  struct Level {
    bool empty = true;
    bool lines = false;
  };
  JsonWriter& begin(char bracket) {
    separate();
    buffer_.push_back(bracket);
    levels_.emplace_back();
    return *this;
  }
  JsonWriter& end(char bracket);
  /// What stands before a key, or before a value that has none.
  void separate();

  static constexpr std::size_t kFlushAt = std::size_t{1} << 16U;

  const TextOutput& output_;
  fmt::memory_buffer buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace depscope::replay
