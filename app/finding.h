// A finding before it becomes a row of a recording.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"

namespace depscope::app {

struct Finding {
  std::string kind = {};
  Severity severity = Severity::Info;
  std::string summary = {};
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();  ///< cases/book contract, without kind, severity, summary
  std::uint32_t line = 0;                                            ///< in the input, 0 if none
};

void add_finding(recording::Recording& recording, const Finding& finding);
/// A diagnostic of an input as a finding of kind "input_error"; the file by its base name.
[[nodiscard]] Finding input_error(const Diagnostic& diagnostic);

}  // namespace depscope::app
