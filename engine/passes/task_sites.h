// Task sites: the calls and submits that launch a task (passes.md 0.1), and edits of their attributes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"

namespace depscope::pass {

// Attributes that cross pass borders (passes.md 0.2).
inline constexpr std::string_view kArgDirections = "arg_directions";
inline constexpr std::string_view kArgDirectionOverrides = "arg_direction_overrides";
inline constexpr std::string_view kManualDepEdges = "manual_dep_edges";
inline constexpr std::string_view kCompilerEdges = "compiler_manual_dep_edges";
inline constexpr std::string_view kCallMarker = "__compiler_auto_manual_scope_candidate";
inline constexpr std::string_view kFunctionMarker = "__compiler_auto_manual_layer_candidate";
inline constexpr std::string_view kNoDepCandidates = "__auto_no_dep_candidate_indices";
inline constexpr std::string_view kOutputExistingCandidates = "__auto_output_existing_candidate_indices";

/// Functions of one program by name. The program must outlive it and keep its function list.
class FunctionTable {
 public:
  explicit FunctionTable(const ir::Program& program);
  [[nodiscard]] const ir::Function* find(NameId name) const;
  /// Index into Program::functions, nullopt if there is no such function.
  [[nodiscard]] std::optional<std::uint32_t> index(NameId name) const;

 private:
  const std::vector<ir::Function>* functions_;
  std::unordered_map<NameId, std::uint32_t> by_name_;
};

/// True for operations that launch nothing: tile.*, tensor.*, system.*, array.* and pld.system.get_comm_ctx.
[[nodiscard]] bool is_builtin(const ir::NodeStore& store, const ir::Call& call);
/// The value of an Assign or Eval statement, none for others.
[[nodiscard]] ir::ExprId statement_value(const ir::NodeStore& store, ir::StmtId stmt);
/// The task call that an Assign or Eval statement holds, or none.
[[nodiscard]] ir::ExprId task_call(const ir::NodeStore& store, ir::StmtId stmt);
/// The target of an Assign, none for other statements.
[[nodiscard]] ir::VarId statement_target(const ir::NodeStore& store, ir::StmtId stmt);
/// Type of a statement's target: the type from here on, else the variable's.
[[nodiscard]] ir::TypeId target_type(const ir::NodeStore& store, ir::StmtId stmt);
/// Type of a value; a variable's own type where the expression has none.
[[nodiscard]] ir::TypeId value_type(const ir::NodeStore& store, ir::ExprId value);

/// Which parameter argument `arg` stands for. Submits may leave out runtime-allocated outputs before a trailing run of
/// communication contexts (ir-text 7).
class ParameterMap {
 public:
  ParameterMap(const ir::NodeStore& store, const ir::Call& call, const ir::Function& callee);
  /// False when the argument count does not fit: plain call with another count, submit with too many.
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::uint32_t parameter(std::uint32_t arg) const { return arg < split_ ? arg : arg + gap_; }
  /// The argument given for a parameter, nullopt if the runtime allocates it.
  [[nodiscard]] std::optional<std::uint32_t> argument(std::uint32_t parameter) const;

 private:
  std::uint32_t split_ = 0;
  std::uint32_t gap_ = 0;
  bool fits_ = true;
};

/// arg_directions of a call; empty if the attribute is missing. Unknown names read as None.
[[nodiscard]] std::vector<ArgDirection> read_directions(const ir::NodeStore& store, const ir::Call& call);
/// True if the call has the attribute at all (an empty list counts).
[[nodiscard]] bool has_directions(const ir::NodeStore& store, const ir::Call& call);
/// Variables of a list-valued attribute, in order; entries that are no variables are left out.
[[nodiscard]] std::vector<ir::VarId> read_var_list(const ir::NodeStore& store, ir::ExprId list);
/// User edges: `deps`, then the entries of the older attribute spelling manual_dep_edges.
[[nodiscard]] std::vector<ir::VarId> user_edges(const ir::NodeStore& store, const ir::Call& call);

/// A changed copy of an attribute list.
class AttrEdit {
 public:
  AttrEdit(const ir::NodeStore& store, ir::PairRange attrs) : pairs_(store.pairs(attrs)) {}
  /// Replaces in place, or appends.
  void set(ir::NodeStore& store, std::string_view key, ir::ExprId value);
  /// Replaces in place, or inserts where a printer expects arg_directions: first, after dump_vars.
  void set_directions(ir::NodeStore& store, ir::ExprId value);
  void remove(const ir::NodeStore& store, std::string_view key);
  [[nodiscard]] bool changed() const { return changed_; }
  [[nodiscard]] ir::PairRange make(ir::NodeStore& store) const { return store.make_pairs(pairs_); }

 private:
  std::vector<ir::NamedExpr> pairs_;
  bool changed_ = false;
};

/// Shared nodes of the direction names, so that 5,000 sites do not make 10,000 of them.
class DirectionNodes {
 public:
  ir::ExprId list(ir::NodeStore& store, const std::vector<ArgDirection>& directions);

 private:
  std::array<ir::ExprId, 7> nodes_{};
};

/// The same statement with its call replaced (Assign or Eval).
[[nodiscard]] ir::StmtId with_call(ir::NodeStore& store, ir::StmtId stmt, const ir::Call& call);

using StatementMap = std::unordered_map<ir::StmtId, ir::StmtId>;
/// The body with statements replaced; unchanged lists and compound statements are shared.
[[nodiscard]] Range replace_statements(ir::NodeStore& store, Range body, const StatementMap& replacements);
/// The compound statement with other bodies (then and else; loops and scopes use the first); the same id if nothing differs.
[[nodiscard]] ir::StmtId with_bodies(ir::NodeStore& store, ir::StmtId stmt, Range first, Range second);
/// Bodies of a compound statement; empty ranges for others.
[[nodiscard]] std::pair<Range, Range> bodies(const ir::NodeStore& store, ir::StmtId stmt);

/// The last statement of `body` if it is a Yield, else none. Runtime scopes are not entered (see trailing_yield.h for that).
[[nodiscard]] ir::StmtId direct_yield(const ir::NodeStore& store, Range body);

/// Constant number of iterations, nullopt if a bound or the step is not constant or the step is 0.
[[nodiscard]] std::optional<std::int64_t> trip_count(const ir::NodeStore& store, const ir::ForData& loop);

}  // namespace depscope::pass
