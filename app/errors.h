// How errors reach the user: one line per diagnostic on standard error, and with --json an object on standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

/// "depscope: error: FILE:LINE:COL: message" with the source line below where it is known; ends in a newline.
[[nodiscard]] std::string error_text(const std::vector<Diagnostic>& diagnostics);

/// {"schema": SCHEMA, "findings": [{"kind": "input_error", …, "exit_status": 2}, …]} and a newline.
[[nodiscard]] std::string error_json(std::string_view schema, const std::vector<Diagnostic>& diagnostics);

}  // namespace depscope::app
