// Values in orchestration bodies: scalars, missing data, and views of tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <fstream>

#include "program_log.h"

namespace depscope::execute::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTensorAndScalars = "a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]";

ProgramSetup with_args(std::vector<std::pair<std::string, std::string>> args) {
  ProgramSetup setup;
  setup.input.args = std::move(args);
  return setup;
}

/// Tasks that `for i in range(EXPRESSION)` submits, -1 for an error.
std::pair<long, std::string> trips(const std::string& expression, const std::string& n, const std::string& m = "1") {
  ProgramSetup setup = with_args({{"n", n}, {"m", m}});
  setup.passes = {"ConvertToSSA"};  // what Simplify folds is not under test
  const ProgramLog log = interpret(kTensorAndScalars, "for i in pl.range(0, " + expression + "):\n    self.mod(a)\n", setup);
  return {log.error.empty() ? static_cast<long>(log.tasks.size()) : -1, log.error};
}

TEST(ScalarValues, ArithmeticIsThatOfTheLanguage) {
  struct Case {
    const char* expression;
    const char* n;
    const char* m;
    long value;
  };
  for (const Case& c : std::vector<Case>{{"n // m + 5", "-7", "2", 1},
                                         {"n % m", "-7", "4", 1},
                                         {"n // m", "7", "-2", 0},
                                         {"n % m + 5", "7", "-4", 4},
                                         {"n * 2 - m", "3", "1", 5},
                                         {"n ** m", "2", "3", 8},
                                         {"(0 - 1) ** n", "4611686018427387904", "0", 1},
                                         {"n << m", "1", "3", 8},
                                         {"n >> m", "-1", "3", 0},
                                         {"n & m", "6", "3", 2},
                                         {"n | m", "4", "1", 5},
                                         {"n ^ m", "5", "1", 4},
                                         {"pl.min(n, m)", "5", "2", 2},
                                         {"pl.max(n, m)", "5", "2", 5}}) {
    const auto [count, error] = trips(c.expression, c.n, c.m);
    EXPECT_EQ(count, c.value) << c.expression << " of " << c.n << ", " << c.m << " " << error;
  }
}

TEST(ScalarValues, OverflowAndDivisionByZeroAreErrorsWithTheirPlace) {
  const std::string most = "9223372036854775807";
  for (const auto& [expression, n, m] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"n + m", most, "1"},
                                                                      {"0 - n - m", most, "2"},
                                                                      {"n * m", most, "2"},
                                                                      {"n ** m", "10", "20"},
                                                                      {"n << m", "3", "62"},
                                                                      {"n << m", "1", "70"},
                                                                      {"-n", "-9223372036854775808", "1"},
                                                                      {"n // m", "-9223372036854775808", "-1"}}) {
    const auto [count, error] = trips(expression, n, m);
    EXPECT_EQ(count, -1) << expression;
    EXPECT_THAT(error, StartsWith("t.py:24:")) << expression;
    EXPECT_THAT(error, HasSubstr("64 bits")) << expression;
  }
  EXPECT_THAT(trips("n // m", "1", "0").second, HasSubstr("division by zero"));
  EXPECT_THAT(trips("n % m", "1", "0").second, HasSubstr("division by zero"));
  EXPECT_EQ(trips("n % m", "-9223372036854775808", "-1").first, 0);
}

TEST(ScalarValues, AndOrEvaluateTheRightSideOnlyWhereItDecides) {
  const std::string body =
      "if n > 0 and 10 // n > 2:\n    self.mod(a)\nif n == 0 or 10 // n > 2:\n    self.mod(a)\nif not (n > 0):\n    "
      "self.mod(a)\n";
  EXPECT_EQ(interpret(kTensorAndScalars, body, with_args({{"n", "0"}})).submissions(), "mod mod");
  EXPECT_EQ(interpret(kTensorAndScalars, body, with_args({{"n", "3"}})).submissions(), "mod mod");
  // A missing right side is not needed either.
  EXPECT_EQ(interpret(kTensorAndScalars, "if n > 0 and m > 0:\n    self.mod(a)\n", with_args({{"n", "0"}})).error, "");
}

TEST(ScalarValues, LoopBoundsAtTheEndsOfTheRange) {
  ProgramSetup setup = with_args({{"n", "9223372036854775807"}, {"m", "-9223372036854775808"}});
  EXPECT_EQ(interpret(kTensorAndScalars, "for i in pl.range(m, n, n):\n    self.mod(a)\n", setup).submissions(), "mod mod mod");
  EXPECT_EQ(interpret(kTensorAndScalars, "for i in pl.range(n, m, m):\n    self.mod(a)\n", setup).submissions(), "mod mod");
  EXPECT_EQ(interpret(kTensorAndScalars, "for i in pl.range(4, 0, -2):\n    self.mod(a)\n", setup).submissions(), "mod mod");
  EXPECT_EQ(interpret(kTensorAndScalars, "for i in pl.range(4, 4):\n    self.mod(a)\n", setup).submissions(), "");
  EXPECT_THAT(interpret(kTensorAndScalars, "for i in pl.range(0, 4, n):\n    self.mod(a)\n", with_args({{"n", "0"}})).error,
              HasSubstr("step of this loop is 0"));
}

// ---------------------------------------------------------------- needs_data

TEST(NeedsData, SaysWhatForWhereAndHowToGiveIt) {
  for (const auto& [body, what] : std::vector<std::pair<std::string, std::string>>{
           {"for i in pl.range(0, n):\n    self.mod(a)\n", "the end of this loop"},
           {"for i in pl.range(n, 4):\n    self.mod(a)\n", "the start of this loop"},
           {"if n > 2:\n    self.mod(a)\n", "this condition"},
           {"w = pl.slice(a, [16], [n])\nself.get(a)\n", "the offset of this slice"},
           {"w = pl.slice(a, [n], [0])\nself.get(a)\n", "the shape of this slice"}}) {
    const ProgramLog log = interpret(kTensorAndScalars, body);
    EXPECT_THAT(log.error, StartsWith("t.py:24:")) << body;
    EXPECT_THAT(log.error, HasSubstr("needs_data: " + what + " depends on 'n': give its value with --arg n=VALUE"));
    EXPECT_EQ(interpret(kTensorAndScalars, body, with_args({{"n", "3"}})).error, "");
  }
}

TEST(NeedsData, ValuesThatNothingNeedsAreNotAskedFor) {
  EXPECT_EQ(interpret(kTensorAndScalars, "k = n + 1\nself.mod(a)\n").error, "");
}

TEST(NeedsData, DynamicDimensions) {
  const std::string text = R"(import pypto.language as pl

ROWS = pl.dynamic("ROWS")


@pl.program
class Prog:
    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[ROWS, 8], pl.FP32]) -> pl.Tensor[[ROWS, 8], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[ROWS, 8], pl.FP32]):
        for i in pl.range(0, pl.tensor.dim(x, 0)):
            self.get(x)
)";
  const ProgramLog none = interpret_text(text);
  EXPECT_THAT(none.error, HasSubstr("the shape of 'x' depends on 'ROWS': give its value with --arg ROWS=VALUE"));
  const ProgramLog given = interpret_text(text, with_args({{"ROWS", "3"}}));
  EXPECT_EQ(given.error, "");
  EXPECT_EQ(given.submissions(), "get get get");
  EXPECT_EQ(given.arguments(0), "INPUT x[3,8]+0");
  EXPECT_THAT(interpret_text(text, with_args({{"ROWS", "many"}})).error, HasSubstr("--arg ROWS=many: an integer was expected"));
  EXPECT_THAT(interpret_text(text, with_args({{"ROWS", "-1"}})).error, HasSubstr("extent -1"));
}

constexpr const char* kReads = "a: pl.Tensor[[64], pl.FP32], lens: pl.Tensor[[2, 2], pl.INT32]";
constexpr const char* kReadBody = "for i in pl.range(0, pl.tensor.read(lens, [1, 0])):\n    self.mod(a)\n";

ProgramSetup with_data(const std::string& name, const std::string& text) {
  ProgramSetup setup;
  setup.input.data = {{name, text}};
  return setup;
}

TEST(NeedsData, ContentsOfTensors) {
  const ProgramLog none = interpret(kReads, kReadBody);
  EXPECT_THAT(none.error, StartsWith("t.py:24:"));
  EXPECT_THAT(none.error, HasSubstr("the end of this loop depends on the contents of 'lens': give them with --data lens=[…]"));
  EXPECT_EQ(interpret(kReads, kReadBody, with_data("lens", "[[1, 2], [3, 4]]")).submissions(), "mod mod mod");
  EXPECT_EQ(interpret(kReads, kReadBody, with_data("lens", "[0, 0, 2, 0]")).submissions(), "mod mod");
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", "[1, 2]")).error,
              HasSubstr("--data lens has 2 elements, element 2 is read"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", "[1, 2, 1e300, 3]")).error, HasSubstr("64 bits"));
}

TEST(NeedsData, ReadsSeeWhatTheOrchestrationWrote) {
  const std::string body = std::string("pl.tensor.write(lens, [1, 0], 1)\n") + kReadBody;
  EXPECT_EQ(interpret(kReads, body, with_data("lens", "[1, 2, 3, 4]")).submissions(), "mod");
}

TEST(NeedsData, FilesOfData) {
  std::string pattern = (std::filesystem::temp_directory_path() / "depscope-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const std::string array = write("array.json", "[0, 0, 1, 0]");
  const std::string object = write("object.json", R"({"lens": [0, 0, 2, 0], "other": []})");
  EXPECT_EQ(interpret(kReads, kReadBody, with_data("lens", array)).submissions(), "mod");
  EXPECT_EQ(interpret(kReads, kReadBody, with_data("lens", object)).submissions(), "mod mod");
  EXPECT_EQ(interpret(kReads, kReadBody, with_data("", object)).submissions(), "mod mod");
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("", array)).error, HasSubstr("an object of arrays by name was expected"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("rows", object)).error, HasSubstr("has no member 'rows'"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", write("bad.json", "[1, 2"))).error, HasSubstr("is not JSON"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", (folder / "none.json").string())).error, HasSubstr("none.json"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", "[1, 2")).error, HasSubstr("is not JSON"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", R"([1, "two"])")).error, HasSubstr("a number was expected"));
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", std::string(100000, '[') + std::string(100000, ']'))).error,
              HasSubstr("nested arrays"));
  // Brackets inside texts do not nest; what is too deep is refused before it is parsed.
  EXPECT_THAT(interpret(kReads, kReadBody, with_data("lens", write("deep.json", std::string(1'000'000, '[')))).error,
              HasSubstr("deep.json has more than 32 nested arrays"));
  EXPECT_EQ(interpret(kReads, kReadBody,
                      with_data("", write("text.json", "{\"" + std::string(100, '[') + "\": [], \"lens\": [0, 0, 1, 0]}")))
                .submissions(),
            "mod");
  std::filesystem::remove_all(folder);
}

TEST(Arguments, UnknownAndUnusableValues) {
  const std::string body = "self.mod(a)\n";
  EXPECT_THAT(interpret(kTensorAndScalars, body, with_args({{"k", "1"}})).error,
              HasSubstr("--arg k: function 'main' has no such scalar parameter or dimension"));
  EXPECT_THAT(interpret(kTensorAndScalars, body, with_args({{"a", "1"}})).error, HasSubstr("--arg a: function 'main'"));
  EXPECT_THAT(interpret(kTensorAndScalars, body, with_args({{"n", "much"}})).error,
              HasSubstr("--arg n=much: a number was expected"));
  EXPECT_THAT(interpret(kTensorAndScalars, "for i in pl.range(0, n):\n    self.mod(a)\n", with_args({{"n", "1.5"}})).error,
              HasSubstr("the end of this loop is not an integer"));
}

// ---------------------------------------------------------------- views

/// Arguments of the only task of a body that makes a view `w` of x[8, 16] and reads it.
std::string view(const std::string& expression, const std::string& type) {
  ProgramSetup setup;
  setup.passes = {"ConvertToSSA"};
  setup.functions =
      "    @pl.function(type=pl.FunctionType.AIV)\n    def see(self, w: " + type + ") -> " + type + ":\n        return w\n\n";
  const ProgramLog log = interpret("x: pl.Tensor[[8, 16], pl.FP32]", expression + "\nself.see(w)\n", setup);
  return log.error.empty() ? log.arguments(0) : log.error;
}

TEST(Views, SliceReshapeTransposeReinterpret) {
  EXPECT_EQ(view("w = pl.slice(x, [2, 4], [3, 8])", "pl.Tensor[[2, 4], pl.FP32]"), "INPUT x[2,4]+56/16,1");
  EXPECT_EQ(view("v = pl.slice(x, [4, 16], [4, 0])\nw = pl.slice(v, [1, 8], [1, 8])", "pl.Tensor[[1, 8], pl.FP32]"),
            "INPUT x[1,8]+88/16,1");
  EXPECT_EQ(view("w = pl.tensor.slice(x, [1, 16], [5, 0], [1, 16], [0])", "pl.Tensor[[16], pl.FP32]"), "INPUT x[16]+80");
  EXPECT_EQ(view("w = pl.reshape(x, [4, 32])", "pl.Tensor[[4, 32], pl.FP32]"), "INPUT x[4,32]+0");
  EXPECT_EQ(view("w = pl.transpose(x, 0, 1)", "pl.Tensor[[16, 8], pl.FP32]"), "INPUT x[16,8]+0/1,16");
}

TEST(Views, WrongOnesAreErrors) {
  EXPECT_THAT(view("w = pl.tensor.slice(x, [2, 4], [0 - 1, 0])", "pl.Tensor[[2, 4], pl.FP32]"),
              HasSubstr("begins 16 elements before its buffer"));
  EXPECT_THAT(view("w = pl.tensor.slice(x, [4], [0])", "pl.Tensor[[4], pl.FP32]"), HasSubstr("of a tensor of rank 2"));
  EXPECT_THAT(view("w = pl.tensor.transpose(x, 0, 2)", "pl.Tensor[[16, 8], pl.FP32]"), HasSubstr("no such dimension"));
  EXPECT_THAT(view("w = pl.tensor.slice(x)", "pl.Tensor[[8, 16], pl.FP32]"), HasSubstr("'tensor.slice' has 1 of the 3 operands"));
}

TEST(Views, OperationsWithoutTheirOperandsAreErrors) {
  for (const char* statement : {"b = pl.tensor.slice()", "b = pl.create_tensor()", "b = pl.tensor.dim()", "pl.tensor.write()",
                                "b = pl.tensor.read(a)", "b = pl.tensor.assemble()", "b = pl.tensor.reshape(a)",
                                "b = pl.tensor.reinterpret_view()", "b = pl.tensor.set_validshape()", "b = pl.array.create()",
                                "b = pl.array.get_element()", "b = pl.system.task_is_valid()", "b = pl.array.update_element()"}) {
    EXPECT_THAT(interpret("a: pl.Tensor[[64], pl.FP32]", std::string(statement) + "\nself.get(a)\n").error, HasSubstr("operands"))
        << statement;
  }
}

/// runtime.md 3.7: what a kernel wrote is read only when it is there; a write waits for the readers, too.
TEST(Data, TheOrchestratorWaitsForWhatItReadsAndWrites) {
  std::string contents = "[2";
  for (int i = 1; i < 64; ++i) contents += ",0";
  ProgramSetup setup;
  setup.input.data = {{"a", contents + "]"}};
  const std::string kParameters = "a: pl.InOut[pl.Tensor[[64], pl.FP32]], b: pl.Out[pl.Tensor[[64], pl.FP32]]";
  const auto position = [](const ProgramLog& log, runtime::EventKind kind, std::uint32_t subject) {
    const auto at = std::find_if(log.events.begin(), log.events.end(),
                                 [&](const runtime::Event& e) { return e.kind == kind && e.subject == subject; });
    return at - log.events.begin();
  };
  const ProgramLog read = interpret(kParameters, "a = self.mod(a)\nx = pl.tensor.read(a, [0])\nb = self.put(b)\n", setup);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.tasks.size(), 2U);
  EXPECT_LT(position(read, runtime::EventKind::Complete, 0), position(read, runtime::EventKind::Submit, 1));

  const ProgramLog write =
      interpret(kParameters, "self.get(a)\nb = self.copy(a, b)\npl.tensor.write(a, [0], 1.0)\nb = self.put(b)\n", setup);
  EXPECT_EQ(write.error, "");
  ASSERT_EQ(write.tasks.size(), 3U);
  // Nobody has written `a`: the runtime knows of no reader that is in the way (it keeps no record of readers).
  EXPECT_GT(position(write, runtime::EventKind::Complete, 1), position(write, runtime::EventKind::Submit, 2));
}

/// A predicate that does not hold retires its task without a core; contents that nobody gave are taken to hold.
TEST(Data, PredicatesAreJudgedByTheContentsGiven) {
  const auto cores = [](const std::string& contents) {
    ProgramSetup setup;
    if (!contents.empty()) setup.input.data = {{"n", contents}};
    const ProgramLog log = interpret("a: pl.InOut[pl.Tensor[[64], pl.FP32]], n: pl.Tensor[[2], pl.INT32]",
                                     "a, t = pl.submit(self.mod, a, predicate=(pl.tensor.read(n, [1]) > 0))\n", setup);
    EXPECT_EQ(log.error, "");
    return std::count_if(log.events.begin(), log.events.end(),
                         [](const runtime::Event& e) { return e.kind == runtime::EventKind::Place; });
  };
  EXPECT_EQ(cores("[0,1]"), 1);
  EXPECT_EQ(cores("[1,0]"), 0);
  EXPECT_EQ(cores(""), 1);
}

}  // namespace
}  // namespace depscope::execute::testing
