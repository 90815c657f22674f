// What one look at a watched input found, and how it differs from the look before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"
#include "depscope/replay/compare.h"

namespace depscope::app {

/// A finding by what a person knows it by.
struct WatchedFinding {
  std::string kind;
  Severity severity = Severity::Warning;
  std::string summary;

  friend auto operator<=>(const WatchedFinding&, const WatchedFinding&) = default;
};

/// An input that could be read.
struct WatchedState {
  recording::Recording recording;
  std::uint64_t errors = 0, warnings = 0, infos = 0;  ///< as `check` counts them
  std::vector<WatchedFinding> findings;               ///< warnings and errors, in the order of `check`
};
[[nodiscard]] WatchedState watched_state(recording::Recording recording);

/// Differences of one kind, as `diff` counts them.
struct WatchedDifference {
  replay::DifferenceKind kind = replay::DifferenceKind::Option;
  std::uint64_t count = 0;
  std::string first;  ///< the first of them in a sentence, "a" is before and "b" after; empty if `diff` lists none
};

struct WatchLook {
  std::uint64_t number = 1;
  const WatchedState* state = nullptr;  ///< null: the input could not be read
  bool first_state = false;             ///< there is no state before to compare with
  std::vector<WatchedFinding> findings_new, findings_gone;
  std::vector<WatchedDifference> differences;
  std::string error;        ///< without a state: what is wrong, in one or more lines, without a newline at the end
  bool same_error = false;  ///< as in the look before
};

/// Fills in what differs from `before`, null for none. `look.state` is there.
void compare_with(const WatchedState* before, WatchLook& look);

/// For people; at most ten lines of each sort.
[[nodiscard]] std::string watch_text(const WatchLook& look);
/// `depscope.watch/1`, one line, ending in a newline.
[[nodiscard]] std::string watch_json(const WatchLook& look);

}  // namespace depscope::app
