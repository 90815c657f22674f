// Completion of commands, options and their words in a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command_words.h"

namespace depscope::app {

enum class Shell : std::uint8_t { Bash, Zsh, Fish };

/// A script that the shell reads. `commands`: of command_words().
[[nodiscard]] std::string completion_script(Shell shell, const std::vector<CommandWords>& commands);

}  // namespace depscope::app
