#include "nested_calls.h"

#include <string>

#include "expr_rewriter.h"
#include "not_modelled.h"
#include "property_verifiers.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;

/// A call below the root that is evaluated, or none.
ExprId nested_call(const ir::NodeStore& store, ExprId id, bool root) {
  if (!id.valid()) return {};
  if (store.expr(id).kind != ExprKind::Call) {
    for (const ExprId child : ir::children(store, id)) {
      const ExprId found = nested_call(store, child, false);
      if (found.valid()) return found;
    }
    return {};
  }
  if (!root) return id;
  const ir::Call call = store.call(id);
  for (const Range list : {call.args, call.deps}) {
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const ExprId found = nested_call(store, store.at<ExprId>(list, i), false);
      if (found.valid()) return found;
    }
  }
  for (const ir::NamedExpr& pair : store.pairs(call.kwargs)) {
    if (store.text(pair.name) == "predicate") continue;
    const ExprId found = nested_call(store, pair.value, false);
    if (found.valid()) return found;
  }
  return {};
}

}  // namespace

std::vector<Diagnostic> verify_no_nested_calls(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  std::vector<Diagnostic> out;
  for (const ir::Function& f : program.functions) {
    if (is_opaque(store, f)) continue;
    ir::for_each_stmt(store, f.body, [&](StmtId id) {
      const StmtKind kind = store.stmt(id).kind;
      if (kind == StmtKind::Scope || kind == StmtKind::While) return;
      for (const ExprId e : ir::expressions(store, id)) {
        const ExprId found = nested_call(store, e, kind == StmtKind::Assign || kind == StmtKind::Eval);
        if (!found.valid()) continue;
        const Span span = store.expr(found).span.known() ? store.expr(found).span : store.stmt(id).span;
        out.push_back(error_at(program, span,
                               "nested call of '" + std::string(store.callee(found)) + "' in function '" +
                                   std::string(store.text(f.name)) + "' [NoNestedCalls]"));
        return;
      }
    });
  }
  return out;
}

std::vector<Diagnostic> verify_no_regions(const ir::Program& program) {
  const ir::NodeStore& store = *program.store;
  std::vector<Diagnostic> out;
  for (const ir::Function& f : program.functions) {
    if (f.kind != ir::FunctionKind::Orchestration) continue;
    ir::for_each_stmt(store, f.body, [&](StmtId id) {
      if (store.stmt(id).kind != StmtKind::Scope || store.scope_data(id).kind == ir::ScopeKind::Runtime) return;
      out.push_back(
          error_at(program, store.stmt(id).span,
                   "device region inside Orchestration function '" + std::string(store.text(f.name)) + "' [SplitIncoreOrch]"));
    });
  }
  return out;
}

}  // namespace depscope::pass
