// What arrives while the passes run.
#include <unordered_map>
#include <utility>

#include "depscope/ir/text.h"
#include "pass_recorder_state.h"

namespace depscope::recording {

void PassRecorder::State::take_program(const ir::Program& program, std::uint32_t index, const pass::Pass* pass, bool changed,
                                       const std::vector<Diagnostic>& diagnostics) {
  ir::PrintedProgram printed = ir::print_program_with_lines(program);
  r.passes.name.push_back(r.strings.add(pass == nullptr ? "frontend" : pass->name()));
  r.passes.text.push_back(r.strings.add(printed.text));
  r.passes.changed.push_back(changed && index != 0 ? 1 : 0);
  r.passes.required.push_back(pass == nullptr ? 0 : pass->required());
  r.passes.produced.push_back(pass == nullptr ? 0 : pass->produced());
  r.passes.invalidated.push_back(pass == nullptr ? 0 : pass->invalidated());
  std::vector<std::uint32_t> messages;
  messages.reserve(diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) messages.push_back(r.strings.add(diagnostic.headline()));
  run_of(r.passes.message_begin, r.passes.message_begin_count, messages);

  Snapshot now;
  now.functions = collect_sites(program);
  // A statement may stand in the program several times (copies share their nodes): its lines are used in order.
  std::unordered_map<ir::StmtId, std::vector<std::uint32_t>> lines;
  for (const FunctionSites& function : now.functions) {
    for (const TaskSite& site : function.sites) lines.try_emplace(site.statement);
  }
  for (const auto& [statement, at] : printed.statement_lines) {
    const auto found = lines.find(statement);
    if (found != lines.end()) found->second.push_back(at);
  }
  std::unordered_map<ir::StmtId, std::uint32_t> used;
  for (const FunctionSites& function : now.functions) {
    std::vector<std::uint32_t>& out = now.lines.emplace_back();
    for (const TaskSite& site : function.sites) {
      const std::vector<std::uint32_t>& at = lines[site.statement];
      const std::uint32_t k = used[site.statement]++;
      out.push_back(k < at.size() ? at[k] : at.empty() ? 0 : at.back());
    }
  }
  snapshots.push_back(std::move(now));
  programs.push_back(program);
  current_valid = false;
}

PassRecorder::PassRecorder(Recording& recording) : state_(std::make_unique<State>(recording)) {}
PassRecorder::~PassRecorder() = default;

void PassRecorder::after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                              const std::vector<Diagnostic>& diagnostics) {
  state_->take_program(program, index, pass, changed, diagnostics);
}

void PassRecorder::region(const pass::RegionRecord& record) {
  state_->regions.push_back({state_->snapshot(), record, state_->site(record.offending_site)});
}
void PassRecorder::argument(const pass::ArgumentRecord& record) {
  state_->arguments.push_back({state_->site(record.site), record.arg, record.callee, record.direction, record.rule});
}
void PassRecorder::rewrite(const pass::RewriteRecord& record) {
  state_->rewrites.push_back({state_->site(record.site), record.arg, record.before, record.reason});
}
void PassRecorder::storage(const pass::StorageRecord& record) { state_->storages.push_back({state_->snapshot(), record}); }
void PassRecorder::hazard(const pass::HazardRecord& record) {
  state_->hazards.push_back({state_->snapshot(), record, state_->site(record.prior_site), state_->site(record.current_site)});
}
void PassRecorder::fence(const pass::FenceRecord& record) { state_->fences.push_back({state_->snapshot(), record}); }
void PassRecorder::notice(const pass::NoticeRecord& record) {
  state_->notices.push_back({state_->snapshot(), record, state_->site(record.where)});
}
// What these tell stands in the last program itself: compiler_manual_dep_edges, the scopes, the loop attributes.
void PassRecorder::edge(const pass::EdgeRecord&) {}
void PassRecorder::scope(const pass::ScopeRecord&) {}
void PassRecorder::carry(const pass::CarryRecord&) {}

std::uint32_t PassRecorder::call_site_of(ir::StmtId site) const {
  const auto found = state_->final_sites.find(site);
  return found == state_->final_sites.end() ? kNoRow : found->second;
}

}  // namespace depscope::recording
