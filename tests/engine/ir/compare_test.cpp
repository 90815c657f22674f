// What counts in a structural comparison (ir-text 9).
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

std::string difference(const std::string& a, const std::string& b) {
  return first_difference(read_one(orchestration(a)), read_one(orchestration(b)));
}

TEST(Compare, NamesCommentsAndLayoutDoNotCount) {
  EXPECT_EQ(difference("a = n\nb = a + m  # why", "c = n\ne = (c +\n  m)"), "");
  EXPECT_EQ(difference("for i, (a,) in pl.range(4, init_values=(n,)):\n    b = pl.yield_(a + i)\nv = b",
                       "for j, (p,) in pl.range(4, init_values=(n,)):\n    q = pl.yield_(p + j)\nw = q"),
            "");
  EXPECT_EQ(difference("r = pl.foo(n, a=1, b=2)", "r = pl.foo(n, b=2, a=1)"), "");
  EXPECT_EQ(difference("v = n\npass", "v = n"), "");
  Program other = read_one(orchestration("v = n"));
  other.name = "Other";
  EXPECT_EQ(first_difference(read_one(orchestration("v = n")), other), "");
}

TEST(Compare, VariablesMatchOneToOne) {
  EXPECT_EQ(difference("a = n\nb = m\nv = a - b", "b = n\na = m\nv = b - a"), "");
  EXPECT_NE(difference("a = n\nb = m\nv = a - b", "a = n\nb = m\nv = b - a"), "");
  EXPECT_NE(difference("a = n\nb = m\nv = a - b", "a = n\nb = m\nv = a - a"), "");
  EXPECT_NE(difference("v = n", "v = m"), "");
}

TEST(Compare, EverythingElseCounts) {
  const std::pair<const char*, const char*> pairs[] = {
      {"v = n + 1", "v = n + 2"},
      {"v = n + m", "v = n - m"},
      {"v = n - (m - n)", "v = n - m - n"},
      {"v = pl.const(1, pl.INT32)", "v = pl.const(1, pl.INT16)"},
      {"v = f + 1.0", "v = f + 1.5"},
      {"v = pl.foo(n)", "v = pl.bar(n)"},
      {"v = pl.foo(n, a=1)", "v = pl.foo(n, a=True)"},
      {"v = pl.foo(n, a=1)", "v = pl.foo(n, a=1.0)"},
      {"v = pl.foo(n, a=1)", "v = pl.foo(n, b=1)"},
      {"v = pl.foo(n, a='x')", "v = pl.foo(n, a='y')"},
      {"v = pl.foo(n, m)", "v = pl.foo(n)"},
      {"y = self.fill(x, y)", "r = pl.submit(self.fill, x, y)"},
      {"y = self.fill(x, y)", "y = self.fill(x, y, attrs={\"a\": 1})"},
      {"y = self.fill(x, y, attrs={\"a\": 1})", "y = self.fill(x, y, attrs={\"a\": 2})"},
      {"g = pl.system.task_dummy(deps=[])\nh = pl.system.task_dummy(deps=[])\nk2 = pl.system.task_dummy(deps=[g, h])",
       "g = pl.system.task_dummy(deps=[])\nh = pl.system.task_dummy(deps=[])\nk2 = pl.system.task_dummy(deps=[h, g])"},
      {"for i in pl.range(4):\n    pass", "for i in pl.parallel(4):\n    pass"},
      {"for i in pl.range(4):\n    pass", "for i in pl.range(1, 4):\n    pass"},
      {"for i in pl.pipeline(4, stage=2):\n    pass", "for i in pl.pipeline(4, stage=3):\n    pass"},
      {"for i in pl.range(4):\n    v = n", "for i in pl.range(4):\n    pass"},
      {"with pl.scope():\n    pass", "with pl.scope(mode=pl.ScopeMode.MANUAL):\n    pass"},
      {"with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"a\"):\n    pass",
       "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"b\"):\n    pass"},
      {"if flag:\n    pass", "if flag:\n    pass\nelse:\n    pass"},
      {"v = n\nw = m", "w = m\nv = n"},
      {"v: pl.Tensor[[4], pl.FP32] = pl.foo()", "v: pl.Tensor[[4], pl.FP16] = pl.foo()"},
      {"v: pl.Tensor[[4], pl.FP32] = pl.foo()", "v: pl.Tensor[[4], pl.FP32, pl.TensorView()] = pl.foo()"},
      {"v: pl.Tensor[[4], pl.FP32, pl.MemRef(\"a\", 0, 16)] = pl.foo()",
       "v: pl.Tensor[[4], pl.FP32, pl.MemRef(\"b\", 0, 16)] = pl.foo()"},
      {"v: pl.Tile[[4], pl.FP32, pl.Mem.Vec] = pl.foo()", "v: pl.Tile[[4], pl.FP32, pl.Mem.Mat] = pl.foo()"},
      {"return x", "return y"}};
  for (const auto& [a, b] : pairs) {
    EXPECT_NE(difference(a, b), "") << a << "\n---\n" << b;
    EXPECT_NE(difference(b, a), "") << b << "\n---\n" << a;
    EXPECT_EQ(difference(a, a), "") << a;
  }
}

TEST(Compare, IndexAndInt64ConstantsAreTheSame) {
  EXPECT_EQ(difference("v: pl.Tensor[[4], pl.FP32, pl.MemRef(\"a\", 0, 16)] = pl.foo()",
                       "v: pl.Tensor[[4], pl.FP32, pl.MemRef(\"a\", pl.const(0, pl.INT64), 16)] = pl.foo()"),
            "");
}

TEST(Compare, TileViewsAtTheirDefaults) {
  const auto tile = [](const std::string& extras) { return "v: pl.Tile[[4, 8], pl.FP32" + extras + "] = pl.foo()"; };
  const auto column = [](const std::string& extras) { return "v: pl.Tile[[4, 1], pl.FP32" + extras + "] = pl.foo()"; };
  const std::string explicit_vec =
      ", pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box, fractal=512)";
  EXPECT_EQ(difference(tile(", pl.Mem.Vec"), tile(explicit_vec)), "");
  EXPECT_EQ(
      difference(tile(", pl.Mem.Vec"), tile(", pl.Mem.Vec, pl.TileView(valid_shape=[4, 8], stride=[], pad=pl.PadValue.null)")),
      "");
  EXPECT_NE(difference(column(", pl.Mem.Vec"), column(explicit_vec)), "");
  EXPECT_EQ(difference(column(", pl.Mem.Vec"), column(", pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)")), "");
  EXPECT_EQ(
      difference(
          tile(", pl.Mem.Acc"),
          tile(", pl.Mem.Acc, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major, fractal=1024)")),
      "");
  EXPECT_NE(difference(tile(", pl.Mem.Left"), tile(", pl.Mem.Left, pl.TileView(fractal=1024)")), "");
  EXPECT_EQ(difference(tile(", pl.Mem.Right"),
                       tile(", pl.Mem.Right, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)")),
            "");
  EXPECT_EQ(difference(tile(", pl.Mem.LeftScale"),
                       tile(", pl.Mem.LeftScale, pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)")),
            "");
  EXPECT_EQ(
      difference(tile(", pl.Mem.RightScale"),
                 tile(", pl.Mem.RightScale, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major)")),
      "");
  EXPECT_NE(difference(tile(", pl.Mem.Vec"), tile(", pl.Mem.Vec, pl.TileView(valid_shape=[4, 7])")), "");
  EXPECT_NE(difference(tile(", pl.Mem.Vec"), tile(", pl.Mem.Vec, pl.TileView(pad=pl.PadValue.zero)")), "");
}

TEST(Compare, Functions) {
  const auto program = [](const std::string& decorator, const std::string& parameter, const std::string& name = "f",
                          const std::string& body = "...") {
    return read_one("import pypto.language as pl\n@pl.program\nclass C:\n    @pl.function" + decorator + "\n    def " + name +
                    "(self, " + parameter + "):\n        " + body + "\n");
  };
  const Program base = program("(type=pl.FunctionType.AIC)", "a: pl.Ptr");
  EXPECT_EQ(first_difference(base, program("(type=pl.FunctionType.AIC)", "b: pl.Ptr")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIV)", "a: pl.Ptr")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIC)", "a: pl.Out[pl.Ptr]")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIC)", "a: pl.Scalar[pl.INDEX]")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIC, auto_scope=False)", "a: pl.Ptr")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIC, level=pl.Level.CHIP)", "a: pl.Ptr")), "");
  EXPECT_EQ(first_difference(base, program("(type=pl.FunctionType.AIC)", "a: pl.Ptr", "g")), "function 'f' is on one side only");
  const Program external = program("(type=pl.FunctionType.AIC, external_source=\"a.cpp\")", "a: pl.Ptr");
  EXPECT_NE(first_difference(base, external), "");
  EXPECT_NE(first_difference(external, program("(type=pl.FunctionType.AIC, external_source=\"b.cpp\")", "a: pl.Ptr")), "");
  EXPECT_EQ(
      first_difference(external, program("(type=pl.FunctionType.AIC, external_source=\"a.cpp\")", "a: pl.Ptr", "f", "pass")), "");
  EXPECT_NE(first_difference(base, program("(type=pl.FunctionType.AIC)", "a: pl.Ptr", "f", "pl.func_attr({\"split\": 1})")), "");
}

}  // namespace
}  // namespace depscope::ir::testing
