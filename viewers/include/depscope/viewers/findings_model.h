// What is wrong with the recording: its own findings, those of a check, and the differences of a comparison; filtered. Nothing
// here draws.
#pragma once

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/check.h"
#include "depscope/replay/compare.h"
#include "depscope/viewers/comparison.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

enum class FindingSource : std::uint8_t {
  Run,    ///< the recording holds it
  Check,  ///< the check found it
  Diff,   ///< the comparison of two recordings
};
[[nodiscard]] std::string_view finding_source_name(FindingSource source);  ///< "run", "check", "diff"

struct FindingEntry {
  FindingSource source = FindingSource::Run;
  Severity severity = Severity::Info;
  std::string kind, summary;
  std::string fields;                                        ///< JSON object
  std::uint32_t line = 0;                                    ///< in the input, 0 if none
  std::uint32_t finding = kNoRow;                            ///< findings row
  std::uint32_t first = kNoRow, second = kNoRow;             ///< tasks rows of a pair
  std::uint32_t event = kNoRow;                              ///< events row at which it was found
  replay::Difference::Subject subject;                       ///< of a difference
  std::vector<std::pair<std::string, std::string>> details;  ///< label, text
};

[[nodiscard]] std::vector<FindingEntry> run_entries(const recording::Recording& recording);
/// One of them. Looks for the tasks that it names.
[[nodiscard]] FindingEntry run_entry(const recording::Recording& recording, std::uint32_t finding);
/// Runs a check over the recording; the entries are those of replay::Check with its limits, those that the recording holds too.
[[nodiscard]] std::vector<FindingEntry> check_entries(const recording::Recording& recording);
[[nodiscard]] std::vector<FindingEntry> diff_entries(const replay::Comparison& comparison);
/// Errors before warnings before information; the order stays otherwise.
void sort_by_severity(std::vector<FindingEntry>& entries);

/// What a row says in one line: "error: missing_order: …".
[[nodiscard]] std::string finding_text(const FindingEntry& entry);

struct FindingFilter {
  std::array<bool, 3> severities{true, true, true};  ///< by depscope::Severity
  std::string kind;                                  ///< empty: all
  std::vector<std::string> words;                    ///< lower case; all must occur

  [[nodiscard]] bool matches(const FindingEntry& entry) const;
};

/// "kind:missing_order", "error", "warning", "info" (which choose severities) and free words, separated by blanks.
[[nodiscard]] FindingFilter parse_finding_filter(std::string_view text);

/// What a click on a finding selects, in this order, and where the cursor goes.
struct FindingPlace {
  std::vector<Item> items;
  std::uint32_t position = kNoRow;  ///< none: the cursor stays
  bool line = false;                ///< the place is a line of the program: the Passes panel shows it
  Item there;                       ///< what only the other side of a comparison has
};
/// Of a finding of the run or the check.
[[nodiscard]] FindingPlace place_of(const Document& document, const FindingEntry& entry);
/// Of a difference, as the comparison is shown.
[[nodiscard]] FindingPlace place_of(const Comparison& comparison, const FindingEntry& entry);
/// The edge from one task to another, none if there is none.
[[nodiscard]] std::uint32_t edge_between(const Document& document, std::uint32_t producer, std::uint32_t consumer);

/// A check that runs on another thread. The recording must stay as it is until the job has ended or is destroyed.
class CheckJob {
 public:
  enum class State : std::uint8_t { NotStarted, Running, Done, Failed };

  void start(const recording::Recording& recording);
  /// Waits for a running job and forgets it.
  void reset();
  /// Takes the result once it is there; true in that call.
  bool poll();
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::vector<FindingEntry>& entries() { return entries_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  State state_ = State::NotStarted;
  std::future<std::vector<FindingEntry>> running_;  // its destructor waits
  std::vector<FindingEntry> entries_;
  std::string error_;
};

}  // namespace depscope::viewers
