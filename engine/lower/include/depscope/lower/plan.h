// The submission plan (passes.md, section 9): what the code generator makes of each orchestration function, as data. One flat
// list of operations per function, with every id, id array and dependency in tables of their own. Nothing is executed: loops and
// ifs stand in the list once, with begin and end.
//
// A plan names statements, expressions and variables of the program it was made from and is read together with it. Indices are
// 32-bit; kNone is "none" everywhere. All tables hold the rows of all functions one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/program.h"
#include "depscope/pass/pass.h"

namespace depscope::lower {

inline constexpr std::uint32_t kNone = 0xffffffffU;

/// Rows `begin` up to, not including, `end` of a table.
struct Rows {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

// ---------------------------------------------------------------- operations

/// Operations of passes.md 9.1. `a`, `b`, `c` are the columns of Ops; those that an operation does not use are kNone.
enum class OpKind : std::uint8_t {
  ScopeBegin,    ///< kManual set: MANUAL, else AUTO
  ScopeEnd,      ///< of the innermost open ScopeBegin
  AllocTensors,  ///< a, b = Rows of Plan::words: VarId of each tensor.create in the batch (at most 16, 9.7)
  Args,          ///< a = task row: opens its argument list
  AddInput,      ///< a = ExprId of the value, b = parameter of the kernel that receives it; likewise for the next four
  AddOutput,     ///< kCreation: the runtime allocates, a = kNone; `b` is then the callee's parameter that is described
  AddInOut,
  AddNoDep,
  AddScalar,     ///< kBitCast: a floating-point value, passed as its bits
  Dump,          ///< a, b = Rows of Plan::words: VarId of each dumped argument
  DepArray,      ///< a = task row; the capacity stands there
  Dep,           ///< a = dependency row
  SetDeps,       ///< a = task row
  Launch,        ///< a = ExprId of the core count (kNone: one); kSyncStart
  EarlyResolve,  ///< the submit may be resolved before its kernel ends
  Predicate,     ///< a = ExprId of the comparison that the scheduler evaluates
  Submit,        ///< a = task row; kCaptures: the handle is kept, so that its task id can be read
  BindId,        ///< a = id, b = task row: the id of that task
  DeclareId,     ///< a = id, b = id that it starts as (kNone: invalid)
  AssignId,      ///< a = id, b = id (kNone: invalid)
  ReadId,        ///< a = id, b = array, c = ExprId of the slot: a snapshot
  Dummy,         ///< a = task row, b = its id; kAlways or submitted only if one dependency is valid
  IdArray,       ///< a = array, b = id that every slot starts as (kNone: invalid)
  IdStore,       ///< a = array, b = id (kNone: invalid), c = ExprId of the slot, or kLoopSlot; neither: slot 0
  IdCopy,        ///< a = array, b = source array; slot by slot, from slot 0 or (kLoopSlot) from iteration × slots of the source
  IdList,     ///< a = list (row of Plan::arrays, extent -1), b = ids per iteration: room for trips × b, trips of the next loop
  IdAppend,   ///< a = list, b = id; kFromArray: b = array, all its slots
  LoopBegin,  ///< of the statement's for or while; kParallel
  LoopEnd,
  IfBegin,  ///< a = ExprId of the condition
  IfElse,
  IfEnd,
  Assign,    ///< a = VarId, b = ExprId of its value; kResult: the buffer that task row b returns as result c
  Evaluate,  ///< a = ExprId executed for its effect
  Return,
  Break,
  Continue,
};
/// "scope_begin", "add_input", … as in passes.md 9.1.
[[nodiscard]] std::string_view op_name(OpKind kind);

// Bits of Ops::flags; they are told apart by the kind.
inline constexpr std::uint8_t kManual = 1;
inline constexpr std::uint8_t kCreation = 1;
inline constexpr std::uint8_t kBitCast = 2;
inline constexpr std::uint8_t kSyncStart = 1;
inline constexpr std::uint8_t kCaptures = 1;
inline constexpr std::uint8_t kAlways = 1;
inline constexpr std::uint8_t kLoopSlot = 1;  ///< slot = (counter − start) / step of the loop around it
inline constexpr std::uint8_t kFromArray = 2;
inline constexpr std::uint8_t kParallel = 1;
inline constexpr std::uint8_t kResult = 1;
/// Assignments of a yield, whatever their kind: those of one statement read all their sources before any is assigned.
inline constexpr std::uint8_t kYield = 128;

/// Operations as columns; one row each.
struct Ops {
  std::vector<OpKind> kind;
  std::vector<std::uint8_t> flags;
  std::vector<ir::StmtId> statement;    ///< where it comes from; none for what belongs to the whole function
  std::vector<std::uint32_t> argument;  ///< index among the arguments of the call as written, kNone if it is none of them
  std::vector<std::uint32_t> a, b, c;   ///< see OpKind
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kind.size()); }
};

// ---------------------------------------------------------------- ids

enum class IdKind : std::uint8_t {
  Task,      ///< bound from a task handle where it is declared
  Hoisted,   ///< declared in front of the first scope because a compiler edge names it (9.4)
  Carry,     ///< carried by a loop, or merged by an if
  Snapshot,  ///< read from a slot of an array
  Invalid,   ///< system.task_invalid
  Barrier,   ///< of a dependency-only task
  Param,     ///< parameter of the function
};

struct Ids {
  std::vector<std::uint32_t> name;  ///< row of Plan::names; unique within the function
  std::vector<IdKind> kind;
  std::vector<ir::VarId> var;  ///< the variable it was made for; none for barriers that no variable stands for
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kind.size()); }
};

/// Arrays and run-time sized lists of ids.
struct Arrays {
  std::vector<std::uint32_t> name;   ///< row of Plan::names; unique within the function
  std::vector<std::int64_t> extent;  ///< slots; -1 if only known at run time
  std::vector<ir::VarId> var;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(extent.size()); }
};

// ---------------------------------------------------------------- tasks and their dependencies

enum class TaskForm : std::uint8_t {
  Kernel,   ///< call or submit of a kernel
  Wrapper,  ///< call or submit of a Group or Spmd function
  Dummy,    ///< system.task_dummy of the program, phase fences included
  Barrier,  ///< dummy that this lowering adds: compression in front of a loop, the end of a run-time list (9.5)
};

struct Tasks {
  std::vector<TaskForm> form;
  std::vector<ir::StmtId> statement;   ///< Barrier: the loop
  std::vector<ir::ExprId> call;        ///< none for Barrier
  std::vector<NameId> callee;          ///< in the program's names; empty for dummies
  std::vector<std::uint32_t> site;     ///< task site of the function in program order, as in Finding; kNone for Barrier
  std::vector<std::uint32_t> number;   ///< counts Kernel and Wrapper tasks of the function from 0; kNone for dummies
  std::vector<Rows> deps;              ///< rows of Plan::deps
  std::vector<std::int64_t> capacity;  ///< ids of dep_array: slots of arrays counted one by one; -1 if a list's size is not known
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(form.size()); }
};

/// Flags of an explicit dependency (DESIGN §5 `dep_flags`).
inline constexpr std::uint8_t kWait = 1;
inline constexpr std::uint8_t kRetain = 2;

/// One name that a task waits for, merged and without repeats (9.4). An array stands for all its slots in one row.
struct Deps {
  std::vector<std::uint32_t> id;      ///< kNone if it is an array
  std::vector<std::uint32_t> array;   ///< kNone if it is an id
  std::vector<std::uint8_t> guarded;  ///< 1: left out at run time when the id is invalid
  std::vector<std::uint8_t> flags;    ///< kWait, kRetain
  std::vector<Rows> reasons;          ///< rows of Plan::reasons, user edges first
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(id.size()); }
};

enum class EdgeOrigin : std::uint8_t {
  User,      ///< deps= of the submit, or manual_dep_edges
  Fence,     ///< deps= that ExpandManualPhaseFence replaced
  Compiler,  ///< compiler_manual_dep_edges
};
[[nodiscard]] std::string_view edge_origin_name(EdgeOrigin origin);  ///< "user", "fence", "compiler"

/// One edge of the program that a dependency stands for.
struct Reasons {
  std::vector<EdgeOrigin> origin;
  std::vector<std::uint32_t> position;  ///< in its list; User and Fence count through deps= and then manual_dep_edges
  std::vector<ir::VarId> var;           ///< the variable that the edge names
  std::vector<std::uint32_t> barrier;   ///< task row of the compression barrier in between, kNone if there is none
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(origin.size()); }
};

// ---------------------------------------------------------------- findings

enum class FindingKind : std::uint8_t {
  CodegenAbort,  ///< the code generator stops here
  UserEdgeLost,  ///< a user edge whose id has no binding: the code generator refuses it
  LostEdge,      ///< a compiler edge that no binding resolves: silently skipped
  NotModelled,   ///< the function has no plan
};
[[nodiscard]] std::string_view finding_kind_name(FindingKind kind);  ///< "codegen_abort", …

struct Finding {
  FindingKind kind = FindingKind::CodegenAbort;
  Severity severity = Severity::Error;
  std::uint32_t function = 0;      ///< index into Program::functions
  ir::StmtId statement;            ///< none if it is about the whole function
  std::uint32_t argument = kNone;  ///< index among the arguments of the call
  std::uint32_t site = kNone;      ///< task site of the function: calls, submits and dummies in program order; kNone if none
  std::uint32_t occurrence = 0;    ///< counts the sites with the same callee before it
  std::string callee;              ///< of the site; "task_dummy" for a dummy, empty if there is none
  std::string name;                ///< the id, parameter, operation or construct in question, without version suffix
  std::string reason;              ///< a few words that tell the kinds of one kind apart
  std::string message;
  std::uint32_t line = 0, column = 0;    ///< from 1; 0 if not known
  std::uint32_t producer_line = 0;       ///< edges: where the task is launched that the id belongs to; 0 if not known
  ir::VarId var;                         ///< edges only: the variable that the edge names
  EdgeOrigin origin = EdgeOrigin::User;  ///< edges only
  std::uint32_t position = kNone;        ///< edges only: in its list
};

// ---------------------------------------------------------------- the plan

struct FunctionPlan {
  std::uint32_t function = 0;  ///< index into Program::functions
  bool planned = false;        ///< false: not modelled, all rows are empty
  Rows ops, tasks, ids, arrays;
};

struct Plan {
  std::vector<FunctionPlan> functions;  ///< Orchestration functions and the entry, in program order
  Ops ops;
  Ids ids;
  Arrays arrays;
  Tasks tasks;
  Deps deps;
  Reasons reasons;
  std::vector<std::uint32_t> words;  ///< lists that operations refer to
  std::vector<std::string> names;    ///< of ids and arrays
  std::vector<Finding> findings;     ///< by function, then in program order

  /// The plan of a function by its name, null if it has no row.
  [[nodiscard]] const FunctionPlan* find(const ir::Program& program, std::string_view function) const;
};

struct LowerOptions {
  pass::Profile profile = pass::Profile::Seed;  ///< which limits of 9.5 stop the code generator
  std::string entry;                            ///< a function that is lowered whatever its kind; empty if none
  /// Only the findings are wanted: tasks have no dependencies then. A plan has a row an edge, and n writers of one buffer have
  /// n(n-1)/2 edges.
  bool findings_only = false;
};

/// Lowers a program that went through MaterializeRuntimeScopes and ClassifyIterArgCarry. What the code generator refuses becomes
/// findings, all of them; the plan goes on behind each as if it had been accepted. Time and memory are linear in the program
/// plus its edges. Never throws on a program that the passes accept.
[[nodiscard]] Plan lower_program(const ir::Program& program, const LowerOptions& options = {});

/// An edge of the program that the plan lost without a word.
struct LooseEdge {
  std::uint32_t function = 0;  ///< index into Program::functions
  ir::StmtId site;
  EdgeOrigin origin = EdgeOrigin::User;
  std::uint32_t position = 0;
  ir::VarId var;
};
/// Every edge of every task site of the planned functions that is neither a dependency of the plan nor named by a finding.
/// Counts the edges in the program anew; empty when the plan is right.
[[nodiscard]] std::vector<LooseEdge> reconcile(const Plan& plan, const ir::Program& program);

/// The operations of a function as text, one a line, indented by scopes, loops and ifs. Ends with a newline; for a function
/// without a plan it is one line that says why.
[[nodiscard]] std::string plan_text(const Plan& plan, const ir::Program& program, const FunctionPlan& function);

}  // namespace depscope::lower
