// What a launch must know of its callee: which parameter each result is (passes.md 9.3) and in which order the kernel behind a
// wrapper takes its arguments (9.2). Private.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depscope/ir/program.h"
#include "ir_questions.h"

namespace depscope::lower {

enum class ResultKind : std::uint8_t {
  Parameter,  ///< the buffer of a parameter
  Fresh,      ///< a buffer that the body makes: a kernel pass that is not modelled gives it a parameter of its own
  None,       ///< neither: the code generator stops
};
struct ResultSource {
  ResultKind kind = ResultKind::None;
  std::uint32_t parameter = 0;
};

/// One argument of the kernel behind a wrapper.
struct KernelArgument {
  std::uint32_t parameter = 0xffffffffU;  ///< of the wrapper; kNone for a literal
  ir::ExprId literal;
};
struct WrapperOrder {
  bool known = false;  ///< false: the body is no plain forwarding call, the order is that of the wrapper
  std::vector<KernelArgument> arguments;
};

/// Computed once per function.
class KernelSignatures {
 public:
  KernelSignatures(const ir::Program& program, const FunctionIndex& functions);

  /// One entry per result of the function.
  [[nodiscard]] const std::vector<ResultSource>& results(std::uint32_t function);
  [[nodiscard]] const WrapperOrder& wrapper_order(std::uint32_t function);

 private:
  struct Origins;
  void trace(Origins& origins, Range body);
  void trace_assign(Origins& origins, ir::StmtId stmt);
  [[nodiscard]] std::vector<ResultSource> find_results(std::uint32_t function);
  [[nodiscard]] WrapperOrder find_order(std::uint32_t function, std::uint32_t depth);

  const ir::Program& program_;
  const ir::NodeStore& store_;
  const FunctionIndex& functions_;
  enum class State : std::uint8_t { Unknown, Open, Known };
  std::vector<State> result_state_;  // by function; Open: being computed, so that recursion ends
  std::vector<std::vector<ResultSource>> results_;
  std::vector<State> order_state_;
  std::vector<WrapperOrder> orders_;
  std::uint32_t depth_ = 0;  // callees being looked at
};

}  // namespace depscope::lower
