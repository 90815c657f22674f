// What is in use, worked out anew at every event from the state of the cursor and from the rows of tasks.
#pragma once

#include <string>

#include "depscope/recording/tables.h"
#include "depscope/replay/sizing.h"

namespace depscope::replay {

/// Of a full recording of a run whose ids are in order (a program). Fills all of ResourceUse but `told`. Quadratic.
[[nodiscard]] BySizedResource<ResourceUse> sizing_oracle(const recording::Recording& recording, const Capacities& exceeding);

/// "" if they agree, else the first difference.
[[nodiscard]] std::string difference(const BySizedResource<ResourceUse>& expected, const BySizedResource<ResourceUse>& got);

}  // namespace depscope::replay
