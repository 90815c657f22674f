// Verifiers of the shape of statements.
#pragma once

#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"

namespace depscope::pass {

/// NoNestedCalls: no call inside another call, a bound or a condition; dispatch predicates are not evaluated and may keep theirs.
[[nodiscard]] std::vector<Diagnostic> verify_no_nested_calls(const ir::Program& program);
/// SplitIncoreOrch: no device region (pl.at, pl.spmd, …) is left inside an Orchestration function.
[[nodiscard]] std::vector<Diagnostic> verify_no_regions(const ir::Program& program);

}  // namespace depscope::pass
