// The attribute dep_flags through the passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kPipeline{"InlineFunctions",
                                         "UnrollLoops",
                                         "ConvertToSSA",
                                         "Simplify",
                                         "NormalizeStmtStructure",
                                         "FlattenCallExpr",
                                         "DeriveCallDirections",
                                         "AutoDeriveTaskDependencies",
                                         "ExpandManualPhaseFence",
                                         "CollectCommGroups",
                                         "Simplify",
                                         "MaterializeRuntimeScopes",
                                         "ClassifyIterArgCarry"};

TEST(DependencyFlags, SurviveEveryPass) {
  const std::string body = R"(
    r, t = pl.submit(self.put, a, o)
    s, u = pl.submit(self.put, b, o)
    for i in pl.unroll(2):
        v, w = pl.submit(self.put, a, o, deps=[t, u], attrs={"before": 1, "dep_flags": ["wait", "retain"], "behind": 2})
  )";
  for (std::size_t count = 0; count <= kPipeline.size(); ++count) {
    const std::string printed = after({kPipeline.begin(), kPipeline.begin() + static_cast<std::ptrdiff_t>(count)}, body);
    const std::string pass = count == 0 ? "the reader" : kPipeline[count - 1];
    std::size_t sites = 0;
    for (std::size_t at = printed.find(R"("before": 1, "dep_flags": ["wait", "retain"], "behind": 2)"); at != std::string::npos;
         at = printed.find("\"dep_flags\"", at + 20)) {
      ++sites;
    }
    EXPECT_EQ(sites, count < 2 ? 1U : 2U) << pass << "\n" << printed;
  }
}

TEST(DependencyFlags, OfAnInlinedBodyToo) {
  const std::string printed = after({"InlineFunctions", "ConvertToSSA"}, R"(
    r, t = pl.submit(self.put, a, o)
    self.behind(a, o, t)
  )",
                                    R"(
    @pl.function(type=pl.FunctionType.Inline)
    def behind(self, x: pl.Tensor[[64], pl.FP32], y: pl.InOut[pl.Tensor[[64], pl.FP32]], t: pl.Scalar[pl.TASK_ID]):
        s, u = pl.submit(self.put, x, y, deps=[t], attrs={"dep_flags": ["none"]})
  )");
  EXPECT_THAT(printed, HasSubstr(R"("dep_flags": ["none"])"));
}

TEST(DependencyFlags, ABarrierIsWaitedForAndKept) {
  const std::string printed = after({"ConvertToSSA", "ExpandManualPhaseFence"}, R"(
    ts = pl.array.create(4, pl.TASK_ID)
    with pl.manual_scope():
        for i in pl.range(4):
            r, t = pl.submit(self.put, a, o, deps=[ts], attrs={"first": 1, "dep_flags": ["wait"]})
            s, u = pl.submit(self.put, b, o, deps=[t], attrs={"dep_flags": ["wait"]})
  )");
  EXPECT_THAT(printed, HasSubstr(R"(deps=[phase_fence_barrier_0_tid], attrs={"first": 1, "dep_flags": ["wait|retain"]})"));
  EXPECT_THAT(printed, HasSubstr(R"(attrs={"dep_flags": ["wait"]})"));
  EXPECT_THAT(printed, HasSubstr("pl.system.task_dummy(deps=[ts"));
  EXPECT_THAT(printed, Not(HasSubstr(R"("first": 1, "dep_flags": ["wait"])")));
}

}  // namespace
}  // namespace depscope::pass::testing
