// Printed programs side by side, function by function. Layout of a file, comments and the suffixes that a printer gives to equal
// names do not count (ir-text.md 1.4, 2.1, 10).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::app {

/// The printed functions of one state of a program.
struct ProgramText {
  std::string head;  ///< name and dynamic dimensions
  std::map<std::string, std::string, std::less<>> functions;
};
[[nodiscard]] ProgramText program_text(const ir::Program& program);

/// Where two texts stop saying the same: the lines, from 0.
struct Mismatch {
  std::uint32_t line_a = 0, line_b = 0;
};
/// Token by token; names that differ in the printer's suffix only ("x" and "x_1") must pair one to one.
[[nodiscard]] std::optional<Mismatch> first_mismatch(std::string_view a, std::string_view b);

/// Names of the functions that changed, came or went, sorted.
[[nodiscard]] std::vector<std::string> changed_functions(const ProgramText& before, const ProgramText& after);
[[nodiscard]] bool same_program(const ProgramText& a, const ProgramText& b);

/// The first place where a program of ours says something else than the program of a dump.
struct TextDifference {
  std::string function;      ///< empty: outside the functions
  std::uint32_t line = 0;    ///< in the dump's file, from 1; 0: nothing stands there
  std::string ours, theirs;  ///< the printed lines without indentation; empty: there is none
};
/// Functions in the order of the dump. `theirs.source` must be the text of the dump.
[[nodiscard]] std::optional<TextDifference> first_text_difference(const ir::Program& ours, const ir::Program& theirs);

/// "ours | theirs", long lines cut down to the surroundings of the first difference.
[[nodiscard]] std::string side_by_side(const TextDifference& difference);

}  // namespace depscope::app
