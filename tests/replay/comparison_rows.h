// What a comparison says, in a form that tests can look into.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depscope/replay/compare.h"

namespace depscope::replay {

/// The rows of one kind with their fields, those of severity info left out.
inline std::vector<nlohmann::json> rows_of(const Comparison& comparison, DifferenceKind kind,
                                           Severity severity = Severity::Warning) {
  std::vector<nlohmann::json> out;
  for (const Difference& d : comparison.differences) {
    if (d.kind == kind && d.severity == severity) out.push_back(nlohmann::json::parse(d.fields));
  }
  return out;
}

inline std::uint64_t count_of(const Comparison& comparison, DifferenceKind kind) {
  return comparison.counts[static_cast<std::size_t>(kind)].total;
}

/// Names of the kinds with differences.
inline std::vector<std::string> kinds_of(const Comparison& comparison) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < kDifferenceKinds; ++k) {
    if (comparison.counts[k].total != 0) out.emplace_back(difference_kind_name(static_cast<DifferenceKind>(k)));
  }
  return out;
}

}  // namespace depscope::replay
