// Parameters that a kernel writes although it declares them as read (passes.md 13, wrong_kernel_direction).
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// A write of a parameter declared In.
struct UndeclaredWrite {
  std::uint32_t param = 0;  ///< position among the parameters
  ir::StmtId where;         ///< the first statement that writes it
};

/// For kernels (InCore, AIC, AIV) with a body: parameters declared In whose buffer a tile.store, tile.mscatter, tensor.write,
/// tensor.assemble or tensor.scatter_update writes, by parameter position. Names of one buffer are followed through copies,
/// views, loops and ifs. Empty for other functions. Linear in the body.
[[nodiscard]] std::vector<UndeclaredWrite> undeclared_writes(const ir::NodeStore& store, const ir::Function& function);

}  // namespace depscope::pass
