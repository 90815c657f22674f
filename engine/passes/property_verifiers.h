// Verifiers of single properties; verify_property (pass.h) calls them.
#pragma once

#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"

namespace depscope::pass {

/// CallDirectionsResolved (passes.md 4.6): the first error of each task site, and wrapper signatures that are behind their
/// bodies.
[[nodiscard]] std::vector<Diagnostic> verify_call_directions(const ir::Program& program);
/// RuntimeScopesMaterialized (passes.md 8): no Orchestration function is left with auto_scope.
[[nodiscard]] std::vector<Diagnostic> verify_runtime_scopes(const ir::Program& program);
/// IterArgCarryClassified: each carried value of a for loop in an Orchestration function has its class.
[[nodiscard]] std::vector<Diagnostic> verify_iter_arg_carry(const ir::Program& program);

/// An error at a place of the program's source.
[[nodiscard]] Diagnostic error_at(const ir::Program& program, Span span, std::string message);

}  // namespace depscope::pass
