// The way from the argument that made a region fall back to what gave its storage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "decision_log.h"
#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"

namespace depscope::pass::testing {
namespace {

using ::testing::ElementsAre;

constexpr const char* kKernels = R"(import pypto.language as pl


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def new(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        r = pl.create_tensor([64], dtype=pl.FP32)
        return r

    @pl.function(type=pl.FunctionType.InCore)
    def quiet(self, i: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        t = pl.create_tensor([64], dtype=pl.FP32)
        return t

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX], k0: pl.Scalar[pl.BOOL]) -> pl.Tensor[[64], pl.FP32]:
)";
constexpr std::uint32_t kFirstLine = 26;  // of the body

/// "+2 'x' is a copy of 'y'" for every step of the only region's trail: lines count from the first of the body.
std::vector<std::string> trail_of(const std::string& body) {
  std::ostringstream text;
  text << kKernels;
  std::istringstream lines(body);
  std::string line;
  while (std::getline(lines, line)) text << "        " << line << "\n";
  text << "        return a\n";
  ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("test.py", text.str()));
  for (const Diagnostic& d : read.diagnostics) ADD_FAILURE() << d.text();
  ir::Program program = read.programs.at(0);
  DecisionLog log;
  for (const char* name : {"ConvertToSSA", "DeriveCallDirections", "AutoDeriveTaskDependencies"})
    program = make_pass(name)->run(program, {true, Profile::Seed}, log);
  EXPECT_EQ(log.regions.size(), 1U);
  std::vector<std::string> out;
  for (const LineageStep& step : log.regions.at(0).lineage) {
    out.push_back((step.line == 0 ? std::string() : std::to_string(static_cast<int>(step.line - kFirstLine)) + " ") + step.what);
  }
  return out;
}

TEST(LineageTrail, OfAParameter) {
  EXPECT_THAT(trail_of("self.get(a)\np = self.put(a)"), ElementsAre("1 argument 'a' of put", "-1 'a' is a parameter"));
}

TEST(LineageTrail, ThroughCopiesViewsAndTasks) {
  EXPECT_THAT(trail_of("w = pl.create_tensor([64], dtype=pl.FP32)\np = self.put(w)\nq = p\nr = pl.slice(q, [64], [0])\n"
                       "self.get(r)\nself.put(r)"),
              ElementsAre("5 argument 'r' of put", "3 'r' is a slice of 'q'", "2 'q' is a copy of 'p'",
                          "1 'p' is result 0 of 'put', its parameter 'o', given 'w'", "0 'w' is a created tensor"));
  EXPECT_THAT(trail_of("p, t = pl.submit(self.put, a)\nw = pl.assemble(p, b, [0])\nself.get(w)\nself.put(w)"),
              ElementsAre("3 argument 'w' of put", "1 'w' is 'p' after an assemble",
                          "0 'p' is result 0 of 'put', its parameter 'o', given 'a'", "-1 'a' is a parameter"));
}

TEST(LineageTrail, EndsWhereStorageIsNotKnown) {
  EXPECT_THAT(trail_of("q = pl.reshape(a, [64])\nself.get(q)"),
              ElementsAre("1 argument 'q' of get", "0 'q' is the result of tensor.reshape, whose storage is not followed"));
  EXPECT_THAT(trail_of("q = self.new(a)\nself.get(q)"),
              ElementsAre("1 argument 'q' of get", "0 'q' is result 0 of 'new', a tensor that the kernel makes itself"));
  EXPECT_THAT(trail_of("z = pl.create_tensor([64], dtype=pl.INT32)\nq = pl.tensor.gather(a, dim=0, index=z)\nself.get(q)"),
              ElementsAre("2 argument 'q' of get",
                          "1 'q' is the result of tensor.gather: which elements it touches shows only when it runs"));
}

/// A kernel that returns no parameter: its results count as its written arguments.
TEST(LineageTrail, AWrittenArgumentThatIsNotReturned) {
  EXPECT_THAT(trail_of("q = self.quiet(a, b)\nself.get(q)\nself.put(q)"),
              ElementsAre("2 argument 'q' of put", "0 'q' is result 0 of 'quiet', its parameter 'o', given 'b'",
                          "-1 'b' is a parameter"));
}

TEST(LineageTrail, GoesOnWithTheValueThatHasNoPlace) {
  EXPECT_THAT(trail_of("q = pl.reshape(a, [64])\nif k0:\n    s = q\nelse:\n    s = b\nself.get(s)"),
              ElementsAre("5 argument 's' of get", "1 's' is 's' of one branch or 's' of the other", "2 's' is a copy of 'q'",
                          "0 'q' is the result of tensor.reshape, whose storage is not followed"));
  EXPECT_THAT(trail_of("q = pl.reshape(a, [64])\nif k0:\n    s = b\nelse:\n    s = q\nself.get(s)"),
              ElementsAre("5 argument 's' of get", "1 's' is 's' of one branch or 's' of the other", "4 's' is a copy of 'q'",
                          "0 'q' is the result of tensor.reshape, whose storage is not followed"));
}

TEST(LineageTrail, ThroughLoops) {
  EXPECT_THAT(trail_of("for i in pl.range(n):\n    a = self.put(a)\nself.get(a)"),
              ElementsAre("2 argument 'a' of get", "0 'a' is left by the loop: 'a' from before it or 'a' of its last iteration",
                          "1 'a' is result 0 of 'put', its parameter 'o', given 'a'",
                          "0 'a' is carried by the loop, at first 'a' from before it", "-1 'a' is a parameter"));
  EXPECT_THAT(trail_of("q = pl.reshape(a, [64])\nwhile k0:\n    b = q\n    k0 = False\nself.get(b)"),
              ElementsAre("4 argument 'b' of get", "1 'b' is left by the loop: 'b' from before it or 'b' of its last iteration",
                          "2 'b' is a copy of 'q'", "0 'q' is the result of tensor.reshape, whose storage is not followed"));
}

TEST(LineageTrail, IsCutOffSomewhere) {
  std::string body = "v0 = pl.reshape(a, [64])\n";
  for (int i = 0; i < 100; ++i) body += "v" + std::to_string(i + 1) + " = v" + std::to_string(i) + "\n";
  const std::vector<std::string> trail = trail_of(body + "self.get(v100)");
  ASSERT_EQ(trail.size(), 33U);
  EXPECT_EQ(trail.front(), "101 argument 'v100' of get");
  EXPECT_EQ(trail.back(), "and further back");
}

}  // namespace
}  // namespace depscope::pass::testing
