// What differs between two matched rows, in words.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "depscope/replay/match.h"
#include "depscope/viewers/comparison.h"

namespace depscope::viewers {

struct ComparedDocuments {
  const Document& a;
  const Document& b;
  std::span<const Comparison::Rows, kItemKindCount> rows;  ///< as seen from a, by kind
  std::span<const replay::Matching::Text> texts;
};

struct RowPair {
  std::uint32_t a = kNoRow, b = kNoRow;
};

/// One line for each difference of `kinds`, bits of replay::DifferenceKind: "flags: WAIT RETAIN in a, RETAIN in b".
[[nodiscard]] std::vector<std::string> difference_lines(const ComparedDocuments& documents, ItemKind kind, RowPair rows,
                                                        std::uint32_t kinds);

}  // namespace depscope::viewers
