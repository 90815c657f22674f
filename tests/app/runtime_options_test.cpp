// Options of the runtime model and flags of dependencies, from the command line to what is printed and recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_outcome.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using RuntimeOptions = TemporaryFolder;

const std::string kChain = std::string(DEPSCOPE_TEST_DATA) + "/runtime/01_chain.trace.json";

std::string program(const std::string& launches) {
  return "import pypto.language as pl\n\n@pl.program\nclass P:\n"
         "    @pl.function(type=pl.FunctionType.AIV)\n"
         "    def put(self, out: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n        return out\n\n"
         "    @pl.function(type=pl.FunctionType.AIV)\n"
         "    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:\n        return x\n\n"
         "    @pl.function(type=pl.FunctionType.Orchestration)\n"
         "    def main(self, a: pl.Out[pl.Tensor[[64], pl.FP32]], b: pl.Out[pl.Tensor[[64], pl.FP32]], c: pl.Tensor[[64], "
         "pl.FP32]):\n"
         "        p, t = pl.submit(self.put, a)\n        q, u = pl.submit(self.put, b)\n" +
         launches;
}

std::string option_of(const std::string& file, std::string_view name) {
  const recording::Recording r = replay::load(file);
  for (std::uint32_t i = 0; i < r.options.rows(); ++i) {
    if (r.text(r.options.name[i]) == name) return std::string(r.text(r.options.value[i]));
  }
  return "not recorded";
}

TEST_F(RuntimeOptions, FlagsOfDependenciesAreInThePairs) {
  const std::string path =
      write("p.py",
            program("        g, v = pl.submit(self.get, c, deps=[t, u], attrs={\"dep_flags\": [\"wait\", \"retain\"]})\n"
                    "        h, w = pl.submit(self.get, c, deps=[t, v], attrs={\"dep_flags\": [\"none\", \"wait|retain\"]})\n"));
  const Outcome o = run({"run", path.c_str(), "--json", "--reduce", "none"});
  ASSERT_EQ(o.status, kDone) << o.err;
  const json object = json::parse(o.out);
  std::string pairs;
  for (const json& pair : object["pairs"]) {
    pairs += pair["pred"].get<std::string>() + ">" + pair["succ"].get<std::string>() + pair["flags"].dump() +
             pair["provenance"].dump() + " ";
  }
  const std::string ring = "42949672";  // ring 1
  EXPECT_EQ(pairs, ring + "96>" + ring + R"(98["wait"]["user"] )" + ring + "97>" + ring + R"(98["retain"]["user"] )" + ring +
                       "96>" + ring + R"(99[]["user"] )" + ring + "98>" + ring + R"(99["wait","retain"]["user"] )");
}

TEST_F(RuntimeOptions, WrongFlagsAreInputErrorsWithTheirPlace) {
  const std::string path =
      write("p.py", program("        g, v = pl.submit(self.get, c, deps=[t, u], attrs={\"dep_flags\": [\"wait\"]})\n"));
  for (const char* command : {"run", "explain", "check"}) {
    const Outcome o = run({command, path.c_str()});
    EXPECT_EQ(o.status, kBadInput) << command;
    EXPECT_THAT(o.err, HasSubstr(path + ":17:72: dep_flags has 1 entry for 2 of deps=")) << command;
  }
}

TEST_F(RuntimeOptions, FilesAreRecordedByNameAndDigest) {
  const std::string timing = write("kernels.json", R"({"schema": "depscope.timing/1", "kernels": {"0": 5}})");
  const std::string other = write("other.json", R"({"schema": "depscope.timing/1", "kernels": {"0": 6}})");
  const std::string schedule = "list:" + write("choices.txt", "0 1 2\n");
  const std::string file = (folder_ / "x.depscope").string();
  const Outcome o = run({"run", kChain.c_str(), "--timing", timing.c_str(), "--schedule", schedule.c_str(), "-o", file.c_str()});
  ASSERT_EQ(o.status, kDone) << o.err;
  const std::string first = option_of(file, "timing");
  EXPECT_THAT(first, ::testing::MatchesRegex("kernels.json [0-9a-f]{16}"));
  EXPECT_THAT(option_of(file, "schedule"), ::testing::MatchesRegex("list:choices.txt [0-9a-f]{16}"));
  ASSERT_EQ(run({"run", kChain.c_str(), "--timing", other.c_str(), "-o", file.c_str()}).status, kDone);
  EXPECT_NE(option_of(file, "timing").substr(option_of(file, "timing").find(' ')), first.substr(first.find(' ')));
}

TEST_F(RuntimeOptions, ProgramsTakeTimingsToo) {
  const std::string path = write("p.py", program("        g, v = pl.submit(self.get, c, deps=[t, u])\n"));
  const std::string timing = write("kernels.json", R"({"kernels": {"put": 5, "get": "never"}, "default": 2})");
  EXPECT_EQ(run({"run", path.c_str(), "--timing", timing.c_str()}).status, kDone);
}

TEST_F(RuntimeOptions, FilesThatAreWrongAreInputErrors) {
  const std::string timing = write("t.json", R"({"kernels": {"a": 0}})");
  const Outcome wrong_timing = run({"run", kChain.c_str(), "--timing", timing.c_str()});
  EXPECT_EQ(wrong_timing.status, kBadInput);
  EXPECT_THAT(wrong_timing.err, HasSubstr(timing + ":1:19: at kernels.a: "));
  const std::string choices = write("s.txt", "0 1\nx\n");
  const Outcome wrong_choices = run({"run", kChain.c_str(), "--schedule", ("list:" + choices).c_str()});
  EXPECT_EQ(wrong_choices.status, kBadInput);
  EXPECT_THAT(wrong_choices.err, HasSubstr(choices + ":2:1: \"x\" is no choice"));
  EXPECT_EQ(run({"run", kChain.c_str(), "--schedule", "list:/no/such/file"}).status, kBadInput);
  EXPECT_EQ(run({"run", kChain.c_str(), "--timing", "/no/such/file"}).status, kBadInput);
  const Outcome limits = run({"run", kChain.c_str(), "--ring-heap", "1000"});
  EXPECT_EQ(limits.status, kBadInput);
  EXPECT_THAT(limits.err, HasSubstr("--ring-heap: 1000 is not allowed; allowed: a number from 1024 to 8796093022208"));
}

TEST_F(RuntimeOptions, MoreThanAPoolEverHoldsIsSaid) {
  const std::string wide = std::string(DEPSCOPE_TEST_DATA) + "/runtime/15_explicit_65.trace.json";
  const Outcome o = run({"check", wide.c_str(), "--ring-dep-pool", "64", "--json"});
  EXPECT_EQ(o.status, kFindings) << o.err;
  EXPECT_THAT(o.out,
              HasSubstr("for 65 nodes of the dep pool of ring 0: 0 of 64 in use (error 4, dep-pool overflow); it can never "
                        "hold that many\",\"resource\":\"dep_pool\",\"ring\":0,\"error_code\":4,"));
  EXPECT_THAT(o.out, HasSubstr("\"class\":\"structural\""));
}

TEST_F(RuntimeOptions, OnlyTasksOfTheFullRingAreCounted) {
  std::string tasks;
  for (const char* id : {"0", "4294967296", "1", "4294967297", "2", "4294967298", "3"}) {
    tasks +=
        (tasks.empty() ? "" : ",") + (R"({"task_id":")" + std::string(id) +
                                      R"(","scope":"auto","kernel_ids":[-1,0,-1],"block_num":1,"explicit_deps":[],"args":[]})");
  }
  const std::string path = write("rings.trace.json", R"({"tasks":[)" + tasks + "]}");
  const Outcome o = run({"check", path.c_str(), "--ring-task-window", "4,8,4,4", "--json"});
  EXPECT_EQ(o.status, kFindings) << o.err;
  EXPECT_THAT(o.out, HasSubstr(R"("limit":3,"counted":["task 0","task 1","task 2"])"));
}

TEST_F(RuntimeOptions, TheChoicesThatWereMadeAreWritten) {
  const std::string file = (folder_ / "choices.txt").string();
  ASSERT_EQ(run({"run", kChain.c_str(), "--save-schedule", file.c_str()}).status, kDone);
  const Outcome again = run({"run", kChain.c_str(), "--schedule", ("list:" + file).c_str(), "--json"});
  EXPECT_EQ(again.status, kDone) << again.err;
  EXPECT_EQ(again.out, run({"run", kChain.c_str(), "--json"}).out);
  const std::string nowhere = (folder_ / "no" / "choices.txt").string();
  EXPECT_EQ(run({"run", kChain.c_str(), "--save-schedule", nowhere.c_str()}).status, kBadInput);
  const std::string both = (folder_ / "both").string();
  const Outcome one = run({"run", kChain.c_str(), "-o", both.c_str(), "--save-schedule", both.c_str()});
  EXPECT_EQ(one.status, kBadInput);
  EXPECT_THAT(one.err, HasSubstr("--output and --save-schedule name one file"));
  EXPECT_FALSE(std::filesystem::exists(both));
}

TEST_F(RuntimeOptions, TheChoicesAreOfARun) {
  const std::string path = write("p.py", program(""));
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{"explain", path.c_str(), "--save-schedule", "x"},
                                             {"diff", path.c_str(), path.c_str(), "--save-schedule", "x"},
                                             {"run", path.c_str(), "--print-ir", "--save-schedule", "x"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, kBadInput) << arguments[0];
    EXPECT_THAT(o.err, HasSubstr("--save-schedule"));
    EXPECT_FALSE(std::filesystem::exists("x"));
  }
}

}  // namespace
}  // namespace depscope::app
