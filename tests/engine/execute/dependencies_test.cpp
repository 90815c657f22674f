// Which ids a task waits for: explicit and compiler dependencies, carried ids, barriers, closed scopes (passes.md 9.3-9.5; the
// cases P01-P20 of 11.9).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program_log.h"

namespace depscope::execute::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTensor = "a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]";
constexpr const char* kTwoTensors = "a: pl.Tensor[[64], pl.FP32], x: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]";

ProgramSetup pipeline(bool analyze = false) {
  ProgramSetup setup;
  setup.passes = all_passes();
  setup.analyze = analyze;
  setup.input.args = {{"n", "3"}};
  return setup;
}

/// Body inside a MANUAL scope that begins with `before` outside it.
std::string manual(const std::string& body, const std::string& before = "") {
  std::string out = before + "with pl.manual_scope():\n";
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    out += "    " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

void expect_lost(const ProgramLog& log, const std::string& id, const std::string& consumer) {
  ASSERT_EQ(log.error, "");
  ASSERT_FALSE(log.result.notices.empty());
  const RunNotice& notice = log.result.notices.back();
  EXPECT_EQ(notice.kind, "user_edge_lost");
  EXPECT_EQ(notice.name, id);
  EXPECT_EQ(notice.consumer, consumer);
  EXPECT_GT(notice.line, 23U);
  EXPECT_FALSE(log.result.complete);
}

TEST(Dependencies, P01AnIdOfAClosedScopeIsLost) {
  const ProgramLog log = interpret(
      kTensor, "for i in pl.range(4):\n    p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.get, a, deps=[t])\n", pipeline());
  expect_lost(log, "t", "get");
  EXPECT_EQ(log.submissions(), "put put put put");
}

TEST(Dependencies, P02ACarriedIdInAManualScope) {
  const ProgramLog log =
      interpret(kTensor, "prev = None\n" + manual("for i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])\n"),
                pipeline());
  EXPECT_EQ(log.submissions(), "mod mod mod");
  EXPECT_EQ(log.deps(0), "");
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_EQ(log.deps(2), "1");
  EXPECT_TRUE(log.result.complete);
}

TEST(Dependencies, P03AnArrayReadIsASnapshotWithANameOfItsOwn) {
  const ProgramLog log =
      interpret(kTensor,
                "tids = pl.array.create(2, pl.TASK_ID)\np, t = pl.submit(self.put, a)\ntids[0] = t\nw = tids[0]\n"
                "q, u = pl.submit(self.put, a)\ntids[0] = u\ng, v = pl.submit(self.get, a, deps=[w, t, w])\n",
                pipeline());
  EXPECT_EQ(log.submissions(), "put put get");
  EXPECT_EQ(log.deps(2), "0 0");
}

TEST(Dependencies, ACopiedIdIsTheSameName) {
  const ProgramLog log =
      interpret(kTensor, "p, t = pl.submit(self.put, a)\nu = t\ng, v = pl.submit(self.get, a, deps=[t, u])\n", pipeline());
  EXPECT_EQ(log.deps(1), "0");
}

TEST(Dependencies, UnsetSlotsAndInvalidIdsAreNoDependencies) {
  const ProgramLog log =
      interpret(kTensor,
                "tids = pl.array.create(4, pl.TASK_ID)\np, t = pl.submit(self.put, a)\ntids[2] = t\nnone = None\n"
                "g, v = pl.submit(self.get, a, deps=[none, tids])\n",
                pipeline());
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_EQ(log.provenance(1), "user");
}

TEST(Dependencies, P04BarriersAreSubmittedWhenTheyHaveNothingToWaitForOrSomethingValid) {
  EXPECT_EQ(
      interpret(kTensor, "e = pl.system.task_dummy(deps=[])\ng, v = pl.submit(self.get, a, deps=[e])\n", pipeline()).deps(1),
      "0");
  const ProgramLog invalid =
      interpret(kTensor, "t = None\ne = pl.system.task_dummy(deps=[t])\ng, v = pl.submit(self.get, a, deps=[e])\n", pipeline());
  EXPECT_EQ(invalid.submissions(), "get");
  EXPECT_EQ(invalid.deps(0), "");
}

TEST(Dependencies, P05APhaseFenceStandsForTheArray) {
  const ProgramLog log =
      interpret(kTensor,
                manual("for i in pl.parallel(4):\n    p, t = pl.submit(self.put, a)\n    tids[i] = t\nfor j in pl.parallel(4):\n"
                       "    g, u = pl.submit(self.get, a, deps=[tids])\n",
                       "tids = pl.array.create(4, pl.TASK_ID)\n"),
                pipeline());
  EXPECT_EQ(log.submissions(), "put put put put dummy get get get get");
  EXPECT_EQ(log.deps(4), "0 1 2 3");
  EXPECT_EQ(log.deps(5), "4");
  EXPECT_EQ(log.deps(8), "4");
}

TEST(Dependencies, P06ManyConsumersOfAListGetABarrier) {
  const ProgramLog log = interpret(
      kTensor, "for i in pl.parallel(4):\n    a = self.mod(a)\nfor j in pl.range(5):\n    y = self.get(a)\n", pipeline(true));
  EXPECT_EQ(log.submissions(), "mod mod mod mod dummy get get get get get");
  EXPECT_EQ(log.deps(4), "0 1 2 3");
  for (std::uint32_t consumer = 5; consumer < 10; ++consumer) EXPECT_EQ(log.deps(consumer), "4");
  EXPECT_EQ(log.provenance(5), "compiler");
}

TEST(Dependencies, P08OutputsThatTheRuntimeAllocates) {
  const ProgramLog log = interpret(kTwoTensors, "p, t = pl.submit(self.copy, x)\nq, u = pl.submit(self.get, p)\n", pipeline());
  EXPECT_EQ(log.submissions(), "copy get");
  EXPECT_EQ(log.arguments(0), "INPUT x[64]+0 OUTPUT out[64]+0");
  EXPECT_EQ(log.arguments(1), "INPUT out[64]+0");
  EXPECT_EQ(log.accesses.back().tensor.owner, log.tasks[0].id);
  const ProgramLog missing = interpret(kTwoTensors, "p, t = pl.submit(self.mod)\n", pipeline());
  ASSERT_EQ(missing.result.notices.size(), 1U) << missing.error;
  EXPECT_EQ(missing.result.notices[0].kind, "codegen_abort");
  EXPECT_THAT(missing.result.notices[0].message, HasSubstr("'a'"));
  EXPECT_FALSE(missing.result.complete);
}

TEST(Dependencies, P09AnIdMergedByAnIfIsLost) {
  expect_lost(interpret(kTwoTensors,
                        "if n > 2:\n    p, t = pl.submit(self.put, a)\nelse:\n    p, t = pl.submit(self.put, x)\n"
                        "q, u = pl.submit(self.get, a, deps=[t])\n",
                        pipeline()),
              "t", "get");
}

TEST(Dependencies, P16ARunTimeNumberOfProducersEndsInABarrier) {
  const ProgramLog log =
      interpret(kTwoTensors, "for i in pl.parallel(0, n):\n    a = self.mod(a)\ny = self.get(a)\n", pipeline(true));
  EXPECT_EQ(log.submissions(), "mod mod mod dummy get");
  EXPECT_EQ(log.deps(3), "0 1 2");
  EXPECT_EQ(log.deps(4), "3");
  ProgramSetup none = pipeline(true);
  none.input.args = {{"n", "0"}};
  EXPECT_EQ(interpret(kTwoTensors, "for i in pl.parallel(0, n):\n    a = self.mod(a)\ny = self.get(a)\n", none).submissions(),
            "get");
}

TEST(Dependencies, P17ACarriedIdOutsideAManualScopeIsLost) {
  const std::string body = "prev = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])\n";
  expect_lost(interpret(kTensor, body, pipeline()), "prev", "mod");
}

TEST(Dependencies, P18TheAnalysisMakesTheWholeBodyManual) {
  const ProgramLog log = interpret(kTensor,
                                   "prev = None\nfor i in pl.range(3):\n    a, prev = pl.submit(self.mod, a, deps=[prev])\n"
                                   "g, u = pl.submit(self.get, a, deps=[prev])\n",
                                   pipeline(true));
  EXPECT_EQ(log.submissions(), "mod mod mod get");
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_EQ(log.deps(3), "2");
  EXPECT_TRUE(log.tasks[3].manual_scope);
}

TEST(Dependencies, P19AParallelLoopWaitsForTheInitialIdAndLeavesAll) {
  const ProgramLog log = interpret(kTensor,
                                   manual("for i in pl.parallel(3):\n    p, prev = pl.submit(self.put, a, deps=[prev])\ng, u = "
                                          "pl.submit(self.get, a, deps=[prev])\n",
                                          "z, prev = pl.submit(self.put, a)\n"),
                                   pipeline());
  EXPECT_EQ(log.submissions(), "put put put put get");
  for (const std::uint32_t task : {1U, 2U, 3U}) EXPECT_EQ(log.deps(task), "0");
  EXPECT_EQ(log.deps(4), "1 2 3");
}

TEST(Dependencies, P20AParallelLoopThatCarriesIdsNeedsAFixedTripCount) {
  const ProgramLog log = interpret(
      kTwoTensors, "prev = None\n" + manual("for i in pl.parallel(0, n):\n    p, prev = pl.submit(self.put, a, deps=[prev])\n"),
      pipeline());
  EXPECT_NE(log.error, "");
}

TEST(Dependencies, UserEdgesComeFirstAndRepeatsAreDropped) {
  ProgramSetup setup;
  setup.passes = {};
  const ProgramLog log =
      interpret(kTensor,
                "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, a)\nr, v = pl.submit(self.put, a)\n"
                "g, w = pl.submit(self.get, a, deps=[u, t, u], attrs={\"compiler_manual_dep_edges\": [v, t]})\n",
                setup);
  EXPECT_EQ(log.deps(3), "1 0 2");
  EXPECT_EQ(log.provenance(3), "user user compiler");
}

TEST(Dependencies, ANameBoundAnewNoLongerStandsForTheLoop) {
  // The second put writes the loop's result, so that the reader's edge names the put and not the three iterations.
  const ProgramLog log = interpret(kTwoTensors,
                                   "for i in pl.parallel(0, n):\n    a = self.mod(a)\np, t = pl.submit(self.copy, a, a)\n"
                                   "g, u = pl.submit(self.get, a)\n",
                                   pipeline(true));
  EXPECT_EQ(log.submissions(), "mod mod mod dummy copy get");
  EXPECT_EQ(log.deps(4), "3");
  EXPECT_THAT(log.deps(5), HasSubstr("4"));
  EXPECT_EQ(log.deps(5).find('3'), std::string::npos);
}

TEST(Dependencies, FlagsOfSingleDependencies) {
  ProgramSetup setup;
  setup.passes = {};
  const std::string two = "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, a)\n";
  const ProgramLog log = interpret(
      kTensor, two + "g, w = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"retain\"]})\n", setup);
  EXPECT_EQ(log.deps(2), "0:wait 1:retain");
  const ProgramLog none = interpret(
      kTensor, two + "g, w = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"none\", \"wait|retain\"]})\n", setup);
  EXPECT_EQ(none.deps(2), "0: 1");
}

TEST(Dependencies, FlagsGoWithTheEntriesThroughAllPasses) {
  ProgramSetup setup;
  setup.passes = all_passes();
  const ProgramLog log =
      interpret(kTensor,
                "tids = pl.array.create(2, pl.TASK_ID)\nwith pl.manual_scope():\n"
                "    p, t = pl.submit(self.put, a)\n    tids[0] = t\n    q, u = pl.submit(self.put, a)\n    tids[1] = u\n"
                "    r, v = pl.submit(self.put, a)\n"
                "    g, w = pl.submit(self.get, a, deps=[tids[1], None, v, tids[0]], attrs={\"dep_flags\": "
                "[\"wait\", \"none\", \"retain\", \"wait\"]})\n",
                setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.deps(3), "1:wait 0:wait 2:retain");
}

TEST(Dependencies, RepeatsUniteTheirFlags) {
  ProgramSetup setup;
  setup.passes = {};
  const std::string two = "p, t = pl.submit(self.put, a)\nq, u = pl.submit(self.put, a)\n";
  EXPECT_EQ(interpret(kTensor,
                      two + "g, w = pl.submit(self.get, a, deps=[t, u, t], attrs={\"dep_flags\": [\"wait\", \"wait\", "
                            "\"retain\"]})\n",
                      setup)
                .deps(2),
            "0 1:wait");
  // The compiler's edges are WAIT|RETAIN.
  const ProgramLog log = interpret(kTensor,
                                   two +
                                       "g, w = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"retain\"], "
                                       "\"compiler_manual_dep_edges\": [u]})\n",
                                   setup);
  EXPECT_EQ(log.deps(2), "0:wait 1");
  EXPECT_EQ(log.provenance(2), "user user");
}

TEST(Dependencies, ABarrierInPlaceOfAFlaggedEdgeIsWaitedForAndKept) {
  ProgramSetup setup;
  setup.passes = all_passes();
  const ProgramLog log = interpret(kTwoTensors,
                                   "tids = pl.array.create(4, pl.TASK_ID)\nwith pl.manual_scope():\n    for i in pl.range(4):\n"
                                   "        p, s = pl.submit(self.put, a)\n        tids[i] = s\n    for j in pl.range(4):\n"
                                   "        q, t = pl.submit(self.get, a, deps=[tids], attrs={\"dep_flags\": [\"wait\"]})\n",
                                   setup);
  EXPECT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "put put put put dummy get get get get");
  EXPECT_EQ(log.deps(4), "0 1 2 3");
  EXPECT_EQ(log.deps(5), "4");
  EXPECT_EQ(log.provenance(5), "fence");
}

TEST(Dependencies, AnEdgeToABranchThatDidNotRunIsInvalid) {
  const std::string body = "if n > 5:\n    a = self.mod(a)\ng = self.get(a)\n";
  const ProgramLog log = interpret(kTwoTensors, body, pipeline(true));
  EXPECT_EQ(log.submissions(), "get");
  EXPECT_EQ(log.deps(0), "");
}

// ---------------------------------------------------------------- what a binding outlives

TEST(Bindings, ANestedRunTimeLoopEndsInABarrierOnlyIfAnEdgeLeadsToIt) {
  // The analysis gives the reader an edge to `a`; nobody waits for what the inner loop writes to x.
  const std::string other =
      "for i in pl.range(2):\n    for j in pl.parallel(0, n):\n        x = self.mod(x)\na = self.put(a)\ng = self.get(a)\n";
  const ProgramLog log = interpret(kTwoTensors, other, pipeline(true));
  EXPECT_EQ(log.submissions(), "mod mod mod mod mod mod put get");
  EXPECT_THAT(log.deps(7), HasSubstr("6"));
}

TEST(Bindings, SlotsOfAnArrayEndWithItsScope) {
  const std::string inside =
      "with pl.scope():\n    tids = pl.array.create(2, pl.TASK_ID)\n    p, t = pl.submit(self.put, a)\n"
      "    tids[1] = t\n";
  expect_lost(interpret(kTensor, inside + "g, u = pl.submit(self.get, a, deps=[tids])\n", pipeline()), "tids", "get");
  const ProgramLog slot = interpret(kTensor, inside + "w = tids[1]\ng, u = pl.submit(self.get, a, deps=[w])\n", pipeline());
  expect_lost(slot, "w", "get");
  EXPECT_EQ(slot.submissions(), "put");
}

TEST(Bindings, AnIdWithoutABindingCannotBeStored) {
  // Outside a MANUAL scope nothing keeps the id that the if merges; stored in a slot it is lost to who waits for the array.
  expect_lost(interpret(kTwoTensors,
                        "tids = pl.array.create(2, pl.TASK_ID)\nif n > 2:\n    p, t = pl.submit(self.put, a)\nelse:\n"
                        "    p, t = pl.submit(self.put, x)\ntids[0] = t\nq, u = pl.submit(self.get, a, deps=[tids])\n",
                        pipeline()),
              "tids", "get");
}

TEST(Bindings, AllIdsOfAParallelLoopInOneSlotAreABarrierOverThem) {
  const std::string loop = "for i in pl.parallel(3):\n    p, t = pl.submit(self.put, a)\n";
  const std::string create = "tids = pl.array.create(2, pl.TASK_ID)\n";
  const ProgramLog stored =
      interpret(kTensor, manual(loop + "tids[0] = t\ng, u = pl.submit(self.get, a, deps=[tids])\n", create), pipeline());
  ASSERT_EQ(stored.error, "");
  EXPECT_EQ(stored.submissions(), "put put put dummy get");
  EXPECT_EQ(stored.deps(3), "0 1 2");
  EXPECT_EQ(stored.deps(4), "3");
  // Beside an element of an array, entries of deps are collected in an array of their own.
  const ProgramLog beside = interpret(
      kTensor,
      manual("q, v = pl.submit(self.put, a)\ntids[0] = v\n" + loop + "g, u = pl.submit(self.get, a, deps=[tids[0], t])\n",
             create),
      pipeline());
  ASSERT_EQ(beside.error, "");
  EXPECT_EQ(beside.submissions(), "put put put put dummy get");
  EXPECT_EQ(beside.deps(4), "1 2 3");
  EXPECT_EQ(beside.deps(5), "0 4");
}

TEST(Bindings, AnArrayOfAnOuterScopeKeepsWhatAnInnerOneStored) {
  const ProgramLog log = interpret(kTensor,
                                   "tids = pl.array.create(2, pl.TASK_ID)\nwith pl.scope():\n    p, t = pl.submit(self.put, a)\n"
                                   "    tids[1] = t\ng, u = pl.submit(self.get, a, deps=[tids])\n",
                                   pipeline());
  EXPECT_EQ(log.deps(1), "0");
  EXPECT_TRUE(log.result.complete);
}

TEST(Bindings, AnIdThatSharesTheNameOfALoopResultEndsWithItsScope) {
  // The edge to the id of the loop's body has no binding behind the loop: only the collected ids are waited for.
  const ProgramLog log =
      interpret(kTwoTensors,
                "x, t = pl.submit(self.mod, x)\nfor i in pl.range(3):\n    x, t = pl.submit(self.copy, a, x)\ng = self.put(x)\n",
                pipeline(true));
  EXPECT_EQ(log.submissions(), "mod copy copy copy put");
  EXPECT_EQ(log.deps(4).find("3 3"), std::string::npos);
}

TEST(Bindings, ARebindingInABranchEndsWithIt) {
  ProgramSetup setup = pipeline();
  setup.passes = {};
  // In the branch the edge names the second task; behind it the first one again.
  const ProgramLog log =
      interpret(kTwoTensors,
                "a_1 = self.mod(a)\nfor i, (a_2,) in pl.range(1, init_values=(a_1,)):\n    a_3 = pl.yield_(a_2)\nif n > 2:\n"
                "    y = self.mod(a_1)\n    z = pl.submit(self.get, x, attrs={\"compiler_manual_dep_edges\": [a_1]})\n"
                "w = pl.submit(self.get, x, attrs={\"compiler_manual_dep_edges\": [a_1]})\n",
                setup);
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "mod mod get get");
  EXPECT_EQ(log.deps(2), "1");
  EXPECT_EQ(log.deps(3), "0");
}

TEST(Bindings, DoubleBufferedArraysWorkInAutoAndManualScopes) {
  const std::string body =
      "for i in pl.range(3):\n    nx = pl.array.create(2, pl.TASK_ID)\n    for j in pl.range(2):\n"
      "        p, t = pl.submit(self.put, a, deps=[tids])\n        nx[j] = t\n    tids = nx\n"
      "g, u = pl.submit(self.get, a, deps=[tids])\n";
  const std::string create = "tids = pl.array.create(2, pl.TASK_ID)\n";
  for (const std::string& text : {create + body, manual(body, create)}) {
    const ProgramLog log = interpret(kTensor, text, pipeline());
    EXPECT_EQ(log.error, "");
    EXPECT_EQ(log.submissions(), "put put put put put put get");
    EXPECT_EQ(log.deps(1), "");
    EXPECT_EQ(log.deps(2), "0 1");
    EXPECT_EQ(log.deps(5), "2 3");
    EXPECT_EQ(log.deps(6), "4 5");
    EXPECT_TRUE(log.result.complete);
  }
}

TEST(Bindings, ACarriedArrayHasSlotsOfItsOwn) {
  // The loop reads its own copy: what the first iteration stores in it does not reach the array it began with.
  const ProgramLog log =
      interpret(kTensor,
                manual("nx = pl.array.create(1, pl.TASK_ID)\nfor i, (c,) in pl.range(2, init_values=(tids,)):\n"
                       "    p, t = pl.submit(self.put, a)\n    d = pl.array.update_element(c, 0, t)\n"
                       "    e = pl.yield_(nx)\ng, u = pl.submit(self.get, a, deps=[tids])\n"
                       "h, v = pl.submit(self.get, a, deps=[e])\n",
                       "tids = pl.array.create(1, pl.TASK_ID)\n"),
                pipeline());
  ASSERT_EQ(log.error, "");
  EXPECT_EQ(log.submissions(), "put put get get");
  EXPECT_EQ(log.deps(2), "");
  EXPECT_EQ(log.deps(3), "");
}

}  // namespace
}  // namespace depscope::execute::testing
