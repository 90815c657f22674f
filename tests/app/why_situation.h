// Small programs and what `depscope explain --why A B` says of two of their calls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {

/// Kernels and the head of `main`; the body follows.
inline constexpr const char* kWhyKernels = R"(import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def mod(self, o: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def new(self, i: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        w = pl.create_tensor([64], dtype=pl.FP32)
        return w

    @pl.function(type=pl.FunctionType.InCore)
    def both(self, x: pl.InOut[pl.Tensor[[64], pl.FP32]], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def put_half(self, o: pl.Out[pl.Tensor[[32], pl.FP32]]) -> pl.Tensor[[32], pl.FP32]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get_half(self, i: pl.Tensor[[32], pl.FP32]) -> pl.Tensor[[32], pl.FP32]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def put_tile(self, o: pl.Out[pl.Tensor[[8, 4], pl.FP16]]) -> pl.Tensor[[8, 4], pl.FP16]:
        return o

    @pl.function(type=pl.FunctionType.InCore)
    def get_tile(self, i: pl.Tensor[[8, 4], pl.FP16]) -> pl.Tensor[[8, 4], pl.FP16]:
        return i

    @pl.function(type=pl.FunctionType.InCore)
    def tick(self, k: pl.Scalar[pl.INDEX]):
        return

    @pl.function(type=pl.FunctionType.Group)
    def group(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        o = self.put(o)
        return o

)";

struct WhyProgramText {
  std::string text;
  int first_line = 0;  ///< of the body
};

/// `in_scope`: one hand-placed AUTO scope in a function with auto_scope=False; else the whole body is one region.
inline WhyProgramText why_program(const std::string& body, bool in_scope) {
  WhyProgramText out;
  out.text = kWhyKernels;
  out.text += in_scope ? "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
                       : "    @pl.function(type=pl.FunctionType.Orchestration)\n";
  out.text +=
      "    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32], h: pl.Tensor[[8, 8], pl.FP16], "
      "m0: pl.Tensor[[64], pl.FP32, pl.MemRef(\"pool\", pl.const(0, pl.INT64), 256)], "
      "m1: pl.Tensor[[64], pl.FP32, pl.MemRef(\"pool\", pl.const(128, pl.INT64), 256)], "
      "m2: pl.Tensor[[64], pl.FP32, pl.MemRef(\"pool\", pl.const(256, pl.INT64), 256)], "
      "n: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.BOOL]):\n";
  if (in_scope) out.text += "        with pl.scope():\n";
  out.first_line = static_cast<int>(std::count(out.text.begin(), out.text.end(), '\n')) + 1;
  const std::string indent(in_scope ? 12 : 8, ' ');
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    out.text += indent + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

struct WhySituation {
  std::string name, body;
  std::string first, second;  ///< as given to --why; "line+N" is line N of the body, from 0
  bool edge = false;
  std::string code = {};
  std::vector<std::string> kind = {};       ///< of the first meeting; empty: none, or only reads
  std::optional<std::uint64_t> bytes = {};  ///< of the first meeting; none: not known
  std::string shared = {};                  ///< how the bytes' text begins
  std::string rule = {};                    ///< how the rule begins
  int first_line = 0, second_line = 1;      ///< of the body, from 0; below 0: no line
  std::string change = {};                  ///< a part of what would change it
  bool in_scope = true;
  bool analysis = true;
  bool run = true;  ///< with the values that it needs to run
  std::string profile = "seed";
  std::string more = {};  ///< a part of the text
};

class WhyTest : public TemporaryFolder {
 protected:
  [[nodiscard]] Outcome ask(const WhySituation& s, bool json) const {
    const WhyProgramText program = why_program(s.body, s.in_scope);
    std::vector<std::string> arguments{"explain", write("q.py", program.text), "--profile", s.profile, "--why"};
    for (const std::string& name : {s.first, s.second}) {
      const bool line = name.rfind("line+", 0) == 0;
      arguments.push_back(line ? "line:" + std::to_string(program.first_line + std::stoi(name.substr(5))) : name);
    }
    if (s.analysis) arguments.emplace_back("--analyze-auto-scopes");
    if (s.run) arguments.insert(arguments.end(), {"--arg", "n=2", "--arg", "k=1"});
    if (json) arguments.emplace_back("--json");
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    return app::run(pointers);
  }

  void check(const WhySituation& s) const {
    SCOPED_TRACE(s.name + " (" + s.profile + ")");
    const Outcome outcome = ask(s, /*json=*/true);
    ASSERT_EQ(outcome.status, kDone) << outcome.err;
    const nlohmann::json object = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(object["schema"], "depscope.facts/1");
    EXPECT_TRUE(object["findings"].is_array());
    const nlohmann::json& why = object["why"];
    EXPECT_EQ(why["edge"], s.edge) << why.dump(1);
    EXPECT_EQ(why["code"], s.code) << why.dump(1);
    std::string shared;
    if (why["meetings"].empty()) {
      EXPECT_TRUE(s.kind.empty()) << why.dump(1);
      shared = why["shared"].get<std::string>();
    } else {
      const nlohmann::json& meeting = why["meetings"][0];
      EXPECT_EQ(meeting["kind"], nlohmann::json(s.kind)) << why.dump(1);
      EXPECT_EQ(meeting["bytes"], s.bytes ? nlohmann::json(*s.bytes) : nlohmann::json()) << why.dump(1);
      shared = meeting["shared"].get<std::string>();
    }
    ASSERT_FALSE(s.shared.empty());
    EXPECT_TRUE(shared.starts_with(s.shared)) << shared;
    ASSERT_FALSE(s.rule.empty());
    EXPECT_TRUE(why["rule"].get<std::string>().starts_with(s.rule)) << why["rule"];
    const int begin = why_program(s.body, s.in_scope).first_line;
    if (s.first_line >= 0 && s.second_line >= 0) {
      EXPECT_EQ(why["where"],
                "q.py:" + std::to_string(begin + s.first_line) + " -> q.py:" + std::to_string(begin + s.second_line));
    } else {
      EXPECT_TRUE(why["where"].get<std::string>().starts_with("q.py")) << why["where"];
    }
    ASSERT_FALSE(s.change.empty());
    EXPECT_NE(why["change"].get<std::string>().find(s.change), std::string::npos) << why["change"];
    check_text(s, why);
  }

 private:
  /// The text says the same as the object.
  void check_text(const WhySituation& s, const nlohmann::json& why) const {
    const Outcome outcome = ask(s, /*json=*/false);
    EXPECT_EQ(outcome.status, kDone) << outcome.err;
    // Lines that go on are joined again.
    std::string text;
    for (const char c : outcome.out) {
      if (c == ' ' && !text.empty() && text.back() == ' ') continue;
      text += c == '\n' ? ' ' : c;
    }
    const std::string joined = [&] {
      std::string out;
      for (const char c : text) {
        if (c != ' ' || out.empty() || out.back() != ' ') out += c;
      }
      return out;
    }();
    for (const char* key : {"code", "sentence", "rule", "where", "change"})
      EXPECT_NE(joined.find(why[key].get<std::string>()), std::string::npos) << key << " in\n" << outcome.out;
    if (!s.more.empty()) {
      EXPECT_NE(joined.find(s.more), std::string::npos) << s.more << " in\n" << outcome.out;
    }
    for (const char* label : {"\nkind ", "bytes ", "\nrule ", "\nwhere ", "\nchange "})
      EXPECT_NE(outcome.out.find(label), std::string::npos) << label << " in\n" << outcome.out;
  }
};

}  // namespace depscope::app
