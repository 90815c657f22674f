// The commands on programs and on dump directories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

const std::string kDumps = std::string(DEPSCOPE_TEST_DATA) + "/dump_directory";

constexpr const char* kKernels = R"(import pypto.language as pl


@pl.program
class First:
    @pl.function(type=pl.FunctionType.AIV)
    def mod(self, a: pl.InOut[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return a

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        for i in pl.range(0, n):
            a = self.mod(a)

    @pl.function(type=pl.FunctionType.Orchestration)
    def other(self, a: pl.Tensor[[64], pl.FP32]):
        a = self.mod(a)
        a = self.mod(a)
)";

constexpr const char* kSecond = R"(

@pl.program
class Second:
    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64], pl.FP32]):
        self.get(x)
)";

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> kinds_of(const json& findings) {
  std::vector<std::string> out;
  for (const json& f : findings) out.push_back(f["kind"]);
  return out;
}

std::string submissions_of(const Outcome& o) {
  std::string out;
  const json object = json::parse(o.out);
  for (const json& s : object["submissions"]) out += (out.empty() ? "" : " ") + s["callee"].get<std::string>();
  return out;
}

class ProgramCommands : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    one_ = write("one.py", kKernels);
    two_ = write("two.py", std::string(kKernels) + kSecond);
  }

  std::string one_, two_;
};

// ---------------------------------------------------------------- run

TEST_F(ProgramCommands, RunNeedsWhatControlFlowNeeds) {
  const Outcome missing = run({"run", one_.c_str(), "--json"});
  EXPECT_EQ(missing.status, kBadInput);
  EXPECT_THAT(missing.err, StartsWith("depscope: error: " + one_ + ":12:30: needs_data: the end of this loop depends on 'n'"));
  const json object = json::parse(missing.out);
  EXPECT_EQ(object["schema"], "depscope.deps/1");
  EXPECT_EQ(object["findings"][0]["kind"], "input_error");
  EXPECT_EQ(object["findings"][0]["line"], 12);
  EXPECT_EQ(object["findings"][0]["exit_status"], 2);

  const Outcome given = run({"run", one_.c_str(), "--json", "--arg", "n=3"});
  EXPECT_EQ(given.status, kDone) << given.err;
  EXPECT_EQ(submissions_of(given), "mod mod mod");
  EXPECT_EQ(json::parse(given.out)["pairs"].size(), 2U);
}

TEST_F(ProgramCommands, MaxTasksGivesUpWithoutAnOutput) {
  const std::string out = (folder_ / "out.depscope").string();
  const Outcome o = run({"run", one_.c_str(), "--arg", "n=20", "--max-tasks", "10", "-o", out.c_str()});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, StartsWith("depscope: error: " + one_ + ":13:13: more than the limit of 10 tasks (--max-tasks)"));
  EXPECT_EQ(o.out, "");
  EXPECT_FALSE(fs::exists(out));
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("one.py", "two.py"));

  const Outcome object = run({"run", one_.c_str(), "--arg", "n=20", "--max-tasks", "10", "--json"});
  EXPECT_EQ(object.status, kBadInput);
  EXPECT_EQ(json::parse(object.out)["findings"][0]["line"], 13);
  EXPECT_EQ(json::parse(object.out).count("tasks"), 0U);

  EXPECT_EQ(run({"run", one_.c_str(), "--arg", "n=10", "--max-tasks", "10"}).status, kDone);
  EXPECT_THAT(run({"run", one_.c_str(), "--arg", "n=1", "--max-tasks", "0"}).err,
              HasSubstr("--max-tasks: \"0\" is not allowed; allowed: a number from 1"));
  EXPECT_EQ(run({"run", one_.c_str(), "--arg", "n=1", "--max-tasks", "many"}).status, kBadInput);
  EXPECT_EQ(run({"run", one_.c_str(), "--arg", "n=1", "--max-tasks", "-1"}).status, kBadInput);
}

TEST_F(ProgramCommands, EntriesAndPrograms) {
  EXPECT_EQ(submissions_of(run({"run", one_.c_str(), "--json", "--entry", "other"})), "mod mod");
  const Outcome unknown = run({"run", one_.c_str(), "--entry", "none"});
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("--entry none: no such function (Orchestration functions: main, other)"));

  EXPECT_EQ(submissions_of(run({"run", two_.c_str(), "--json", "--program", "Second"})), "get");
  const Outcome first = run({"run", two_.c_str(), "--json", "--arg", "n=1"});
  EXPECT_EQ(submissions_of(first), "mod");
  EXPECT_THAT(first.out, AllOf(HasSubstr("other_programs"), HasSubstr("'First' was run; choose with --program")));
  const Outcome none = run({"run", two_.c_str(), "--program", "Third"});
  EXPECT_EQ(none.status, kBadInput);
  EXPECT_THAT(none.err, HasSubstr("--program Third: no such program in this file (it has First, Second)"));
}

TEST_F(ProgramCommands, PrintIrAndStopAfter) {
  const auto printed = [&](const std::string& passes, const std::string& stop) {
    std::vector<const char*> arguments{"run", one_.c_str(), "--print-ir"};
    if (passes != "default") arguments.insert(arguments.end(), {"--passes", passes.c_str()});
    if (!stop.empty()) arguments.insert(arguments.end(), {"--stop-after", stop.c_str()});
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, kDone) << o.err;
    return o.out;
  };
  const std::string none = printed("", "");
  EXPECT_THAT(none, AllOf(HasSubstr("class First:"), Not(HasSubstr("__ssa_")), HasSubstr("def other(")));
  EXPECT_THAT(printed("default", "ConvertToSSA"), AllOf(HasSubstr("__ssa_"), Not(HasSubstr("arg_directions"))));
  EXPECT_THAT(printed("default", "Simplify"), Not(HasSubstr("arg_directions")));
  EXPECT_THAT(printed("default", "Simplify#2"), AllOf(HasSubstr("arg_directions"), Not(HasSubstr("pl.scope()"))));
  EXPECT_THAT(printed("default", ""), HasSubstr("with pl.scope()"));
  // What is printed is a program again, and the same one.
  const std::string again = write("again.py", none);
  EXPECT_EQ(run({"run", again.c_str(), "--print-ir", "--passes", ""}).out, none);

  EXPECT_EQ(run({"run", one_.c_str(), "--stop-after", "Simplify#3"}).status, kBadInput);
  const Outcome unknown = run({"run", one_.c_str(), "--passes", "ConvertToSSA,NoSuchPass"});
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("NoSuchPass"));
  EXPECT_EQ(run({"run", one_.c_str(), "--passes", "ConvertToSSA,,Simplify"}).status, kBadInput);
}

TEST_F(ProgramCommands, WithoutPassesTheProgramRunsAsWritten) {
  EXPECT_EQ(submissions_of(run({"run", one_.c_str(), "--json", "--arg", "n=2", "--passes", ""})), "mod mod");
}

TEST_F(ProgramCommands, DumpedPassesAreADirectoryAgain) {
  const std::string folder = (folder_ / "passes_dump").string();
  const Outcome first =
      run({"run", one_.c_str(), "--json", "--arg", "n=2", "--dump-passes", folder.c_str(), "--profile", "upstream-2026-08"});
  EXPECT_EQ(first.status, kDone) << first.err;
  EXPECT_TRUE(fs::exists(fs::path(folder) / "00_frontend.py"));
  EXPECT_TRUE(fs::exists(fs::path(folder) / "05_after_DeriveCallDirections.py"));
  // Both the directory and the one that holds it are inputs.
  for (const std::string& input : {folder, folder_.string()}) {
    const Outcome again = run({"run", input.c_str(), "--json", "--arg", "n=2"});
    EXPECT_EQ(again.status, kDone) << again.err;
    const json a = json::parse(first.out);
    const json b = json::parse(again.out);
    EXPECT_EQ(a["submissions"], b["submissions"]);
    EXPECT_EQ(a["edges"], b["edges"]);
    EXPECT_EQ(a["pairs"], b["pairs"]);
  }
  const std::string file = write("file", "");
  const Outcome refused = run({"run", one_.c_str(), "--arg", "n=2", "--dump-passes", (file + "/x").c_str()});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("cannot create the directory"));
}

TEST_F(ProgramCommands, TwoRunsWriteTheSameBytes) {
  const std::string a = (folder_ / "a.depscope").string();
  const std::string b = (folder_ / "b.depscope").string();
  for (const std::string& file : {a, b}) {
    ASSERT_EQ(run({"run", one_.c_str(), "--arg", "n=5", "--analyze-auto-scopes", "-o", file.c_str()}).status, kDone);
  }
  EXPECT_FALSE(bytes_of(a).empty());
  EXPECT_EQ(bytes_of(a), bytes_of(b));
  EXPECT_EQ(run({"run", a.c_str(), "--json"}).out,
            run({"run", one_.c_str(), "--arg", "n=5", "--analyze-auto-scopes", "--json"}).out);
}

TEST_F(ProgramCommands, AFailedRunWritesNothing) {
  const std::string file = (folder_ / "x.depscope").string();
  EXPECT_EQ(run({"run", one_.c_str(), "-o", file.c_str()}).status, kBadInput);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(ProgramCommands, EventsOfALongRunAreASummary) {
  const auto events = [&](const std::string& n, const std::string& level) {
    const std::string arg = "n=" + n;
    const Outcome o = run({"replay", one_.c_str(), "--arg", arg.c_str(), "--events", level.c_str(), "--json"});
    EXPECT_EQ(o.status, kDone) << o.err;
    return json::parse(o.out)["events"].get<std::uint64_t>();
  };
  EXPECT_EQ(events("100", "auto"), events("100", "full"));
  EXPECT_LT(events("100", "summary"), events("100", "full"));
  EXPECT_EQ(events("100001", "auto"), events("100001", "summary"));
}

TEST_F(ProgramCommands, ATextWithErrorsIsRefused) {
  const std::string path = write("bad.py", "import pypto.language as pl\n\n\n@pl.program\nclass Prog:\n    def main(self:\n");
  const Outcome o = run({"explain", path.c_str(), "--json"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, StartsWith("depscope: error: " + path + ":"));
  const json object = json::parse(o.out);
  EXPECT_EQ(object["schema"], "depscope.facts/1");
  EXPECT_EQ(object["findings"][0]["severity"], "error");
  EXPECT_GT(object["findings"][0]["line"], 0);
}

TEST_F(ProgramCommands, ALostEdgeIsAFindingOfAFinishedRun) {
  std::string text = kKernels;
  const std::string from = "            a = self.mod(a)\n";
  text.replace(text.find(from), from.size(),
               "            p, t = pl.submit(self.mod, a)\n        q, u = pl.submit(self.mod, a, deps=[t])\n");
  const std::string path = write("lost.py", text);
  const Outcome o = run({"run", path.c_str(), "--json", "--arg", "n=2"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_EQ(submissions_of(o), "mod mod");
  const json findings = json::parse(o.out)["findings"];
  const auto lost = std::find_if(findings.begin(), findings.end(), [](const json& f) { return f["kind"] == "user_edge_lost"; });
  ASSERT_NE(lost, findings.end());
  EXPECT_EQ((*lost)["severity"], "error");
  EXPECT_EQ((*lost)["consumer"]["callee"], "mod");
  EXPECT_EQ((*lost)["dep"], "t");
  EXPECT_EQ((*lost)["pass"], "codegen");
  EXPECT_EQ((*lost)["line"], 14);
}

// ---------------------------------------------------------------- explain

TEST_F(ProgramCommands, ExplainNeedsNoData) {
  const Outcome text = run({"explain", one_.c_str()});
  EXPECT_EQ(text.status, kDone) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Regions"));
  const Outcome o = run({"explain", one_.c_str(), "--json"});
  const json object = json::parse(o.out);
  EXPECT_EQ(object["schema"], "depscope.facts/1");
  EXPECT_EQ(object["functions"]["main"]["calls"][0]["callee"], "mod");
  EXPECT_EQ(object["functions"]["other"]["calls"].size(), 2U);
  // A recording explains itself in the same words.
  const std::string file = (folder_ / "x.depscope").string();
  ASSERT_EQ(run({"run", one_.c_str(), "--arg", "n=2", "-o", file.c_str()}).status, kDone);
  EXPECT_EQ(json::parse(run({"explain", file.c_str(), "--json"}).out)["functions"], object["functions"]);
}

// ---------------------------------------------------------------- replay

TEST_F(ProgramCommands, ReplayGoesToAnyEvent) {
  const auto at = [&](const std::string& to) {
    return run({"replay", one_.c_str(), "--arg", "n=3", "--json", "--to", to.c_str()});
  };
  const json start = json::parse(at("0").out);
  EXPECT_EQ(start["schema"], "depscope.replay/1");
  EXPECT_EQ(start["position"], 0);
  EXPECT_EQ(start["tasks_in_state"]["unborn"], 3);
  const std::uint64_t events = start["events"];
  const json end = json::parse(at(std::to_string(events)).out);
  EXPECT_EQ(end["tasks_in_state"]["consumed"], 3);
  EXPECT_NE(start["digest"], end["digest"]);
  EXPECT_EQ(json::parse(run({"replay", one_.c_str(), "--arg", "n=3", "--json"}).out), end);

  const Outcome beyond = at(std::to_string(events + 1));
  EXPECT_EQ(beyond.status, kBadInput);
  EXPECT_THAT(beyond.err, HasSubstr("the recording has " + std::to_string(events) + " events"));
  EXPECT_EQ(at("many").status, kBadInput);
  EXPECT_EQ(at("-1").status, kBadInput);
}

TEST_F(ProgramCommands, ReplayRoundTrip) {
  const Outcome o = run({"replay", one_.c_str(), "--arg", "n=3", "--round-trip"});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, HasSubstr("round trip: start "));
  const Outcome with_json = run({"replay", one_.c_str(), "--arg", "n=3", "--round-trip", "--json"});
  EXPECT_EQ(json::parse(with_json.out)["schema"], "depscope.replay/1");
}

// ---------------------------------------------------------------- dump directories

TEST_F(ProgramCommands, ADumpDirectoryStartsBeforeDeriveCallDirections) {
  const Outcome o = run({"run", kDumps.c_str()});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("OneCall (37_after_FuseCreateAssembleToSlice.py)"), HasSubstr("DeriveCallDirections")));
  EXPECT_EQ(submissions_of(run({"run", kDumps.c_str(), "--json"})), "scale");
  EXPECT_EQ(json::parse(run({"explain", kDumps.c_str(), "--json"}).out)["functions"]["main"]["calls"][0]["directions"],
            json({"input", "output_existing"}));
  const std::string start = kDumps + "/passes_dump/37_after_FuseCreateAssembleToSlice.py";
  EXPECT_EQ(run({"run", kDumps.c_str(), "--print-ir", "--passes", ""}).out,
            run({"run", start.c_str(), "--print-ir", "--passes", ""}).out);
}

TEST_F(ProgramCommands, AGapInADumpDirectoryIsAWarning) {
  EXPECT_THAT(kinds_of(json::parse(run({"run", kDumps.c_str(), "--json"}).out)["findings"]),
              Not(::testing::Contains("input_error")));
  fs::copy(fs::path(kDumps) / "passes_dump", folder_ / "dump");
  fs::remove(folder_ / "dump" / "38_after_DeriveCallDirections.py");
  const Outcome o = run({"run", (folder_ / "dump").c_str(), "--json"});
  EXPECT_EQ(o.status, kDone) << o.err;
  const json findings = json::parse(o.out)["findings"];
  const auto gap = std::find_if(findings.begin(), findings.end(),
                                [](const json& f) { return f["summary"].get<std::string>().starts_with("gap: no dump 38"); });
  ASSERT_NE(gap, findings.end());
  EXPECT_EQ((*gap)["severity"], "warning");
}

TEST_F(ProgramCommands, ADirectoryWithoutDumpsIsRefused) {
  fs::create_directory(folder_ / "empty");
  for (const char* name : {"38_after_.py", "notes.py", "99999999999_after_Simplify.py"}) {
    std::ofstream(folder_ / "empty" / name) << "x";
  }
  const Outcome o = run({"run", (folder_ / "empty").c_str(), "--json"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, AllOf(HasSubstr((folder_ / "empty").string()), HasSubstr("no pass dump here")));
  EXPECT_EQ(json::parse(o.out)["findings"][0]["kind"], "input_error");
}

}  // namespace
}  // namespace depscope::app
