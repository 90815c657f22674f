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
  EXPECT_THAT(missing.error, HasSubstr("'a'"));
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
  EXPECT_THAT(
      interpret(kTensor, two + "g, w = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"wait\"]})\n", setup).error,
      HasSubstr("dep_flags has 1 entries for 2 deps"));
  EXPECT_THAT(
      interpret(kTensor, two + "g, w = pl.submit(self.get, a, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"hold\"]})\n", setup)
          .error,
      HasSubstr("\"hold\""));
}

TEST(Dependencies, AnEdgeToABranchThatDidNotRunIsInvalid) {
  const std::string body = "if n > 5:\n    a = self.mod(a)\ng = self.get(a)\n";
  const ProgramLog log = interpret(kTwoTensors, body, pipeline(true));
  EXPECT_EQ(log.submissions(), "get");
  EXPECT_EQ(log.deps(0), "");
}

}  // namespace
}  // namespace depscope::execute::testing
