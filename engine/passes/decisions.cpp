// Names of the decision enumerations, as they stand in facts and recordings.
#include "depscope/pass/decisions.h"

#include <array>
#include <cstddef>

namespace depscope::pass {
namespace {

template <class Enum, std::size_t N>
std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : std::string_view();
}

constexpr std::array<std::string_view, 7> kDirections = {"", "input", "output", "output_existing", "inout", "no_dep", "scalar"};
constexpr std::array<std::string_view, 10> kRules = {"given",       "scalar",  "callee_in",   "callee_inout", "r_seq",
                                                     "r_ambiguous", "r_prior", "r_enclosing", "default_out",  "override"};
constexpr std::array<std::string_view, 14> kReasons = {
    "rewritten",   "no_hazard",        "not_input_or_inout", "unknown_region", "dynamic_region", "loop_producer_incomplete",
    "cross_scope", "region_fell_back", "manual_scope",       "switch_off",     "user_no_dep",    "not_modelled",
    "container",   "pass_not_run"};
constexpr std::array<std::string_view, 4> kRegionKinds = {"virtual_body", "auto_scope", "manual_scope", "container"};
constexpr std::array<std::string_view, 5> kOutcomes = {"analysed", "fell_back", "skipped_manual", "switched_off", "not_modelled"};
constexpr std::array<std::string_view, 6> kVerdicts = {"user_edge", "compiler_edge", "disjoint", "windowed", "fell_back", "none"};
constexpr std::array<std::string_view, 5> kStorageKinds = {"full", "box", "conservative", "dynamic", "unknown"};
constexpr std::array<std::string_view, 4> kAccessKinds = {"", "R", "W", "RW"};
constexpr std::array<std::string_view, 4> kAccessOutcomes = {"recorded", "site_fell_back", "unresolved", "exempt"};
constexpr std::array<std::string_view, 3> kEdgeOrigins = {"user", "compiler", "fence"};
constexpr std::array<std::string_view, 4> kEdgeStatuses = {"kept", "stripped", "given_up", "replaced"};
constexpr std::array<std::string_view, 4> kScopeChanges = {"kept", "inserted_auto", "inserted_manual", "not_inserted"};

}  // namespace

std::string_view arg_direction_name(ArgDirection direction) { return name_of(kDirections, direction); }

ArgDirection arg_direction_from_name(std::string_view name) {
  for (std::size_t i = 1; i < kDirections.size(); ++i) {
    if (kDirections[i] == name) return static_cast<ArgDirection>(i);
  }
  return ArgDirection::None;
}

std::string_view direction_rule_name(DirectionRule rule) {
  return rule == DirectionRule::Unresolved ? std::string_view("unresolved") : name_of(kRules, rule);
}

std::string_view rewrite_reason_name(RewriteReason reason) { return name_of(kReasons, reason); }
std::string_view region_kind_name(RegionKind kind) { return name_of(kRegionKinds, kind); }
std::string_view region_outcome_name(RegionOutcome outcome) { return name_of(kOutcomes, outcome); }
std::string_view hazard_verdict_name(HazardVerdict verdict) { return name_of(kVerdicts, verdict); }
std::string_view storage_kind_name(StorageKind kind) { return name_of(kStorageKinds, kind); }
std::string_view access_kind_name(std::uint8_t bits) { return name_of(kAccessKinds, bits); }
std::string_view access_outcome_name(AccessOutcome outcome) { return name_of(kAccessOutcomes, outcome); }
std::string_view edge_origin_name(EdgeOrigin origin) { return name_of(kEdgeOrigins, origin); }
std::string_view edge_status_name(EdgeStatus status) { return name_of(kEdgeStatuses, status); }
std::string_view scope_change_name(ScopeChange change) { return name_of(kScopeChanges, change); }

std::uint8_t hazards_between(std::uint8_t current, std::uint8_t prior) {
  std::uint8_t kinds = 0;
  if ((current & kReads) != 0 && (prior & kWrites) != 0) kinds |= kRaw;
  if ((current & kWrites) != 0 && (prior & kReads) != 0) kinds |= kWar;
  if ((current & kWrites) != 0 && (prior & kWrites) != 0) kinds |= kWaw;
  return kinds;
}

std::vector<std::string_view> hazard_kind_names(std::uint8_t bits) {
  std::vector<std::string_view> names;
  if ((bits & kRaw) != 0) names.emplace_back("RAW");
  if ((bits & kWar) != 0) names.emplace_back("WAR");
  if ((bits & kWaw) != 0) names.emplace_back("WAW");
  return names;
}

}  // namespace depscope::pass
