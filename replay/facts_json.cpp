#include "depscope/replay/facts_json.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/pass/decisions.h"

namespace depscope::replay {
namespace {

using nlohmann::ordered_json;
using recording::kNoRow;
using recording::Recording;

constexpr std::string_view kOrchestration = "Orchestration";

class Facts {
 public:
  explicit Facts(const Recording& recording) : r_(recording) {
    sites_.resize(r_.functions.rows());
    scopes_.resize(r_.functions.rows());
    regions_.resize(r_.functions.rows());
    hazards_.resize(r_.functions.rows());
    for (std::uint32_t i = 0; i < r_.call_sites.rows(); ++i) sites_[r_.call_sites.function[i]].push_back(i);
    for (std::uint32_t i = 0; i < r_.ir_scopes.rows(); ++i) scopes_[r_.ir_scopes.function[i]].push_back(i);
    for (std::uint32_t i = 0; i < r_.regions.rows(); ++i) regions_[r_.regions.function[i]].push_back(i);
    for (std::uint32_t i = 0; i < r_.hazards.rows(); ++i) {
      const std::uint32_t site = r_.hazards.current[i];
      if (site != kNoRow) hazards_[r_.call_sites.function[site]].push_back(i);
    }
  }

  [[nodiscard]] ordered_json run() const {
    ordered_json findings = ordered_json::array();
    for (std::uint32_t i = 0; i < r_.findings.rows(); ++i) findings.push_back(finding(i));
    ordered_json functions = ordered_json::object();
    for (std::uint32_t f = 0; f < r_.functions.rows(); ++f) {
      if (r_.text(r_.functions.kind[f]) != kOrchestration) continue;
      functions[std::string(r_.text(r_.functions.name[f]))] = function(f);
    }
    return {{"schema", "depscope.facts/1"}, {"findings", std::move(findings)}, {"functions", std::move(functions)}};
  }

  [[nodiscard]] ordered_json finding(std::uint32_t row) const {
    ordered_json out{{"kind", text(r_.findings.kind[row])},
                     {"severity", std::string(to_string(static_cast<Severity>(r_.findings.severity[row])))},
                     {"summary", text(r_.findings.summary[row])}};
    const std::string_view fields = r_.text(r_.findings.fields[row]);
    const ordered_json own = ordered_json::parse(fields, nullptr, /*allow_exceptions=*/false);
    if (!own.is_object()) return out;
    for (const auto& [key, value] : own.items()) {
      if (!out.contains(key)) out[key] = value;
    }
    return out;
  }

 private:
  [[nodiscard]] std::string text(std::uint32_t string) const { return std::string(r_.text(string)); }

  [[nodiscard]] ordered_json strings(std::uint32_t begin, std::uint32_t count) const {
    ordered_json out = ordered_json::array();
    for (std::uint32_t k = 0; k < count; ++k) out.push_back(text(r_.pool[begin + k]));
    return out;
  }

  /// The position within its function, null for "none".
  [[nodiscard]] static ordered_json position(const std::vector<std::uint32_t>& index, std::uint32_t row) {
    return row == kNoRow ? ordered_json() : ordered_json(index[row]);
  }

  [[nodiscard]] ordered_json function(std::uint32_t f) const {
    ordered_json calls = ordered_json::array();
    for (const std::uint32_t site : sites_[f]) {
      if (r_.call_sites.kind[site] != 3) calls.push_back(call(site));  // allocations are builtin ops, left out
    }
    ordered_json scopes = ordered_json::array();
    for (const std::uint32_t s : scopes_[f]) {
      scopes.push_back({{"index", r_.ir_scopes.index[s]},
                        {"mode", r_.ir_scopes.manual[s] != 0 ? "MANUAL" : "AUTO"},
                        {"owner", kOwners[r_.ir_scopes.owner[s]]},
                        {"parent", position(r_.ir_scopes.index, r_.ir_scopes.parent[s])}});
    }
    ordered_json regions = ordered_json::array();
    for (const std::uint32_t region : regions_[f]) regions.push_back(region_object(region));
    ordered_json hazards = ordered_json::array();
    for (const std::uint32_t hazard : hazards_[f]) hazards.push_back(hazard_object(hazard));
    return {{"kind", text(r_.functions.kind[f])},
            {"auto_scope", r_.functions.auto_scope[f] != 0},
            {"compiler_manual_candidate", r_.functions.compiler_manual_candidate[f] != 0},
            {"calls", std::move(calls)},
            {"scopes", std::move(scopes)},
            {"regions", std::move(regions)},
            {"hazards", std::move(hazards)}};
  }

  [[nodiscard]] ordered_json call(std::uint32_t site) const {
    const auto& s = r_.call_sites;
    ordered_json names = ordered_json::array();
    ordered_json derived = ordered_json::array();
    ordered_json directions = ordered_json::array();
    for (std::uint32_t k = 0; k < s.argument_count[site]; ++k) {
      const std::uint32_t a = s.argument_begin[site] + k;
      names.push_back(text(r_.arguments.name[a]));
      push_direction(derived, r_.arguments.derived[a]);
      push_direction(directions, r_.arguments.direction[a]);
    }
    ordered_json path = ordered_json::array();
    for (std::uint32_t k = 0; k < s.scope_begin_count[site]; ++k)
      path.push_back(r_.ir_scopes.index[r_.pool[s.scope_begin[site] + k]]);
    return {{"index", s.index[site]},
            {"kind", kCallKinds[s.kind[site]]},
            {"callee", text(s.callee[site])},
            {"results", strings(s.result_begin[site], s.result_begin_count[site])},
            {"line", s.line[site]},
            {"args", std::move(names)},
            {"directions_derived", std::move(derived)},
            {"directions", std::move(directions)},
            {"user_deps", strings(s.user_dep_begin[site], s.user_dep_begin_count[site])},
            {"compiler_deps", strings(s.compiler_dep_begin[site], s.compiler_dep_begin_count[site])},
            {"dummy", s.kind[site] == 2},
            {"loop_depth", s.loop_depth[site]},
            {"scope_path", std::move(path)}};
  }

  /// Directions are all there or not at all: before DeriveCallDirections the list is empty.
  static void push_direction(ordered_json& list, std::uint8_t value) {
    const auto direction = static_cast<pass::ArgDirection>(value);
    if (direction != pass::ArgDirection::None) list.push_back(std::string(pass::arg_direction_name(direction)));
  }

  [[nodiscard]] ordered_json region_object(std::uint32_t region) const {
    const auto& g = r_.regions;
    ordered_json reason;
    if (!r_.text(g.reason[region]).empty()) reason = text(g.reason[region]);
    const std::uint32_t arg = g.offending_arg[region];
    return {{"index", g.index[region]},
            {"kind", std::string(pass::region_kind_name(static_cast<pass::RegionKind>(g.kind[region])))},
            {"outcome", std::string(pass::region_outcome_name(static_cast<pass::RegionOutcome>(g.outcome[region])))},
            {"reason", std::move(reason)},
            {"offending_call", position(r_.call_sites.index, g.offending_site[region])},
            {"offending_arg", arg == kNoRow ? ordered_json() : ordered_json(arg)},
            {"parent", position(g.index, g.parent[region])}};
  }

  [[nodiscard]] ordered_json hazard_object(std::uint32_t hazard) const {
    const auto& h = r_.hazards;
    ordered_json kinds = ordered_json::array();
    for (const std::string_view kind : pass::hazard_kind_names(h.kinds[hazard])) kinds.push_back(std::string(kind));
    const std::uint32_t storage = h.current_storage[hazard];
    return {{"prior", position(r_.call_sites.index, h.prior[hazard])},
            {"current", position(r_.call_sites.index, h.current[hazard])},
            {"kind", std::move(kinds)},
            {"root", storage == kNoRow ? ordered_json() : ordered_json(text(r_.storage.root[storage]))},
            {"verdict", std::string(pass::hazard_verdict_name(static_cast<pass::HazardVerdict>(h.verdict[hazard])))}};
  }

  static constexpr const char* kOwners[] = {"user", "compiler", "materialised"};
  static constexpr const char* kCallKinds[] = {"call", "submit", "dummy", "alloc"};

  const Recording& r_;
  std::vector<std::vector<std::uint32_t>> sites_, scopes_, regions_, hazards_;  // rows by function
};

}  // namespace

std::string facts_json(const Recording& recording) {
  return Facts(recording).run().dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string finding_json(const Recording& recording, std::uint32_t finding) {
  return Facts(recording).finding(finding).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace depscope::replay
