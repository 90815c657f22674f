// Which buffer a variable stands for, as DeriveCallDirections sees it (passes.md 4.2): a slice is a buffer of its own here.
#pragma once

#include <vector>

#include "depscope/ir/program.h"
#include "task_sites.h"
#include "var_table.h"

namespace depscope::pass {

/// The first candidate root, and whether there may be others. Of more than one candidate only the first is ever used.
struct BufferRoot {
  ir::VarId root;  ///< none if no root is known
  bool ambiguous = false;
};

class BufferRoots {
 public:
  BufferRoots(const ir::Program& program, const FunctionTable& functions) : program_(program), functions_(functions) {}

  /// Forgets the last function and computes the roots of this one.
  void build(const ir::Function& function);
  /// {none, false} for a variable without roots.
  [[nodiscard]] BufferRoot of(ir::VarId var) const;
  /// Root of an argument; none if it is no variable.
  [[nodiscard]] BufferRoot of(ir::ExprId value) const { return of(program_.store->as_var(value)); }

 private:
  void visit(Range body);
  void visit_assign(ir::StmtId stmt);
  void visit_task(ir::StmtId stmt, const ir::Call& call);
  void visit_if(ir::StmtId stmt);
  void visit_loop(Range iter_args, Range inits, Range results, Range body, bool at_least_once);
  [[nodiscard]] std::vector<ir::ExprId> yielded(Range body) const;

  const ir::Program& program_;
  const FunctionTable& functions_;
  VarTable<BufferRoot> roots_;
  VarTable<Range> tuples_;  // tuple variable -> entries in elements_
  std::vector<BufferRoot> elements_;
};

}  // namespace depscope::pass
