// `depscope check`: exit status, text, JSON, what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kBook = std::string(DEPSCOPE_TEST_DATA) + "/book/";
const std::string kWar = kBook + "01-war-reader-then-writer/input.py";
const std::string kClean = kBook + "15-parallel-tiles-touch-clean/input.py";
const std::string kFalse = kBook + "21-declared-wider-than-touched/input.py";

std::vector<std::string> kinds_of(const json& object) {
  std::vector<std::string> out;
  for (const json& f : object["findings"]) out.push_back(f["kind"]);
  return out;
}

class CheckCommands : public TemporaryFolder {};

TEST_F(CheckCommands, TheExitStatusTellsWhetherAnythingIsWrong) {
  EXPECT_EQ(run({"check", kClean.c_str()}).status, kDone);
  EXPECT_EQ(run({"check", kWar.c_str()}).status, kFindings);
  EXPECT_EQ(run({"check", kFalse.c_str()}).status, kFindings);
  // Information is no alarm, whether it is printed or not.
  const Outcome facts = run({"check", kClean.c_str(), "--facts"});
  EXPECT_EQ(facts.status, kDone);
  EXPECT_THAT(facts.out, HasSubstr("info: "));
}

TEST_F(CheckCommands, TextNamesPlaceTasksBytesReasonAndChange) {
  const Outcome o = run({"check", kWar.c_str()});
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out,
              StartsWith("input.py:18: warning: missing order: scale#1 may overwrite acc while probe#0 still reads it (WAR)\n"));
  EXPECT_THAT(o.out, AllOf(HasSubstr("    first   probe#0 (task 4294967297, line 17) reads acc[0:64]"),
                           HasSubstr("    second  scale#1 (task 4294967298, line 18) reads and writes acc[0:64]"),
                           HasSubstr("    shared  256 bytes of acc, from byte 0\n"),
                           HasSubstr("    change  deps= on scale#1 naming probe#0 (line 18)\n"),
                           HasSubstr("0 errors, 1 warning, 1 pair without order\n")));
  EXPECT_THAT(run({"check", kClean.c_str()}).out, StartsWith("clean\n4 tasks, 0 edges;"));
}

TEST_F(CheckCommands, JsonIsTheFindingsContract) {
  const Outcome o = run({"check", kWar.c_str(), "--json"});
  EXPECT_EQ(o.status, kFindings);
  EXPECT_EQ(o.err, "");
  const json object = json::parse(o.out);
  EXPECT_EQ(object["schema"], "depscope.findings/1");
  ASSERT_THAT(kinds_of(object), ElementsAre("missing_order"));
  const json& f = object["findings"][0];
  EXPECT_EQ(f["severity"], "warning");
  EXPECT_EQ(f["hazard"], "WAR");
  EXPECT_EQ(f["buffer"], "acc");
  EXPECT_EQ(f["first"]["callee"], "probe");
  EXPECT_EQ(f["first"]["occurrence"], 0);
  EXPECT_EQ(f["second"]["task"], "4294967298");
  EXPECT_EQ(f["second"]["line"], 18);
  EXPECT_EQ(f["where"][0]["file"], "input.py");
  EXPECT_EQ(object["counts"]["warnings"], 1);
  EXPECT_EQ(object["counts"]["missing_order"], 1);
  EXPECT_EQ(object["counts"]["tasks"], 3);

  const json clean = json::parse(run({"check", kClean.c_str(), "--json"}).out);
  EXPECT_TRUE(clean["findings"].empty());
  EXPECT_EQ(clean["counts"]["errors"], 0);
}

TEST_F(CheckCommands, FactsAddInformation) {
  const json plain = json::parse(run({"check", kFalse.c_str(), "--json"}).out);
  const json facts = json::parse(run({"check", kFalse.c_str(), "--json", "--facts"}).out);
  const json all = json::parse(run({"check", kFalse.c_str(), "--json", "--facts=all"}).out);
  EXPECT_THAT(kinds_of(plain), Not(::testing::Contains("provenance")));
  EXPECT_EQ(
      std::count_if(facts["findings"].begin(), facts["findings"].end(), [](const json& f) { return f["kind"] == "provenance"; }),
      3);
  EXPECT_EQ(facts["findings"], all["findings"]);  // few enough
  EXPECT_EQ(plain["counts"], facts["counts"]);
  const Outcome unknown = run({"check", kFalse.c_str(), "--facts=some"});
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("--facts=some: only --facts and --facts=all are known"));
}

TEST_F(CheckCommands, ARecordingSaysWhatItsProgramSays) {
  const std::string file = (folder_ / "war.depscope").string();
  ASSERT_EQ(run({"run", kWar.c_str(), "-o", file.c_str()}).status, kDone);
  const Outcome program = run({"check", kWar.c_str(), "--json", "--facts"});
  const Outcome recording = run({"check", file.c_str(), "--json", "--facts"});
  EXPECT_EQ(recording.status, kFindings);
  EXPECT_EQ(recording.out, program.out);
  EXPECT_EQ(run({"check", file.c_str()}).out, run({"check", kWar.c_str()}).out);
}

TEST_F(CheckCommands, OptionsOfTheRunCount) {
  // With the analysis the compiler closes what the runtime cannot see.
  EXPECT_EQ(run({"check", kWar.c_str(), "--analyze-auto-scopes", "--profile", "upstream-2026-08"}).status, kDone);
  EXPECT_EQ(run({"check", kWar.c_str(), "--entry", "none"}).status, kBadInput);
  for (const char* option : {"--print-ir", "--print-plan"}) {
    const Outcome o = run({"check", kWar.c_str(), option});
    EXPECT_EQ(o.status, kBadInput) << option;
    EXPECT_THAT(o.err, HasSubstr(std::string(option) + " belongs to 'run'"));
  }
}

TEST_F(CheckCommands, WhatTheGeneratorRefusesIsAnAlarm) {
  const json object = json::parse(run({"check", (kBook + "42-id-of-a-closed-scope/input.py").c_str(), "--json"}).out);
  EXPECT_THAT(kinds_of(object), ::testing::Contains("user_edge_lost"));
  EXPECT_EQ(run({"check", (kBook + "42-id-of-a-closed-scope/input.py").c_str()}).status, kFindings);
}

TEST_F(CheckCommands, BadInputIsOneErrorWithItsPlace) {
  const Outcome missing = run({"check", (folder_ / "none.py").c_str()});
  EXPECT_EQ(missing.status, kBadInput);
  EXPECT_THAT(missing.err, AllOf(StartsWith("depscope: error: "), HasSubstr("none.py: cannot open: No such file or directory")));
  EXPECT_EQ(missing.out, "");

  const std::string broken = write("broken.py", "import pypto.language as pl\n\n@pl.program\nclass A(\n");
  const Outcome text = run({"check", broken.c_str(), "--json"});
  EXPECT_EQ(text.status, kBadInput);
  EXPECT_THAT(text.err, HasSubstr("broken.py:4:8:"));
  const json object = json::parse(text.out);
  EXPECT_EQ(object["schema"], "depscope.findings/1");
  EXPECT_THAT(kinds_of(object), ElementsAre("input_error"));
  EXPECT_EQ(object["findings"][0]["line"], 4);
  EXPECT_EQ(object["findings"][0]["exit_status"], 2);

  const std::string trace = kBook + "97-trace-cut-short/input.trace.json";
  const Outcome cut = run({"check", trace.c_str(), "--json"});
  EXPECT_EQ(cut.status, kBadInput);
  EXPECT_EQ(json::parse(cut.out)["findings"][0]["byte_offset"], 766);
}

TEST_F(CheckCommands, UsageErrors) {
  EXPECT_EQ(run({"check"}).status, kBadInput);
  EXPECT_EQ(run({"check", kWar.c_str(), kClean.c_str()}).status, kBadInput);
  EXPECT_EQ(run({"check", kWar.c_str(), "--no-such-option"}).status, kBadInput);
}

TEST_F(CheckCommands, HelpNamesItsOptions) {
  const Outcome o = run({"check", "--help"});
  EXPECT_EQ(o.status, kDone);
  EXPECT_EQ(o.err, "");
  EXPECT_THAT(o.out, AllOf(HasSubstr("Usage: depscope check"), HasSubstr("--json"), HasSubstr("--facts"), HasSubstr("--reduce")));
}

/// The submit that stops the run never becomes a task that touches anything.
TEST_F(CheckCommands, ASubmitThatFailedHalfWayIsNotJudged) {
  const std::string pipeline = std::string(DEPSCOPE_SAMPLES) + "/07_manual_pipeline.py";
  EXPECT_EQ(run({"check", pipeline.c_str()}).status, kDone);
  const Outcome o = run({"check", pipeline.c_str(), "--ring-dep-pool", "4", "--json"});
  EXPECT_EQ(o.status, kFindings);
  EXPECT_THAT(kinds_of(json::parse(o.out)), ElementsAre("deadlock"));
}

}  // namespace
}  // namespace depscope::app
