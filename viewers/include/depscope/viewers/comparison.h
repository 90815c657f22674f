// Two recordings side by side. The window shows one of them, `here`; panels mark every row by what the other one, `there`, has of
// it, and add the rows that only the other has. Swapping the sides shows the other one in the same way.
#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "depscope/replay/compare.h"
#include "depscope/replay/match.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/position_map.h"
#include "depscope/viewers/selection.h"

namespace depscope::viewers {

enum class Mark : std::uint8_t { Same, Differs, OnlyHere };

/// What an event is about that a comparison marks: an edge, a scope, else its task. None if there is nothing.
[[nodiscard]] Item compared_item(const recording::Recording& recording, std::uint32_t event);

class Comparison {
 public:
  /// What became of the rows of one table. Empty columns: rows of this kind are not compared.
  struct Rows {
    std::vector<std::uint32_t> counterpart;  ///< per row here: the row there, none
    std::vector<Mark> mark;                  ///< per row here
    std::vector<std::uint32_t> only_there;   ///< rows of the other recording without a counterpart here, ascending
  };

  /// Both documents must outlive the comparison. `a` and `b` are the order of the command line; `here` is a. Only reads them, so
  /// that it may run on any thread.
  Comparison(Document& a, Document& b);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  /// Shows the other side from now on.
  void swap();
  [[nodiscard]] bool swapped() const { return swapped_; }
  [[nodiscard]] Document& here() const { return *(swapped_ ? b_ : a_); }
  [[nodiscard]] Document& there() const { return *(swapped_ ? a_ : b_); }
  /// "a" or "b".
  [[nodiscard]] const char* here_name() const { return swapped_ ? "b" : "a"; }
  [[nodiscard]] const char* there_name() const { return swapped_ ? "a" : "b"; }
  /// Of marks OnlyHere, only_there and Differs; see colour::side_legend().
  [[nodiscard]] ImU32 here_colour() const;
  [[nodiscard]] ImU32 there_colour() const;
  [[nodiscard]] ImU32 colour(Mark mark) const;  ///< transparent for Same
  /// "only in a", "differs", "" for Same.
  [[nodiscard]] std::string words(Mark mark) const;

  [[nodiscard]] const Rows& rows(ItemKind kind) const { return sides_[swapped_ ? 1 : 0][static_cast<std::size_t>(kind)]; }
  /// Same for kinds that are not compared.
  [[nodiscard]] Mark mark(ItemKind kind, std::uint32_t row) const;
  [[nodiscard]] std::uint32_t counterpart(ItemKind kind, std::uint32_t row) const;
  /// Number of rows here with this mark.
  [[nodiscard]] std::uint32_t count(ItemKind kind, Mark mark) const {
    return counts_[swapped_ ? 1 : 0][static_cast<std::size_t>(kind)][static_cast<std::size_t>(mark)];
  }
  /// From a row there to the row here.
  [[nodiscard]] std::uint32_t counterpart_there(ItemKind kind, std::uint32_t row_there) const;
  /// One line for each value that is not the same, a before b whatever is shown: "flags: WAIT RETAIN in a, RETAIN in b". Empty
  /// unless the row's mark is Differs.
  [[nodiscard]] std::vector<std::string> differences(ItemKind kind, std::uint32_t row) const;
  /// The position of the other recording that belongs to this one: as many of the matched tasks' events have happened.
  [[nodiscard]] std::uint32_t position_there(std::uint32_t position_here) const;

  /// What `depscope diff` reports, a before b whatever is shown.
  [[nodiscard]] const replay::Comparison& report() const { return report_; }

 private:
  void fill(ItemKind kind, replay::MatchedRows&& rows);

  Document* a_;
  Document* b_;
  bool swapped_ = false;
  replay::Comparison report_;
  std::array<std::array<Rows, kItemKindCount>, 2> sides_;                             // as seen from a, from b
  std::array<std::array<std::array<std::uint32_t, 3>, kItemKindCount>, 2> counts_{};  // by side, kind, mark
  std::array<std::vector<std::uint32_t>, kItemKindCount> differs_;                    // by row of a: replay::MatchedRows::differs
  std::vector<replay::Matching::Text> texts_;
  std::array<LifeEvents, 2> life_;  // of a, of b
};

}  // namespace depscope::viewers
