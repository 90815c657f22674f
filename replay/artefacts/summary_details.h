// What the summary of a run says of arguments, counters, host phases, clocks and logs. Private.
#pragma once

#include <string>
#include <vector>

#include "../json_writer.h"
#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/artefacts/run_summary.h"

namespace depscope::replay {

[[nodiscard]] std::vector<SummarySection> detail_sections(const ImportedRun& run);
/// Members of the open object: "args", "pmu", "host_phases", "clocks", "logs", as far as there is something.
void write_details(JsonWriter& out, const ImportedRun& run);

}  // namespace depscope::replay
