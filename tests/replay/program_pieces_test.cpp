#include "program_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace depscope::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kProgram = R"(# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(x: pl.Tensor[[4], pl.FP32]):
        return x
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[4], pl.FP32]):
        for i in pl.parallel(4):
            for j, (b, c) in pl.range(2, init_values=(a, a)):
                b2 = self.fill(b)
        while n < 4:
            n = n + 1
        for (d,) in pl.while_(init_values=(a,)):
            pl.cond(n < 4)
        return a
    def plain(self):
        pass
)";

TEST(ProgramPieces, FunctionsWithTheirDecorators) {
  const ProgramPieces pieces(kProgram);
  EXPECT_EQ(pieces.function("fill"),
            "    @pl.function(type=pl.FunctionType.InCore)\n    def fill(x: pl.Tensor[[4], pl.FP32]):\n        return x\n");
  EXPECT_TRUE(pieces.function("main").starts_with("    @pl.function(type=pl.FunctionType.Orchestration)\n    def main("));
  EXPECT_TRUE(pieces.function("main").ends_with("return a\n"));
  EXPECT_EQ(pieces.function("plain"), "    def plain(self):\n        pass\n");
  EXPECT_EQ(pieces.function("none"), "");
  EXPECT_EQ(ProgramPieces("").function("main"), "");
}

TEST(ProgramPieces, Loops) {
  const std::vector<LoopLine> loops = loops_of(ProgramPieces(kProgram).function("main"));
  ASSERT_THAT(loops, SizeIs(4));
  EXPECT_EQ(loops[0].kind, "parallel");
  EXPECT_EQ(loops[0].variables, "i");
  EXPECT_EQ(loops[0].depth, 0U);
  EXPECT_EQ(loops[1].kind, "range");
  EXPECT_EQ(loops[1].variables, "j, (b, c)");
  EXPECT_EQ(loops[1].depth, 1U);
  EXPECT_EQ(loops[1].text, "for j, (b, c) in pl.range(2, init_values=(a, a))");
  EXPECT_EQ(loops[2].kind, "while");
  EXPECT_EQ(loops[2].variables, "n < 4");
  EXPECT_EQ(loops[3].kind, "while");
}

TEST(EqualButForNames, VariablesMayBeRenamedConsistently) {
  EXPECT_TRUE(equal_but_for_names("x = self.copy(a, b)\n", "y = self.copy(c, b)\n"));
  EXPECT_TRUE(equal_but_for_names("a = f(a)", "a = f(a)"));
  EXPECT_FALSE(equal_but_for_names("x = self.copy(a, a)\n", "x = self.copy(a, b)\n"));
  EXPECT_FALSE(equal_but_for_names("x = self.copy(a, b)\n", "x = self.copy(a, a)\n"));
  EXPECT_FALSE(equal_but_for_names("x = self.copy(a)\n", "x = self.fill(a)\n"));
  EXPECT_FALSE(equal_but_for_names("for i in pl.range(4):", "for i in pl.parallel(4):"));
  EXPECT_FALSE(equal_but_for_names("x = 1", "x = 2"));
  EXPECT_FALSE(equal_but_for_names("x = True", "x = False"));
  EXPECT_FALSE(equal_but_for_names("x = 'a'", "x = 'b'"));
  EXPECT_FALSE(equal_but_for_names("x = 1", "x = 1\n"));
  EXPECT_TRUE(equal_but_for_names("", ""));
}

TEST(EqualButForNames, FunctionsOnlyAsGiven) {
  const RenamedFunctions renamed{{"fill", "init"}};
  EXPECT_TRUE(equal_but_for_names("x = self.fill(a)", "x = self.init(a)", renamed));
  EXPECT_FALSE(equal_but_for_names("x = self.fill(a)", "x = self.fill(a)", renamed));
  EXPECT_FALSE(equal_but_for_names("x = self.copy(a)", "x = self.init(a)", renamed));
}

TEST(LineDifferences, ContextAndPlaces) {
  const LineDifference diff = difference_of_lines("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\nx\n5\n6\n7\n8\n9\ny\n");
  EXPECT_EQ(diff.removed, 1U);
  EXPECT_EQ(diff.added, 2U);
  EXPECT_EQ(diff.first_a, "4");
  EXPECT_EQ(diff.first_b, "x");
  EXPECT_THAT(diff.lines, ElementsAre("@@ line 2 | 2", " 2", " 3", "-4", "+x", " 5", " 6", "@@ line 8 | 8", " 8", " 9", "+y"));
}

TEST(LineDifferences, NeighboursShareTheirContext) {
  const LineDifference diff = difference_of_lines("a\nb\nc\nd\ne\n", "A\nb\nc\nD\ne\n");
  EXPECT_THAT(diff.lines, ElementsAre("@@ line 1 | 1", "-a", "+A", " b", " c", "-d", "+D", " e"));
}

TEST(LineDifferences, EqualTextsAndOneThatIsEmpty) {
  EXPECT_THAT(difference_of_lines("a\nb\n", "a\nb\n").lines, IsEmpty());
  const LineDifference diff = difference_of_lines("", "  x\n");
  EXPECT_EQ(diff.first_b, "x");
  EXPECT_THAT(diff.lines, ElementsAre("@@ line 1 | 1", "+  x"));
}

TEST(LineDifferences, AreBounded) {
  std::string a;
  for (int i = 0; i < 100; ++i) a += std::to_string(i) + "\n";
  const LineDifference diff = difference_of_lines(a, "");
  EXPECT_EQ(diff.removed, 100U);
  ASSERT_THAT(diff.lines, SizeIs(kDifferenceLines + 1));
  EXPECT_EQ(diff.lines.back(), "…");
}

}  // namespace
}  // namespace depscope::replay
