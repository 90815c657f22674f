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

/// Kernels and an orchestration function `main` with this body.
std::string program_with(const std::string& body) {
  const std::string t = "pl.Tensor[[64], pl.FP32]";
  std::string text = "import pypto.language as pl\n\n\n@pl.program\nclass Refused:\n";
  text +=
      "    @pl.function(type=pl.FunctionType.AIV)\n    def mod(self, a: pl.InOut[" + t + "]) -> " + t + ":\n        return a\n\n";
  text += "    @pl.function(type=pl.FunctionType.AIV)\n    def get(self, x: " + t + ") -> " + t + ":\n        return x\n\n";
  text += "    @pl.function(type=pl.FunctionType.AIV)\n    def copy(self, x: " + t + ", y: pl.Out[" + t + "]) -> " + t +
          ":\n        return y\n\n";
  text += "    @pl.function(type=pl.FunctionType.AIV)\n    def odd(self, x: pl.Out[" + t + "], y: pl.Out[" + t + "]) -> " + t +
          ":\n        z = pl.tile.full([64], dtype=pl.FP32, value=1.0)\n        return z\n\n";
  text += "    @pl.function(type=pl.FunctionType.Orchestration)\n    def main(self, a: " + t + ", b: " + t +
          ", n: pl.Scalar[pl.INDEX]):\n";
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    text += "        " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

// Everything that passes.md 9.2 to 9.5 refuses is a finding of `run` and of `explain`, an error with its line.
TEST_F(SubmissionPlan, WhatTheGeneratorRefusesIsAFindingOfRunAndExplain) {
  struct Refused {
    const char* name;
    const char* body;
    const char* kind;
    const char* reason;
    int line;
    bool analyze = false;
  };
  const Refused cases[] = {
      {"closed scope", "for i in pl.range(4):\n    p, t = pl.submit(self.mod, a)\ng, u = pl.submit(self.get, a, deps=[t])",
       "user_edge_lost", "producer id lives in a scope already closed", 27},
      {"merged by an if",
       "if n > 2:\n    p, t = pl.submit(self.mod, a)\nelse:\n    p, t = pl.submit(self.mod, b)\n"
       "g, u = pl.submit(self.get, a, deps=[t])",
       "user_edge_lost", "producer id lives in a scope already closed", 29},
      {"carried outside a MANUAL scope", "t = None\nfor i in pl.range(3):\n    a, t = pl.submit(self.mod, a, deps=[t])",
       "user_edge_lost", "a loop-carried id has no binding outside a MANUAL scope", 27},
      {"slot of a closed array",
       "with pl.manual_scope():\n    ids = pl.array.create(2, pl.TASK_ID)\n    p, t = pl.submit(self.mod, a)\n    ids[0] = t\n"
       "g, u = pl.submit(self.get, a, deps=[ids[0]])",
       "user_edge_lost", "a slot of an array", 29},
      {"left out though no output", "x, t = pl.submit(self.mod)", "codegen_abort", "missing argument is no output", 25},
      {"result of no parameter", "x = self.odd(a, b)", "codegen_abort", "result without a parameter", 25},
      {"operation on tensors", "x = pl.add(a, b)\ny = self.get(x)", "codegen_abort", "operation without an orchestration form",
       25},
      {"name base", "for i, (x,) in pl.range(4, init_values=(a,)):\n    z = self.mod(x)\n    y = pl.yield_(z)\ng = self.get(y)",
       "codegen_abort", "name base", 25, true},
      {"trip counts", "for i in pl.range(2):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)",
       "codegen_abort", "nested loops with different trip counts", 25, true},
      {"inner result", "for i in pl.range(3):\n    for j in pl.range(3):\n        a = self.mod(a)\ng = self.get(a)",
       "codegen_abort", "the ids of an inner loop are named outside its block", 28, true},
  };
  for (const Refused& c : cases) {
    const std::string path = write("refused.py", program_with(c.body));
    for (const char* command : {"explain", "run"}) {
      std::vector<const char*> arguments{command, path.c_str(), "--profile", "upstream-2026-08"};
      if (c.analyze) arguments.push_back("--analyze-auto-scopes");
      if (std::string_view(command) == "run") arguments.insert(arguments.end(), {"--arg", "n=3"});
      bool found = false;
      std::string said;
      for (const json& f : findings(arguments, c.kind)) {
        said += f.dump() + "\n";
        found = found || (f.value("reason", "") == c.reason && f["line"] == c.line && f["severity"] == "error");
      }
      EXPECT_TRUE(found) << c.name << ", " << command << ": " << said;
    }
  }
}

TEST_F(SubmissionPlan, APlainCallThatLeavesAnArgumentOutIsNoProgram) {
  const std::string path = write("short.py", program_with("x = self.copy(a)"));
  for (const char* command : {"explain", "run"}) {
    const Outcome o = run({command, path.c_str()});
    EXPECT_EQ(o.status, kBadInput) << command;
    EXPECT_THAT(o.err, HasSubstr("short.py:25:13: 'copy' has 2 parameters, 1 argument is passed"));
  }
}

TEST_F(SubmissionPlan, ARunTimeTripCountThatCarriesIdsIsRefusedByThePass) {
  const std::string path = write(
      "carry.py", program_with("t = None\nwith pl.manual_scope():\n    for i in pl.parallel(0, n):\n"
                               "        p, t = pl.submit(self.mod, a, deps=[t])\n    g, u = pl.submit(self.get, a, deps=[t])"));
  const Outcome o = run({"run", path.c_str(), "--arg", "n=3"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("carry.py:27:"));
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
