// What the Passes panel lists and puts side by side: a pass and the one before it, or one pass of two recordings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/viewers/comparison.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/program_text.h"

namespace depscope::viewers {

/// A pass of the recording that is shown, of the other one, or both.
struct PassRow {
  std::uint32_t here = kNoRow, there = kNoRow;

  bool operator==(const PassRow&) const = default;
};
/// The passes in order. With a comparison also those that only the other recording has, each in front of the pass that follows it
/// there.
[[nodiscard]] std::vector<PassRow> pass_rows(const Document& here, const Comparison* comparison);

/// The program after a pass, if there is one.
struct PassText {
  const Document* document = nullptr;
  std::uint32_t pass = kNoRow;

  [[nodiscard]] bool exists() const { return pass != kNoRow; }
  [[nodiscard]] std::string_view text() const;  ///< empty if there is none
};

struct PassSides {
  PassText before, after;  ///< left and right
};
/// Before and after a pass.
[[nodiscard]] PassSides sides_of(const Document& document, std::uint32_t pass);
/// One pass in a and in b, whichever is shown.
[[nodiscard]] PassSides sides_of(const Comparison& comparison, PassRow row);

struct ShownTexts {
  struct Entry {
    std::string name;  ///< empty: the whole program
    bool changed = false;
  };
  std::vector<Entry> functions;  ///< of both sides
  FunctionText before, after;
  bool has_before = false, has_after = false;  ///< the side has the function
};
/// One function of both sides; the whole programs if `function` is empty or in neither of them.
[[nodiscard]] ShownTexts texts_of(const PassSides& sides, std::string_view function);

}  // namespace depscope::viewers
