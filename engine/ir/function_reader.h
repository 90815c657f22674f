// Lowers the syntax of one function to typed nodes, sugar of ir-text.md 5.10 included. Split over several files:
// read_types.cpp, read_expressions.cpp, read_literals.cpp, read_calls.cpp, read_sugar.cpp, read_op_types.cpp,
// read_statements.cpp, read_loops.cpp, read_functions.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reader_context.h"

namespace depscope::ir {

class FunctionReader {
 public:
  explicit FunctionReader(ReaderContext& context)
      : context_(context), store_(*context.store), tree_(context.tree), id_(++context.readers) {}

  /// Parameters, types and decorator of a function, without its body. Throws ReadFailure.
  Function read_header(SynStmtId def);
  /// The body of a function whose header was read by this same object. Reports each bad statement and goes on.
  void read_body(SynStmtId def, Function& function);
  /// Lowers a module-level expression; throws ReadFailure when it is not a constant.
  ExprId read_constant(SynExprId id);
  TypeId read_type(SynExprId id);

 private:
  // ---- names (read_expressions.cpp)
  [[nodiscard]] VarId lookup(NameId name) const;
  void bind(NameId name, VarId var);
  VarId define(NameId name, TypeId type, Span span);        ///< same Var for the same name
  VarId define_fresh(NameId name, TypeId type, Span span);  ///< always a new Var; does not bind
  [[nodiscard]] TypeId type_of(VarId var) const;
  void set_type(VarId var, TypeId type);
  ExprId var_expr(VarId var, Span span);
  [[nodiscard]] std::string dotted(SynExprId id) const;  ///< canonical dotted text ("pl.…") of a Name node, "" if not a chain
  [[nodiscard]] std::string canonical(std::string_view text) const;

  // ---- expressions (read_expressions.cpp)
  ExprId expr(SynExprId id);
  ExprId name_expr(SynExprId id);
  ExprId int_expr(Span span);
  ExprId float_expr(Span span);
  ExprId string_expr(Span span);
  ExprId unary_expr(SynExprId id);
  ExprId binary_expr(SynExprId id);
  ExprId list_expr(SynExprId id, ExprKind kind);
  [[nodiscard]] bool is_literal(ExprId id) const;
  [[nodiscard]] double number_of(ExprId id) const;  ///< value of an Int or Float
  ExprId fold(BinaryOp op, ExprId left, ExprId right, Span span);
  TypeId arithmetic_type(BinaryOp op, ExprId left, ExprId right) const;
  [[nodiscard]] TypeId type_of(ExprId id) const { return id.valid() ? store_.expr(id).type : TypeId(); }
  ExprId with_type(ExprId literal, TypeId annotation);

  // ---- types (read_types.cpp)
  TypeId type(SynExprId id);
  TypeId shaped_type(SynExprId id, TypeKind kind, const std::vector<SynExprId>& parts);
  ExprId dimension(SynExprId id);
  VarId invent_dim(NameId name, Span span);
  DType dtype(SynExprId id, NameId& other);

  // ---- calls (read_calls.cpp)
  ExprId call_expr(SynExprId id);
  ExprId function_call(SynExprId id, NameId function);
  ExprId submit_call(SynExprId id, bool spmd);
  ExprId predicate(ExprId id);
  ExprId op_call(SynExprId id, std::string op);
  const Signature& signature(NameId function, Span at) const;
  NameId function_reference(SynExprId id) const;  ///< of self.f or a bare function name; none otherwise
  struct Arguments {
    std::vector<ExprId> args;
    std::vector<NamedExpr> kwargs;
    std::vector<NamedExpr> attrs;
    std::vector<ExprId> deps;
    std::vector<ExprId> no_dep;  ///< argument indices wrapped in pl.no_dep, as Int
    bool has_deps = false;
    Span deps_span = {};
    std::optional<std::vector<std::uint8_t>> dep_flags;  ///< with the attribute: of each entry of `deps`
    Span dep_flags_span = {};
  };
  Arguments arguments(SynExprId call, std::uint32_t first_arg, bool task);
  std::vector<NamedExpr> attribute_pairs(SynExprId dict);
  ExprId attribute_value(SynExprId id);
  ExprId compiler_edges(SynExprId id);
  void bind_forward_edges();
  void add_dumps(Arguments& a, bool submit);
  TypeId launch_type(const Signature& callee, bool submit);
  void check_arguments(const Signature& callee, std::size_t args, bool submit, Span at) const;

  // ---- dependencies (read_dependencies.cpp)
  void read_deps(SynExprId list, Arguments& out);
  ExprId deps_buffer(const std::vector<ExprId>& entries, Span span);
  [[nodiscard]] bool has_dep_flags(SynExprId call, std::uint32_t first_arg) const;
  void read_flagged_deps(SynExprId deps, Arguments& out);
  [[noreturn]] void fail_dep_flags(std::size_t entries, const Arguments& out) const;

  // ---- sugar (read_sugar.cpp)
  std::string resolve_short_op(std::string_view op, Arguments& a, Span at);
  void default_arguments(std::string_view op, Arguments& a);
  ExprId subscript_expr(SynExprId id);
  ExprId tensor_subscript(ExprId base, SynExprId index, Span span);
  StmtId subscript_assign(SynExprId target, SynExprId value, Span span);
  TypeId op_type(std::string_view op, const Arguments& a);
  TypeId slice_type(const Arguments& a, TypeId base);
  struct Window {
    std::vector<ExprId> shape, offset, dropped;
    bool any_slice = false;
  };
  Window window_of(SynExprId index, TypeId tensor, Span at);
  ExprId task_invalid(Span span);
  ExprId make_op(std::string_view op, std::vector<ExprId> args, std::vector<NamedExpr> kwargs, Span span);
  NamedExpr kwarg(std::string_view name, ExprId value) { return {store_.names.intern(name), value}; }

  // ---- statements (read_statements.cpp, read_loops.cpp)
  Range block(Range syntax);
  void statement(SynStmtId id);
  void checked_statement(SynStmtId id);
  void assign(const SynStmt& s);
  void assign_tuple(const SynStmt& s, SynExprId target, SynExprId value);
  void assign_value(NameId name, Span name_span, ExprId value, TypeId annotation, Span span);
  void expression_statement(const SynStmt& s);
  void read_yield(SynExprId call, SynExprId targets, TypeId annotation, Span span);
  void read_if(const SynStmt& s);
  void read_for(const SynStmt& s);
  void read_while(const SynStmt& s);
  void read_while_form(const SynStmt& s, SynExprId call);
  void read_with(const SynStmt& s);
  void read_runtime_scope(const SynStmt& s, bool manual);
  ExprId scope_header(SynExprId call, const std::string& name);
  void foreign_body(const SynStmt& s, Function& function);
  Range read_prologue(Range statements);
  void read_for_scope(const SynStmt& s, SynExprId call, ScopeKind kind);
  void emit(StmtId stmt);
  [[nodiscard]] Range take_comments();
  struct YieldTargets {
    std::vector<NameId> names;
    std::vector<TypeId> types;
    std::vector<Span> spans;
    Span at = {};
    bool used = false;  ///< they are results of a loop or an if
  };
  YieldTargets* trailing_targets(Range body);
  [[nodiscard]] StmtId trailing_yield(Range body) const;
  void report_lost_targets();
  std::vector<VarId> result_vars(const YieldTargets& targets);
  bool is_call_to(SynExprId id, std::string_view dotted_name) const;

  ReaderContext& context_;
  NodeStore& store_;
  const SyntaxTree& tree_;
  const std::uint32_t id_;                                         // marks our entries in ReaderContext::bindings
  std::unordered_map<std::uint32_t, TypeId> current_types_;        // by VarId, where it differs from the Var's own
  std::vector<StmtId> out_;                                        // the block that is being read
  std::unordered_map<std::uint32_t, YieldTargets> yield_targets_;  // by StmtId of the Yield
  std::unordered_set<std::uint32_t> dump_tags_;                    // VarId
  struct ForwardEdge {
    ExprId ref;
    NameId name;
    Span span;
  };
  std::vector<ForwardEdge> forward_edges_;  // compiler edges whose id is defined further down
  Range pending_comments_ = {};
  Range docstring_ = {};  // lines for the first statement of the function
  Function* function_ = nullptr;
  bool module_mode_ = false;
  bool in_dims_ = false;
  bool spmd_for_form_ = false;
  std::uint32_t manual_depth_ = 0;
  std::uint32_t depth_ = 0;        // of expressions and types inside one another, uses of module names included
  std::uint32_t syntax_uses_ = 0;  // nested uses of Syntax bindings
  std::uint32_t expanded_ = 0;     // nodes made for the outermost of them
  bool prologue_ = false;          // before the first statement of a function: pl.func_attr may stand here

  /// Counts nesting and the work that uses of module names cause; fails with the name of the limit that is passed.
  class Nesting {
   public:
    Nesting(FunctionReader& reader, Span at);
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --reader_.depth_; }

   private:
    FunctionReader& reader_;
  };
  /// Lives while the right side of a module name is read in its place.
  class Expansion {
   public:
    explicit Expansion(FunctionReader& reader) : reader_(reader) {
      if (reader_.syntax_uses_++ == 0) reader_.expanded_ = 0;
    }
    Expansion(const Expansion&) = delete;
    Expansion& operator=(const Expansion&) = delete;
    ~Expansion() { --reader_.syntax_uses_; }

   private:
    FunctionReader& reader_;
  };
};

}  // namespace depscope::ir
