// Rules of passes.md section 9 that no case of 11.9 shows by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "depscope/base/diagnostics.h"
#include "depscope/ir/text.h"
#include "lowered.h"
#include "plan_execution.h"

namespace depscope::lower::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kTensor = "pl.Tensor[[64], pl.FP32]";

/// A program of own kernels. `main` takes a, b, c (tensors), n (INDEX) and f (FP32).
std::string program(const std::string& kernels, const std::string& body) {
  std::string out = "import pypto.language as pl\n\n\n@pl.program\nclass Prog:\n" + kernels;
  out +=
      "    @pl.function(type=pl.FunctionType.Orchestration)\n    def main(self, a: T, b: T, c: T, n: pl.Scalar[pl.INDEX], f: "
      "pl.Scalar[pl.FP32]):\n";
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    out += "        " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  for (std::size_t at = out.find(": T"); at != std::string::npos; at = out.find(": T", at + 2)) {
    const char next = at + 3 < out.size() ? out[at + 3] : ' ';
    if (next == ',' || next == ')') out.replace(at, 3, std::string(": ") + kTensor);
  }
  for (const char* wrapper : {"pl.Out[T]", "pl.InOut[T]", "-> T:"}) {
    const std::string from = wrapper;
    std::string to = from;
    to.replace(to.rfind('T'), 1, kTensor);
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  }
  return out;
}

constexpr const char* kMixed =
    "    @pl.function(type=pl.FunctionType.AIV)\n"
    "    def mix(self, s: pl.Scalar[pl.INDEX], x: T, r: pl.Scalar[pl.FP32], o: pl.Out[T], q: pl.Scalar[pl.INDEX], p: "
    "pl.InOut[T]) -> T:\n"
    "        return o\n\n";

TEST(Arguments, TensorsFirstThenScalarsEachInTheirOrder) {
  const Lowered plan = lower_text(program(kMixed, "o = self.mix(3, a, f, b, n, c)"));
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.arguments(0), "add_input a, add_output b, add_inout c, add_scalar 3, add_scalar f, add_scalar n");
  EXPECT_THAT(plan.text(), HasSubstr("add_scalar f as bits\n"));
  EXPECT_THAT(plan.text(), Not(HasSubstr("add_scalar n as bits")));
}

TEST(Arguments, EachKnowsItsPlaceInTheCallAndInTheKernel) {
  const Lowered plan = lower_text(program(kMixed, "o = self.mix(3, a, f, b, n, c)"));
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> parameters;
  for (std::uint32_t op = 0; op < plan.plan.ops.size(); ++op) {
    if (plan.plan.ops.kind[op] < OpKind::AddInput || plan.plan.ops.kind[op] > OpKind::AddScalar) continue;
    written.push_back(plan.plan.ops.argument[op]);
    parameters.push_back(plan.plan.ops.b[op]);
  }
  EXPECT_THAT(written, ::testing::ElementsAre(1, 3, 5, 0, 2, 4));
  EXPECT_EQ(written, parameters);
}

TEST(Arguments, NegativeAndFloatLiteralsAreLiterals) {
  const Lowered plan = lower_text(program(kMixed, "o = self.mix(-3, a, 2.5, b, -1, c)"));
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_THAT(plan.text(), HasSubstr("add_scalar 2.5 as bits\n"));
}

TEST(Arguments, OmittedOutputsComeBehindTheGivenTensors) {
  const std::string kernel =
      "    @pl.function(type=pl.FunctionType.AIV)\n"
      "    def two(self, s: pl.Scalar[pl.INDEX], x: T, o: pl.Out[T], p: pl.Out[T]) -> tuple[T1, T1]:\n        return o, p\n\n";
  std::string text = program(kernel, "(o, p), t = pl.submit(self.two, n, a)");
  for (std::size_t at = text.find("T1"); at != std::string::npos; at = text.find("T1")) text.replace(at, 2, kTensor);
  const Lowered plan = lower_text(text);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.arguments(0), "add_input a, add_output new, add_output new, add_scalar n");
  EXPECT_THAT(plan.text(), HasSubstr("assign o = task 0 result 0\n"));
  EXPECT_THAT(plan.text(), HasSubstr("assign p = task 0 result 1\n"));
}

TEST(Arguments, AMissingParameterThatIsNoOutputStopsTheGenerator) {
  const Lowered plan = lower_case("p, t = pl.submit(self.mod)", Frame::Default);
  EXPECT_EQ(plan.findings(), "codegen_abort b@58 main");
  EXPECT_EQ(plan.plan.findings[0].reason, "missing argument is no output");
}

constexpr const char* kWrapper =
    "    @pl.function(type=pl.FunctionType.AIV)\n"
    "    def inner(self, o: pl.Out[T], s: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX], x: T) -> T:\n        return o\n\n"
    "    @pl.function(type=pl.FunctionType.Group)\n"
    "    def outer(self, x: T, s: pl.Scalar[pl.INDEX], o: T) -> T:\n        r = self.inner(o, s, 7, x)\n        return r\n\n"
    "    @pl.function(type=pl.FunctionType.Spmd)\n"
    "    def shell(self, s: pl.Scalar[pl.INDEX], o: T, x: T) -> T:\n        r = self.outer(x, s, o)\n        return r\n\n";

TEST(Arguments, AWrapperTakesTheOrderOfItsKernel) {
  const Lowered plan = lower_text(program(kWrapper, "p = self.outer(a, n, b)\nq = self.shell(n, b, a)"));
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.arguments(0), "add_output b, add_input a, add_scalar n, add_scalar 7");
  EXPECT_EQ(plan.arguments(1), "add_inout b, add_input a, add_scalar n, add_scalar 7");
  EXPECT_EQ(plan.plan.tasks.form[0], TaskForm::Wrapper);
}

TEST(Arguments, DependenciesOfAWrapperStandBehindItsLaunchOptions) {
  const Lowered plan =
      lower_text(program(std::string(kWrapper),
                         "p, t = pl.submit(self.inner, b, n, 1, a)\nq, u = pl.submit(self.inner, b, n, 1, a, deps=[t], "
                         "allow_early_resolve=True)\nr, v = pl.spmd_submit(self.outer, a, n, b, core_num=4, deps=[u])"));
  EXPECT_THAT(plan.text(), HasSubstr("  dep_array 1\n  dep t <- user t\n  set_deps\n  early_resolve\n  submit inner captures\n"));
  EXPECT_THAT(plan.text(),
              HasSubstr("  launch core_num=4\n  dep_array 1\n  dep u <- user u\n  set_deps\n  submit outer captures\n"));
}

TEST(Arguments, ExpressionsStopTheGenerator) {
  const Lowered plan = lower_text(program(kMixed, "o = self.mix(n + 1, a, f, b, n * 2, c)"));
  EXPECT_EQ(plan.findings(), "codegen_abort mix@12 main | codegen_abort mix@12 main");
  EXPECT_EQ(plan.plan.findings[0].argument, 0U);
  EXPECT_EQ(plan.plan.findings[1].argument, 4U);
  EXPECT_EQ(plan.plan.findings[0].column, 13U);
}

TEST(Results, AResultThatIsNoParameterStopsTheGenerator) {
  const std::string kernel =
      "    @pl.function(type=pl.FunctionType.AIV)\n    def odd(self, o: pl.Out[T], p: pl.Out[T]) -> T:\n"
      "        t = pl.tile.full([64], dtype=pl.FP32, value=1.0)\n        return t\n\n";
  const Lowered plan = lower_text(program(kernel, "r = self.odd(a, b)"));
  EXPECT_EQ(plan.findings(), "codegen_abort odd@13 main");
  EXPECT_EQ(plan.plan.findings[0].reason, "result without a parameter");
}

TEST(Results, TheOnlyOutputIsMeantWhereTheReturnSaysNothing) {
  const std::string kernel =
      "    @pl.function(type=pl.FunctionType.AIV)\n    def one(self, x: T, o: pl.Out[T]) -> T:\n"
      "        t = pl.tile.full([64], dtype=pl.FP32, value=1.0)\n        return t\n\n";
  EXPECT_THAT(lower_text(program(kernel, "r = self.one(a, b)")).findings(), IsEmpty());
}

TEST(Results, AFreshTensorIsGivenAParameterByAKernelPass) {
  EXPECT_THAT(lower_case("p, t = pl.submit(self.new, a)", Frame::Default).findings(), IsEmpty());
}

// ---------------------------------------------------------------- allocations

TEST(Allocations, SeventeenCreatesAreTwoBatches) {
  std::string body;
  for (int i = 0; i < 17; ++i) body += "l" + std::to_string(i) + " = pl.create_tensor([128], dtype=pl.FP32)\n";
  const Lowered plan = lower_case(body, Frame::Default);
  EXPECT_THAT(
      plan.text(),
      StartsWith("scope_begin AUTO\n  alloc_tensors l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15\n"
                 "  alloc_tensors l16\n"));
}

TEST(Allocations, AShapeThatDependsOnAnEarlierValueStaysInItsPlace) {
  const Lowered plan = lower_case(
      "m = n + 1\nl = pl.create_tensor([m], dtype=pl.FP32)\nk = pl.create_tensor([128], dtype=pl.FP32)\np = self.put(k)",
      Frame::Default);
  EXPECT_THAT(plan.text(), StartsWith("scope_begin AUTO\n  alloc_tensors k\n  assign m = n + 1\n  alloc_tensors l\n"));
}

TEST(Allocations, EverySequenceHasItsOwnBatch) {
  const Lowered plan = lower_case(
      "for i in pl.range(2):\n    l = pl.create_tensor([128], dtype=pl.FP32)\n    p = self.put(l)\n"
      "if k0:\n    m = pl.create_tensor([128], dtype=pl.FP32)\n    q = self.put(m)",
      Frame::Default);
  EXPECT_THAT(plan.text(), HasSubstr("  loop i in range(0, 2, 1)\n    scope_begin AUTO\n      alloc_tensors l\n"));
  EXPECT_THAT(plan.text(), HasSubstr("  if k0\n    scope_begin AUTO\n      alloc_tensors m\n"));
}

// ---------------------------------------------------------------- scopes and ids

TEST(Scopes, NestOneToOne) {
  const Lowered plan = lower_case(
      "with pl.scope():\n    with pl.scope():\n        p = self.put(a)\n    with pl.manual_scope():\n        q = self.put(b)",
      Frame::Plain);
  EXPECT_THAT(plan.text(), StartsWith("scope_begin AUTO\n  scope_begin AUTO\n    args task 0: put\n"));
  EXPECT_THAT(plan.text(), HasSubstr("  scope_end\n  scope_begin MANUAL\n    args task 1: put\n"));
}

TEST(Scopes, AnIdEndsWithTheScopeItWasBoundIn) {
  EXPECT_EQ(
      lower_case("with pl.scope():\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a, deps=[t])", Frame::Plain)
          .findings(),
      "user_edge_lost t@60 main");
  EXPECT_EQ(lower_case("with pl.manual_scope():\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a, deps=[t])",
                       Frame::Plain)
                .findings(),
            "user_edge_lost t@60 main");
}

TEST(Scopes, AnArrayDeclaredOutsideSurvives) {
  const Lowered plan = lower_case(
      "tids = pl.array.create(2, pl.TASK_ID)\nwith pl.manual_scope():\n    p, t = pl.submit(self.put, a)\n    tids[1] = t\n"
      "g, u = pl.submit(self.get, a, deps=[tids])",
      Frame::Default);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.deps(plan.kernels().at(1)), "tids[0:2]?");
  EXPECT_EQ(plan.plan.arrays.size(), 1U);
}

TEST(Scopes, AnArrayOfAClosedScopeIsLostWithItsSlots) {
  const std::string inside =
      "with pl.manual_scope():\n    tids = pl.array.create(2, pl.TASK_ID)\n    p, t = pl.submit(self.put, a)\n    tids[1] = t\n";
  EXPECT_EQ(lower_case(inside + "g, u = pl.submit(self.get, a, deps=[tids])", Frame::Default).findings(),
            "user_edge_lost tids@62 main");
  const Lowered slots = lower_case(inside + "g, u = pl.submit(self.get, a, deps=[tids[0], tids[1]])", Frame::Default);
  EXPECT_EQ(slots.findings(), "user_edge_lost tids@62 main | user_edge_lost tids@62 main");
  EXPECT_EQ(slots.plan.findings[0].reason, "a slot of an array");
}

TEST(Scopes, AllLostUserEdgesAreFound) {
  const Lowered plan = lower_case(
      "for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\n    q, v = pl.submit(self.put, b)\n"
      "g, u = pl.submit(self.get, a, deps=[t, v, t])\nh, w = pl.submit(self.get, b, deps=[v])",
      Frame::Default);
  EXPECT_EQ(plan.findings(), "user_edge_lost t@61 main | user_edge_lost v@61 main | user_edge_lost v@62 main");
  EXPECT_EQ(plan.plan.findings[2].occurrence, 1U);
}

TEST(Ids, ACopyIsTheSameName) {
  const Lowered plan =
      lower_case("p, t = pl.submit(self.put, a)\nu = t\ng, v = pl.submit(self.get, a, deps=[t, u])", Frame::Default);
  EXPECT_EQ(plan.deps(1), "t");
  EXPECT_EQ(plan.plan.deps.reasons[0].size(), 2U);
}

TEST(Ids, TheTailOfASubmitIsBoundOnlyIfItIsUsed) {
  const Lowered plan = lower_case("p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.get, p, deps=[t])", Frame::Default);
  EXPECT_THAT(plan.text(), HasSubstr("bind_id t = task 0\n"));
  EXPECT_THAT(plan.text(), Not(HasSubstr("bind_id u")));
}

TEST(Ids, AMergeKeepsItsIdInAManualScope) {
  const Lowered plan = lower_case(
      "if k0:\n    p, t = pl.submit(self.put, a)\nelse:\n    p, t = pl.submit(self.put, b)\ng, u = pl.submit(self.get, a, "
      "deps=[t])",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.deps(plan.kernels().at(2)), "t?");
}

TEST(Ids, AWhileLoopCarriesLikeASequentialOne) {
  const std::string body =
      "prev = None\nfor (x, id) in pl.while_(init_values=(a, prev)):\n    pl.cond(n > 0)\n"
      "    x2, id2 = pl.submit(self.mod, x, deps=[id])\n    y, last = pl.yield_(x2, id2)\n";
  EXPECT_EQ(lower_case(body, Frame::Default).findings(), "user_edge_lost id@61 main");
  EXPECT_THAT(lower_case(body, Frame::Manual).findings(), IsEmpty());
}

TEST(Ids, DoubleBufferedArraysAreCopied) {
  const Lowered plan = lower_case(
      "tids = pl.array.create(2, pl.TASK_ID)\nfor i in pl.range(3):\n    nx = pl.array.create(2, pl.TASK_ID)\n"
      "    for j in pl.range(2):\n        p, t = pl.submit(self.put, a, deps=[tids])\n        nx[j] = t\n    tids = nx\n",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  // The carried array has storage of its own; the inner loop fills nx in place.
  EXPECT_EQ(plan.plan.arrays.size(), 3U);
  EXPECT_THAT(plan.text(), HasSubstr("      id_copy tids = nx\n    loop_end\n"));
}

TEST(Ids, ASequentialLoopAroundAParallelOneCarriesAllItsIds) {
  const Lowered plan = lower_case(
      "q, prev = pl.submit(self.put, b)\nfor i in pl.range(2):\n    for j in pl.parallel(3):\n"
      "        p, prev = pl.submit(self.put, a, deps=[prev])\ng, u = pl.submit(self.get, a, deps=[prev])",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.deps(plan.kernels().at(1)), "prev[0:3]?");
  EXPECT_EQ(plan.deps(plan.kernels().at(2)), "prev[0:3]?");
}

TEST(Ids, AListSurvivesLoopsAndMergesBehindIt) {
  const Lowered plan = lower_case(
      "q, prev = pl.submit(self.put, b)\nfor j in pl.parallel(3):\n    p, prev = pl.submit(self.put, a, deps=[prev])\n"
      "for i in pl.range(2):\n    if k0:\n        m, prev = pl.submit(self.mod, a, deps=[prev])\n"
      "g, u = pl.submit(self.get, a, deps=[prev])",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(plan.deps(plan.kernels().at(2)), "prev[0:3]?");
  EXPECT_EQ(plan.deps(plan.kernels().at(3)), "prev[0:3]?");
}

TEST(Ids, AListThatWouldGrowWithEveryIterationBecomesABarrier) {
  const Lowered plan = lower_case(
      "q, prev = pl.submit(self.put, b)\nfor i, (outer,) in pl.range(2, init_values=(prev,)):\n"
      "    for j, (inner,) in pl.parallel(3, init_values=(outer,)):\n        p, t = pl.submit(self.put, a, deps=[inner])\n"
      "        left = pl.yield_(inner)\n    last = pl.yield_(left)\ng, u = pl.submit(self.get, a, deps=[last])",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_THAT(plan.text(), HasSubstr("        dummy if_any = barrier_0\n        id_store left[iteration] = barrier_0\n"));
  const Execution run = execute(plan.plan, plan.program, plan.plan.functions.at(0), {});
  EXPECT_EQ(run.unsupported, "");
  EXPECT_EQ(run.submissions.back().callee, "get");
  EXPECT_FALSE(run.submissions.back().deps.empty());
}

TEST(Ids, AListInOneSlotOfAnArrayIsABarrierOverIt) {
  const Lowered plan = lower_case(
      "tids = pl.array.create(2, pl.TASK_ID)\nfor i in pl.parallel(3):\n    p, t = pl.submit(self.put, a)\ntids[0] = t\n"
      "g, u = pl.submit(self.get, a, deps=[tids])",
      Frame::Manual);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_THAT(plan.text(), HasSubstr("dep t[0:3] guarded <- all iterations\n"));
  EXPECT_THAT(plan.text(), HasSubstr("dummy if_any = barrier_0\n"));
  EXPECT_THAT(plan.text(), HasSubstr("id_store tids[0] = barrier_0\n"));
}

TEST(Ids, FlagsOfSingleDependenciesAreKept) {
  const Lowered plan = lower_case(
      "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, b)\n"
      "g, v = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"wait|retain\"]})",
      Frame::Default);
  EXPECT_THAT(plan.plan.deps.flags, ::testing::ElementsAre(kWait, kWait | kRetain));
}

TEST(Ids, FlagsOfRepeatsAreUnited) {
  const std::string two = "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, b)\n";
  const Lowered plan =
      lower_case(two + "g, v = pl.submit(self.get, a, deps=[t, u, u], attrs={\"dep_flags\": [\"none\", \"wait\", \"retain\"]})",
                 Frame::Default);
  EXPECT_THAT(plan.plan.deps.flags, ::testing::ElementsAre(0, kWait | kRetain));
  EXPECT_THAT(plan.text(), HasSubstr("dep t none <- user t"));
  // The compiler's edges are WAIT|RETAIN.
  const Lowered both = lower_text(pass::testing::case_text(
      two + "g, v = pl.submit(self.get, a, deps=[t], attrs={\"arg_directions\": [pl.adir.input], \"dep_flags\": [\"wait\"], "
            "\"compiler_manual_dep_edges\": [t]})",
      Frame::Default));
  EXPECT_THAT(both.plan.deps.flags, ::testing::ElementsAre(kWait | kRetain));
}

TEST(Ids, UserEdgesComeFirstAndKeepTheirOrigin) {
  const Lowered plan =
      lower_case("p, t = pl.submit(self.put, a)\nx, v = pl.submit(self.get, b)\ng, u = pl.submit(self.get, p, deps=[v])",
                 Frame::Auto, {.analyze = true});
  EXPECT_EQ(plan.deps(2), "v t?");
  EXPECT_THAT(plan.plan.reasons.origin, ::testing::ElementsAre(EdgeOrigin::User, EdgeOrigin::Compiler));
}

TEST(Ids, AnEdgeOfBothOriginsIsOneDependencyWithTwoReasons) {
  const std::string text = pass::testing::case_text(
      "p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, p, deps=[t], attrs={\"arg_directions\": [pl.adir.input], "
      "\"compiler_manual_dep_edges\": [t]})",
      Frame::Default);
  const Lowered plan = lower_text(text);
  EXPECT_EQ(plan.deps(1), "t?");
  EXPECT_THAT(plan.text(), HasSubstr("<- user t, compiler t\n"));
}

// ---------------------------------------------------------------- findings

TEST(Findings, AnEdgeOfTheCompilerWithoutABindingIsInformation) {
  // p is the name of a loop result too, so that it is bound in the branch only.
  const Lowered plan =
      lower_case("p = self.get(b)\nif k0:\n    p = self.put(a)\nh = self.get(a)\nfor i in pl.range(n):\n    p = self.mod(p)\n",
                 Frame::Default, {.analyze = true});
  ASSERT_EQ(plan.findings(), "lost_edge p@61 main | lost_edge p@63 main");
  EXPECT_EQ(plan.plan.findings[0].severity, Severity::Info);
  EXPECT_EQ(plan.plan.findings[0].origin, EdgeOrigin::Compiler);
}

TEST(Findings, OperationsOnTensorsBelongIntoKernels) {
  const Lowered plan = lower_case("s = pl.add(a, b)\ng = self.get(s)", Frame::Default);
  EXPECT_EQ(plan.findings(), "codegen_abort tensor.add@58 main");
  EXPECT_THAT(lower_case("s = pl.slice(a, [64], [n])\nh = self.geth(s)\nr = pl.reshape(a, [2, 64])", Frame::Default).findings(),
              IsEmpty());
}

TEST(Findings, NegativeSamples) {
  const std::string folder = std::string(DEPSCOPE_TEST_DATA) + "/negative/";
  const Lowered expression = lower_file(folder + "03_expression_argument.py");
  EXPECT_EQ(expression.findings(), "codegen_abort fill@25 main");
  EXPECT_EQ(expression.plan.findings[0].column, 17U);
  EXPECT_EQ(expression.plan.findings[0].argument, 0U);
  for (const bool analyze : {false, true}) {
    const Lowered gather = lower_file(folder + "10_gather_dynamic_access.py", {.analyze = analyze});
    EXPECT_EQ(gather.findings(), "codegen_abort tensor.gather@35 main");
    EXPECT_EQ(gather.plan.findings[0].column, 22U);
  }
  // What stops in kernel passes is no business of the plan.
  for (const char* kernel_side : {"06_constant_fill_loop.py", "06_plan_with_tensor_write.py"}) {
    EXPECT_THAT(lower_file(folder + kernel_side).findings(), IsEmpty()) << kernel_side;
  }
}

TEST(Findings, WhatIsNotModelledHasNoPlan) {
  const std::string text = program("", "with pl.at(level=pl.Level.CORE_GROUP):\n    s = pl.add(a, b)");
  const ir::Program read = [&] {
    const ir::ReadResult r = ir::read_text(std::make_shared<const SourceFile>("case.py", text));
    return r.programs.at(0);
  }();
  const Plan plan = lower_program(read);
  ASSERT_EQ(plan.findings.size(), 1U);
  EXPECT_EQ(plan.findings[0].kind, FindingKind::NotModelled);
  EXPECT_EQ(plan.findings[0].severity, Severity::Info);
  EXPECT_THAT(plan.findings[0].message, AllOf(HasSubstr("'main'"), HasSubstr("pl.at region"), HasSubstr("line 8")));
  EXPECT_FALSE(plan.functions.at(0).planned);
  EXPECT_THAT(plan_text(plan, read, plan.functions[0]), StartsWith("# 'main' has no submission plan"));
}

// ---------------------------------------------------------------- the plan as a whole

TEST(Plan, HoldsEveryOrchestrationFunctionAndTheEntry) {
  const std::string text = pass::testing::case_text("p = self.put(a)", Frame::Default);
  EXPECT_EQ(lower_text(text).plan.functions.size(), 1U);
  const Lowered entry = lower_text(text, {.entry = "grp"});
  ASSERT_EQ(entry.plan.functions.size(), 2U);
  EXPECT_THAT(entry.text("grp"), HasSubstr("args task 0: map\n"));
  EXPECT_THAT(entry.text("main"), HasSubstr("args task 0: put\n"));
}

TEST(Plan, ReconciliationMissesNothing) {
  Lowered plan =
      lower_case("p, t = pl.submit(self.put, a)\nx, v = pl.submit(self.get, b)\ng, u = pl.submit(self.get, p, deps=[v])",
                 Frame::Auto, {.analyze = true});
  EXPECT_EQ(plan.loose(), 0U);
  // An edge that stands nowhere is found, and told apart by origin and place.
  const Rows reasons = plan.plan.deps.reasons[1];
  plan.plan.deps.reasons[1].end = reasons.begin;
  const std::vector<LooseEdge> loose = reconcile(plan.plan, plan.program);
  ASSERT_EQ(loose.size(), 1U);
  EXPECT_EQ(loose[0].origin, EdgeOrigin::Compiler);
  EXPECT_EQ(loose[0].position, 0U);
  EXPECT_EQ(without_versions(std::string(plan.program.store->name(loose[0].var))), "t");
}

TEST(Plan, NamesAreUniqueInAFunction) {
  const Lowered plan = lower_case(
      "t_1 = None\np, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a, deps=[t, t_1])\nwith pl.manual_scope():\n"
      "    t = pl.system.task_dummy(deps=[t])\n    h, w = pl.submit(self.get, a, deps=[t])",
      Frame::Default);
  std::vector<std::string> names = plan.plan.names;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace depscope::lower::testing
