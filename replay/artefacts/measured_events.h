// The events of a run, made of what was measured. Private.
#pragma once

#include <cstdint>
#include <span>

#include "depscope/recording/tables.h"
#include "depscope/replay/artefacts/scope_stats.h"

namespace depscope::replay {

/// Fills `events` from measured_dispatches and measured_phases, whose ticks are those of a counter of `frequency` Hz; says so in
/// the options "events" and "time-unit-us".
///
/// Measured are submits (level 4), dispatch and end of every block, and the AICPU's notice of the end. Worked out is when a task
/// was ready: with its last producer that is waited for, or with its submit. A submit that is not recorded is put as late as the
/// order of submits allows. A task without a row stays pending, unless it is an allocation or a barrier, which take no time.
/// `core_to_thread`: as in Swimlane. `limits` may be null.
void add_measured_events(recording::Recording& recording, std::uint64_t frequency, std::span<const std::int32_t> core_to_thread,
                         const ScopeStats* limits);

}  // namespace depscope::replay
