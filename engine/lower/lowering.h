// The lowering of one program, function by function. Split over several files: lower_program.cpp (functions, statements),
// lower_control.cpp (scopes, ifs), lower_loops.cpp (loops and what they carry), lower_launch.cpp (tasks and their arguments),
// lower_dependencies.cpp (what tasks wait for), lower_ids.cpp (names and bindings), lower_allocations.cpp, generator_limits.cpp
// (passes.md 9.5). Private to engine/lower.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "depscope/lower/function_facts.h"
#include "depscope/lower/plan.h"
#include "ir_questions.h"
#include "kernel_signatures.h"

namespace depscope::lower {

/// What a variable stands for as a dependency (passes.md 9.4).
struct Binding {
  enum class Kind : std::uint8_t { None, Id, Array };
  Kind kind = Kind::None;
  bool guarded = true;
  bool compiler_only = false;   ///< user edges do not see it
  std::uint32_t index = kNone;  ///< row of Plan::ids or Plan::arrays
  [[nodiscard]] bool bound() const { return kind != Kind::None; }
  [[nodiscard]] bool is_id() const { return kind == Kind::Id; }
  [[nodiscard]] bool is_array() const { return kind == Kind::Array; }
  /// The same, seen by user edges only if `visible`.
  [[nodiscard]] Binding for_users(bool visible) const {
    Binding out = *this;
    out.compiler_only = out.compiler_only || !visible;
    return out;
  }
};

class Lowering {
 public:
  Lowering(const ir::Program& program, LowerOptions options);
  Plan run();

 private:
  // ---- functions and statements (lower_program.cpp)
  void lower_function(std::uint32_t index);
  void function_body(Range body);
  void block(Range body);  ///< allocations of the sequence, then its statements
  void statements(Range body);
  void statement(ir::StmtId id);
  void assign(ir::StmtId id);
  void evaluate(ir::StmtId id);
  void check_operation(ir::StmtId stmt, ir::ExprId call);

  // ---- scopes and ifs (lower_control.cpp)
  void scope(ir::StmtId id);
  void if_statement(ir::StmtId id);
  void yield(ir::StmtId id);
  [[nodiscard]] bool in_manual() const { return !manual_.empty() && manual_.back(); }

  // ---- loops (lower_loops.cpp)
  /// How a loop or if hands on one of its values.
  struct Carry {
    ir::VarId result;
    ir::VarId value_target;           ///< Assign at the yield: the iter-arg, or the result of an if; none if nothing is assigned
    std::uint32_t id = kNone;         ///< AssignId at the yield
    std::uint32_t array = kNone;      ///< carried ids: IdCopy at the yield
    std::uint32_t collected = kNone;  ///< one slot, or run of slots, per iteration
    std::int64_t trips = 0;           ///< of the loop that collects
    bool append = false;              ///< into the loop's list
    std::uint32_t list = kNone;
  };
  struct YieldTarget {
    std::vector<Carry> carries;
    std::uint32_t list = kNone;
  };
  void loop(ir::StmtId id);
  void carry_values(const LoopFacts& facts, YieldTarget& target);
  void carry_array(const LoopFacts& facts, std::uint32_t k, Carry& carry);
  void carry_id(const LoopFacts& facts, std::uint32_t k, Carry& carry);
  void finish_loop(const LoopFacts& facts, const YieldTarget& target);
  [[nodiscard]] bool rebinds(const LoopFacts& facts, std::uint32_t k) const;
  void yield_carry(ir::StmtId id, const Carry& carry, ir::ExprId value, std::unordered_set<std::uint64_t>& appended);

  // ---- tasks (lower_launch.cpp)
  /// One argument of a task. Order: as given, then what the runtime allocates.
  struct Argument {
    pass::ArgDirection direction = pass::ArgDirection::Scalar;
    ir::ExprId value;                 ///< none for what the runtime allocates
    std::uint32_t argument = kNone;   ///< of the call; kNone for literals of a wrapper and what the runtime allocates
    std::uint32_t parameter = 0;      ///< of the kernel
    std::uint32_t described = kNone;  ///< what the runtime allocates: the callee's parameter
  };
  void launch(ir::StmtId id, ir::ExprId call);
  void dummy(ir::StmtId id, ir::ExprId call);
  void enter_site(const ir::Call& call);
  std::vector<Argument> collect_arguments(ir::StmtId id, ir::ExprId call, std::uint32_t callee, const ParameterMap& map);
  std::vector<Argument> kernel_arguments(const std::vector<Argument>& outer, std::uint32_t callee, const ParameterMap& map);
  void emit_arguments(ir::StmtId id, const std::vector<Argument>& arguments);
  void emit_dump(ir::StmtId id, const ir::Call& call);
  void emit_launch_options(ir::StmtId id, const ir::Call& call);
  void bind_results(ir::StmtId id, ir::ExprId call, std::uint32_t task, std::uint32_t callee, const std::vector<Argument>& given);
  void take_element(ir::StmtId id, ir::VarId target, ir::ExprId value);
  [[nodiscard]] bool names_argument(const std::vector<Argument>& given) const;

  // ---- dependencies (lower_dependencies.cpp)
  std::uint32_t add_task(TaskForm form, ir::StmtId stmt, ir::ExprId call);
  void merge_dependencies(std::uint32_t task);
  void check_compiler_edges(std::uint32_t task, const ir::Call& call);
  void forget_dependencies(std::uint32_t task);
  void merge_edge(std::uint32_t task, ir::VarId var, EdgeOrigin origin, std::uint32_t position, std::uint8_t flags);
  void write_reasons(std::uint32_t task);
  std::uint32_t add_dependency(std::uint32_t task, const Binding& binding, std::uint8_t flags);
  void emit_dependencies(std::uint32_t task);
  void lose_slots(std::uint32_t task, std::uint32_t array, EdgeOrigin origin, std::uint32_t position);
  void lose_user_edge(std::uint32_t task, ir::VarId var, EdgeOrigin origin, std::uint32_t position);
  void lose_compiler_edge(std::uint32_t task, ir::VarId var, std::uint32_t position);
  [[nodiscard]] bool is_fence(ir::VarId var) const;
  struct Barrier {
    std::uint32_t task = kNone;
    std::uint32_t id = kNone;
  };
  void compress(const LoopFacts& facts, std::vector<ir::VarId>& made);
  Barrier barrier_over(ir::StmtId loop, const Binding& ids);

  // ---- names and bindings (lower_ids.cpp)
  std::uint32_t make_id(IdKind kind, ir::VarId var, std::string_view name = {});
  std::uint32_t make_array(ir::VarId var, std::int64_t extent, std::string_view name = {});
  std::uint32_t unique_name(std::string_view wanted);
  [[nodiscard]] const Binding& binding(ir::VarId var) const { return bindings_[var.value]; }
  [[nodiscard]] Binding binding_of(ir::ExprId value) const;
  void bind(ir::VarId var, const Binding& binding);
  std::uint32_t id_for(ir::VarId var, IdKind kind, bool guarded = true);
  std::uint32_t set_id(ir::StmtId stmt, ir::VarId var, IdKind kind, std::uint32_t from);
  void bind_task(ir::StmtId stmt, ir::VarId var, std::uint32_t task);
  void copy(ir::StmtId stmt, ir::VarId target, ir::ExprId value);
  void declare_hoisted();
  [[nodiscard]] std::size_t enter() const { return log_.size(); }
  void leave(std::size_t mark, std::uint32_t first_array);

  // ---- allocations (lower_allocations.cpp)
  void allocate_batch(Range body);

  // ---- limits of the generator (generator_limits.cpp)
  void check_loop(std::uint32_t loop);
  [[nodiscard]] bool names_inner_result(ir::VarId var) const;
  [[nodiscard]] bool shares_id(ir::VarId var) const;

  // ---- output
  std::uint32_t emit(OpKind kind, ir::StmtId stmt, std::uint32_t a = kNone, std::uint32_t b = kNone, std::uint32_t c = kNone,
                     std::uint8_t flags = 0, std::uint32_t argument = kNone);
  Rows add_words(const std::vector<std::uint32_t>& words);
  Finding& find(FindingKind kind, Severity severity, ir::StmtId stmt, ir::ExprId place);

  const ir::Program& program_;
  const ir::NodeStore& store_;
  LowerOptions options_;
  FunctionIndex functions_;
  KernelSignatures signatures_;
  Plan plan_;

  // Of the function being lowered.
  std::uint32_t function_ = 0;
  FunctionFacts facts_;
  ir::SeenRuns bound_lists_;                              // ids with bindings, if none was lost since; for findings_only
  std::uint64_t bound_when_ = 0;                          // lost_bindings_ then
  std::uint64_t lost_bindings_ = 0;                       // counts bindings that ended
  std::vector<Binding> bindings_;                         // by VarId
  std::vector<std::pair<ir::VarId, Binding>> log_;        // what bindings replaced, to be restored at the end of a block
  std::unordered_map<std::string, std::uint32_t> names_;  // name -> times used; looked up only
  std::vector<bool> manual_;                              // open runtime scopes
  std::vector<YieldTarget> yields_;                       // open loops and branches
  std::uint32_t next_loop_ = 0;                           // index of the next loop in facts_
  std::vector<std::uint32_t> open_loops_;
  std::uint32_t next_number_ = 0;  // of the next kernel task
  std::uint32_t next_barrier_ = 0;
  std::uint32_t next_list_ = 0;
  bool hoisted_ = false;                                 // the declarations in front of the first scope are written
  std::unordered_set<std::uint32_t> batched_;            // StmtIds of tensor.create that are allocated already
  std::unordered_map<std::uint32_t, Barrier> barriers_;  // edge VarId -> what stands for it in the loops that are open
  struct TupleSource {
    std::uint32_t task = kNone;
    std::uint32_t results = 0;
    bool submit = false;
  };
  std::unordered_map<std::uint32_t, TupleSource> tuples_;  // VarId of a launch's tuple

  // The task site being lowered.
  struct Site {
    std::uint32_t index = kNone;
    std::uint32_t occurrence = 0;
    std::string callee;
  };
  Site site_;
  std::uint32_t next_site_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> occurrences_;  // callee NameId (0: dummies) -> sites so far
  /// Where a variable, id or array already stands among the dependencies of the task being merged: valid if `task` is that task.
  struct Merged {
    std::uint32_t task = kNone;
    std::uint32_t dependency = kNone;  // none: the edge is lost
  };
  std::vector<Merged> merged_vars_;    // by VarId
  std::vector<Merged> merged_ids_;     // by row of Plan::ids
  std::vector<Merged> merged_arrays_;  // by row of Plan::arrays
  struct OpenReason {
    std::uint32_t dependency;
    EdgeOrigin origin;
    std::uint32_t position;
    ir::VarId var;
    std::uint32_t barrier;
  };
  std::vector<OpenReason> reasons_;
  std::unordered_map<std::uint32_t, std::vector<ir::VarId>> lost_slots_;  // row of Plan::arrays -> ids stored without a binding
};

}  // namespace depscope::lower
