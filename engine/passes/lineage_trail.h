// The way from an argument back to the statement that gave its storage, for explaining a fallback (passes.md 10).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"
#include "storage_lineage.h"
#include "task_sites.h"
#include "var_table.h"

namespace depscope::pass {

class LineageTrail {
 public:
  /// Longer ways are cut off there; the last step says so.
  static constexpr std::size_t kMaxSteps = 32;

  LineageTrail(const ir::Program& program, const FunctionTable& functions, const StorageLineage& lineage)
      : program_(program), functions_(functions), lineage_(lineage) {}

  /// Definitions are looked up on first need: most functions never fall back.
  void start(const ir::Function& function) {
    function_ = &function;
    ready_ = false;
  }

  /// Steps from argument `arg` of the task site `site`, the argument itself first.
  [[nodiscard]] std::vector<LineageStep> of(ir::StmtId site, std::uint32_t arg);

 private:
  /// Where the way goes on: a variable, or none at its end.
  struct Next {
    std::string what;
    ir::VarId from;
  };
  /// A result or carried value of a loop or if is known by its position.
  struct Definition {
    ir::StmtId stmt;
    std::uint32_t position = 0;
    bool carried = false;  ///< inside the loop, at the start of an iteration
  };

  void find_definitions();
  [[nodiscard]] Next step(const Definition& definition) const;
  [[nodiscard]] Next assigned(ir::StmtId stmt) const;
  [[nodiscard]] Next builtin(const ir::Call& call) const;
  /// What element `position` of a task's results is.
  [[nodiscard]] Next task_result(ir::StmtId stmt, std::uint32_t position) const;
  [[nodiscard]] Next merged(const Definition& definition) const;
  /// Of two values that meet, the one that explains a missing location, else the second.
  [[nodiscard]] Next meeting(std::string what, ir::ExprId first, ir::ExprId second) const;
  [[nodiscard]] std::string quoted(ir::ExprId value) const;

  const ir::Program& program_;
  const FunctionTable& functions_;
  const StorageLineage& lineage_;
  const ir::Function* function_ = nullptr;
  bool ready_ = false;
  VarTable<Definition> definitions_;
};

}  // namespace depscope::pass
