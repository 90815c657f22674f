// The interpreter behind run_program. Split over several files: arguments.cpp (entry and what it is given), interpreter.cpp
// (control flow), evaluate.cpp and views.cpp (values), launch.cpp (tasks and allocations), dependencies.cpp (what they wait for).
// Private to engine/execute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depscope/execute/program_runner.h"
#include "depscope/ir/text.h"
#include "depscope/pass/decisions.h"
#include "kernel_body.h"

namespace depscope::execute {

enum class ValueKind : std::uint8_t {
  Unset,    ///< never assigned
  Missing,  ///< known to exist, value not given: `index` into missing_
  Int,
  Float,
  Bool,
  TaskId,   ///< number = task id or kInvalidTask
  IdList,   ///< index into id_lists_
  Array,    ///< index into id_lists_: task ids per slot
  Tensor,   ///< index into tensors_, or into temporaries_ with kTemporary set
  Tuple,    ///< index into tuples_
  Unbound,  ///< a task id that no binding keeps (passes.md 9.4): an error only when somebody waits for it
};

struct Value {
  ValueKind kind = ValueKind::Unset;
  std::uint32_t index = 0;
  std::uint32_t scope = 0;    ///< serial of the runtime scope it was bound in
  std::uint32_t binding = 0;  ///< TaskId: 1 + the variable whose name holds the id; copies share it (passes.md 9.4)
  std::int64_t number = 0;    ///< Int, Bool, TaskId (bits)
  double real = 0;
  runtime::TaskId producer = runtime::kInvalidTask;  ///< task that produced a tensor or tuple bound to a variable
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
  struct LoopCarry;
  void bind_carry(ir::VarId var, Value v, bool manual);
  void collect(LoopCarry& carry, const std::vector<ir::ExprId>& yields);
  void finish_carry(LoopCarry& carry, Range results, bool parallel, bool constant_trips, Span at);

  // ---- values (evaluate.cpp)
  Value evaluate(ir::ExprId id);
  Value evaluate_call(ir::ExprId id);
  Value evaluate_binary(const ir::Expr& e);
  Value evaluate_unary(const ir::Expr& e);
  Value slice(ir::ExprId id);
  Value reshape(ir::ExprId id);
  Value transpose(ir::ExprId id);
  Value read_element(ir::ExprId id);
  std::int64_t need_int(ir::ExprId id, std::string_view what);
  std::int64_t need_int(const Value& v, std::string_view what, Span at);
  bool truth(ir::ExprId id, std::string_view what);
  Value new_array(std::int64_t extent, Span at);
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
  struct Dependency {
    runtime::TaskId task;
    std::uint64_t name;  ///< of the binding, 0 if it is not compared
  };
  bool resolve(ir::VarId var, bool user, std::vector<Dependency>& out);
  void add_tensor_argument(runtime::ArgKind kind, const Value& v, Span at);
  bool wrapper_arguments(const ir::Function& wrapper, const std::vector<runtime::ArgKind>& kinds,
                         const std::vector<Value>& values, Span at);
  void submit(Span at);
  // touches.cpp
  void report_touches(const ir::Function& callee, const std::vector<Value>& parameters);
  std::vector<std::int32_t> returned_params(const ir::Function& callee) const;
  [[nodiscard]] bool scope_open(std::uint32_t serial) const;
  void compress_edges(ir::StmtId loop, std::uint64_t trips, std::vector<ir::VarId>& made);
  [[nodiscard]] static bool is_task_scalar(const ir::NodeStore& store, ir::VarId var);

  const ir::Program& program_;
  const ir::NodeStore& store_;
  const ProgramInput& input_;
  const RunHost& host_;
  runtime::Model& model_;
  KernelTable kernels_;
  KernelBodies bodies_;
  RunResult result_;

  std::vector<Value> values_;  // by VarId
  static constexpr std::uint32_t kTemporary = 0x80000000U;
  std::vector<TensorValue> tensors_;        // one slot per variable (or tuple component) that ever held a tensor
  std::vector<TensorValue> temporaries_;    // of the statement that runs
  std::vector<std::uint32_t> tensor_slot_;  // by VarId
  std::vector<std::vector<runtime::TaskId>> id_lists_;
  std::vector<std::uint32_t> id_list_slot_;  // by VarId
  struct Tuple {
    std::vector<Value> items;
    std::vector<std::uint32_t> slots;  // into tensors_
  };
  std::vector<Tuple> tuples_;
  std::vector<std::uint32_t> tuple_slot_;                                  // by VarId
  std::vector<runtime::TensorDescriptor> result_outputs_;                  // of the last submit
  runtime::TaskId submitted_ = runtime::kInvalidTask;                      // id of the last submit
  std::unordered_map<std::uint32_t, std::vector<std::int32_t>> returned_;  // callee NameId -> parameter of each result
  std::unordered_map<std::uint32_t, runtime::TaskId> barriers_;  // edge VarId -> barrier that stands for it in the loop that runs
  std::unordered_set<std::uint32_t> expression_arguments_;       // reported once each
  std::unordered_map<std::uint32_t, bool> endless_;              // while StmtId -> nothing can end it
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
  std::unordered_set<std::uint32_t> edge_vars_;                         // VarIds named in compiler edges
  std::unordered_map<std::uint32_t, std::vector<ir::StmtId>> batches_;  // start of a sequence -> what is allocated in front of it
  std::unordered_set<std::uint32_t> allocated_;                         // StmtIds of tensor.create whose buffer is already there
  std::unordered_map<std::uint32_t, std::vector<std::pair<ir::VarId, std::uint32_t>>>
      loop_edges_;  // loop StmtId -> edge var, uses
  struct OpenScope {
    std::uint32_t serial;
    bool manual;
  };
  std::vector<OpenScope> scopes_;
  std::uint32_t next_scope_ = 1;
  std::vector<std::uint32_t> iteration_;
  runtime::Submission submission_;
  std::vector<std::uint32_t> argument_params_;  // parameter of the callee behind each argument of submission_
  std::uint64_t steps_ = 0;
  Span last_known_;  // of the executed statements; those that a pass made have none
  std::uint64_t tasks_ = 0;
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
