#include "pass_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "depscope/ir/text.h"

namespace depscope::pass::testing {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string unindented(std::vector<std::string> lines) {
  std::size_t indent = std::string::npos;
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) indent = std::min(indent, first);
  }
  std::string out;
  for (const std::string& line : lines) {
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    out += line.substr(indent);
    out += '\n';
  }
  return out;
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  for (const std::string& line : lines_of(testing::text(text))) out.append(by).append(line).append("\n");
  return out;
}

/// "x: T = e" to "x = e".
std::string without_annotation(const std::string& line) {
  const std::size_t colon = line.find(": ");
  const std::size_t equals = line.find(" = ");
  const std::size_t first = line.find_first_not_of(' ');
  if (colon == std::string::npos || equals == std::string::npos || colon > equals) return line;
  const std::string name = line.substr(first, colon - first);
  const bool is_name =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  return is_name ? line.substr(0, colon) + line.substr(equals) : line;
}

}  // namespace

std::string text(std::string_view written) { return unindented(lines_of(written)); }

std::string program_text(std::string_view body, std::string_view more) {
  std::string out = R"(import pypto.language as pl

@pl.program
class Test:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return y
    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, y: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return y
    @pl.function(type=pl.FunctionType.InCore)
    def row(self, x: pl.Tensor[[64], pl.FP32], i: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return y
    @pl.function(type=pl.FunctionType.InCore)
    def two(self, x: pl.Tensor[[64], pl.FP32], y: pl.InOut[pl.Tensor[[64], pl.FP32]], z: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> tuple[pl.Tensor[[64], pl.FP32], pl.Tensor[[64], pl.FP32]]:
        return y, z
)";
  if (!more.empty()) out += indented(more, "    ");
  out +=
      "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
      "    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], o: pl.InOut[pl.Tensor[[64], pl.FP32]], "
      "n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:\n";
  out += indented(body, "        ");
  return out;
}

ir::Program read(std::string_view source) {
  const ir::ReadResult result = ir::read_text(std::make_shared<SourceFile>("test.py", std::string(source)));
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity == Severity::Error) ADD_FAILURE() << d.text();
  }
  if (!result.ok || result.programs.empty()) {
    ir::Program empty;
    empty.store = std::make_shared<ir::NodeStore>();
    return empty;
  }
  return result.programs.front();
}

ir::Program run(const ir::Program& program, const std::vector<std::string>& passes, DecisionSink* sink) {
  CountingSink counting;
  ir::Program current = program;
  for (const std::string& name : passes) {
    const std::unique_ptr<Pass> pass = make_pass(name);
    if (!pass) {
      ADD_FAILURE() << "no pass " << name;
      break;
    }
    current = pass->run(current, {}, sink != nullptr ? *sink : counting);
  }
  return current;
}

std::string body_text(const ir::Program& program, std::string_view function) {
  const ir::Function* f = program.find(function);
  if (f == nullptr) return "no function " + std::string(function);
  std::vector<std::string> lines = lines_of(ir::print_function(program, *f));
  const auto def =
      std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return line.find("def ") != std::string::npos; });
  if (def != lines.end()) lines.erase(lines.begin(), def + 1);
  for (std::string& line : lines) line = without_annotation(line);
  return unindented(lines);
}

std::string after(const std::vector<std::string>& passes, std::string_view body, std::string_view more) {
  return body_text(run(read(program_text(body, more)), passes));
}

}  // namespace depscope::pass::testing
