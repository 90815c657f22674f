// Control flow, scopes, allocations, entry functions and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program_log.h"

namespace depscope::execute::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTensor = "a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]";

ProgramSetup given(const std::string& n) {
  ProgramSetup setup;
  setup.input.args = {{"n", n}};
  return setup;
}

// ---------------------------------------------------------------- loops and branches

TEST(ControlFlow, BreakAndContinue) {
  const ProgramLog log =
      interpret(kTensor,
                "for i in pl.range(6):\n    if i == 0:\n        continue\n    a = self.mod(a)\n    if i == 3:\n"
                "        break\nself.get(a)\n");
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "mod mod mod get");
  EXPECT_EQ(log.iterations[0], (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(log.iterations[2], (std::vector<std::uint32_t>{3}));
}

TEST(ControlFlow, WhileLoops) {
  EXPECT_EQ(
      interpret(kTensor, "k = 0\nwhile k < n:\n    a = self.mod(a)\n    k = k + 1\nself.get(a)\n", given("3")).submissions(),
      "mod mod mod get");
  ProgramSetup as_written = given("3");
  as_written.passes = {};
  EXPECT_EQ(interpret(kTensor, "k = 0\nwhile k < n:\n    k = k + 1\n    if k == 2:\n        continue\n    a = self.mod(a)\n",
                      as_written)
                .submissions(),
            "mod mod");
  EXPECT_EQ(interpret(kTensor, "while n > 0:\n    a = self.mod(a)\n    break\n", given("3")).submissions(), "mod");
}

TEST(ControlFlow, ALoopThatNothingCanEndIsShownOnce) {
  const ProgramLog log =
      interpret(kTensor, "for j in pl.range(2):\n    while n > 0:\n        a = self.mod(a)\nself.get(a)\n", given("3"));
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "mod mod get");
  ASSERT_EQ(log.result.notices.size(), 1U);
  EXPECT_EQ(log.result.notices[0].kind, "endless_loop");
  EXPECT_EQ(log.result.notices[0].line, 25U);
  EXPECT_TRUE(log.result.complete);
  EXPECT_TRUE(interpret(kTensor, "while n > 0:\n    a = self.mod(a)\n", given("0")).result.notices.empty());
}

TEST(ControlFlow, NestedLoopsAndReturn) {
  const ProgramLog log = interpret(kTensor,
                                   "for i in pl.range(2):\n    for j in pl.range(i + 1):\n        a = self.mod(a)\n"
                                   "for k in pl.range(2):\n    self.get(a)\n");
  EXPECT_EQ(log.submissions(), "mod mod mod get get");
  EXPECT_EQ(log.iterations[2], (std::vector<std::uint32_t>{1, 1}));
}

TEST(ControlFlow, DeepNesting) {
  std::string body;
  std::string indent;
  for (int depth = 0; depth < 60; ++depth) {
    body += indent + "for i" + std::to_string(depth) + " in pl.range(1 + n):\n";
    indent += "    ";
  }
  body += indent + "self.get(a)\n";
  ProgramSetup setup = given("0");
  setup.passes = {};
  const ProgramLog log = interpret(kTensor, body, setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.iterations.at(0).size(), 60U);
}

// ---------------------------------------------------------------- limits

TEST(Limits, TasksAndStatementsAreCounted) {
  ProgramSetup setup = given("1000");
  setup.input.limits.max_tasks = 10;
  const std::string body = "for i in pl.range(0, n):\n    a = self.mod(a)\n";
  EXPECT_THAT(interpret(kTensor, body, setup).error, HasSubstr("more than the limit of 10 tasks"));
  setup.input.limits.max_tasks = 1000;
  EXPECT_EQ(interpret(kTensor, body, setup).tasks.size(), 1000U);
  setup.input.limits.max_steps = 100;
  EXPECT_THAT(interpret(kTensor, body, setup).error, HasSubstr("more than the limit of 100 executed statements"));
}

TEST(Limits, AnEmptyEndlessLoopEndsInTheLimit) {
  ProgramSetup setup = given("1");
  setup.input.limits.max_steps = 1000;
  EXPECT_THAT(interpret(kTensor, "k = 0\nwhile k < 1000000000:\n    k = k + n\n", setup).error,
              AllOf(StartsWith("t.py:"), HasSubstr("does this loop end?")));
}

TEST(Limits, ARunCanBeGivenUpWithoutAnError) {
  ProgramSetup setup = given("1000");
  setup.input.limits.stop_after_tasks = 10;
  const std::string body = "for i in pl.range(0, n):\n    a = self.mod(a)\n";
  const ProgramLog log = interpret(kTensor, body, setup);
  EXPECT_EQ(log.error, "");
  EXPECT_TRUE(log.result.too_long);
  EXPECT_EQ(log.tasks.size(), 10U);
  setup.input.limits.stop_after_tasks = 1000;
  EXPECT_FALSE(interpret(kTensor, body, setup).result.too_long);
}

TEST(Limits, TheTaskThatIsOneTooManyHasItsPlace) {
  ProgramSetup setup = given("3");
  setup.input.limits.max_tasks = 2;
  EXPECT_THAT(interpret(kTensor, "for i in pl.range(0, n):\n    a = self.mod(a)\n", setup).error,
              AllOf(StartsWith("t.py:25:"), HasSubstr("--max-tasks"), HasSubstr("a task of 'mod' would be one more")));
  EXPECT_THAT(interpret(kTensor, "for i in pl.range(0, n):\n    t = pl.create_tensor([64], dtype=pl.FP32)\n", setup).error,
              AllOf(StartsWith("t.py:25:"), HasSubstr("an allocation would be one more")));
  EXPECT_THAT(interpret(kTensor, "for i in pl.range(0, n):\n    e = pl.system.task_dummy(deps=[])\n", setup).error,
              AllOf(StartsWith("t.py:25:"), HasSubstr("a barrier would be one more")));
}

TEST(Limits, ATripCountBeyondAnyRunEndsInTheTaskLimit) {
  ProgramSetup setup = given("9223372036854775807");
  setup.input.limits.max_tasks = 100;
  for (const char* loop :
       {"for i in pl.range(0, n):\n", "for i in pl.parallel(0, n):\n", "for i in pl.range(4000000000000):\n"}) {
    EXPECT_THAT(interpret(kTensor, std::string(loop) + "    a = self.mod(a)\n", setup).error,
                HasSubstr("more than the limit of 100 tasks"))
        << loop;
  }
}

TEST(Limits, OpenScopesHaveALimitWithAPlace) {
  std::string body;
  std::string indent;
  for (int depth = 0; depth < 70; ++depth) {
    body += indent + "with pl.scope():\n";
    indent += "    ";
  }
  ProgramSetup setup = given("1");
  setup.passes = {};
  // Each scope stands one line below the one around it; the run itself is the first.
  EXPECT_THAT(interpret(kTensor, body + indent + "self.get(a)\n", setup).error,
              AllOf(StartsWith("t.py:87:"), HasSubstr("more than 64 scopes are open at once")));
}

TEST(Limits, SlotsOfOneArray) {
  EXPECT_THAT(interpret(kTensor, "t = pl.array.create(2000000, pl.TASK_ID)\nself.get(a)\n", given("1")).error,
              AllOf(StartsWith("t.py:24:"), HasSubstr("an array of 2000000 slots: the limit is 1000000")));
}

TEST(Limits, SlotsOfArrays) {
  ProgramSetup setup = given("1000");
  setup.input.limits.max_array_slots = 5000;
  EXPECT_THAT(
      interpret(kTensor, "for i in pl.range(0, n):\n    t = pl.array.create(16, pl.TASK_ID)\n    self.get(a)\n", setup).error,
      HasSubstr("more than the limit of 5000 slots"));
}

TEST(Limits, ArrayIndices) {
  EXPECT_THAT(
      interpret(kTensor, "t = pl.array.create(2, pl.TASK_ID)\nv = t[n]\nq, u = pl.submit(self.get, a, deps=[v])\n", given("2"))
          .error,
      HasSubstr("index 2 is outside the array of 2"));
}

// ---------------------------------------------------------------- entries

constexpr const char* kTwoEntries = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def first(self, x: pl.Tensor[[64], pl.FP32]):
        self.get(x)

    @pl.function(type=pl.FunctionType.Orchestration)
    def second(self, x: pl.Tensor[[64], pl.FP32]):
        self.get(x)
        self.get(x)
)";

TEST(Entry, TheFirstOrTheNamedOne) {
  ProgramSetup setup;
  EXPECT_EQ(interpret_text(kTwoEntries).result.entry, "first");
  setup.input.entry = "second";
  const ProgramLog second = interpret_text(kTwoEntries, setup);
  EXPECT_EQ(second.result.entry, "second");
  EXPECT_EQ(second.submissions(), "get get");
  setup.input.entry = "third";
  EXPECT_THAT(interpret_text(kTwoEntries, setup).error,
              HasSubstr("--entry third: no such function (Orchestration functions: first, second)"));
}

TEST(Entry, AProgramWithoutOrchestrationHasNothingToRun) {
  const ProgramLog log = interpret_text(R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x
)");
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.tasks.size(), 0U);
  ASSERT_EQ(log.result.notices.size(), 1U);
  EXPECT_EQ(log.result.notices[0].kind, "not_modelled");
  EXPECT_EQ(log.result.notices[0].name, "no_orchestration");
}

// ---------------------------------------------------------------- scopes and regions

TEST(Scopes, ModesAndRings) {
  const ProgramLog log = interpret(kTensor,
                                   "with pl.scope():\n    self.get(a)\n    with pl.scope():\n        self.get(a)\n"
                                   "        with pl.manual_scope():\n            self.get(a)\nself.get(a)\n",
                                   {.passes = {}});
  ASSERT_EQ(log.tasks.size(), 4U);
  const auto ring = [&](std::size_t task) { return runtime::ring_of(log.tasks[task].id); };
  EXPECT_EQ(ring(0), 1U);
  EXPECT_EQ(ring(1), 2U);
  EXPECT_EQ(ring(2), 3U);
  EXPECT_EQ(ring(3), 0U);
  EXPECT_TRUE(log.tasks[2].manual_scope);
  EXPECT_FALSE(log.tasks[3].manual_scope);
}

TEST(Scopes, ReturnInsideOnesClosesThem) {
  ProgramSetup setup = given("1");
  setup.passes = {};
  const ProgramLog log =
      interpret(kTensor, "if n > 0:\n    with pl.scope():\n        self.get(a)\n        return\nself.mod(a)\n", setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "get");
  EXPECT_TRUE(log.result.complete);
}

TEST(Regions, AreNotModelledAndSaySo) {
  for (const auto& [header, construct] :
       std::vector<std::pair<std::string, std::string>>{{"with pl.at(level=pl.Level.CORE_GROUP):", "pl.at"},
                                                        {"with pl.cluster():", "pl.cluster"},
                                                        {"for i in pl.spmd(4):", "pl.spmd"}}) {
    ProgramSetup setup = given("1");
    setup.passes = {};
    const ProgramLog log = interpret(kTensor, "self.get(a)\n" + header + "\n    self.get(a)\nself.get(a)\n", setup);
    EXPECT_EQ(log.error, "") << header;
    EXPECT_EQ(log.submissions(), "get") << header;
    ASSERT_EQ(log.result.notices.size(), 1U) << header;
    EXPECT_EQ(log.result.notices[0].kind, "not_modelled");
    EXPECT_EQ(log.result.notices[0].name, construct);
    EXPECT_EQ(log.result.notices[0].line, 25U);
    EXPECT_FALSE(log.result.complete);
  }
}

// ---------------------------------------------------------------- allocations

std::string creates(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "b" + std::to_string(i) + " = pl.create_tensor([64], dtype=pl.FP32)\n";
  return out;
}

std::size_t arguments_of(const ProgramLog& log, std::uint32_t task) {
  std::size_t count = 0;
  for (const runtime::AccessRow& a : log.accesses) count += a.task == task ? 1 : 0;
  return count;
}

TEST(Allocations, SixteenABatchAtTheStartOfTheSequence) {
  const ProgramLog log = interpret(kTensor, "self.get(a)\n" + creates(17) + "self.get(b16)\n");
  EXPECT_EQ(log.submissions(), "alloc alloc get get");
  EXPECT_EQ(arguments_of(log, 0), 16U);
  EXPECT_EQ(arguments_of(log, 1), 1U);
  EXPECT_EQ(log.arguments(3), "INPUT b16[64]+0");
  EXPECT_EQ(log.accesses.back().tensor.owner, log.tasks[1].id);
}

TEST(Allocations, InFrontOfAManualScopeAndOncePerIteration) {
  const ProgramLog log = interpret(
      kTensor, "with pl.manual_scope():\n    self.get(a)\n    b = pl.create_tensor([64], dtype=pl.FP32)\n    self.get(b)\n");
  EXPECT_EQ(log.submissions(), "alloc get get");
  EXPECT_FALSE(log.tasks[0].manual_scope);
  EXPECT_TRUE(log.tasks[1].manual_scope);
  EXPECT_EQ(
      interpret(kTensor, "for i in pl.range(3):\n    b = pl.create_tensor([64], dtype=pl.FP32)\n    self.get(b)\n").submissions(),
      "alloc get alloc get alloc get");
}

TEST(Allocations, ASkippedStatementLeavesNothingBehind) {
  const ProgramLog log = interpret(kTensor,
                                   "for i in pl.range(3):\n    if i == 0:\n        continue\n"
                                   "    b = pl.create_tensor([64], dtype=pl.FP32)\n    self.get(b)\n");
  EXPECT_EQ(log.submissions(), "alloc alloc get alloc get");
}

TEST(Allocations, AShapeOfTheSameSequenceStaysInPlace) {
  ProgramSetup setup = given("2");
  setup.passes = {};
  setup.functions =
      "    @pl.function(type=pl.FunctionType.AIV)\n    def see(self, w: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:\n"
      "        return w\n\n";
  const ProgramLog log = interpret(kTensor,
                                   "self.get(a)\nk = n * 4\nb = pl.create_tensor([k], dtype=pl.FP32)\n"
                                   "c = pl.create_tensor([n], dtype=pl.FP32)\nself.see(b)\n",
                                   setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "alloc get alloc see");
  EXPECT_EQ(log.arguments(0), "OUTPUT c[2]+0");
  EXPECT_EQ(log.arguments(2), "OUTPUT b[8]+0");
}

TEST(Allocations, TooLargeOnes) {
  for (const auto& [shape, message] : std::vector<std::pair<std::string, std::string>>{
           {"[99999999999]", "extent 99999999999"}, {"[4294967295, 4294967295]", "limit"}, {"[1, 1, 1, 1, 1, 1]", "rank 6"}}) {
    EXPECT_THAT(interpret(kTensor, "b = pl.create_tensor(" + shape + ", dtype=pl.FP32)\nself.get(a)\n").error,
                HasSubstr(message));
  }
}

// ---------------------------------------------------------------- launches

TEST(Launches, SpmdOptions) {
  const ProgramLog log = interpret(
      kTensor, "p, t = pl.spmd_submit(self.mod, a, core_num=n, sync_start=True, allow_early_resolve=True)\n", given("8"));
  ASSERT_EQ(log.tasks.size(), 1U) << log.error;
  EXPECT_EQ(log.tasks[0].block_num, 8U);
  EXPECT_TRUE(log.tasks[0].sync_start);
  EXPECT_TRUE(log.tasks[0].early_dispatch);
  EXPECT_THAT(interpret(kTensor, "p, t = pl.spmd_submit(self.mod, a, core_num=n)\n", given("0")).error,
              HasSubstr("core_num is 0"));
  EXPECT_THAT(interpret(kTensor, "p, t = pl.spmd_submit(self.mod, a, core_num=n)\n").error,
              HasSubstr("needs_data: core_num depends on 'n'"));
}

TEST(Launches, ATooWideSyncStartIsRefusedByTheRuntime) {
  const ProgramLog log =
      interpret(kTensor, "p, t = pl.spmd_submit(self.mod, a, core_num=n, sync_start=True)\nself.get(a)\n", given("100000"));
  EXPECT_EQ(log.error, "");
  ASSERT_FALSE(log.result.notices.empty());
  EXPECT_EQ(log.result.notices.back().kind, "runtime_error");
  EXPECT_EQ(log.result.notices.back().line, 24U);
}

TEST(Launches, AWrapperPassesTheArgumentsInTheOrderOfItsKernel) {
  ProgramSetup setup = given("4");
  setup.functions = R"(    @pl.function(type=pl.FunctionType.AIV)
    def two(self, out: pl.Out[pl.Tensor[[64], pl.FP32]], k: pl.Scalar[pl.INDEX], x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Spmd)
    def wide(self, x: pl.Tensor[[64], pl.FP32], out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        r = self.two(out, 3, x)
        return out

)";
  const ProgramLog log = interpret("a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]",
                                   "p, t = pl.spmd_submit(self.wide, a, b, core_num=n)\nself.get(p)\n", setup);
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "wide get");
  EXPECT_EQ(log.arguments(0), "OUTPUT_EXISTING b[64]+0 INPUT a[64]+0");
  EXPECT_EQ(log.arguments(1), "INPUT b[64]+0");  // the result is the wrapper's out
}

TEST(Launches, AKernelThatReturnsNoParameterIsNotModelled) {
  ProgramSetup setup;
  setup.functions =
      "    @pl.function(type=pl.FunctionType.InCore)\n    def fresh(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], "
      "pl.FP32]:\n"
      "        f = pl.create_tensor([64], dtype=pl.FP32)\n        return f\n\n";
  const ProgramLog log = interpret(kTensor, "b = self.fresh(a)\nw = pl.slice(b, [16], [0])\nself.get(b)\nself.get(a)\n", setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "fresh");
  ASSERT_EQ(log.result.notices.size(), 1U);
  EXPECT_EQ(log.result.notices[0].kind, "not_modelled");
  EXPECT_EQ(log.result.notices[0].name, "kernel_result");
  EXPECT_EQ(log.result.notices[0].line, 31U);
}

TEST(Launches, AnExpressionAsArgumentIsRemarkedOnce) {
  ProgramSetup setup = given("2");
  setup.passes = {"ConvertToSSA"};
  setup.functions =
      "    @pl.function(type=pl.FunctionType.AIV)\n    def scaled(self, x: pl.Tensor[[64], pl.FP32], k: "
      "pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:\n        return x\n\n";
  const ProgramLog log = interpret(kTensor, "for i in pl.range(3):\n    self.scaled(a, n + 1)\n", setup);
  EXPECT_EQ(log.submissions(), "scaled scaled scaled");
  ASSERT_EQ(log.result.notices.size(), 1U);
  EXPECT_EQ(log.result.notices[0].kind, "codegen_abort");
  EXPECT_TRUE(log.result.complete);
}

}  // namespace
}  // namespace depscope::execute::testing
