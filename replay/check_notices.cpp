#include "check_notices.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;

/// Names of passes.md 13 (and what was added to them later) that are about order which an edge may lack.
constexpr std::array<std::string_view, 14> kBlindSpots = {
    "alias_offsets",         "assemble_copy",         "container_invisible",      "fallback_invisible",
    "inner_return_var_edge", "iter_arg_initial_only", "manual_invisible",         "loop_carried_unchecked",
    "mixed_alternatives",    "no_dep_invisible",      "partial_fill_counts_full", "same_iteration_fallback",
    "windowed_blanket",      "yield_in_scope"};
/// What ends a run early: then the rest of the program was not seen.
constexpr std::array<std::string_view, 4> kEndings = {"not_modelled", "user_edge_lost", "runtime_error", "endless_loop"};

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

std::vector<Severity> judged_severities(const Recording& r, const std::vector<UnorderedPair>& missing) {
  std::vector<Severity> out;
  bool complete = true;
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    out.push_back(static_cast<Severity>(r.findings.severity[f]));
    if (out.back() != Severity::Info && contains(kEndings, r.text(r.findings.kind[f]))) complete = false;
  }
  if (!complete) return out;
  std::vector<std::uint8_t> ran(r.functions.rows(), 0);
  for (const std::uint32_t site : r.tasks.call_site) {
    if (site != kNoRow) ran[r.call_sites.function[site]] = 1;
  }
  std::set<std::pair<std::string_view, std::uint32_t>> at;  // function and index of calls with a missing order; kNoRow: any call
  for (const UnorderedPair& pair : missing) {
    for (const std::uint32_t task : {pair.first, pair.second}) {
      const std::uint32_t site = r.tasks.call_site[task];
      if (site == kNoRow) continue;
      const std::string_view function = r.text(r.functions.name[r.call_sites.function[site]]);
      at.emplace(function, r.call_sites.index[site]);
      at.emplace(function, kNoRow);
    }
  }
  for (std::uint32_t f = 0; f < r.findings.rows(); ++f) {
    if (out[f] != Severity::Warning || !contains(kBlindSpots, r.text(r.findings.kind[f]))) continue;
    const auto fields = nlohmann::json::parse(r.text(r.findings.fields[f]), nullptr, /*allow_exceptions=*/false);
    if (!fields.is_object() || !fields.contains("function") || !fields["function"].is_string()) continue;
    const auto function = fields["function"].get<std::string>();
    bool executed = false;
    for (std::uint32_t row = 0; row < r.functions.rows(); ++row) {
      if (ran[row] != 0 && r.text(r.functions.name[row]) == function) executed = true;
    }
    if (!executed) continue;
    std::uint32_t call = kNoRow;
    if (fields.contains("call") && fields["call"].is_object() && fields["call"].contains("index") &&
        fields["call"]["index"].is_number_unsigned())
      call = fields["call"]["index"].get<std::uint32_t>();
    if (!at.contains({function, call})) out[f] = Severity::Info;
  }
  return out;
}

}  // namespace depscope::replay
