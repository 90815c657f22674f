// What may stand where the cursor of the line is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/cursor.h"

namespace depscope::app {

/// Whole words that begin with the last word of `line` (an empty one after a blank), as the command before it takes them. Names
/// of tasks and tensors are cut where they are many.
[[nodiscard]] std::vector<std::string> completions(const replay::Cursor& cursor, std::string_view line);

}  // namespace depscope::app
