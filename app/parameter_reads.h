// Whether a function's body reads what a parameter holds when it is called.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "depscope/ir/program.h"

namespace depscope::app {

class ParameterReads {
 public:
  /// The program must outlive it and keep its function list.
  explicit ParameterReads(const ir::Program& program);

  /// Loads, reads of elements, operations on the value, arguments for an In or InOut parameter, and stores that add to what is
  /// there; through views, loops, branches and results that are the same buffer (ir-text.md 7). Nullopt for a body that is not
  /// known: an external kernel, or text that was not understood.
  [[nodiscard]] std::optional<bool> of(const ir::Function& function, std::uint32_t parameter) const;

 private:
  const ir::NodeStore& store_;
  std::unordered_map<NameId, const ir::Function*> functions_;  // looked up only
};

}  // namespace depscope::app
