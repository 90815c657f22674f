// What the constructs of an orchestration body do when it runs: kinds of loops, merges, carried values, arrays, views, casts,
// outputs that the runtime allocates, values given from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "program_log.h"

namespace depscope::execute::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kParameters =
    "a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]";

ProgramSetup given(const std::vector<std::pair<std::string, std::string>>& args, bool analyze = false) {
  ProgramSetup setup;
  setup.passes = all_passes();
  setup.analyze = analyze;
  setup.input.args = args;
  return setup;
}

ProgramSetup three() { return given({{"n", "3"}, {"m", "2"}}); }

/// "mod a, mod b": every kernel with the root of its first tensor.
std::string launches(const ProgramLog& log) {
  if (!log.error.empty()) return log.error;
  std::string out;
  for (std::uint32_t task = 0; task < log.tasks.size(); ++task) {
    if (log.tasks[task].kind != runtime::TaskKind::Kernel) continue;
    const std::string arguments = log.arguments(task);
    const std::size_t name = arguments.find(' ') + 1;
    out += (out.empty() ? "" : ", ") + log.names.at(log.tasks[task].callee) + " " +
           arguments.substr(name, arguments.find('[') - name);
  }
  return out;
}

// ---------------------------------------------------------------- kinds of loops

TEST(Loops, EveryKindRunsItsIterationsInOrder) {
  for (const char* loop : {"pl.range(3)", "pl.parallel(3)", "pl.unroll(3)", "pl.range(0, n)", "pl.parallel(0, n)",
                           "pl.range(2, 5)", "pl.range(6, 0, -2)", "pl.pipeline(3, stage=2)"}) {
    const ProgramLog log = interpret(kParameters, std::string("for i in ") + loop + ":\n    self.mod(a)\n", three());
    EXPECT_EQ(launches(log), "mod a, mod a, mod a") << loop;
  }
}

TEST(Loops, CountersHaveTheValuesOfTheirRange) {
  const auto widths = [](const std::string& loop) {
    const ProgramLog log = interpret(
        kParameters, "for i in " + loop + ":\n    if i == m:\n        self.mod(a)\n    else:\n        self.get(b)\n", three());
    return launches(log);
  };
  EXPECT_EQ(widths("pl.range(4)"), "get b, get b, mod a, get b");
  EXPECT_EQ(widths("pl.range(2, 6, 2)"), "mod a, get b");
  EXPECT_EQ(widths("pl.range(4, 0, -1)"), "get b, get b, mod a, get b");
  EXPECT_EQ(widths("pl.parallel(1, 3)"), "get b, mod a");
  EXPECT_EQ(widths("pl.unroll(3)"), "get b, get b, mod a");
  EXPECT_EQ(widths("pl.range(0)"), "");
}

TEST(Loops, IterationVectorsCountIterationsNotCounters) {
  const ProgramLog log =
      interpret(kParameters, "for i in pl.range(4, 0, -2):\n    for j in pl.parallel(2, 2 + m):\n        self.mod(a)\n", three());
  ASSERT_EQ(log.iterations.size(), 4U) << log.error;
  EXPECT_EQ(log.iterations[0], (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(log.iterations[1], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(log.iterations[3], (std::vector<std::uint32_t>{1, 1}));
}

// ---------------------------------------------------------------- ifs

TEST(Branches, ThenElseAndNeither) {
  const std::string body =
      "if n > m:\n    self.mod(a)\nelse:\n    self.mod(b)\nif n == m:\n    self.get(a)\nif not (n == m) and n != 4:\n    "
      "self.get(b)\n";
  EXPECT_EQ(launches(interpret(kParameters, body, three())), "mod a, get b");
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "2"}, {"m", "2"}}))), "mod b, get a");
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "4"}, {"m", "2"}}))), "mod a");
}

TEST(Branches, ElifChains) {
  const std::string body = "if n == 1:\n    self.mod(a)\nelif n == 2:\n    self.mod(b)\nelse:\n    self.get(a)\n";
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "1"}}))), "mod a");
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "2"}}))), "mod b");
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "3"}}))), "get a");
}

TEST(Branches, TensorsAndScalarsAreMerged) {
  const std::string body =
      "k = 1\nx = a\nif n > 2:\n    x = b\n    k = m + 1\nself.mod(x)\nfor i in pl.range(0, k):\n    self.get(a)\n";
  EXPECT_EQ(launches(interpret(kParameters, body, three())), "mod b, get a, get a, get a");
  EXPECT_EQ(launches(interpret(kParameters, body, given({{"n", "1"}, {"m", "2"}}))), "mod a, get a");
}

TEST(Branches, ArraysOfIdsAreMergedInManualScopes) {
  const std::string body =
      "one = pl.array.create(1, pl.TASK_ID)\ntwo = pl.array.create(1, pl.TASK_ID)\nwith pl.manual_scope():\n"
      "    p, t = pl.submit(self.put, a)\n    q, u = pl.submit(self.put, b)\n    one[0] = t\n    two[0] = u\n    if n > 2:\n"
      "        one = two\n    g, v = pl.submit(self.get, a, deps=[one])\n";
  const ProgramLog taken = interpret(kParameters, body, three());
  ASSERT_EQ(taken.error, "");
  EXPECT_EQ(taken.deps(2), "1");
  EXPECT_EQ(interpret(kParameters, body, given({{"n", "1"}, {"m", "2"}})).deps(2), "0");
}

// ---------------------------------------------------------------- whiles

TEST(Whiles, CarryScalarsTensorsAndIds) {
  const ProgramLog log = interpret(kParameters,
                                   "prev = None\nk = 0\nx = a\nwith pl.manual_scope():\n    while k < n:\n"
                                   "        x, prev = pl.submit(self.mod, x, deps=[prev])\n        x = b\n        k = k + 1\n"
                                   "    g, u = pl.submit(self.get, x, deps=[prev])\n",
                                   three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(launches(log), "mod a, mod b, mod b, get b");
  EXPECT_EQ(log.deps(0), "");
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_EQ(log.deps(3), "2");
}

TEST(Whiles, ThatDoNotBeginKeepTheirInitialValues) {
  const ProgramLog log =
      interpret(kParameters, "k = n\nx = a\nwhile k < n:\n    self.mod(b)\n    x = b\n    k = k + 1\nself.get(x)\n", three());
  EXPECT_EQ(launches(log), "get a");
}

TEST(Whiles, ExplicitForm) {
  EXPECT_EQ(launches(interpret(kParameters,
                               "for (x, k) in pl.while_(init_values=(a, 0)):\n    pl.cond(k < n)\n    y = self.mod(x)\n"
                               "    z, l = pl.yield_(y, k + 1)\nself.get(z)\n",
                               three())),
            "mod a, mod a, mod a, get a");
}

// ---------------------------------------------------------------- what loops carry

TEST(Carries, ABufferThatIsAnotherOneInEveryIteration) {
  const ProgramLog log = interpret(kParameters,
                                   "x = a\nfor i in pl.range(3):\n    y = pl.create_tensor([64], dtype=pl.FP32)\n"
                                   "    y = self.copy(x, y)\n    x = y\nself.get(x)\n",
                                   three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "alloc copy alloc copy alloc copy get");
  EXPECT_THAT(log.arguments(1), StartsWith("INPUT a[64]"));
  EXPECT_THAT(log.arguments(3), StartsWith("INPUT y[64]"));
  // Each copy reads what the one before wrote: the buffer of the allocation in front of it.
  std::vector<runtime::TaskId> owners;
  for (const runtime::AccessRow& access : log.accesses) {
    if (access.kind == runtime::ArgKind::Input) owners.push_back(access.tensor.owner);
  }
  ASSERT_EQ(owners.size(), 4U);
  EXPECT_EQ(owners[1], log.tasks[0].id);
  EXPECT_EQ(owners[2], log.tasks[2].id);
  EXPECT_EQ(owners[3], log.tasks[4].id);
}

TEST(Carries, TwoValuesThatChangePlaces) {
  EXPECT_EQ(launches(interpret(kParameters,
                               "for i, (x, y) in pl.range(3, init_values=(a, b)):\n    self.mod(x)\n    p, q = pl.yield_(y, x)\n"
                               "self.get(p)\n",
                               three())),
            "mod a, mod b, mod a, get b");
}

TEST(Carries, IdsOfNestedLoops) {
  const ProgramLog log =
      interpret(kParameters,
                "prev = None\nwith pl.manual_scope():\n    for i in pl.range(2):\n        for j in pl.range(2):\n"
                "            p, prev = pl.submit(self.mod, a, deps=[prev])\n"
                "    g, u = pl.submit(self.get, a, deps=[prev])\n",
                three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_EQ(log.deps(2), "1");
  EXPECT_EQ(log.deps(4), "3");
}

TEST(Carries, AParallelLoopInsideASequentialOneHandsOnAllItsIds) {
  const ProgramLog log =
      interpret(kParameters,
                "prev = None\nwith pl.manual_scope():\n    for i in pl.range(2):\n        for j in pl.parallel(2):\n"
                "            p, prev = pl.submit(self.mod, a, deps=[prev])\n"
                "    g, u = pl.submit(self.get, a, deps=[prev])\n",
                three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.deps(0), "");
  EXPECT_EQ(log.deps(2), "0 1");
  EXPECT_EQ(log.deps(3), "0 1");
  EXPECT_EQ(log.deps(4), "2 3");
}

// ---------------------------------------------------------------- arrays

TEST(Arrays, OfIdsByRunTimeIndex) {
  const ProgramLog log =
      interpret(kParameters,
                "ids = pl.array.create(4, pl.TASK_ID)\nfor i in pl.range(4):\n    p, t = pl.submit(self.mod, a)\n"
                "    ids[3 - i] = t\ng, u = pl.submit(self.get, a, deps=[ids[n], ids[m]])\n",
                three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.deps(4), "0 1");
}

TEST(Arrays, OfNumbers) {
  const std::string body =
      "counts = pl.array.create(3, pl.INT64)\ncounts[0] = n\ncounts[1] = 0 - 1\nk = counts[0] + counts[1]\n"
      "for i in pl.range(0, k):\n    self.mod(a)\n";
  EXPECT_EQ(launches(interpret(kParameters, body, three())), "mod a, mod a");
  EXPECT_THAT(interpret(kParameters, body + "l = counts[2]\nif l > 0:\n    self.get(a)\n", three()).error,
              HasSubstr("slot 2 of this array was never stored"));
}

TEST(Arrays, ValidityOfIds) {
  const std::string body =
      "ids = pl.array.create(2, pl.TASK_ID)\np, t = pl.submit(self.mod, a)\nids[0] = t\nx = ids[0]\ny = ids[1]\n"
      "if pl.system.task_is_valid(x):\n    self.get(a)\nif pl.system.task_is_valid(y):\n    self.get(b)\n";
  EXPECT_EQ(launches(interpret(kParameters, body, three())), "mod a, get a");
}

// ---------------------------------------------------------------- views

TEST(OrchestrationViews, AssembleIsItsTarget) {
  const ProgramLog log = interpret(kParameters, "p = self.mod(a)\nw = pl.assemble(b, p, [0])\nself.get(w)\n", three());
  EXPECT_EQ(launches(log), "mod a, get b");
}

TEST(OrchestrationViews, FollowCountersAndArguments) {
  const ProgramLog log = interpret("x: pl.Tensor[[4, 64], pl.FP32], n: pl.Scalar[pl.INDEX]",
                                   "for i in pl.range(4):\n    w = pl.slice(x, [1, 64], [i, 0])\n    v = pl.reshape(w, [64])\n"
                                   "    self.mod(v)\nu = pl.slice(x, [1, 64], [n, 0])\nself.get(pl.reshape(u, [64]))\n",
                                   given({{"n", "3"}}));
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.arguments(0), "INOUT x[64]+0");
  EXPECT_EQ(log.arguments(2), "INOUT x[64]+128");
  EXPECT_EQ(log.arguments(4), "INPUT x[64]+192");
}

TEST(OrchestrationViews, DimensionsOfViews) {
  EXPECT_EQ(
      launches(interpret(kParameters, "w = pl.slice(a, [2], [n])\nfor i in pl.range(0, pl.tensor.dim(w, 0)):\n    self.mod(a)\n",
                         three())),
      "mod a, mod a");
}

// ---------------------------------------------------------------- scalars

TEST(Casts, BetweenIntegersAndFloats) {
  const auto trips = [](const std::string& expression, const std::string& n) {
    const ProgramLog log = interpret(kParameters, "k = " + expression + "\nfor i in pl.range(0, k):\n    self.mod(a)\n",
                                     given({{"n", n}, {"m", "2"}}));
    return log.error.empty() ? std::to_string(log.tasks.size()) : log.error;
  };
  EXPECT_EQ(trips("pl.cast(pl.cast(n, pl.FP32) / 2.0, pl.INT32)", "7"), "3");
  EXPECT_EQ(trips("pl.cast(n > m, pl.INT32) + 1", "7"), "2");
  EXPECT_EQ(trips("pl.cast(2.9, pl.INT32)", "7"), "2");
}

TEST(Given, IntegersFloatsAndTruthValues) {
  const std::string parameters = "a: pl.Tensor[[64], pl.FP32], on: pl.Scalar[pl.BOOL], f: pl.Scalar[pl.FP32]";
  const std::string body = "if on:\n    self.mod(a)\nif f > 0.5:\n    self.get(a)\n";
  EXPECT_EQ(launches(interpret(parameters, body, given({{"on", "True"}, {"f", "0.75"}}))), "mod a, get a");
  EXPECT_EQ(launches(interpret(parameters, body, given({{"on", "false"}, {"f", "0.25"}}))), "");
  EXPECT_EQ(launches(interpret(parameters, body, given({{"on", "1"}, {"f", "1"}}))), "mod a, get a");
}

TEST(Given, ContentsOfTensorsDecideLoopsBranchesAndOffsets) {
  const std::string parameters = "x: pl.Tensor[[4, 64], pl.FP32], table: pl.Tensor[[3], pl.INT32]";
  const std::string body =
      "for i in pl.range(0, pl.tensor.read(table, [0])):\n    row = pl.tensor.read(table, [i + 1])\n"
      "    w = pl.slice(x, [1, 64], [row, 0])\n    v = pl.reshape(w, [64])\n    if row > 0:\n        self.mod(v)\n    else:\n"
      "        self.get(v)\n";
  ProgramSetup setup = given({});
  setup.input.data = {{"table", "[2, 3, 0]"}};
  const ProgramLog log = interpret(parameters, body, setup);
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "mod get");
  EXPECT_EQ(log.arguments(0), "INOUT x[64]+192");
  EXPECT_EQ(log.arguments(1), "INPUT x[64]+0");
}

// ---------------------------------------------------------------- outputs that the runtime allocates

TEST(RuntimeOutputs, EachSubmitHasItsOwn) {
  const ProgramLog log = interpret(
      kParameters, "p, t = pl.submit(self.copy, a)\nq, u = pl.submit(self.copy, p)\ng, v = pl.submit(self.get, q)\n", three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.arguments(0), "INPUT a[64]+0 OUTPUT out[64]+0");
  EXPECT_EQ(log.arguments(1), "INPUT out[64]+0 OUTPUT out[64]+0");
  std::vector<runtime::TaskId> inputs;
  for (const runtime::AccessRow& access : log.accesses) {
    if (access.kind == runtime::ArgKind::Input) inputs.push_back(access.tensor.owner);
  }
  EXPECT_EQ(inputs.at(1), log.tasks[0].id);
  EXPECT_EQ(inputs.at(2), log.tasks[1].id);
}

TEST(RuntimeOutputs, OfALoopAreHandedOn) {
  const ProgramLog log =
      interpret(kParameters,
                "x = a\nwith pl.manual_scope():\n    for i in pl.range(2):\n        x, t = pl.submit(self.copy, x)\n"
                "    self.get(x)\n",
                three());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "copy copy get");
  EXPECT_EQ(log.accesses.back().tensor.owner, log.tasks[1].id);
}

// ---------------------------------------------------------------- wrappers

constexpr const char* kWrapped = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.Group)
    def pair(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        y = self.cube(x, o)
        z = self.vector(x, o)
        return y

    @pl.function(type=pl.FunctionType.Spmd)
    def wide(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        y = self.vector(x, o)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32]):
        p, t = pl.submit(self.pair, a, b)
        q, u = pl.spmd_submit(self.wide, p, a, core_num=4)
)";

TEST(Wrappers, AGroupIsOneTaskOnBothCoresAndAnSpmdOneOfManyBlocks) {
  const ProgramLog log = interpret_text(kWrapped, given({}));
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "pair wide");
  EXPECT_GE(log.tasks[0].kernel_ids[0], 0);
  EXPECT_GE(log.tasks[0].kernel_ids[1], 0);
  EXPECT_NE(log.tasks[0].kernel_ids[0], log.tasks[0].kernel_ids[1]);
  EXPECT_EQ(log.tasks[0].block_num, 1U);
  EXPECT_EQ(log.tasks[1].kernel_ids[0], -1);
  EXPECT_EQ(log.tasks[1].kernel_ids[1], log.tasks[0].kernel_ids[1]);
  EXPECT_EQ(log.tasks[1].block_num, 4U);
  EXPECT_EQ(launches(log), "pair a, wide b");
}

}  // namespace
}  // namespace depscope::execute::testing
