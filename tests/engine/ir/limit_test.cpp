// Limits on what is read, each named in its message; deep nesting and odd bytes.
#include <gtest/gtest.h>

#include <chrono>

#include "ir_text.h"

namespace depscope::ir::testing {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// The only error of `text`, without its place.
std::string only_error(const std::string& text, const ReadLimits& limits = {}) {
  const std::vector<std::string> all = errors(text, limits);
  if (all.size() != 1) return std::to_string(all.size()) + " errors";
  return all[0].substr(all[0].find(": ") + 2);
}

TEST(Limits, FileSize) {
  ReadLimits limits;
  limits.max_file_bytes = 100;
  EXPECT_EQ(only_error(std::string(101, '\n'), limits), "larger than the file-size limit of 100 bytes");
  EXPECT_EQ(only_error(std::string(100, '\n'), limits), "no @pl.program class in this file");
}

TEST(Limits, Nodes) {
  ReadLimits limits;
  limits.max_nodes = 2000;
  EXPECT_EQ(only_error(orchestration("v = pl.foo(" + repeated("n, ", 3000) + ")"), limits), "more than the node limit of 2000");
  EXPECT_EQ(only_error(orchestration(repeated("v = n\n", 3000)), limits), "more than the node limit of 2000");
}

TEST(Limits, NestingIsNamed) {
  const std::string message = "nested deeper than the nesting limit of 200";
  EXPECT_EQ(only_error(orchestration("v = " + repeated("(", 300) + "n" + repeated(")", 300))), message);
  EXPECT_EQ(only_error(orchestration("v = n" + repeated(" + n", 300))), message);
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += std::string(static_cast<std::size_t>(i) * 4, ' ') + "if flag:\n";
  EXPECT_EQ(only_error(orchestration(blocks + std::string(1200, ' ') + "pass")), message);
  EXPECT_EQ(only_error(orchestration("if flag:\n    pass\n" + repeated("elif flag:\n    pass\n", 300))), message);
}

// The text ends at the bracket that is one too many: what stands behind it is not even split into tokens.
TEST(Limits, BracketsWithoutEndStopAtTheLimit) {
  for (const char* bracket : {"(", "[", "{", "f(", "([{"}) {
    const std::vector<std::string> alone = errors(repeated(bracket, 1'000'000));
    ASSERT_EQ(alone.size(), 1U) << bracket;
    EXPECT_EQ(alone[0].substr(alone[0].find(": ") + 2), "nested deeper than the nesting limit of 200");
    EXPECT_EQ(alone[0].substr(0, 2), "1:");
  }
  ReadLimits limits;
  limits.max_nesting = 10;
  EXPECT_EQ(only_error(repeated("(", 1000), limits), "nested deeper than the nesting limit of 10");
  EXPECT_EQ(errors(repeated("(", 1000), limits).at(0).substr(0, 5), "1:11:");
}

TEST(Limits, WhatIsBelowComesBack) {
  const auto comes_back = [](const std::string& body) {
    const ReadResult result = read(orchestration(body));
    ASSERT_TRUE(result.ok) << result.diagnostics.at(0).text();
    EXPECT_EQ(round_trip_fault(result), "");
  };
  comes_back("v = n" + repeated(" + n", 150));
  comes_back("v = " + repeated("-", 150) + "n");
  comes_back("v = " + repeated("(", 150) + "n" + repeated(")", 150));
  comes_back("v = " + repeated("pl.foo(", 90) + "n" + repeated(")", 90));
  comes_back("if flag:\n    pass\n" + repeated("elif flag:\n    pass\n", 150));
  std::string blocks;
  for (int i = 0; i < 150; ++i) blocks += std::string(static_cast<std::size_t>(i) * 4, ' ') + "if flag:\n";
  comes_back(blocks + std::string(600, ' ') + "pass");
}

// Ten thousand levels of everything that nests: an error with a place, quickly.
TEST(Limits, TenThousandLevels) {
  constexpr int kDeep = 10000;
  std::vector<std::string> bodies;
  const std::pair<const char*, const char*> around[] = {{"(", ")"},
                                                        {"[", "]"},
                                                        {"{\"a\": ", "}"},
                                                        {"pl.foo(", ")"},
                                                        {"pl.foo(k=", ")"},
                                                        {"x[", "]"},
                                                        {"x[0:", "]"},
                                                        {"-", ""},
                                                        {"~", ""},
                                                        {"not ", ""},
                                                        {"+", ""},
                                                        {"n ** ", ""},
                                                        {"n + (", ")"},
                                                        {"n < (", ")"},
                                                        {"n if flag else ", ""},
                                                        {"lambda: ", ""},
                                                        {"[i for i in ", "]"},
                                                        {"(w := ", ")"},
                                                        {"*", ""},
                                                        {"abs(", ")"},
                                                        {"pl.min(n, ", ")"},
                                                        {"pl.cast(", ", pl.INDEX)"},
                                                        {"pl.const(", ", pl.INT8)"},
                                                        {"await ", ""},
                                                        {"self.fill(", ", y)"}};
  for (const auto& [open, close] : around) bodies.push_back("v = " + repeated(open, kDeep) + "n" + repeated(close, kDeep));
  for (const char* chain : {" + n", " - n", " * n", " and n", " xor n", " < n", " ** n", "[0]", "()", ".a", ", n", " if n else n",
                            " for n in n", "[n:n]", " is n", "; v = n"}) {
    bodies.push_back("v = n" + repeated(chain, kDeep));
  }
  bodies.push_back("v: " + repeated("pl.Tuple[", kDeep) + "pl.Ptr" + repeated("]", kDeep) + " = n");
  bodies.push_back("v: " + repeated("pl.Shiny[", kDeep) + "pl.Ptr" + repeated("]", kDeep) + " = n");
  bodies.push_back("for " + repeated("(", kDeep) + "i" + repeated(",)", kDeep) + " in pl.range(4):\n    pass");
  bodies.push_back(repeated("(", kDeep) + "a" + repeated(",)", kDeep) + " = pl.foo()");
  bodies.push_back("if flag:\n    pass\n" + repeated("elif flag:\n    pass\n", kDeep));
  bodies.push_back(repeated("x = x[1:]\n", kDeep));
  bodies.push_back(repeated("d = d[1:]\n", kDeep));
  bodies.push_back(repeated("if flag: ", kDeep) + "pass");
  for (const char* header : {"if flag:", "for i in pl.range(4):", "while flag:", "with pl.scope():",
                             "with pl.at(level=pl.Level.CORE_GROUP):", "def f():", "class C:", "try:"}) {
    std::string blocks;
    for (std::size_t i = 0; i < 1000; ++i) blocks += std::string(i, ' ') + header + "\n";
    bodies.push_back(blocks + std::string(1000, ' ') + "pass");
  }
  for (const std::string& body : bodies) {
    const auto begin = std::chrono::steady_clock::now();
    const ReadResult result = read(orchestration(body));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 5.0) << body.substr(0, 60);
    if (result.ok) {
      EXPECT_EQ(round_trip_fault(result).substr(0, 2000), "") << body.substr(0, 60);
    } else {
      EXPECT_NE(result.diagnostics.at(0).line, 0U) << body.substr(0, 60);
    }
  }
}

// Module names that stand for one another must not multiply.
TEST(Limits, ExpansionOfModuleNames) {
  std::string lists = "import pypto.language as pl\na0 = [n, n]\n";
  std::string types = "import pypto.language as pl\na0 = pl.Tuple[pl.Ptr, pl.Ptr]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    lists += "a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
    types += "a" + std::to_string(i) + " = pl.Tuple[" + before + ", " + before + "]\n";
  }
  const std::string program = "@pl.program\nclass C:\n    @pl.function\n    def f(self, n: pl.Scalar[pl.INDEX]):\n";
  EXPECT_EQ(only_error(lists + program + "        v = pl.foo(a59)\n"),
            "module names stand for more than the expansion limit of 65536 nodes");
  EXPECT_EQ(only_error(types + program + "        v: a59 = n\n"),
            "module names stand for more than the expansion limit of 65536 nodes");
  EXPECT_EQ(only_error("a = [n, a]\n" + program + "        v = pl.foo(a)\n"), "'a' stands for itself");
  std::string numbers = "b0 = [1, 2]\n";
  for (int i = 1; i < 60; ++i)
    numbers += "b" + std::to_string(i) + " = [b" + std::to_string(i - 1) + ", b" + std::to_string(i - 1) + "]\n";
  EXPECT_TRUE(read(numbers + "@pl.program\nclass C:\n    pass\n").ok);
  // The depth of all of them together is limited as that of one expression.
  std::string deep = "import pypto.language as pl\nc0 = -n\n";
  for (int i = 1; i < 60; ++i) deep += "c" + std::to_string(i) + " = " + repeated("-", 150) + "c" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(only_error(deep + program + "        v = c59\n"), "nested deeper than the nesting limit of 200");
}

TEST(Limits, LongLines) {
  const std::string million(1U << 20U, 'a');
  for (const std::string& body :
       {"v = " + million, "v = '" + million + "'", "v = pl.foo(n, '" + million + "')", "v = " + std::string(1U << 20U, '9'),
        "# " + million + "\nv = n", "v = pl.foo(" + repeated("n, ", 300000) + ")",
        "v = pl.foo(" + repeated("lambda: 0, ", 90000) + ")", "v = 0." + std::string(1U << 20U, '1'),
        "v = n" + std::string(1U << 20U, ' ') + "+ m", "v = pl." + million + "(n)", "v = self." + million + "(n)",
        "v: pl." + million + " = n"}) {
    const auto begin = std::chrono::steady_clock::now();
    const ReadResult result = read(orchestration(body));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 10.0) << body.substr(0, 20);
    for (const Diagnostic& d : result.diagnostics) EXPECT_LT(d.text().size(), std::size_t{2} << 20U);
    if (result.ok) {
      EXPECT_EQ(round_trip_fault(result).substr(0, 2000), "") << body.substr(0, 20);
    }
  }
}

// Work grows with the text, not with its square.
TEST(Limits, ManyOfEverything) {
  std::string dims = "import pypto.language as pl\n";
  std::string params;
  std::string functions;
  std::string bare;
  for (int i = 0; i < 8000; ++i) {
    const std::string k = std::to_string(i);
    dims += "D" + k + " = pl.dynamic(\"D\")\n";
    params += ", p" + k + ": pl.Tensor[[D" + k + ", Q" + k + "], pl.FP32]";
    functions += "    @pl.function\n    def f" + k + "(self, a" + k + ": pl.Ptr):\n        b" + k + " = a" + k + "\n";
    bare += "@pl.function\ndef g" + k + "(a: pl.Ptr):\n    " + (i == 0 ? "pass" : "g" + std::to_string(i - 1) + "(a)") + "\n";
  }
  const std::string text = dims + bare + "@pl.program\nclass C:\n" + functions + "    @pl.function\n    def main(self" + params +
                           "):\n        g7999(p0)\n";
  const auto begin = std::chrono::steady_clock::now();
  const ReadResult result = read(text);
  ASSERT_TRUE(result.ok) << result.diagnostics.at(0).text();
  EXPECT_EQ(result.programs.at(0).functions.size(), 16001U);
  EXPECT_EQ(round_trip_fault(result).substr(0, 2000), "");
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20.0);
}

TEST(Limits, OddLineEndsAndBlanks) {
  const std::string plain = orchestration("if flag:\n    # note\n    v = pl.foo(n,\n  m)\n\n    w = 'a' \\\n   'b'\nu = n");
  std::string crlf;
  std::string tabs;
  for (const char c : plain) {
    if (c == '\n') crlf += '\r';
    crlf += c;
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain.compare(i, 8, "        ") == 0) {
      tabs += '\t';
      i += 7;
    } else {
      tabs += plain[i];
    }
  }
  const std::string printed = reprint(plain);
  EXPECT_EQ(reprint(crlf), printed);
  EXPECT_EQ(reprint(tabs), printed);
  EXPECT_EQ(reprint("\xEF\xBB\xBF" + plain), printed);
  EXPECT_EQ(reprint(plain + "   "), printed);
}

}  // namespace
}  // namespace depscope::ir::testing
