#include "depscope/viewers/text_diff.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

namespace depscope::viewers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "= a", "- b", "+ c", "~ d > e": one line per row.
std::string shown(const TextDiff& diff) {
  std::string text;
  for (const DiffRow& row : diff.rows) {
    switch (row.change) {
      case LineChange::Same: text += "= " + std::string(diff.after[row.after]); break;
      case LineChange::Removed: text += "- " + std::string(diff.before[row.before]); break;
      case LineChange::Added: text += "+ " + std::string(diff.after[row.after]); break;
      case LineChange::Changed:
        text += "~ " + std::string(diff.before[row.before]) + " > " + std::string(diff.after[row.after]);
        break;
    }
    text += '\n';
  }
  return text;
}

TEST(TextDiff, EqualTextsHaveNoChanges) {
  const TextDiff diff = diff_text("a\nb\n", "a\nb\n");
  EXPECT_EQ(shown(diff), "= a\n= b\n");
  EXPECT_THAT(diff.change_starts, IsEmpty());
}

TEST(TextDiff, AddedAndRemovedLinesStandAlone) {
  EXPECT_EQ(shown(diff_text("first\nold line\nlast\n", "first\nlast\nappended\n")), "= first\n- old line\n= last\n+ appended\n");
}

TEST(TextDiff, RenamedLinesArePairedAcrossAnInsertion) {
  const TextDiff diff = diff_text("x = make(a)\ny = use(x)\n", "x__ssa_v0 = make(a)\nguard()\ny__ssa_v0 = use(x__ssa_v0)\n");
  EXPECT_EQ(shown(diff), "~ x = make(a) > x__ssa_v0 = make(a)\n+ guard()\n~ y = use(x) > y__ssa_v0 = use(x__ssa_v0)\n");
  EXPECT_THAT(diff.change_starts, ElementsAre(0U));
}

TEST(TextDiff, EmptySides) {
  EXPECT_EQ(shown(diff_text("", "a\n")), "+ a\n");
  EXPECT_EQ(shown(diff_text("a\n", "")), "- a\n");
  EXPECT_EQ(shown(diff_text("", "")), "");
}

TEST(TextDiff, MarksOnlyTheCharactersThatChanged) {
  const LineMarks marks = diff_line("x = use(x)", "x__ssa_v1 = use(x__ssa_v0)");
  EXPECT_THAT(marks.before, IsEmpty());
  EXPECT_THAT(marks.after, ElementsAre(TextSpan{1, 9}, TextSpan{17, 25}));
}

TEST(TextDiff, MarksReplacedTokens) {
  const LineMarks marks = diff_line("[pl.adir.input, pl.adir.inout]", "[pl.adir.no_dep, pl.adir.inout]");
  EXPECT_THAT(marks.before, ElementsAre(TextSpan{9, 14}));
  EXPECT_THAT(marks.after, ElementsAre(TextSpan{9, 15}));
}

/// Whatever the texts are, the rows of each side are its lines in order, and rows that say Same are equal.
TEST(TextDiff, RowsCoverBothTextsInOrder) {
  std::uint64_t random = 7;
  const auto below = [&](std::uint64_t limit) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return (random >> 33U) % limit;
  };
  for (int round = 0; round < 200; ++round) {
    std::string before;
    std::string after;
    for (std::uint64_t i = below(12); i > 0; --i) before += std::string(1, static_cast<char>('a' + below(4))) + " = f\n";
    for (std::uint64_t i = below(12); i > 0; --i) after += std::string(1, static_cast<char>('a' + below(4))) + " = f\n";
    const TextDiff diff = diff_text(before, after);
    std::uint32_t next_before = 0;
    std::uint32_t next_after = 0;
    for (const DiffRow& row : diff.rows) {
      if (row.before != recording::kNoRow) {
        EXPECT_EQ(row.before, next_before++);
      }
      if (row.after != recording::kNoRow) {
        EXPECT_EQ(row.after, next_after++);
      }
      if (row.change == LineChange::Same) {
        EXPECT_EQ(diff.before[row.before], diff.after[row.after]);
      }
    }
    EXPECT_EQ(next_before, diff.before.size());
    EXPECT_EQ(next_after, diff.after.size());
  }
}

TEST(TextDiff, ManyEditsArePairedInOrderAndSaidSo) {
  std::string before;
  std::string after;
  for (std::uint32_t i = 0; i < kMaxLineEdits; ++i) {
    before += "value_" + std::to_string(i) + " = call_" + std::to_string(i * 7) + "()\n";
    after += "other_" + std::to_string(i) + " = next_" + std::to_string(i * 5 + 1) + "()\n";
  }
  const TextDiff diff = diff_text("head\n" + before, "head\n" + after);
  EXPECT_TRUE(diff.limited);
  EXPECT_EQ(diff.rows.front().change, LineChange::Same);
}

}  // namespace
}  // namespace depscope::viewers
