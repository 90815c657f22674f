// The task graph of a run as the viewers of its files show it: nodes, unique pairs, and the two reductions (artefacts.md 14.6).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

struct GraphViews {
  std::vector<std::uint64_t> nodes;   ///< task ids, ascending: ends of edges, and tasks with an active kernel
  std::uint64_t unique_edges = 0;     ///< (producer, consumer) pairs
  std::uint64_t annotated_edges = 0;  ///< reasons of them: rows of `edges` in the file
  /// A pair of a task with itself, or one that leads back: then nothing is removed.
  bool cyclic = false;
  /// Rows of `edges` that a longer path makes redundant, ascending. Pairs with a creator reason always stay.
  std::vector<std::uint32_t> reduced_removed;
  /// The same, but a pair with creator reasons goes, too, where each is an INOUT argument whose bytes all come from and go on to
  /// other arguments of the same owner.
  std::vector<std::uint32_t> dataflow_removed;
};

/// Of a recording as read_deps_json gives it. O(edges) but for searches between the producers of one task.
[[nodiscard]] GraphViews graph_views(const recording::Recording& recording);

}  // namespace depscope::replay
