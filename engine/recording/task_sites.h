// The task sites and runtime scopes of one function, in program order (DESIGN §5). Private to the recorder.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/ir/program.h"

namespace depscope::recording {

/// Values of call_sites.kind.
enum class SiteKind : std::uint8_t { Call = 0, Submit = 1, Dummy = 2 };

struct TaskSite {
  ir::StmtId statement;
  ir::ExprId call;
  SiteKind kind = SiteKind::Call;
  NameId callee{0};
  std::uint32_t loop_depth = 0;       ///< enclosing for and while loops
  std::uint32_t scope = 0xffffffffU;  ///< innermost runtime scope, index into `scopes`
};

struct ScopeSite {
  ir::StmtId statement;
  std::uint32_t parent = 0xffffffffU;
};

struct FunctionSites {
  NameId name{0};
  std::vector<TaskSite> sites;
  std::vector<ScopeSite> scopes;  ///< pre-order
};

/// A site is an Assign or Eval whose value is a call or submit of a function of the program, or system.task_dummy.
[[nodiscard]] std::vector<FunctionSites> collect_sites(const ir::Program& program);

/// For every site of `before` its index in `after`, none if it is gone: by position where as many kernel sites (dummy sites) are
/// there as before, else the first later site with the same callee and source place. Programs that do not share their store are
/// texts of their own: there the callee's name alone counts.
[[nodiscard]] std::vector<std::uint32_t> follow_sites(const ir::NodeStore& before_store, const FunctionSites& before,
                                                      const ir::NodeStore& after_store, const FunctionSites& after);

}  // namespace depscope::recording
