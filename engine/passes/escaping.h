// Which variables a loop body assigns, and which of them the statements after the loop still need (passes.md, section 2).
#pragma once

#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::pass {

/// Variables assigned anywhere in the body, each once, in order of their first assignment: targets of assignments, results of
/// nested ifs and loops, ids captured by regions. Loop counters and iter-args are not among them.
[[nodiscard]] std::vector<ir::VarId> assigned_variables(const ir::NodeStore& store, Range body);

/// For every loop of a function: the variables its body assigns that are needed after it before they are assigned again.
/// One backward sweep over the function; near linear in its size. Loops inside regions that will be outlined are left out.
class EscapingVariables {
 public:
  EscapingVariables(const ir::NodeStore& store, const ir::Function& function);

  /// The variables needed after this loop; null if there are none.
  [[nodiscard]] const std::vector<ir::VarId>* of(ir::StmtId loop) const {
    const auto it = needed_.find(loop);
    return it == needed_.end() ? nullptr : &it->second;
  }

 private:
  void sweep(Range body, bool record);
  void statement(ir::StmtId id, bool record);
  /// A loop body may run zero times: what was live behind it stays live before it.
  void keep_live_since(std::size_t mark);
  void use(ir::ExprId id);
  void use_type(ir::TypeId id);
  void set(ir::VarId var, bool live);
  [[nodiscard]] bool live(ir::VarId var) const { return live_[var.value] != 0; }

  const ir::NodeStore& store_;
  std::vector<char> live_;
  std::vector<std::pair<ir::VarId, char>> trail_;  ///< every change with the value before it
  std::unordered_map<ir::StmtId, std::vector<ir::VarId>> needed_;
};

}  // namespace depscope::pass
