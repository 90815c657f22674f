// Hazards of one task site against the accesses on record (passes.md 5.6 to 5.10).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "access_log.h"
#include "depscope/pass/pass.h"
#include "loop_stack.h"
#include "task_id_lineage.h"
#include "user_coverage.h"

namespace depscope::pass {

/// Accesses that happen but are not on record, by root: a later conflict with one is worth a notice (passes.md 13).
class InvisibleAccesses {
 public:
  struct Entry {
    std::string_view why;  ///< "manual_invisible", …
    ir::StmtId where;
    std::uint8_t kind = 0;
  };
  /// Keeps what was noted first, a writer rather than a reader.
  void note(ir::VarId root, std::string_view why, ir::StmtId where, std::uint8_t kind);
  /// The entry that conflicts with an access of this kind, once; null if there is none (any more).
  [[nodiscard]] const Entry* take_conflict(ir::VarId root, std::uint8_t kind);
  void clear() { entries_.clear(); }

 private:
  struct Slot {
    Entry entry;
    bool taken = false;
  };
  VarTable<Slot> entries_;
};

/// What was found out about one argument of a site.
struct ArgumentFindings {
  ArgDirection direction = ArgDirection::None;
  bool precise_hazard = false;  ///< on a Full, Box or Conservative region
  bool unknown_hazard = false, dynamic_hazard = false;
  bool loop_incomplete = false;
  bool cross_scope = false;
  bool unlocated = false;       ///< no storage, but its producer is waited for
  bool imprecise_part = false;  ///< some alternative is Dynamic or Unknown
};

/// A compiler edge, and the task for whose access it was first needed; or a run of such edges, then `id` and `producer` are
/// those of the first.
struct FoundEdge {
  ir::VarId id;
  ir::StmtId producer;
  AccessRun run = {};
  std::uint32_t ir_list = 0;  ///< of a run: the variable list in the store that has the ids, at the same positions
};

/// One task site in an analysed region.
struct SiteFindings {
  ir::StmtId stmt;
  RegionIndex region = kNoRegion;
  std::uint32_t edge_count = 0;  ///< runs counted by their length
  std::vector<FoundEdge> edges;  ///< of a site that fell back: those found before that, which are not attached
  std::vector<ArgumentFindings> arguments;
  std::string_view fallback;  ///< reason; empty if the site could be analysed
  std::uint32_t offending_arg = 0xffffffffU;
  bool directions_fit = true;  ///< one direction per argument
};

/// Everything about the current function that a scan needs.
struct ScanContext {
  const ir::Program* program = nullptr;
  std::uint32_t max_single_priors = 0;  ///< with more accesses to judge one against, records are runs
  FunctionIndex function = 0;
  DecisionSink* sink = nullptr;
  const StorageLineage* lineage = nullptr;
  const TaskIdLineage* ids = nullptr;
  const LoopStack* loops = nullptr;
  StorageIndex first_storage = 0;  ///< index of the function's first storage record
};

/// Numbers that count through all functions of one pass run.
struct RunCounters {
  std::uint32_t accesses = 0;               ///< AccessRecords written
  std::vector<std::uint32_t> ir_of_list{};  ///< by list of accesses: the variable list with its ids
};

class HazardScan {
 public:
  HazardScan(AccessLog& log, UserCoverage& coverage, InvisibleAccesses& invisible, RunCounters& counters)
      : log_(log), coverage_(coverage), invisible_(invisible), counters_(counters) {}

  void start(const ScanContext& context);
  /// While the else branch of an if is scanned: the accesses of its then branch, which never happen together with it.
  void enter_else(std::uint32_t first_access, std::uint32_t end_access) { other_branches_.push_back({first_access, end_access}); }
  void leave_else() { other_branches_.pop_back(); }

  /// Judges the site and, unless it falls back, puts its accesses on record.
  [[nodiscard]] SiteFindings scan(ir::StmtId stmt, RegionIndex region);

  /// Disjoint pairs that are recorded for one access; further ones are only counted on.
  static constexpr std::uint32_t kMaxDisjointRecords = 64;

 private:
  bool collect_accesses(const ir::Call& call, SiteFindings& site);
  void name_producer(const ir::Call& call, SiteFindings& site);
  bool judge(const Access& current, SiteFindings& site);
  bool judge_pair(const Access& current, std::uint32_t prior_index, SiteFindings& site);
  /// Position of the edge in the site's list; it is added on first need.
  std::uint32_t add_edge(ir::VarId id, const Access& prior, SiteFindings& site);
  void close_edge_run(SiteFindings& site);
  /// The id variable to wait for, none if there is none.
  [[nodiscard]] ir::VarId edge_id(const Access& access) const;
  void put(const HazardRecord& record, const Access& prior);
  void finish_runs(SiteFindings& site);
  /// Judges an access against a whole list at once. False if it has to be done one by one; nothing has happened then.
  bool judge_whole_list(const Access& current, SiteFindings& site);
  void mark_whole_lists(const SiteFindings& site);
  [[nodiscard]] const AlikeAccesses& alike(ir::VarId root, AccessSource source);
  [[nodiscard]] bool all_of_different_tasks(ir::VarId root);
  [[nodiscard]] bool same_ids(std::uint32_t list, std::uint32_t other, std::uint32_t count) const;
  /// Writes down what is new of a list, and returns its number.
  std::uint32_t write_list(ir::VarId root, AccessSource source);
  /// Writes what the site's arguments touch, and numbers the accesses. `outcome` is that of accesses with known storage.
  void report_accesses(const SiteFindings& site, AccessOutcome outcome);
  void note_blind_spots(const Access& access);
  void note_implied_edge(const SiteFindings& site);
  void notice(std::string_view name, std::string message, ir::StmtId where);

  ScanContext c_;
  AccessLog& log_;
  UserCoverage& coverage_;
  InvisibleAccesses& invisible_;
  /// The last site that took an id as an edge, and where it stands in its list.
  struct TakenEdge {
    std::uint32_t site = 0, position = 0;
  };
  struct AccessRange {
    std::uint32_t first = 0, end = 0;
  };
  /// A run of hazards that may still grow.
  struct GrowingHazards {
    HazardRecord record;
    ir::VarId root;
    AccessSource source = AccessSource::All;
  };
  /// The run of edges that the site's last edge stands for, while it may still grow.
  struct GrowingEdges {
    ir::VarId root;
    AccessSource kind = AccessSource::Writers;
    std::uint32_t of_kind = 0, of_root = 0;  // positions of the first
    RegionIndex region = kNoRegion;
    bool synthetic = false;
    bool by_kind = true, by_root = true;  // the members stand side by side in this list
  };
  /// The newest runs over the readers and the writers of a root.
  struct NewestRuns {
    std::uint32_t judgement = 0;
    std::array<std::uint32_t, 2> position{};  // in hazard_runs_, kNoList if there is none
  };
  bool compact_ = false;                     // the access being judged meets many
  std::uint32_t judgement_ = 0;              // counts accesses judged
  std::vector<GrowingHazards> hazard_runs_;  // in order of their first hazard
  VarTable<NewestRuns> newest_runs_;         // by root
  std::optional<GrowingEdges> edge_run_;
  bool site_has_user_edges_ = false;
  std::vector<std::uint32_t> whole_lists_;  // edges of the site over whole lists whose ids are not in edge_of_ yet
  RunCounters& counters_;
  std::vector<AccessRange> other_branches_;
  /// The first edges of the site.
  struct FewEdge {
    ir::VarId id;
    ir::StmtId producer;
  };
  static constexpr std::uint32_t kFewEdges = 8;
  std::vector<FewEdge> few_edges_;
  /// Producers of the sites with few edges, to notice an edge that another one implies.
  std::unordered_map<ir::StmtId, std::vector<ir::StmtId>> producers_of_;
  bool implied_edge_noted_ = false;
  std::vector<Access> pending_;
  std::vector<std::uint32_t> unplaced_;  // arguments of the site that are read, but have no known storage
  std::vector<std::uint32_t> priors_;
  VarTable<TakenEdge> edge_of_;
  std::uint32_t serial_ = 0;
};

/// Access kind of a direction: kReads, kWrites, both, or 0 for none (passes.md 0.3).
[[nodiscard]] std::uint8_t access_kind(ArgDirection direction);

}  // namespace depscope::pass
