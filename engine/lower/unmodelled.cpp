#include "unmodelled.h"

#include <fmt/format.h>

namespace depscope::lower {

using ir::ExprId;
using ir::StmtId;
using ir::StmtKind;

namespace {

class Search {
 public:
  Search(const ir::Program& program, const FunctionIndex& functions) : store_(*program.store), functions_(functions) {}

  std::string statement(StmtId id) {
    const ir::Stmt& s = store_.stmt(id);
    if (s.kind == StmtKind::Opaque) return "a statement kept as text";
    if (s.kind == StmtKind::Scope && store_.scope_data(id).kind != ir::ScopeKind::Runtime) return region(id);
    const bool launches = s.kind == StmtKind::Assign || s.kind == StmtKind::Eval;
    for (const ExprId e : ir::expressions(store_, id)) {
      std::string found = expression(e, launches);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  [[nodiscard]] std::string region(StmtId id) const {
    const ExprId header = store_.scope_data(id).header;
    if (!header.valid() || store_.expr(header).kind != ir::ExprKind::Call) return "a region";
    return fmt::format("a pl.{} region", store_.callee(header));
  }

  std::string expression(ExprId id, bool may_launch) {
    if (!id.valid()) return "";
    const ir::Expr& e = store_.expr(id);
    switch (e.kind) {
      case ir::ExprKind::Var:
      case ir::ExprKind::Int:
      case ir::ExprKind::Name: return "";
      case ir::ExprKind::Opaque: return "an expression kept as text";
      case ir::ExprKind::Call: {
        const ir::Call& call = store_.call(id);
        if (is_launch(call)) {
          if (!may_launch) return "a launch inside an expression";
          if (!functions_.find(call.callee))
            return fmt::format("a launch of the unknown function '{}'", store_.text(call.callee));
        } else if (call.form == ir::CallForm::Plain) {
          return fmt::format("a call of '{}'", store_.text(call.callee));
        }
        break;
      }
      default: break;
    }
    for (const ExprId child : ir::children(store_, id)) {
      std::string found = expression(child, false);
      if (!found.empty()) return found;
    }
    return "";
  }

  const ir::NodeStore& store_;
  const FunctionIndex& functions_;
};

}  // namespace

Unmodelled find_unmodelled(const ir::Program& program, const ir::Function& function, const FunctionIndex& functions) {
  if (function.foreign_body) return {"a foreign body", {}, {}};
  const ir::NodeStore& store = *program.store;
  Search search(program, functions);
  Unmodelled out;
  ir::for_each_stmt(store, function.body, [&](StmtId id) {
    if (!out.construct.empty()) return;
    out.construct = search.statement(id);
    out.statement = id;
    const bool region = store.stmt(id).kind == StmtKind::Scope && !out.construct.empty();
    if (region)
      out.advice = "the passes that outline it are not built here; open the passes_dump directory of this program instead";
  });
  return out;
}

}  // namespace depscope::lower
