// Functions and statements as P-text.
#include "printer.h"

namespace depscope::ir {

void Printer::comments(Range texts, int indent) {
  for (std::uint32_t i = 0; i < texts.count; ++i) {
    indentation(indent);
    out += "# ";
    out += store_.text(store_.at<NameId>(texts, i));
    newline();
  }
}

void Printer::decorator(const Function& f, int indent) {
  indentation(indent);
  out += "@pl.function";
  bool first = true;
  const auto argument = [&](std::string_view text) {
    out += first ? "(" : ", ";
    first = false;
    out += text;
  };
  if (f.kind != FunctionKind::Opaque) argument("type=pl.FunctionType." + std::string(function_kind_name(f.kind)));
  if (!store_.text(f.level).empty()) argument("level=pl.Level." + std::string(store_.text(f.level)));
  if (!store_.text(f.role).empty()) argument("role=pl.Role." + std::string(store_.text(f.role)));
  if (!f.auto_scope) argument("auto_scope=False");
  if (!store_.text(f.external_source).empty()) {
    argument("external_source=");
    string_literal(store_.text(f.external_source), '"');
  }
  if (!first) out += ')';
  newline();
}

void Printer::signature(const Function& f, int indent) {
  indentation(indent);
  function_lines.emplace_back(f.name, line);
  out += "def ";
  out += store_.text(f.name);
  out += '(';
  bool first = true;
  if (store_.text(f.role) != "SubWorker") {
    out += "self";
    first = false;
  }
  for (const Param& p : f.params) {
    if (!first) out += ", ";
    first = false;
    out += var_name(p.var);
    out += ": ";
    if (p.direction != ParamDirection::In) out += p.direction == ParamDirection::Out ? "pl.Out[" : "pl.InOut[";
    type(p.type);
    if (p.direction != ParamDirection::In) out += ']';
  }
  out += ')';
  if (!f.return_types.empty()) {
    out += " -> ";
    if (f.return_types.size() == 1) {
      type(f.return_types[0]);
    } else {
      out += "tuple[";
      for (std::size_t i = 0; i < f.return_types.size(); ++i) {
        if (i != 0) out += ", ";
        type(f.return_types[i]);
      }
      out += ']';
    }
  }
  out += ':';
  newline();
}

void Printer::function(const Function& f, int indent) {
  function_ = &f;
  name_variables(f);
  decorator(f, indent);
  signature(f, indent);
  if (!f.attrs.empty()) {
    indentation(indent + 1);
    out += "pl.func_attr({";
    for (std::size_t i = 0; i < f.attrs.size(); ++i) {
      if (i != 0) out += ", ";
      string_literal(store_.text(f.attrs[i].name), '"');
      out += ": ";
      expr(f.attrs[i].value);
    }
    out += "})";
    newline();
  }
  Range stmts = f.body;
  // The empty body of an external kernel prints as `pass` (ir-text 3.6).
  const bool external = !store_.text(f.external_source).empty();
  if (external && stmts.count == 1 && store_.stmt(store_.at<StmtId>(stmts, 0)).kind == StmtKind::Ellipsis) stmts = {};
  body(stmts, indent + 1, {});
  function_ = nullptr;
}

void Printer::body(Range stmts, int indent, Range yield_vars) {
  if (stmts.empty()) {
    indentation(indent);
    out += "pass";
    newline();
    return;
  }
  for (std::uint32_t i = 0; i < stmts.count; ++i)
    statement(store_.at<StmtId>(stmts, i), indent, yield_vars, i + 1 == stmts.count);
}

void Printer::assignment_target(VarId target, TypeId t) {
  out += var_name(target);
  if (t.valid()) {
    out += ": ";
    type(t);
  }
  out += " = ";
}

void Printer::yield(StmtId id, Range vars) {
  const Stmt& s = store_.stmt(id);
  if (vars.count == 1) {
    const VarId v = store_.at<VarId>(vars, 0);
    assignment_target(v, store_.var(v).type);
  } else if (vars.count > 1) {
    for (std::uint32_t i = 0; i < vars.count; ++i) {
      if (i != 0) out += ", ";
      out += var_name(store_.at<VarId>(vars, i));
    }
    out += " = ";
  }
  out += "pl.yield_(";
  for (std::uint32_t i = 0; i < s.b; ++i) {
    if (i != 0) out += ", ";
    expr(store_.at<ExprId>(Range{s.a, s.b}, i));
  }
  out += ')';
  newline();
}

void Printer::statement(StmtId id, int indent, Range yield_vars, bool last) {
  const Stmt s = store_.stmt(id);
  comments(s.comments, indent);
  statement_lines.emplace_back(id, line);
  switch (s.kind) {
    case StmtKind::If: if_statement(id, indent); return;
    case StmtKind::For: for_loop(id, indent); return;
    case StmtKind::While: while_loop(id, indent); return;
    case StmtKind::Scope: scope(id, indent, yield_vars, last); return;
    default: break;
  }
  indentation(indent);
  switch (s.kind) {
    case StmtKind::Assign:
      assignment_target(VarId(s.a), s.type);
      expr(ExprId(s.b));
      break;
    case StmtKind::Eval: expr(ExprId(s.a)); break;
    case StmtKind::Return:
      out += "return";
      for (std::uint32_t i = 0; i < s.b; ++i) {
        out += i == 0 ? " " : ", ";
        expr(store_.at<ExprId>(Range{s.a, s.b}, i));
      }
      break;
    case StmtKind::Yield: yield(id, last ? yield_vars : Range{}); return;
    case StmtKind::Break: out += "break"; break;
    case StmtKind::Continue: out += "continue"; break;
    case StmtKind::Pass: out += "pass"; break;
    case StmtKind::Ellipsis: out += "..."; break;
    case StmtKind::Opaque:
      for (const char c : store_.text(NameId(s.a))) {
        if (c == '\n') {
          newline();
          continue;
        }
        if (out.back() == '\n') indentation(indent);  // none on empty lines
        out += c;
      }
      break;
    default: break;
  }
  newline();
}

void Printer::if_statement(StmtId id, int indent) {
  const IfData d = store_.if_data(id);
  indentation(indent);
  out += "if ";
  expr(d.cond);
  out += ':';
  newline();
  body(d.then_body, indent + 1, d.result_vars);
  if (!d.has_else) return;
  indentation(indent);
  out += "else:";
  newline();
  body(d.else_body, indent + 1, d.result_vars);
}

void Printer::for_loop(StmtId id, int indent) {
  const ForData d = store_.for_data(id);
  indentation(indent);
  out += "for ";
  out += var_name(d.counter);
  if (!d.iter_args.empty()) {
    out += ", (";
    for (std::uint32_t i = 0; i < d.iter_args.count; ++i) {
      if (i != 0) out += ", ";
      out += var_name(store_.at<VarId>(d.iter_args, i));
    }
    out += d.iter_args.count == 1 ? ",)" : ")";
  }
  out += " in pl.";
  switch (d.kind) {
    case ForKind::Range: out += "range("; break;
    case ForKind::Parallel: out += "parallel("; break;
    case ForKind::Unroll: out += "unroll("; break;
    case ForKind::Pipeline: out += "pipeline("; break;
  }
  // Start 0 and step 1 are left out only when they are INDEX constants.
  const auto is_index = [&](ExprId e, std::int64_t value) {
    const Expr& x = store_.expr(e);
    return x.kind == ExprKind::Int && static_cast<DType>(x.op) == DType::Index && store_.int_value(e) == value;
  };
  const bool step = !is_index(d.step, 1);
  if (step || !is_index(d.start, 0)) {
    expr(d.start);
    out += ", ";
  }
  expr(d.stop);
  if (step) {
    out += ", ";
    expr(d.step);
  }
  if (d.stage.valid()) {
    out += ", stage=";
    expr(d.stage);
  }
  if (!d.inits.empty()) {
    out += ", init_values=";
    list(d.inits, '(', ')');
  }
  attrs(d.attrs, false, true);
  out += "):";
  newline();
  body(d.body, indent + 1, d.result_vars);
}

void Printer::while_loop(StmtId id, int indent) {
  const WhileData d = store_.while_data(id);
  indentation(indent);
  if (d.iter_args.empty()) {
    out += "while ";
    expr(d.cond);
    out += ':';
    newline();
    body(d.body, indent + 1, {});
    return;
  }
  out += "for (";
  for (std::uint32_t i = 0; i < d.iter_args.count; ++i) {
    if (i != 0) out += ", ";
    out += var_name(store_.at<VarId>(d.iter_args, i));
  }
  out += d.iter_args.count == 1 ? ",)" : ")";
  out += " in pl.while_(init_values=";
  list(d.inits, '(', ')');
  out += "):";
  newline();
  comments(d.cond_comments, indent + 1);
  indentation(indent + 1);
  out += "pl.cond(";
  expr(d.cond);
  out += ')';
  newline();
  if (!d.body.empty()) body(d.body, indent + 1, d.result_vars);
}

void Printer::scope(StmtId id, int indent, Range yield_vars, bool last) {
  const ScopeData d = store_.scope_data(id);
  indentation(indent);
  if (d.kind == ScopeKind::Runtime) {
    out += d.manual ? "with pl.scope(mode=pl.ScopeMode.MANUAL):" : "with pl.scope():";
    newline();
    // A trailing yield inside is still that of the loop or branch around the scope.
    body(d.body, indent + 1, last ? yield_vars : Range{});
    return;
  }
  if (d.loop_var.valid()) {
    out += "for " + var_name(d.loop_var) + " in ";
  } else {
    out += "with ";
  }
  expr(d.header);
  if (d.as_var.valid()) out += " as " + var_name(d.as_var);
  out += ':';
  newline();
  body(d.body, indent + 1, {});
}

}  // namespace depscope::ir
