// A recording of the runtime model of any size, made in memory.
#pragma once

#include <cstdint>

#include "depscope/recording/tables.h"
#include "depscope/runtime/options.h"

namespace depscope::bench {

/// `tasks` tasks in scopes of 64 of depth 2, rings of the default sizes: reads and writes of shared buffers, outputs that later
/// tasks read, explicit dependencies, SPMD blocks, barriers. About 48 events a task.
[[nodiscard]] recording::Recording model_recording(std::uint32_t tasks, runtime::EventLevel level);

}  // namespace depscope::bench
