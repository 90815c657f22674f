#include "task_sites.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "depscope/recording/tables.h"

namespace depscope::recording {
namespace {

using ir::StmtId;
using ir::StmtKind;

class Collector {
 public:
  Collector(const ir::Program& program, const std::unordered_set<NameId>& functions)
      : store_(*program.store), functions_(functions) {}

  FunctionSites run(const ir::Function& function) {
    out_.name = function.name;
    stack_.push_back({function.body, 0, 0, kNoRow});
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.body.count) {
        stack_.pop_back();
        continue;
      }
      const StmtId id = store_.at<StmtId>(top.body, top.next++);
      visit(id, top.loop_depth, top.scope);  // may grow the stack: `top` is not used any more
    }
    return std::move(out_);
  }

 private:
  /// A body that is being walked. The nesting of a program needs no recursion of ours.
  struct Frame {
    Range body;
    std::uint32_t next = 0;
    std::uint32_t loop_depth = 0;
    std::uint32_t scope = kNoRow;
  };

  void visit(StmtId id, std::uint32_t loop_depth, std::uint32_t scope) {
    switch (store_.stmt(id).kind) {
      case StmtKind::Assign: site(id, ir::ExprId(store_.stmt(id).b), loop_depth, scope); break;
      case StmtKind::Eval: site(id, ir::ExprId(store_.stmt(id).a), loop_depth, scope); break;
      case StmtKind::If:
        stack_.push_back({store_.if_data(id).else_body, 0, loop_depth, scope});
        stack_.push_back({store_.if_data(id).then_body, 0, loop_depth, scope});
        break;
      case StmtKind::For: stack_.push_back({store_.for_data(id).body, 0, loop_depth + 1, scope}); break;
      case StmtKind::While: stack_.push_back({store_.while_data(id).body, 0, loop_depth + 1, scope}); break;
      case StmtKind::Scope: {
        std::uint32_t inner = scope;
        if (store_.scope_data(id).kind == ir::ScopeKind::Runtime) {
          inner = static_cast<std::uint32_t>(out_.scopes.size());
          out_.scopes.push_back({id, scope});
        }
        stack_.push_back({store_.scope_data(id).body, 0, loop_depth, inner});
        break;
      }
      default: break;
    }
  }

  void site(StmtId id, ir::ExprId value, std::uint32_t loop_depth, std::uint32_t scope) {
    if (!value.valid() || store_.expr(value).kind != ir::ExprKind::Call) return;
    const ir::Call& call = store_.call(value);
    SiteKind kind = SiteKind::Call;
    switch (call.form) {
      case ir::CallForm::Submit: kind = SiteKind::Submit; break;
      case ir::CallForm::Function: kind = SiteKind::Call; break;
      case ir::CallForm::Op: kind = SiteKind::Dummy; break;
      case ir::CallForm::Plain: return;
    }
    if (kind == SiteKind::Dummy ? store_.text(call.callee) != "system.task_dummy" : !functions_.contains(call.callee)) return;
    out_.sites.push_back({id, value, kind, call.callee, loop_depth, scope});
  }

  const ir::NodeStore& store_;
  const std::unordered_set<NameId>& functions_;
  FunctionSites out_;
  std::vector<Frame> stack_;
};

/// Sites of one sort (kernel or dummy) by their index.
std::vector<std::uint32_t> of_sort(const FunctionSites& function, bool dummy) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < function.sites.size(); ++i) {
    if ((function.sites[i].kind == SiteKind::Dummy) == dummy) out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<FunctionSites> collect_sites(const ir::Program& program) {
  std::unordered_set<NameId> names;  // looked up only
  for (const ir::Function& function : program.functions) names.insert(function.name);
  std::vector<FunctionSites> out;
  out.reserve(program.functions.size());
  for (const ir::Function& function : program.functions) out.push_back(Collector(program, names).run(function));
  return out;
}

std::vector<std::uint32_t> follow_sites(const ir::NodeStore& before_store, const FunctionSites& before,
                                        const ir::NodeStore& after_store, const FunctionSites& after) {
  std::vector<std::uint32_t> out(before.sites.size(), kNoRow);
  for (const bool dummy : {false, true}) {
    const std::vector<std::uint32_t> from = of_sort(before, dummy);
    const std::vector<std::uint32_t> to = of_sort(after, dummy);
    if (from.size() == to.size()) {
      for (std::size_t i = 0; i < from.size(); ++i) out[from[i]] = to[i];
      continue;
    }
    // Copies of unrolled loops stand together and removed sites leave gaps: both lists stay in order of their places.
    const bool same_text = &before_store == &after_store;
    const auto key = [&](const ir::NodeStore& store, const TaskSite& site) {
      return std::pair(store.text(site.callee), same_text ? store.stmt(site.statement).span.begin : 0U);
    };
    std::map<std::pair<std::string_view, std::uint32_t>, std::vector<std::uint32_t>> places;  // positions in `to`, ascending
    for (std::uint32_t at = 0; at < to.size(); ++at) places[key(after_store, after.sites[to[at]])].push_back(at);
    std::uint32_t next = 0;
    for (const std::uint32_t site : from) {
      const std::vector<std::uint32_t>& found = places[key(before_store, before.sites[site])];
      const auto at = std::lower_bound(found.begin(), found.end(), next);
      if (at == found.end()) continue;
      out[site] = to[*at];
      next = *at + 1;
    }
  }
  return out;
}

}  // namespace depscope::recording
