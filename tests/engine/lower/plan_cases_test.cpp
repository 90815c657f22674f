// The plans of passes.md 11.9, each test named by its case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "depscope/base/diagnostics.h"
#include "lowered.h"
#include "plan_execution.h"

namespace depscope::lower::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kCarryInAuto = "prev = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])\n";
constexpr const char* kFourIds =
    "z0: pl.Scalar[pl.TASK_ID] = None\nfor i, (x, tt) in pl.range(4, init_values=(a, z0)):\n"
    "    x2, t2 = pl.submit(self.mod, x)\n    y, z = pl.yield_(x2, t2)\n";
constexpr const char* kNestedTwoByThree =
    "for i in pl.range(2):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)";

constexpr pass::Profile kProfiles[] = {kSeed, kUpstream};

Setup analysed(pass::Profile profile = kUpstream) { return {.analyze = true, .profile = profile}; }

/// Dependencies of the nth kernel task of `main`.
std::string deps_of(const Lowered& plan, std::size_t nth) { return plan.deps(plan.kernels().at(nth)); }
std::int64_t capacity_of(const Lowered& plan, std::size_t nth) { return plan.plan.tasks.capacity[plan.kernels().at(nth)]; }

/// The forms of all tasks of `main` in order: K kernel, W wrapper, D dummy of the program, B barrier of the lowering.
std::string forms(const Lowered& plan) {
  std::string out;
  for (const TaskForm form : plan.plan.tasks.form) {
    out += form == TaskForm::Kernel ? 'K' : form == TaskForm::Wrapper ? 'W' : form == TaskForm::Dummy ? 'D' : 'B';
  }
  return out;
}

TEST(PlanCase, P01AnIdOfAClosedScopeIsAUserError) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case("for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\ng, u = pl.submit(self.get, a, deps=[t])",
                   Frame::Default, {.profile = profile});
    EXPECT_EQ(plan.findings(), "user_edge_lost t@60 main");
    const Finding& f = plan.plan.findings.at(0);
    EXPECT_EQ(f.severity, Severity::Error);
    EXPECT_EQ(f.callee, "get");
    EXPECT_EQ(f.site, 1U);
    EXPECT_EQ(f.occurrence, 0U);
    EXPECT_EQ(f.column, 16U);
    EXPECT_EQ(f.producer_line, 59U);
    EXPECT_EQ(f.reason, "producer id lives in a scope already closed");
    EXPECT_THAT(f.message, AllOf(HasSubstr("'t'"), HasSubstr("'get'"), HasSubstr("line 60"), HasSubstr("TASK_ID array")));
    EXPECT_EQ(deps_of(plan, 1), "");
  }
}

TEST(PlanCase, P02ACarriedIdIsOneGuardedName) {
  const Lowered plan = lower_case(
      "prev = None\nwith pl.manual_scope():\n    for i in pl.range(3):\n        a, prev = pl.submit(self.mod, a, deps=[prev])",
      Frame::Default);
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(deps_of(plan, 0), "prev?");
  EXPECT_EQ(capacity_of(plan, 0), 1);
  // None in front of the loop, the carry, the id of the task.
  EXPECT_EQ(plan.plan.ids.size(), 3U);
  EXPECT_THAT(plan.text(), HasSubstr("    declare_id prev = prev\n    loop i in range(0, 3, 1)\n"));
  EXPECT_THAT(plan.text(), HasSubstr("      bind_id prev = task 0\n      assign_id prev = prev\n    loop_end\n"));
}

TEST(PlanCase, P03AnArrayReadIsAGuardedSnapshot) {
  const Lowered plan = lower_case(
      "tids = pl.array.create(4, pl.TASK_ID)\np, t = pl.submit(self.put, a)\ntids[0] = t\nw = tids[0]\n"
      "g, u = pl.submit(self.get, a, deps=[w, t, w])",
      Frame::Default);
  EXPECT_EQ(deps_of(plan, 1), "w? t");
  EXPECT_EQ(capacity_of(plan, 1), 2);
  // The repeat of w is remembered.
  EXPECT_THAT(plan.text(), HasSubstr("dep w guarded <- user w, user w\n"));
  EXPECT_THAT(plan.text(), HasSubstr("dep t <- user t\n"));
}

TEST(PlanCase, P04AnEmptyBarrierIsAlwaysSubmitted) {
  const Lowered plan = lower_case("e = pl.system.task_dummy(deps=[])\ng, u = pl.submit(self.get, a, deps=[e])", Frame::Default);
  EXPECT_THAT(plan.text(), HasSubstr("dummy always = e\n"));
  EXPECT_EQ(deps_of(plan, 0), "e?");
}

TEST(PlanCase, P05APhaseFenceStandsForFourSlots) {
  const Lowered plan = lower_case(
      "tids = pl.array.create(4, pl.TASK_ID)\nfor k in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[k] = t\n"
      "for j in pl.parallel(4):\n    g, u = pl.submit(self.get, a, deps=[tids])",
      Frame::Manual);
  EXPECT_EQ(forms(plan), "KDK");
  EXPECT_EQ(plan.deps(1), "tids[0:4]?");
  EXPECT_THAT(plan.text(), HasSubstr("dummy if_any = phase_fence_barrier_0_tid\n"));
  EXPECT_EQ(deps_of(plan, 1), "phase_fence_barrier_0_tid?");
  EXPECT_EQ(capacity_of(plan, 1), 1);
  EXPECT_EQ(plan.plan.reasons.origin.back(), EdgeOrigin::Fence);
}

TEST(PlanCase, P06ManyUsesOfAListGetABarrier) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case(std::string(kFourIds) + "for j in pl.range(5):\n    y = self.get(y)", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_THAT(plan.text(), HasSubstr("id_array z[4] = invalid\n"));
    EXPECT_EQ(forms(plan), "KBK");
    EXPECT_EQ(plan.deps(1), "z[0:4]?");
    EXPECT_EQ(deps_of(plan, 1), "barrier_0?");
    // The edge still says what it was: the loop's result, through the barrier.
    EXPECT_EQ(plan.plan.reasons.origin.back(), EdgeOrigin::Compiler);
    EXPECT_EQ(plan.plan.reasons.barrier.back(), 1U);
  }
}

TEST(PlanCase, P06OneUseLessSavesNothing) {
  // 4 producers and 1 consumer: 4 - 5 < 0.
  const Lowered plan = lower_case(std::string(kFourIds) + "g = self.get(y)", Frame::Default, analysed());
  EXPECT_EQ(forms(plan), "KK");
  EXPECT_EQ(deps_of(plan, 1), "z[0:4]?");
}

constexpr const char* kScalarKernel = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def sc(self, s: pl.Scalar[pl.INDEX], x: pl.Tensor[[128], pl.FP32], l: pl.Out[pl.Tensor[[128], pl.FP32]]) -> pl.Tensor[[128], pl.FP32]:
        return l

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[128], pl.FP32]):
        l = pl.create_tensor([128], dtype=pl.FP32)
        m = pl.create_tensor([128], dtype=pl.FP32)
        p = self.sc(n, x, l)
        q = self.sc(n, p, m)
)";

TEST(PlanCase, P07TensorsBeforeScalarsAndOneAllocation) {
  const Lowered plan = lower_text(kScalarKernel);
  EXPECT_THAT(plan.text(), HasSubstr("scope_begin AUTO\n  alloc_tensors l, m\n  args task 0: sc\n"));
  EXPECT_EQ(plan.arguments(0), "add_input x, add_output l, add_scalar n");
  EXPECT_EQ(plan.arguments(1), "add_input p, add_output m, add_scalar n");
}

TEST(PlanCase, P08AnOmittedOutputIsReadFromTheHandle) {
  const Lowered plan = lower_case("p, t = pl.submit(self.map, a)\ng = self.get(p)", Frame::Default);
  EXPECT_EQ(plan.arguments(0), "add_input a, add_output new");
  EXPECT_THAT(plan.text(), HasSubstr("add_output new (parameter 1)\n"));
  EXPECT_THAT(plan.text(), HasSubstr("assign p = task 0 result 0\n"));
}

TEST(PlanCase, P09AnIdMergedByAnIfIsAUserError) {
  const Lowered plan = lower_case(
      "if k0:\n    p, t = pl.submit(self.put, a)\nelse:\n    p, t = pl.submit(self.put, b)\ng, u = pl.submit(self.get, a, "
      "deps=[t])",
      Frame::Default);
  EXPECT_EQ(plan.findings(), "user_edge_lost t@62 main");
}

TEST(PlanCase, P10CreatesOfAManualScopeAreAllocatedInFrontOfIt) {
  const Lowered plan = lower_case(
      "with pl.manual_scope():\n    l = pl.create_tensor([128], dtype=pl.FP32)\n    p, t = pl.submit(self.put, l)\ng = "
      "self.get(p)",
      Frame::Default);
  EXPECT_THAT(plan.text(), HasSubstr("  alloc_tensors l\n  scope_begin MANUAL\n    args task 0: put\n"));
}

TEST(PlanCase, P11B05AnIdThatAnEdgeNamesIsDeclaredInFrontOfTheScope) {
  const Lowered plan = lower_case("p = self.put(a)\ng = self.get(p)", Frame::Default, analysed());
  EXPECT_THAT(plan.text(), StartsWith("declare_id p = invalid\nscope_begin MANUAL\n"));
  EXPECT_THAT(plan.text(), HasSubstr("submit put captures\n  assign p = task 0 result 0\n  bind_id p = task 0\n"));
  EXPECT_EQ(deps_of(plan, 1), "p?");
  EXPECT_EQ(plan.arguments(1), "add_no_dep p");
  // Nobody asks for the second task's id.
  EXPECT_THAT(plan.text(), HasSubstr("submit get\n"));
}

TEST(PlanCase, P12X01TheDeclarationOutlivesSiblingScopes) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan = lower_case("with pl.scope():\n    p = self.put(a)\nwith pl.scope():\n    g = self.get(p)", Frame::Plain,
                                    analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_THAT(plan.text(), StartsWith("declare_id p = invalid\nscope_begin AUTO\n"));
    EXPECT_EQ(deps_of(plan, 1), "p?");
    EXPECT_EQ(plan.arguments(1), profile == kSeed ? "add_input p" : "add_no_dep p");
  }
}

TEST(PlanCase, P13L08AnInPlaceLoopHasNoDependencyOperation) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan = lower_case("for i in pl.range(4):\n    a = self.mod(a)", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.text(), StartsWith(profile == kSeed ? "scope_begin AUTO\n" : "scope_begin MANUAL\n"));
    EXPECT_EQ(plan.arguments(0), "add_inout a");
    EXPECT_THAT(plan.text(), Not(HasSubstr("dep")));
    EXPECT_THAT(plan.text(), HasSubstr("submit mod\n"));  // a plain call whose id nobody needs
  }
}

TEST(PlanCase, P14T11ADependencyThatIsAlwaysInvalid) {
  const Lowered plan = lower_case(
      "for k in pl.range(n):\n    p, t = pl.submit(self.put, a)\nz = pl.system.task_invalid()\ng, u = pl.submit(self.get, a, "
      "deps=[z])",
      Frame::Auto, analysed());
  EXPECT_THAT(plan.text(), StartsWith("scope_begin AUTO\n"));
  EXPECT_THAT(plan.text(), HasSubstr("declare_id z = invalid\n"));
  EXPECT_EQ(plan.arguments(1), "add_no_dep a");
  EXPECT_EQ(deps_of(plan, 1), "z?");
  EXPECT_EQ(capacity_of(plan, 1), 1);
}

// ---------------------------------------------------------------- P15: limits of the generator

TEST(PlanCase, P15L01AYieldOfAnotherNameStopsTheGenerator) {
  const std::string body =
      "for i, (x,) in pl.range(4, init_values=(a,)):\n    x2 = self.mod(x)\n    y = pl.yield_(x2)\ng = self.get(y)";
  EXPECT_EQ(lower_case(body, Frame::Default, analysed()).findings(), "codegen_abort y@58 main");
  const Lowered seed = lower_case(body, Frame::Default, analysed(kSeed));
  EXPECT_THAT(seed.findings(), IsEmpty());
  EXPECT_EQ(deps_of(seed, 1), "y[0:4]?");
  EXPECT_THAT(seed.text(), HasSubstr("id_store y[iteration] = x2\n"));
}

TEST(PlanCase, P15L03TheSameWithARunTimeTripCount) {
  const std::string body =
      "for i, (x,) in pl.parallel(0, n, init_values=(a,)):\n    x2 = self.put(x)\n    y = pl.yield_(x2)\ng = self.get(y)";
  EXPECT_EQ(lower_case(body, Frame::Default, analysed()).findings(), "codegen_abort y@58 main");
  EXPECT_THAT(lower_case(body, Frame::Default, analysed(kSeed)).findings(), IsEmpty());
}

TEST(PlanCase, P15L01bTheSameNameBaseWorks) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case("for i in pl.range(4):\n    a = self.mod(a)\ng = self.get(a)", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_EQ(deps_of(plan, 1), "a[0:4]?");
    EXPECT_EQ(capacity_of(plan, 1), 4);
  }
}

TEST(PlanCase, P15L14IdsMayHaveAnyName) {
  EXPECT_THAT(lower_case(std::string(kFourIds) + "g = self.get(y)", Frame::Default, analysed()).findings(), IsEmpty());
}

TEST(PlanCase, P15AYieldThatIsNoTaskStopsTheGeneratorToo) {
  // What the loop yields is what it was given: nothing keeps an id under either name.
  const std::string body =
      "p, t = pl.submit(self.put, a)\nfor i, (x,) in pl.parallel(0, n, init_values=(p,)):\n    g = self.get(x)\n    y = "
      "pl.yield_(x)\n"
      "m = self.mod(a)";
  EXPECT_EQ(lower_case(body, Frame::Default, analysed()).findings(), "codegen_abort y@59 main");
}

TEST(PlanCase, P15L11NestedLoopsOfDifferentLength) {
  const Lowered upstream = lower_case(kNestedTwoByThree, Frame::Default, analysed());
  EXPECT_EQ(upstream.findings(), "codegen_abort a@58 main | codegen_abort a@61 main");
  EXPECT_EQ(upstream.plan.findings[0].reason, "nested loops with different trip counts");
  const Lowered seed = lower_case(kNestedTwoByThree, Frame::Default, analysed(kSeed));
  EXPECT_THAT(seed.findings(), IsEmpty());
  // All six tasks, three of each outer iteration side by side.
  EXPECT_EQ(deps_of(seed, 1), "a[0:6]?");
  EXPECT_THAT(seed.text(), HasSubstr("id_copy a[iteration] = a\n"));
}

TEST(PlanCase, P15L11AParallelLoopInsideCountsWithTheTripsOfTheOuterOne) {
  const std::string body = "for i in pl.range(2):\n    for j in pl.parallel(3):\n        a = self.mod(a)\ng = self.get(a)";
  EXPECT_EQ(lower_case(body, Frame::Default, analysed()).plan.findings.at(0).reason, "nested loops with different trip counts");
  EXPECT_EQ(deps_of(lower_case(body, Frame::Default, analysed(kSeed)), 1), "a[0:6]?");
}

TEST(PlanCase, P15L11bNestedLoopsOfEqualLength) {
  const std::string body = "for i in pl.range(3):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)";
  const Lowered upstream = lower_case(body, Frame::Default, analysed());
  EXPECT_EQ(upstream.findings(), "codegen_abort a@61 main");
  EXPECT_EQ(upstream.plan.findings[0].reason, "the ids of an inner loop are named outside its block");
  EXPECT_EQ(upstream.plan.findings[0].callee, "get");
  EXPECT_EQ(deps_of(lower_case(body, Frame::Default, analysed(kSeed)), 1), "a[0:9]?");
}

TEST(PlanCase, L06HasNoEdgeToPlan) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case("for i in pl.range(4):\n    b = self.put(b)\n    g = self.get(b)", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_EQ(plan.plan.deps.size(), 0U);
  }
}

TEST(PlanCase, L07AnIdWithTheNameOfALoopResultIsBoundWhereItIsMade) {
  const Lowered plan = lower_case("for i in pl.range(n):\n    b = self.put(b)\n    g = self.get(b)", Frame::Default, analysed());
  EXPECT_THAT(plan.text(), Not(HasSubstr("declare_id")));
  EXPECT_EQ(deps_of(plan, 1), "b");  // fresh, not guarded
}

// ---------------------------------------------------------------- the rest

TEST(PlanCase, P16L03bARunTimeListEndsInABarrier) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case("for i in pl.parallel(n):\n    a = self.put(a)\ng = self.get(a)", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_EQ(forms(plan), "KBK");
    EXPECT_THAT(plan.text(), HasSubstr("id_list list_0 of 1 per iteration\n"));
    EXPECT_THAT(plan.text(), HasSubstr("id_append list_0 += a\n"));
    EXPECT_THAT(plan.text(), HasSubstr("dummy if_any = barrier_0\n"));
    EXPECT_EQ(capacity_of(plan, 1), 1);
    EXPECT_EQ(deps_of(plan, 1), "barrier_0?");
  }
}

TEST(PlanCase, P16ResultsOfOneRunTimeLoopShareAListAndItsBarrier) {
  const Lowered plan =
      lower_case("for i in pl.parallel(n):\n    a = self.put(a)\n    b = self.mod(b)\ng = self.get(a)\nh = self.get(b)",
                 Frame::Default, analysed());
  EXPECT_THAT(plan.findings(), IsEmpty());
  EXPECT_EQ(forms(plan), "KKBKK");
  EXPECT_THAT(plan.text(), HasSubstr("id_list list_0 of 2 per iteration\n"));
  EXPECT_THAT(plan.text(), HasSubstr("id_append list_0 += a\n    id_append list_0 += b\n"));
  EXPECT_EQ(deps_of(plan, 2), "barrier_0?");
  EXPECT_EQ(deps_of(plan, 3), "barrier_0?");
}

TEST(PlanCase, P16RepeatedIdsOfOneIterationAreStoredOnce) {
  // Both results of the loop are results of one call, which share its id.
  const Lowered plan = lower_case("for i in pl.parallel(n):\n    a, b = self.put2(a, b)\ng = self.get(a)\nh = self.get(b)",
                                  Frame::Default, analysed());
  EXPECT_THAT(plan.text(), HasSubstr("id_list list_0 of 2 per iteration\n"));
  const Execution run = execute(plan.plan, plan.program, plan.plan.functions.at(0), {{"n", 3}});
  ASSERT_EQ(run.submissions.size(), 6U);
  EXPECT_EQ(run.submissions[3].callee, "dummy");
  EXPECT_THAT(run.submissions[3].deps, ::testing::ElementsAre(0, 1, 2));
}

// ---------------------------------------------------------------- barriers in front of loops

/// A loop of two iterations that leaves a list of two ids, then `body`.
std::string behind_two(const std::string& body) { return "for i in pl.parallel(2):\n    a = self.mod(a)\n" + body; }

TEST(Compression, CountsUsesInNestedLoopsOncePerOccurrence) {
  // 2 producers, 1 occurrence in 2 iterations: 4 - 4 saves nothing in front of j; 2·50 does in front of k.
  const Lowered plan = lower_case(behind_two("for j in pl.range(2):\n    for k in pl.range(50):\n        g = self.get(a)"),
                                  Frame::Default, analysed());
  EXPECT_EQ(forms(plan), "KBK");
  EXPECT_THAT(plan.text(), HasSubstr("loop j in range(0, 2, 1)\n    dep_array 2\n    dep a[0:2] guarded <- all iterations\n"
                                     "    dummy if_any = barrier_0\n    loop k in range(0, 50, 1)\n"));
}

TEST(Compression, CountsEveryOccurrence) {
  // 2·(2·2) - (2 + 4) = 2.
  const Lowered plan =
      lower_case(behind_two("for j in pl.range(2):\n    g = self.get(a)\n    h = self.get(a)"), Frame::Default, analysed());
  EXPECT_EQ(forms(plan), "KBKK");
}

TEST(Compression, LeavesSingleIdsAlone) {
  const Lowered plan =
      lower_case("p, t = pl.submit(self.put, a)\nfor j in pl.range(50):\n    g = self.get(p)", Frame::Default, analysed());
  EXPECT_EQ(forms(plan), "KK");
  EXPECT_EQ(deps_of(plan, 1), "t?");
}

TEST(Compression, LeavesEdgesOfTheUserAlone) {
  const Lowered plan = lower_case(
      "for i in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\nfor j in pl.range(50):\n"
      "    g, u = pl.submit(self.get, b, deps=[t])",
      Frame::Manual);
  EXPECT_EQ(forms(plan), "KK");
  EXPECT_EQ(deps_of(plan, 1), "t[0:4]?");
}

TEST(Compression, WorksInManualAndInAutoScopes) {
  const std::string loops = "for j in pl.range(5):\n    y = self.get(a)";
  for (const Frame frame : {Frame::Default, Frame::Auto})
    EXPECT_EQ(forms(lower_case("for i in pl.parallel(4):\n    a = self.mod(a)\n" + loops, frame, analysed())), "KBK");
}

TEST(PlanCase, P17ACarriedIdHasNoBindingInAnAutoScope) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan = lower_case(kCarryInAuto, Frame::Default, {.profile = profile});
    EXPECT_EQ(plan.findings(), "user_edge_lost prev@60 main");
    EXPECT_EQ(plan.plan.findings[0].reason, "a loop-carried id has no binding outside a MANUAL scope");
    EXPECT_THAT(plan.plan.findings[0].message, HasSubstr("MANUAL scope"));
  }
}

TEST(PlanCase, P18TheAnalysisGivesTheCarryItsManualScope) {
  for (const pass::Profile profile : kProfiles) {
    const Lowered plan =
        lower_case(std::string(kCarryInAuto) + "g, u = pl.submit(self.get, a, deps=[prev])", Frame::Default, analysed(profile));
    EXPECT_THAT(plan.findings(), IsEmpty());
    EXPECT_THAT(plan.text(), StartsWith("scope_begin MANUAL\n"));
    EXPECT_EQ(deps_of(plan, 0), "prev?");
    EXPECT_EQ(deps_of(plan, 1), "prev?");
    EXPECT_EQ(plan.arguments(1), "add_no_dep a");
  }
}

TEST(PlanCase, P19AParallelLoopWaitsForTheInitialIdAndLeavesAll) {
  const Lowered plan = lower_case(
      "q, prev = pl.submit(self.put, b)\nfor i in pl.parallel(3):\n    p, prev = pl.submit(self.put, a, deps=[prev])\n"
      "g, u = pl.submit(self.get, a, deps=[prev])",
      Frame::Manual);
  EXPECT_THAT(plan.text(), HasSubstr("id_array prev[3] = invalid\n"));
  EXPECT_EQ(deps_of(plan, 1), "prev");  // the id of the task in front of the loop
  EXPECT_EQ(deps_of(plan, 2), "prev[0:3]?");
  EXPECT_EQ(capacity_of(plan, 2), 3);
}

TEST(PlanCase, P20ARunTimeTripCountIsRefusedByThePass) {
  EXPECT_THROW((void)lower_case("prev = None\nfor i in pl.parallel(n):\n    p, prev = pl.submit(self.put, a, deps=[prev])",
                                Frame::Manual, {}),
               InputError);
}

}  // namespace
}  // namespace depscope::lower::testing
