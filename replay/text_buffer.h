// Pieces of a long text, gathered before they are handed on: texts as they are, numbers in decimal. Private.
#pragma once

#include <charconv>
#include <concepts>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "depscope/replay/text_output.h"

namespace depscope::replay {

class TextBuffer {
 public:
  explicit TextBuffer(const TextOutput& output) : output_(output), bytes_(kBytes) {}

  template <class... Pieces>
  void put(const Pieces&... pieces) {
    (one(pieces), ...);
  }
  /// Hands on what there is; the last call.
  void flush() {
    if (size_ != 0) output_({bytes_.data(), size_});
    size_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 17U, kLongestNumber = 20;

  void one(std::string_view text) {
    if (text.size() > kBytes - size_) flush();
    if (text.size() > kBytes) {
      output_(text);
      return;
    }
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  template <std::integral Number>
  void one(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      one(number ? std::string_view("true") : std::string_view("false"));
    } else {
      write(number);
    }
  }
  template <class Number>
  void write(Number number) {
    if (kLongestNumber > kBytes - size_) flush();
    char* const at = bytes_.data() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(at, at + kLongestNumber, number).ptr - at);
  }

  const TextOutput& output_;
  std::vector<char> bytes_;
  std::size_t size_ = 0;
};

}  // namespace depscope::replay
