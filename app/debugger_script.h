// Commands of the debugger from a file or from standard input.
#pragma once

#include <istream>
#include <string>

#include "debugger.h"

namespace depscope::app {

struct ScriptSettings {
  std::string name;  ///< of the file, as errors have it
  bool json = false;
  bool stop_on_error = false;
};

/// Runs line after line, until `quit`. Answers go to standard output, each below its command (without JSON); errors to standard
/// error with FILE:LINE, and with JSON to the answer as well. True if no command failed.
bool run_script(Debugger& debugger, std::istream& lines, const ScriptSettings& settings);

}  // namespace depscope::app
