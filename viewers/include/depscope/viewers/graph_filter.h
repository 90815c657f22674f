// Which tasks and edges of the graph are shown: "kernel:softmax prov:compiler flag:retain scope:2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

/// What became of an edge's flags; bits. An edge can have WAIT removed and RETAIN still.
enum EdgeFate : std::uint8_t { kHasWait = 1, kHasRetain = 2, kWaitRemoved = 4 };
/// Of an edge after reduction.
[[nodiscard]] std::uint8_t edge_fate(const recording::Recording& recording, std::uint32_t edge);

struct GraphFilter {
  std::vector<std::string> kernels;   ///< lower case; a task's kernel has to contain one of them, if there are any
  std::vector<std::uint32_t> scopes;  ///< scopes rows; a task has to be in one of them or in a scope inside it
  std::uint8_t provenance = 0;        ///< an edge has to have one of these bits, if there are any
  std::uint8_t fates = 0;             ///< EdgeFate bits, in the same way

  bool operator==(const GraphFilter&) const = default;
  [[nodiscard]] bool empty() const { return *this == GraphFilter{}; }
  [[nodiscard]] bool any_task() const { return kernels.empty() && scopes.empty(); }
  /// The text that parses to this filter.
  [[nodiscard]] std::string text() const;
  /// Of the edge itself, without its ends.
  [[nodiscard]] bool passes_edge(const recording::Recording& recording, std::uint32_t edge) const;
};

struct ParsedGraphFilter {
  GraphFilter filter;
  std::string error;  ///< what is wrong, empty if nothing; the filter then holds what was understood
};
/// "kernel:NAME", "scope:N", "prov:user,compiler,fence,creator,tensormap,explicit", "flag:wait,retain,removed"; a word alone is
/// a kernel. Several values of one kind: any of them.
[[nodiscard]] ParsedGraphFilter parse_graph_filter(std::string_view text);

/// Per tasks row: it passes. Empty if all do. One pass over the tasks.
[[nodiscard]] std::vector<bool> passing_tasks(const recording::Recording& recording, const GraphFilter& filter);

/// Tasks rows that a search finds, ascending: "t12" or "12" is that task; else kernels that contain all words, any case.
[[nodiscard]] std::vector<std::uint32_t> search_tasks(const recording::Recording& recording, std::string_view text);

}  // namespace depscope::viewers
