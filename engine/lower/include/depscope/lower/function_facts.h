// What must be known of a function before its task ids can be followed: where variables are defined, which ids compiler edges ask
// for, which id arrays share their storage (passes.md 9.4, 9.5). The lowering and the interpreter ask the same questions here.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/ir/seen_runs.h"

namespace depscope::lower {

enum class Definition : std::uint8_t { None, Param, Assign, Counter, IterArg, LoopResult, IfResult };

/// Where a variable is defined.
struct VarFacts {
  Definition definition = Definition::None;
  bool used = false;                 ///< read anywhere but by the extraction from its tuple
  bool edge = false;                 ///< named by a compiler edge
  bool needed = false;               ///< an id must exist for it because a compiler edge leads to it
  bool in_place = false;             ///< LoopResult or IfResult of an id array: the storage is that of `root`
  std::uint32_t position = 0;        ///< Param, IterArg, LoopResult, IfResult: which one
  std::uint32_t loop = 0xffffffffU;  ///< IterArg, LoopResult, Counter: that loop; else the innermost loop around the definition
  ir::StmtId statement;              ///< none for Param
  ir::VarId root;                    ///< id arrays: the variable whose storage this is
};

/// An edge variable that a loop's body asks for without defining it.
struct EdgeUse {
  ir::VarId var;
  std::uint32_t count = 0;  ///< task sites that name it, nested loops once per site (9.5)
};

struct LoopFacts {
  ir::StmtId statement;
  bool is_while = false;
  bool parallel = false;
  std::uint32_t parent = 0xffffffffU;
  std::uint32_t end = 0;              ///< loops `own index + 1` up to here are nested in it
  std::optional<std::int64_t> trips;  ///< constant number of iterations
  Range inits, iter_args, results;    ///< ExprId, VarId, VarId
  Range yields;                       ///< ExprId
  std::vector<EdgeUse> edge_uses;     ///< in order of first use; filled for constant loops of more than one iteration only
};

/// How many ids a variable stands for.
struct IdCount {
  std::int64_t slots = 1;  ///< -1 if not known
  bool list = false;       ///< kept in an array, even if it has one slot only
};

class FunctionFacts {
 public:
  explicit FunctionFacts(const ir::NodeStore& store) : store_(store) {}

  void build(const ir::Function& function);

  [[nodiscard]] const VarFacts& var(ir::VarId id) const { return id.value < vars_.size() ? vars_[id.value] : none_; }
  /// Loops in program order (pre-order), as a walk meets them.
  [[nodiscard]] const std::vector<LoopFacts>& loops() const { return loops_; }
  /// The loop of a for or while of the function that was built.
  [[nodiscard]] const LoopFacts& loop(ir::StmtId statement) const { return loops_[loop_index_.at(statement.value)]; }
  [[nodiscard]] bool contains(std::uint32_t outer, std::uint32_t loop) const {
    return loop != 0xffffffffU && loop >= outer && loop < loops_[outer].end;
  }
  /// Variables named by compiler edges, in order of their first mention.
  [[nodiscard]] const std::vector<ir::VarId>& edge_vars() const { return edge_vars_; }
  /// True if some compiler edge names a variable with this name base (9.5).
  [[nodiscard]] bool edge_base(ir::VarId var) const { return edge_bases_.contains(base(var)); }
  /// True if some loop result has this variable's name base (9.4).
  [[nodiscard]] bool result_base(ir::VarId var) const { return result_bases_.contains(base(var)); }
  [[nodiscard]] std::string_view base(ir::VarId var) const;

  /// The trailing yield of the body that gives this loop or if result its value; none if it does not end in one. For an if: of
  /// the then (branch 0) or else (branch 1) body.
  [[nodiscard]] ir::ExprId yielded(ir::VarId result, std::uint32_t branch = 0) const;
  /// True if the result's ids are collected slot by slot: a constant loop whose result is needed (9.5).
  [[nodiscard]] bool collected(ir::VarId result) const;
  /// Slots of the array of ids that ClassifyIterArgCarry gave the loop to carry here (9.6); 0 if none.
  [[nodiscard]] std::int64_t carried_slots(ir::VarId result) const;
  /// Ids that the variable stands for: all of what a loop collected or carries as an array, else one.
  [[nodiscard]] IdCount ids(ir::VarId var);
  /// The statement that launches the task whose id (or result) the variable is, through copies and carries; none if not known.
  [[nodiscard]] ir::StmtId producer(ir::VarId var) const;

 private:
  void walk(Range body);
  void visit_assign(ir::StmtId stmt);
  void visit_loop(ir::StmtId stmt, LoopFacts loop, Range body);
  void visit_if(ir::StmtId stmt);
  void use(ir::ExprId id);
  void use_all(Range list);
  void note_edges(ir::ExprId call);
  void define(ir::VarId var, Definition definition, ir::StmtId stmt, std::uint32_t loop, std::uint32_t position = 0);
  [[nodiscard]] ir::VarId root_of(ir::ExprId value) const;
  [[nodiscard]] bool var_is_plain_call(ir::VarId id) const;
  void need(ir::VarId var);
  void spread_needs();
  void count_edge_uses();
  [[nodiscard]] std::vector<ir::VarId> count_sources(ir::VarId var) const;
  [[nodiscard]] IdCount combine(ir::VarId var, const std::vector<ir::VarId>& sources) const;

  const ir::NodeStore& store_;
  VarFacts none_;
  std::vector<VarFacts> vars_;  // by VarId
  std::vector<ir::VarId> defined_;
  std::vector<LoopFacts> loops_;
  std::unordered_map<std::uint32_t, std::uint32_t> loop_index_;  // by StmtId; looked up only
  std::uint32_t loop_ = 0xffffffffU;                             // innermost loop around what is visited
  ir::SeenRuns noted_;                                           // what edges named outside loops
  std::vector<ir::VarId> edge_vars_;
  std::unordered_set<std::string_view> edge_bases_;
  std::unordered_set<std::string_view> result_bases_;
  std::vector<std::pair<ir::VarId, std::uint32_t>> edge_sites_;  // edge, innermost loop around the site that names it
  std::vector<ir::VarId> open_needs_;
  std::unordered_map<std::uint32_t, IdCount> counts_;  // by VarId, as far as asked for; looked up only
};

}  // namespace depscope::lower
