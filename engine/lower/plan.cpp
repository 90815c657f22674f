// Names of what a plan is made of, and questions about it.
#include "depscope/lower/plan.h"

#include <algorithm>
#include <array>

#include "ir_questions.h"

namespace depscope::lower {

using ir::StmtId;
using ir::VarId;

namespace {

constexpr std::array<std::string_view, 37> kOpNames = {
    "scope_begin", "scope_end", "alloc_tensors", "args",      "add_input", "add_output", "add_inout",     "add_no_dep",
    "add_scalar",  "dump",      "dep_array",     "dep",       "set_deps",  "launch",     "early_resolve", "predicate",
    "submit",      "bind_id",   "declare_id",    "assign_id", "read_id",   "dummy",      "id_array",      "id_store",
    "id_copy",     "id_list",   "id_append",     "loop",      "loop_end",  "if",         "else",          "if_end",
    "assign",      "evaluate",  "return",        "break",     "continue"};

}  // namespace

std::string_view op_name(OpKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kOpNames.size() ? kOpNames[index] : "";
}

std::string_view edge_origin_name(EdgeOrigin origin) {
  switch (origin) {
    case EdgeOrigin::User: return "user";
    case EdgeOrigin::Fence: return "fence";
    case EdgeOrigin::Compiler: return "compiler";
  }
  return "";
}

std::string_view finding_kind_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::CodegenAbort: return "codegen_abort";
    case FindingKind::UserEdgeLost: return "user_edge_lost";
    case FindingKind::LostEdge: return "lost_edge";
    case FindingKind::NotModelled: return "not_modelled";
  }
  return "";
}

const FunctionPlan* Plan::find(const ir::Program& program, std::string_view function) const {
  const auto it = std::find_if(functions.begin(), functions.end(), [&](const FunctionPlan& f) {
    return program.store->text(program.functions[f.function].name) == function;
  });
  return it == functions.end() ? nullptr : &*it;
}

namespace {

/// What the plan and the findings say of the edges of one site: variable and whether it is a compiler edge.
using Known = std::vector<std::pair<VarId, std::uint32_t>>;  // variable, 2 × position + (1 if compiler)

std::uint32_t key(EdgeOrigin origin, std::uint32_t position) { return 2 * position + (origin == EdgeOrigin::Compiler ? 1 : 0); }

class Reconciliation {
 public:
  Reconciliation(const Plan& plan, const ir::Program& program) : plan_(plan), program_(program), store_(*program.store) {}

  std::vector<LooseEdge> run() {
    std::size_t next_finding = 0;
    for (const FunctionPlan& function : plan_.functions) {
      lost_.clear();
      for (; next_finding < plan_.findings.size() && plan_.findings[next_finding].function <= function.function; ++next_finding) {
        const Finding& f = plan_.findings[next_finding];
        if (f.var.valid() && f.site != kNone) lost_.emplace_back(f.site, f.var);
      }
      if (function.planned) check(function);
    }
    return std::move(out_);
  }

 private:
  void check(const FunctionPlan& function) {
    function_ = function.function;
    site_ = 0;
    task_ = function.tasks.begin;
    std::sort(lost_.begin(), lost_.end());
    ir::for_each_stmt(store_, program_.functions[function_].body, [&](StmtId stmt) {
      const ir::ExprId call = site_call(store_, stmt);
      if (!call.valid()) return;
      check_site(function, stmt, store_.call(call));
      ++site_;
    });
  }

  void check_site(const FunctionPlan& function, StmtId stmt, const ir::Call& call) {
    while (task_ < function.tasks.end && plan_.tasks.site[task_] != site_) ++task_;  // barriers have no site
    Known known;
    if (task_ < function.tasks.end) {
      const Rows deps = plan_.tasks.deps[task_];
      for (std::uint32_t d = deps.begin; d < deps.end; ++d) {
        for (std::uint32_t r = plan_.deps.reasons[d].begin; r < plan_.deps.reasons[d].end; ++r) {
          known.emplace_back(plan_.reasons.var[r], key(plan_.reasons.origin[r], plan_.reasons.position[r]));
        }
      }
    }
    std::sort(known.begin(), known.end());
    const auto expect = [&](const std::vector<VarId>& edges, EdgeOrigin origin) {
      for (std::uint32_t i = 0; i < edges.size(); ++i) {
        if (!edges[i].valid()) continue;
        if (std::binary_search(known.begin(), known.end(), std::pair(edges[i], key(origin, i)))) continue;
        if (std::binary_search(lost_.begin(), lost_.end(), std::pair(site_, edges[i]))) continue;
        out_.push_back({function_, stmt, origin, i, edges[i]});
      }
    };
    expect(user_edges(store_, call), EdgeOrigin::User);
    expect(compiler_edges(store_, call), EdgeOrigin::Compiler);
  }

  const Plan& plan_;
  const ir::Program& program_;
  const ir::NodeStore& store_;
  std::vector<LooseEdge> out_;
  std::uint32_t function_ = 0;
  std::uint32_t site_ = 0;
  std::uint32_t task_ = 0;
  std::vector<std::pair<std::uint32_t, VarId>> lost_;  // site, variable: edges of this function that a finding names
};

}  // namespace

std::vector<LooseEdge> reconcile(const Plan& plan, const ir::Program& program) { return Reconciliation(plan, program).run(); }

}  // namespace depscope::lower
