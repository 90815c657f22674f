// A run as a trace for Perfetto (https://ui.perfetto.dev): tracks, flows, counters.
#pragma once

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// Chrome Trace Event JSON. A measured run: one slice for each dispatch on its core, phases of scheduler threads and
/// orchestrator. A run of the model: one slice for each task on the core of its first block, one unit of its time as a
/// microsecond; submits of the orchestrator; tasks in the window and bytes in the heap of each ring as counters. Both: a counter
/// of running tasks by core type and a flow for each edge between tasks that have slices. An edge whose consumer starts before
/// its producer ends is no flow, since viewers leave those out, but an instant event "backward" on the consumer's track.
void write_perfetto(const recording::Recording& recording, const TextOutput& output);

}  // namespace depscope::replay
