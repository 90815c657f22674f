// What is replaced in the inputs of a bundle, what stays, and what replacements have to keep.
#include "depscope/replay/redaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "depscope/replay/deps_json.h"
#include "redaction_addresses.h"
#include "redaction_names.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHead = "import pypto.language as pl\n@pl.program\nclass Secret:\n";

std::string redacted(const std::string& text) {
  const SourceFile source("secret.py", text);
  Redaction r;
  r.learn_program(source);
  r.freeze();
  return r.program(source);
}

/// One kernel and a main with these lines.
std::string program(const std::string& body) {
  return std::string(kHead) +
         "    @pl.function(type=pl.FunctionType.InCore)\n"
         "    def mask(self, q: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
         "        return o\n"
         "    @pl.function(type=pl.FunctionType.Orchestration)\n"
         "    def main(self, q: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n" +
         body + "        return o\n";
}

TEST(Redaction, NamesAreReplacedByKindAndTheVocabularyStays) {
  EXPECT_EQ(redacted(program("        o = self.mask(q, o)\n")),
            "import pypto.language as pl\n@pl.program\nclass program1:\n"
            "    @pl.function(type=pl.FunctionType.InCore)\n"
            "    def function2(self, value2: pl.Tensor[[64], pl.FP32], value1: pl.Out[pl.Tensor[[64], pl.FP32]]) -> "
            "pl.Tensor[[64], pl.FP32]:\n"
            "        return value1\n"
            "    @pl.function(type=pl.FunctionType.Orchestration)\n"
            "    def function1(self, value2: pl.Tensor[[64], pl.FP32], value1: pl.Out[pl.Tensor[[64], pl.FP32]]) -> "
            "pl.Tensor[[64], pl.FP32]:\n"
            "        value1 = self.function2(value2, value1)\n"
            "        return value1\n");
}

TEST(Redaction, NamesThatAreWordsOfTheVocabularyAreReplacedWhereTheyAreNames) {
  const std::string text =
      redacted(program("        wait = pl.add(q, 1.0)\n        attrs, add = pl.submit(self.mask, wait, o, deps=[])\n"));
  EXPECT_THAT(
      text,
      HasSubstr("value5 = pl.add(value4, 1.0)\n        value2, value1 = pl.submit(self.function2, value5, value3, deps=[])\n"));
}

TEST(Redaction, CommentsAndDocstringsAreTakenOutAndLinesStay) {
  const std::string text = program(
      "        \"\"\"Of the\n           secret project\"\"\"\n"
      "        # a comment\n"
      "        o = self.mask(q,  # why\n                      o)\n");
  const std::string out = redacted(text);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_THAT(out, HasSubstr("        \"\"\n\n\n        value1 = self.function2(value2,\n                      value1)\n"));
}

TEST(Redaction, PythonAroundTheProgramIsTakenOut) {
  const std::string out = redacted(
      "import os\nimport pypto.language as ours\nUNUSED = 'x'\nTILE = 64\nROWS = TILE * 2\n\n"
      "def golden(a):\n    \"\"\"Reference.\"\"\"\n    return a + 1\n\n"
      "@ours.program\nclass Secret:\n"
      "    @ours.function(type=ours.FunctionType.Orchestration)\n"
      "    def main(self, a: ours.Tensor[[ROWS], ours.FP32]) -> ours.Tensor[[ROWS], ours.FP32]:\n"
      "        return a\n\n"
      "if __name__ == '__main__':\n    print(golden(os.environ['HOME']))\n");
  EXPECT_EQ(out,
            "\nimport pypto.language as pl\n\nvalue2 = 64\nvalue1 = value2 * 2\n\n\n\n\n\n"
            "@pl.program\nclass program1:\n"
            "    @pl.function(type=pl.FunctionType.Orchestration)\n"
            "    def function1(self, value3: pl.Tensor[[value1], pl.FP32]) -> pl.Tensor[[value1], pl.FP32]:\n"
            "        return value3\n\n\n\n");
}

TEST(Redaction, StringsPathsAndHints) {
  const std::string text = std::string("# pypto.program: Secret\n") + std::string(kHead) +
                           "    @pl.function(type=pl.FunctionType.AIV, external_source=\"/home/me/ep.cpp\")\n"
                           "    def ep(a: pl.Tensor[[32], pl.FP32, pl.MemRef(\"mem_ddr_0\", 0, 128)]):\n"
                           "        pl.func_attr({\"dual_aiv_dispatch\": True, \"owner\": \"me\"})\n"
                           "        pass\n"
                           "    @pl.function(type=pl.FunctionType.Orchestration)\n"
                           "    def main(self, a: pl.Tensor[[32], pl.FP32]):\n"
                           "        with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"ep\") as tid:\n"
                           "            b = pl.tile.cast(a, pl.FP16, mode='rint')\n"
                           "        for i in pl.spmd(2, name_hint=\"rows_spmd\"):\n"
                           "            c = pl.tile.add(a, a)\n";
  const std::string out = redacted(text);
  EXPECT_THAT(out, HasSubstr("# pypto.program: program1\n"));
  EXPECT_THAT(out, HasSubstr("external_source=\"path1\")\n    def function1(value1: "));
  EXPECT_THAT(out, HasSubstr("pl.MemRef(\"mem_ddr_0\", 0, 128)"));
  EXPECT_THAT(out, HasSubstr("{\"dual_aiv_dispatch\": True, \"key1\": \"string1\"}"));
  EXPECT_THAT(out, HasSubstr("name_hint=\"function1\") as value5:"));
  EXPECT_THAT(out, HasSubstr("name_hint=\"function3_spmd\")"));
  EXPECT_THAT(out, HasSubstr("mode='rint'"));
}

TEST(Redaction, WhatTheCompilerAppendsStays) {
  const std::string out =
      redacted(program("        acc__ssa_v0: pl.Tensor[[64], pl.FP32] = q\n"
                       "        acc__iter_v1_1: pl.Tensor[[64], pl.FP32] = acc__ssa_v0\n"
                       "        acc_inline3: pl.Tensor[[64], pl.FP32] = acc__iter_v1_1\n"
                       "        acc__l0_tile: pl.Tensor[[64], pl.FP32] = acc_inline3\n"
                       "        _submit_tmp_1: pl.Tensor[[64], pl.FP32] = acc__l0_tile\n"
                       "        acc__mine_tile: pl.Tensor[[64], pl.FP32] = _submit_tmp_1\n"));
  EXPECT_THAT(out, HasSubstr("value1__ssa_v0:"));
  EXPECT_THAT(out, HasSubstr("value1__iter_v1_1:"));
  EXPECT_THAT(out, HasSubstr("value1_inline3:"));
  EXPECT_THAT(out, HasSubstr("value1__l0_tile:"));
  EXPECT_THAT(out, HasSubstr(" _submit_tmp_1:"));
  EXPECT_THAT(out, HasSubstr("value1__value2_tile:"));
}

TEST(Redaction, BodiesOfHostFunctionsAreTakenOut) {
  const std::string out = redacted(std::string(kHead) +
                                   "    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n"
                                   "    def hook(a: pl.Tensor[[4], pl.FP32]):\n"
                                   "        pl.func_attr({\"split_aiv\": True})\n"
                                   "        print('secret')\n"
                                   "        for k in range(3):\n"
                                   "            a.launch(k)\n"
                                   "    @pl.function(type=pl.FunctionType.Orchestration)\n"
                                   "    def main(self, a: pl.Tensor[[4], pl.FP32]):\n"
                                   "        self.hook(a)\n");
  EXPECT_THAT(out, HasSubstr("    def function1(value1: pl.Tensor[[4], pl.FP32]):\n"
                             "        pl.func_attr({\"split_aiv\": True})\n"
                             "        pass\n\n\n"
                             "    @pl.function("));
}

TEST(Redaction, CommunicationDomainsAreKept) {
  EXPECT_THAT(
      redacted(program("        # pld.comm_domain: devices=all, slots=[buf__ssa_v0, q]\n        # said to me\n        o = q\n")),
      HasSubstr("# pld.comm_domain: devices=all, slots=[value1__ssa_v0, value3]\n\n        value2 = value3\n"));
}

TEST(Redaction, ResultsOfLoopsThatNothingDefines) {
  const std::string out =
      redacted(program("        for i, (acc,) in pl.range(4, init_values=(o,)):\n"
                       "            acc = self.mask(q, acc)\n"
                       "        o = self.mask(acc_out, o)\n"));
  EXPECT_THAT(out, HasSubstr("for value2, (value1,) in"));
  EXPECT_THAT(out, HasSubstr("self.function2(value1_out, value3)"));
}

TEST(Redaction, WhatTheReaderTakesInOtherSpellings) {
  const std::string out = redacted(
      "import pypto.language as pl\n"
      "@pl.function(type=pl.FunctionType.InCore)\n"
      "def mask(q: pl.Tensor[[64], FP32], o: pl.Out[pl.Tensor[[64], pl . FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
      "    return o\n"
      "@pl .program\n"
      "class Secret:\n"
      "    @pl .function(type=pl.FunctionType.Orchestration)\n"
      "    def main(self, q: pl.Tensor[[64], pl.FP32], mask_: pl.Out[pl.Tensor[[64], pl.FP32]]):\n"
      "        mask_, t = pl.submit(mask, q, mask_)\n"
      "        mask_ = mask(q, mask_)\n");
  EXPECT_THAT(out, HasSubstr("def function2(value3: pl.Tensor[[64], FP32], value2: pl.Out[pl.Tensor[[64], pl . FP32]])"));
  EXPECT_THAT(out, HasSubstr("@pl .program\nclass program1:\n    @pl .function(type=pl.FunctionType.Orchestration)\n"));
  EXPECT_THAT(out,
              HasSubstr("value1, value4 = pl.submit(function2, value3, value1)\n        value1 = function2(value3, value1)\n"));
}

TEST(Redaction, DimensionsAreNamedAsSuch) {
  const std::string out =
      redacted("import pypto.language as pl\nROWS = pl.dynamic(\"ROWS\")\n" + program("").substr(kHead.find("@pl.program")));
  EXPECT_THAT(out, HasSubstr("dim1 = pl.dynamic(\"dim1\")\n"));
}

TEST(Redaction, ASecondTimeChangesNothing) {
  for (const std::string& text :
       {program("        acc_a = q\n        acc = q\n        acc2__ssa_v0 = acc\n        with pl.at(level=pl.Level.CORE_GROUP, "
                "name_hint=\"k\"):\n"
                "            x = pl.foo(q, key='a/b', other='c')\n"),
        std::string("# pypto.program: P\nROWS = pl.dynamic(\"ROWS\")\n") + program("        _t = q\n        T = _t\n")}) {
    const std::string once = redacted(text);
    EXPECT_NE(once, text);
    EXPECT_EQ(redacted(once), once);
  }
}

TEST(Redaction, TextsThatCannotBeTakenApart) {
  const SourceFile open("p.py", "class A:\n  x = (1\n");
  Redaction r;
  EXPECT_THROW(r.learn_program(open), InputError);
  EXPECT_THROW(r.learn_trace(SourceFile("t", "{\"tasks\":[")), InputError);
  EXPECT_THROW(r.learn_deps_json(SourceFile("t", "{\"tasks\":[]} x")), InputError);
  EXPECT_THROW(r.learn_timing(SourceFile("t", "")), InputError);
  // What is wrong stands in a line that would be taken out.
  const SourceFile outside("p.py", "x = = 3\n" + program(""));
  r.learn_program(outside);
  r.freeze();
  EXPECT_THROW(static_cast<void>(r.program(outside)), InputError);
}

TEST(Redaction, FirstLearnThenFreezeThenRewrite) {
  const SourceFile source("p.py", program(""));
  Redaction r;
  EXPECT_THROW(static_cast<void>(r.program(source)), InternalError);
  r.freeze();
  EXPECT_THROW(r.learn_program(source), InternalError);
  EXPECT_THROW(static_cast<void>(r.program(source)), InternalError);
  EXPECT_THROW(static_cast<void>(r.name(NameUse::Function, "mask")), InternalError);
}

TEST(Redaction, OneMapForAllFiles) {
  const SourceFile text("p.py", program("        n = pl.tensor.read(q, [0])\n"));
  const SourceFile data("d.json", R"({"q": [1, 2.5], "other": [[3]]})");
  const SourceFile timing(
      "t.json", R"({"schema": "depscope.timing/1", "kernels": {"mask": 3, "12": 4, "gone": 1}, "tasks": {"7": "never"}})");
  Redaction r;
  r.learn_data_json(data);
  r.learn_timing(timing);
  r.learn_program(text);
  r.learn_assignment("q=/home/me/q.json");
  r.learn_assignment("n=7");
  r.learn_name(NameUse::Function, "main");
  r.freeze();
  EXPECT_EQ(r.data_json(data), R"({"value3": [1, 2.5], "tensor1": [[3]]})");
  EXPECT_EQ(r.timing(timing),
            R"({"schema": "depscope.timing/1", "kernels": {"function2": 3, "12": 4, "kernel1": 1}, "tasks": {"7": "never"}})");
  EXPECT_EQ(r.assignment("q=/home/me/q.json"), "value3=path1");
  EXPECT_EQ(r.assignment("n=7"), "value1=7");
  EXPECT_EQ(r.name(NameUse::Function, "main"), "function1");
  EXPECT_THAT(r.program(text), HasSubstr("def function1(self, value3:"));
  EXPECT_THAT(r.originals(), ElementsAre("/home/me/q.json", "Secret", "gone", "main", "mask", "n", "o", "other", "q"));
}

TEST(Redaction, TracesKeepWhatTheModelReads) {
  const SourceFile trace("x.trace.json", R"({"comment": "of a secret project", "host": {"pid": 77, "up": true}, "tasks": [
    {"task_id": "0", "scope": "auto", "kernel_ids": [-1, 0, -1], "block_num": 1, "explicit_deps": [{"task": "0", "flags": ["wait"]}], "args": [
      {"type": "INPUT", "addr": "20617895198720", "version": 0, "dtype": "FLOAT32", "buffer_numel": "1024", "shape": [8], "start_offset": "2", "strides": [1], "owner_task_id": null, "manual_dep": false},
      {"type": "INOUT", "addr": "20617895202816", "version": 1, "dtype": "FLOAT32", "buffer_numel": "16", "shape": [8], "start_offset": "0", "strides": [1], "owner_task_id": "3", "manual_dep": false},
      {"type": "INOUT", "addr": "20627895202880", "version": 1, "dtype": "FLOAT32", "buffer_numel": "16", "shape": [8], "start_offset": "0", "strides": [1], "owner_task_id": "3", "manual_dep": false, "name": "kv"}]}]})");
  Redaction r;
  r.learn_trace(trace);
  r.freeze();
  const json before = json::parse(trace.text());
  const json after = json::parse(r.trace(trace));
  EXPECT_EQ(after["key1"], "string1");
  EXPECT_EQ(after["key2"], json({{"key3", 0}, {"key4", true}}));
  const auto address = [&](const json& j, std::size_t arg) {
    return std::stoull(j["tasks"][0]["args"][arg]["addr"].get<std::string>());
  };
  // The second buffer touches the first, so that they move together; the third lies anywhere behind them.
  EXPECT_EQ(address(after, 1) - address(after, 0), 4096U);
  EXPECT_GT(address(after, 2), address(after, 1) + 64);
  for (const std::size_t arg : {0U, 1U, 2U}) EXPECT_EQ(address(after, arg) % 4096, address(before, arg) % 4096);
  EXPECT_LT(address(after, 2), 1U << 20U);
  json same = after["tasks"][0];
  for (std::size_t arg = 0; arg < 3; ++arg) same["args"][arg]["addr"] = before["tasks"][0]["args"][arg]["addr"];
  EXPECT_EQ(same["args"][2]["key5"], "string2");
  same["args"][2].erase("key5");
  json expected = before["tasks"][0];
  expected["args"][2].erase("name");
  EXPECT_EQ(same, expected);
}

TEST(Redaction, TensorIdsAreHashedAnew) {
  const std::uint64_t id = tensor_id(20617895198720, 2);
  const SourceFile deps(
      "deps.json",
      R"({"tasks":[{"task_id":"1","args":[{"idx":0,"type":"INPUT","tensor_id":")" + std::to_string(id) +
          R"(","dtype":"INT8","shape":[8],"start_offset":"0","strides":[1]},{"idx":1,"type":"INPUT","tensor_id":"77","shape":[1],"start_offset":"0","strides":[1]}]}],"tensors":[{"tensor_id":")" +
          std::to_string(id) +
          R"(","buffer_addr":"20617895198720","version":2,"dtype":"INT8","buffer_numel":"8"}],"edges":[],"submissions":[{"task_id":"1","kind":"kernel","callee":"softmax","args":[{"kind":"INPUT","root":"q__ssa_v0","owner":null}]}],"findings":[{"summary":"softmax waits"}]})");
  Redaction r;
  r.learn_deps_json(deps);
  r.freeze();
  const json after = json::parse(r.deps_json(deps));
  const auto address = std::stoull(after["tensors"][0]["buffer_addr"].get<std::string>());
  EXPECT_NE(address, 20617895198720U);
  EXPECT_EQ(after["tensors"][0]["tensor_id"], std::to_string(tensor_id(address, 2)));
  EXPECT_EQ(after["tasks"][0]["args"][0]["tensor_id"], after["tensors"][0]["tensor_id"]);
  EXPECT_NE(after["tasks"][0]["args"][1]["tensor_id"], "77");
  EXPECT_EQ(after["submissions"][0]["callee"], "kernel1");
  EXPECT_EQ(after["submissions"][0]["args"][0]["root"], "tensor1__ssa_v0");
  EXPECT_THAT(r.deps_json(deps), Not(HasSubstr("softmax")));
  EXPECT_THAT(r.originals(), Contains("20617895198720"));
}

TEST(Redaction, CommentsOfSchedulesAreTakenOut) {
  EXPECT_EQ(Redaction::schedule(SourceFile("s", "# of mine\n1 2 # two\n3\n")), "\n1 2 \n3\n");
}

// ---------------------------------------------------------------- properties

/// Names near to one another: prefixes, capitals, digits and what compilers append.
rc::Gen<std::string> name_generator() {
  const auto letters = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abiz_AB12"))));
  const auto suffix = rc::gen::elementOf(std::vector<std::string>{"", "", "", "_inline0", "__ssa_v1", "_1", "__l0_tile", "_out"});
  return rc::gen::map(rc::gen::pair(letters, suffix), [](const std::pair<std::string, std::string>& p) {
    const std::string base = p.first[0] >= '0' && p.first[0] <= '9' ? "v" + p.first : p.first;
    return base + p.second;
  });
}

NameTable table_of(NameSpace space, const std::set<std::string>& names, NameKind kind) {
  NameTable table(space);
  table.expect_suffixes();
  for (const std::string& name : names) table.learn(name, kind);
  table.freeze();
  return table;
}

void check_injective(NameSpace space, NameKind kind) {
  const auto names = *rc::gen::container<std::set<std::string>>(name_generator());
  const NameTable table = table_of(space, names, kind);
  std::set<std::string> replacements;
  for (const std::string& name : names) {
    const std::string replacement = table.replacement(name);
    RC_ASSERT(replacements.insert(replacement).second);
    // No replacement is the original of another name.
    RC_ASSERT(replacement == name || !names.contains(replacement));
  }
  // A second time: the same names.
  const NameTable again = table_of(space, replacements, kind);
  for (const std::string& replacement : replacements) RC_ASSERT(again.replacement(replacement) == replacement);
}

TEST(RedactionProperty, ReplacementsDiffer) {
  EXPECT_TRUE(rc::check("variables", [] { check_injective(NameSpace::Variable, NameKind::Value); }));
  EXPECT_TRUE(rc::check("functions", [] { check_injective(NameSpace::Function, NameKind::Function); }));
  EXPECT_TRUE(rc::check("programs", [] { check_injective(NameSpace::Program, NameKind::Program); }));
}

TEST(RedactionProperty, FunctionsKeepTheirOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto names = *rc::gen::container<std::set<std::string>>(name_generator());
    const NameTable table = table_of(NameSpace::Function, names, NameKind::Function);
    std::string before;
    for (const std::string& name : names) {
      const std::string now = table.replacement(name);
      RC_ASSERT(before < now);
      before = now;
    }
  }));
}

TEST(RedactionProperty, VariablesKeepTheirOrderWithWhatPassesAppend) {
  EXPECT_TRUE(rc::check([] {
    // Names of a source text; InlineFunctions and ConvertToSSA append to them. "_inline" inside a name is no user's.
    const auto letters = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abz_AB1"))));
    auto names =
        *rc::gen::container<std::set<std::string>>(rc::gen::map(letters, [](const std::string& s) { return "n" + s + "x"; }));
    std::erase_if(names, [](const std::string& name) { return name.find("__") != std::string::npos; });
    const NameTable table = table_of(NameSpace::Variable, names, NameKind::Value);
    for (const std::string& a : names) {
      for (const std::string& b : names) {
        if (a == b) continue;
        for (const char* left : {"", "_inline0"}) {
          for (const char* right : {"", "_inline1"}) {
            RC_ASSERT((a + left < b + right) == (table.replacement(a) + left < table.replacement(b) + right));
          }
        }
        RC_ASSERT((a + "__ssa_v0" < b + "__ssa_v0") == (table.replacement(a) + "__ssa_v0" < table.replacement(b) + "__ssa_v0"));
      }
    }
  }));
}

TEST(RedactionProperty, AddressesKeepOrderAndOverlap) {
  EXPECT_TRUE(rc::check([] {
    const auto buffers = *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(
        rc::gen::pair(rc::gen::inRange<std::uint64_t>(1, 1U << 16U), rc::gen::inRange<std::uint64_t>(1, 1U << 12U)));
    const std::uint64_t base =
        *rc::gen::elementOf(std::vector<std::uint64_t>{0, std::uint64_t{0x12c0} << 32U, ~std::uint64_t{0} - (1U << 16U)});
    AddressMap map;
    for (const auto& [at, bytes] : buffers) map.learn(base + at, bytes);
    map.freeze();
    for (const auto& [a, a_bytes] : buffers) {
      const std::uint64_t new_a = map.address(base + a).value();
      RC_ASSERT(new_a % 4096 == (base + a) % 4096);
      for (const auto& [b, b_bytes] : buffers) {
        const std::uint64_t new_b = map.address(base + b).value();
        RC_ASSERT((a <=> b) == (new_a <=> new_b));
        const bool meet = a < b + b_bytes && b < a + a_bytes;
        if (meet) RC_ASSERT(new_b - new_a == b - a);
        if (!meet) RC_ASSERT(!(new_a < new_b + b_bytes && new_b < new_a + a_bytes));
      }
    }
  }));
}

}  // namespace
}  // namespace depscope::replay
