// What the dumps of a directory say about each other: changes from dump to dump and directions of parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_outcome.h"
#include "dump_directories.h"
#include "ir_text.h"
#include "parameter_reads.h"
#include "program_text.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

json findings_of(const fs::path& directory) {
  const Outcome o = run({"explain", directory.c_str(), "--json"});
  EXPECT_EQ(o.status, kDone) << o.err;
  return json::parse(o.out)["findings"];
}

json of(const json& findings, const std::string& kind, const std::string& what = "") {
  json out = json::array();
  for (const json& f : findings) {
    if (f["kind"] == kind && (what.empty() || f.value("what", "") == what)) out.push_back(f);
  }
  return out;
}

/// Every field that a case names is in the finding.
bool has(const json& finding, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (finding.value(key, json()) != value) return false;
  }
  return true;
}

TEST(DumpHistory, OfTheCasebook) {
  for (const char* name : {"89-out-becomes-inout-in-one-pass", "90-dump-02-missing"}) {
    SCOPED_TRACE(name);
    const fs::path folder = fs::path(DEPSCOPE_TEST_DATA) / "book" / name;
    const json findings = findings_of(folder / "passes_dump");
    const json expected = json::parse(text_of(folder / "expect.json"));
    for (json wanted : expected["must"]) {
      if (wanted["kind"] == "input_error") {
        wanted["summary"] = wanted["what"];
        wanted.erase("what");
      }
      EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const json& f) { return has(f, wanted); })) << wanted;
    }
    // Nothing but what is asked for.
    EXPECT_EQ(of(findings, "rewrite").size(), std::string(name).starts_with("89") ? 1U : 0U);
    EXPECT_EQ(of(findings, "difference").size(), 2U);
  }
}

class DumpHistories : public TemporaryFolder {
 protected:
  /// Writes dump `number`; the body is that of kernel `put(x, dst)` with these directions.
  void dump(int number, const std::string& pass, const std::string& parameters, const std::string& body) const {
    const std::string name = number == 0 ? "00_frontend.py" : "0" + std::to_string(number) + "_after_" + pass + ".py";
    write_text(folder_ / name, R"(# pypto.program: Once
import pypto.language as pl

@pl.program
class Once:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def put()" + parameters + R"() -> pl.Tensor[[64], pl.FP32]:
)" + body + "        return dst\n");
  }

  static std::string parameters(const std::string& x, const std::string& dst) {
    const auto one = [](const std::string& name, const std::string& direction) {
      const std::string type = "pl.Tensor[[64], pl.FP32]";
      return name + ": " + (direction == "In" ? type : "pl." + direction + "[" + type + "]");
    };
    return one("x", x) + ", " + one("dst", dst);
  }
  const std::string kStore =
      "        t: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0], [64], [64], target_memory=pl.Mem.Vec)\n"
      "        dst: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], dst)\n";
};

TEST_F(DumpHistories, DirectionsOverSeveralDumps) {
  dump(0, "", parameters("In", "Out"), kStore);
  dump(1, "One", parameters("In", "InOut"), kStore);
  dump(2, "Two", parameters("InOut", "InOut"), kStore);
  dump(4, "Four", parameters("In", "Out"), kStore);
  const json found = of(findings_of(folder_), "rewrite");
  ASSERT_EQ(found.size(), 4U);
  const auto expect = [&](std::size_t i, const char* parameter, const char* from, const char* to, const char* pass,
                          const char* number, bool loads) {
    SCOPED_TRACE(i);
    EXPECT_TRUE(has(found[i], {{"severity", "info"},
                               {"function", "put"},
                               {"parameter", parameter},
                               {"from", from},
                               {"to", to},
                               {"first_pass", pass},
                               {"dump", number},
                               {"body_loads_parameter", loads}}))
        << found[i];
  };
  expect(0, "dst", "Out", "InOut", "One", "01", false);
  expect(1, "x", "In", "InOut", "Two", "02", true);
  expect(2, "x", "InOut", "In", "Four", "04", true);
  expect(3, "dst", "InOut", "Out", "Four", "04", false);
}

// Parameters are matched by their names, so that one that comes in front changes nothing for the others.
TEST_F(DumpHistories, NewParametersAndNewFunctionsHaveNoDirectionBefore) {
  dump(0, "", parameters("In", "Out"), kStore);
  dump(1, "One", "n: pl.Out[pl.Tensor[[64], pl.FP32]], " + parameters("In", "InOut"), kStore);
  std::string text = text_of(folder_ / "01_after_One.py");
  text += text.substr(text.find("    @pl.function"));
  text.replace(text.rfind("put"), 3, "two");
  write_text(folder_ / "02_after_Two.py", text);
  const json findings = findings_of(folder_);
  const json found = of(findings, "rewrite");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["parameter"], "dst");
  const json changed = of(findings, "difference", "pass_changed");
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed[0]["functions"], json({"put"}));
  EXPECT_EQ(changed[1]["functions"], json({"two"}));
}

TEST_F(DumpHistories, OnePairAfterAnotherAlsoBehindTheStart) {
  const fs::path directory = folder_ / "passes_dump";
  restore_tail(fs::path(DEPSCOPE_TEST_DATA) / "dumps" / "tails" / "e20", directory);
  const json findings = findings_of(directory);
  std::vector<std::string> changed;
  for (const json& f : of(findings, "difference", "pass_changed")) {
    EXPECT_EQ(f["severity"], "info");
    changed.push_back(f["from"].get<std::string>() + "-" + f["to"].get<std::string>());
  }
  EXPECT_THAT(changed, ::testing::ElementsAre("37-38", "39-40", "45-46", "46-47"));
  EXPECT_EQ(of(findings, "difference", "pass_noop").size(), 8U);
}

TEST_F(DumpHistories, LayoutAndThePrintersSuffixesAreNoChange) {
  const std::string body =
      "        t: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0], [64], [64], target_memory=pl.Mem.Vec)\n"
      "        t_1: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.add(t, t)\n"
      "        dst: pl.Tensor[[64], pl.FP32] = pl.tile.store(t_1, [0], dst)\n";
  dump(0, "", parameters("In", "Out"), body);
  std::string other = "        # a word\n" + body;
  for (std::size_t at = other.find("t_1"); at != std::string::npos; at = other.find("t_1")) other.replace(at, 3, "t_2");
  other.replace(other.find("[64], [64]"), 10, "[64],\n            [64]");
  dump(1, "One", parameters("In", "Out"), other);
  EXPECT_EQ(of(findings_of(folder_), "difference", "pass_noop").size(), 1U);
  // The other variable is a change.
  other.replace(other.rfind("t_2"), 3, "t");
  dump(1, "One", parameters("In", "Out"), other);
  EXPECT_EQ(of(findings_of(folder_), "difference", "pass_changed").size(), 1U);
}

TEST_F(DumpHistories, AGapNamesTheDirectory) {
  dump(0, "", parameters("In", "Out"), kStore);
  dump(2, "Two", parameters("In", "Out"), kStore);
  dump(6, "Six", parameters("In", "Out"), kStore);
  fs::create_directory(folder_ / "out");
  fs::create_directory(folder_ / "out" / "passes_dump");
  for (const char* name : {"00_frontend.py", "02_after_Two.py", "06_after_Six.py"})
    fs::rename(folder_ / name, folder_ / "out" / "passes_dump" / name);
  for (const std::string& path : {(folder_ / "out").string(), (folder_ / "out" / "passes_dump").string() + "/"}) {
    const json found = of(findings_of(path), "input_error");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0]["file"], "passes_dump");
    EXPECT_EQ(found[0]["severity"], "warning");
    EXPECT_EQ(found[0]["summary"], "gap: no dump 01 between 00 and 02");
    EXPECT_EQ(found[1]["summary"], "gap: no dump 03 to 05 between 02 and 06");
  }
}

// ---------------------------------------------------------------- what a body reads

/// Whether the body of `put(x, dst)` reads dst, as an Out parameter.
std::optional<bool> reads_dst(const std::string& body, const std::string& decorator = "type=pl.FunctionType.InCore") {
  const ir::Program program = ir::testing::read_one(R"(import pypto.language as pl

@pl.program
class Once:
    @pl.function(type=pl.FunctionType.AIV)
    def reader(a: pl.Tensor[[64], pl.FP32], b: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return b
    @pl.function(type=pl.FunctionType.AIV)
    def both(a: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return a
    @pl.function()" + decorator + R"()
    def put(self, x: pl.Tensor[[64], pl.FP32], dst: pl.Out[pl.Tensor[[64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64], pl.FP32]:
        t: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0], [64], [64], target_memory=pl.Mem.Vec)
)" + body);
  return ParameterReads(program).of(*program.find("put"), 1);
}

TEST(ParameterReads, LoadsAndStores) {
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], dst)\n        return d\n"), false);
  EXPECT_EQ(reads_dst("        return dst\n"), false);
  EXPECT_EQ(
      reads_dst("        u: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(dst, [0], [64], [64], target_memory=pl.Mem.Vec)\n"
                "        return dst\n"),
      true);
  EXPECT_EQ(
      reads_dst("        d: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], dst)\n"
                "        u: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(d, [0], [64], [64], target_memory=pl.Mem.Vec)\n"
                "        return d\n"),
      true);
  EXPECT_EQ(reads_dst("        v: pl.Scalar[pl.FP32] = pl.tensor.read(dst, [0])\n        return dst\n"), true);
  EXPECT_EQ(reads_dst("        k: pl.Scalar[pl.INDEX] = pl.tensor.dim(dst, 0)\n        return dst\n"), false);
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = pl.tensor.add(dst, x)\n        return d\n"), true);
}

TEST(ParameterReads, AStoreThatAddsNeedsWhatIsThere) {
  EXPECT_EQ(
      reads_dst("        d: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], dst, atomic=pl.AtomicType.Add)\n        return d\n"),
      true);
  EXPECT_EQ(
      reads_dst(
          "        d: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], dst, atomic=pl.AtomicType.None_)\n        return d\n"),
      false);
}

TEST(ParameterReads, ThroughViews) {
  const std::string view = "        v: pl.Tensor[[32], pl.FP32] = pl.tensor.slice(dst, [32], [0])\n";
  EXPECT_EQ(reads_dst(view + "        d: pl.Tensor[[32], pl.FP32] = pl.tile.store(t, [0], v)\n        return dst\n"), false);
  EXPECT_EQ(reads_dst(view + "        u: pl.Tile[[32], pl.FP32, pl.Mem.Vec] = pl.tile.load(v, [0], [32], [32], "
                             "target_memory=pl.Mem.Vec)\n        return dst\n"),
            true);
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = pl.tensor.assemble(dst, pl.tensor.slice(x, [32], [0]), [0])\n       "
                      " return d\n"),
            false);
  EXPECT_EQ(reads_dst("        y: pl.Tensor[[64], pl.FP32] = pl.tensor.assemble(x, pl.tensor.slice(dst, [32], [0]), [0])\n       "
                      " return y\n"),
            true);
}

TEST(ParameterReads, ThroughCalls) {
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = self.reader(x, dst)\n        return d\n"), false);
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = self.reader(dst, x)\n        return d\n"), true);
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = self.both(dst)\n        return d\n"), true);
  // The result of a call is the buffer of its Out argument.
  EXPECT_EQ(reads_dst("        d: pl.Tensor[[64], pl.FP32] = self.reader(x, dst)\n"
                      "        e: pl.Tensor[[64], pl.FP32] = self.both(d)\n        return e\n"),
            true);
  EXPECT_EQ(reads_dst("        d, i = pl.submit(self.reader, x, dst)\n        return d\n"), false);
  EXPECT_EQ(
      reads_dst(
          "        d, i = pl.submit(self.reader, x, dst)\n        e, j = pl.submit(self.both, d, deps=[i])\n        return e\n"),
      true);
  EXPECT_EQ(
      reads_dst("        d, i = pl.submit(self.both, x)\n        e, j = pl.submit(self.both, d, deps=[i])\n        return e\n"),
      false);
}

TEST(ParameterReads, ThroughLoopsAndBranches) {
  const std::string load = "pl.tile.load(a, [0], [64], [64], target_memory=pl.Mem.Vec)\n";
  EXPECT_EQ(reads_dst("        for i, (a,) in pl.range(0, 4, 1, init_values=(dst,)):\n"
                      "            b: pl.Tensor[[64], pl.FP32] = pl.tile.store(t, [0], a)\n"
                      "            r: pl.Tensor[[64], pl.FP32] = pl.yield_(b)\n        return r\n"),
            false);
  EXPECT_EQ(reads_dst("        for i, (a,) in pl.range(0, 4, 1, init_values=(dst,)):\n"
                      "            u: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = " +
                      load + "            r: pl.Tensor[[64], pl.FP32] = pl.yield_(a)\n        return r\n"),
            true);
  // The second iteration reads what the first handed on.
  EXPECT_EQ(reads_dst("        for i, (a, c) in pl.range(0, 4, 1, init_values=(x, dst)):\n"
                      "            u: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = " +
                      load + "            r, s = pl.yield_(c, c)\n        return r\n"),
            true);
  EXPECT_EQ(reads_dst("        if n > 2:\n"
                      "            d: pl.Tensor[[64], pl.FP32] = pl.yield_(dst)\n        else:\n"
                      "            d: pl.Tensor[[64], pl.FP32] = pl.yield_(x)\n"
                      "        u: pl.Tile[[64], pl.FP32, pl.Mem.Vec] = pl.tile.load(d, [0], [64], [64], "
                      "target_memory=pl.Mem.Vec)\n        return d\n"),
            true);
}

TEST(ParameterReads, OfAnUnknownBodyNothingIsKnown) {
  EXPECT_EQ(reads_dst("        ...\n", "type=pl.FunctionType.AIV, external_source=\"k.cpp\""), std::nullopt);
}

// ---------------------------------------------------------------- texts side by side

TEST(ProgramTexts, WhatIsTheSame) {
  const auto same = [](const std::string& a, const std::string& b) { return !first_mismatch(a, b).has_value(); };
  EXPECT_TRUE(same("x = y", "x = y"));
  EXPECT_TRUE(same("x_1 = y", "x_2 = y"));
  EXPECT_TRUE(same("x = f(x_1)", "x_1 = f(x)"));
  EXPECT_FALSE(same("x = f(x_1)", "x_1 = f(x_1)"));
  EXPECT_FALSE(same("x = f(x)", "x = f(y)"));
  EXPECT_FALSE(same("x = self.k_1(y)", "x = self.k_2(y)"));
  EXPECT_FALSE(same("x = 'a_1'", "x = 'a_2'"));
  EXPECT_FALSE(same("x = 1", "x = 2"));
  EXPECT_TRUE(same("a\n    # word\n    b", "a\n    b"));
  EXPECT_TRUE(same("# word\n# word\na", "a"));
  EXPECT_FALSE(same("a\n    # pld.comm_domain: devices=all, slots=[a]\n    b", "a\n    b"));
  EXPECT_FALSE(same("if a:\n    b\n    c", "if a:\n    b\nc"));
  EXPECT_FALSE(same("a\nb", "a"));
  EXPECT_FALSE(same("a", "a\nb"));
}

TEST(ProgramTexts, WhereTheyPart) {
  const std::optional<Mismatch> m = first_mismatch("a\n    # word\n    b\n    c", "a\n    b\n    d");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->line_a, 3U);
  EXPECT_EQ(m->line_b, 2U);
}

TEST(ProgramTexts, LongLinesAreCutAroundTheDifference) {
  const std::string head(300, 'a');
  const std::string tail(300, 'z');
  const std::string shown = side_by_side({"f", 1, head + "one" + tail, head + "two" + tail});
  EXPECT_LT(shown.size(), 260U);
  EXPECT_THAT(shown,
              ::testing::AllOf(HasSubstr("aone"), HasSubstr("atwo"), ::testing::StartsWith("…"), ::testing::EndsWith("…")));
  EXPECT_EQ(side_by_side({"f", 1, "", "x"}), "(nothing) | x");
}

}  // namespace
}  // namespace depscope::app
