// Findings for tools that show them beside the code: a SARIF 2.1.0 log (OASIS, Static Analysis Results Interchange Format).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/check.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

/// Calls `tell` for every finding. It is called twice, and tells the same in the same order each time, as `Check::each` does.
using FindingSource = std::function<void(const std::function<void(const CheckFinding&)>& tell)>;

/// A file as the URI of an artifact: a relative path stays relative, an absolute one becomes "file:///…"; everything but letters,
/// digits, "-._~" and "/" is percent-encoded.
[[nodiscard]] std::string artifact_uri(std::string_view path);

/// One log with one run, ending in a newline. `input` is the file that lines of findings are lines of. Kinds of findings are the
/// rules, in the order of their first finding, each with the severest level that occurs; Severity::Info is level "note". What a
/// finding says in its fields stands in its properties, and `members` in those of the run. Results have a fingerprint that does
/// not change when lines move (section 3.27.17). Columns of a recording count bytes.
void write_sarif(const FindingSource& findings, std::string_view input, const TextOutput& output,
                 const std::vector<CheckMember>& members = {});

/// The log of a run that failed (executionSuccessful is false): one result of kind "input_error" for each diagnostic, in the file
/// that it names, or in `input`.
void write_sarif_errors(const std::vector<Diagnostic>& diagnostics, std::string_view input, const TextOutput& output);

}  // namespace depscope::replay
