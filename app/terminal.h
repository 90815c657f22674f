// The debugger at a terminal: a prompt with history, completion and Ctrl+C.
#pragma once

#include "debugger.h"

namespace depscope::app {

/// True if the user sits at it: standard input and standard output are terminals.
[[nodiscard]] bool at_terminal();

/// True once after Ctrl+C. Works while `run_terminal` runs.
[[nodiscard]] bool take_interrupt();

/// Reads commands from standard input and prints their answers, until `quit` or Ctrl+D.
void run_terminal(Debugger& debugger);

}  // namespace depscope::app
