// Executes a plan without a runtime: which tasks it submits and what they wait for. Written against the description of the
// operations in plan.h only, so that it checks them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "depscope/ir/program.h"
#include "depscope/lower/plan.h"

namespace depscope::lower::testing {

struct Submission {
  std::string callee;                ///< "alloc", "dummy" or the kernel
  std::vector<std::string> tensors;  ///< "INPUT", "INOUT", "OUTPUT_EXISTING", "NO_DEP", "OUTPUT" in order
  std::vector<std::uint32_t> deps;   ///< submissions waited for, in order; invalid ids are left out
  bool operator==(const Submission&) const = default;
};

struct Execution {
  std::vector<Submission> submissions;
  std::set<std::uint32_t> executed;  ///< StmtIds of the submits and dummies that were reached
  std::string unsupported;           ///< why the plan cannot be executed here (contents of tensors, …); empty if it was
};

/// `args` are values of scalar parameters and dynamic dimensions by name without version suffix.
[[nodiscard]] Execution execute(const Plan& plan, const ir::Program& program, const FunctionPlan& function,
                                const std::map<std::string, std::int64_t>& args);

}  // namespace depscope::lower::testing
