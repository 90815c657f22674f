// Runs an orchestration function: interprets its body and hands every launch, allocation and scope to the runtime model
// (passes.md, section 9).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/execute/durations.h"
#include "depscope/ir/program.h"
#include "depscope/pass/pass.h"
#include "depscope/runtime/model.h"

namespace depscope::execute {

struct RunLimits {
  /// The run ends there with RunResult::too_long, without an error.
  std::uint64_t stop_after_tasks = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_tasks = 1'000'000;         ///< submitted tasks, allocations and barriers included (--max-tasks)
  std::uint64_t max_steps = 50'000'000;        ///< executed statements: ends a loop that never stops
  std::uint64_t max_array_slots = 16'000'000;  ///< slots of all arrays that the program creates
};

struct ProgramInput {
  std::string entry;                                      ///< function name; empty = the only or first Orchestration function
  std::vector<std::pair<std::string, std::string>> args;  ///< NAME, VALUE: scalar parameters and dynamic dimensions
  std::vector<std::pair<std::string, std::string>>
      data;  ///< NAME, "[1, 2]" or FILE.json; or no name and FILE.json: contents of tensors that are read
  RunLimits limits;
  const Durations* durations = nullptr;  ///< of kernels, by the name of the launched function or by task id; null: 1 unit each
  bool moved_scopes = false;             ///< the model moves scopes: durations of single tasks go by the ids without that
};

/// A part of one argument that a task touches. The parts of an argument, if it has any, say all of it; an argument without parts
/// is touched as a whole, as its kind says.
struct TouchedPart {
  std::uint32_t argument = 0;  ///< position among the submission's arguments
  bool reads = false;          ///< by the declared direction of the kernel's parameter
  bool writes = false;
  bool loads = false;  ///< the kernel's body loads it; neither: the whole argument, as declared
  bool stores = false;
  runtime::TensorDescriptor view;  ///< the part
};

/// What the recording side lends to the interpreter.
struct RunHost {
  std::function<std::uint32_t(std::string_view)> intern;  ///< string id of a name, for Submission::callee and Argument::name
  std::function<std::uint32_t(ir::StmtId)> call_site;     ///< call_sites row of a statement, none if unknown
  std::function<void(const TouchedPart&)> touched = {};   ///< about the task submitted last, by argument; may be empty
};

/// Something the program asks for that is refused or not modelled. After not_modelled, user_edge_lost, runtime_error and the
/// codegen_abort of a launch without one of its inputs the run ends and keeps what it has so far; the others are remarks.
/// endless_loop: a while whose condition nothing in its body can change is executed once.
struct RunNotice {
  std::string kind;  ///< "not_modelled", "user_edge_lost", "endless_loop", "codegen_abort", "runtime_error"
  std::string message;
  std::string name;      ///< the construct, or the lost id
  std::string consumer;  ///< user_edge_lost: callee of the task that asked for the id
  std::uint32_t line = 0;
};

struct RunResult {
  std::string entry;  ///< function that ran, empty if there is none
  std::vector<RunNotice> notices;
  bool complete = false;  ///< the function ran to its end
  bool too_long = false;  ///< RunLimits::stop_after_tasks was reached
};

/// Largest file of --data, in bytes.
inline constexpr std::uint64_t kMaxDataBytes = std::uint64_t{256} << 20U;

/// Whether the text of a --data is the contents themselves (NAME, "[1, 2]") and no file.
[[nodiscard]] bool is_data_value(const std::string& name, const std::string& text);

/// Throws InputError: an unknown entry, a value that is missing where control flow or a descriptor needs it ("needs_data" with
/// name and line), a bad --arg or --data, a limit. Does not call Model::finish.
[[nodiscard]] RunResult run_program(const ir::Program& program, const ProgramInput& input, const RunHost& host,
                                    runtime::Model& model);

/// Which cores a kernel runs on (AIC, AIV0, AIV1 as in Submission::kernel_ids): by its type, or inferred from its body (matrix
/// operations AIC, vector operations AIV, both MIX). Kernels are numbered by name.
class KernelTable {
 public:
  explicit KernelTable(const ir::Program& program);
  /// {-1, -1, -1} for an unknown function.
  [[nodiscard]] std::array<std::int32_t, 3> kernel_ids(NameId function) const;

 private:
  std::vector<std::pair<NameId, std::array<std::int32_t, 3>>> kernels_;  // sorted by name id
};

}  // namespace depscope::execute
