// What the submission plan adds to `explain` and `run`, and `run --print-plan`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kNegative = std::string(DEPSCOPE_TEST_DATA) + "/negative/";

constexpr const char* kLost = R"(import pypto.language as pl


@pl.program
class Lost:
    @pl.function(type=pl.FunctionType.AIV)
    def fill(self, x: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.AIV)
    def copy(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Out[pl.Tensor[[64], pl.FP32]], y: pl.Out[pl.Tensor[[64], pl.FP32]]):
        y = self.copy(x, y)
        for i in pl.range(4):
            piece, t = pl.submit(self.fill, x)
        y, u = pl.submit(self.copy, x, y, deps=[t])
        y, v = pl.submit(self.copy, y, x, deps=[t])

    @pl.function(type=pl.FunctionType.Orchestration)
    def other(self, x: pl.Out[pl.Tensor[[64], pl.FP32]]):
        x = self.fill(x)
)";

class SubmissionPlan : public TemporaryFolder {
 protected:
  static std::vector<json> findings(std::vector<const char*> arguments, const std::string& kind) {
    arguments.push_back("--json");
    const Outcome o = run(std::move(arguments));
    EXPECT_EQ(o.status, kDone) << o.err;
    std::vector<json> out;
    const json object = json::parse(o.out);
    for (const json& f : object["findings"]) {
      if (f["kind"] == kind) out.push_back(f);
    }
    return out;
  }
};

TEST_F(SubmissionPlan, ExplainSaysWhereTheGeneratorStops) {
  const std::string expression = kNegative + "03_expression_argument.py";
  for (const char* command : {"explain", "run"}) {
    const auto aborts = findings({command, expression.c_str()}, "codegen_abort");
    ASSERT_EQ(aborts.size(), 1U) << command;
    EXPECT_EQ(aborts[0]["severity"], "error");
    EXPECT_EQ(aborts[0]["file"], "03_expression_argument.py");
    EXPECT_EQ(aborts[0]["line"], 25);
    EXPECT_EQ(aborts[0]["column"], 17);
    EXPECT_EQ(aborts[0]["argument_index"], 0);
    EXPECT_EQ(aborts[0]["call"]["callee"], "fill");
  }
  EXPECT_THAT(run({"explain", expression.c_str()}).out, HasSubstr("codegen_abort"));

  const std::string gather = kNegative + "10_gather_dynamic_access.py";
  const auto aborts = findings({"explain", gather.c_str(), "--analyze-auto-scopes"}, "codegen_abort");
  ASSERT_EQ(aborts.size(), 1U);
  EXPECT_EQ(aborts[0]["line"], 35);
  EXPECT_EQ(aborts[0]["column"], 22);
  EXPECT_EQ(aborts[0]["what"], "tensor.gather");
  const auto fallbacks = findings({"explain", gather.c_str(), "--analyze-auto-scopes"}, "fallback");
  ASSERT_FALSE(fallbacks.empty());
  EXPECT_TRUE(std::any_of(fallbacks.begin(), fallbacks.end(),
                          [](const json& f) { return f["reason"] == "unresolved_storage.dynamic_access"; }));
}

TEST_F(SubmissionPlan, EveryLostUserEdgeIsSaidOnce) {
  const std::string path = write("lost.py", kLost);
  for (const char* command : {"explain", "run"}) {
    const auto lost = findings({command, path.c_str()}, "user_edge_lost");
    ASSERT_EQ(lost.size(), 2U) << command;
    EXPECT_EQ(lost[0]["consumer"]["callee"], "copy");
    EXPECT_EQ(lost[0]["consumer"]["occurrence"], 1);
    EXPECT_EQ(lost[1]["consumer"]["occurrence"], 2);
    EXPECT_EQ(lost[0]["dep"], "t");
    EXPECT_EQ(lost[0]["pass"], "codegen");
    EXPECT_EQ(lost[0]["line"], 19);
    EXPECT_EQ(lost[1]["line"], 20);
    EXPECT_EQ(lost[0]["producer_line"], 18);
    EXPECT_EQ(lost[0]["function"], "main");
  }
  // The run still stops where the generator refuses.
  const json run_object = json::parse(run({"run", path.c_str(), "--json"}).out);
  EXPECT_EQ(run_object["submissions"].size(), 5U);
}

TEST_F(SubmissionPlan, AHandGivenListOfPassesHasNoPlan) {
  const std::string path = write("lost.py", kLost);
  EXPECT_TRUE(findings({"explain", path.c_str(), "--stop-after", "MaterializeRuntimeScopes"}, "user_edge_lost").empty());
  EXPECT_TRUE(findings({"explain", path.c_str(), "--passes", "ConvertToSSA,DeriveCallDirections"}, "user_edge_lost").empty());
  EXPECT_EQ(findings({"explain", path.c_str(), "--stop-after", "ClassifyIterArgCarry"}, "user_edge_lost").size(), 2U);
  const Outcome o = run({"run", path.c_str(), "--print-plan", "--stop-after", "Simplify"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("ClassifyIterArgCarry"));
}

TEST_F(SubmissionPlan, PrintPlanPrintsTheEntryAndRunsNothing) {
  const std::string path = write("lost.py", kLost);
  const Outcome o = run({"run", path.c_str(), "--print-plan"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("# plan of main\nscope_begin AUTO\n  args task 0: copy\n"),
                           HasSubstr("# user_edge_lost at 19:16: "), Not(HasSubstr("Tasks"))));
  EXPECT_EQ(run({"run", path.c_str(), "--print-plan"}).out, o.out);
  EXPECT_THAT(run({"run", path.c_str(), "--print-plan", "--entry", "other"}).out,
              AllOf(StartsWith("# plan of other\n"), HasSubstr("args task 0: fill\n"), Not(HasSubstr("user_edge_lost"))));

  const Outcome unknown = run({"run", path.c_str(), "--print-plan", "--entry", "none"});
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("--entry none: no such function (Orchestration functions: main, other)"));
  EXPECT_EQ(run({"run", path.c_str(), "--print-plan", "--print-ir"}).status, kBadInput);
  const std::string trace = write("x.trace.json", "{}");
  EXPECT_EQ(run({"run", trace.c_str(), "--print-plan"}).status, kBadInput);
}

TEST_F(SubmissionPlan, AProgramWithoutOrchestrationHasNoPlan) {
  std::string text = kLost;
  text = text.substr(0, text.find("    @pl.function(type=pl.FunctionType.Orchestration)"));
  const std::string path = write("kernels.py", text);
  const Outcome o = run({"run", path.c_str(), "--print-plan"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_EQ(o.out, "# the program has no Orchestration function\n");
}

}  // namespace
}  // namespace depscope::app
