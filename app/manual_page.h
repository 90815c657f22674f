// The manual page depscope(1), in roff.
#pragma once

#include <string>
#include <vector>

#include "command_words.h"

namespace depscope::app {

/// `commands`: of command_words().
[[nodiscard]] std::string manual_page(const std::vector<CommandWords>& commands);

}  // namespace depscope::app
