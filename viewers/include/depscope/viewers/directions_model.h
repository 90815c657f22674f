// Every argument of every call with its directions, filtered. Nothing here draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/pass/decisions.h"
#include "depscope/viewers/document.h"

namespace depscope::viewers {

/// One argument: of a call site (rows of `arguments`) or of a call inside a wrapper (rows of `wrapper_arguments`).
struct DirectionRow {
  bool wrapper = false;
  std::uint32_t row = 0;          ///< of arguments or wrapper_arguments
  std::uint32_t function = 0;     ///< functions row
  std::uint32_t call = 0;         ///< index within the function
  std::uint32_t site = kNoRow;    ///< call_sites row, none for wrappers
  std::uint32_t position = 0;     ///< among the arguments of the call, from 0
  std::uint32_t line = 0;         ///< of the call in the input, 0 if not known
  std::string_view callee, name;  ///< as the source has it
  std::uint8_t callee_direction = 0, derived = 0, direction = 0, rule = 0, rewrite = 0;

  [[nodiscard]] bool rewritten() const { return derived != direction; }
};

/// Arguments of call sites first, those of wrappers after them, each in the order of its table.
[[nodiscard]] std::uint32_t direction_count(const recording::Recording& recording);
/// `index` below direction_count; an argument of a call site has the index of its row.
[[nodiscard]] DirectionRow direction_row(const recording::Recording& recording, std::uint32_t index);

/// Why the direction is as it is: "rewritten: an edge orders every hazard", "stays: no hazard", "stays: the region fell back".
[[nodiscard]] std::string rewrite_text(const DirectionRow& row);
/// "x: In, input by callee_in, no_dep: rewritten, …", all that a row says in one line.
[[nodiscard]] std::string direction_text(const DirectionRow& row);

struct DirectionFilter {
  std::vector<std::string> words;  ///< lower case; all must occur in what the row says
  bool rewritten = false;          ///< only arguments whose direction changed
  std::optional<pass::RewriteReason> reason;
  std::string direction;  ///< derived or final, empty for any

  bool operator==(const DirectionFilter&) const = default;
  [[nodiscard]] bool all() const { return *this == DirectionFilter{}; }
  [[nodiscard]] bool matches(const recording::Recording& recording, const DirectionRow& row) const;
};

struct ParsedDirectionFilter {
  DirectionFilter filter;
  std::string error;  ///< what is wrong, empty if nothing; the filter then holds what was understood
};
/// "rewritten" (or "changed"), "reason:no_hazard", "direction:inout" and free words, separated by blanks.
[[nodiscard]] ParsedDirectionFilter parse_direction_filter(std::string_view text);

/// The arguments that pass a filter, in order; found a stretch at a time, so that no frame is late.
class FilteredDirections {
 public:
  void restart(const recording::Recording* recording, DirectionFilter filter);
  /// Looks at `rows` more. True once complete.
  bool advance(std::uint32_t rows);

  [[nodiscard]] bool complete() const { return filter_.all() || next_ == total(); }
  [[nodiscard]] std::uint32_t total() const { return total_; }
  [[nodiscard]] std::uint32_t size() const { return filter_.all() ? total_ : static_cast<std::uint32_t>(rows_.size()); }
  [[nodiscard]] std::uint32_t at(std::uint32_t i) const { return filter_.all() ? i : rows_[i]; }
  /// Place of the first listed one at or after `index`.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t index) const;

 private:
  const recording::Recording* recording_ = nullptr;
  DirectionFilter filter_;
  std::vector<std::uint32_t> rows_;
  std::uint32_t next_ = 0, total_ = 0;
};

}  // namespace depscope::viewers
