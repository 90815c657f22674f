// What arrives while the passes run.
#include <unordered_map>
#include <utility>

#include "depscope/ir/text.h"
#include "pass_recorder_state.h"

namespace depscope::recording {

Snapshot::Snapshot(std::vector<FunctionSites> sites_by_function) : functions(std::move(sites_by_function)) {
  std::uint32_t count = 0;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    first_site.push_back(count);
    count += static_cast<std::uint32_t>(functions[f].sites.size());
    function_of.resize(count, f);
  }
  first_site.push_back(count);
}

void PassRecorder::State::take_program(const ir::Program& program, std::uint32_t index, const pass::Pass* pass, bool changed,
                                       const std::vector<Diagnostic>& diagnostics) {
  const bool same = !programs.empty() && ir::same_nodes(programs.back(), program);
  ir::PrintedProgram printed;
  if (!same) printed = ir::print_program_with_lines(program, ir::kReadableRun);
  r.passes.name.push_back(r.strings.add(pass == nullptr ? "frontend" : pass->name()));
  r.passes.text.push_back(same ? r.passes.text.back() : r.strings.add(printed.text));
  r.passes.changed.push_back(changed && index != 0 ? 1 : 0);
  r.passes.required.push_back(pass == nullptr ? 0 : pass->required());
  r.passes.produced.push_back(pass == nullptr ? 0 : pass->produced());
  r.passes.invalidated.push_back(pass == nullptr ? 0 : pass->invalidated());
  std::vector<std::uint32_t> messages;
  messages.reserve(diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) messages.push_back(r.strings.add(diagnostic.headline()));
  run_of(r.passes.message_begin, r.passes.message_begin_count, messages);

  if (same) {
    snapshots.push_back(snapshots.back());
    programs.push_back(program);
    current_valid = false;
    return;
  }
  Snapshot now(collect_sites(program));
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
    for (const TaskSite& site : function.sites) {
      const std::vector<std::uint32_t>& at = lines[site.statement];
      const std::uint32_t k = used[site.statement]++;
      now.lines.push_back(k < at.size() ? at[k] : at.empty() ? 0 : at.back());
    }
  }
  snapshots.push_back(std::move(now));
  programs.push_back(program);
  current_valid = false;
}

std::uint32_t PassRecorder::State::site_number(ir::StmtId statement) {
  if (!statement.valid()) return kNoRow;
  const std::uint32_t at = snapshot();
  if (!current_valid) {
    current_sites.assign(programs[at].store->stmt_count(), kNoRow);
    std::uint32_t number = 0;
    for (const FunctionSites& function : snapshots[at].functions) {
      for (const TaskSite& site : function.sites) {
        std::uint32_t& known = current_sites[site.statement.value];
        if (known == kNoRow) known = number;
        ++number;
      }
    }
    current_valid = true;
  }
  return statement.value < current_sites.size() ? current_sites[statement.value] : kNoRow;
}

std::uint32_t PassRecorder::State::name_string(ir::VarId var) {
  if (!var.valid()) return 0;
  const ir::NodeStore* store = programs.back().store.get();
  if (store != named_store_) {
    named_store_ = store;
    name_strings_.clear();
  }
  if (var.value >= name_strings_.size()) name_strings_.resize(store->var_count(), kNoRow);
  std::uint32_t& string = name_strings_[var.value];
  if (string == kNoRow) string = r.strings.add(store->name(var));
  return string;
}

std::uint32_t PassRecorder::State::expr_string(ir::ExprId id) {
  const ir::NodeStore& store = *programs.back().store;
  return store.is_var(id) ? name_string(store.as_var(id)) : r.strings.add(ir::print_expr(store, id));
}

std::uint32_t PassRecorder::State::static_string(std::string_view text) {
  if (text.data() != last_static_.data() || text.size() != last_static_.size()) {
    last_static_ = text;
    last_static_string_ = r.strings.add(text);
  }
  return last_static_string_;
}

void PassRecorder::State::start_derivation() {
  const std::uint32_t at = snapshot();
  if (derived_at == at) return;
  derived_at = at;
  regions.clear();
  r.storage = {};
  r.hazards = {};
  r.pass_accesses = {};
  r.pass_edges = {};
  lists.clear();
  runs.clear();
}

void PassRecorder::State::add_run(const pass::AccessRun& run, std::vector<std::uint32_t>& begin,
                                  std::vector<std::uint32_t>& count) {
  count.push_back(run.list == pass::kNoList ? 0 : run.count - 1);
  begin.push_back(count.back() == 0 ? 0 : static_cast<std::uint32_t>(runs.size()));
  if (count.back() != 0) runs.push_back({run.list, run.first + 1});
}

PassRecorder::PassRecorder(Recording& recording) : state_(std::make_unique<State>(recording)) {}
PassRecorder::~PassRecorder() = default;

void PassRecorder::after_pass(std::uint32_t index, const pass::Pass* pass, const ir::Program& program, bool changed,
                              const std::vector<Diagnostic>& diagnostics) {
  state_->take_program(program, index, pass, changed, diagnostics);
}

void PassRecorder::region(const pass::RegionRecord& record) {
  state_->start_derivation();
  state_->regions.push_back({record, state_->site(record.offending_site)});
}

void PassRecorder::argument(const pass::ArgumentRecord& record) {
  state_->arguments.push_back({state_->site(record.site), record.arg, record.callee, record.direction, record.rule});
}

void PassRecorder::rewrite(const pass::RewriteRecord& record) {
  state_->rewrites.push_back(
      {state_->site(record.site), record.arg, record.before, record.reason, record.undone, record.undone_by});
}

void PassRecorder::storage(const pass::StorageRecord& record) {
  State& s = *state_;
  s.start_derivation();
  auto& t = s.r.storage;
  t.root.push_back(s.name_string(record.root));
  t.kind.push_back(static_cast<std::uint8_t>(record.kind));
  std::vector<std::uint32_t> words;
  if (record.offset.size() == record.shape.size()) {
    for (const auto* list : {&record.offset, &record.shape}) {
      for (const std::int64_t value : *list) {
        words.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
        words.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32U));
      }
    }
  }
  s.run_of(t.box_begin, t.box_begin_count, words);
  t.step_line.push_back(s.line(s.snapshot(), record.step));
}

void PassRecorder::access(const pass::AccessRecord& record) {
  State& s = *state_;
  s.start_derivation();
  auto& t = s.r.pass_accesses;
  t.call_site.push_back(s.site_number(record.site));
  t.arg.push_back(record.arg);
  t.direction.push_back(static_cast<std::uint8_t>(record.direction));
  t.kind.push_back(record.kind);
  t.storage.push_back(record.storage);
  t.id.push_back(s.name_string(record.id));
  t.in_loop.push_back(record.in_loop ? 1 : 0);
  t.dynamic_serial.push_back(record.dynamic_serial);
  t.region.push_back(record.region);
  t.outcome.push_back(static_cast<std::uint8_t>(record.outcome));
}

void PassRecorder::hazard(const pass::HazardRecord& record) {
  State& s = *state_;
  s.start_derivation();
  auto& t = s.r.hazards;
  t.region.push_back(record.region);
  t.prior.push_back(s.site_number(record.prior_site));
  t.current.push_back(s.site_number(record.current_site));
  t.prior_arg.push_back(record.prior_arg);
  t.current_arg.push_back(record.current_arg);
  t.kinds.push_back(record.kinds);
  t.prior_storage.push_back(record.prior_storage);
  t.current_storage.push_back(record.current_storage);
  t.verdict.push_back(static_cast<std::uint8_t>(record.verdict));
  t.edge.push_back(s.name_string(record.edge));
  t.reason.push_back(s.static_string(record.reason));
  t.by_memref.push_back(record.by_memref ? 1 : 0);
  t.synthetic.push_back(record.synthetic_id ? 1 : 0);
  t.edge_row.push_back(record.edge_index);
  s.add_run(record.priors, t.more_begin, t.more_count);
}

void PassRecorder::access_listed(std::uint32_t list, std::uint32_t access, ir::VarId id) {
  State& s = *state_;
  s.start_derivation();
  if (list >= s.lists.size()) s.lists.resize(list + std::size_t{1});
  s.lists[list].push_back({access, s.name_string(id)});
}

void PassRecorder::edge(const pass::EdgeRecord& record) {
  State& s = *state_;
  s.start_derivation();
  auto& t = s.r.pass_edges;
  t.consumer.push_back(s.site_number(record.site));
  t.id.push_back(s.name_string(record.id));
  t.origin.push_back(static_cast<std::uint8_t>(record.origin));
  t.synthetic.push_back(record.synthetic_id ? 1 : 0);
  t.producer.push_back(s.site_number(record.producer));
  t.status.push_back(static_cast<std::uint8_t>(record.status));
  t.stripped_by.push_back(record.stripped_by);
  t.imported_from.push_back(record.imported_from);
  s.add_run(record.producers, t.more_begin, t.more_count);
}

void PassRecorder::fence(const pass::FenceRecord& record) { state_->fences.push_back({state_->snapshot(), record}); }
void PassRecorder::scope(const pass::ScopeRecord& record) { state_->scopes.push_back({state_->snapshot(), record}); }
void PassRecorder::carry(const pass::CarryRecord& record) { state_->carries.push_back({state_->snapshot(), record}); }
void PassRecorder::notice(const pass::NoticeRecord& record) {
  state_->notices.push_back({state_->snapshot(), record, state_->site(record.where)});
}

std::uint32_t PassRecorder::call_site_of(ir::StmtId site) const {
  const auto found = state_->final_sites.find(site);
  return found == state_->final_sites.end() ? kNoRow : found->second;
}

}  // namespace depscope::recording
