// What PassRecorder keeps while the passes run, and how it becomes tables. Private.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "depscope/recording/recorder.h"
#include "task_sites.h"

namespace depscope::recording {

/// A site named by a decision: its number among all sites of the program after one passes row.
struct SiteRef {
  std::uint32_t snapshot = kNoRow;
  std::uint32_t site = kNoRow;
};

/// The sites of one program, numbered through all functions, and where they stand in its printed text.
struct Snapshot {
  explicit Snapshot(std::vector<FunctionSites> sites_by_function);

  std::vector<FunctionSites> functions;
  std::vector<std::uint32_t> first_site;   // by function: number of its first site; one entry more than functions
  std::vector<std::uint32_t> function_of;  // by site
  std::vector<std::uint32_t> lines;        // by site; empty for the last program

  [[nodiscard]] std::uint32_t site_count() const { return first_site.back(); }
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
  pass::ArgDirection undone = pass::ArgDirection::None;
  pass::RegionIndex undone_by = pass::kNoRegion;
};
struct RecordedRegion {
  pass::RegionRecord record;
  SiteRef offending;
};
template <class Record>
struct Recorded {
  std::uint32_t snapshot = 0;
  Record record;
};
struct RecordedNotice {
  std::uint32_t snapshot = 0;
  pass::NoticeRecord record;
  SiteRef site;
};

struct ListedAccess {
  std::uint32_t access = 0;  ///< counted over all accesses that arrived
  std::uint32_t id = 0;      ///< string
};
/// Where the second member of a run stands.
struct RunPlace {
  std::uint32_t list = 0, position = 0;
};

/// What AutoDerive writes is much and in order: storage, hazards, accesses and edges become table rows as they arrive. Until
/// finish, their columns for call sites hold numbers of sites of the program that AutoDerive was given, those for regions the
/// indices within the function, hazards.edge_row what HazardRecord::edge_index says, and the columns more_begin positions in
/// `runs`.
struct PassRecorder::State {
  explicit State(Recording& recording) : r(recording) {}

  Recording& r;
  std::vector<ir::Program> programs;  // after each passes row; they share their nodes
  std::vector<Snapshot> snapshots;
  std::vector<std::uint32_t> current_sites;  // by statement of the newest snapshot: number of its site
  bool current_valid = false;

  std::vector<RecordedArgument> arguments;
  std::vector<RecordedRewrite> rewrites;
  std::vector<RecordedRegion> regions;
  std::vector<Recorded<pass::FenceRecord>> fences;
  std::vector<Recorded<pass::ScopeRecord>> scopes;
  std::vector<Recorded<pass::CarryRecord>> carries;
  std::vector<RecordedNotice> notices;
  std::vector<std::vector<ListedAccess>> lists;
  std::vector<RunPlace> runs;
  std::uint32_t derived_at = kNoRow;                          // snapshot that AutoDerive's decisions speak of
  std::unordered_map<ir::StmtId, std::uint32_t> final_sites;  // call_sites row by statement of the last program

  // Made by finish.
  std::vector<std::vector<std::uint32_t>> to_last;           // snapshot, site: site of the last program
  std::vector<std::vector<std::uint32_t>> function_to_last;  // snapshot, function: function of the last program
  std::vector<std::uint32_t> row_of_site;                    // site of the last program: call_sites row
  std::vector<std::uint32_t> wrapper_row_of_site;            // site of the last program: wrapper_calls row
  std::vector<std::uint32_t> first_scope_row;                // function of the last program: its first ir_scopes row
  std::vector<std::uint32_t> first_region_row;               // function of the snapshot derived_at: its first regions row

  /// The passes row that decisions refer to now. The input comes first: without it there is nothing to refer to.
  [[nodiscard]] std::uint32_t snapshot() const {
    if (snapshots.empty()) throw InternalError("a pass decided before the recorder saw its input");
    return static_cast<std::uint32_t>(snapshots.size()) - 1;
  }
  /// Number of a statement's site in the newest snapshot, kNoRow if it is none.
  std::uint32_t site_number(ir::StmtId statement);
  SiteRef site(ir::StmtId statement) {
    const std::uint32_t number = site_number(statement);
    return number == kNoRow ? SiteRef{} : SiteRef{snapshot(), number};
  }
  /// String of a variable's name; names recur by the million.
  std::uint32_t name_string(ir::VarId var);
  /// String of a variable's name or of any other expression's text, in the newest program.
  std::uint32_t expr_string(ir::ExprId id);
  /// String of a text that is static: it is told apart by its place.
  std::uint32_t static_string(std::string_view text);
  /// A pass that runs twice decides anew: forgets what its earlier run said.
  void start_derivation();

  void run_of(std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count, const std::vector<std::uint32_t>& words) {
    begin.push_back(words.empty() ? 0 : static_cast<std::uint32_t>(r.pool.size()));
    count.push_back(static_cast<std::uint32_t>(words.size()));
    r.pool.insert(r.pool.end(), words.begin(), words.end());
  }

  void take_program(const ir::Program& program, std::uint32_t index, const pass::Pass* pass, bool changed,
                    const std::vector<Diagnostic>& diagnostics);
  // pass_tables.cpp
  void follow(const ir::Program& last);
  void write_functions(const ir::Program& last);
  void write_sites(const ir::Program& last);
  void write_site(const ir::Program& last, std::uint32_t f, std::uint32_t s, std::uint32_t first_scope);
  void apply_argument_decisions();
  void write_pass_lines();
  void write_regions();
  // wrapper_tables.cpp
  void write_parameters(const ir::Program& last);
  void write_wrapper_calls(const ir::Program& last);
  // loop_tables.cpp
  void write_site_loops(const ir::Program& last);
  /// The columns more_begin and more_count of a row that stands for a run.
  void add_run(const pass::AccessRun& run, std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& count);
  // dependency_tables.cpp
  void write_lists();
  void resolve_accesses();
  void resolve_hazards();
  void write_undone_and_lineage();
  [[nodiscard]] std::uint32_t region_row(std::uint32_t site, std::uint32_t index) const;
  // edge_tables.cpp
  void resolve_edges();
  // scope_tables.cpp
  void write_fences_scopes_and_carries();
  [[nodiscard]] std::uint32_t scope_row(std::uint32_t at, std::uint32_t function, std::uint32_t index) const;
  // pass_tables.cpp
  void write_findings();

  /// The call_sites row of a site of a snapshot.
  [[nodiscard]] std::uint32_t row(std::uint32_t at, std::uint32_t number) const {
    if (number == kNoRow) return kNoRow;
    const std::uint32_t last = to_last[at][number];
    return last == kNoRow ? kNoRow : row_of_site[last];
  }
  [[nodiscard]] std::uint32_t row(const SiteRef& ref) const { return row(ref.snapshot, ref.site); }
  /// The functions row of a function named by a decision.
  [[nodiscard]] std::uint32_t function_row(std::uint32_t at, std::uint32_t function) const {
    return at < function_to_last.size() && function < function_to_last[at].size() ? function_to_last[at][function] : kNoRow;
  }
  [[nodiscard]] std::uint32_t line(std::uint32_t at, ir::StmtId statement) const {
    return statement.valid() ? programs[at].line(programs[at].store->stmt(statement).span) : 0;
  }

 private:
  const ir::NodeStore* named_store_ = nullptr;
  std::vector<std::uint32_t> name_strings_;  // by variable of that store
  std::string_view last_static_;
  std::uint32_t last_static_string_ = 0;
};

}  // namespace depscope::recording
