// Assignments, launches, yields, returns, ifs and with-blocks (ir-text.md 5).
#include <algorithm>

#include "function_reader.h"

namespace depscope::ir {

void FunctionReader::emit(StmtId stmt) {
  if (!pending_comments_.empty()) {
    Stmt s = store_.stmt(stmt);
    if (s.comments.empty()) {
      s.comments = take_comments();
      // Rows are immutable once made; this one has just been made and nobody else refers to it.
      const auto targets = yield_targets_.find(stmt.value);
      const StmtId again = store_.make_stmt(s);
      if (targets != yield_targets_.end()) {
        YieldTargets moved = std::move(targets->second);
        yield_targets_.erase(targets);
        yield_targets_[again.value] = std::move(moved);
      }
      stmt = again;
    }
  }
  out_.push_back(stmt);
}

Range FunctionReader::take_comments() {
  const Range r = pending_comments_;
  pending_comments_ = {};
  return r;
}

bool FunctionReader::is_call_to(SynExprId id, std::string_view dotted_name) const {
  return id.valid() && tree_.expr(id).kind == SynKind::Call && dotted(tree_.kid_id(id, 0)) == dotted_name;
}

Range FunctionReader::block(Range syntax) {
  std::vector<StmtId> outer;
  outer.swap(out_);
  for (std::uint32_t i = 0; i < syntax.count; ++i) checked_statement(tree_.at<SynStmtId>(syntax, i));
  const Range r = store_.make_list(out_);
  out_.swap(outer);
  return r;
}

void FunctionReader::checked_statement(SynStmtId id) {
  if (context_.full()) return;
  const std::vector<StmtId>::size_type before = out_.size();
  try {
    statement(id);
  } catch (const ReadFailure& failure) {
    context_.report(Severity::Error, failure.offset, failure.message);
    out_.resize(before);
  }
}

void FunctionReader::statement(SynStmtId id) {
  const SynStmt s = tree_.stmt(id);
  if (s.comments.count != 0 || !docstring_.empty()) {
    std::vector<NameId> comments = store_.list<NameId>(docstring_);
    docstring_ = {};
    for (std::uint32_t i = 0; i < s.comments.count; ++i) comments.push_back(tree_.at<NameId>(s.comments, i));
    pending_comments_ = store_.make_list(comments);
  }
  switch (s.kind) {
    case SynStmtKind::Expr: expression_statement(s); break;
    case SynStmtKind::Assign: assign(s); break;
    case SynStmtKind::Return: {
      std::vector<ExprId> values;
      std::uint32_t count = s.exprs.count;
      if (count == 1 && tree_.expr(tree_.at<SynExprId>(s.exprs, 0)).kind == SynKind::None)
        count = 0;  // `return None` is `return`
      // `return (a, b)` is `return a, b`.
      if (count == 1 && tree_.expr(tree_.at<SynExprId>(s.exprs, 0)).kind == SynKind::Tuple) {
        const SynExprId tuple = tree_.at<SynExprId>(s.exprs, 0);
        for (std::uint32_t i = 0; i < tree_.kid_count(tuple); ++i) values.push_back(expr(tree_.kid_id(tuple, i)));
        count = 0;
      }
      for (std::uint32_t i = 0; i < count; ++i) values.push_back(expr(tree_.at<SynExprId>(s.exprs, i)));
      emit(store_.make_return(values, s.span));
      break;
    }
    case SynStmtKind::If: read_if(s); break;
    case SynStmtKind::For: read_for(s); break;
    case SynStmtKind::While: read_while(s); break;
    case SynStmtKind::With: read_with(s); break;
    case SynStmtKind::Pass: emit(store_.make_stmt({.kind = StmtKind::Pass, .span = s.span})); break;
    case SynStmtKind::Break: emit(store_.make_stmt({.kind = StmtKind::Break, .span = s.span})); break;
    case SynStmtKind::Continue: emit(store_.make_stmt({.kind = StmtKind::Continue, .span = s.span})); break;
    case SynStmtKind::Def:
    case SynStmtKind::Class: read_fail(s.span, "a nested 'def' or 'class' is not part of the language");
    case SynStmtKind::Import: read_fail(s.span, "an import inside a function is not part of the language");
    case SynStmtKind::Other: read_fail(s.span, "this statement is not part of the language");
    case SynStmtKind::Broken: {
      context_.report(Severity::Error, tree_.messages[s.message].offset, tree_.messages[s.message].text);
      break;
    }
  }
  pending_comments_ = {};
}

// ---------------------------------------------------------------- expression statements

void FunctionReader::expression_statement(const SynStmt& s) {
  const SynExpr e = tree_.expr(s.e0);
  if (e.kind == SynKind::Ellipsis) {
    emit(store_.make_stmt({.kind = StmtKind::Ellipsis, .span = s.span}));
    return;
  }
  if (e.kind == SynKind::String) {  // a docstring: its lines are comments of the next statement
    const ExprId text = string_expr(e.span);
    std::string_view rest = store_.text(NameId(store_.expr(text).a));
    std::vector<NameId> lines;
    for (std::uint32_t i = 0; i < pending_comments_.count; ++i) lines.push_back(store_.at<NameId>(pending_comments_, i));
    const std::string copy(rest);
    rest = copy;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; };
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      if (!line.empty()) lines.push_back(store_.names.intern(line));
    }
    const Range kept = store_.make_list(lines);
    docstring_ = kept;
    return;
  }
  if (is_call_to(s.e0, "pl.yield_")) return read_yield(s.e0, SynExprId(), TypeId(), s.span);
  if (is_call_to(s.e0, "pl.static_print") || is_call_to(s.e0, "pl.static_assert")) return;
  if (is_call_to(s.e0, "pl.dump_tag")) {
    for (std::uint32_t i = 1; i < e.kids.count; ++i) {
      const VarId v = store_.as_var(expr(tree_.kid_id(s.e0, i)));
      if (!v.valid()) read_fail(e.span, "pl.dump_tag takes a variable");
      dump_tags_.insert(v.value);
    }
    return;
  }
  if (is_call_to(s.e0, "pl.func_attr")) {
    if (!prologue_) read_fail(e.span, "pl.func_attr is allowed only before the first statement of a function");
    if (e.kids.count != 2) read_fail(e.span, "pl.func_attr takes one dict");
    for (const NamedExpr& p : attribute_pairs(tree_.kid_id(s.e0, 1))) function_->attrs.push_back(p);
    return;
  }
  if (is_call_to(s.e0, "pl.cond")) read_fail(e.span, "pl.cond is allowed only as the first line of a pl.while_ body");
  const ExprId value = expr(s.e0);
  if (store_.expr(value).kind != ExprKind::Call) read_fail(e.span, "this expression has no effect: a call was expected");
  emit(store_.make_eval(value, s.span));
}

// ---------------------------------------------------------------- assignments

void FunctionReader::assign(const SynStmt& s) {
  const SynExpr target = tree_.expr(s.e0);
  if (!s.e2.valid()) read_fail(s.span, "a value was expected: a declaration without one is not part of the language");
  TypeId annotation = s.e1.valid() ? type(s.e1) : TypeId();
  if (is_call_to(s.e2, "pl.yield_")) return read_yield(s.e2, s.e0, annotation, s.span);
  switch (target.kind) {
    case SynKind::Name: {
      if (target.op == 1) read_fail(target.span, "an attribute cannot be assigned");
      const SynExpr value = tree_.expr(s.e2);
      // n = pl.tensor.dim(x, 0) names a dynamic dimension (Orchestration only).
      if (function_ != nullptr && function_->kind == FunctionKind::Orchestration && is_call_to(s.e2, "pl.tensor.dim")) {
        const ExprId call = expr(s.e2);
        const Call c = store_.call(call);
        if (c.args.count == 2) {
          const TypeId t = type_of(store_.at<ExprId>(c.args, 0));
          const auto axis = store_.as_int(store_.at<ExprId>(c.args, 1));
          if (t.valid() && is_tensor_like(store_, t) && axis && *axis >= 0 && *axis < store_.type(t).list.count) {
            const VarId dim = store_.as_var(store_.at<ExprId>(store_.type(t).list, static_cast<std::uint32_t>(*axis)));
            if (dim.valid() && store_.var(dim).dynamic) {
              bind(target.name, dim);
              return;
            }
          }
        }
        return assign_value(target.name, target.span, call, annotation, s.span);
      }
      if (value.kind == SynKind::Tuple) read_fail(value.span, "a tuple of values cannot be assigned to one name");
      return assign_value(target.name, target.span, expr(s.e2), annotation, s.span);
    }
    case SynKind::Subscript: return emit(subscript_assign(s.e0, s.e2, s.span));
    case SynKind::Tuple: return assign_tuple(s, s.e0, s.e2);
    default: read_fail(target.span, "this cannot be assigned");
  }
}

void FunctionReader::assign_value(NameId name, Span name_span, ExprId value, TypeId annotation, Span span) {
  value = with_type(value, annotation);
  TypeId t = annotation;
  const TypeId inferred = type_of(value);
  // An annotation that leaves the memory space of a tile open takes what the value has.
  const bool open = t.valid() && inferred.valid() && store_.type(t).kind == TypeKind::Tile &&
                    store_.type(inferred).kind == TypeKind::Tile && store_.type(t).extras.empty();
  if (!t.valid() || open) t = inferred;
  const VarId var = define(name, t, name_span);
  emit(store_.make_assign(var, value, t, span));
}

// o, t = pl.submit(…)  and  a, b = self.f(x)
void FunctionReader::assign_tuple(const SynStmt& s, SynExprId target, SynExprId value) {
  std::vector<SynExprId> names;
  std::vector<SynExprId> open;
  const auto flatten = [&](auto&& self, SynExprId id, int depth) -> void {
    const SynExpr e = tree_.expr(id);
    if (e.kind == SynKind::Name && e.op == 0) {
      names.push_back(id);
      return;
    }
    if (e.kind != SynKind::Tuple && e.kind != SynKind::List) read_fail(e.span, "a name was expected");
    if (depth > 1) read_fail(e.span, "tuple targets nest at most once");
    for (std::uint32_t i = 0; i < e.kids.count; ++i) self(self, tree_.kid_id(id, i), depth + 1);
  };
  flatten(flatten, target, 0);
  const ExprId call = expr(value);
  if (store_.expr(call).kind != ExprKind::Call)
    read_fail(tree_.expr(value).span, "only the results of a call can be assigned to several names");
  const CallForm form = store_.call(call).form;
  const TypeId t = type_of(call);
  const bool known =
      form == CallForm::Function || form == CallForm::Submit || (t.valid() && store_.type(t).kind != TypeKind::Unknown);
  const bool tuple_type = t.valid() && store_.type(t).kind == TypeKind::Tuple;
  const std::uint32_t count = tuple_type ? store_.type(t).list.count : (t.valid() ? 1 : 0);
  if (known && (!tuple_type || names.size() != count)) {
    const std::string callee(store_.callee(call));
    read_fail(tree_.expr(target).span, names.size() == count ? "the result of '" + callee + "' is no tuple"
                                                             : std::to_string(names.size()) + " names for " +
                                                                   std::to_string(count) + " results of '" + callee + "'");
  }
  const NameId temporary = store_.names.intern(form == CallForm::Submit ? "_submit_tmp" : "_tuple_tmp");
  const VarId tuple = define_fresh(temporary, t, s.span);
  emit(store_.make_assign(tuple, call, t, s.span));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SynExpr n = tree_.expr(names[i]);
    const TypeId item = t.valid() && store_.type(t).kind == TypeKind::Tuple && i < store_.type(t).list.count
                            ? store_.at<TypeId>(store_.type(t).list, static_cast<std::uint32_t>(i))
                            : TypeId();
    const ExprId get = store_.make_tuple_get(var_expr(tuple, s.span), static_cast<std::uint32_t>(i), item, s.span);
    const VarId var = define(n.name, item, n.span);
    emit(store_.make_assign(var, get, item, s.span));
  }
}

// ---------------------------------------------------------------- yields

void FunctionReader::read_yield(SynExprId call, SynExprId targets, TypeId annotation, Span span) {
  const SynExpr e = tree_.expr(call);
  std::vector<ExprId> values;
  for (std::uint32_t i = 1; i < e.kids.count; ++i) {
    if (tree_.kid(call, i).kind == SynKind::Keyword) read_fail(tree_.kid(call, i).span, "pl.yield_ takes no keyword arguments");
    values.push_back(expr(tree_.kid_id(call, i)));
  }
  if (values.size() == 1 && store_.expr(values[0]).kind == ExprKind::Tuple) values = children(store_, values[0]);
  YieldTargets t;
  if (targets.valid()) {
    const SynExpr list = tree_.expr(targets);
    std::vector<SynExprId> names;
    if (list.kind == SynKind::Tuple) {
      for (std::uint32_t i = 0; i < list.kids.count; ++i) names.push_back(tree_.kid_id(targets, i));
    } else {
      names.push_back(targets);
    }
    if (names.size() != values.size()) {
      read_fail(list.span, std::to_string(names.size()) + " names for " + std::to_string(values.size()) + " yielded values");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const SynExpr n = tree_.expr(names[i]);
      if (n.kind != SynKind::Name || n.op != 0) read_fail(n.span, "a name was expected");
      t.names.push_back(n.name);
      t.types.push_back(annotation.valid() ? annotation : type_of(values[i]));
      t.spans.push_back(n.span);
    }
  }
  const StmtId stmt = store_.make_yield(values, span);
  t.at = span;
  yield_targets_[stmt.value] = std::move(t);
  emit(stmt);
}

// The last yield of a body, looking through runtime scopes (5.4).
StmtId FunctionReader::trailing_yield(Range body) const {
  while (!body.empty()) {
    const StmtId last = store_.at<StmtId>(body, body.count - 1);
    const Stmt& s = store_.stmt(last);
    if (s.kind == StmtKind::Yield) return last;
    if (s.kind != StmtKind::Scope || store_.scope_data(last).kind != ScopeKind::Runtime) return {};
    body = store_.scope_data(last).body;
  }
  return {};
}

/// The names that yield binds; null without any.
FunctionReader::YieldTargets* FunctionReader::trailing_targets(Range body) {
  const auto it = yield_targets_.find(trailing_yield(body).value);
  if (it == yield_targets_.end() || it->second.names.empty()) return nullptr;
  it->second.used = true;
  return &it->second;
}

// Targets of a yield that ends no loop and no branch would be lost.
void FunctionReader::report_lost_targets() {
  std::vector<std::uint32_t> lost;
  for (const auto& [stmt, targets] : yield_targets_) {
    if (!targets.used && !targets.names.empty()) lost.push_back(targets.at.begin);
  }
  std::sort(lost.begin(), lost.end());
  for (const std::uint32_t offset : lost) {
    context_.report(Severity::Error, offset, "pl.yield_ with targets must be the last statement of a loop or of a branch");
  }
}

std::vector<VarId> FunctionReader::result_vars(const YieldTargets& targets) {
  std::vector<VarId> out;
  for (std::size_t i = 0; i < targets.names.size(); ++i) {
    const VarId v = define_fresh(targets.names[i], targets.types[i], targets.spans[i]);
    bind(targets.names[i], v);
    out.push_back(v);
  }
  return out;
}

// ---------------------------------------------------------------- if and with

void FunctionReader::read_if(const SynStmt& s) {
  const Range comments = take_comments();
  IfData d;
  d.cond = expr(s.e0);
  d.then_body = block(s.body);
  d.has_else = s.has_else;
  if (s.has_else) d.else_body = block(s.orelse);
  // Targets may be named by either branch: an `elif` with yields leaves the outer else without one.
  const YieldTargets* targets = trailing_targets(d.then_body);
  const YieldTargets* other = s.has_else ? trailing_targets(d.else_body) : nullptr;
  if (targets == nullptr) std::swap(targets, other);
  if (targets != nullptr) {
    const YieldTargets copy = *targets;
    if (other != nullptr && other->names.size() != copy.names.size()) {
      read_fail(s.span, "the branches yield " + std::to_string(copy.names.size()) + " and " +
                            std::to_string(other->names.size()) + " values");
    }
    if (other != nullptr && other->names != copy.names)
      read_fail(s.span, "both branches must yield to the same names in the same order");
    d.result_vars = store_.make_list(result_vars(copy));
  }
  const StmtId stmt = store_.make_if(d, s.span, comments);
  emit(stmt);
}

void FunctionReader::read_runtime_scope(const SynStmt& s, bool manual) {
  const Range comments = take_comments();
  if (s.e1.valid()) read_fail(s.span, "a runtime scope binds no name");
  if (manual_depth_ > 0) {
    read_fail(s.whole, manual ? "MANUAL scope inside a MANUAL scope: user scopes of this mode do not nest"
                              : "AUTO scope inside a MANUAL scope: end the MANUAL scope first");
  }
  ScopeData d;
  d.kind = ScopeKind::Runtime;
  d.manual = manual;
  if (manual) ++manual_depth_;
  d.body = block(s.body);
  if (manual) --manual_depth_;
  emit(store_.make_scope(d, s.span, comments));
}

void FunctionReader::read_with(const SynStmt& s) {
  if (!s.exprs.empty()) read_fail(s.span, "one item was expected after 'with'");
  const SynExpr e = tree_.expr(s.e0);
  if (e.kind != SynKind::Call) read_fail(e.span, "a scope such as pl.scope() was expected after 'with'");
  const std::string name = dotted(tree_.kid_id(s.e0, 0));
  if (name == "pl.manual_scope") return read_runtime_scope(s, true);
  if (name == "pl.scope") {
    bool manual = false;
    for (std::uint32_t i = 1; i < e.kids.count; ++i) {
      const SynExprId arg = tree_.kid_id(s.e0, i);
      const SynExprId value = tree_.expr(arg).kind == SynKind::Keyword ? tree_.kid_id(arg, 0) : arg;
      const std::string mode = dotted(value);
      if (mode != "pl.ScopeMode.MANUAL" && mode != "pl.ScopeMode.AUTO")
        read_fail(tree_.expr(arg).span, "pl.ScopeMode.AUTO or pl.ScopeMode.MANUAL was expected");
      manual = mode == "pl.ScopeMode.MANUAL";
    }
    return read_runtime_scope(s, manual);
  }
  const Range comments = take_comments();
  ScopeData d;
  d.kind = name == "pl.at"        ? ScopeKind::At
           : name == "pl.cluster" ? ScopeKind::Cluster
           : name == "pl.spmd"    ? ScopeKind::Spmd
                                  : ScopeKind::Other;
  if (d.kind == ScopeKind::Other && !name.starts_with("pl.") && !name.starts_with("pld.")) {
    read_fail(e.span, "'" + name + "' is not a scope of the language");
  }
  d.header = scope_header(s.e0, name);
  if (s.e1.valid()) {
    const SynExpr as = tree_.expr(s.e1);
    if (as.kind != SynKind::Name || as.op != 0) read_fail(as.span, "a name was expected after 'as'");
    d.as_var = define(as.name, store_.scalar_type(DType::TaskId), as.span);
  }
  d.body = block(s.body);
  emit(store_.make_scope(d, s.span, comments));
}

// Keywords of a region header stay as they are written; only its values are read.
ExprId FunctionReader::scope_header(SynExprId call, const std::string& name) {
  const SynExpr e = tree_.expr(call);
  Call c;
  c.form = CallForm::Op;
  c.callee = store_.names.intern(name.starts_with("pl.") ? std::string_view(name).substr(3) : std::string_view(name));
  std::vector<ExprId> args;
  std::vector<NamedExpr> kwargs;
  for (std::uint32_t i = 1; i < e.kids.count; ++i) {
    const SynExprId arg = tree_.kid_id(call, i);
    if (tree_.expr(arg).kind == SynKind::Keyword) {
      const NameId key = tree_.expr(arg).name;
      ExprId value = attribute_value(tree_.kid_id(arg, 0));
      // The hint names the region's kernel; the launch around a for-form carries it with a suffix (ir-text E8).
      if (name == "pl.spmd" && store_.text(key) == "name_hint" && spmd_for_form_ && store_.expr(value).kind == ExprKind::Str) {
        const std::string hint(store_.text(NameId(store_.expr(value).a)));
        if (!hint.ends_with("_spmd")) value = store_.make_str(hint + "_spmd");
      }
      kwargs.push_back({key, value});
    } else {
      args.push_back(expr(arg));
    }
  }
  c.args = store_.make_list(args);
  c.kwargs = store_.make_pairs(kwargs);
  return store_.make_call(c, {}, e.span);
}

}  // namespace depscope::ir
