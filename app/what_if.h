// What moving a scope would do, found by running the program again with its scopes moved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "open_input.h"
#include "options.h"

namespace depscope::app {

/// How a run with moved scopes, or the run as it is, ends.
struct MovedRun {
  bool through = false;
  std::string stopped_by;              ///< the finding that ended it; empty if it comes through
  std::uint64_t waits = 0;             ///< times that the orchestrator had to wait
  std::uint64_t waited = 0, time = 0;  ///< logical time: of all waits, of the whole run
};

struct ScopeMove {
  std::string kind;  ///< "split", "parts", "own", "join"
  std::string text;  ///< what is done, for people
  MovedRun run;
  std::uint64_t part_tasks = 0;  ///< parts: the most tasks of a scope with which the run comes through; 0 if there are none
  /// Findings that the program does not have with its scopes where they are and no limits: kind and how many more.
  std::vector<std::pair<std::string, std::uint64_t>> more_findings;
  std::string example;  ///< of those: the first of a kind that the program did not have, if there is one
};

struct WhatIf {
  MovedRun as_it_is;
  std::uint64_t unlimited_time = 0;  ///< logical time if nothing ever runs full; 0: that stops, too, or was not tried
  std::vector<ScopeMove> moves;
  std::string nothing;  ///< why nothing was moved, if so
};

/// `wish` is "auto" or "split:TASK" (the scope of TASK ends before it and begins again), "own:TASK" (TASK gets a scope of its
/// own), "join:TASK" (the innermost scope of TASK is left out). "auto": the moves that may let a stopped run through. Throws
/// UsageError: a wish that is none of these, a task that there is not, an input without scopes, a prescribed schedule.
[[nodiscard]] WhatIf what_if(const std::string& input, const RunOptions& options, const Opened& opened, std::string_view wish);

[[nodiscard]] std::string json_of(const WhatIf& found);
[[nodiscard]] std::string text_of(const WhatIf& found);

}  // namespace depscope::app
