// Wrong programs: each gives its message at its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

using ::testing::ElementsAre;

struct Wrong {
  const char* body;     ///< of main; its first line is line 13, column 9
  const char* message;  ///< "LINE:COL: text"
};

class WrongBody : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongBody, IsReportedAtItsPlace) {
  EXPECT_THAT(errors(orchestration(GetParam().body)), ElementsAre(GetParam().message)) << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, WrongBody,
    ::testing::Values(
        Wrong{"v = q", "13:13: name 'q' is not defined"},                                                                 //
        Wrong{"self.fill(x, y, attrs={\"compiler_manual_dep_edges\": [q]})", "13:62: name 'q' is not defined"},           //
        Wrong{"v = n +", "13:16: an expression was expected, found the end of the line"},                                 //
        Wrong{"v = n m", "13:15: the end of the statement was expected, found 'm'"},                                      //
        Wrong{"v = self.fil(x, y)", "13:13: no function 'fil' in the program (did you mean 'fill'?)"},                    //
        Wrong{"v = self.something(x, y)", "13:13: no function 'something' in the program"},                               //
        Wrong{"v = helper(x)", "13:13: no function 'helper' in the program"},                                             //
        Wrong{"r = pl.submit(self.fil, x, y)", "13:23: no function 'fil' in the program (did you mean 'fill'?)"},         //
        Wrong{"y = self.fill(x, y, deps=[])", "13:13: deps= needs pl.submit: a plain call has no dependency list"},       //
        Wrong{"y = self.fill(x, y, core_num=2)", "13:13: 'core_num=' is not a keyword of a plain call (use pl.submit)"},  //
        Wrong{"y = self.fill(x)", "13:13: 'fill' has 2 parameters, 1 argument is passed"},                                //
        Wrong{"r = pl.submit(self.fill, x, y, y)", "13:13: 'fill' has 2 parameters, 3 arguments are passed"},             //
        Wrong{"r = pl.submit(self.fill, x, y, deps=[n])",
              "13:46: an entry of deps= must be a task id or an array of task ids"},                            //
        Wrong{"r = pl.submit(self.fill, x, y, later=1)", "13:13: 'later=' is not a keyword of a task launch"},  //
        Wrong{"r = pl.spmd_submit(self.fill, x, y)", "13:13: pl.spmd_submit needs core_num="},                  //
        Wrong{"r = pl.submit(self.fill, x, y, predicate=False)",
              "13:13: a predicate is one comparison, such as (pl.tensor.read(t, [0]) > 0)"},                      //
        Wrong{"a, b = pl.submit(self.merge, x, y, y)", "13:9: 2 names for 3 results of 'merge'"},                 //
        Wrong{"a, b = self.fill(x, y)", "13:9: 2 names for 1 results of 'fill'"},                                 //
        Wrong{"a, = self.fill(x, y)", "13:9: the result of 'fill' is no tuple"},                                  //
        Wrong{"a, = pl.tensor.add(x, y)", "13:9: the result of 'tensor.add' is no tuple"},                        //
        Wrong{"a, b = pl.tensor.add(x, y)", "13:9: 2 names for 1 results of 'tensor.add'"},                       //
        Wrong{"a, b = n", "13:16: only the results of a call can be assigned to several names"},                  //
        Wrong{"v = n, m", "13:13: a tuple of values cannot be assigned to one name"},                             //
        Wrong{"v = x[1, 2, 3]", "13:13: more indices than the tensor has dimensions (2)"},                        //
        Wrong{"v = n[1:2]", "13:15: only tensors can be sliced"},                                                 //
        Wrong{"v = x[::2]", "13:15: a slice step is not part of the language"},                                   //
        Wrong{"v = x % y", "13:13: this operator does not work on tensors"},                                      //
        Wrong{"v = 1 // 0", "13:13: division by zero"},                                                           //
        Wrong{"v = 18446744073709551616", "13:13: integer does not fit in 64 bits"},                              //
        Wrong{"v = -9223372036854775809", "13:13: integer does not fit in 64 bits"},                              //
        Wrong{"v = - -9223372036854775808", "13:13: integer does not fit in 64 bits"},                            //
        Wrong{"v = 0xZZ", "13:13: '0xZZ' is not an integer"},                                                     //
        Wrong{"v = lambda: 1", "13:13: lambda is not part of the language"},                                      //
        Wrong{"v = n if flag else m", "13:13: a conditional expression is not part of the language"},             //
        Wrong{"v = (w := n)", "13:14: ':=' is not part of the language"},                                         //
        Wrong{"v = 0 <= n < m", "13:13: a chained comparison is not part of the language"},                       //
        Wrong{"v = n in m", "13:13: 'in' / 'is' is not part of the language"},                                    //
        Wrong{"v = pl.foo(*x)", "13:20: a starred expression is not part of the language"},                       //
        Wrong{"v = {1, 2}", "13:13: a set literal is not part of the language"},                                  //
        Wrong{"v = [i for i in x]", "13:13: a comprehension is allowed only in deps=[…]"},                        //
        Wrong{"v = f'a'", "13:13: an f-string is allowed only in pl.static_print"},                               //
        Wrong{"v = 'a' f'b'", "13:13: an f-string is allowed only in pl.static_print"},                           //
        Wrong{"v += 1", "13:11: an augmented assignment is not part of the language"},                            //
        Wrong{"v = w = n", "13:15: a chained assignment is not part of the language"},                            //
        Wrong{"v: pl.Ptr", "13:9: a value was expected: a declaration without one is not part of the language"},  //
        Wrong{"v: n = 1", "13:12: 'n' is not a type"},                                                            //
        Wrong{"v: pl.Scalar[pl.FP32, pl.FP32] = 1", "13:12: pl.Scalar takes one element type"},                   //
        Wrong{"v: pl.Tensor[[4]] = x", "13:12: a shape and an element type were expected"},                       //
        Wrong{"n + m", "13:9: this expression has no effect: a call was expected"},                               //
        Wrong{"x.y = n", "13:9: an attribute cannot be assigned"},                                                //
        Wrong{"import os", "13:9: an import inside a function is not part of the language"},                      //
        Wrong{"def g():\n    pass", "13:9: a nested 'def' or 'class' is not part of the language"},               //
        Wrong{"del n", "13:9: this statement is not part of the language"},                                       //
        Wrong{"try:\n    pass\nexcept E:\n    pass", "13:9: this statement is not part of the language"},         //
        Wrong{"for i in n:\n    pass", "13:18: an iterator such as pl.range(4) was expected"},                    //
        Wrong{
            "for i in pl.rang(4):\n    pass",
            "13:18: 'pl.rang' is not an iterator of the language (pl.range, pl.parallel, pl.unroll, pl.pipeline, pl.while_)"},  //
        Wrong{"for i in pl.range():\n    pass", "13:18: pl.range takes one to three bounds"},                                   //
        Wrong{"for i in pl.range(4, by=2):\n    pass", "13:30: 'by=' is not a keyword of pl.range"},                            //
        Wrong{"for i, (a, b) in pl.range(4, init_values=(n,)):\n    pass", "13:13: 2 carried names for 1 init_values"},         //
        Wrong{"for i, (a,) in pl.range(4, init_values=(n,)):\n    p, q = pl.yield_(a, a)",
              "13:9: the loop carries 1 values and yields 2"},                                                            //
        Wrong{"for i in pl.range(4):\n    pass\nelse:\n    pass", "15:9: 'else' of a loop is not part of the language"},  //
        Wrong{"for (a,) in pl.while_(init_values=(n,)):\n    pass",
              "14:13: pl.cond(…) was expected as the first line of the body"},                          //
        Wrong{"pl.cond(flag)", "13:9: pl.cond is allowed only as the first line of a pl.while_ body"},  //
        Wrong{"if flag:\n    a = pl.yield_(n)\nelse:\n    b = pl.yield_(m)",
              "13:9: both branches must yield to the same names in the same order"},                                    //
        Wrong{"a = pl.yield_(n)", "13:9: pl.yield_ with targets must be the last statement of a loop or of a branch"},  //
        Wrong{"a, b = pl.yield_(n)", "13:9: 2 names for 1 yielded values"},                                             //
        Wrong{"with pl.manual_scope():\n    with pl.manual_scope():\n        pass",
              "14:13: MANUAL scope inside a MANUAL scope: user scopes of this mode do not nest"},     //
        Wrong{"with open(n) as g:\n    pass", "13:14: 'open' is not a scope of the language"},        //
        Wrong{"with pl.scope() as g:\n    pass", "13:9: a runtime scope binds no name"},              //
        Wrong{"with pl.scope(), pl.scope():\n    pass", "13:9: one item was expected after 'with'"},  //
        Wrong{"v = n\npl.func_attr({\"a\": 1})",
              "14:9: pl.func_attr is allowed only before the first statement of a function"},  //
        Wrong{"pl.func_attr(3)", "13:22: a dict such as {\"key\": value} was expected"},       //
        Wrong{"if flag:\nv = n", "14:9: an indented block was expected, found 'v'"},           //
        Wrong{"v = $", "13:13: an expression was expected, found '$'"},                        //
        Wrong{"else:\n    pass", "13:9: 'else' without its opening statement"}));

/// A module with these lines in class C, the first on line 4.
std::string class_body(const std::string& text) { return "import pypto.language as pl\n@pl.program\nclass C:\n" + text; }

TEST(Errors, Functions) {
  const auto function = [](const std::string& text) { return errors(class_body("    @pl.function\n" + text)); };
  EXPECT_THAT(function("    def f(self, a):\n        pass\n"), ElementsAre("5:17: parameter 'a' has no type annotation"));
  EXPECT_THAT(function("    def f(self, a: pl.Ptr, a: pl.Ptr):\n        pass\n"),
              ElementsAre("5:28: two parameters are named 'a'"));
  EXPECT_THAT(function("    def f(self, a: pl.Ptr = 3):\n        pass\n"),
              ElementsAre("5:17: a parameter has no default and no '*'"));
  EXPECT_THAT(function("    def f(self, if: pl.Ptr):\n        pass\n"),
              ElementsAre("5:17: a parameter name was expected, found 'if'"));
  EXPECT_THAT(function("    def ...(self):\n        pass\n"), ElementsAre("5:9: a function name was expected, found '...'"));
  EXPECT_THAT(function("    def for(self):\n        pass\n"), ElementsAre("5:9: a function name was expected, found 'for'"));
  EXPECT_THAT(function("    def f(self, a: pl.Tuple[pl.Out[pl.Ptr]]):\n        pass\n"),
              ElementsAre("5:29: pl.Out is allowed only around a whole parameter annotation"));
  EXPECT_THAT(function("    def f(self):\n        pass\n    @pl.function\n    def f(self):\n        pass\n"),
              ElementsAre("8:5: function 'f' is defined twice"));
  EXPECT_THAT(errors(class_body("    @pl.function(type=pl.FunctionType.Nice)\n    def f(self):\n        pass\n")),
              ElementsAre("4:23: 'Nice' is not a function type"));
  EXPECT_THAT(errors(class_body("    @pl.function(kind=1)\n    def f(self):\n        pass\n")),
              ElementsAre("4:18: 'kind=' is not a keyword of pl.function"));
  EXPECT_THAT(errors(class_body("    @pl.function(1)\n    def f(self):\n        pass\n")),
              ElementsAre("4:18: pl.function takes keyword arguments only"));
  EXPECT_THAT(errors(class_body("    def f(self):\n        pass\n    print(1)\n")),
              ElementsAre("6:5: a function was expected in the program class"));
}

TEST(Errors, Modules) {
  EXPECT_THAT(errors(""), ElementsAre("1:1: no @pl.program class in this file"));
  EXPECT_THAT(errors("x = 1\n"), ElementsAre("1:1: no @pl.program class in this file"));
  EXPECT_THAT(
      errors("@pl.jit\ndef f(a: pl.Tensor):\n    pass\n"),
      ElementsAre("2:1: not_modelled: @pl.jit functions are specialised while they run; open the passes_dump directory of "
                  "such a run instead"));
  EXPECT_THAT(errors("@pl.program\nclass ...:\n    pass\n"), ElementsAre("2:7: a class name was expected, found '...'"));
  EXPECT_THAT(errors("@pl.program\nx = 1\n"), ElementsAre("2:1: 'def' or 'class' was expected after a decorator, found 'x'"));
  EXPECT_THAT(errors("N = pl.dynamic(\"not one\")\n@pl.program\nclass C:\n    pass\n"),
              ElementsAre("1:16: the name of a dynamic dimension must be an identifier"));
  EXPECT_THAT(errors("N = pl.dynamic(\"else\")\n@pl.program\nclass C:\n    pass\n"),
              ElementsAre("1:16: the name of a dynamic dimension must be an identifier"));
  EXPECT_THAT(errors("  x = 1\n@pl.program\nclass C:\n    pass\n"), ElementsAre("1:3: unexpected indentation"));
}

TEST(Errors, OrdinaryPythonAroundAProgramIsNone) {
  EXPECT_THAT(errors("import os, sys\nfrom typing import (\n    Any,  # anything\n)\nX = {k: v for k, v in "
                     "os.environ.items()}\nY = [*X, lambda: 0]\ntry:\n    Z = 1\nexcept OSError:\n    "
                     "Z = 2\nfinally:\n    pass\nasync def main():\n    await go()\nclass Other(dict, metaclass=type):\n    a: "
                     "int = 3\n\n    def f(self, *a, b=1, **c):\n        yield 1\n"
                     "X += 1\nA = B = X\nfor a, *b in X:\n    pass\nelse:\n    pass\nmatch X:\n    case 1:\n        pass\nmatch "
                     "= X[match:]\nM = A @ B if A not in B else 0 <= A < B\n"
                     "W = [f(x, y) for x, y in z if x is not None for y in x], {a, {b}}, {a: 1, **b}, (i for i in (1, 2)), "
                     "lambda *a, b=(1, 2): (a, b), 1j\n"
                     "with (open(a) as b, open(c)):\n    pass\nassert (n := 3) in M\n"
                     "@pl.program\nclass C:\n    pass\nif __name__ == \"__main__\":\n    assert main() in Y, f\"{X}\"\n"),
              ElementsAre());
}

TEST(Errors, SeveralInOneRunInTheirOrder) {
  EXPECT_THAT(errors(orchestration("v = q\nw = n\nfor i in pl.range(r):\n    pass\nif flag:\n    u = s\nx = self.fil(x, y)")),
              ElementsAre("13:13: name 'q' is not defined", "15:27: name 'r' is not defined", "18:17: name 's' is not defined",
                          "19:13: no function 'fil' in the program (did you mean 'fill'?)"));
}

TEST(Errors, AreLimitedInNumber) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += "v = q\n";
  EXPECT_EQ(errors(orchestration(body)).size(), 20U);
  ReadLimits limits;
  limits.max_diagnostics = 3;
  EXPECT_EQ(errors(orchestration(body), limits).size(), 3U);
  EXPECT_EQ(errors(std::string(200, '=') + "\n" + body, limits).size(), 1U);
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "=\n";
  EXPECT_EQ(errors(lines).size(), 20U);
}

TEST(Errors, OfTheCasebook) {
  for (const char* name : {"93-bracket-never-closed", "94-unknown-kernel", "95-auto-inside-manual", "96-deps-on-plain-call"}) {
    SCOPED_TRACE(name);
    const std::string folder = data_path("book/" + std::string(name));
    const nlohmann::json wanted = nlohmann::json::parse(file_text(folder + "/expect.json")).at("must").at(0);
    try {
      (void)read_file(folder + "/input.py");
      FAIL() << "no error";
    } catch (const InputError& error) {
      ASSERT_EQ(error.diagnostics().size(), 1U);
      const Diagnostic& d = error.diagnostics()[0];
      EXPECT_EQ(d.file, folder + "/input.py");
      EXPECT_EQ(d.line, wanted.at("line").get<std::uint32_t>());
      EXPECT_EQ(d.column, wanted.at("column").get<std::uint32_t>());
    }
  }
}

TEST(Errors, ShowTheirLine) {
  const ReadResult result = read(orchestration("v = q"));
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].text(), "test.py:13:13: name 'q' is not defined\n          v = q\n              ^");
}

// What a message quotes stays valid text of a sensible length.
TEST(Errors, MessagesAreText) {
  const std::string e(60, '\xc3');
  std::string word;
  for (int i = 0; i < 60; ++i) word += "é";
  for (const std::string& d : errors(orchestration("v = n " + word))) {
    EXPECT_EQ(d.substr(0, d.find("é")), "13:15: the end of the statement was expected, found '");
    EXPECT_NO_THROW((void)nlohmann::json(d).dump());
  }
  for (const std::string& d : errors(orchestration("v = n \x01")))
    EXPECT_EQ(d, "13:15: the end of the statement was expected, found '?'");
}

}  // namespace
}  // namespace depscope::ir::testing
