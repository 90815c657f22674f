// Prints nodes as P-text (ir-text.md). Private to engine/ir.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::ir {

class Printer {
 public:
  explicit Printer(const NodeStore& store) : store_(store) {}

  void function(const Function& f, int indent);
  void expr(ExprId id, int parent_level = -1, bool right_side = false);
  void type(TypeId id);
  /// Names of dynamic dimensions that share a spelling get a suffix; call before printing functions.
  void name_dynamic_dims(const std::vector<VarId>& dims);

  std::string out;
  std::vector<std::pair<StmtId, std::uint32_t>> statement_lines;
  std::vector<std::pair<NameId, std::uint32_t>> function_lines;
  std::uint32_t line = 1;     ///< of the next character
  std::uint32_t max_run = 0;  ///< longer runs of variables are printed by their ends only; 0: all are printed
  static constexpr std::uint32_t kRunEnds = 8;

  void newline() {
    out += '\n';
    ++line;
  }
  [[nodiscard]] std::string var_name(VarId var) const;

 private:
  // ---- names (printer.cpp)
  void name_variables(const Function& f);
  void define_in(Range body);
  void define(VarId var);
  void define_yields(Range body, Range result_vars);

  // ---- expressions (printer_expressions.cpp)
  void var(VarId id);
  void int_literal(const Expr& e, bool typed);
  void float_literal(const Expr& e);
  void string_literal(std::string_view text, char quote);
  void call(ExprId id);
  void attrs(PairRange pairs, bool submit, bool comma);
  void kwarg_value(ExprId id, bool op);
  void list(Range items, char open, char close);
  void var_run(const VarRun& run);
  [[nodiscard]] bool all_int_leaves(ExprId id) const;

  // ---- statements (printer_statements.cpp)
  void body(Range stmts, int indent, Range yield_vars);
  void statement(StmtId id, int indent, Range yield_vars, bool last);
  void comments(Range texts, int indent);
  void indentation(int indent) { out.append(static_cast<std::size_t>(indent) * 4, ' '); }
  void assignment_target(VarId var, TypeId type);
  void yield(StmtId id, Range vars);
  void for_loop(StmtId id, int indent);
  void while_loop(StmtId id, int indent);
  void if_statement(StmtId id, int indent);
  void scope(StmtId id, int indent, Range yield_vars, bool last);
  void decorator(const Function& f, int indent);
  void signature(const Function& f, int indent);

  const NodeStore& store_;
  const Function* function_ = nullptr;
  bool in_type_ = false;
  bool typed_ints_ = false;                                 // inside a composite dimension or an all-constant tree
  std::unordered_map<std::uint32_t, std::string> renamed_;  // VarId -> printed name, where it differs
  std::unordered_map<std::uint32_t, std::string> renamed_dims_;
  std::unordered_set<std::uint32_t> defined_;  // VarId
  std::vector<VarId> definition_order_;
};

}  // namespace depscope::ir
