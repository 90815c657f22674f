// `depscope explain --why`: how calls are named, and what is said of a name that fits none or several.
#include <gmock/gmock.h>

#include "why_situation.h"

namespace depscope::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class WhyNames : public WhyTest {
 protected:
  void SetUp() override {
    WhyTest::SetUp();
    const WhyProgramText program =
        why_program("a, t = pl.submit(self.put, a)\na, u = pl.submit(self.mod, a)\ng, v = pl.submit(self.get, a)\nself.get(a)",
                    /*in_scope=*/true);
    line_ = program.first_line;
    path_ = write("q.py", program.text + R"(
    @pl.function(type=pl.FunctionType.Orchestration)
    def other(self, a: pl.Tensor[[64], pl.FP32]):
        z = self.put(a)
)");
  }
  [[nodiscard]] Outcome why(std::vector<std::string> names) const {
    std::vector<std::string> arguments{"explain", path_, "--analyze-auto-scopes", "--why"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    return app::run(pointers);
  }
  [[nodiscard]] std::string at(int line) const { return std::to_string(line_ + line); }

  std::string path_;
  int line_ = 0;
};

TEST_F(WhyNames, OneCallHasManyNames) {
  const std::string expected = why({"t", "v"}).out;
  ASSERT_THAT(expected, HasSubstr("question  put (main:0, line " + at(0) + ") -> get (main:2, line " + at(2) + ")\n"));
  for (const std::string& first : {std::string("t__ssa_v0"), std::string("main:0"), at(0), "line:" + at(0)}) {
    for (const std::string& second : {std::string("g"), std::string("g__ssa_v0"), std::string("main:2"), at(2)})
      EXPECT_EQ(why({first, second}).out, expected) << first << ' ' << second;
  }
  EXPECT_EQ(why({"main:1", "v"}).out, why({"mod", "v"}).out);
}

TEST_F(WhyNames, AnswersEitherWay) {
  EXPECT_THAT(why({"v", "t"}).out, AllOf(HasSubstr("-> get (main:2, line " + at(2) +
                                                   ")\n          asked the other way round: edges lead from earlier calls"),
                                         HasSubstr("answer    an edge: compiler_edge\n")));
}

TEST_F(WhyNames, SeveralCallsAreListed) {
  const Outcome variable = why({"a", "v"});
  EXPECT_EQ(variable.status, kBadInput);
  EXPECT_EQ(variable.err, "depscope: error: --why a: 2 calls could be meant: main:0 put (line " + at(0) + "), main:1 mod (line " +
                              at(1) + "); say FUNCTION:CALL or a name of one of them\n");
  EXPECT_EQ(variable.out, "");
  const Outcome kernel = why({"get", "v"});
  EXPECT_THAT(kernel.err, HasSubstr("--why get: 2 calls could be meant: main:2 get"));
  // A function narrows the choice.
  EXPECT_THAT(why({"put", "v"}).err, AllOf(HasSubstr("main:0 put"), HasSubstr("other:0 put")));
  EXPECT_EQ(why({"put", "v", "--function", "main"}).out, why({"t", "v"}).out);
}

TEST_F(WhyNames, WhatIsNotThere) {
  for (const auto& [name, message] :
       std::vector<std::pair<std::string, std::string>>{{"nobody", "--why nobody: nothing has that name (calls: main:0 put"},
                                                        {"main:9", "--why main:9: there is no such call (calls: main:0 put"},
                                                        {"main:x", "--why main:x: a number was expected behind the colon"},
                                                        {"line:3", "--why line:3: no call stands there (calls: main:0 put"},
                                                        {"", "--why: a name is empty"}}) {
    const Outcome outcome = why({name, "v"});
    EXPECT_EQ(outcome.status, kBadInput) << name;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(why({"t"}).status, kBadInput);
  EXPECT_EQ(why({"t", "v", "--why", "t", "v"}).status, kBadInput);
  EXPECT_EQ(why({"t", "v", "--call", "0"}).status, kBadInput);
}

TEST_F(WhyNames, OtherFunctions) {
  const Outcome outcome = why({"t", "z"});
  EXPECT_EQ(outcome.status, kDone);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("no edge: different_functions"), HasSubstr("rule      passes.md 5.1")));
}

// A recording answers as the run that made it.
TEST_F(WhyNames, RecordingsAnswerToo) {
  const std::string file = (folder_ / "q.depscope").string();
  ASSERT_EQ(app::run({"run", path_.c_str(), "--analyze-auto-scopes", "-o", file.c_str()}).status, kDone);
  EXPECT_EQ(app::run({"explain", file.c_str(), "--why", "t", "v"}).out, why({"t", "v"}).out);
  EXPECT_EQ(app::run({"explain", file.c_str(), "--why", "t", "v", "--json"}).out, why({"t", "v", "--json"}).out);
}

TEST_F(WhyNames, ATraceHasNoCalls) {
  const Outcome outcome = app::run({"explain", DEPSCOPE_SAMPLES "/traces/diamond.trace.json", "--why", "a", "b"});
  EXPECT_EQ(outcome.status, kBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("--why a: nothing has that name (calls: none)"));
}

}  // namespace
}  // namespace depscope::app
