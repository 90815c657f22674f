// ConvertToSSA (passes.md, section 2): every variable assigned once, carried and merged values explicit.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "depscope/pass/pass.h"
#include "not_modelled.h"
#include "ssa_converter.h"
#include "ssa_names.h"
#include "trailing_yield.h"

namespace depscope::pass {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::Function;
using ir::IfData;
using ir::NodeStore;
using ir::Param;
using ir::Program;
using ir::ScopeData;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;

std::vector<SsaConverter::Change> SsaConverter::changes_since(std::size_t mark) const {
  std::vector<Change> out;
  std::unordered_map<VarId, VarId> before;
  for (std::size_t i = mark; i < trail_.size(); ++i) {
    const VarId source = trail_[i].source;
    if (before.emplace(source, trail_[i].before).second) out.emplace_back(source, VarId());
  }
  std::erase_if(out, [&](Change& change) {
    change.second = current_[change.first.value];
    return change.second == before[change.first];
  });
  return out;
}

VarId SsaConverter::make_version(VarId source, std::string_view role, TypeId type) {
  const std::string name = versioned_name(base_name(store_.name(source)), role, versions_[source.value]++);
  return store_.make_var(store_.names.intern(name), type, store_.var(source).span);
}

/// A variable of an explicit loop form keeps its name; it is a new variable only where the same source variable has another
/// definition (the body of an unrolled loop, a result named like an earlier variable).
VarId SsaConverter::keep_name(VarId source) {
  const ir::Var v = store_.var(source);
  const TypeId mapped = type(v.type);
  const bool first = kept_[source.value] == 0 && versions_[source.value] == 0 && mapped == v.type;
  kept_[source.value] = 1;
  return first ? source : store_.make_var(v.name, mapped, v.span);
}

/// The type of a new version: the value's where it is a variable, a shaped value or a tuple, else the declared one. A MemRef
/// that only the declared type has is kept.
TypeId SsaConverter::assigned_type(VarId target, TypeId declared, ExprId value) {
  const TypeId left = type(declared.valid() ? declared : store_.var(target).type);
  const Expr e = store_.expr(value);
  if (!e.type.valid() || store_.type(e.type).kind == TypeKind::Unknown) return left;
  const Type right = store_.type(e.type);
  const bool shaped = right.kind == TypeKind::Tensor || right.kind == TypeKind::DistributedTensor || right.kind == TypeKind::Tile;
  if (e.kind != ExprKind::Var && !shaped && right.kind != TypeKind::Tuple) return left;
  if (!left.valid() || !shaped) return e.type;
  if (type_memref(store_, e.type).valid()) return e.type;
  ExprId memref = type_memref(store_, left);
  if (!memref.valid()) memref = type_memref(store_, type(store_.var(target).type));
  if (!memref.valid()) return e.type;
  Type with = right;
  std::vector<ExprId> extras = store_.list<ExprId>(right.extras);
  // Tensors print the view before the MemRef, tiles the MemRef first.
  extras.insert(right.kind == TypeKind::Tile ? extras.begin() : extras.end(), memref);
  with.extras = store_.make_list(extras);
  return store_.intern_type(with);
}

Function SsaConverter::run(FunctionIndex index) {
  const Function& function = program_.functions[index];
  function_ = &function;
  index_ = index;
  const EscapingVariables escaping(store_, function);
  escaping_ = &escaping;
  trail_.clear();
  variables_of_type_.clear();
  Function out = function;
  for (Param& p : out.params) {
    const VarId source = p.var;
    p.var = make_version(source, "ssa", store_.var(source).type);
    set(source, p.var);
  }
  for (Param& p : out.params) {  // dimensions may name parameters that come later
    p.type = type(p.type);
    store_.set_var_type(p.var, type(store_.var(p.var).type));
  }
  for (TypeId& t : out.return_types) t = type(t);
  for (ir::NamedExpr& attr : out.attrs) attr.value = expr(attr.value);
  out.body = store_.make_list(body(function.body));
  roll_back(0);
  return out;
}

std::vector<StmtId> SsaConverter::body(Range body) {
  std::vector<StmtId> out;
  out.reserve(body.count);
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId now = statement(store_.at<StmtId>(body, i), out);
    out.push_back(now);
  }
  return out;
}

StmtId SsaConverter::statement(StmtId id, std::vector<StmtId>& out) {
  Stmt s = store_.stmt(id);
  switch (s.kind) {
    case StmtKind::Assign: return assign(s);
    case StmtKind::Eval: {
      const ExprId value = expr(ExprId(s.a));
      return value.value == s.a ? id : store_.make_eval(value, s.span, s.comments);
    }
    case StmtKind::Return:
    case StmtKind::Yield: {
      const Range values = exprs(Range{s.a, s.b});
      if (values == Range{s.a, s.b}) return id;
      s.a = values.begin;
      s.b = values.count;
      return store_.make_stmt(s);
    }
    case StmtKind::If: return if_statement(id);
    case StmtKind::For: return for_statement(id, out);
    case StmtKind::While: return while_statement(id, out);
    case StmtKind::Scope: return scope(id);
    default: return id;
  }
}

StmtId SsaConverter::assign(const Stmt& s) {
  const VarId source(s.a);
  const ExprId value = expr(ExprId(s.b));
  const TypeId new_type = assigned_type(source, s.type, value);
  const std::uint32_t versions_before = versions_[source.value];
  const VarId version = make_version(source, "ssa", new_type);
  set(source, version, versions_before);
  return store_.make_assign(version, value, new_type, s.span, s.comments);
}

StmtId SsaConverter::if_statement(StmtId id) {
  const Stmt s = store_.stmt(id);
  const IfData old = store_.if_data(id);
  IfData d = old;
  d.cond = expr(old.cond);
  const std::size_t mark = trail_.size();
  std::vector<StmtId> then_body = body(old.then_body);
  const std::vector<Change> then_changes = changes_since(mark);
  roll_back(mark);
  std::vector<StmtId> else_body = body(old.else_body);
  const std::vector<Change> else_changes = changes_since(mark);
  roll_back(mark);

  // Versions at the end of each branch; a variable is merged if it was defined before, or if both branches define it.
  std::unordered_map<VarId, std::pair<VarId, VarId>> ends;
  for (const auto& [source, version] : then_changes) ends[source] = {version, lookup(source)};
  for (const auto& [source, version] : else_changes) {
    ends.try_emplace(source, lookup(source), lookup(source)).first->second.second = version;
  }
  std::vector<VarId> merged;
  for (const auto& [source, versions] : ends) {
    if (versions.first.valid() && versions.second.valid() && !is_unshadowed(source)) merged.push_back(source);
  }
  std::sort(merged.begin(), merged.end(), [&](VarId a, VarId b) { return by_name(a, b); });

  std::vector<VarId> results;
  std::vector<ExprId> then_values;
  std::vector<ExprId> else_values;
  for (const VarId source : merged) {
    const auto [then_end, else_end] = ends[source];
    results.push_back(make_version(source, "phi", store_.var(then_end).type));
    then_values.push_back(store_.make_var_ref(then_end));
    else_values.push_back(store_.make_var_ref(else_end));
  }
  for (std::size_t i = 0; i < merged.size(); ++i) set(merged[i], results[i]);
  for (const VarId source : store_.list<VarId>(old.result_vars)) {
    const VarId result = make_version(source, "rv", type(store_.var(source).type));
    results.push_back(result);
    set(source, result);
  }
  if (!merged.empty()) {
    extend_yield(store_, then_body, then_values, true);
    extend_yield(store_, else_body, else_values, true);
    d.has_else = true;
    if (!old.result_vars.empty()) {
      sink_.notice(
          {index_, "explicit_yield_lost",
           fmt::format("this if yields a value and also assigns '{}' anew: the observed compiler loses the yielded value "
                       "and works on with a malformed program",
                       store_.name(merged.front())),
           id});
      if (profile_ == Profile::Upstream202608) d.lost_results = old.result_vars.count;
    }
  }
  d.then_body = store_.make_list(then_body);
  d.else_body = store_.make_list(else_body);
  d.result_vars = store_.make_list(results);
  return store_.make_if(d, s.span, s.comments);
}

StmtId SsaConverter::scope(StmtId id) {
  const Stmt s = store_.stmt(id);
  const ScopeData old = store_.scope_data(id);
  ScopeData d = old;
  d.header = expr(old.header);
  d.attrs = pairs(old.attrs);
  for (VarId* captured : {&d.as_var, &d.loop_var}) {
    if (!captured->valid()) continue;
    const VarId source = *captured;
    *captured = make_version(source, "ssa", type(store_.var(source).type));
    set(source, *captured);
  }
  d.body = store_.make_list(body(old.body));
  return store_.make_scope(d, s.span, s.comments);
}

namespace {

/// A declaration only: the body is `...` and no external source has it. Its parameters keep their names.
bool is_abstract(const NodeStore& store, const Function& function) {
  return function.body.count == 1 && function.external_source.value == 0 &&
         store.stmt(store.at<StmtId>(function.body, 0)).kind == StmtKind::Ellipsis;
}

class ConvertToSSAPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "ConvertToSSA"; }
  [[nodiscard]] PropertySet produced() const override { return static_cast<PropertySet>(Property::SSAForm); }
  [[nodiscard]] PropertySet invalidated() const override { return static_cast<PropertySet>(Property::NormalizedStmtStructure); }

  [[nodiscard]] Program run(const Program& program, const Options& options, DecisionSink& sink) const override {
    Program out = program;
    SsaConverter converter(program, options.profile, sink);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (is_abstract(*program.store, program.functions[f])) continue;
      if (!report_not_modelled(program, f, sink)) out.functions[f] = converter.run(f);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> ConvertToSSA() { return std::make_unique<ConvertToSSAPass>(); }

}  // namespace depscope::pass
