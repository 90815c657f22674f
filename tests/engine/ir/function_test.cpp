// Decorators, signatures, special bodies and the module around a program (ir-text 1.3, 3, 4.6).
#include <gtest/gtest.h>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

/// The program as printed, without header and class line.
std::string functions(const std::string& text) {
  const std::string printed = reprint("import pypto.language as pl\n@pl.program\nclass C:\n" + text);
  return printed.substr(printed.find("class C:\n") + 9);
}

TEST(Functions, ImpliedLevelsAndRoles) {
  EXPECT_EQ(
      functions("    @pl.function(type=pl.FunctionType.AIV)\n    def f(self):\n        pass\n"),
      "    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)\n    def f():\n        pass\n");
  EXPECT_EQ(
      functions(
          "    @pl.function(level=pl.Level.POD, role=pl.Role.Orchestrator, auto_scope=False)\n    def f(self):\n        pass\n"),
      "    @pl.function(level=pl.Level.CLUSTER_0, role=pl.Role.Orchestrator, auto_scope=False)\n    def f(self):\n        "
      "pass\n");
  EXPECT_EQ(functions("    @pl.function\n    def f(self) -> None:\n        ...\n"),
            "    @pl.function\n    def f(self):\n        ...\n");
  EXPECT_EQ(functions("    @pl.function(attrs={\"a\": True}, strict_ssa=True)\n    def f(self):\n        pass\n"),
            "    @pl.function\n    def f(self):\n        pl.func_attr({\"a\": True})\n        pass\n");
}

TEST(Functions, ReturnTypes) {
  EXPECT_EQ(
      functions(
          "    @pl.function\n    def f(self, a: pl.InOut[pl.Ptr], b: pl.Ptr) -> tuple[pl.Ptr, pl.Ptr]:\n        return a, b\n"),
      "    @pl.function\n    def f(self, a: pl.InOut[pl.Ptr], b: pl.Ptr) -> tuple[pl.Ptr, pl.Ptr]:\n        return a, b\n");
  EXPECT_EQ(functions("    @pl.function\n    def f(self) -> pl.Tuple[pl.Ptr, pl.Ptr]:\n        pass\n"),
            "    @pl.function\n    def f(self) -> pl.Tuple[pl.Ptr, pl.Ptr]:\n        pass\n");
}

TEST(Functions, CalleesComeFirst) {
  const std::string printed = functions(
      "    @pl.function\n    def a(self):\n        self.z()\n"
      "    @pl.function\n    def b(self):\n        pass\n"
      "    @pl.function\n    def z(self):\n        self.y()\n"
      "    @pl.function\n    def y(self):\n        pass\n");
  EXPECT_LT(printed.find("def y("), printed.find("def z("));
  EXPECT_LT(printed.find("def z("), printed.find("def a("));
  EXPECT_LT(printed.find("def a("), printed.find("def b("));
  const std::string cycle =
      functions("    @pl.function\n    def b(self):\n        self.a()\n    @pl.function\n    def a(self):\n        self.b()\n");
  EXPECT_LT(cycle.find("def a("), cycle.find("def b("));
}

TEST(Functions, ForeignBodiesKeepTheirText) {
  const std::string host =
      "    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n"
      "    def hook(x: pl.Tensor[[4], pl.FP32]):\n"
      "        pl.func_attr({\"split_aiv\": True})\n"
      "        import numpy as np\n"
      "        total = [v ** 2 for v in x if v]\n"
      "\n"
      "        match total:\n"
      "            case []: return lambda: None  # nothing\n"
      "        y += pl.submit(self.nowhere, x)\n";
  EXPECT_EQ(functions(host), host);
  const Program p = read_one("import pypto.language as pl\n@pl.program\nclass C:\n" + host);
  EXPECT_TRUE(p.functions[0].foreign_body);
  EXPECT_TRUE(verify(p).empty());
}

TEST(Functions, CallbacksBoundAtRunTime) {
  for (const char* body : {"        ...\n", "        \"\"\"Called later.\"\"\"\n        ...\n"}) {
    const Program p = read_one(
        "import pypto.language as pl\n@pl.program\nclass C:\n    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n    "
        "def hook(x: pl.Ptr):\n" +
        std::string(body));
    EXPECT_FALSE(p.functions[0].foreign_body);
    EXPECT_NE(print_program(p).find("def hook(x: pl.Ptr):\n        ...\n"), std::string::npos);
  }
  // A docstring in front of real code is part of that code.
  const std::string host =
      "    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n    def hook(x: pl.Ptr):\n        \"\"\"Works.\"\"\"\n     "
      "   work(x)\n";
  EXPECT_EQ(functions(host), host);
}

TEST(Functions, ExternalKernels) {
  const std::string dots =
      "    @pl.function(type=pl.FunctionType.AIC, external_source=\"/a b/\\\"k\\\".cpp\")\n    def f(self):\n        ...\n";
  EXPECT_EQ(functions(dots),
            "    @pl.function(type=pl.FunctionType.AIC, level=pl.Level.AIC, role=pl.Role.SubWorker, external_source=\"/a "
            "b/\\\"k\\\".cpp\")\n    def f():\n        pass\n");
}

TEST(Functions, BareFunctionsAreASnippet) {
  const Program p = read_one(
      "@pl.function\ndef g(a: pl.Ptr):\n    pass\n"
      "@pl.function(type=pl.FunctionType.Orchestration)\ndef f(a: pl.Ptr):\n    g(a)\n");
  EXPECT_EQ(p.name, "Program");
  EXPECT_EQ(p.functions.size(), 2U);
}

TEST(Functions, SeveralProgramsInOneFile) {
  const ReadResult result = read(
      "import pypto.language as pl\nN = pl.dynamic(\"N\")\n"
      "@pl.program\nclass A:\n    @pl.function\n    def f(self, x: pl.Tensor[[N], pl.FP32]):\n        pass\n"
      "@pl.program\nclass B:\n    @pl.function\n    def f(self):\n        pass\n");
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.programs.size(), 2U);
  EXPECT_EQ(result.programs[0].dynamic_dims.size(), 1U);
  EXPECT_EQ(result.programs[1].dynamic_dims.size(), 0U) << "only A uses N";
}

TEST(Functions, DynamicDimensions) {
  const std::string dump =
      "# pypto.program: D\nimport pypto.language as pl\n\nM = pl.dynamic(\"M\")\nN = pl.dynamic(\"N\")\nN_1 = "
      "pl.dynamic(\"N\")\n\n@pl.program\nclass D:\n"
      "    @pl.function\n    def f(self, x: pl.Tensor[[N, M], pl.FP32], y: pl.Tensor[[N_1 + pl.const(1, pl.INDEX)], pl.FP32]):\n "
      "       pass\n";
  EXPECT_EQ(reprint(dump), dump);
  // A parameter and a declared dimension of one name are one variable; the declaration stays (4.6).
  const std::string unified =
      "# pypto.program: D\nimport pypto.language as pl\n\nM = pl.dynamic(\"M\")\n\n@pl.program\nclass D:\n"
      "    @pl.function\n    def f(self, M: pl.Scalar[pl.INDEX], x: pl.Tensor[[64], pl.FP32, pl.TensorView(valid_shape=[M], "
      "stride=[], layout=pl.TensorLayout.ND)]):\n        pass\n";
  EXPECT_EQ(reprint(unified), unified);
  EXPECT_EQ(reprint("import pypto.language as pl\nA = pl.dynamic('B')\n@pl.program\nclass D:\n    @pl.function\n    def f(self, "
                    "x: pl.Tensor[[A], pl.FP32]):\n        pass\n"),
            "# pypto.program: D\nimport pypto.language as pl\n\nB = pl.dynamic(\"B\")\n\n@pl.program\nclass D:\n    "
            "@pl.function\n    def f(self, x: pl.Tensor[[B], pl.FP32]):\n        pass\n");
}

TEST(Functions, UndeclaredDimensionsAreInventedWithAWarning) {
  const ReadResult result = read(
      "import pypto.language as pl\n@pl.program\nclass C:\n    @pl.function\n    def f(self, x: pl.Tensor[[Q], pl.FP32]):\n      "
      "  pass\n");
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].headline(), "test.py:5:31: dimension 'Q' is not declared: taken as pl.dynamic(\"Q\")");
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Warning);
}

// Many warnings must not end the reading in silence.
TEST(Functions, WarningsLoseNoStatements) {
  std::string text = "import pypto.language as pl\n@pl.program\nclass C:\n    @pl.function\n    def f(self";
  for (int i = 0; i < 40; ++i) text += ", x" + std::to_string(i) + ": pl.Tensor[[Q" + std::to_string(i) + "], pl.FP32]";
  text += "):\n        v = 1\n        w = 2\n";
  const ReadResult result = read(text);
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.diagnostics.size(), 20U);
  EXPECT_EQ(result.programs[0].functions[0].body.count, 2U);
}

TEST(Functions, FreeVariablesAreShown) {
  const ReadResult result =
      read("import pypto.language as pl\n@pl.program\nclass C:\n    @pl.function\n    def f(self):\n        v = a__FREE_VAR\n");
  ASSERT_TRUE(result.ok);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_NE(print_program(result.programs[0]).find("v: pl.UnknownType = a__FREE_VAR\n"), std::string::npos);
  EXPECT_EQ(round_trip_fault(result), "");
}

TEST(Functions, PrinterSuffixesForEqualNames) {
  EXPECT_EQ(printed_body("for i, (n,) in pl.range(4, init_values=(n,)):\n    n_1 = n\n    n_end = pl.yield_(n)"),
            "for i, (n_2,) in pl.range(4, init_values=(n,)):\n    n_1: pl.Scalar[pl.INDEX] = n_2\n    n_end: pl.Scalar[pl.INDEX] "
            "= pl.yield_(n_2)");
}

TEST(Functions, AttributesThatOtherSpellingsHideStayVisible) {
  EXPECT_EQ(printed_body("g = pl.system.task_dummy(deps=[])\nr = pl.submit(self.fill, x, y, attrs={\"manual_dep_edges\": [g]})"),
            "g: pl.Scalar[pl.TASK_ID] = pl.system.task_dummy(deps=[])\n"
            "r: pl.Tuple[pl.Tensor[[64, 32], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.fill, x, y, "
            "attrs={\"manual_dep_edges\": [g]})");
}

TEST(Functions, CompilerEdgesMayNameAnIdThatIsDefinedFurtherDown) {
  const std::string body =
      "for i in pl.range(4):\n"
      "    self.fill(x, y, attrs={\"compiler_manual_dep_edges\": [t, r, x]})\n"
      "    r: pl.Tuple[pl.Tensor[[64, 32], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.fill, x, y)\n"
      "    t: pl.Scalar[pl.TASK_ID] = r[1]";
  EXPECT_EQ(printed_body(body), body);
  const Program p = read_one(orchestration(body));
  const NodeStore& store = *p.store;
  const StmtId loop = store.at<StmtId>(p.find("main")->body, 0);
  const Range inner = store.for_data(loop).body;
  const ExprId call(store.stmt(store.at<StmtId>(inner, 0)).a);
  const ExprId edge = children(store, store.find_pair(store.call(call).attrs, "compiler_manual_dep_edges")).at(0);
  EXPECT_EQ(store.as_var(edge), VarId(store.stmt(store.at<StmtId>(inner, 2)).a)) << "the very variable that is defined below";
}

TEST(Functions, LinesOfAPrint) {
  const Program p = read_one(orchestration("v = n\nfor i in pl.range(4):\n    w = v"));
  const PrintedProgram printed = print_program_with_lines(p);
  std::vector<std::string> lines{""};
  for (const char c : printed.text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  for (const auto& [name, line] : printed.function_lines)
    EXPECT_NE(lines[line - 1].find("def " + std::string(p.store->text(name)) + "("), std::string::npos);
  EXPECT_EQ(printed.statement_lines.size(), 5U);
  for (const auto& [stmt, line] : printed.statement_lines) {
    if (p.store->stmt(stmt).kind == StmtKind::For) {
      EXPECT_NE(lines[line - 1].find("for i in"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace depscope::ir::testing
