// Every row of the table "U-text sugar and what the frontend dump shows instead" (ir-text 5.10).
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

#define TENSOR "pl.Tensor[[64, 32], pl.FP32]"
#define TASK "pl.Scalar[pl.TASK_ID]"

TEST(Sugar, SubmitWithOneResult) {
  EXPECT_EQ(printed_body("y, t = pl.submit(self.fill, x, y)"), "_submit_tmp: pl.Tuple[" TENSOR ", " TASK
                                                               "] = pl.submit(self.fill, x, y)\n"
                                                               "y: " TENSOR
                                                               " = _submit_tmp[0]\n"
                                                               "t: " TASK " = _submit_tmp[1]");
}

TEST(Sugar, SubmitWithTupleTarget) {
  const std::string flat = "_submit_tmp: pl.Tuple[" TENSOR ", " TENSOR ", " TASK
                           "] = pl.submit(self.merge, x, y, y)\n"
                           "a: " TENSOR
                           " = _submit_tmp[0]\n"
                           "b: " TENSOR
                           " = _submit_tmp[1]\n"
                           "t: " TASK " = _submit_tmp[2]";
  EXPECT_EQ(printed_body("(a, b), t = pl.submit(self.merge, x, y, y)"), flat);
  EXPECT_EQ(printed_body("a, b, t = pl.submit(self.merge, x, y, y)"), flat);
}

TEST(Sugar, SubmitIntoOneName) {
  EXPECT_EQ(printed_body("r = pl.submit(self.fill, x, y)\nt = r[1]"), "r: pl.Tuple[" TENSOR ", " TASK
                                                                      "] = pl.submit(self.fill, x, y)\n"
                                                                      "t: " TASK " = r[1]");
}

TEST(Sugar, CallWithTwoResults) {
  EXPECT_EQ(printed_body("a, b = self.merge(x, y, y)"), "_tuple_tmp: pl.Tuple[" TENSOR ", " TENSOR
                                                        "] = self.merge(x, y, y)\n"
                                                        "a: " TENSOR
                                                        " = _tuple_tmp[0]\n"
                                                        "b: " TENSOR " = _tuple_tmp[1]");
}

TEST(Sugar, TemporariesOfManyLaunchesGetNumbers) {
  const std::string body = printed_body("y, t = pl.submit(self.fill, x, y)\ny, u = pl.submit(self.fill, x, y, deps=[t])");
  EXPECT_NE(body.find("_submit_tmp_1: pl.Tuple"), std::string::npos);
  EXPECT_NE(body.find("u: " TASK " = _submit_tmp_1[1]"), std::string::npos);
}

TEST(Sugar, ArrayElements) {
  EXPECT_EQ(printed_body("tids = pl.array.create(4, pl.TASK_ID)\ntids[n] = None\nv = tids[2]"),
            "tids: pl.Array[4, pl.TASK_ID] = pl.array.create(4, dtype=pl.TASK_ID)\n"
            "tids: pl.Array[4, pl.TASK_ID] = pl.array.update_element(tids, n, pl.system.task_invalid())\n"
            "v: " TASK " = pl.array.get_element(tids, 2)");
}

const std::string kDepsPrefix = "tids = pl.array.create(3, pl.TASK_ID)\ny, t2 = pl.submit(self.fill, x, y)\n";

std::string after_prefix(const std::string& body) {
  const std::string printed = printed_body(kDepsPrefix + body);
  const std::string last = "t2: " TASK " = _submit_tmp[1]\n";
  return printed.substr(printed.find(last) + last.size());
}

TEST(Sugar, ElementsAsDepsGoThroughAnArray) {
  EXPECT_EQ(after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[n], t2])"),
            "_submit_deps_buf: pl.Array[2, pl.TASK_ID] = pl.array.create(2, dtype=pl.TASK_ID)\n"
            "_submit_deps_buf_1: pl.Array[2, pl.TASK_ID] = pl.array.update_element(_submit_deps_buf, 0, "
            "pl.array.get_element(tids, n))\n"
            "_submit_deps_buf_2: pl.Array[2, pl.TASK_ID] = pl.array.update_element(_submit_deps_buf_1, 1, t2)\n"
            "r: pl.Tuple[" TENSOR ", " TASK "] = pl.submit(self.fill, x, y, deps=[_submit_deps_buf_2])");
}

TEST(Sugar, ComprehensionInDepsIsUnrolled) {
  EXPECT_EQ(after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[i] for i in range(3) if i != 1])"),
            after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[0], tids[2]])"));
  EXPECT_EQ(after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[i] for i in range(2, -1, -1)])"),
            after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[2], tids[1], tids[0]])"));
  EXPECT_EQ(
      after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[i] for i in range(9223372036854775806, 9223372036854775807, 4)])"),
      after_prefix("r = pl.submit(self.fill, x, y, deps=[tids[9223372036854775806]])"));
}

TEST(Sugar, NoneIsNoTask) {
  EXPECT_EQ(printed_body("last = None"), "last: " TASK " = pl.system.task_invalid()");
  EXPECT_EQ(printed_body("g = pl.system.task_dummy(deps=[None])"), "g: " TASK " = pl.system.task_dummy(deps=[])");
  EXPECT_EQ(printed_body("r = pl.submit(self.fill, x, y, deps=[None])"),
            "r: pl.Tuple[" TENSOR ", " TASK "] = pl.submit(self.fill, x, y)");
}

TEST(Sugar, NoDep) {
  EXPECT_EQ(printed_body("y = self.fill(pl.no_dep(x), y)"),
            "y: " TENSOR " = self.fill(x, y, attrs={\"arg_direction_overrides\": [0]})");
  EXPECT_EQ(printed_body("r = pl.submit(self.fill, x, pl.no_dep(y))"),
            "r: pl.Tuple[" TENSOR ", " TASK "] = pl.submit(self.fill, x, y, attrs={\"arg_direction_overrides\": [1]})");
}

TEST(Sugar, DumpTag) {
  EXPECT_EQ(printed_body("pl.dump_tag(x)\ny = self.fill(x, y)\nr = pl.submit(self.fill, x, y)"),
            "y: " TENSOR
            " = self.fill(x, y, attrs={\"dump_vars\": [x]})\n"
            "r: pl.Tuple[" TENSOR ", " TASK "] = pl.submit(self.fill, x, y, dumps=[x])");
}

TEST(Sugar, ElementsAndSlicesOfTensors) {
  EXPECT_EQ(printed_body("v = x[n, 3]"), "v: pl.Scalar[pl.FP32] = pl.tensor.read(x, [n, 3])");
  EXPECT_EQ(printed_body("v = x[n]"), "v: pl.Tensor[[32], pl.FP32] = pl.tensor.slice(x, [1, 32], [n, 0], [], [0])");
  EXPECT_EQ(printed_body("v = x[8:24, 2]"), "v: pl.Tensor[[16], pl.FP32] = pl.tensor.slice(x, [16, 1], [8, 2], [], [1])");
  EXPECT_EQ(printed_body("v = x[:16, :]"), "v: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.slice(x, [16, 32], [0, 0])");
  EXPECT_EQ(printed_body("v = x[n:m]"), "v: pl.Tensor[[m - n, 32], pl.FP32] = pl.tensor.slice(x, [m - n, 32], [n, 0])");
}

TEST(Sugar, AssigningToParts) {
  EXPECT_EQ(printed_body("y[n, 2] = f"), "pl.tensor.write(y, [n, 2], f)");
  EXPECT_EQ(printed_body("y[0:8, :] = x[8:16, :]"),
            "y: " TENSOR " = pl.tensor.assemble(y, pl.tensor.slice(x, [8, 32], [8, 0]), [0, 0])");
  EXPECT_EQ(printed_body("y[3, :] = x[n]"),
            "y: " TENSOR
            " = pl.tensor.assemble(y, pl.tensor.reshape(pl.tensor.slice(x, [1, 32], [n, 0], [], [0]), [1, 32]), [3, 0])");
}

TEST(Sugar, ShortOperationNames) {
  EXPECT_EQ(printed_body("v = pl.add(x, y)"), "v: " TENSOR " = pl.tensor.add(x, y)");
  EXPECT_EQ(printed_body("v = x + y"), "v: " TENSOR " = pl.tensor.add(x, y)");
  EXPECT_EQ(printed_body("v = x * 2"), "v: " TENSOR " = pl.tensor.muls(x, 2.0)");
  EXPECT_EQ(printed_body("v = -x"), "v: " TENSOR " = pl.tensor.neg(x)");
  EXPECT_EQ(printed_body("v = pl.create_tensor([64], pl.FP16)"),
            "v: pl.Tensor[[64], pl.FP16] = pl.tensor.create([64], dtype=pl.FP16, layout=pl.TensorLayout.ND)");
  EXPECT_EQ(printed_body("t = pl.load(x, [0, 0], [16, 32])\nt = t + 1.5\ny = pl.store(t, [0, 0], y)"),
            "t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 32], [16, 32], target_memory=pl.Mem.Vec)\n"
            "t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.adds(t, 1.5)\n"
            "y: " TENSOR " = pl.tile.store(t, [0, 0], y)");
}

TEST(Sugar, DimOfADynamicDimensionIsItsSymbol) {
  EXPECT_EQ(printed_body("r = pl.tensor.dim(d, 0)\nv = r + 1"), "v: pl.Scalar[pl.INDEX] = ROWS + 1");
  EXPECT_EQ(printed_body("r = pl.tensor.dim(x, 0)"), "r: pl.Scalar[pl.INDEX] = pl.tensor.dim(x, 0)");
  // The symbol is no variable: assigning the name again would change the dimension of d.
  EXPECT_EQ(errors(orchestration("r = pl.tensor.dim(d, 0)\nr = r + 1")),
            std::vector<std::string>{"14:9: 'r' stands for the dynamic dimension 'ROWS' and cannot be assigned again"});
}

TEST(Sugar, ClosureConstants) {
  const std::string module =
      "import pypto.language as pl\nT = 64\nHALF = T // 2\nSHAPE = [T, HALF]\nDT = pl.FP16\nDEEP = -HALF + 1\n"
      "@pl.program\nclass C:\n    @pl.function(type=pl.FunctionType.Orchestration)\n"
      "    def main(self, x: pl.Tensor[SHAPE, DT], n: pl.Scalar[pl.INDEX]):\n        v = n + HALF * 2\n        w = DEEP\n";
  const std::string printed = reprint(module);
  EXPECT_NE(printed.find("x: pl.Tensor[[64, 32], pl.FP16]"), std::string::npos) << printed;
  EXPECT_NE(printed.find("v: pl.Scalar[pl.INDEX] = n + 64\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("w: pl.Scalar[pl.INDEX] = -31\n"), std::string::npos) << printed;
}

TEST(Sugar, StaticPrintAndAssertDisappear) {
  EXPECT_EQ(printed_body("pl.static_print(f\"n is {n}\")\npl.static_assert(True)\nv = n"), "v: pl.Scalar[pl.INDEX] = n");
}

TEST(Sugar, LiteralsTakeTheAnnotatedType) {
  EXPECT_EQ(printed_body("v: pl.Scalar[pl.INT64] = 0"), "v: pl.Scalar[pl.INT64] = pl.const(0, pl.INT64)");
  EXPECT_EQ(printed_body("v: pl.Scalar[pl.INDEX] = 0"), "v: pl.Scalar[pl.INDEX] = 0");
}

TEST(Sugar, ModuleFunctionsCalledByBareName) {
  const std::string module =
      "import pypto.language as pl\n"
      "@pl.function(type=pl.FunctionType.InCore)\ndef deep(x: pl.Out[pl.Tensor[[4], pl.FP32]]) -> pl.Tensor[[4], pl.FP32]:\n    "
      "return x\n"
      "@pl.function\ndef helper(x: pl.Out[pl.Tensor[[4], pl.FP32]]) -> pl.Tensor[[4], pl.FP32]:\n    x = deep(x)\n    return x\n"
      "@pl.function\ndef unused(x: pl.Tensor[[4], pl.FP32]):\n    pass\n"
      "@pl.program\nclass C:\n    @pl.function(type=pl.FunctionType.Orchestration)\n    def main(self, x: pl.Out[pl.Tensor[[4], "
      "pl.FP32]]):\n        x = helper(x)\n";
  const std::string printed = reprint(module);
  EXPECT_NE(printed.find("x: pl.Tensor[[4], pl.FP32] = self.helper(x)"), std::string::npos) << printed;
  EXPECT_NE(printed.find("x: pl.Tensor[[4], pl.FP32] = self.deep(x)"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("unused"), std::string::npos) << printed;
}

TEST(Sugar, ScopesAndReturns) {
  EXPECT_EQ(printed_body("with pl.manual_scope():\n    pass"), "with pl.scope(mode=pl.ScopeMode.MANUAL):\n    pass");
  EXPECT_EQ(printed_body("with pl.scope(mode=pl.ScopeMode.AUTO):\n    pass"), "with pl.scope():\n    pass");
  EXPECT_EQ(printed_body("return (x, y)"), "return x, y");
  EXPECT_EQ(printed_body("return None"), "return");
  EXPECT_EQ(printed_body("if flag:\n    pass\nelif n < m:\n    return"),
            "if flag:\n    pass\nelse:\n    if n < m:\n        return");
}

TEST(Sugar, LoopsWithoutTheirYield) {
  const std::string expected =
      "for i, (a,) in pl.range(4, init_values=(n,)):\n"
      "    a: pl.Scalar[pl.INDEX] = a + i\n"
      "    a_out: pl.Scalar[pl.INDEX] = pl.yield_(a)\n"
      "v: pl.Scalar[pl.INDEX] = a_out";
  EXPECT_EQ(printed_body("for i, (a,) in pl.range(4, init_values=[n]):\n    a = a + i\nv = a_out"), expected);
  EXPECT_EQ(printed_body("for i, (a,) in pl.range(4, init_values=(n,)):\n    a = a + i\n    pl.yield_(a)\nv = a_out"), expected);
}

TEST(Sugar, ImportsUnderOtherNames) {
  for (const char* import : {"import pypto.language as p", "from pypto import language as p"}) {
    const std::string printed = reprint(std::string(import) +
                                        "\n@p.program\nclass C:\n    @p.function(type=p.FunctionType.Orchestration)\n"
                                        "    def main(self, x: p.Tensor[[4], p.FP32], y: p.Shiny[p.FP32]):\n        with "
                                        "p.scope():\n            v = p.cast(p.tensor.read(x, [0]), p.INT32)\n");
    EXPECT_NE(printed.find("x: pl.Tensor[[4], pl.FP32], y: pl.Shiny[pl.FP32]"), std::string::npos) << printed;
    EXPECT_NE(printed.find("v: pl.Scalar[pl.INT32] = pl.cast(pl.tensor.read(x, [0]), pl.INT32)"), std::string::npos) << printed;
  }
}

}  // namespace
}  // namespace depscope::ir::testing
