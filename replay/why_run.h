// What happened between the tasks of two call sites when the program ran: edges, shared bytes, a path. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Two arguments of two tasks on the same bytes.
struct RunMeeting {
  std::uint32_t first_access = recording::kNoRow, second_access = recording::kNoRow;  ///< accesses rows
  std::uint8_t first_mode = 0, second_mode = 0;                                       ///< TouchMode bits
  bool meets = false;                  ///< they share a byte; else they only lie in one buffer
  std::optional<std::uint64_t> bytes;  ///< shared; none if not known
  std::uint64_t first_byte = 0;        ///< of the shared ones, counted from the begin of the buffer
};

struct RunBetween {
  std::uint32_t first_tasks = 0, second_tasks = 0;
  std::uint64_t edges = 0;      ///< pairs of them with an edge
  std::uint8_t provenance = 0;  ///< runtime::Provenance bits of all these edges
  std::uint8_t flags = 0;       ///< runtime::DepFlags of all of them, as discovered
  std::uint64_t reduced = 0;    ///< edges whose WAIT the reduction took away
  std::string via;              ///< the task that stands for one of those
  std::uint32_t first = recording::kNoRow,
                second = recording::kNoRow;  ///< tasks rows that the rest is about: with an edge if any has
  std::vector<RunMeeting> meetings;
  std::string first_text, second_text;  ///< "fill#0 (line 17)"
  std::vector<std::string> path;        ///< tasks between the two, if no edge but a path leads from one to the other
  bool path_found = false;
  std::string code, sentence;  ///< why nothing orders them although they share bytes; empty if something does
  std::vector<std::string> fixes;
};

/// None if no task of one of the call sites ran. Call sites may be equal: then pairs are tasks of one call.
/// Time: O(tasks + edges + accesses), and a search among the tasks between the two.
[[nodiscard]] std::optional<RunBetween> run_between(const recording::Recording& recording, std::uint32_t first_site,
                                                    std::uint32_t second_site);

}  // namespace depscope::replay
