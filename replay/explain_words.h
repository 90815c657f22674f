// The layout of the explanation; its phrases are in depscope/replay/decision_words.h. Private.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "depscope/replay/decision_words.h"

namespace depscope::replay {

inline constexpr std::size_t kExplainColumns = 100;

/// Appends lines, indented; a text that is too wide goes on in the next line, indented by `hang` more.
class TextLines {
 public:
  void line(std::size_t indent, std::string_view text, std::size_t hang = 2);
  void blank() { text_ += '\n'; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace depscope::replay
