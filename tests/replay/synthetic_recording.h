// Made-up recordings with valid event streams, for tests and benchmarks that need no compiler and no runtime model.
#pragma once

#include <cstdint>

#include "depscope/recording/tables.h"

namespace depscope::replay {

struct SyntheticOptions {
  std::uint32_t tasks = 20;
  std::uint32_t max_fanin = 3;
  std::uint32_t cores = 4;
  std::uint32_t tasks_per_scope = 8;
  std::uint32_t in_flight = 64;  ///< submitted and not yet completed
  std::uint64_t seed = 1;
  bool pins = true;     ///< false: the events of level `summary`
  bool faults = false;  ///< one more task, whose submit fails: the run ends there, with what was open still open
  bool program = true;  ///< with passes, functions, call sites, regions, hazards, findings
};

[[nodiscard]] recording::Recording synthetic_recording(const SyntheticOptions& options = {});

/// Equality of every field and column that a file keeps.
[[nodiscard]] bool same_recording(const recording::Recording& a, const recording::Recording& b);

}  // namespace depscope::replay
