// One way to write a row of the findings table.
#pragma once

#include <cstdint>
#include <string_view>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"

namespace depscope::recording {

/// `fields` is the text of a JSON object with the fields of this kind of finding (cases/book contract), without kind, severity
/// and summary. `line` counts from 1 in the input, 0 if none.
void add_finding(Recording& recording, std::string_view kind, Severity severity, std::string_view summary,
                 std::string_view fields, std::uint32_t line);

}  // namespace depscope::recording
