// Ways through the edges of a recording: what surrounds a task, the critical path, and why a WAIT could be taken away.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/task_moments.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// Logical time from dispatch to completion, 1 where the events do not tell it.
[[nodiscard]] std::uint64_t task_duration(const recording::Recording& recording, const replay::TaskMoments& moments,
                                          std::uint32_t task);

struct CriticalPath {
  std::vector<std::uint32_t> tasks;  ///< tasks rows, in order
  std::vector<std::uint32_t> edges;  ///< edges rows between them
  std::uint64_t length = 0;          ///< logical time of the tasks on it
};
/// The longest path over edges that have WAIT after reduction; of equally long ones that with the lowest rows, from its end on.
/// Edges that run backwards in submission do not count. O(tasks + edges).
[[nodiscard]] CriticalPath critical_path(const recording::Recording& recording, const replay::TaskMoments& moments);

struct Neighbourhood {
  std::vector<std::uint32_t> tasks;  ///< tasks rows, ascending
  bool cut = false;                  ///< there are more than `most`
};
/// The tasks within `up` edges towards producers and `down` edges towards consumers of `from`.
[[nodiscard]] Neighbourhood neighbourhood(const Document& document, std::span<const std::uint32_t> from, std::uint32_t up,
                                          std::uint32_t down, std::uint32_t most);

/// Why the WAIT of an edge is redundant: edges rows with WAIT after reduction that lead from its producer to its consumer,
/// through edges.via if that is known. Empty if the WAIT was not removed, or if no such way is found in kWitnessWork edges.
[[nodiscard]] std::vector<std::uint32_t> witness_path(const Document& document, std::uint32_t edge);
inline constexpr std::uint32_t kWitnessWork = 100'000;

}  // namespace depscope::viewers
