// Effective parameter directions of Group and Spmd wrappers (passes.md 4.1).
#pragma once

#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// Directions of every function of the program, in function and parameter order. For wrappers: the declared ones raised to what
/// the kernels in the body do to each parameter (least fixed point); for all others: as declared.
[[nodiscard]] std::vector<std::vector<ir::ParamDirection>> effective_directions(const ir::Program& program);

}  // namespace depscope::pass
