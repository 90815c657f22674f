// What PassRecorder keeps while the passes run, and how it becomes tables. Private.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depscope/recording/recorder.h"
#include "task_sites.h"

namespace depscope::recording {

/// A site named by a decision: in the program of one passes row.
struct SiteRef {
  std::uint32_t snapshot = kNoRow;
  std::uint32_t function = kNoRow;  // index into that program's functions
  std::uint32_t site = kNoRow;      // index among the function's sites
};

/// The sites of one program, and where they stand in its printed text.
struct Snapshot {
  std::vector<FunctionSites> functions;
  std::vector<std::vector<std::uint32_t>> lines;  // by function and site; empty for the last program
};

struct RecordedArgument {
  SiteRef site;
  std::uint32_t arg = 0;
  ir::ParamDirection callee = ir::ParamDirection::In;
  pass::ArgDirection direction = pass::ArgDirection::None;
  pass::DirectionRule rule = pass::DirectionRule::Given;
};
struct RecordedRewrite {
  SiteRef site;
  std::uint32_t arg = 0;
  pass::ArgDirection before = pass::ArgDirection::None;
  pass::RewriteReason reason = pass::RewriteReason::NoHazard;
};
struct RecordedRegion {
  std::uint32_t snapshot = 0;
  pass::RegionRecord record;
  SiteRef offending;
};
struct RecordedStorage {
  std::uint32_t snapshot = 0;
  pass::StorageRecord record;
};
struct RecordedHazard {
  std::uint32_t snapshot = 0;
  pass::HazardRecord record;
  SiteRef prior, current;
};
struct RecordedFence {
  std::uint32_t snapshot = 0;
  pass::FenceRecord record;
};
struct RecordedNotice {
  std::uint32_t snapshot = 0;
  pass::NoticeRecord record;
  SiteRef site;
};

struct PassRecorder::State {
  explicit State(Recording& recording) : r(recording) {}

  Recording& r;
  std::vector<ir::Program> programs;  // after each passes row; they share their nodes
  std::vector<Snapshot> snapshots;
  std::unordered_map<ir::StmtId, SiteRef> current_sites;  // of the newest snapshot; looked up only
  bool current_valid = false;

  std::vector<RecordedArgument> arguments;
  std::vector<RecordedRewrite> rewrites;
  std::vector<RecordedRegion> regions;
  std::vector<RecordedStorage> storages;
  std::vector<RecordedHazard> hazards;
  std::vector<RecordedFence> fences;
  std::vector<RecordedNotice> notices;
  std::unordered_map<ir::StmtId, std::uint32_t> final_sites;  // call_sites row by statement of the last program

  // Made by finish.
  std::vector<std::vector<std::vector<std::uint32_t>>> to_last;  // snapshot, function, site: site of the last program's function
  std::vector<std::vector<std::uint32_t>> function_to_last;      // snapshot, function: function of the last program
  std::vector<std::vector<std::uint32_t>> row_of_site;           // function, site of the last program: call_sites row

  /// The passes row that decisions refer to now. The input comes first: without it there is nothing to refer to.
  [[nodiscard]] std::uint32_t snapshot() const {
    if (snapshots.empty()) throw InternalError("a pass decided before the recorder saw its input");
    return static_cast<std::uint32_t>(snapshots.size()) - 1;
  }

  SiteRef site(ir::StmtId statement) {
    if (!statement.valid()) return {};
    if (!current_valid) {
      const std::uint32_t at = snapshot();
      current_sites.clear();
      const Snapshot& now = snapshots.back();
      for (std::uint32_t f = 0; f < now.functions.size(); ++f) {
        for (std::uint32_t s = 0; s < now.functions[f].sites.size(); ++s) {
          current_sites.try_emplace(now.functions[f].sites[s].statement, SiteRef{at, f, s});
        }
      }
      current_valid = true;
    }
    const auto found = current_sites.find(statement);
    return found == current_sites.end() ? SiteRef{} : found->second;
  }

  void run_of(std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count, const std::vector<std::uint32_t>& words) {
    begin.push_back(words.empty() ? 0 : static_cast<std::uint32_t>(r.pool.size()));
    count.push_back(static_cast<std::uint32_t>(words.size()));
    r.pool.insert(r.pool.end(), words.begin(), words.end());
  }

  void take_program(const ir::Program& program, std::uint32_t index, const pass::Pass* pass, bool changed,
                    const std::vector<Diagnostic>& diagnostics);
  void follow(const ir::Program& last);
  void write_functions(const ir::Program& last);
  void write_sites(const ir::Program& last);
  void write_site(const ir::Program& last, std::uint32_t f, std::uint32_t s, std::uint32_t first_scope);
  void write_arguments(const ir::Program& last, const TaskSite& site, std::uint32_t row);
  void apply_argument_decisions();
  void write_regions();
  void write_storage_and_hazards();
  void write_findings();

  [[nodiscard]] std::uint32_t row(const SiteRef& ref) const {
    if (ref.site == kNoRow) return kNoRow;
    const std::uint32_t site = to_last[ref.snapshot][ref.function][ref.site];
    const std::uint32_t function = function_to_last[ref.snapshot][ref.function];
    return site == kNoRow || function == kNoRow ? kNoRow : row_of_site[function][site];
  }
  /// The functions row of a function named by a decision.
  [[nodiscard]] std::uint32_t function_row(std::uint32_t at, std::uint32_t function) const {
    return at < function_to_last.size() && function < function_to_last[at].size() ? function_to_last[at][function] : kNoRow;
  }
  [[nodiscard]] std::uint32_t line(std::uint32_t at, ir::StmtId statement) const {
    return statement.valid() ? programs[at].line(programs[at].store->stmt(statement).span) : 0;
  }
};

}  // namespace depscope::recording
