// Recordings whose events are those of a real run, as far as its files tell them (artefacts.md 4).
#pragma once

#include <string>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// True if the events were measured: submits, readiness, dispatches, starts and ends of blocks, completions. What frees slots and
/// buffers, references, queues and the TensorMap are not among them.
[[nodiscard]] bool has_measured_events(const recording::Recording& recording);
/// Microseconds of one unit of events.time; 0 if the unit is one of the model's logical time.
[[nodiscard]] double microseconds_per_unit(const recording::Recording& recording);
/// Ticks a second of measured_dispatches and measured_phases; 0 if nothing was measured.
[[nodiscard]] double clock_frequency(const recording::Recording& recording);
/// Of measured_dispatches and measured_phases: microseconds of a tick; 0 if nothing was measured.
[[nodiscard]] double microseconds_per_tick(const recording::Recording& recording);

}  // namespace depscope::replay
