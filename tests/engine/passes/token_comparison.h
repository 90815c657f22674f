// Comparing two printed programs token by token.
#pragma once

#include <string>
#include <string_view>

namespace depscope::pass::testing {

/// Empty if the texts have the same tokens; layout, blank lines and trailing commas aside. Names may differ only in the suffix
/// `_N` that a printer adds to tell equal names apart, and must correspond one to one within each function. Otherwise the first
/// difference with the line in `expected`.
[[nodiscard]] std::string token_difference(std::string_view expected, std::string_view actual);

}  // namespace depscope::pass::testing
