// What the passes decide, as typed records (passes.md, section 10). A pass writes them to a DecisionSink and never reads
// them back. Statements are named by StmtId of the program the pass was given; variables by VarId of the same store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/ir/nodes.h"

namespace depscope::pass {

using FunctionIndex = std::uint32_t;  ///< index into Program::functions of the pass's input

/// Index of a region within one function, in pre-order of its source position; virtual body and container are 0.
using RegionIndex = std::uint32_t;
inline constexpr RegionIndex kNoRegion = 0xffffffffU;

/// Direction of one argument of a task site (passes.md 0.3). Order as in the attribute's names.
enum class ArgDirection : std::uint8_t { None, Input, Output, OutputExisting, InOut, NoDep, Scalar };
[[nodiscard]] std::string_view arg_direction_name(ArgDirection direction);  ///< "input", "output_existing", …
[[nodiscard]] ArgDirection arg_direction_from_name(std::string_view name);  ///< None if unknown

/// Rule of DeriveCallDirections that gave a direction (passes.md 4.4).
enum class DirectionRule : std::uint8_t {
  Given,  ///< arg_directions stood in the input
  Scalar,
  CalleeIn,
  CalleeInOut,
  RSeq,
  RAmbiguous,
  RPrior,
  REnclosing,
  DefaultOut,
  Override,    ///< arg_direction_overrides: NoDep by the user
  Unresolved,  ///< callee not in the program or argument count wrong: nothing derived
};
[[nodiscard]] std::string_view direction_rule_name(DirectionRule rule);  ///< "callee_in", "r_seq", …

/// Why AutoDerive changed or kept a direction (passes.md 5.10).
enum class RewriteReason : std::uint8_t {
  Rewritten,
  NoHazard,
  NotInputOrInOut,
  UnknownRegion,
  DynamicRegion,
  LoopProducerIncomplete,
  CrossScope,
  RegionFellBack,
  ManualScope,
  SwitchOff,
  UserNoDep,
  NotModelled,
  Container,   ///< directly in a container, where nothing is analysed (passes.md 5.1)
  PassNotRun,  ///< AutoDeriveTaskDependencies was not among the passes, or does not look at this function
};
[[nodiscard]] std::string_view rewrite_reason_name(RewriteReason reason);  ///< "rewritten", "no_hazard", …

enum class RegionKind : std::uint8_t { VirtualBody, AutoScope, ManualScope, Container };
[[nodiscard]] std::string_view region_kind_name(RegionKind kind);  ///< "virtual_body", …
enum class RegionOutcome : std::uint8_t { Analysed, FellBack, SkippedManual, SwitchedOff, NotModelled };
[[nodiscard]] std::string_view region_outcome_name(RegionOutcome outcome);  ///< "analysed", …

enum HazardKind : std::uint8_t { kRaw = 1, kWar = 2, kWaw = 4 };  ///< bits
/// {"RAW", "WAR", "WAW"} for the bits that are set.
[[nodiscard]] std::vector<std::string_view> hazard_kind_names(std::uint8_t bits);
enum class HazardVerdict : std::uint8_t { UserEdge, CompilerEdge, Disjoint, Windowed, FellBack, None };
[[nodiscard]] std::string_view hazard_verdict_name(HazardVerdict verdict);  ///< "user_edge", …

enum class StorageKind : std::uint8_t { Full, Box, Conservative, Dynamic, Unknown };
[[nodiscard]] std::string_view storage_kind_name(StorageKind kind);

/// How an argument touches its storage: bits (passes.md 0.3).
inline constexpr std::uint8_t kReads = 1;
inline constexpr std::uint8_t kWrites = 2;
[[nodiscard]] std::string_view access_kind_name(std::uint8_t bits);  ///< "R", "W", "RW"
/// HazardKind bits between an access of kind `current` and an earlier one of kind `prior`.
[[nodiscard]] std::uint8_t hazards_between(std::uint8_t current, std::uint8_t prior);

/// What became of an access that AutoDerive looked at (passes.md 5.6, 5.9).
enum class AccessOutcome : std::uint8_t {
  Recorded,      ///< on record: later sites are judged against it
  SiteFellBack,  ///< its site fell back, so that none of its accesses is on record
  Unresolved,    ///< no known storage: this access made its site fall back
  Exempt,        ///< no known storage, but the user's edges wait for the producer of the value
};
[[nodiscard]] std::string_view access_outcome_name(AccessOutcome outcome);  ///< "recorded", "site_fell_back", …

enum class EdgeOrigin : std::uint8_t {
  User,
  Compiler,
  Fence,  ///< put there by ExpandManualPhaseFence
};
[[nodiscard]] std::string_view edge_origin_name(EdgeOrigin origin);  ///< "user", "compiler", "fence"

enum class EdgeStatus : std::uint8_t {
  Kept,
  Stripped,  ///< attached, then taken away because a region around the site fell back
  GivenUp,   ///< found before its own site fell back, never attached
  Replaced,  ///< a user edge that a phase fence stands for now
};
[[nodiscard]] std::string_view edge_status_name(EdgeStatus status);  ///< "kept", "stripped", "given_up", "replaced"

/// What MaterializeRuntimeScopes did at one place (passes.md 8).
enum class ScopeChange : std::uint8_t { Kept, InsertedAuto, InsertedManual, NotInserted };
[[nodiscard]] std::string_view scope_change_name(ScopeChange change);  ///< "kept", "inserted_auto", …

/// Index of a storage record, counted from 0 over all functions of one pass run in the order they are written.
using StorageIndex = std::uint32_t;
inline constexpr StorageIndex kNoStorage = 0xffffffffU;

/// One storage location: a part of a root, and the lineage step that produced it. Hazards refer to it by index, so that a
/// quadratic number of hazards stays small.
struct StorageRecord {
  FunctionIndex function = 0;
  ir::VarId root;
  StorageKind kind = StorageKind::Unknown;
  std::vector<std::int64_t> offset;  ///< Box only, elements per dimension of the root
  std::vector<std::int64_t> shape;   ///< Box only
  ir::StmtId step;                   ///< the statement that gave this location; none for parameters
};

/// One step of the way from an argument back to what gave its storage.
struct LineageStep {
  std::uint32_t line = 0;  ///< in the input, 0 if unknown
  std::string what;        ///< "copy of 'x'", "result of tensor.gather, …"
};

struct RegionRecord {
  FunctionIndex function = 0;
  RegionIndex index = 0;
  RegionKind kind = RegionKind::VirtualBody;
  RegionOutcome outcome = RegionOutcome::Analysed;
  std::string reason;  ///< passes.md 5.9, or the construct for NotModelled; empty if none
  ir::StmtId scope;    ///< the scope statement; none for virtual body and container
  RegionIndex parent = kNoRegion;
  ir::StmtId offending_site;  ///< statement of the task site; none if there is none
  std::uint32_t offending_arg = 0xffffffffU;
  std::uint32_t stripped_edges = 0;  ///< compiler edges that were attached and taken away again
  std::uint32_t line = 0;            ///< of the construct for NotModelled, else of the scope
  std::uint32_t kept_edges = 0;      ///< compiler edges that stay although the region fell back (passes.md 5.9, virtual body)
  std::vector<LineageStep> lineage;  ///< FellBack: from the offending argument to the statement that defines it
};

struct ArgumentRecord {
  FunctionIndex function = 0;
  ir::StmtId site;
  std::uint32_t arg = 0;
  ir::ParamDirection callee = ir::ParamDirection::In;
  ArgDirection direction = ArgDirection::None;
  DirectionRule rule = DirectionRule::Given;
};

/// AutoDerive's verdict for one argument, also when nothing changed.
struct RewriteRecord {
  FunctionIndex function = 0;
  ir::StmtId site;
  std::uint32_t arg = 0;
  ArgDirection before = ArgDirection::None;
  ArgDirection after = ArgDirection::None;
  RewriteReason reason = RewriteReason::NoHazard;
  ArgDirection undone = ArgDirection::None;  ///< RegionFellBack: what the region would have given, None if nothing is lost
  RegionIndex undone_by = kNoRegion;         ///< the region that fell back
};

/// One access that AutoDerive put on record or tried to: one per argument and possible place. In order of sites and arguments.
struct AccessRecord {
  FunctionIndex function = 0;
  RegionIndex region = kNoRegion;
  ir::StmtId site;
  std::uint32_t arg = 0;
  ArgDirection direction = ArgDirection::None;
  std::uint8_t kind = 0;  ///< kReads, kWrites
  StorageIndex storage = kNoStorage;
  ir::VarId id;  ///< names the producer when the site is left; none for a reader without result
  bool in_loop = false;
  std::uint32_t dynamic_serial = 0;  ///< of the innermost loop of unknown length around it, counted from 1; 0 if there is none
  AccessOutcome outcome = AccessOutcome::Recorded;
};

/// Where accesses meet by the hundred, one record stands for a run of them: `count` accesses from `first` on in list number
/// `list`, which DecisionSink::access_listed wrote down. The record itself describes the first; of the others only what the
/// list says differs: site, argument, storage and id.
inline constexpr std::uint32_t kNoList = 0xffffffffU;
struct AccessRun {
  std::uint32_t list = kNoList;  ///< none: the record stands for itself
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

struct HazardRecord {
  FunctionIndex function = 0;
  RegionIndex region = kNoRegion;
  ir::StmtId prior_site, current_site;
  std::uint32_t prior_arg = 0, current_arg = 0;
  std::uint8_t kinds = 0;  ///< HazardKind bits
  bool by_memref = false;  ///< different roots that may alias by MemRef
  StorageIndex prior_storage = 0, current_storage = 0;
  HazardVerdict verdict = HazardVerdict::None;
  ir::VarId edge;  ///< the id variable that covers it, if any
  bool synthetic_id = false;
  std::string_view reason;  ///< static text: coverage detail ("whole_array", "windowed", …) or fallback reason
  /// CompilerEdge: position among the site's compiler edges; UserEdge and Windowed: among its user edges. Both count the
  /// site's EdgeRecords of that origin from 0.
  std::uint32_t edge_index = 0xffffffffU;
  AccessRun priors = {};  ///< accesses with the same verdict, and with an edge of the same EdgeRecord
};

/// One user or compiler edge of a call site, also when it did not stay. A site's user edges come first, each origin in the
/// order of its list; sites in program order.
struct EdgeRecord {
  FunctionIndex function = 0;
  ir::StmtId site;
  ir::VarId id;  ///< the id variable named in deps or compiler_manual_dep_edges
  EdgeOrigin origin = EdgeOrigin::Compiler;
  bool synthetic_id = false;  ///< compiler edges: the id is none that the program names (passes.md 5.7)
  ir::StmtId producer;        ///< the task that the id stands for, the first one of several; none if not known
  EdgeStatus status = EdgeStatus::Kept;
  RegionIndex stripped_by = kNoRegion;
  /// The region next to the consumer's own from which the producer's access came: the enclosing one, or the nested one that
  /// handed it up. None if the producer stands in the same region, or if either region is not known.
  RegionIndex imported_from = kNoRegion;
  AccessRun producers = {};  ///< compiler edges: the accesses for which they were first needed, one edge each
};

struct FenceRecord {
  FunctionIndex function = 0;
  ir::StmtId loop;
  ir::VarId array;
  std::int64_t producers = 0, consumers = 0, saving = 0;
  bool accepted = false;
  std::string reason;  ///< passes.md 6.4; empty when accepted
};

struct ScopeRecord {
  FunctionIndex function = 0;
  ir::StmtId scope;  ///< the scope in the pass's output; none if none was inserted
  bool manual = false;
  std::string decision;  ///< "function marker", "leaf, all marked", "missing marker", …
  ScopeChange change = ScopeChange::Kept;
  ir::StmtId around;  ///< the loop or if whose body this is about (in the pass's input); none for the whole body and kept scopes
};

struct CarryRecord {
  FunctionIndex function = 0;
  ir::StmtId loop;
  std::uint32_t index = 0;  ///< position among the iter-args
  bool rebind = false;
  std::int64_t array_size = 0;  ///< 0 if none
  ir::VarId iter_arg;
};

/// Anything a user should hear of: warnings of passes.md 13 ("loop_carried_unchecked", …), "comm_not_modelled", "not_modelled".
struct NoticeRecord {
  FunctionIndex function = 0;
  std::string name;
  std::string message;
  ir::StmtId where;
};

/// The one door from the passes to the recording.
class DecisionSink {
 public:
  DecisionSink() = default;
  DecisionSink(const DecisionSink&) = delete;
  DecisionSink& operator=(const DecisionSink&) = delete;
  virtual ~DecisionSink() = default;

  virtual void region(const RegionRecord& record) = 0;
  virtual void argument(const ArgumentRecord& record) = 0;
  virtual void rewrite(const RewriteRecord& record) = 0;
  virtual void storage(const StorageRecord& record) = 0;
  virtual void access(const AccessRecord& /*record*/) {}
  /// Puts one more access at the end of list `list` (from 0, by pass run): the AccessRecord `access`, counted from 0 over one
  /// pass run, and the id variable that stands for its task, none if there is none.
  virtual void access_listed(std::uint32_t /*list*/, std::uint32_t /*access*/, ir::VarId /*id*/) {}
  virtual void hazard(const HazardRecord& record) = 0;
  virtual void edge(const EdgeRecord& record) = 0;
  virtual void fence(const FenceRecord& record) = 0;
  virtual void scope(const ScopeRecord& record) = 0;
  virtual void carry(const CarryRecord& record) = 0;
  virtual void notice(const NoticeRecord& record) = 0;
};

/// Counts records, runs by their length, and forgets them; for tests and for runs that only want the program.
class CountingSink final : public DecisionSink {
 public:
  void region(const RegionRecord&) override { ++regions; }
  void argument(const ArgumentRecord&) override { ++arguments; }
  void rewrite(const RewriteRecord&) override { ++rewrites; }
  void storage(const StorageRecord&) override { ++storages; }
  void access(const AccessRecord&) override { ++accesses; }
  void hazard(const HazardRecord& record) override { hazards += record.priors.count; }
  void edge(const EdgeRecord& record) override { edges += record.producers.count; }
  void fence(const FenceRecord&) override { ++fences; }
  void scope(const ScopeRecord&) override { ++scopes; }
  void carry(const CarryRecord&) override { ++carries; }
  void notice(const NoticeRecord&) override { ++notices; }

  std::uint64_t regions = 0, arguments = 0, rewrites = 0, storages = 0, accesses = 0, hazards = 0, edges = 0, fences = 0,
                scopes = 0, carries = 0, notices = 0;
};

}  // namespace depscope::pass
