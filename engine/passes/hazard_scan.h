// Hazards of one task site against the accesses on record (passes.md 5.6 to 5.10).
#pragma once

#include <cstdint>
#include <string_view>
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

/// One task site in an analysed region.
struct SiteFindings {
  ir::StmtId stmt;
  RegionIndex region = kNoRegion;
  std::vector<ir::VarId> edges;
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

  void start(const ScanContext& context) { c_ = context; }

  /// Judges the site and, unless it falls back, puts its accesses on record.
  [[nodiscard]] SiteFindings scan(ir::StmtId stmt, RegionIndex region);

  /// Disjoint pairs that are recorded for one access; further ones are only counted on.
  static constexpr std::uint32_t kMaxDisjointRecords = 64;

 private:
  bool collect_accesses(const ir::Call& call, SiteFindings& site);
  void name_producer(const ir::Call& call, SiteFindings& site);
  bool judge(const Access& current, SiteFindings& site);
  bool judge_pair(const Access& current, std::uint32_t prior_index, SiteFindings& site);
  void add_edge(ir::VarId id, SiteFindings& site);
  void note_blind_spots(const Access& access);
  void notice(std::string_view name, std::string message, ir::StmtId where);

  ScanContext c_;
  AccessLog& log_;
  UserCoverage& coverage_;
  InvisibleAccesses& invisible_;
  std::vector<Access> pending_;
  std::vector<std::uint32_t> priors_;
  VarTable<std::uint32_t> edge_of_;  // id -> serial of the site that last took it as an edge
  std::uint32_t serial_ = 0;
};

/// Access kind of a direction: kReads, kWrites, both, or 0 for none (passes.md 0.3).
[[nodiscard]] std::uint8_t access_kind(ArgDirection direction);

}  // namespace depscope::pass
