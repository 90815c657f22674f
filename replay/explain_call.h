// The explanation of one call site. Private.
#pragma once

#include <cstdint>

#include "explain_words.h"
#include "row_groups.h"

namespace depscope::replay {

/// Hazards, edges and accesses of each call site.
struct CallRows {
  explicit CallRows(const recording::Recording& r);
  RowGroups hazards, edges, accesses;
  std::vector<std::uint8_t> undone_to;  ///< by argument: the direction that a fallback took away, 0 if none
};

/// A block of lines, indented by `indent`: the call, its arguments, edges and hazards. Lists end after `max_items`.
void explain_call(const recording::Recording& r, const CallRows& rows, std::uint32_t site, std::uint32_t max_items,
                  std::size_t indent, TextLines& out);

/// What only one call at a time is asked for: its accesses, and the accesses before it that made no hazard with them.
void explain_accesses(const recording::Recording& r, const CallRows& rows, std::uint32_t site, std::size_t indent,
                      TextLines& out);

}  // namespace depscope::replay
