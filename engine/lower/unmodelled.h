// Constructs that have no submission plan. Private.
#pragma once

#include <string>

#include "depscope/ir/program.h"
#include "ir_questions.h"

namespace depscope::lower {

/// The first construct of a function that is not modelled; empty if there is none.
struct Unmodelled {
  std::string construct;
  std::string advice;    ///< what to do instead; may be empty
  ir::StmtId statement;  ///< none if the whole function is meant
};
[[nodiscard]] Unmodelled find_unmodelled(const ir::Program& program, const ir::Function& function,
                                         const FunctionIndex& functions);

}  // namespace depscope::lower
