// What a stopped run's finding says beyond its numbers: the links from the wait to what it comes from, and who has a reference on
// the task at the watermark. Private.
#pragma once

#include <string>

#include "check_names.h"
#include "depscope/recording/tables.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

/// `"proof":{"verdict":…,"certain":…,"links":[{"kind":…,"text":…,"event":…,"task":…},…],"premise":…},"references":[…]`, members
/// of an object. `place` is what waits ("fill#3"), `wanted` what for ("1 slot of the task window of ring 3: 3 of 4 in use").
/// References are told of deadlocks that have a task at the watermark. Takes one walk over the events.
[[nodiscard]] std::string deadlock_proof_fields(const recording::Recording& recording, const TaskNames& names,
                                                const runtime::RunFinding& f, const std::string& place,
                                                const std::string& wanted);

}  // namespace depscope::replay
