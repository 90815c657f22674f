// Which rows of two recordings are the same, table by table: what compare() goes by, for those who show both.
#pragma once

#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/compare.h"

namespace depscope::replay {

/// The rows of one table of a and of b.
struct MatchedRows {
  bool compared = false;                      ///< false: one side cannot know the table, and all columns are empty
  std::vector<std::uint32_t> b_of_a, a_of_b;  ///< counterparts, none where there is none
  /// Rows without counterpart although the other side would know it, ascending.
  std::vector<std::uint32_t> only_a, only_b;
  /// By row of a: bit k is set if compare() found a difference of DifferenceKind k between it and its counterpart. Empty after
  /// match_rows(), which does not look.
  std::vector<std::uint32_t> differs;

  [[nodiscard]] bool differs_in(std::uint32_t row_a, DifferenceKind kind) const {
    return row_a < differs.size() && (differs[row_a] >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  /// Does nothing for no row, and where nobody asked for `differs`.
  void mark(std::uint32_t row_a, DifferenceKind kind) {
    if (row_a < differs.size()) differs[row_a] |= 1U << static_cast<unsigned>(kind);
  }
};

/// By table of the recording.
///
/// Tasks are matched as `by` says, call sites in the order of the text. All else follows from these: edges by producer and
/// consumer, accesses by task and argument, arguments by call site and position, hazards by the accesses that meet, functions by
/// name and by who calls them, passes by name and occurrence, regions and scopes of the program by kind and order within their
/// function, tensors by name, else by the first matched access, scopes of the run by the tasks in them, else by order.
struct Matching {
  AlignedBy by = AlignedBy::TaskId;
  MatchedRows passes, functions, call_sites, arguments, ir_scopes, regions, hazards;
  MatchedRows tasks, accesses, tensors, edges, scopes;

  /// A function whose text differs after a pass in more than names.
  struct Text {
    std::uint32_t pass = 0, function = 0;  ///< rows of a
  };
  std::vector<Text> texts;  ///< by pass, then function; only compare() looks
};

/// Linear in the rows but for sorting.
[[nodiscard]] Matching match_rows(const recording::Recording& a, const recording::Recording& b);

/// compare() and match_rows() in one, with `differs`: rows are matched once. Kinds that `options` ignores may be missing there.
[[nodiscard]] Comparison compare(const recording::Recording& a, const recording::Recording& b, const CompareOptions& options,
                                 Matching& matching);

}  // namespace depscope::replay
