#include "not_modelled.h"

#include <string>

#include "expr_rewriter.h"

namespace depscope::pass {
namespace {

using ir::ExprId;
using ir::ExprKind;
using ir::StmtId;
using ir::StmtKind;

ExprId opaque_expr(const ir::NodeStore& store, ExprId id) {
  ExprId found;
  (void)any_node(store, id, [&](ExprId node, const ir::Expr& e) {
    if (e.kind == ExprKind::Opaque) found = node;
    return e.kind == ExprKind::Opaque;
  });
  return found;
}

struct Found {
  StmtId statement;
  std::string_view text;  ///< empty if nothing was found
  Span span;
};

Found find_opaque(const ir::NodeStore& store, const ir::Function& function) {
  Found out;
  ir::for_each_stmt(store, function.body, [&](StmtId id) {
    if (out.statement.valid()) return;
    const ir::Stmt& s = store.stmt(id);
    if (s.kind == StmtKind::Opaque) {
      out = {id, store.text(NameId(s.a)), s.span};
      return;
    }
    for (const ExprId e : ir::expressions(store, id)) {
      const ExprId found = opaque_expr(store, e);
      if (!found.valid()) continue;
      out = {id, store.text(NameId(store.expr(found).a)), store.expr(found).span.known() ? store.expr(found).span : s.span};
      return;
    }
  });
  return out;
}

}  // namespace

bool is_opaque(const ir::NodeStore& store, const ir::Function& function) {
  return function.foreign_body || find_opaque(store, function).statement.valid();
}

bool report_not_modelled(const ir::Program& program, FunctionIndex function, DecisionSink& sink) {
  const ir::Function& f = program.functions[function];
  const Found found = find_opaque(*program.store, f);
  if (!f.foreign_body && !found.statement.valid()) return false;
  std::string message = "function '" + std::string(program.store->text(f.name)) + "' stays as it is: ";
  message += f.foreign_body ? "foreign body" : "'" + std::string(found.text.substr(0, found.text.find('\n'))) + "'";
  const std::uint32_t line = program.line(found.span.known() ? found.span : f.span);
  if (line != 0) message += ", line " + std::to_string(line);
  sink.notice({.function = function, .name = "not_modelled", .message = message, .where = found.statement});
  return true;
}

}  // namespace depscope::pass
