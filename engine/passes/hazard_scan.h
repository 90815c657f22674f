// Hazards of one task site against the accesses on record (passes.md 5.6 to 5.10).
#pragma once

#include <cstdint>
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

/// A compiler edge, and the task for whose access it was first needed.
struct FoundEdge {
  ir::VarId id;
  ir::StmtId producer;
};

/// One task site in an analysed region.
struct SiteFindings {
  ir::StmtId stmt;
  RegionIndex region = kNoRegion;
  std::vector<FoundEdge> edges;  ///< of a site that fell back: those found before that, which are not attached
  std::vector<ArgumentFindings> arguments;
  std::string_view fallback;  ///< reason; empty if the site could be analysed
  std::uint32_t offending_arg = 0xffffffffU;
  bool directions_fit = true;  ///< one direction per argument
};

/// Everything about the current function that a scan needs.
struct ScanContext {
  const ir::Program* program = nullptr;
  FunctionIndex function = 0;
  DecisionSink* sink = nullptr;
  const StorageLineage* lineage = nullptr;
  const TaskIdLineage* ids = nullptr;
  const LoopStack* loops = nullptr;
  StorageIndex first_storage = 0;  ///< index of the function's first storage record
};

class HazardScan {
 public:
  HazardScan(AccessLog& log, UserCoverage& coverage, InvisibleAccesses& invisible)
      : log_(log), coverage_(coverage), invisible_(invisible) {}

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
  std::uint32_t add_edge(ir::VarId id, ir::StmtId producer, SiteFindings& site);
  /// Writes what the site's arguments touch. `outcome` is that of the accesses with known storage.
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
  std::vector<AccessRange> other_branches_;
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
