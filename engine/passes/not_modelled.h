// Functions whose body a pass cannot look into.
#pragma once

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"

namespace depscope::pass {

/// True if the function's body is foreign, or has a statement or expression that the reader kept as text only: a pass must
/// leave it as it is.
[[nodiscard]] bool is_opaque(const ir::NodeStore& store, const ir::Function& function);
/// As is_opaque; if so, writes the notice "not_modelled" with the construct and its line.
bool report_not_modelled(const ir::Program& program, FunctionIndex function, DecisionSink& sink);

}  // namespace depscope::pass
