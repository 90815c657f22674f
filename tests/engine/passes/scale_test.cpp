// Straight-line programs of thousands of launches must stay cheap: near linear in their length.
#include <gtest/gtest.h>

#include <chrono>

#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

double seconds_for(int launches) {
  std::string body;
  for (int i = 0; i < launches; ++i) {
    body += "o, t = pl.submit(self.row, a, " + std::to_string(i % 7) + ", o)\n";
    if (i % 50 == 0) body += "for i in pl.range(2):\n    o = self.mod(o)\n";
    if (i % 70 == 0) body += "if n > " + std::to_string(i) + ":\n    o = self.mod(o)\n";
  }
  body += "return o\n";
  const ir::Program program = read(program_text(body));
  const auto start = std::chrono::steady_clock::now();
  const ir::Program out = run(program, {"ConvertToSSA", "Simplify", "NormalizeStmtStructure", "FlattenCallExpr"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(out.find("main")->body.count, static_cast<std::uint32_t>(launches));
  return took.count();
}

TEST(Scale, StraightLineProgramsAreNearLinear) {
  const double small = seconds_for(2'000);
  const double large = seconds_for(20'000);
  RecordProperty("seconds_20000", std::to_string(large));
  // Ten times the input; thirty leaves room for a noisy machine and still catches a quadratic scan.
  EXPECT_LT(large, std::max(0.05, 30 * small));
  EXPECT_LT(large, 5.0);
}

}  // namespace
}  // namespace depscope::pass::testing
