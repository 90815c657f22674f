// Core kinds of kernels: by type, by body, and of wrappers.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "depscope/execute/program_runner.h"
#include "depscope/ir/text.h"

namespace depscope::execute {
namespace {

using Ids = std::array<std::int32_t, 3>;

ir::Program program_of(const std::string& functions) {
  const std::string text = "import pypto.language as pl\n\n\n@pl.program\nclass Prog:\n" + functions;
  ir::ReadResult read = ir::read_text(std::make_shared<const SourceFile>("t.py", text));
  for (const Diagnostic& d : read.diagnostics) EXPECT_NE(d.severity, Severity::Error) << d.text();
  return read.programs.at(0);
}

std::string function(const std::string& type, const std::string& name, const std::string& body = "        return x\n") {
  return "    @pl.function(type=pl.FunctionType." + type + ")\n    def " + name +
         "(self, x: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:\n" + body + "\n";
}

Ids ids_of(const ir::Program& program, const std::string& name) {
  for (const ir::Function& f : program.functions) {
    if (program.store->text(f.name) == name) return KernelTable(program).kernel_ids(f.name);
  }
  return {-9, -9, -9};
}

TEST(KernelTable, ByTypeNumberedByName) {
  const ir::Program p = program_of(function("AIV", "c") + function("AIC", "b") + function("AIV", "a"));
  EXPECT_EQ(ids_of(p, "a"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "b"), (Ids{1, -1, -1}));
  EXPECT_EQ(ids_of(p, "c"), (Ids{-1, 2, -1}));
  EXPECT_EQ(KernelTable(p).kernel_ids(NameId()), (Ids{-1, -1, -1}));
}

TEST(KernelTable, ByBody) {
  const std::string load = "        t = pl.load(x, [0, 0], [64, 64])\n";
  const ir::Program p =
      program_of(function("InCore", "add", load + "        u = pl.add(t, t)\n        return x\n") +
                 function("InCore", "matmul", load + "        u = pl.matmul(t, t)\n        return x\n") +
                 function("InCore", "mixed", load + "        u = pl.matmul(t, t)\n        v = pl.add(u, u)\n        return x\n") +
                 function("InCore", "move", load + "        return x\n"));
  EXPECT_EQ(ids_of(p, "add"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "matmul"), (Ids{1, -1, -1}));
  EXPECT_EQ(ids_of(p, "mixed"), (Ids{2, 2, -1}));
  EXPECT_EQ(ids_of(p, "move"), (Ids{-1, 3, -1}));
}

TEST(KernelTable, EmptyAndForeignBodiesRunOnVectorCores) {
  const ir::Program p = program_of(function("InCore", "nothing") + function("InCore", "passes", "        pass\n"));
  EXPECT_EQ(ids_of(p, "nothing"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "passes"), (Ids{-1, 1, -1}));
}

TEST(KernelTable, OperationsOnWholeTensorsCountAsThoseOnTiles) {
  const ir::Program p =
      program_of(function("InCore", "add", "        y = pl.add(x, x)\n        return y\n") +
                 function("InCore", "matmul", "        y = pl.matmul(x, x)\n        return y\n") +
                 function("InCore", "mixed", "        y = pl.matmul(x, x)\n        z = pl.add(y, y)\n        return z\n") +
                 function("InCore", "view", "        y = pl.reshape(x, [32, 128])\n        return x\n"));
  EXPECT_EQ(ids_of(p, "add"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "matmul"), (Ids{1, -1, -1}));
  EXPECT_EQ(ids_of(p, "mixed"), (Ids{2, 2, -1}));
  EXPECT_EQ(ids_of(p, "view"), (Ids{-1, 3, -1}));
}

TEST(KernelTable, OperationsInsideLoopsBranchesAndExpressions) {
  const ir::Program p =
      program_of(function("InCore", "deep",
                          "        for i in pl.range(4):\n            t = pl.load(x, [0, 0], [64, 64])\n            if i == 2:\n"
                          "                u = pl.matmul(t, t)\n            v = pl.exp(pl.mul(t, t))\n        return x\n"));
  EXPECT_EQ(ids_of(p, "deep"), (Ids{0, 0, -1}));
}

TEST(KernelTable, HelpersCountForWhoCallsThem) {
  const std::string load = "        t = pl.load(x, [0, 0], [64, 64])\n";
  const ir::Program p =
      program_of(function("InCore", "add", load + "        u = pl.add(t, t)\n        return x\n") +
                 function("InCore", "both", load + "        u = pl.matmul(t, t)\n        y = self.twice(x)\n        return x\n") +
                 function("InCore", "loop", "        y = self.loop(x)\n        return x\n") +
                 function("InCore", "matmul", load + "        u = pl.matmul(t, t)\n        return x\n") +
                 function("InCore", "only", "        y = self.matmul(x)\n        return x\n") +
                 function("InCore", "twice", "        y = self.add(x)\n        return x\n"));
  EXPECT_EQ(ids_of(p, "both"), (Ids{1, 1, -1}));
  EXPECT_EQ(ids_of(p, "loop"), (Ids{-1, 2, -1}));
  EXPECT_EQ(ids_of(p, "only"), (Ids{4, -1, -1}));
  EXPECT_EQ(ids_of(p, "twice"), (Ids{-1, 5, -1}));
}

TEST(KernelTable, WhatTheTextSaysIsNotInferred) {
  const std::string body = "        y = pl.matmul(x, x)\n        z = pl.add(y, y)\n        return z\n";
  const ir::Program p = program_of(function("AIC", "cube", body) + function("AIV", "vector", body));
  EXPECT_EQ(ids_of(p, "cube"), (Ids{0, -1, -1}));
  EXPECT_EQ(ids_of(p, "vector"), (Ids{-1, 1, -1}));
}

TEST(KernelTable, AGroupTakesAsManyLanesAsItHasKernels) {
  const ir::Program p =
      program_of(function("AIV", "left") + function("InCore", "mul", "        y = pl.matmul(x, x)\n        return x\n") +
                 function("AIV", "right") +
                 function("Group", "same", "        y = self.left(x)\n        z = self.left(x)\n        return x\n") +
                 function("Group", "three",
                          "        y = self.mul(x)\n        z = self.left(x)\n        w = self.right(x)\n        return x\n") +
                 function("Group", "two", "        y = self.left(x)\n        z = self.right(x)\n        return x\n"));
  EXPECT_EQ(ids_of(p, "same"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "two"), (Ids{-1, 0, 2}));
  EXPECT_EQ(ids_of(p, "three"), (Ids{1, 0, 2}));
}

TEST(KernelTable, AWrapperThatLaunchesNothingIsItsOwnKernel) {
  const ir::Program p =
      program_of(function("AIV", "a") + function("Spmd", "b", "        y = pl.matmul(x, x)\n        return x\n"));
  EXPECT_EQ(ids_of(p, "a"), (Ids{-1, 0, -1}));
  EXPECT_EQ(ids_of(p, "b"), (Ids{1, -1, -1}));
}

TEST(KernelTable, WrappersCombineTheirMembers) {
  const ir::Program p =
      program_of(function("AIC", "cube") + function("AIV", "vector") +
                 function("Group", "pair", "        y = self.cube(x)\n        z = self.vector(x)\n        return x\n") +
                 function("Spmd", "wide", "        y = self.pair(x)\n        return x\n"));
  EXPECT_EQ(ids_of(p, "pair"), (Ids{0, 1, -1}));
  EXPECT_EQ(ids_of(p, "wide"), (Ids{0, 1, -1}));
}

TEST(KernelTable, WrappersThatCallEachOtherTwiceStaySmall) {
  std::string text = function("AIV", "w00");
  for (int i = 1; i < 60; ++i) {
    const auto name = [](int k) { return (k < 10 ? "w0" : "w") + std::to_string(k); };
    text += function("Group", name(i),
                     "        y = self." + name(i - 1) + "(x)\n        z = self." + name(i - 1) + "(x)\n        return x\n");
  }
  EXPECT_EQ(ids_of(program_of(text), "w59"), (Ids{-1, 0, -1}));
}

}  // namespace
}  // namespace depscope::execute
