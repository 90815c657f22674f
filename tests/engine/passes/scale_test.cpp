// Straight-line programs of thousands of launches must stay cheap: near linear in their length.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "depscope/ir/text.h"
#include "pass_test.h"

namespace depscope::pass::testing {
namespace {

ir::Program program_of(int launches) {
  std::string body;
  for (int i = 0; i < launches; ++i) {
    body += "o, t = pl.submit(self.row, a, " + std::to_string(i % 7) + ", o)\n";
    if (i % 50 == 0) body += "for i in pl.range(2):\n    o = self.mod(o)\n";
    if (i % 70 == 0) body += "if n > " + std::to_string(i) + ":\n    o = self.mod(o)\n";
  }
  return read(program_text(body + "return o\n"));
}

/// Processor time of the front passes, the best of three runs.
double seconds_for(int launches) {
  double best = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const ir::Program program = program_of(launches);
    const std::clock_t start = std::clock();
    const ir::Program out = run(program, {"ConvertToSSA", "Simplify", "NormalizeStmtStructure", "FlattenCallExpr"});
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_GT(out.find("main")->body.count, static_cast<std::uint32_t>(launches));
  }
  return best;
}

TEST(Scale, StraightLineProgramsAreNearLinear) {
  const double small = seconds_for(2'000);
  const double large = seconds_for(20'000);
  // Ten times the input; a quadratic scan would take a hundred times as long.
  EXPECT_LT(large, std::max(0.5, 40 * small));
}

}  // namespace
}  // namespace depscope::pass::testing
