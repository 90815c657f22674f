// HTML written piece by piece, with every text escaped. Private.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// Appends a text so that it is nothing but text, inside an element or a quoted attribute. Invalid UTF-8, control characters (but
/// tab and line end) and those that turn the direction of writing become U+FFFD.
void append_html(std::string& out, std::string_view text);

/// The longest beginning of a text of at most `bytes` bytes that cuts no UTF-8 sequence.
[[nodiscard]] std::string_view cut_text(std::string_view text, std::size_t bytes);

class HtmlWriter {
 public:
  explicit HtmlWriter(const TextOutput& output) : output_(output) {}

  /// Markup of our own.
  HtmlWriter& raw(std::string_view markup) {
    if (buffer_.size() >= kFlushAt) finish();
    buffer_ += markup;
    return *this;
  }
  /// A text from anywhere.
  HtmlWriter& text(std::string_view text) {
    if (buffer_.size() >= kFlushAt) finish();
    append_html(buffer_, text);
    return *this;
  }
  template <std::integral T>
  HtmlWriter& number(T value) {
    return raw(std::to_string(value));
  }
  /// An element around a text.
  HtmlWriter& element(std::string_view name, std::string_view classes, std::string_view content);

  /// Hands over what is left.
  void finish();

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 16U;

  const TextOutput& output_;
  std::string buffer_;
};

}  // namespace depscope::replay
