// Hang diagnostics in a log (artefacts.md 13.4). Private.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "depscope/replay/artefacts/run_log.h"

namespace depscope::replay {

/// Adds rows to the stall and timeout tables of a log.
class StallLines {
 public:
  explicit StallLines(RunLog& out) : out_(out) {}

  /// What follows "[STALL ".
  void device_line(std::string_view text, std::uint32_t line, std::uint64_t mono);
  /// What follows "PTO2 scheduler timeout".
  void host_line(std::string_view text, std::uint32_t line, std::uint64_t mono);

 private:
  std::uint32_t round_of(std::uint32_t thread, std::uint64_t idle_iterations, bool gives_up);
  void summary(std::string_view text);
  void task(std::string_view text);
  void cluster(std::string_view text);
  void core(std::string_view slot, std::int64_t cluster, std::string_view number, std::string_view state);
  void timeout(std::string_view text, bool host, std::uint64_t mono);

  std::uint32_t name(std::string_view text) { return text.empty() ? 0 : out_.names.intern(text).value; }
  std::int64_t number(std::string_view text, std::string_view key);
  std::pair<std::int64_t, std::int64_t> part_of_whole(std::string_view text, std::string_view key);
  std::uint64_t id(std::string_view text, std::string_view key);

  RunLog& out_;
  std::uint32_t hang_ = 0;
  std::map<std::uint64_t, std::uint32_t> rounds_;      // of the hang, by idle iterations
  std::map<std::uint32_t, std::uint64_t> iterations_;  // of the hang, the last ones by thread
  std::set<std::uint32_t> gave_up_;                    // of the hang, threads
  std::uint32_t line_ = 0, round_ = 0, thread_ = 0;    // of the line that is read
  bool torn_ = false;
};

}  // namespace depscope::replay
