// What `depscope import` prints of runs: the health page first, then the quantities.
#pragma once

#include <string>
#include <vector>

#include "depscope/replay/artefacts/imported_run.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// depscope.summary/1. The members of a run stand in the object itself if there is one run, else in the objects of "runs".
void write_summary_json(const RunTree& tree, const std::vector<ImportedRun>& runs, const TextOutput& output);
void write_summary_text(const RunTree& tree, const std::vector<ImportedRun>& runs, const TextOutput& output);

struct SummarySection {
  std::string title;  ///< "health", "task graph", "timing", "scopes"
  std::vector<std::string> lines;
};
/// The same text of one run, without its findings.
[[nodiscard]] std::vector<SummarySection> summary_sections(const ImportedRun& run);
/// Writes it into the recording's run_notes.
void add_run_notes(ImportedRun& run);

}  // namespace depscope::replay
