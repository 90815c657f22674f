// Small questions about the IR that several files of this part ask. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/pass/decisions.h"

namespace depscope::lower {

// Attributes that cross pass borders (passes.md 0.2, 9.6).
inline constexpr std::string_view kArgDirections = "arg_directions";
inline constexpr std::string_view kManualDepEdges = "manual_dep_edges";
inline constexpr std::string_view kCompilerEdges = "compiler_manual_dep_edges";

/// The value of an Assign or Eval statement, none for others.
[[nodiscard]] ir::ExprId statement_value(const ir::NodeStore& store, ir::StmtId stmt);
/// The call of a task site (passes.md 0.1: a launch, or system.task_dummy) that the statement is, or none.
[[nodiscard]] ir::ExprId site_call(const ir::NodeStore& store, ir::StmtId stmt);
/// True for a plain call or submit of a function.
[[nodiscard]] bool is_launch(const ir::Call& call);
/// User edges in order: deps=, then the older attribute manual_dep_edges. Entries that are no variables stay as none.
[[nodiscard]] std::vector<ir::VarId> user_edges(const ir::NodeStore& store, const ir::Call& call);
/// compiler_manual_dep_edges in order; entries that are no variables stay as none.
[[nodiscard]] std::vector<ir::VarId> compiler_edges(const ir::NodeStore& store, const ir::Call& call);
/// Values that the body yields at its end, looking through runtime scopes; empty if it does not end in a yield.
[[nodiscard]] Range trailing_yield(const ir::NodeStore& store, Range body);
/// Constant number of iterations, nullopt if a bound or the step is not constant or the step is 0.
[[nodiscard]] std::optional<std::int64_t> trip_count(const ir::NodeStore& store, const ir::ForData& loop);
/// arg_directions of a call; empty if the attribute is missing.
[[nodiscard]] std::vector<pass::ArgDirection> read_directions(const ir::NodeStore& store, const ir::Call& call);
/// A keyword argument, or the attribute of the same name (plain calls carry launch options as attributes).
[[nodiscard]] ir::ExprId launch_option(const ir::NodeStore& store, const ir::Call& call, std::string_view key);
[[nodiscard]] bool is_true(const ir::NodeStore& store, ir::ExprId id);  ///< the literal True
/// Calls `f(VarId)` for every variable that the expression refers to, in evaluation order.
template <class F>
void for_each_variable(const ir::NodeStore& store, ir::ExprId id, F&& f) {
  if (!id.valid()) return;
  if (store.is_var(id)) {
    f(store.as_var(id));
    return;
  }
  const ir::ExprKind kind = store.expr(id).kind;
  if (kind == ir::ExprKind::Int || kind == ir::ExprKind::Name) return;
  for (const ir::ExprId child : ir::children(store, id)) for_each_variable(store, child, f);
}

/// Functions of one program by name. The program must outlive it and keep its function list.
class FunctionIndex {
 public:
  explicit FunctionIndex(const ir::Program& program);
  /// Index into Program::functions, nullopt if there is no such function.
  [[nodiscard]] std::optional<std::uint32_t> find(NameId name) const;

 private:
  std::unordered_map<NameId, std::uint32_t> by_name_;
};

/// Which parameter an argument stands for. A submit may leave out runtime-allocated outputs; they sit before a trailing run of
/// communication contexts (ir-text.md 7).
class ParameterMap {
 public:
  ParameterMap(const ir::NodeStore& store, const ir::Call& call, const ir::Function& callee);
  [[nodiscard]] bool fits() const { return fits_; }  ///< false: too many arguments, or a plain call with too few
  [[nodiscard]] std::uint32_t parameter(std::uint32_t argument) const { return argument < split_ ? argument : argument + gap_; }
  /// kNone if the runtime allocates it.
  [[nodiscard]] std::uint32_t argument(std::uint32_t parameter) const;
  [[nodiscard]] std::uint32_t first_omitted() const { return split_; }
  [[nodiscard]] std::uint32_t omitted() const { return gap_; }

 private:
  std::uint32_t split_ = 0;
  std::uint32_t gap_ = 0;
  bool fits_ = true;
};

}  // namespace depscope::lower
