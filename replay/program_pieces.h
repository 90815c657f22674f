// Printed programs as text: their functions, their loops, and what differs between two. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace depscope::replay {

/// The functions of a printed program (ir-text.md 3), each with its decorator. Views into the text.
class ProgramPieces {
 public:
  ProgramPieces() = default;
  explicit ProgramPieces(std::string_view program);
  /// Empty if there is none of that name.
  [[nodiscard]] std::string_view function(std::string_view name) const;
  /// In the order of the text.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

 private:
  std::unordered_map<std::string_view, std::string_view> functions_;  // only looked up
  std::vector<std::string_view> names_;
};

struct LoopLine {
  std::string kind;         ///< "range", "parallel", "unroll", "pipeline", "while"
  std::string variables;    ///< what stands between `for` and `in`; the condition of a while
  std::string text;         ///< the line without indentation and colon
  std::uint32_t depth = 0;  ///< of indentation, within the function
};
/// The loops of a printed function in order.
[[nodiscard]] std::vector<LoopLine> loops_of(std::string_view function);

/// Names of functions of a, and what they are called in b; only those that differ.
using RenamedFunctions = std::unordered_map<std::string_view, std::string_view>;

/// Whether two texts are the same but for a consistent renaming of variables, and these functions.
[[nodiscard]] bool equal_but_for_names(std::string_view a, std::string_view b, const RenamedFunctions& functions = {});

/// What differs between two texts, as far as the first kDifferenceLines lines of it go.
struct LineDifference {
  std::uint64_t removed = 0, added = 0;  ///< lines of a, of b without counterpart
  std::string first_a, first_b;          ///< the first of them, without indentation
  std::vector<std::string> lines;        ///< " same", "-of a", "+of b", "@@ …" between places, "…" if there is more
};
inline constexpr std::size_t kDifferenceLines = 40;
[[nodiscard]] LineDifference difference_of_lines(std::string_view a, std::string_view b);

}  // namespace depscope::replay
