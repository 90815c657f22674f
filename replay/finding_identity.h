// What makes a finding the same finding in the next run. Private.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depscope::replay {

/// Numbers findings so that a later run of the same program, or of one with a few lines more, gives the same numbers.
class FindingIdentities {
 public:
  /// 64-bit FNV-1a over the kind and the fields (the summary where there are none), 16 hexadecimal digits. Left out is what
  /// changes though the finding does not: numbers of events, rows of tables, times, lines, and sentences, which may quote them.
  /// Findings that are alike by that are numbered: the second and further ones differ by their number.
  [[nodiscard]] std::string next(std::string_view kind, std::string_view summary, const nlohmann::json& fields);

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;
};

}  // namespace depscope::replay
