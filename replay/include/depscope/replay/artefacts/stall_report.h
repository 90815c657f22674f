// What a log says about runs that hung (artefacts.md 13.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/artefacts/run_log.h"
#include "depscope/runtime/sink.h"

namespace depscope::replay {

enum class StallProgress : std::uint8_t {
  Unknown,  ///< `completed` was told once, or not at all
  None,     ///< the same number each time
  Moved,    ///< it rose while threads waited: slow, or stuck later
};

/// One hang. Rows are of the log's tables.
struct StallReport {
  bool timed_out = false;                                       ///< a thread gave up, or the host says so
  runtime::ErrorClass error_class = runtime::ErrorClass::None;  ///< S1, S3, S4, S5 or Unknown
  std::string sub_class;                                        ///< as printed; empty if nobody gave up
  std::uint64_t stuck_task = kNoLogTask;
  std::int64_t stuck_core = kNotLogged, detail = kNotLogged;
  std::int64_t completed = kNotLogged, total = kNotLogged;  ///< last told
  std::int64_t running = kNotLogged, ready = kNotLogged, waiting = kNotLogged;
  std::int64_t orch_done = kNotLogged;
  StallProgress progress = StallProgress::Unknown;
  std::int64_t first_completed = kNotLogged;
  std::uint32_t rounds = 0;
  std::uint64_t idle_iterations = 0;  ///< of the last round
  /// stall_tasks rows: each task as it was told last, in the order in which tasks were named first; of the last round that names
  /// any if tasks completed meanwhile.
  std::vector<std::uint32_t> running_tasks, ready_tasks, waiting_tasks, other_tasks;
  std::vector<std::uint32_t> contradicting_cores;  ///< stall_cores rows marked ANOMALY: each core as it was told last
  std::vector<std::uint32_t> stuck_cores;          ///< stall_cores rows of the stuck core, or of cores with the stuck task
  std::uint32_t line = 0;                          ///< where a thread gave up, else the first line
};

/// In the order of the log. A host's line about a hang that threads told of, too, adds to that one.
[[nodiscard]] std::vector<StallReport> stall_reports(const RunLog& log);

/// What a sub-class means, in plain words.
[[nodiscard]] std::string_view stall_meaning(runtime::ErrorClass error_class);

/// What is known of a hang, one sentence a piece. At most kMaxStallNames tasks and cores are named in each.
inline constexpr std::size_t kMaxStallNames = 8;
[[nodiscard]] std::vector<std::string> stall_sentences(const RunLog& log, const StallReport& report);

struct StallFinding {
  std::string kind;                     ///< "deadlock" where tasks wait for each other (S4), else "runtime_error"
  Severity severity = Severity::Error;  ///< Warning: threads found nothing to do, but nobody gave up
  std::string summary;
  std::string fields;  ///< of the findings contract, as JSON
  std::uint32_t line = 0;
};
/// One for each hang.
[[nodiscard]] std::vector<StallFinding> stall_findings(const RunLog& log, const std::vector<StallReport>& reports);

}  // namespace depscope::replay
