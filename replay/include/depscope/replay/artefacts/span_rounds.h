// The spans of a log by invocation: their tree, and the rounds of the program that ran most often (artefacts.md 13.2, 14.8).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "depscope/replay/artefacts/run_log.h"

namespace depscope::replay {

inline constexpr std::uint32_t kNoSpan = ~std::uint32_t{0};

/// All spans with the same process and invocation id.
struct Invocation {
  std::uint64_t pid = 0, inv = 0;
  std::uint32_t hid = 0;             ///< program (row of the log's names): of chip.run, else of the first span in the log
  std::uint32_t begin = 0, end = 0;  ///< of SpanTrees::span
};

struct SpanTrees {
  std::vector<Invocation> invocations;  ///< by pid, then by invocation id
  std::vector<std::uint32_t> span;      ///< rows of the log's spans, each before what is in it, siblings by time
  std::vector<std::uint32_t> parent;    ///< place in `span`, kNoSpan for roots
  /// Spans of the host scheduler (node, network…) and of foreign producers (ext): their ids are of other things.
  std::uint64_t left_out = 0;
};

/// A span is in the next one after it, in its invocation, that has a smaller depth: spans are written when they end. One that the
/// log lost is skipped, and those with the host's times stand before those with the device's.
[[nodiscard]] SpanTrees span_trees(const RunLog& log);

enum class RoundTime : std::uint8_t { Host, Device, Effective, Orch, Sched };
inline constexpr std::size_t kRoundTimes = 5;
[[nodiscard]] std::string_view round_time_name(RoundTime time);  ///< "Host", …

struct SpanRound {
  std::uint64_t pid = 0, inv = 0;
  std::array<std::uint64_t, kRoundTimes> time{};  ///< by RoundTime, nanoseconds; 0: the log does not say

  [[nodiscard]] std::uint64_t of(RoundTime t) const { return time[static_cast<std::size_t>(t)]; }
};

/// Of the rounds that have the time.
struct RoundAverage {
  std::uint64_t rounds = 0;
  double mean = 0;                ///< nanoseconds
  std::optional<double> trimmed;  ///< without the kTrimmedRounds shortest and longest, from kLeastTrimmed rounds on
};
inline constexpr std::size_t kTrimmedRounds = 10;
inline constexpr std::size_t kLeastTrimmed = 2 * kTrimmedRounds + 1;

struct SpanRounds {
  std::uint32_t hid = 0;          ///< of the log's names: the program with the most rounds, then with the most spans
  std::vector<SpanRound> rounds;  ///< by invocation id, then by process
  std::array<RoundAverage, kRoundTimes> averages;  ///< by RoundTime
  std::uint64_t other_invocations = 0;             ///< of other programs, and those that have none of the times
};

/// Of several spans with one name in an invocation the earliest counts. Effective lasts from the earlier start of the device's
/// orchestrator and schedulers to the later end.
[[nodiscard]] SpanRounds span_rounds(const RunLog& log, const SpanTrees& trees);

}  // namespace depscope::replay
