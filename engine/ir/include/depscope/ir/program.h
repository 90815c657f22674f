// NodeStore (owner of all nodes of one input) and Program (one state of the program, e.g. after one pass).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/nodes.h"

namespace depscope::ir {

struct NamedExpr {
  NameId name;
  ExprId value;
};

/// Owns every node of one input. References returned here are invalidated by making new nodes of the same sort: copy what
/// you need (rows are small) before you build.
class NodeStore {
 public:
  NodeStore();
  NodeStore(const NodeStore&) = delete;
  NodeStore& operator=(const NodeStore&) = delete;

  StringPool names;

  // ---- reading
  [[nodiscard]] const Var& var(VarId id) const { return vars_[id.value]; }
  [[nodiscard]] const Expr& expr(ExprId id) const { return exprs_[id.value]; }
  [[nodiscard]] const Type& type(TypeId id) const { return types_[id.value]; }
  [[nodiscard]] const Stmt& stmt(StmtId id) const { return stmts_[id.value]; }
  [[nodiscard]] const Call& call(ExprId id) const { return calls_[exprs_[id.value].a]; }
  [[nodiscard]] const IfData& if_data(StmtId id) const { return ifs_[stmts_[id.value].a]; }
  [[nodiscard]] const ForData& for_data(StmtId id) const { return fors_[stmts_[id.value].a]; }
  [[nodiscard]] const WhileData& while_data(StmtId id) const { return whiles_[stmts_[id.value].a]; }
  [[nodiscard]] const ScopeData& scope_data(StmtId id) const { return scopes_[stmts_[id.value].a]; }

  [[nodiscard]] std::string_view text(NameId id) const { return names.text(id); }
  [[nodiscard]] std::string_view name(VarId id) const { return names.text(vars_[id.value].name); }
  [[nodiscard]] std::string_view callee(ExprId call_expr) const { return names.text(call(call_expr).callee); }

  /// Views into the pool; invalidated by make_list and by making nodes with children.
  [[nodiscard]] std::uint32_t at(Range range, std::uint32_t i) const { return pool_[range.begin + i]; }
  template <class IdT>
  [[nodiscard]] IdT at(Range range, std::uint32_t i) const {
    return IdT(pool_[range.begin + i]);
  }
  [[nodiscard]] NamedExpr pair(PairRange range, std::uint32_t i) const {
    return {NameId(pool_[range.begin + 2 * i]), ExprId(pool_[range.begin + 2 * i + 1])};
  }
  /// A copy of a list, safe to keep while building.
  template <class IdT>
  [[nodiscard]] std::vector<IdT> list(Range range) const {
    std::vector<IdT> out;
    out.reserve(range.count);
    for (std::uint32_t i = 0; i < range.count; ++i) out.emplace_back(pool_[range.begin + i]);
    return out;
  }
  [[nodiscard]] std::vector<NamedExpr> pairs(PairRange range) const;
  /// The value under `key`, or none.
  [[nodiscard]] ExprId find_pair(PairRange range, std::string_view key) const;

  [[nodiscard]] const VarRun& var_run(ExprId id) const { return var_runs_[exprs_[id.value].a]; }  ///< of a VarRun node
  /// Invalidated by append_to_var_list.
  [[nodiscard]] std::span<const VarId> var_list(std::uint32_t list) const { return var_lists_[list]; }
  [[nodiscard]] VarId run_var(const VarRun& run, std::uint32_t i) const { return var_lists_[run.list][run.first + i]; }
  /// Calls `item(VarId)` for every item of a List that is no run, none where it is no variable, and `run(VarRun)` for every run,
  /// in order. A lone variable counts as a list of one, anything else as an empty list.
  template <class Item, class Run>
  void for_each_listed(ExprId list, Item&& item, Run&& run) const {
    if (!list.valid()) return;
    const Expr e = expr(list);
    if (e.kind == ExprKind::Var) item(VarId(e.a));
    if (e.kind != ExprKind::List) return;
    for (std::uint32_t i = 0; i < e.b; ++i) {
      const ExprId id(pool_[e.a + i]);
      if (expr(id).kind == ExprKind::VarRun) {
        run(VarRun(var_run(id)));
      } else {
        item(as_var(id));
      }
    }
  }
  /// The same with the variables of runs one by one.
  template <class F>
  void for_each_listed_var(ExprId list, F&& f) const {
    for_each_listed(list, f, [&](const VarRun& run) {
      for (std::uint32_t k = 0; k < run.count; ++k) f(run_var(run, k));
    });
  }

  [[nodiscard]] std::int64_t int_value(ExprId id) const;  ///< of an Int node
  [[nodiscard]] double float_value(ExprId id) const;      ///< of a Float node
  [[nodiscard]] bool is_var(ExprId id) const { return id.valid() && expr(id).kind == ExprKind::Var; }
  [[nodiscard]] VarId as_var(ExprId id) const { return is_var(id) ? VarId(expr(id).a) : VarId(); }
  /// The constant of an Int node (or Neg of one), nullopt otherwise.
  [[nodiscard]] std::optional<std::int64_t> as_int(ExprId id) const;
  /// True for a Call node of form Op with this IR name.
  [[nodiscard]] bool is_op(ExprId id, std::string_view op) const;

  // ---- building
  VarId make_var(NameId name, TypeId type, Span span = {}, bool dynamic = false);
  void set_var_type(VarId id, TypeId type) { vars_[id.value].type = type; }     ///< reader only: first inferred type
  void set_var_ref(ExprId ref, VarId var) { exprs_[ref.value].a = var.value; }  ///< reader only: a name that is defined later

  template <class IdT>
  Range make_list(std::span<const IdT> ids) {
    const Range r{static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(ids.size())};
    for (const IdT& id : ids) pool_.push_back(id.value);
    return ids.empty() ? Range{} : r;
  }
  template <class IdT>
  Range make_list(const std::vector<IdT>& ids) {
    return make_list(std::span<const IdT>(ids));
  }
  template <class IdT>
  Range make_list(std::initializer_list<IdT> ids) {
    return make_list(std::span<const IdT>(ids.begin(), ids.size()));
  }
  PairRange make_pairs(std::span<const NamedExpr> pairs);

  ExprId make_expr(const Expr& node);
  ExprId make_var_ref(VarId var, Span span = {});
  ExprId make_int(std::int64_t value, DType dtype = DType::Index, Span span = {});
  ExprId make_float(double value, DType dtype = DType::Fp32, Span span = {});
  ExprId make_bool(bool value, Span span = {});
  ExprId make_str(std::string_view text, bool single_quoted = false, Span span = {});
  ExprId make_name(std::string_view dotted, Span span = {});
  ExprId make_unary(UnaryOp op, ExprId operand, TypeId type, Span span = {});
  ExprId make_binary(BinaryOp op, ExprId left, ExprId right, TypeId type, Span span = {});
  ExprId make_list_expr(std::span<const ExprId> items, Span span = {});
  /// A list that runs point into; it may only grow.
  std::uint32_t make_var_list() {
    var_lists_.emplace_back();
    return static_cast<std::uint32_t>(var_lists_.size()) - 1;
  }
  void append_to_var_list(std::uint32_t list, VarId var) { var_lists_[list].push_back(var); }
  ExprId make_var_run(const VarRun& run, Span span = {});
  /// The items with every run written out as references.
  [[nodiscard]] std::vector<ExprId> expand_runs(std::vector<ExprId> items);
  ExprId make_tuple_get(ExprId tuple, std::uint32_t index, TypeId type, Span span = {});
  ExprId make_call(const Call& call, TypeId type, Span span = {});

  StmtId make_stmt(const Stmt& node);
  StmtId make_assign(VarId target, ExprId value, TypeId type, Span span = {}, Range comments = {});
  StmtId make_eval(ExprId value, Span span = {}, Range comments = {});
  StmtId make_return(std::span<const ExprId> values, Span span = {}, Range comments = {});
  StmtId make_yield(std::span<const ExprId> values, Span span = {}, Range comments = {});
  StmtId make_if(const IfData& data, Span span = {}, Range comments = {});
  StmtId make_for(const ForData& data, Span span = {}, Range comments = {});
  StmtId make_while(const WhileData& data, Span span = {}, Range comments = {});
  StmtId make_scope(const ScopeData& data, Span span = {}, Range comments = {});

  TypeId intern_type(const Type& type);  ///< `list` / `extras` must already be pool ranges
  TypeId unknown_type() const { return unknown_; }
  TypeId scalar_type(DType dtype);
  TypeId tuple_type(std::span<const TypeId> items);
  TypeId array_type(ExprId extent, DType dtype);
  TypeId tensor_type(std::span<const ExprId> shape, DType dtype, std::span<const ExprId> extras = {});

  // ---- counts, for limits and tests
  [[nodiscard]] std::size_t expr_count() const { return exprs_.size(); }
  [[nodiscard]] std::size_t stmt_count() const { return stmts_.size(); }
  [[nodiscard]] std::size_t var_count() const { return vars_.size(); }
  void reserve_for_text(std::size_t bytes);  ///< room for what a text of this size usually gives

 private:
  [[nodiscard]] std::uint64_t type_hash(const Type& type) const;
  [[nodiscard]] bool same_type(const Type& a, const Type& b) const;
  [[nodiscard]] std::uint64_t expr_hash(ExprId id) const;

  std::vector<Var> vars_;
  std::vector<Expr> exprs_;
  std::vector<Type> types_;
  std::vector<Stmt> stmts_;
  std::vector<Call> calls_;
  std::vector<IfData> ifs_;
  std::vector<ForData> fors_;
  std::vector<WhileData> whiles_;
  std::vector<ScopeData> scopes_;
  std::vector<VarRun> var_runs_;
  std::vector<std::vector<VarId>> var_lists_;
  std::vector<std::uint32_t> pool_;
  std::unordered_multimap<std::uint64_t, TypeId> type_index_;
  TypeId unknown_;
  std::array<TypeId, static_cast<std::size_t>(DType::Other) + 1> scalar_types_;
};

/// Structural equality of expressions (spans aside); variables must be the same VarId.
[[nodiscard]] bool same_expr(const NodeStore& store, ExprId a, ExprId b);

struct Function {
  NameId name{0};
  FunctionKind kind = FunctionKind::Opaque;
  NameId level{0};  ///< "CHIP", …; empty if not known
  NameId role{0};   ///< "Orchestrator", "SubWorker"; empty if not known
  bool auto_scope = true;
  NameId external_source{0};  ///< empty if none
  bool has_return_annotation = false;
  bool foreign_body = false;  ///< body is one Opaque statement of foreign Python (ir-text 3.6)
  std::vector<Param> params;
  std::vector<TypeId> return_types;  ///< one entry per result
  std::vector<NamedExpr> attrs;      ///< pl.func_attr({…})
  Range body;                        ///< StmtId
  Range comments;
  Span span;  ///< the `def` line
};

/// One state of one program. Cheap to copy: bodies are shared with the store.
struct Program {
  std::shared_ptr<NodeStore> store;
  std::shared_ptr<const SourceFile> source;  ///< the text the spans point into; may be null for built programs
  std::string name = "Program";
  std::vector<VarId> dynamic_dims;
  std::vector<Function> functions;  ///< in source order

  [[nodiscard]] const Function* find(NameId function) const;
  [[nodiscard]] const Function* find(std::string_view function) const;
  /// 1-based line of a statement or expression in `source`, 0 if not known.
  [[nodiscard]] std::uint32_t line(Span span) const { return source ? source->line(span) : 0; }
};

/// The same nodes throughout: the programs are equal. (Programs of other nodes may be equal too.)
[[nodiscard]] bool same_nodes(const Program& a, const Program& b);

// ---------------------------------------------------------------- questions about types

[[nodiscard]] bool is_tensor_like(const NodeStore& store, TypeId type);  ///< Tensor, DistributedTensor (or Tile)
[[nodiscard]] bool is_scalar(const NodeStore& store, TypeId type, DType dtype);
[[nodiscard]] bool is_task_id(const NodeStore& store, TypeId type);        ///< Scalar[TASK_ID]
[[nodiscard]] bool is_task_id_array(const NodeStore& store, TypeId type);  ///< Array[n, TASK_ID]
/// Constant extent of an Array type, nullopt if symbolic.
[[nodiscard]] std::optional<std::int64_t> array_extent(const NodeStore& store, TypeId type);
/// The pl.TensorView(…) / pl.TileView(…) call among the extras, or none.
[[nodiscard]] ExprId type_view(const NodeStore& store, TypeId type);
/// The pl.MemRef(…) expression (Call, or Subscript of one) among the extras, or none.
[[nodiscard]] ExprId type_memref(const NodeStore& store, TypeId type);

// ---------------------------------------------------------------- walking

/// Calls `f(StmtId)` for every statement of a body in program order (pre-order; then before else), loop bodies once.
template <class F>
void for_each_stmt(const NodeStore& store, Range body, F&& f) {
  for (std::uint32_t i = 0; i < body.count; ++i) {
    const StmtId id = store.at<StmtId>(body, i);
    f(id);
    switch (store.stmt(id).kind) {
      case StmtKind::If: {
        const IfData d = store.if_data(id);
        for_each_stmt(store, d.then_body, f);
        for_each_stmt(store, d.else_body, f);
        break;
      }
      case StmtKind::For: for_each_stmt(store, store.for_data(id).body, f); break;
      case StmtKind::While: for_each_stmt(store, store.while_data(id).body, f); break;
      case StmtKind::Scope: for_each_stmt(store, store.scope_data(id).body, f); break;
      default: break;
    }
  }
}

/// Direct child expressions of a node, in evaluation order (call: args, deps, kwargs, attrs).
[[nodiscard]] std::vector<ExprId> children(const NodeStore& store, ExprId id);
/// Expressions a statement holds directly (conditions, bounds, inits, values), not those of nested statements.
[[nodiscard]] std::vector<ExprId> expressions(const NodeStore& store, StmtId id);
/// Rebuilds an expression with every variable reference replaced by `map` (identity where it returns the same id);
/// returns the same ExprId when nothing changed. Variables inside result types are mapped too.
class VarMap {
 public:
  virtual ~VarMap() = default;
  virtual VarId map(VarId var) = 0;
};
[[nodiscard]] ExprId substitute(NodeStore& store, ExprId id, VarMap& map);
[[nodiscard]] TypeId substitute_type(NodeStore& store, TypeId id, VarMap& map);

}  // namespace depscope::ir
