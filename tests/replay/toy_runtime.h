// A toy in place of the runtime model: valid events of all kinds, with made-up reasons.
#pragma once

#include "synthetic_recording.h"

namespace depscope::replay {

/// Appends tasks, accesses, edges, scopes and events to a recording that has none of them.
void add_toy_run(recording::Recording& recording, const SyntheticOptions& options);

}  // namespace depscope::replay
