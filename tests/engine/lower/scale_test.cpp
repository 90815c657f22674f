// Programs of thousands of launches must stay cheap to lower: near linear in their length and their edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "lowered.h"

namespace depscope::lower::testing {
namespace {

std::string body_of(int launches) {
  std::string body = "tids = pl.array.create(16, pl.TASK_ID)\n";
  for (int i = 0; i < launches; ++i) {
    const std::string k = std::to_string(i);
    body += "p" + k + ", t" + k + " = pl.submit(self.put, a" +
            (i < 2 ? "" : ", deps=[t" + std::to_string(i - 1) + ", t" + std::to_string(i - 2) + "]") + ")\n";
    if (i % 50 == 0) body += "tids[" + std::to_string(i % 16) + "] = t" + k + "\nfor i in pl.range(2):\n    b = self.mod(b)\n";
    if (i % 70 == 0) body += "g, u = pl.submit(self.get, a, deps=[tids])\nif n > " + k + ":\n    c = self.mod(c)\n";
    if (i % 90 == 0) body += "l" + k + " = pl.create_tensor([128], dtype=pl.FP32)\n";
  }
  return body;
}

/// Processor time of the lowering alone, the best of three runs.
double seconds_for(int launches) {
  const Lowered program = lower_case(body_of(launches), Frame::Default, {});
  double best = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::clock_t start = std::clock();
    const Plan plan = lower_program(program.program, {kUpstream, ""});
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_GT(plan.tasks.size(), static_cast<std::uint32_t>(launches));
    EXPECT_GT(plan.deps.size(), 2 * static_cast<std::uint32_t>(launches) - 10);
  }
  return best;
}

TEST(Scale, LoweringIsNearLinear) {
  const double small = seconds_for(500);
  const double large = seconds_for(5'000);
  std::printf("500 launches in %.2f ms, 5000 in %.2f ms\n", 1e3 * small, 1e3 * large);
  // Ten times the input; a quadratic scan would take a hundred times as long.
  EXPECT_LT(large, std::max(0.5, 40 * small));
}

/// An array stands for all its slots in one row, whatever its extent.
TEST(Scale, WideArraysCostOneRowPerUse) {
  std::string body = "tids = pl.array.create(1000000, pl.TASK_ID)\n";
  for (int i = 0; i < 500; ++i) body += "g, u = pl.submit(self.get, a, deps=[tids])\n";
  const Lowered plan = lower_case(body, Frame::Default, {});
  EXPECT_EQ(plan.plan.deps.size(), 500U);
  EXPECT_EQ(plan.plan.tasks.capacity.at(0), 1'000'000);
}

/// Loops of any trip count: counts are numbers, not work.
TEST(Scale, HugeTripCountsAreOnlyNumbers) {
  const Lowered plan = lower_case(
      "for i in pl.range(4000000000):\n    for j in pl.range(4000000000):\n        a = self.mod(a)\nfor k in "
      "pl.range(4000000000):\n    g = "
      "self.get(a)\n",
      Frame::Default, {.analyze = true, .profile = kSeed});
  EXPECT_LT(plan.plan.ops.size(), 100U);
}

/// A chain of merges as long as the program, inside a loop that carries its end.
TEST(Scale, LongChainsOfMerges) {
  std::string body = "t = None\nfor i in pl.range(2):\n";
  for (int i = 0; i < 20'000; ++i) body += "    if k0:\n        p, t = pl.submit(self.put, a, deps=[t])\n";
  const Lowered plan = lower_case(body, Frame::Manual, {});
  EXPECT_EQ(plan.kernels().size(), 20'000U);
}

TEST(Scale, DeepNestsOfScopesAndLoops) {
  std::string body;
  std::string indent;
  for (int depth = 0; depth < 60; ++depth) {
    body += indent + "for i" + std::to_string(depth) + " in pl.range(2):\n";
    indent += "    ";
    body += indent + "a = self.mod(a)\n";
  }
  const Lowered plan = lower_case(body + "g = self.get(a)\n", Frame::Default, {.analyze = true});
  EXPECT_EQ(plan.kernels().size(), 61U);
}

}  // namespace
}  // namespace depscope::lower::testing
