// `depscope.facts/1` (DESIGN §5): what the passes decided, by Orchestration function.
#pragma once

#include <string>

#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// What is asked for; rows of `functions` and `call_sites`, none = everything.
struct FactsSelection {
  std::uint32_t function = recording::kNoRow;
  std::uint32_t call_site = recording::kNoRow;  ///< then also only its hazards, edges and accesses
};

/// The object on several lines, ending in a newline: one line a call, hazard, edge, access. Beside the keys of DESIGN §5:
/// - calls: argument_records; scopes: line, change, decision; regions: line, stripped_edges, kept_edges, prior_call, lineage,
///   rewrites_undone;
/// - hazards: prior_arg, current_arg and their names, region, prior_storage, current_storage, by_memref, edge, synthetic,
///   edge_index (into `edges`), reason;
/// - lists `edges`, `accesses`, `fences`, `carries`, `scope_decisions` by function, and `wrappers` beside `functions`.
/// `findings` are those of the recording, in order. Memory does not grow with the text. Throws InputError for more than
/// 50,000,000 hazards and edges: a recording of some megabytes may stand for so many.
void write_facts_json(const recording::Recording& recording, const FactsSelection& selection, const TextOutput& output);
/// The same in one string.
[[nodiscard]] std::string facts_json(const recording::Recording& recording);

/// One finding as a JSON object on one line: kind, severity, summary, then its own fields (cases/book contract).
[[nodiscard]] std::string finding_json(const recording::Recording& recording, std::uint32_t finding);

}  // namespace depscope::replay
