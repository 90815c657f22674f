#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kChain = std::string(DEPSCOPE_TEST_DATA) + "/runtime/01_chain.trace.json";

using CommandLine = TemporaryFolder;

TEST_F(CommandLine, VersionHelpAndNothing) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.status, kDone);
  EXPECT_THAT(version.out, StartsWith("depscope "));
  EXPECT_THAT(version.out, HasSubstr("depscope.deps/1"));
  const Outcome help = run({"run", "--help"});
  EXPECT_EQ(help.status, kDone);
  EXPECT_THAT(help.out, HasSubstr("--reduce"));
  EXPECT_EQ(run({}).status, kBadInput);
}

TEST_F(CommandLine, HelpIsACommandToo) {
  EXPECT_EQ(run({"help"}).status, kDone);
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "explain"}).status, kDone);
  EXPECT_EQ(run({"help", "explain"}).out, run({"explain", "--help"}).out);
  for (const auto& arguments : std::vector<std::vector<const char*>>{{"help", "walk"}, {"help", "run", "explain"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, kBadInput);
    EXPECT_THAT(o.err, HasSubstr("a command was expected (commands: run, view, explain, "));
  }
}

TEST_F(CommandLine, ControlCharactersOfABrokenInputAreShown) {
  const std::string file = write("s.txt", std::string("0 \0\x1b[31m 1", 10));
  const Outcome o = run({"run", kChain.c_str(), "--schedule", ("list:" + file).c_str()});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("s.txt:1:3: \"\\x00\\x1b[31m\" is no choice: a number from 0 to 4294967295 was expected\n"));
}

TEST_F(CommandLine, NamesThatDoNotExistAreErrors) {
  const std::string program = DEPSCOPE_SAMPLES "/01_vector_add.py";
  for (const char* command : {"explain", "run", "check"}) {
    for (const auto& [option, message] : std::vector<std::pair<const char*, const char*>>{
             {"--entry=nope", "--entry nope: no such function (Orchestration functions: main)"},
             {"--entry=", "--entry '': no such function (Orchestration functions: main)"},
             {"--stop-after=", "pass '' is not in the list of passes to run (ConvertToSSA, Simplify, "},
             {"--stop-after=nope", "pass 'nope' is not in the list of passes to run (ConvertToSSA, "},
             {"--program=", "--program: an empty value is not allowed"},
             {"--profile=", "--profile: an empty value is not allowed"}}) {
      const Outcome o = run({command, program.c_str(), option});
      EXPECT_EQ(o.status, kBadInput) << command << ' ' << option;
      EXPECT_THAT(o.err, HasSubstr(message)) << command;
      EXPECT_EQ(o.out, "");
    }
    EXPECT_EQ(run({command, program.c_str(), "--entry", "main", "--stop-after", "Simplify#2"}).status == kBadInput, false);
  }
  const Outcome function = run({"explain", program.c_str(), "--function="});
  EXPECT_EQ(function.status, kBadInput);
  EXPECT_THAT(function.err, HasSubstr("--function '': no such function (Orchestration functions: main)"));
}

TEST_F(CommandLine, BadUsage) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"walk"}, {"run"}, {"run", "a", "b"}, {"run", "--no-such-option", "x"}, {"run", kChain.c_str(), "--seed", "x"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, kBadInput);
    EXPECT_THAT(o.err, StartsWith("depscope: error: "));
    EXPECT_EQ(o.out, "");
  }
  const Outcome reduced = run({"run", kChain.c_str(), "--edges", "maskbug", "--reduce", "exact"});
  EXPECT_EQ(reduced.status, kBadInput);
  EXPECT_THAT(reduced.err, HasSubstr("maskbug knows only WAIT and WAIT|RETAIN"));
}

TEST_F(CommandLine, RunPrintsJson) {
  const Outcome o = run({"run", kChain.c_str(), "--json", "--reduce", "bitmap:2"});
  EXPECT_EQ(o.status, kDone);
  EXPECT_EQ(o.err, "");
  const auto object = nlohmann::json::parse(o.out);
  EXPECT_EQ(object["schema"], "depscope.deps/1");
  EXPECT_EQ(object["tasks"].size(), 3U);
  EXPECT_EQ(object["window_misses"], 0);
  EXPECT_TRUE(object["findings"].empty());
  EXPECT_FALSE(object.contains("submissions"));
}

TEST_F(CommandLine, AnEmptyValueIsNotTheNextArgument) {
  EXPECT_EQ(run({"run", "--passes=", kChain.c_str()}).status, kDone);
  EXPECT_EQ(run({"run", "--passes", "", kChain.c_str()}).status, kDone);
}

TEST_F(CommandLine, RunPrintsASummary) {
  const Outcome o = run({"run", kChain.c_str()});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out, HasSubstr("Tasks: 3"));
  EXPECT_THAT(o.out, HasSubstr("creator"));
}

TEST_F(CommandLine, ARecordingGivesTheSameAnswerAsItsInput) {
  const std::string file = (folder_ / "x.depscope").string();
  const Outcome saved = run({"run", kChain.c_str(), "-o", file.c_str()});
  EXPECT_EQ(saved.status, kDone) << saved.err;
  EXPECT_EQ(run({"run", file.c_str(), "--json"}).out, run({"run", kChain.c_str(), "--json"}).out);
}

// A recording holds what a run said: it cannot be told to have been run otherwise.
TEST_F(CommandLine, OptionsOfProgramsDoNotGoWithRecordings) {
  const std::string file = (folder_ / "x.depscope").string();
  ASSERT_EQ(run({"run", kChain.c_str(), "-o", file.c_str()}).status, kDone);
  for (const char* option : {"--analyze-auto-scopes", "--profile=seed", "--entry=main", "--arg=n=1", "--stop-after=Simplify",
                             "--hazards=fixed", "--schedule=canonical", "--seed=1", "--granularity=coarse",
                             "--ring-task-window=8", "--ring-heap=4096", "--ring-dep-pool=8", "--check-invariants"}) {
    for (const char* command : {"run", "explain", "check"}) {
      const Outcome o = run({command, file.c_str(), option});
      EXPECT_EQ(o.status, kBadInput) << command << " " << option;
      EXPECT_THAT(o.err, HasSubstr("says how a program is run, and x.depscope is the recording of a run"));
      EXPECT_EQ(o.out, "");
    }
  }
  EXPECT_EQ(run({"explain", file.c_str()}).status, kDone);
}

TEST_F(CommandLine, PrintingAProgramWritesNothingElse) {
  const std::string program = write("p.py",
                                    "import pypto.language as pl\n\n@pl.program\nclass P:\n"
                                    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
                                    "    def main(self, x: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:\n"
                                    "        return x\n");
  EXPECT_EQ(run({"run", program.c_str(), "--print-plan"}).status, kDone);
  for (const char* print : {"--print-plan", "--print-ir"}) {
    const Outcome json = run({"run", program.c_str(), print, "--json"});
    EXPECT_EQ(json.status, kBadInput);
    EXPECT_THAT(json.err, HasSubstr("--json does not go with it"));
    const std::string file = (folder_ / "y.depscope").string();
    EXPECT_EQ(run({"run", program.c_str(), print, "-o", file.c_str()}).status, kBadInput);
    EXPECT_FALSE(std::filesystem::exists(file));
    const Outcome explain = run({"explain", program.c_str(), print});
    EXPECT_EQ(explain.status, kBadInput);
    EXPECT_THAT(explain.err, HasSubstr("belongs to 'run'"));
  }
}

TEST_F(CommandLine, InputErrorsAreFindingsToo) {
  const std::string path = write("cut.trace.json", "{\n \"tasks\": [{\"task_id\": \"0");
  const Outcome o = run({"run", path.c_str(), "--json"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err,
              StartsWith("depscope: error: " + path + ":2:26: at tasks[0].task_id: byte offset 27: unexpected end of JSON"));
  const auto finding = nlohmann::json::parse(o.out)["findings"][0];
  EXPECT_EQ(finding["kind"], "input_error");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["file"], path);
  EXPECT_EQ(finding["line"], 2);
  EXPECT_EQ(finding["column"], 26);
  EXPECT_EQ(finding["byte_offset"], 27);
  EXPECT_EQ(finding["exit_status"], 2);

  const std::string wrong = write("wrong.trace.json", R"({"tasks":[{"task_id":5}]})");
  const auto path_finding = nlohmann::json::parse(run({"run", wrong.c_str(), "--json"}).out)["findings"][0];
  EXPECT_EQ(path_finding["json_path"], "tasks[0].task_id");
}

TEST_F(CommandLine, InputsThatAreNoInputs) {
  const std::string text = write("note.txt", "hello");
  const std::string missing = (folder_ / "missing.trace.json").string();
  const std::string broken = write("broken.depscope", "not a recording");
  for (const std::string& path : {text, missing, broken}) {
    const Outcome o = run({"run", path.c_str()});
    EXPECT_EQ(o.status, kBadInput) << path;
    EXPECT_THAT(o.err, HasSubstr(path));
  }
}

TEST_F(CommandLine, AFailedRunLeavesNoOutput) {
  const std::string path = write("cut.trace.json", "{\"tasks\": [");
  const std::string file = (folder_ / "x.depscope").string();
  EXPECT_EQ(run({"run", path.c_str(), "-o", file.c_str()}).status, kBadInput);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(CommandLine, UnknownCommandsAreNamed) {
  const Outcome o = run({"frobnicate", "a", "b"});
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, StartsWith("depscope: error: unknown command 'frobnicate' (commands: run, view, explain, replay, "));
}

}  // namespace
}  // namespace depscope::app
