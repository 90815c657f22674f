// Loops (ir-text.md 5.4, 5.5) and the for-forms that are scopes (5.7, 5.8).
#include "function_reader.h"

namespace depscope::ir {
namespace {

/// Splits `i`, `i, (a, b)`, `(a, b)` or `a, b` into the counter and the carried names.
struct LoopTarget {
  SynExprId counter;
  std::vector<SynExprId> carried;
};

}  // namespace

void FunctionReader::read_for(const SynStmt& s) {
  if (tree_.expr(s.e1).kind != SynKind::Call) read_fail(tree_.expr(s.e1).span, "an iterator such as pl.range(4) was expected");
  const std::string name = dotted(tree_.kid_id(s.e1, 0));
  if (name == "pl.while_") return read_while_form(s, s.e1);
  if (name == "pl.spmd") return read_for_scope(s, s.e1, ScopeKind::Spmd);
  if (name == "pl.split_aiv") return read_for_scope(s, s.e1, ScopeKind::SplitAiv);
  ForData d;
  if (name == "pl.range") {
    d.kind = ForKind::Range;
  } else if (name == "pl.parallel") {
    d.kind = ForKind::Parallel;
  } else if (name == "pl.unroll") {
    d.kind = ForKind::Unroll;
  } else if (name == "pl.pipeline") {
    d.kind = ForKind::Pipeline;
  } else {
    read_fail(tree_.expr(s.e1).span,
              "'" + name + "' is not an iterator of the language (pl.range, pl.parallel, pl.unroll, pl.pipeline, pl.while_)");
  }
  const Range comments = take_comments();

  LoopTarget target;
  const SynExpr t = tree_.expr(s.e0);
  if (t.kind == SynKind::Name) {
    target.counter = s.e0;
  } else if (t.kind == SynKind::Tuple && t.kids.count == 2 && tree_.kid(s.e0, 0).kind == SynKind::Name &&
             tree_.kid(s.e0, 1).kind == SynKind::Tuple) {
    target.counter = tree_.kid_id(s.e0, 0);
    const SynExprId carried = tree_.kid_id(s.e0, 1);
    for (std::uint32_t i = 0; i < tree_.kid_count(carried); ++i) target.carried.push_back(tree_.kid_id(carried, i));
  } else {
    read_fail(t.span, "a loop target such as 'i' or 'i, (a, b)' was expected");
  }

  std::vector<ExprId> bounds;
  std::vector<ExprId> inits;
  for (std::uint32_t i = 1; i < tree_.kid_count(s.e1); ++i) {
    const SynExprId arg = tree_.kid_id(s.e1, i);
    if (tree_.expr(arg).kind != SynKind::Keyword) {
      bounds.push_back(expr(arg));
      continue;
    }
    const std::string_view key = store_.text(tree_.expr(arg).name);
    const SynExprId value = tree_.kid_id(arg, 0);
    if (key == "init_values") {
      const SynExpr list = tree_.expr(value);
      if (list.kind == SynKind::Tuple || list.kind == SynKind::List) {
        for (std::uint32_t k = 0; k < list.kids.count; ++k) inits.push_back(expr(tree_.kid_id(value, k)));
      } else {
        inits.push_back(expr(value));
      }
    } else if (key == "stage") {
      d.stage = expr(value);
    } else if (key == "attrs") {
      d.attrs = store_.make_pairs(attribute_pairs(value));
    } else {
      read_fail(tree_.expr(arg).span, "'" + std::string(key) + "=' is not a keyword of " + name);
    }
  }
  if (bounds.empty() || bounds.size() > 3) read_fail(tree_.expr(s.e1).span, name + " takes one to three bounds");
  if (inits.size() != target.carried.size()) {
    read_fail(t.span,
              std::to_string(target.carried.size()) + " carried names for " + std::to_string(inits.size()) + " init_values");
  }
  d.start = bounds.size() > 1 ? bounds[0] : store_.make_int(0);
  d.stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  d.step = bounds.size() > 2 ? bounds[2] : store_.make_int(1);
  d.inits = store_.make_list(inits);

  // Counter and carried names are new variables, visible in the body only.
  std::vector<std::pair<NameId, VarId>> hidden;
  const auto scoped = [&](SynExprId id, TypeId type) {
    const SynExpr n = tree_.expr(id);
    if (n.kind != SynKind::Name || n.op != 0) read_fail(n.span, "a name was expected");
    hidden.emplace_back(n.name, lookup(n.name));
    const VarId v = define_fresh(n.name, type, n.span);
    bind(n.name, v);
    return v;
  };
  const TypeId bound_type = type_of(d.stop);
  const bool int64 = bound_type.valid() && store_.type(bound_type).dtype == DType::Int64;
  d.counter = scoped(target.counter, store_.scalar_type(int64 ? DType::Int64 : DType::Index));
  std::vector<VarId> iter_args;
  for (std::size_t i = 0; i < target.carried.size(); ++i) iter_args.push_back(scoped(target.carried[i], type_of(inits[i])));
  d.iter_args = store_.make_list(iter_args);
  d.body = block(s.body);
  const YieldTargets* found = trailing_targets(d.body);
  std::optional<YieldTargets> targets;
  if (found != nullptr) targets = *found;
  if (!targets && !iter_args.empty()) {
    // The body reassigns the carried names and leaves the yield (or its targets) out: results are NAME_out.
    const StmtId bare = trailing_yield(d.body);
    if (bare.valid() && store_.stmt(bare).b != iter_args.size()) {
      read_fail(s.span, "the loop carries " + std::to_string(iter_args.size()) + " values and yields " +
                            std::to_string(store_.stmt(bare).b));
    }
    targets.emplace();
    std::vector<ExprId> values;
    for (std::size_t i = 0; i < iter_args.size(); ++i) {
      values.push_back(var_expr(iter_args[i], s.span));
      targets->names.push_back(store_.names.intern(std::string(store_.name(iter_args[i])) + "_out"));
      targets->types.push_back(type_of(iter_args[i]));
      targets->spans.push_back(s.span);
    }
    if (!bare.valid()) {
      std::vector<StmtId> body = store_.list<StmtId>(d.body);
      body.push_back(store_.make_yield(values, s.span));
      d.body = store_.make_list(body);
    }
  }
  for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) bind(it->first, it->second);
  if (targets) {
    if (targets->names.size() != iter_args.size()) {
      read_fail(s.span, "the loop carries " + std::to_string(iter_args.size()) + " values and yields " +
                            std::to_string(targets->names.size()));
    }
    for (std::size_t i = 0; i < iter_args.size(); ++i) {
      if (!targets->types[i].valid()) targets->types[i] = store_.var(iter_args[i]).type;
    }
    d.result_vars = store_.make_list(result_vars(*targets));
  }
  emit(store_.make_for(d, s.span, comments));
}

void FunctionReader::read_while(const SynStmt& s) {
  const Range comments = take_comments();
  WhileData d;
  d.cond = expr(s.e0);
  d.body = block(s.body);
  emit(store_.make_while(d, s.span, comments));
}

// for (a, b) in pl.while_(init_values=(a0, b0)): pl.cond(…) …
void FunctionReader::read_while_form(const SynStmt& s, SynExprId call) {
  const Range comments = take_comments();
  WhileData d;
  std::vector<SynExprId> carried;
  if (tree_.expr(s.e0).kind == SynKind::Tuple) {
    for (std::uint32_t i = 0; i < tree_.kid_count(s.e0); ++i) carried.push_back(tree_.kid_id(s.e0, i));
  } else {
    carried.push_back(s.e0);
  }
  std::vector<ExprId> inits;
  for (std::uint32_t i = 1; i < tree_.kid_count(call); ++i) {
    const SynExprId arg = tree_.kid_id(call, i);
    if (tree_.expr(arg).kind != SynKind::Keyword || store_.text(tree_.expr(arg).name) != "init_values") {
      read_fail(tree_.expr(arg).span, "pl.while_ takes init_values= only");
    }
    const SynExprId value = tree_.kid_id(arg, 0);
    const SynExpr list = tree_.expr(value);
    if (list.kind != SynKind::Tuple && list.kind != SynKind::List) read_fail(list.span, "a tuple of start values was expected");
    for (std::uint32_t k = 0; k < list.kids.count; ++k) inits.push_back(expr(tree_.kid_id(value, k)));
  }
  if (inits.size() != carried.size()) {
    read_fail(tree_.expr(s.e0).span,
              std::to_string(carried.size()) + " carried names for " + std::to_string(inits.size()) + " init_values");
  }
  if (inits.empty()) read_fail(s.span, "pl.while_ needs at least one carried value (write 'while cond:' instead)");
  d.inits = store_.make_list(inits);
  std::vector<std::pair<NameId, VarId>> hidden;
  std::vector<VarId> iter_args;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const SynExpr n = tree_.expr(carried[i]);
    if (n.kind != SynKind::Name || n.op != 0) read_fail(n.span, "a name was expected");
    hidden.emplace_back(n.name, lookup(n.name));
    const VarId v = define_fresh(n.name, type_of(inits[i]), n.span);
    bind(n.name, v);
    iter_args.push_back(v);
  }
  d.iter_args = store_.make_list(iter_args);
  if (s.body.empty()) read_fail(s.span, "pl.cond(…) was expected as the first line of the body");
  const SynStmt first = tree_.stmt(tree_.at<SynStmtId>(s.body, 0));
  if (first.kind != SynStmtKind::Expr || !is_call_to(first.e0, "pl.cond") || tree_.kid_count(first.e0) != 2) {
    read_fail(first.span, "pl.cond(…) was expected as the first line of the body");
  }
  d.cond = expr(tree_.kid_id(first.e0, 1));
  std::vector<NameId> cond_comments;
  for (std::uint32_t i = 0; i < first.comments.count; ++i) cond_comments.push_back(tree_.at<NameId>(first.comments, i));
  d.cond_comments = store_.make_list(cond_comments);
  d.body = block(Range{s.body.begin + 1, s.body.count - 1});
  const YieldTargets* found = trailing_targets(d.body);
  std::optional<YieldTargets> targets;
  if (found != nullptr) targets = *found;
  for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) bind(it->first, it->second);
  if (!targets) read_fail(s.span, "the loop carries values but its body ends in no pl.yield_");
  if (targets->names.size() != iter_args.size()) {
    read_fail(s.span, "the loop carries " + std::to_string(iter_args.size()) + " values and yields " +
                          std::to_string(targets->names.size()));
  }
  d.result_vars = store_.make_list(result_vars(*targets));
  emit(store_.make_while(d, s.span, comments));
}

void FunctionReader::read_for_scope(const SynStmt& s, SynExprId call, ScopeKind kind) {
  const Range comments = take_comments();
  ScopeData d;
  d.kind = kind;
  spmd_for_form_ = kind == ScopeKind::Spmd;
  d.header = scope_header(call, kind == ScopeKind::Spmd ? "pl.spmd" : "pl.split_aiv");
  spmd_for_form_ = false;
  const SynExpr n = tree_.expr(s.e0);
  if (n.kind != SynKind::Name || n.op != 0) read_fail(n.span, "a name was expected");
  const VarId before = lookup(n.name);
  d.loop_var = define_fresh(n.name, store_.scalar_type(DType::Index), n.span);
  bind(n.name, d.loop_var);
  d.body = block(s.body);
  bind(n.name, before);
  emit(store_.make_scope(d, s.span, comments));
}

}  // namespace depscope::ir
