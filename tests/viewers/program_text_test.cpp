#include "depscope/viewers/program_text.h"

#include <gmock/gmock.h>

namespace depscope::viewers {
namespace {

constexpr std::string_view kProgram = R"(# pypto.program: P
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def fill(x: T) -> T:
        def inner(): ...
        return x

    @pl.function
    def main(
        self,
        x: T,
    ) -> T:
        return self.fill(x)
)";

TEST(ProgramText, FindsFunctionsWithTheirDecorators) {
  const auto functions = functions_of(kProgram);
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].name, "fill");
  EXPECT_EQ(functions[0].first_line, 6U);
  EXPECT_TRUE(functions[0].text.starts_with("    @pl.function(type=")) << functions[0].text;
  EXPECT_EQ(functions[1].name, "main");
  EXPECT_EQ(functions[1].first_line, 11U);
  EXPECT_TRUE(functions[1].text.ends_with("return self.fill(x)\n")) << functions[1].text;
}

TEST(ProgramText, BaseNames) {
  EXPECT_EQ(base_name("x__ssa_v3"), "x");
  EXPECT_EQ(base_name("_submit_tmp"), "_submit_tmp");
  EXPECT_EQ(base_name("__allreduce_result_0"), "__allreduce_result_0");
  EXPECT_EQ(base_name("x"), "x");
}

TEST(ProgramText, MentionsWholeNamesOnly) {
  EXPECT_TRUE(mentions("y = f(x__ssa_v1)", "x"));
  EXPECT_TRUE(mentions("x", "x"));
  EXPECT_FALSE(mentions("max(y, xx)", "x"));
  EXPECT_FALSE(mentions("y", ""));
}

}  // namespace
}  // namespace depscope::viewers
