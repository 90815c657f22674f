// Finds the functions in a printed program, so that the Passes panel can show one function at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace depscope::viewers {

struct FunctionText {
  std::string_view name;
  std::string_view text;         ///< from its first decorator to the line before the next function
  std::uint32_t first_line = 1;  ///< 1-based line of `text` in the program
};

/// In the order of the text. Works on lines alone (`def NAME(` with the decorators above it), so that a program that does not
/// parse can be shown too. A nested def belongs to the function around it.
[[nodiscard]] std::vector<FunctionText> functions_of(std::string_view program);

/// The source name behind a generated one: "x__ssa_v3" and "x__rv_v1" are versions of "x" (the first "__" splits; a name that
/// begins with "__" is its own base).
[[nodiscard]] std::string_view base_name(std::string_view name);

/// True if a whole identifier of the text has this base name.
[[nodiscard]] bool mentions(std::string_view text, std::string_view base);

}  // namespace depscope::viewers
