// Statements that leave a loop before the end of its body.
#pragma once

#include "depscope/ir/program.h"

namespace depscope::pass {

/// A break or continue of the loop with this body (not of a loop inside it), or none.
[[nodiscard]] ir::StmtId break_or_continue(const ir::NodeStore& store, Range body);
/// A return anywhere in the body, or none.
[[nodiscard]] ir::StmtId nested_return(const ir::NodeStore& store, Range body);

}  // namespace depscope::pass
