// `depscope diff`: programs against changed programs, options against options, bad usage and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_outcome.h"
#include "diff_options.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr const char* kProgram = R"(import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.InOut[pl.Tensor[[64], pl.FP32]], b: pl.InOut[pl.Tensor[[64], pl.FP32]], c: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        a = self.fill(a)
        for i in pl.range(4):
            b = self.copy(a, b)
            c = self.copy(b, c)
        a = self.copy(c, a)
        return a
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// A variable called otherwise, wherever it stands as a word of its own.
std::string renamed(const std::string& text, const std::string& name, const std::string& to) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && inside(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    out += word == name ? to : word;
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

Outcome run_with(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return run(pointers);
}

class DiffCommandTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    base_ = write("base.py", kProgram);
  }
  [[nodiscard]] Outcome diff(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "diff");
    return run_with(arguments);
  }
  /// The object that --json prints, with information.
  [[nodiscard]] json object(std::vector<std::string> arguments, int status) const {
    arguments.insert(arguments.end(), {"--json", "--facts"});
    const Outcome o = diff(std::move(arguments));
    EXPECT_EQ(o.status, status) << o.err << o.out;
    return json::parse(o.out);
  }
  /// Against the program with one thing changed.
  [[nodiscard]] json changed(const std::string& from, const std::string& to, int status) const {
    return object({base_, write("changed.py", replaced(kProgram, from, to))}, status);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string base_;
};

std::vector<json> findings(const json& object, const std::string& what, const std::string& severity = "warning") {
  std::vector<json> out;
  for (const json& f : object["findings"]) {
    if (f["what"] == what && f["severity"] == severity) out.push_back(f);
  }
  return out;
}

std::vector<std::string> kinds(const json& object) {
  std::vector<std::string> out;
  for (const auto& [kind, count] : object["totals"].items()) {
    if (count["differences"] != 0) out.push_back(kind);
  }
  return out;
}

// ---------------------------------------------------------------- programs

TEST_F(DiffCommandTest, TheSameFileTwice) {
  const Outcome o = diff({base_, base_});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out, AllOf(HasSubstr("aligned by task id: 10 tasks matched, 0 only in a, 0 only in b\n"),
                           HasSubstr("2 pairs of kernels with equal edges (16 edges)"), HasSubstr("\nno difference\n")));
  EXPECT_THAT(object({base_, base_}, kDone)["findings"], SizeIs(1));  // the edge sets are equal
}

TEST_F(DiffCommandTest, NamesOfVariablesSayNothing) {
  const std::string text = renamed(kProgram, "b", "bb");
  const json o = object({base_, write("renamed.py", text)}, kDone);
  EXPECT_THAT(kinds(o), IsEmpty());
  ASSERT_THAT(findings(o, "pass_text", "info"), SizeIs(1));
  EXPECT_EQ(findings(o, "pass_text", "info")[0]["names_only"], true);

  // Carried values are in order of their names: where that changes, the text does, too.
  const std::string turned = renamed(kProgram, "b", "other");
  const json row = findings(object({base_, write("turned.py", turned)}, kFindings), "pass_text").at(0);
  EXPECT_EQ(row["pass"], "ConvertToSSA");
  EXPECT_FALSE(row.contains("names_only"));
}

TEST_F(DiffCommandTest, ATaskInsertedInTheMiddleOfALoop) {
  const json o = changed("            c = self.copy", "            b = self.fill(b)\n            c = self.copy", kFindings);
  EXPECT_EQ(o["alignment"], (json{{"by", "call_site_iteration"}, {"matched", 10}, {"only_a", 0}, {"only_b", 4}}));
  const auto tasks = findings(o, "task");
  ASSERT_THAT(tasks, SizeIs(4));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(tasks[i]["only_in"], "b");
    EXPECT_EQ(tasks[i]["first"]["callee"], "fill");
    EXPECT_EQ(tasks[i]["first"]["occurrence"], i + 1);
  }
  ASSERT_THAT(findings(o, "call_site"), SizeIs(1));
  EXPECT_EQ(findings(o, "call_site")[0]["call"]["index"], 2);
  const auto counts = findings(o, "task_count");
  ASSERT_THAT(counts, SizeIs(2));
  EXPECT_EQ(counts[0]["a"], 10);
  EXPECT_EQ(counts[0]["b"], 14);
  EXPECT_EQ(counts[1]["callee"], "fill");
  // The edges between tasks that both have did not move with their ids: b = copy(a, b) still waits for fill #0.
  for (const json& pair : findings(o, "pair")) {
    const bool kept = pair["first"]["callee"] == "fill" && pair["first"]["occurrence"] == 0;
    EXPECT_FALSE(kept) << pair;
  }
}

TEST_F(DiffCommandTest, OneMoreIteration) {
  const json o = changed("pl.range(4)", "pl.range(5)", kFindings);
  EXPECT_EQ(o["alignment"]["matched"], 10);
  EXPECT_EQ(o["alignment"]["only_b"], 2);
  for (const json& task : findings(o, "task")) EXPECT_EQ(task["first"]["callee"], "copy");
  EXPECT_THAT(findings(o, "call_site"), IsEmpty());
}

TEST_F(DiffCommandTest, ARenamedKernelIsOneDifference) {
  const json o = changed("fill", "init", kFindings);
  EXPECT_EQ(o["alignment"]["matched"], 10);
  EXPECT_THAT(kinds(o), ElementsAre("function", "kernel"));
  const json kernel = findings(o, "kernel")[0];
  EXPECT_EQ(kernel["a"], "fill");
  EXPECT_EQ(kernel["b"], "init");
  EXPECT_EQ(kernel["count"], 1);
  for (const json& pair : o["edges_by_kernel_pair"]) EXPECT_EQ(pair["a"], pair["b"]) << pair;
}

TEST_F(DiffCommandTest, AnUnrolledLoopHasTheSameTasks) {
  const json o = changed("pl.range", "pl.unroll", kFindings);
  EXPECT_EQ(o["alignment"]["by"], "kernel_ordinal");
  EXPECT_EQ(o["alignment"]["matched"], 10);
  EXPECT_EQ(findings(o, "edges", "info")[0]["count"], 0);
  const json loop = findings(o, "loop_kind")[0];
  EXPECT_EQ(loop["a"], "range");
  EXPECT_EQ(loop["b"], "unroll");
  EXPECT_EQ(loop["function"], "main");
}

TEST_F(DiffCommandTest, AnotherArgument) {
  const json o = changed("b = self.copy(a, b)", "b = self.copy(c, b)", kFindings);
  const auto arguments = findings(o, "argument");
  ASSERT_THAT(arguments, SizeIs(1));
  EXPECT_EQ(arguments[0]["aspect"], "buffer");
  EXPECT_EQ(arguments[0]["a"], "a");
  EXPECT_EQ(arguments[0]["b"], "c");
  EXPECT_EQ(arguments[0]["count"], 4);
  EXPECT_EQ(findings(o, "edges")[0]["count"], findings(o, "pair").size());
}

// ---------------------------------------------------------------- options of the sides

TEST_F(DiffCommandTest, WithAndWithoutTheAnalysis) {
  const std::string fallbacks = std::string(DEPSCOPE_SAMPLES) + "/10_fallbacks.py";
  const json o = object({fallbacks, fallbacks, "--data=cfg=[1,2,0,0]", "--b=--analyze-auto-scopes"}, kFindings);
  EXPECT_EQ(o["alignment"]["by"], "task_id");
  EXPECT_THAT(findings(o, "option", "info"), SizeIs(1));
  EXPECT_FALSE(findings(o, "direction").empty());
  for (const json& fallback : findings(o, "fallback")) {
    EXPECT_EQ(fallback["a"], "switched_off");
    EXPECT_NE(fallback["b"], "switched_off");
    EXPECT_EQ(fallback["b"] == "fell_back", fallback.contains("reason_b"));
  }
  EXPECT_FALSE(findings(o, "provenance").empty());
  EXPECT_EQ(findings(o, "edges", "info")[0]["count"], 0);
}

TEST_F(DiffCommandTest, CoupledEdgesRetainWhatSplitOnesDoNot) {
  const json o = object({base_, base_, "--a=--edges split", "--b=--edges coupled"}, kFindings);
  ASSERT_FALSE(findings(o, "flags").empty());
  for (const json& f : findings(o, "flags")) {
    EXPECT_EQ(f["a"], json{"wait"});
    EXPECT_EQ(f["b"], (json{"wait", "retain"}));
  }
  EXPECT_THAT(findings(o, "pair"), IsEmpty());
  EXPECT_FALSE(findings(o, "lifetime").empty());
}

TEST_F(DiffCommandTest, ReductionShowsInFinalFlagsOnly) {
  const json o = object({base_, base_, "--a=--reduce none", "--b=--reduce bitmap:64"}, kFindings);
  EXPECT_THAT(kinds(o), ElementsAre("final_flags"));
  for (const json& f : findings(o, "final_flags")) EXPECT_TRUE(f.contains("via_b"));
}

TEST_F(DiffCommandTest, PlatformsGiveTheSameGraph) {
  EXPECT_THAT(kinds(object({base_, base_, "--a=--platform a2a3", "--b=--platform a5"}, kDone)), IsEmpty());
}

TEST_F(DiffCommandTest, OptionsForBothAndForOne) {
  const std::string dynamic =
      write("dynamic.py", replaced(replaced(kProgram, "c: pl.InOut[pl.Tensor[[64], pl.FP32]]) ->",
                                            "c: pl.InOut[pl.Tensor[[64], pl.FP32]], n: pl.Scalar[pl.INT64]) ->"),
                                   "pl.range(4)", "pl.range(n)"));
  EXPECT_EQ(diff({dynamic, dynamic}).status, kBadInput);
  EXPECT_EQ(diff({dynamic, dynamic, "--arg", "n=2"}).status, kDone);
  const json o = object({dynamic, dynamic, "--arg", "n=2", "--b=--arg 'n=3'"}, kFindings);
  EXPECT_EQ(o["a"]["tasks"], 6);
  EXPECT_EQ(o["b"]["tasks"], 8);
}

// ---------------------------------------------------------------- recordings and task graphs

TEST_F(DiffCommandTest, ARecordingAndItsInput) {
  ASSERT_EQ(run_with({"run", base_, "-o", path("base.depscope")}).status, kDone);
  const json o = object({path("base.depscope"), base_}, kDone);
  EXPECT_THAT(o["not_compared"], IsEmpty());
}

TEST_F(DiffCommandTest, ARecordingAndItsDepsJson) {
  const std::string own = write("own.json", run_with({"run", base_, "--json"}).out);
  const json o = object({base_, own}, kDone);
  EXPECT_EQ(o["alignment"]["by"], "task_id");
  EXPECT_EQ(o["b"]["detail"], "depscope.deps/1");
  // As the runtime itself writes it.
  json upstream = json::parse(run_with({"run", base_, "--json"}).out);
  const std::string deps =
      write("upstream.deps.json",
            json{{"tasks", upstream["tasks"]}, {"tensors", upstream["tensors"]}, {"edges", upstream["edges"]}}.dump());
  const Outcome text = diff({base_, deps});
  EXPECT_EQ(text.status, kDone) << text.out;
  EXPECT_THAT(text.out, AllOf(HasSubstr("not compared: final_flags: b has no flags after reduction"),
                              HasSubstr("no difference in what both can tell")));
  EXPECT_EQ(diff({deps, own}).status, kDone);
}

TEST_F(DiffCommandTest, ADirectoryWithADepsJson) {
  fs::create_directories(folder_ / "dfx");
  const json own = json::parse(run_with({"run", base_, "--json"}).out);
  const std::string deps =
      write("dfx/deps.json", json{{"tasks", own["tasks"]}, {"tensors", own["tensors"]}, {"edges", own["edges"]}}.dump());
  EXPECT_EQ(diff({path("dfx"), base_}).status, kDone);
  EXPECT_EQ(diff({path("dfx"), deps}).status, kDone);
}

TEST_F(DiffCommandTest, EveryCommandReadsADepsJson) {
  const std::string deps = write("graph.json", R"({"version":1,"edges":[[0,1],[1,2]]})");
  EXPECT_THAT(run_with({"run", deps}).out, HasSubstr("Tasks: 3"));
  EXPECT_EQ(run_with({"run", deps, "-o", path("x.depscope")}).status, kDone);
  EXPECT_EQ(diff({deps, path("x.depscope")}).status, kDone);
}

TEST_F(DiffCommandTest, ADirectoryOfDumpsAgainstAProgram) {
  const std::string dumps = std::string(DEPSCOPE_TEST_DATA) + "/dump_directory/passes_dump";
  const json o = object({dumps, dumps}, kDone);
  EXPECT_THAT(kinds(o), IsEmpty());
  EXPECT_EQ(diff({dumps, base_}).status, kFindings);
}

// ---------------------------------------------------------------- kinds, thresholds, limits

TEST_F(DiffCommandTest, OnlyAndIgnore) {
  const std::string five = write("five.py", replaced(kProgram, "pl.range(4)", "pl.range(5)"));
  EXPECT_THAT(kinds(object({base_, five, "--only", "pair,edges"}, kFindings)), ElementsAre("edges", "pair"));
  EXPECT_EQ(diff({base_, five, "--only", "direction"}).status, kDone);
  EXPECT_EQ(diff({base_, five, "--only", "pair", "--ignore", "pair"}).status, kDone);
  const json o = object({base_, five, "--ignore", "pair", "--ignore", "edges,pass_text"}, kFindings);
  EXPECT_THAT(kinds(o), Not(::testing::Contains("pair")));
  EXPECT_THAT(kinds(o), ::testing::Contains("task_count"));
}

TEST_F(DiffCommandTest, ThresholdsAndLimits) {
  const std::string five = write("five.py", replaced(kProgram, "pl.range(4)", "pl.range(5)"));
  EXPECT_EQ(diff({base_, five, "--only", "task_count", "--threshold", "task_count=3"}).status, kDone);
  EXPECT_EQ(diff({base_, five, "--only", "task_count", "--threshold", "task_count=2"}).status, kFindings);
  EXPECT_EQ(diff({base_, five, "--only", "task_count", "--threshold", "task_count=20%"}).status, kDone);
  const json limited = object({base_, five, "--only", "pair", "--max-differences", "2"}, kFindings);
  EXPECT_THAT(findings(limited, "pair"), SizeIs(2));
  EXPECT_EQ(limited["totals"]["pair"]["listed"], 2);
  EXPECT_EQ(limited["totals"]["pair"]["differences"], 6);
  EXPECT_THAT(diff({base_, five, "--only", "pair", "--max-differences", "2"}).out, HasSubstr("  … and 4 more\n"));
  const json none = object({base_, five, "--only", "pair", "--max-differences", "0"}, kFindings);
  EXPECT_THAT(none["findings"], IsEmpty());
  EXPECT_EQ(none["totals"]["pair"]["differences"], 6);
}

// ---------------------------------------------------------------- bad usage, bad input

TEST_F(DiffCommandTest, BadUsageIsNamed) {
  const auto error = [&](std::vector<std::string> arguments) {
    const Outcome o = diff(std::move(arguments));
    EXPECT_EQ(o.status, kBadInput);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    return o.err;
  };
  EXPECT_THAT(error({base_}), HasSubstr("B is required"));
  EXPECT_THAT(error({base_, base_, "--only", "colour"}),
              HasSubstr("--only: there is no kind 'colour' (kinds: option, pass, pass_text"));
  EXPECT_THAT(error({base_, base_, "--ignore", "pair,"}), HasSubstr("--ignore: there is no kind ''"));
  EXPECT_THAT(error({base_, base_, "--threshold", "pair=2"}),
              HasSubstr("'pair' has none (kinds with numbers: task_count, edges"));
  EXPECT_THAT(error({base_, base_, "--threshold", "lifetime"}), HasSubstr("a number was expected behind 'lifetime='"));
  EXPECT_THAT(error({base_, base_, "--threshold", "lifetime=-1"}), HasSubstr("a number was expected"));
  EXPECT_THAT(error({base_, base_, "--threshold", "lifetime=nan"}), HasSubstr("a number was expected"));
  EXPECT_THAT(error({base_, base_, "--max-differences", "many"}), HasSubstr("--max-differences"));
  EXPECT_THAT(error({base_, base_, "--a=--platform a9"}), HasSubstr("a9"));
  EXPECT_THAT(error({base_, base_, "--a=--bogus 1"}), HasSubstr("--a: "));
  EXPECT_THAT(error({base_, base_, "--b=--arg 'n=1"}), HasSubstr("--b: the quote ' is not closed"));
  EXPECT_THAT(error({base_, base_, "--a=--help"}), HasSubstr("--a: "));
}

TEST_F(DiffCommandTest, RunOptionsOfWhatIsNotRun) {
  const std::string deps = write("graph.json", R"({"version":1,"edges":[[0,1]]})");
  const Outcome o = diff({base_, deps, "--b=--platform a5"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("--b gives run options, but " + deps + " is the record of a run"));
  EXPECT_EQ(diff({deps, deps, "--b= "}).status, kDone);
}

TEST_F(DiffCommandTest, BadInputIsAFindingToo) {
  const std::string cut = write("cut.deps.json", R"({"tasks":[{"task_id":"0","scope":"auto")");
  const std::string wrong =
      write("wrong.deps.json", R"({"tasks":[{"task_id":"0","scope":"auto","block_num":"x"}],"tensors":[],"edges":[]})");
  const std::string missing = path("missing.py");
  for (const bool first : {true, false}) {
    for (const std::string& bad : {cut, wrong, missing}) {
      const Outcome o = diff({first ? bad : base_, first ? base_ : bad, "--json"});
      EXPECT_EQ(o.status, kBadInput);
      const json object = json::parse(o.out);
      EXPECT_EQ(object["schema"], "depscope.diff/1");
      ASSERT_EQ(object["findings"].size(), 1U);
      EXPECT_EQ(object["findings"][0]["kind"], "input_error");
      EXPECT_EQ(object["findings"][0]["exit_status"], 2);
      EXPECT_THAT(o.err, HasSubstr(bad));
    }
  }
  const json finding = json::parse(diff({wrong, base_, "--json"}).out)["findings"][0];
  EXPECT_EQ(finding["json_path"], "tasks[0].block_num");
  EXPECT_EQ(finding["byte_offset"], 52);
  EXPECT_EQ(json::parse(diff({cut, base_, "--json"}).out)["findings"][0]["byte_offset"], 39);
}

TEST(SplitWords, AsAShellDoes) {
  EXPECT_THAT(split_words("--a", ""), IsEmpty());
  EXPECT_THAT(split_words("--a", "  --x  1\t--y=2\n"), ElementsAre("--x", "1", "--y=2"));
  EXPECT_THAT(split_words("--a", R"(--data 'cfg=[1, 2]' "a b"c d\ e)"), ElementsAre("--data", "cfg=[1, 2]", "a bc", "d e"));
  EXPECT_THAT(split_words("--a", R"("q\"q" 'b\n' "c\d" '')"), ElementsAre("q\"q", "b\\n", "c\\d", ""));
  EXPECT_THROW(split_words("--a", "\"x"), UsageError);
}

// ---------------------------------------------------------------- the casebook

bool contained(const json& expected, const json& found) {
  if (expected.is_object()) {
    if (!found.is_object()) return false;
    return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& item) {
      return found.contains(item.key()) && contained(item.value(), found[item.key()]);
    });
  }
  if (expected.is_array() && found.is_array()) {
    return expected.size() == found.size() && std::all_of(expected.begin(), expected.end(), [&](const json& item) {
             return std::any_of(found.begin(), found.end(), [&](const json& other) { return contained(item, other); });
           });
  }
  return expected == found;
}

std::vector<fs::path> cases_of_diff(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path() / "expect.json");
    if (file && json::parse(file)["command_kind"] == "diff") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void check_case(const fs::path& folder) {
  SCOPED_TRACE(folder.filename().string());
  std::ifstream file(folder / "expect.json");
  const json expect = json::parse(file);
  std::vector<std::string> arguments{"diff"};
  for (const json& input : expect["input"]) arguments.push_back((folder / input.get<std::string>()).string());
  arguments.insert(arguments.end(), {"--json", "--facts"});
  ASSERT_TRUE(expect["options"].empty());
  const Outcome o = run_with(arguments);
  const json found = json::parse(o.out)["findings"];
  for (const json& must : expect["must"]) {
    if (must["kind"] == "clean") {
      EXPECT_EQ(o.status, kDone);
      continue;
    }
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const json& f) { return contained(must, f); })) << must << "\n"
                                                                                                            << found.dump(1);
  }
  for (const json& must_not : expect["must_not"]) {
    if (must_not["kind"] == "clean") {
      EXPECT_EQ(o.status, kFindings);
      continue;
    }
    for (const json& f : found) {
      const bool claims = must_not.size() > 1 || f["severity"] != "info";
      EXPECT_FALSE(claims && contained(must_not, f)) << f;
    }
  }
}

TEST(DiffCasebook, CasesOfDiff) {
  const auto cases = cases_of_diff(fs::path(DEPSCOPE_TEST_DATA) / "book");
  EXPECT_THAT(cases, SizeIs(3));
  for (const fs::path& folder : cases) check_case(folder);
}

TEST(DiffCasebook, CasesOutsideTheProject) {
  const auto cases = cases_of_diff(fs::path(DEPSCOPE_SHARED) / "cases" / "book");
  if (cases.empty()) GTEST_SKIP() << "no cases here";
  for (const fs::path& folder : cases) check_case(folder);
}

}  // namespace
}  // namespace depscope::app
