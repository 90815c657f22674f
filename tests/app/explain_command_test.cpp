// `depscope explain`: the casebook's cases of this command, wrappers, and what is selected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command_outcome.h"
#include "depscope/base/diagnostics.h"
#include "depscope/replay/explain_text.h"
#include "depscope/replay/facts_json.h"
#include "depscope/replay/file.h"
#include "open_input.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

json read_json(const fs::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

Outcome run_with(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  return run(pointers);
}

// ---------------------------------------------------------------- the casebook

/// What is expected stands in what was found: objects may say more, lists have the same items in any order.
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

/// Of an input error the casebook compares the place, not the words, and the name of the file without its folder.
json comparable(json expected) {
  expected.erase("what");
  expected.erase("file");
  return expected;
}

std::vector<fs::path> cases_of(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "expect.json") && read_json(entry.path() / "expect.json")["command_kind"] == "explain")
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void check_case(const fs::path& folder) {
  SCOPED_TRACE(folder.filename().string());
  const json expect = read_json(folder / "expect.json");
  std::vector<std::string> arguments{"explain", (folder / expect["input"].get<std::string>()).string(), "--json"};
  for (const auto& [name, value] : expect["options"].items()) {
    std::string option = "--" + name;
    std::replace(option.begin(), option.end(), '_', '-');
    arguments.push_back(option);
    if (!value.is_boolean()) arguments.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  }
  const Outcome outcome = run_with(arguments);
  const json findings = json::parse(outcome.out)["findings"];
  for (const json& must : expect["must"]) {
    const bool found = std::any_of(findings.begin(), findings.end(),
                                   [&](const json& finding) { return contained(comparable(must), comparable(finding)); });
    EXPECT_TRUE(found) << "missing: " << must.dump() << "\nfound: " << findings.dump(1);
    if (must.contains("exit_status")) {
      EXPECT_EQ(outcome.status, must["exit_status"]);
    }
  }
  for (const json& must_not : expect["must_not"]) {
    for (const json& finding : findings) EXPECT_FALSE(contained(must_not, finding)) << "false alarm: " << finding.dump();
  }
}

TEST(Casebook, CasesOfExplain) {
  const auto cases = cases_of(fs::path(DEPSCOPE_TEST_DATA) / "book");
  EXPECT_GE(cases.size(), 8U);
  for (const fs::path& folder : cases) check_case(folder);
}

TEST(Casebook, CasesOutsideTheProject) {
  const auto cases = cases_of(fs::path(DEPSCOPE_SHARED) / "cases" / "book");
  if (cases.empty()) GTEST_SKIP() << "no cases here";
  for (const fs::path& folder : cases) check_case(folder);
}

// ---------------------------------------------------------------- wrappers

/// Runs of program cases that tell of wrappers; returns how many there were.
int check_wrappers(const fs::path& folder) {
  int runs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".expected.json")) continue;
    const json expected = read_json(path);
    for (const json& one : expected["runs"]) {
      if (!one.contains("wrappers")) continue;
      SCOPED_TRACE(path + " after " + one["after"].get<std::string>());
      ++runs;
      std::string passes;
      for (const json& pass : one["passes"]) passes += (passes.empty() ? "" : ",") + pass.get<std::string>();
      const std::string program = path.substr(0, path.size() - std::string(".expected.json").size()) + ".py";
      std::vector<std::string> arguments{"explain", program, "--json", "--profile", "upstream-2026-08", "--passes", passes};
      if (one["analyze_auto_scopes"].get<bool>()) arguments.emplace_back("--analyze-auto-scopes");
      const json got = json::parse(run_with(arguments).out);
      EXPECT_EQ(got["wrappers"].size(), one["wrappers"].size());
      for (const auto& [name, wrapper] : one["wrappers"].items()) {
        if (!got["wrappers"].contains(name)) {
          ADD_FAILURE() << "no " << name;
          continue;
        }
        EXPECT_TRUE(contained(wrapper, got["wrappers"][name]))
            << got["wrappers"][name].dump() << "\ninstead of " << wrapper.dump();
        EXPECT_EQ(got["wrappers"][name]["param_directions"], wrapper["param_directions"]) << name;
        EXPECT_FALSE(got["functions"].contains(name)) << name;  // they are no orchestrations
      }
    }
  }
  return runs;
}

TEST(Wrappers, SignaturesAndCalls) { EXPECT_GE(check_wrappers(fs::path(DEPSCOPE_TEST_DATA) / "programs"), 16); }

TEST(Wrappers, CasesOutsideTheProject) {
  const fs::path folder = fs::path(DEPSCOPE_SHARED) / "cases" / "programs";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no cases here";
  EXPECT_GT(check_wrappers(folder), 0);
}

// ---------------------------------------------------------------- recordings

/// What the passes say of any program can be written and read back, and reads the same. Returns how many programs there were.
int check_recordings(const fs::path& folder, const fs::path& scratch) {
  int programs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".py") continue;
    ++programs;
    for (const Profile profile : {Profile::Seed, Profile::Upstream2026_08}) {
      SCOPED_TRACE(entry.path().string());
      RunOptions options;
      options.profile = profile;
      options.analyze_auto_scopes = true;
      try {
        const Opened opened = open_input(entry.path().string(), options, Depth::Passes);
        const std::string file = (scratch / "r.depscope").string();
        replay::save(opened.recording, file);
        const recording::Recording loaded = replay::load(file);
        EXPECT_EQ(replay::facts_json(loaded), replay::facts_json(opened.recording));
        EXPECT_EQ(replay::explain_text(loaded), replay::explain_text(opened.recording));
        EXPECT_TRUE(json::accept(replay::facts_json(loaded)));
      } catch (const InputError& e) {
        continue;  // some cases are refused
      }
    }
  }
  return programs;
}

class ExplainedRecordings : public TemporaryFolder {};

TEST_F(ExplainedRecordings, OfTheProgramCases) {
  EXPECT_GT(check_recordings(fs::path(DEPSCOPE_TEST_DATA) / "programs", folder_), 50);
}

TEST_F(ExplainedRecordings, OfTheSamples) { EXPECT_GT(check_recordings(DEPSCOPE_SAMPLES, folder_), 5); }

TEST_F(ExplainedRecordings, OfCasesOutsideTheProject) {
  const fs::path folder = fs::path(DEPSCOPE_SHARED) / "cases" / "programs";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no cases here";
  EXPECT_GT(check_recordings(folder, folder_), 0);
}

// ---------------------------------------------------------------- selections

constexpr const char* kProgram = R"(import pypto.language as pl


@pl.program
class Two:
    @pl.function(type=pl.FunctionType.AIV)
    def put(self, x: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.AIV)
    def get(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32]):
        p = self.put(a)
        q = self.get(b)
        g = self.get(p)

    @pl.function(type=pl.FunctionType.Orchestration)
    def other(self, a: pl.Tensor[[64], pl.FP32]):
        z = self.put(a)
)";

class ExplainCommandTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    program_ = write("two.py", kProgram);
  }
  [[nodiscard]] Outcome explain(std::vector<std::string> more) const {
    more.insert(more.begin(), {"explain", program_, "--analyze-auto-scopes"});
    return run_with(more);
  }
  std::string program_;
};

TEST_F(ExplainCommandTest, TextOfAllFunctions) {
  const Outcome o = explain({});
  EXPECT_EQ(o.status, kDone) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("\nmain (line 15): 3 call sites\n"), HasSubstr("\nother (line 21): 1 call site\n"),
                           HasSubstr("    2   call of get (line 18), MANUAL scope 0\n"
                                     "        p  In -> input (callee_in) -> no_dep: an edge orders every hazard\n"
                                     "        compiler edge p from call 0 put (line 16), id made up for a call without one; "
                                     "covers RAW on\n          p\n"
                                     "        RAW on p = a after call 0 put (line 16), argument a: compiler edge p\n")));
}

TEST_F(ExplainCommandTest, OneFunctionOneCall) {
  const Outcome function = explain({"--function", "other"});
  EXPECT_EQ(function.status, kDone) << function.err;
  EXPECT_THAT(function.out, AllOf(HasSubstr("other (line 21)"), Not(HasSubstr("main (line"))));

  const Outcome call = explain({"--function", "main", "--call", "2"});
  EXPECT_THAT(call.out, AllOf(HasSubstr("      accesses\n        R p a, known by g__ssa_v0, region 0: recorded\n"),
                              HasSubstr("different_roots: 1 (accesses of b)\n"), Not(HasSubstr("call of put (line 16), "))));
  const json facts = json::parse(explain({"--function", "main", "--call", "2", "--json"}).out);
  EXPECT_EQ(facts["functions"].size(), 1U);
  ASSERT_EQ(facts["functions"]["main"]["calls"].size(), 1U);
  EXPECT_EQ(facts["functions"]["main"]["calls"][0]["index"], 2);
  EXPECT_EQ(facts["functions"]["main"]["accesses"].size(), 1U);
}

TEST_F(ExplainCommandTest, WhatIsNotThereIsBadUsage) {
  const Outcome function = explain({"--function", "none"});
  EXPECT_EQ(function.status, kBadInput);
  EXPECT_THAT(function.err, HasSubstr("--function none: no such function (Orchestration functions: main, other)"));
  const Outcome call = explain({"--function", "main", "--call", "3"});
  EXPECT_EQ(call.status, kBadInput);
  EXPECT_THAT(call.err, HasSubstr("--call 3: 'main' has 3 call sites, counted from 0"));
  const Outcome which = explain({"--call", "0"});
  EXPECT_EQ(which.status, kBadInput);
  EXPECT_THAT(which.err, HasSubstr("which function? Choose with --function"));
  EXPECT_EQ(explain({"--call", "x"}).status, kBadInput);
}

TEST_F(ExplainCommandTest, ARecordingExplainsItselfInTheSameWords) {
  const std::string file = (folder_ / "x.depscope").string();
  ASSERT_EQ(run_with({"run", program_, "--analyze-auto-scopes", "--entry", "main", "-o", file}).status, kDone);
  EXPECT_EQ(run_with({"explain", file}).out, explain({}).out);
  EXPECT_EQ(run_with({"explain", file, "--function", "main", "--call", "2"}).out,
            explain({"--function", "main", "--call", "2"}).out);
  EXPECT_EQ(json::parse(run_with({"explain", file, "--json"}).out)["functions"],
            json::parse(explain({"--json"}).out)["functions"]);
}

TEST_F(ExplainCommandTest, LongProgramsAreCutShort) {
  std::string text = kProgram;
  for (int i = 0; i < 200; ++i) text += "        y = self.get(z)\n";
  const std::string path = write("long.py", text);
  const Outcome o = run_with({"explain", path, "--analyze-auto-scopes"});
  EXPECT_THAT(o.out, HasSubstr("    … and 181 more; use --function other, or --call N for one of them\n"));
  EXPECT_LT(std::count(o.out.begin(), o.out.end(), '\n'), 200);
  EXPECT_GT(run_with({"explain", path, "--analyze-auto-scopes", "--function", "other"}).out.size(), 10 * o.out.size() / 2);
}

}  // namespace
}  // namespace depscope::app
