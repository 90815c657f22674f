// The loops around every call site of the last program.
#include "pass_recorder_state.h"

namespace depscope::recording {
namespace {

using ir::StmtId;
using ir::StmtKind;

class LoopWalk {
 public:
  LoopWalk(Recording& recording, const ir::Program& program, const std::unordered_map<StmtId, std::uint32_t>& rows)
      : r_(recording), program_(program), store_(*program.store), rows_(rows) {}

  void body(Range statements) {
    for (std::uint32_t i = 0; i < statements.count; ++i) {
      const StmtId id = store_.at<StmtId>(statements, i);
      switch (store_.stmt(id).kind) {
        case StmtKind::Assign:
        case StmtKind::Eval: site(id); break;
        case StmtKind::If:
          body(store_.if_data(id).then_body);
          body(store_.if_data(id).else_body);
          break;
        case StmtKind::For: loop(id, store_.for_data(id).kind == ir::ForKind::Parallel, store_.for_data(id).body); break;
        case StmtKind::While: loop(id, false, store_.while_data(id).body); break;
        case StmtKind::Scope: body(store_.scope_data(id).body); break;
        default: break;
      }
    }
  }

 private:
  struct Loop {
    std::uint32_t number;
    bool parallel;
    std::uint32_t line;
  };

  void loop(StmtId id, bool parallel, Range statements) {
    open_.push_back({loops_++, parallel, program_.line(store_.stmt(id).span)});
    body(statements);
    open_.pop_back();
  }

  void site(StmtId id) {
    const auto found = rows_.find(id);
    // Rows are in program order; a statement that stands in two places counts where it stands first.
    if (found == rows_.end() || (!r_.site_loops.call_site.empty() && found->second <= r_.site_loops.call_site.back())) return;
    for (const Loop& loop : open_) {
      r_.site_loops.call_site.push_back(found->second);
      r_.site_loops.loop.push_back(loop.number);
      r_.site_loops.parallel.push_back(loop.parallel ? 1 : 0);
      r_.site_loops.line.push_back(loop.line);
    }
  }

  Recording& r_;
  const ir::Program& program_;
  const ir::NodeStore& store_;
  const std::unordered_map<StmtId, std::uint32_t>& rows_;
  std::vector<Loop> open_;
  std::uint32_t loops_ = 0;
};

}  // namespace

void PassRecorder::State::write_site_loops(const ir::Program& last) {
  LoopWalk walk(r, last, final_sites);
  for (const ir::Function& function : last.functions) {
    if (function.kind == ir::FunctionKind::Orchestration) walk.body(function.body);
  }
}

}  // namespace depscope::recording
