// Which statement a comment belongs to (ir-text 5.9).
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

TEST(Comments, FullLinesTrailingOnesAndDocstrings) {
  EXPECT_EQ(printed_body("# first\n# second\nv = n  # third"), "# first\n# second\n# third\nv: pl.Scalar[pl.INDEX] = n");
  EXPECT_EQ(printed_body("v = pl.foo(n,  # inside\n  # and alone\n  m)"), "# inside\n# and alone\nv = pl.foo(n, m)");
  EXPECT_EQ(printed_body("\"\"\"What it does.\n\n  In two lines. \n\"\"\"\nv = n"),
            "# What it does.\n# In two lines.\nv: pl.Scalar[pl.INDEX] = n");
  EXPECT_EQ(printed_body("#\n#  two blanks\nv = n"), "# \n#  two blanks\nv: pl.Scalar[pl.INDEX] = n");
}

TEST(Comments, DocstringBeforeAttributesBelongsToTheFirstStatement) {
  EXPECT_EQ(printed_body("\"\"\"Text.\"\"\"\npl.func_attr({\"a\": 1})\nv = n"),
            "pl.func_attr({\"a\": 1})\n# Text.\nv: pl.Scalar[pl.INDEX] = n");
}

TEST(Comments, HeaderLines) {
  EXPECT_EQ(printed_body("for i in pl.range(4):  # loop\n    pass"), "# loop\nfor i in pl.range(4):\n    pass");
  EXPECT_EQ(printed_body("if flag:  # yes\n    v = n\nelse:\n    v = m"),
            "# yes\nif flag:\n    v: pl.Scalar[pl.INDEX] = n\nelse:\n    v: pl.Scalar[pl.INDEX] = m");
  EXPECT_EQ(printed_body("with pl.scope():  # s\n    pass"), "# s\nwith pl.scope():\n    pass");
}

TEST(Comments, BeforeElseTheyBelongToTheElseBody) {
  const std::string expected = "if flag:\n    v: pl.Scalar[pl.INDEX] = n\nelse:\n    # other\n    v: pl.Scalar[pl.INDEX] = m";
  EXPECT_EQ(printed_body("if flag:\n    v = n\n# other\nelse:\n    v = m"), expected);
  EXPECT_EQ(printed_body("if flag:\n    v = n\n    # other\nelse:\n    v = m"), expected);
}

TEST(Comments, BehindTheLastStatementOfABlockTheyAreDropped) {
  EXPECT_EQ(printed_body("for i in pl.range(4):\n    v = i\n    # dropped\nw = n"),
            "for i in pl.range(4):\n    v: pl.Scalar[pl.INDEX] = i\nw: pl.Scalar[pl.INDEX] = n");
  EXPECT_EQ(printed_body("for i in pl.range(4):\n    v = i\n    # dropped\n# kept\nw = n"),
            "for i in pl.range(4):\n    v: pl.Scalar[pl.INDEX] = i\n# kept\nw: pl.Scalar[pl.INDEX] = n");
  EXPECT_EQ(printed_body("if flag:\n    if flag:\n        v = n\n        # a\n    # b\nw = n\n# c"),
            "if flag:\n    if flag:\n        v: pl.Scalar[pl.INDEX] = n\nw: pl.Scalar[pl.INDEX] = n");
}

TEST(Comments, BeforeCondOfAWhile) {
  const std::string loop =
      "for (v,) in pl.while_(init_values=(n,)):\n    # until\n    pl.cond(v > 1)\n    v_end: pl.Scalar[pl.INDEX] = pl.yield_(v "
      "// 2)";
  EXPECT_EQ(printed_body(loop), loop);
}

TEST(Comments, OfALaunchWithArrayDepsStandAboveTheArray) {
  const std::string body =
      printed_body("tids = pl.array.create(1, pl.TASK_ID)\n# go\nr = pl.submit(self.fill, x, y, deps=[tids[0]])");
  EXPECT_NE(body.find("# go\n_submit_deps_buf: "), std::string::npos) << body;
}

TEST(Comments, AreNotCompared) {
  EXPECT_EQ(first_difference(read_one(orchestration("# a\nv = n")), read_one(orchestration("v = n  # b"))), "");
}

}  // namespace
}  // namespace depscope::ir::testing
