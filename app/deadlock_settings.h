// What would let a run through that a limit of the rings has stopped.
#pragma once

#include <string>

#include "depscope/recording/tables.h"
#include "open_input.h"
#include "options.h"

namespace depscope::app {

/// Larger runs are not run again unasked.
inline constexpr std::uint32_t kMaxTasksRunAgain = 20'000;

/// If a deadlock over a limit has ended the run of `input`: runs it again with other limits and adds to the finding's fields
/// "smallest": {"through", "runs", "options", "settings": [{"resource", "ring", "from", "value", "one_less"}]}, see
/// smallest_settings(). Nothing happens for bundles, prescribed schedules and runs of more than kMaxTasksRunAgain tasks.
void add_smallest_settings(const std::string& input, const RunOptions& options, Opened& opened);

}  // namespace depscope::app
