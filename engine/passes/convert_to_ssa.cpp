// ConvertToSSA (passes.md, section 2): every variable assigned once, carried and merged values explicit.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/pass/pass.h"
#include "escaping.h"
#include "expr_rewriter.h"
#include "not_modelled.h"
#include "ssa_names.h"
#include "trailing_yield.h"

namespace depscope::pass {
namespace {

using ir::Expr;
using ir::ExprId;
using ir::ExprKind;
using ir::ForData;
using ir::Function;
using ir::IfData;
using ir::NodeStore;
using ir::Param;
using ir::ParamDirection;
using ir::Program;
using ir::ScopeData;
using ir::ScopeKind;
using ir::Stmt;
using ir::StmtId;
using ir::StmtKind;
using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::VarId;
using ir::WhileData;

class SsaConverter final : public ExprRewriter {
 public:
  explicit SsaConverter(NodeStore& store)
      : ExprRewriter(store), current_(store.var_count()), versions_(store.var_count(), 0),
        kept_(store.var_count(), 0), iter_arg_(store.var_count(), 0) {}

  Function run(const Function& function);

 protected:
  ExprId var(ExprId reference, VarId variable) override {
    const VarId now = lookup(variable);
    return !now.valid() || now == variable ? reference : store_.make_var_ref(now, store_.expr(reference).span);
  }

 private:
  /// What one loop carries beside its own iter-args.
  struct Carried {
    std::vector<VarId> variables;  ///< source variables: carried by name, then escaping by name
    std::vector<ExprId> inits;
    std::vector<VarId> iter_args;
    std::vector<VarId> results;
  };
  using Change = std::pair<VarId, VarId>;  ///< source variable, version
  struct Undo {
    VarId source;
    VarId before;
    std::uint32_t versions_before = 0;
  };

  // Variables made by this pass are beyond the tables: they stand for themselves.
  [[nodiscard]] VarId lookup(VarId source) const { return source.value < current_.size() ? current_[source.value] : source; }
  void set(VarId source, VarId version) { set(source, version, versions_[source.value]); }
  void set(VarId source, VarId version, std::uint32_t versions_before) {
    trail_.push_back({source, current_[source.value], versions_before});
    current_[source.value] = version;
  }
  void roll_back(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      const Undo& undo = trail_.back();
      current_[undo.source.value] = undo.before;
      if (is_iter_arg(undo.source)) versions_[undo.source.value] = undo.versions_before;
    }
  }
  /// An explicit iter-arg of a loop around this place. An assignment to its name is a variable of the block it stands in: it is
  /// neither merged nor carried, and behind the block the name means the iter-arg again.
  [[nodiscard]] bool is_iter_arg(VarId source) const { return iter_arg_[source.value] != 0; }
  void mark_iter_args(Range sources, bool inside) {
    for (const VarId source : store_.list<VarId>(sources)) iter_arg_[source.value] = inside ? 1 : 0;
  }
  /// Source variables that changed since the mark, with their version now.
  [[nodiscard]] std::vector<Change> changes_since(std::size_t mark) const;

  VarId make_version(VarId source, std::string_view role, TypeId type);
  VarId keep_name(VarId source);
  [[nodiscard]] TypeId assigned_type(VarId target, TypeId declared, ExprId value);
  [[nodiscard]] bool by_name(VarId a, VarId b) const {
    return store_.name(a) != store_.name(b) ? store_.name(a) < store_.name(b) : a < b;
  }

  std::vector<StmtId> body(Range body);
  StmtId statement(StmtId id);
  StmtId assign(const Stmt& s);
  StmtId if_statement(StmtId id);
  StmtId for_statement(StmtId id);
  StmtId while_statement(StmtId id);
  StmtId scope(StmtId id);
  Carried find_carried(StmtId loop, Range body, Range iter_args, VarId counter);
  void enter(const Carried& carried);
  void leave(const Carried& carried, std::size_t mark, Range old_results, std::vector<VarId>& results);
  std::vector<ExprId> current_values(const std::vector<VarId>& variables);
  void collect_variables();
  [[nodiscard]] ExprId escaping_init(VarId variable);

  std::vector<VarId> current_;            ///< by source VarId; none while it is not defined
  std::vector<std::uint32_t> versions_;   ///< by source VarId: how many versions were made, one counter for all roles
  std::vector<char> kept_;                ///< by source VarId: used once under its own name
  std::vector<char> iter_arg_;            ///< by source VarId: see is_iter_arg
  std::vector<Undo> trail_;               ///< every change of current_ with the value before it
  std::unordered_map<TypeId, std::vector<VarId>> variables_of_type_;  ///< of the function, each list in order of identity
  const EscapingVariables* escaping_ = nullptr;
  const Function* function_ = nullptr;
};

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

Function SsaConverter::run(const Function& function) {
  function_ = &function;
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
  for (std::uint32_t i = 0; i < body.count; ++i) out.push_back(statement(store_.at<StmtId>(body, i)));
  return out;
}

StmtId SsaConverter::statement(StmtId id) {
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
    case StmtKind::For: return for_statement(id);
    case StmtKind::While: return while_statement(id);
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
    if (versions.first.valid() && versions.second.valid() && !is_iter_arg(source)) merged.push_back(source);
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
  }
  d.then_body = store_.make_list(then_body);
  d.else_body = store_.make_list(else_body);
  d.result_vars = store_.make_list(results);
  return store_.make_if(d, s.span, s.comments);
}

void SsaConverter::collect_variables() {
  std::vector<VarId> all = assigned_variables(store_, function_->body);
  for (const Param& p : function_->params) all.push_back(p.var);
  ir::for_each_stmt(store_, function_->body, [&](StmtId id) {
    if (store_.stmt(id).kind == StmtKind::For) {
      const ForData d = store_.for_data(id);
      all.push_back(d.counter);
      for (const VarId v : store_.list<VarId>(d.iter_args)) all.push_back(v);
    } else if (store_.stmt(id).kind == StmtKind::While) {
      for (const VarId v : store_.list<VarId>(store_.while_data(id).iter_args)) all.push_back(v);
    }
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const VarId v : all) variables_of_type_[store_.var(v).type].push_back(v);
}

/// Start value of a variable that is first assigned in the loop: a value of the same type that is already there. It is never
/// read, unless the loop runs zero times.
ExprId SsaConverter::escaping_init(VarId variable) {
  const TypeId wanted = store_.var(variable).type;
  if (wanted.valid() && store_.type(wanted).kind != TypeKind::Unknown) {
    for (const Param& p : function_->params) {
      if (p.direction != ParamDirection::In && p.type == wanted && lookup(p.var).valid()) return store_.make_var_ref(lookup(p.var));
    }
    if (variables_of_type_.empty()) collect_variables();
    for (const VarId source : variables_of_type_[wanted]) {
      if (lookup(source).valid()) return store_.make_var_ref(lookup(source));
    }
  }
  return store_.make_var_ref(make_version(variable, "init", type(wanted)));
}

SsaConverter::Carried SsaConverter::find_carried(StmtId loop, Range body, Range iter_args, VarId counter) {
  Carried out;
  std::vector<VarId> own = store_.list<VarId>(iter_args);
  own.push_back(counter);
  const auto is_own = [&](VarId v) { return is_iter_arg(v) || std::find(own.begin(), own.end(), v) != own.end(); };
  for (const VarId v : assigned_variables(store_, body)) {
    if (lookup(v).valid() && !is_own(v)) out.variables.push_back(v);
  }
  const auto order = [&](VarId a, VarId b) { return by_name(a, b); };
  std::sort(out.variables.begin(), out.variables.end(), order);
  const auto carried = static_cast<std::ptrdiff_t>(out.variables.size());
  if (const std::vector<VarId>* needed = escaping_->of(loop)) {
    for (const VarId v : *needed) {
      if (!lookup(v).valid() && !is_own(v)) out.variables.push_back(v);
    }
    std::sort(out.variables.begin() + carried, out.variables.end(), order);
  }
  for (const VarId v : out.variables) {
    const VarId now = lookup(v);
    out.inits.push_back(now.valid() ? store_.make_var_ref(now) : escaping_init(v));
    const TypeId t = now.valid() ? store_.var(now).type : type(store_.var(v).type);
    out.iter_args.push_back(make_version(v, "iter", t));
    out.results.push_back(make_version(v, "rv", t));
  }
  return out;
}

void SsaConverter::enter(const Carried& carried) {
  for (std::size_t i = 0; i < carried.variables.size(); ++i) set(carried.variables[i], carried.iter_args[i]);
}

void SsaConverter::leave(const Carried& carried, std::size_t mark, Range old_results, std::vector<VarId>& results) {
  roll_back(mark);
  for (const VarId source : store_.list<VarId>(old_results)) {
    results.push_back(keep_name(source));
    set(source, results.back());
  }
  for (std::size_t i = 0; i < carried.variables.size(); ++i) {
    results.push_back(carried.results[i]);
    set(carried.variables[i], carried.results[i]);
  }
}

std::vector<ExprId> SsaConverter::current_values(const std::vector<VarId>& variables) {
  std::vector<ExprId> out;
  out.reserve(variables.size());
  for (const VarId v : variables) out.push_back(store_.make_var_ref(lookup(v)));
  return out;
}

StmtId SsaConverter::for_statement(StmtId id) {
  const Stmt s = store_.stmt(id);
  const ForData old = store_.for_data(id);
  ForData d = old;
  d.start = expr(old.start);
  d.stop = expr(old.stop);
  d.step = expr(old.step);
  d.stage = expr(old.stage);
  d.attrs = pairs(old.attrs);
  std::vector<ExprId> inits;
  for (const ExprId init : store_.list<ExprId>(old.inits)) inits.push_back(expr(init));
  const Carried carried = find_carried(id, old.body, old.iter_args, old.counter);

  const std::size_t mark = trail_.size();
  d.counter = make_version(old.counter, "idx", type(store_.var(old.counter).type));
  set(old.counter, d.counter);
  std::vector<VarId> iter_args;
  for (const VarId source : store_.list<VarId>(old.iter_args)) {
    iter_args.push_back(keep_name(source));
    set(source, iter_args.back());
  }
  mark_iter_args(old.iter_args, true);
  enter(carried);
  std::vector<StmtId> loop_body = body(old.body);
  extend_yield(store_, loop_body, current_values(carried.variables), false);
  std::vector<VarId> results;
  leave(carried, mark, old.result_vars, results);
  mark_iter_args(old.iter_args, false);

  inits.insert(inits.end(), carried.inits.begin(), carried.inits.end());
  iter_args.insert(iter_args.end(), carried.iter_args.begin(), carried.iter_args.end());
  d.inits = store_.make_list(inits);
  d.iter_args = store_.make_list(iter_args);
  d.result_vars = store_.make_list(results);
  d.body = store_.make_list(loop_body);
  return store_.make_for(d, s.span, s.comments);
}

StmtId SsaConverter::while_statement(StmtId id) {
  const Stmt s = store_.stmt(id);
  const WhileData old = store_.while_data(id);
  WhileData d = old;
  std::vector<ExprId> inits;
  for (const ExprId init : store_.list<ExprId>(old.inits)) inits.push_back(expr(init));
  const Carried carried = find_carried(id, old.body, old.iter_args, VarId());

  const std::size_t mark = trail_.size();
  std::vector<VarId> iter_args;
  for (const VarId source : store_.list<VarId>(old.iter_args)) {
    iter_args.push_back(keep_name(source));
    set(source, iter_args.back());
  }
  mark_iter_args(old.iter_args, true);
  enter(carried);
  d.cond = expr(old.cond);
  std::vector<StmtId> loop_body = body(old.body);
  extend_yield(store_, loop_body, current_values(carried.variables), false);
  std::vector<VarId> results;
  leave(carried, mark, old.result_vars, results);
  mark_iter_args(old.iter_args, false);

  inits.insert(inits.end(), carried.inits.begin(), carried.inits.end());
  iter_args.insert(iter_args.end(), carried.iter_args.begin(), carried.iter_args.end());
  d.inits = store_.make_list(inits);
  d.iter_args = store_.make_list(iter_args);
  d.result_vars = store_.make_list(results);
  d.body = store_.make_list(loop_body);
  return store_.make_while(d, s.span, s.comments);
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

/// A declaration only: the body is `...`. Its parameters keep their names.
bool is_abstract(const NodeStore& store, const Function& function) {
  return function.body.count == 1 && store.stmt(store.at<StmtId>(function.body, 0)).kind == StmtKind::Ellipsis;
}

class ConvertToSSAPass final : public Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "ConvertToSSA"; }
  [[nodiscard]] PropertySet produced() const override { return static_cast<PropertySet>(Property::SSAForm); }
  [[nodiscard]] PropertySet invalidated() const override { return static_cast<PropertySet>(Property::NormalizedStmtStructure); }

  [[nodiscard]] Program run(const Program& program, const Options&, DecisionSink& sink) const override {
    Program out = program;
    SsaConverter converter(*program.store);
    for (FunctionIndex f = 0; f < out.functions.size(); ++f) {
      if (is_abstract(*program.store, program.functions[f])) continue;
      if (!report_not_modelled(program, f, sink)) out.functions[f] = converter.run(program.functions[f]);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Pass> ConvertToSSA() { return std::make_unique<ConvertToSSAPass>(); }

}  // namespace depscope::pass
