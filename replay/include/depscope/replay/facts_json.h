// `depscope.facts/1` (DESIGN §5): what the passes decided, by Orchestration function.
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// The whole object on several lines (indented by 1), ending in a newline. `findings` are those of the recording, in order.
[[nodiscard]] std::string facts_json(const recording::Recording& recording);

/// One finding as a JSON object on one line: kind, severity, summary, then its own fields (cases/book contract).
[[nodiscard]] std::string finding_json(const recording::Recording& recording, std::uint32_t finding);

}  // namespace depscope::replay
