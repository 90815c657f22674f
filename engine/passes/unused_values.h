// Removing scalar assignments and if results that nothing needs (passes.md, section 3, step 5).
#pragma once

#include "depscope/ir/program.h"

namespace depscope::pass {

/// The body without scalar assignments that nothing needs. Assignments with a call, and task-id extracts of a submit, stay.
[[nodiscard]] Range remove_unused_scalars(ir::NodeStore& store, const ir::Function& function);
/// The body without if results that nothing refers to; the matching yield values go in both branches.
[[nodiscard]] Range remove_unused_if_results(ir::NodeStore& store, const ir::Function& function);

}  // namespace depscope::pass
