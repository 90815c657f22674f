// The regions that the analysis looked at, as a tree, and what there is to say about each. Nothing here draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/viewers/answers.h"
#include "depscope/viewers/document.h"
#include "depscope/viewers/groups.h"

namespace depscope::viewers {

/// A line of the tree: a function, or a region in it.
struct RegionLine {
  std::uint32_t function = kNoRow;
  std::uint32_t region = kNoRow;  ///< none: the line is the function's own
  std::uint32_t depth = 0;        ///< of a region: 0 directly in the function
};

/// Functions with regions in the order of the table, each followed by its regions: parents before children, in source order.
[[nodiscard]] std::vector<RegionLine> region_tree(const recording::Recording& recording);

struct RegionCounts {
  std::uint64_t hazards = 0;   ///< conflicts, without accesses that touch other elements
  std::uint64_t kept = 0;      ///< compiler edges: of its hazards; of a virtual body that fell back, those that stay
  std::uint64_t stripped = 0;  ///< compiler edges that it took away
  std::uint64_t undone = 0;    ///< directions that it would have given
};

/// "1 hazard, 1 edge kept, 2 stripped": what is not 0; "no hazards" if nothing is.
[[nodiscard]] std::string counts_text(const RegionCounts& counts);

/// What belongs to each region, built once.
class RegionIndex {
 public:
  RegionIndex() = default;
  explicit RegionIndex(const recording::Recording& recording);

  [[nodiscard]] const RegionCounts& counts(std::uint32_t region) const { return counts_[region]; }
  [[nodiscard]] std::span<const std::uint32_t> lineage(std::uint32_t region) const { return lineage_.of(region); }
  [[nodiscard]] std::span<const std::uint32_t> stripped(std::uint32_t region) const { return stripped_.of(region); }
  [[nodiscard]] std::span<const std::uint32_t> undone(std::uint32_t region) const { return undone_.of(region); }

 private:
  std::vector<RegionCounts> counts_;
  Groups lineage_, stripped_, undone_;
};

/// "region 3 of main".
[[nodiscard]] std::string region_label(const Document& document, std::uint32_t region);
/// "auto_scope region 3 (line 92): fell_back, unresolved_storage.unknown: nobody knows where this value lies".
[[nodiscard]] std::string region_summary(const Document& document, std::uint32_t region);

/// Everything that `depscope explain` says of one region, piece by piece for a detail area.
struct RegionDetail {
  std::uint32_t region = kNoRow;
  std::vector<AnswerLine> why;   ///< outcome and reason in words
  std::vector<AnswerLine> call;  ///< the offending call and argument, with the source line; the hazard, if there is one
  struct Step {
    std::uint32_t row = kNoRow;   ///< lineage row
    std::uint32_t line = 0;       ///< of the input, 0 if not known
    std::uint32_t site = kNoRow;  ///< call site that stands there, none if there is none
    std::vector<AnswerLine> lines;
  };
  std::vector<Step> steps;       ///< the lineage
  std::vector<AnswerLine> lost;  ///< edges and directions
  std::string change;            ///< what would change it, empty if nothing
};
[[nodiscard]] RegionDetail region_detail(const Document& document, const RegionIndex& index, std::uint32_t region);
/// The same as one answer.
[[nodiscard]] Answer region_answer(const RegionDetail& detail);

/// The call site of a function on a line of the input, none if there is none.
[[nodiscard]] std::uint32_t site_on_line(const recording::Recording& recording, std::uint32_t function, std::uint32_t line);

/// Decisions beside the regions: a sentence and its line.
struct DecisionLine {
  std::uint32_t function = kNoRow;
  std::uint32_t row = 0;  ///< of the table
  std::uint32_t line = 0;
  bool accepted = false;  ///< a barrier, an inserted scope, a value that is assigned anew
  std::string text;
  std::string explained;  ///< what it means, for a tooltip
};
[[nodiscard]] DecisionLine fence_line(const recording::Recording& recording, std::uint32_t row);
[[nodiscard]] DecisionLine scope_line(const recording::Recording& recording, std::uint32_t row);
[[nodiscard]] DecisionLine carry_line(const recording::Recording& recording, std::uint32_t row);

}  // namespace depscope::viewers
