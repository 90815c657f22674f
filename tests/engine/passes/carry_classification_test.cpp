// ClassifyIterArgCarry on what only a list of passes given by hand can bring.
#include <gtest/gtest.h>

#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

TEST(ClassifyIterArgCarry, EndsWhereNamesStandForEachOther) {
  // Without ConvertToSSA `p` and `a` are names of each other.
  const std::string text = after({"DeriveCallDirections", "ClassifyIterArgCarry"}, R"(
    p = self.mod(a)
    a = self.mod(p)
    for i, (x,) in pl.range(4, init_values=(a,)):
        y = pl.yield_(p)
    return y
  )");
  EXPECT_NE(text.find("iter_arg_rebind_0"), std::string::npos) << text;
}

}  // namespace
}  // namespace depscope::pass::testing
