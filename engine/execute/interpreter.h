// The interpreter behind run_program. Split over several files: arguments.cpp (entry and what it is given), interpreter.cpp
// (control flow), evaluate.cpp and views.cpp (values), launch.cpp (tasks and allocations), dependencies.cpp (what they wait for),
// ids.cpp and carries.cpp (which ids variables stand for).
// Private to engine/execute.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depscope/execute/program_runner.h"
#include "depscope/ir/text.h"
#include "depscope/lower/function_facts.h"
#include "depscope/pass/decisions.h"
#include "id_bindings.h"
#include "kernel_body.h"

namespace depscope::execute {

enum class ValueKind : std::uint8_t {
  Unset,    ///< never assigned
  Missing,  ///< known to exist, value not given: `index` into missing_
  Int,
  Float,
  Bool,
  TaskId,  ///< number = task id or kInvalidTask
  Array,   ///< row of the lists of ids_: task ids (or numbers) per slot
  Tensor,  ///< index into tensors_, or into temporaries_ with kTemporary set
  Tuple,   ///< index into tuples_
};

struct Value {
  ValueKind kind = ValueKind::Unset;
  std::uint32_t index = 0;
  std::int64_t number = 0;  ///< Int, Bool, TaskId (bits)
  double real = 0;
  runtime::TaskId producer = runtime::kInvalidTask;  ///< task whose result a tuple is
};

struct TensorValue {
  runtime::TensorDescriptor descriptor;
  std::uint32_t name = 0;            ///< string id of the root's name
  std::uint32_t data = 0xffffffffU;  ///< index into data_, none if its contents are not known
};

class Interpreter {
 public:
  Interpreter(const ir::Program& program, const ProgramInput& input, const RunHost& host, runtime::Model& model);
  RunResult run();

 private:
  /// Ends the run quietly after a notice was written.
  struct Stop {};

  // ---- control flow (interpreter.cpp)
  void read_data(const std::string& name, const std::string& text);
  void bind_parameters(const ir::Function& f);
  void function_body(Range body);
  void block(Range stmts);
  void statements(Range stmts);
  void statement(ir::StmtId id);
  void run_if(ir::StmtId id);
  void run_for(ir::StmtId id);
  void run_while(ir::StmtId id);
  bool is_endless(ir::StmtId loop);
  void write_element(ir::ExprId call);
  void run_scope(ir::StmtId id);
  void step(Span at);
  [[nodiscard]] std::vector<ir::ExprId> trailing_yield(Range body) const;
  struct YieldTarget;
  enum class Leave : std::uint8_t { No, Loop, Function };
  Leave iteration(Range body, const lower::LoopFacts& facts, YieldTarget& target, const std::vector<ir::ExprId>& yields);
  void branch(Range body, YieldTarget& target);
  void init_values(const lower::LoopFacts& facts, const YieldTarget& target);
  [[nodiscard]] bool carries_array(ir::VarId var, const YieldTarget& target, std::uint32_t k) const;
  void result_values(const lower::LoopFacts& facts, const YieldTarget& target);
  [[nodiscard]] bool in_manual() const { return !scopes_.empty() && scopes_.back(); }

  // ---- ids that loops and ifs carry (carries.cpp)
  static constexpr std::uint32_t kNone = 0xffffffffU;
  /// How a loop or if hands on the ids of one of its values. Rows and lists of ids_.
  struct Carry {
    ir::VarId result;
    std::uint32_t id = kNone;
    std::uint32_t array = kNone;
    std::uint32_t collected = kNone;  ///< valid ids of all iterations
    bool append = false;              ///< into the list of the loop
  };
  struct YieldTarget {
    std::vector<Carry> carries;
    std::uint32_t list = kNone;
    std::int64_t trips = 0;  ///< of a loop, if it is constant
  };
  void carry_into(const lower::LoopFacts& loop, YieldTarget& target);
  void carry_array(const lower::LoopFacts& loop, std::uint32_t k, Carry& carry);
  void carry_id(const lower::LoopFacts& loop, std::uint32_t k, Carry& carry);
  void carry_out(const lower::LoopFacts& loop, const YieldTarget& target);
  void merge_into(ir::StmtId id, YieldTarget& target);
  void merge_out(const YieldTarget& target);
  void yield_ids(ir::StmtId id);
  void collect(const Carry& carry, const std::vector<runtime::TaskId>& ids, const std::int64_t* width, std::int64_t trips,
               Span at);
  std::uint32_t list_of(ir::StmtId owner, std::uint32_t position, bool carried, std::int64_t slots);
  std::uint32_t slots_of(ir::StmtId owner, std::uint32_t position, std::int64_t slots, Span at);
  void fill(std::uint32_t row, const std::vector<runtime::TaskId>& from);
  [[nodiscard]] IdBinding binding_of(ir::ExprId value) const;

  // ---- ids of straight-line code (ids.cpp)
  void hoist_ids();
  void bind_copy(ir::VarId target, ir::ExprId value);
  void bind_element(ir::VarId target, ir::ExprId tuple, const Value& element, runtime::TaskId producer);
  void bind_results(ir::VarId target, ir::ExprId call, const std::vector<runtime::ArgKind>& kinds, runtime::TaskId task);
  void bind_operation(ir::VarId target, ir::ExprId call);

  // ---- values (evaluate.cpp)
  Value evaluate(ir::ExprId id);
  Value evaluate_call(ir::ExprId id);
  Value evaluate_binary(const ir::Expr& e);
  Value evaluate_unary(const ir::Expr& e);
  Value slice(ir::ExprId id);
  Value reshape(ir::ExprId id);
  Value transpose(ir::ExprId id);
  void host_access(const runtime::TensorDescriptor& tensor, bool write, Span at);
  Value read_element(ir::ExprId id);
  std::int64_t need_int(ir::ExprId id, std::string_view what);
  std::int64_t need_int(const Value& v, std::string_view what, Span at);
  bool truth(ir::ExprId id, std::string_view what);
  Value new_array(std::int64_t extent, Span at);
  void check_extent(std::int64_t extent, Span at);
  void need_operands(ir::ExprId call);
  [[noreturn]] void needs_data(const Value& missing, std::string_view what, Span at);
  Value missing(std::string name, std::uint32_t line, bool result = false);
  Value number(std::int64_t v) { return {.kind = ValueKind::Int, .number = v}; }
  Value temporary_tensor(const TensorValue& tensor);
  [[nodiscard]] const TensorValue& tensor(const Value& v) const {
    return (v.index & kTemporary) != 0 ? temporaries_[v.index & ~kTemporary] : tensors_[v.index];
  }
  Value keep(Value value, std::uint32_t& slot);  // moves a tensor into a slot of its own
  void assign(ir::VarId var, Value value);
  Value get(ir::VarId var, Span at);
  [[nodiscard]] TensorValue tensor_of(ir::TypeId type, std::string_view name, Span at);
  std::uint32_t data_of(std::string_view name);
  [[nodiscard]] std::uint32_t line(Span at) const { return program_.line(at); }
  [[noreturn]] void fail(Span at, std::string message);
  [[noreturn]] void not_modelled(Span at, std::string construct, std::string message);

  // ---- tasks (launch.cpp)
  const std::vector<ir::StmtId>& batch_of(Range stmts);
  void create_batch(Range stmts);
  void allocate(const std::vector<ir::StmtId>& creates);
  Value launch(ir::StmtId site, ir::ExprId call, ir::VarId target);
  Value dummy(ir::StmtId site, ir::ExprId call);
  /// `fence_barrier`: the consumer is a barrier that a pass put in place of the user's edges.
  void add_dependencies(ir::ExprId call, std::string_view consumer, Span at, bool fence_barrier = false);
  bool is_new_edge(ir::VarId var);
  void add_compiler_edge(ir::VarId var);
  [[noreturn]] void lose_user_edge(std::string_view consumer, std::string_view id, Span at);
  void add_dependency(const IdBinding& binding, std::uint8_t flags, std::uint8_t provenance);
  void add_tensor_argument(runtime::ArgKind kind, const Value& v, Span at);
  bool wrapper_arguments(const ir::Function& wrapper, const std::vector<runtime::ArgKind>& kinds,
                         const std::vector<Value>& values, Span at);
  void submit(Span at);
  [[nodiscard]] runtime::TaskId next_id() const;
  [[nodiscard]] std::string submitted_name() const;
  /// Runs a step of the model; a limit that it names gets the place in the program.
  template <class Step>
  auto at_place(Span at, const Step& run) {
    try {
      return run();
    } catch (const InputError& e) {
      if (e.diagnostics().empty() || e.diagnostics().front().line != 0) throw;
      fail(at.known() ? at : last_known_, e.diagnostics().front().message);
    }
  }
  // touches.cpp
  void report_touches(const ir::Function& callee, const std::vector<Value>& parameters);
  std::vector<std::int32_t> returned_params(const ir::Function& callee) const;
  [[nodiscard]] static bool is_task_scalar(const ir::NodeStore& store, ir::VarId var);
  void compress_edges(const lower::LoopFacts& loop, std::vector<ir::VarId>& made);
  /// Submits a dummy over valid ids; kInvalidTask if there are none.
  runtime::TaskId barrier_over(const std::vector<runtime::TaskId>& valid, Span at);

  const ir::Program& program_;
  const ir::NodeStore& store_;
  const ProgramInput& input_;
  const RunHost& host_;
  runtime::Model& model_;
  bool in_predicate_ = false;
  KernelTable kernels_;
  KernelBodies bodies_;
  RunResult result_;

  std::vector<Value> values_;  // by VarId
  static constexpr std::uint32_t kTemporary = 0x80000000U;
  std::vector<TensorValue> tensors_;        // one slot per variable (or tuple component) that ever held a tensor
  std::vector<TensorValue> temporaries_;    // of the statement that runs
  std::vector<std::uint32_t> tensor_slot_;  // by VarId
  struct Tuple {
    std::vector<Value> items;
    std::vector<std::uint32_t> slots;  // into tensors_
  };
  std::vector<Tuple> tuples_;
  std::vector<std::uint32_t> tuple_slot_;                                  // by VarId
  std::vector<runtime::TensorDescriptor> result_outputs_;                  // of the last submit
  runtime::TaskId submitted_ = runtime::kInvalidTask;                      // id of the last submit
  std::unordered_map<std::uint32_t, std::vector<std::int32_t>> returned_;  // callee NameId -> parameter of each result
  lower::FunctionFacts facts_;                                             // of the function that runs
  IdBindings ids_;
  std::vector<YieldTarget*> yields_;                              // open loops and branches
  std::unordered_map<std::uint64_t, std::uint32_t> carry_lists_;  // of a loop or if and a position -> row of a list
  std::unordered_map<std::uint32_t, runtime::TaskId> barriers_;   // edge VarId -> what stands for it in the loops that are open
  std::vector<std::uint64_t> merged_vars_;                        // by VarId: the task that has it among its dependencies
  std::uint64_t merged_task_ = 0;
  bool weak_flags_ = false;  // the task being merged has edges without WAIT or without RETAIN
  std::vector<runtime::TaskId> dependency_ids_;
  std::unordered_set<std::uint32_t> expression_arguments_;  // reported once each
  std::unordered_map<std::uint32_t, bool> endless_;         // while StmtId -> nothing can end it
  struct Missing {
    std::string name;
    std::uint32_t line;
    bool result = false;  ///< `name` is a kernel whose result is none of its parameters; no option can give it
  };
  std::vector<Missing> missing_;
  std::unordered_map<std::string, std::uint32_t> missing_index_;  // by name and line
  struct Data {
    std::string name;
    std::vector<double> values;
  };
  std::vector<Data> data_;
  std::unordered_map<std::uint32_t, std::vector<ir::StmtId>> batches_;  // start of a sequence -> what is allocated in front of it
  std::unordered_set<std::uint32_t> allocated_;                         // StmtIds of tensor.create whose buffer is already there
  std::vector<bool> scopes_;                                            // open runtime scopes: MANUAL
  std::vector<std::uint32_t> iteration_;
  runtime::Submission submission_;
  std::string callee_;                          // of the last launch
  std::vector<std::uint32_t> argument_params_;  // parameter of the callee behind each argument of submission_
  std::uint64_t steps_ = 0;
  Span last_known_;  // of the executed statements; those that a pass made have none
  std::uint64_t tasks_ = 0;
  std::array<std::uint32_t, runtime::kRingCount> next_local_{};  // local index of the next task of each ring
  std::uint64_t array_slots_ = 0;
  std::uint64_t next_address_ = 0x1000'0000;
  bool left_ = false;  // a return was executed
  bool broke_ = false;
  bool continued_ = false;
};

/// Strides of a tensor that fills its shape.
void row_major(runtime::TensorDescriptor& d);

using ir::source_name;

}  // namespace depscope::execute
