#include "ir_text.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace depscope::ir::testing {
namespace {

const std::string kModule =
    "import pypto.language as pl\n"
    "ROWS = pl.dynamic(\"ROWS\")\n"
    "@pl.program\n"
    "class Test:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def fill(self, x: pl.Tensor[[64, 32], pl.FP32], out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], "
    "pl.FP32]:\n"
    "        return out\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def merge(self, a: pl.Tensor[[64, 32], pl.FP32], b: pl.InOut[pl.Tensor[[64, 32], pl.FP32]], out: pl.Out[pl.Tensor[[64, "
    "32], pl.FP32]]) -> "
    "tuple[pl.Tensor[[64, 32], pl.FP32], pl.Tensor[[64, 32], pl.FP32]]:\n"
    "        return b, out\n"
    "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
    "    def main(self, n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INT32], f: pl.Scalar[pl.FP32], flag: "
    "pl.Scalar[pl.BOOL], "
    "x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[64, 32], pl.FP32]], d: pl.Tensor[[ROWS, 32], pl.FP32]):\n";

std::string spelled(std::string_view token) {
  if (token.size() >= 2 && (token.front() == '"' || token.front() == '\''))
    return '"' + std::string(token.substr(1, token.size() - 2)) + '"';
  if (std::isdigit(static_cast<unsigned char>(token.front())) != 0 && token.find_first_of(".e") != std::string_view::npos) {
    std::ostringstream out;
    out.precision(17);
    out << std::strtod(std::string(token).c_str(), nullptr);
    return out.str();
  }
  return std::string(token);
}

struct Word {
  std::string text;
  std::size_t line = 0;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::vector<Word> words(std::string_view text) {
  struct Bracket {
    bool call = false;
    int commas = 0;
  };
  std::vector<Word> out;
  std::vector<Bracket> open;
  std::size_t line = 1;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    std::size_t end = i + 1;
    if (c == '\n') {
      ++line;
    } else if (c == '#') {
      while (end < text.size() && text[end] != '\n') ++end;
    } else if (c == '"' || c == '\'') {
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      ++end;
      out.push_back({spelled(text.substr(i, end - i)), line});
    } else if (is_word(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      while (end < text.size() &&
             (is_word(text[end]) ||
              (number && (text[end] == '.' || ((text[end] == '+' || text[end] == '-') && text[end - 1] == 'e')))))
        ++end;
      out.push_back({spelled(text.substr(i, end - i)), line});
    } else if (c != ' ') {
      if (c == '(' || c == '[' || c == '{') {
        const std::string before = out.empty() ? "" : out.back().text;
        const bool call = c != '(' || before == ")" || before == "]" ||
                          (!before.empty() && is_word(before.back()) && before != "in" && before != "return" && before != "for");
        open.push_back({call, 0});
      } else if (c == ',' && !open.empty()) {
        ++open.back().commas;
      } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
        // A comma before a closing bracket is layout, except in a one-element tuple.
        if (!out.empty() && out.back().text == "," && (open.back().call || open.back().commas > 1)) out.pop_back();
        open.pop_back();
      }
      out.push_back({std::string(1, c), line});
    }
    i = end;
  }
  // A formatter drops the parentheses of a multi-name loop target.
  std::vector<Word> kept;
  for (std::size_t k = 0; k < out.size(); ++k) {
    kept.push_back(out[k]);
    if (out[k].text != "for" || k + 1 >= out.size() || out[k + 1].text != "(") continue;
    std::size_t close = k + 2;
    while (close < out.size() && out[close].text != ")") ++close;
    if (close - k <= 4) continue;
    for (std::size_t j = k + 2; j < close; ++j) kept.push_back(out[j]);
    k = close;
  }
  return kept;
}

}  // namespace

const std::uint32_t kBodyLine = 13;

ReadResult read(std::string_view text, const ReadLimits& limits) {
  return read_text(std::make_shared<const SourceFile>("test.py", std::string(text)), limits);
}

Program read_one(std::string_view text) {
  ReadResult result = read(text);
  for (const Diagnostic& d : result.diagnostics) EXPECT_NE(d.severity, Severity::Error) << d.text();
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.programs.size(), 1U);
  if (!result.ok || result.programs.empty()) return read("@pl.program\nclass Failed:\n    pass\n").programs.at(0);
  return result.programs[0];
}

std::string reprint(std::string_view text) { return print_program(read_one(text)); }

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string data_path(const std::string& name) { return std::string(DEPSCOPE_TEST_DATA) + "/" + name; }

std::string orchestration(std::string_view body) {
  std::string out = kModule;
  std::size_t begin = 0;
  while (begin <= body.size()) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    out += "        " + std::string(body.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string printed_body(std::string_view body) {
  const std::string text = reprint(orchestration(body));
  const std::size_t def = text.find("    def main(");
  if (def == std::string::npos) return text;
  std::string out;
  std::size_t begin = text.find('\n', def) + 1;
  while (text.compare(begin, 8, "        ") == 0) {
    const std::size_t end = text.find('\n', begin);
    if (!out.empty()) out += '\n';
    out += text.substr(begin + 8, end - begin - 8);
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> errors(std::string_view text, const ReadLimits& limits) {
  std::vector<std::string> out;
  const ReadResult result = read(text, limits);
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity == Severity::Error) out.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message);
  }
  EXPECT_EQ(result.ok, out.empty());
  return out;
}

std::string token_difference(std::string_view expected, std::string_view actual) {
  const std::vector<Word> a = words(expected);
  const std::vector<Word> b = words(actual);
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i].text == b[i].text) ++i;
  if (i == a.size() && i == b.size()) return {};
  std::string out = "line " + std::to_string(i < a.size() ? a[i].line : a.empty() ? 0 : a.back().line) + ": expected";
  for (std::size_t k = i < 6 ? 0 : i - 6; k < a.size() && k < i + 6; ++k) out += " " + a[k].text;
  out += " | got";
  for (std::size_t k = i < 6 ? 0 : i - 6; k < b.size() && k < i + 6; ++k) out += " " + b[k].text;
  return out;
}

std::string round_trip_fault(const ReadResult& result) {
  for (const Program& program : result.programs) {
    const std::string printed = print_program(program);
    const ReadResult again = read(printed);
    if (!again.ok) {
      for (const Diagnostic& d : again.diagnostics) {
        if (d.severity == Severity::Error) return "the print does not read: " + d.text() + "\n" + printed;
      }
    }
    if (again.programs.size() != 1) return "the print holds " + std::to_string(again.programs.size()) + " programs\n" + printed;
    const std::string second = print_program(again.programs[0]);
    if (second != printed)
      return "printing twice differs: " + token_difference(printed, second) + "\n" + printed + "\n----\n" + second;
    const std::string difference = first_difference(program, again.programs[0]);
    if (!difference.empty()) return difference + "\n" + printed;
  }
  return {};
}

}  // namespace depscope::ir::testing
