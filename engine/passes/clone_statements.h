// Copies of statements with other variables, for inlined and unrolled bodies.
#pragma once

#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "expr_rewriter.h"

namespace depscope::pass {

/// Copies statement lists. Every copy is made of new statements and new calls, so that each call site of the result has an
/// identity of its own.
class StatementCloner final : public ExprRewriter {
 public:
  explicit StatementCloner(ir::NodeStore& store) : ExprRewriter(store) {}

  /// References to `variable` become `value`.
  void replace(ir::VarId variable, ir::ExprId value) { values_[variable] = value; }
  /// Definitions of, and references to, `variable` become `other`.
  void rename(ir::VarId variable, ir::VarId other) { names_[variable] = other; }

  [[nodiscard]] std::vector<ir::StmtId> body(Range body);
  [[nodiscard]] ir::StmtId statement(ir::StmtId id);

 protected:
  ir::ExprId var(ir::ExprId reference, ir::VarId variable) override;

 private:
  [[nodiscard]] ir::VarId renamed(ir::VarId variable) const;
  [[nodiscard]] Range renamed(Range variables);
  [[nodiscard]] Range nested(Range old) {
    const std::vector<ir::StmtId> copies = body(old);
    return store_.make_list(copies);
  }
  /// A rewritten expression whose root node is a new one.
  [[nodiscard]] ir::ExprId fresh(ir::ExprId id);

  std::unordered_map<ir::VarId, ir::ExprId> values_;
  std::unordered_map<ir::VarId, ir::VarId> names_;
};

}  // namespace depscope::pass
