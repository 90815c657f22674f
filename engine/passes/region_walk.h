// The walk of AutoDerive over one function: regions, frames, loops and sites in source order (passes.md 5.1).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "depscope/pass/pass.h"
#include "hazard_scan.h"
#include "lineage_trail.h"

namespace depscope::pass {

/// A task site with what is to become of it.
struct WalkedSite {
  SiteFindings findings;  ///< arguments are empty for sites that were not analysed
  bool analysed = false;
  RegionIndex region = kNoRegion;                   ///< innermost region of any kind around it, if known
  RegionIndex stripped_by = kNoRegion;              ///< a region around it that fell back: no edges, no marker
  RegionIndex directions_kept_by = kNoRegion;       ///< a region around it that fell back
  RewriteReason skipped = RewriteReason::NoHazard;  ///< why it was not analysed

  [[nodiscard]] bool stripped() const { return stripped_by != kNoRegion; }
  [[nodiscard]] bool kept_directions() const { return directions_kept_by != kNoRegion; }
  /// Its compiler edges are attached: neither it nor a region that takes them away fell back.
  [[nodiscard]] bool keeps_edges() const { return findings.fallback.empty() && !stripped(); }
};

struct WalkedRegion {
  RegionRecord record;
  std::uint32_t first_site = 0;
  std::uint32_t task_sites = 0;
  bool directions_fit = true;
};

struct WalkResult {
  std::vector<WalkedSite> sites;      ///< in source order
  std::vector<WalkedRegion> regions;  ///< by index
  bool mark_function = false;         ///< the whole body may become one MANUAL scope
};

class RegionWalk {
 public:
  RegionWalk(const ir::Program& program, const FunctionTable& functions, const Options& options, DecisionSink& sink);

  /// The result is valid until the next call.
  [[nodiscard]] const WalkResult& run(FunctionIndex index, StorageIndex& next_storage);

 private:
  void visit(Range body);
  void visit_site(ir::StmtId stmt);
  void visit_scope(ir::StmtId stmt);
  void visit_loop(ir::StmtId stmt, bool is_for);
  void skip_sites(Range body, RewriteReason reason, std::string_view invisible, RegionIndex region);
  void note_invisible(ir::StmtId stmt, std::string_view why);
  void describe_unanalysed(const ir::Function& function, RegionOutcome outcome, const std::string& reason, std::uint32_t line);

  RegionIndex open_region(RegionKind kind, ir::StmtId scope);
  void fall_back(RegionIndex region, const SiteFindings& site);
  void close_auto_scope(RegionIndex region);
  void close_virtual_body(RegionIndex region);
  void check_carried_hazard(const OpenLoop& loop, std::uint32_t entered_at, std::uint32_t first_site);
  void note_lineage_gaps(ir::StmtId stmt);
  void report_edges(const ir::Function& function);
  void report_edges_of(const WalkedSite& site);
  void report_user_edges(EdgeRecord record, const ir::Call& call);
  /// See EdgeRecord::imported_from.
  [[nodiscard]] RegionIndex import_path(RegionIndex consumer, ir::StmtId producer) const;
  void notice(std::string_view name, std::string message, ir::StmtId where);
  [[nodiscard]] bool seed() const { return options_.profile == Profile::Seed; }

  struct CarriedHazard {
    ir::StmtId loop;
    ir::VarId root;
    std::uint32_t first_site = 0, end_site = 0;
  };

  const ir::Program& program_;
  const ir::NodeStore& store_;
  const Options& options_;
  DecisionSink& sink_;
  StorageLineage lineage_;
  TaskIdLineage ids_;
  AccessLog log_;
  LoopStack loops_;
  UserCoverage coverage_;
  InvisibleAccesses invisible_;
  RunCounters counters_;
  HazardScan scan_;
  LineageTrail trail_;

  FunctionIndex function_ = 0;
  WalkResult result_;
  RegionIndex active_ = kNoRegion;     ///< innermost analysed region
  RegionIndex enclosing_ = kNoRegion;  ///< innermost region of any kind
  bool has_runtime_scope_ = false;
  std::uint32_t clock_ = 0;  ///< statements visited
  VarTable<std::uint32_t> created_at_;
  std::vector<CarriedHazard> carried_;
  VarTable<ir::StmtId> producers_;                         ///< of the id variables of tasks and barriers
  std::unordered_map<ir::StmtId, RegionIndex> region_of_;  ///< of sites, where it is known; looked up only
};

/// What in the body the analysis does not know: regions that were not outlined, text that the reader did not understand.
struct UnmodelledConstruct {
  ir::StmtId stmt;   ///< none if only the function is known
  std::string name;  ///< empty if everything is known
};
[[nodiscard]] UnmodelledConstruct find_unmodelled(const ir::Program& program, const ir::Function& function);

}  // namespace depscope::pass
