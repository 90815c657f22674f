// Findings about call sites: directions that changed or did not, and who asked for their edges (cases/book contract). Private.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::recording {

/// Lists in a finding end after so many items; a count beside the list tells how many there are. The tables have them all.
inline constexpr std::uint32_t kMaxListed = 64;

/// How findings refer to call sites.
class CallNames {
 public:
  explicit CallNames(const Recording& recording);
  /// Instances of the same callee before it in its function.
  [[nodiscard]] std::uint32_t occurrence(std::uint32_t site) const { return occurrence_[site]; }
  /// {"callee", "occurrence", "index", "line"}.
  [[nodiscard]] std::string json(std::uint32_t site) const;
  /// "copy (call 3)".
  [[nodiscard]] std::string text(std::uint32_t site) const;
  /// Name of an argument of a call site without version suffix, empty if there is no such argument.
  [[nodiscard]] std::string_view argument(std::uint32_t site, std::uint32_t arg) const;
  /// Of a row of `arguments`.
  [[nodiscard]] std::string_view argument_name(std::uint32_t row) const;

 private:
  const Recording& r_;
  std::vector<std::uint32_t> occurrence_;
};

/// Kinds "rewrite" and "provenance", severity info, in order of the call sites.
void add_call_findings(Recording& recording, const CallNames& calls);

}  // namespace depscope::recording
