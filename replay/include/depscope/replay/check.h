// What is wrong with a recording: order that is missing, order that is false, memory that does not live long enough, and where
// every edge comes from (casebook, findings contract). Works on every recording: programs, dump directories, traces, imported
// task graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"
#include "depscope/replay/text_output.h"

namespace depscope::replay {

inline constexpr std::uint32_t kMaxPairsOfGroup = 100;     ///< pairs told of one (kernel, kernel, buffer)
inline constexpr std::uint32_t kMaxPairFindings = 10'000;  ///< pairs told of one kind
inline constexpr std::uint32_t kMaxProvenance = 10'000;    ///< edges whose provenance is told, and whose reduction, and owners

/// By what texts for people name a task; fields always hold its id.
enum class TaskReference : std::uint8_t {
  Id,   ///< "task 8589934593"
  Row,  ///< "t1", as the window does
};

struct CheckOptions {
  bool facts = false;  ///< findings of severity info, too
  bool all = false;    ///< without the limits above (missing order: up to a million pairs are kept)
};

/// One finding; `fields` is its own JSON object without kind, severity and summary.
struct CheckFinding {
  std::string_view kind;
  Severity severity = Severity::Info;
  std::string summary;
  std::string fields;
  std::uint32_t line = 0;                   ///< in the input, 0 if none
  std::uint32_t first = recording::kNoRow;  ///< tasks rows of a pair
  std::uint32_t second = recording::kNoRow;
  std::vector<std::pair<std::string, std::string>> details;  ///< what a person reads below the summary: label, text
  std::string pair;                                          ///< "fill#0 -> total#0"; findings of a group: what tells them apart
  std::uint32_t group = recording::kNoRow;                   ///< number of its group of pairs
  std::uint64_t group_size = 0;                              ///< pairs of the group, also those that are not told
};

struct CheckCounts {
  std::uint64_t errors = 0, warnings = 0, infos = 0;  ///< findings, every pair of tasks counted
  std::uint64_t missing_order = 0, false_order = 0;   ///< pairs
  std::uint64_t lifetime = 0;                         ///< (owner, user) pairs whose memory may be reclaimed too early
  std::uint64_t provenance = 0;                       ///< edges
  std::uint64_t tasks = 0, edges = 0;
  std::uint64_t judged = 0;    ///< pairs of tasks that meet in a buffer and whose order was looked up
  std::uint64_t buffers = 0;   ///< buffers that one task writes and another touches
  std::uint64_t unplaced = 0;  ///< arguments of unknown place or size, which nothing is said about
  std::uint64_t skipped = 0;   ///< buffers with more different views than can be compared
  bool cut = false;            ///< a limit was reached: there may be more missing order than was counted
};

/// Analyses once, then tells. The recording must outlive it.
class Check {
 public:
  explicit Check(const recording::Recording& recording, TaskReference reference = TaskReference::Id);
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  [[nodiscard]] const CheckCounts& counts() const;
  /// A warning or an error was found.
  [[nodiscard]] bool alarming() const { return counts().errors + counts().warnings != 0; }
  /// Calls tell(finding) for every finding that the options ask for: those that the recording holds, lifetimes, missing order,
  /// false order (pairs of a group stand together), then what is no alarm. The same order every time; nothing is kept.
  void each(const CheckOptions& options, const std::function<void(const CheckFinding&)>& tell) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A further member of the object of a check: its name and its value as JSON.
struct CheckMember {
  std::string_view name;
  std::string json;
};
/// depscope.findings/1, with "counts" and behind them `members`.
void write_check_json(const Check& check, const CheckOptions& options, const TextOutput& output,
                      const std::vector<CheckMember>& members = {});
/// For people: like the diagnostics of a compiler; pairs of a group are told together. `input` is named before lines.
void write_check_text(const Check& check, const CheckOptions& options, std::string_view input, const TextOutput& output);

}  // namespace depscope::replay
