// `depscope check --format sarif`: what the standard requires of a log, on every case of the casebook; exit status;
// docs/check.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "command_outcome.h"
#include "document_examples.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kBook = std::string(DEPSCOPE_TEST_DATA) + "/book/";

bool is_level(const json& level) { return level == "error" || level == "warning" || level == "note"; }

void expect_location(const json& location) {
  const std::string uri = location.at("physicalLocation").at("artifactLocation").at("uri");
  EXPECT_FALSE(uri.empty());
  constexpr std::string_view kUri = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/%:";
  EXPECT_EQ(uri.find_first_not_of(kUri), std::string::npos) << uri;
  if (location["physicalLocation"].contains("region")) {
    const json& region = location["physicalLocation"]["region"];
    EXPECT_TRUE(region.contains("startLine") || region.contains("byteOffset"));
    if (region.contains("startLine")) {
      EXPECT_GE(region["startLine"].get<int>(), 1);
    }
    if (region.contains("startColumn")) {
      EXPECT_GE(region["startColumn"].get<int>(), 1);
    }
  }
  std::set<json> names;
  for (const json& name : location.value("logicalLocations", json::array())) {
    EXPECT_FALSE(name.at("fullyQualifiedName").get<std::string>().empty());
    EXPECT_TRUE(names.insert(name).second) << "items are unique: " << name;
  }
}

void expect_rules(const json& rules) {
  std::set<std::string> ids;
  for (const json& rule : rules) {
    EXPECT_TRUE(ids.insert(rule.at("id")).second) << rule;
    EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
    EXPECT_TRUE(is_level(rule.at("defaultConfiguration").at("level")));
  }
}

/// Required properties and what section 3 says of their values.
void expect_log(const json& log) {
  EXPECT_EQ(log.at("$schema"), "https://json.schemastore.org/sarif-2.1.0.json");
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1U);
  const json& run = log["runs"][0];
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "depscope");
  EXPECT_FALSE(run["tool"]["driver"].at("version").get<std::string>().empty());
  EXPECT_FALSE(run["tool"]["driver"].contains("informationUri"));
  EXPECT_TRUE(run.at("invocations").at(0).at("executionSuccessful").is_boolean());
  const json& rules = run["tool"]["driver"].at("rules");
  expect_rules(rules);
  std::set<std::string> prints;
  std::size_t used = 0;
  for (const json& result : run.at("results")) {
    const std::size_t rule = result.at("ruleIndex");
    ASSERT_LT(rule, rules.size());
    EXPECT_LE(rule, used) << "rules come in the order of first use";
    used = std::max(used, rule + 1);
    EXPECT_EQ(result.at("ruleId"), rules[rule]["id"]);
    EXPECT_TRUE(is_level(result.at("level")));
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    ASSERT_EQ(result.at("locations").size(), 1U);
    expect_location(result["locations"][0]);
    const std::string print = result.at("partialFingerprints").at("depscope/1");
    EXPECT_EQ(print.size(), 16U);
    EXPECT_EQ(print.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(prints.insert(print).second) << result;
    EXPECT_TRUE(result.at("properties").is_object());
  }
  EXPECT_EQ(used, rules.size());
}

std::vector<std::string> options_of(const json& options) {
  std::vector<std::string> out;
  for (const auto& [key, value] : options.items()) {
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (value.is_object()) {
      for (const auto& [of, given] : value.items())
        out.insert(out.end(), {name, of + "=" + (given.is_string() ? given.get<std::string>() : given.dump())});
    } else if (!value.is_boolean()) {
      out.insert(out.end(), {name, value.is_string() ? value.get<std::string>() : value.dump()});
    } else if (value.get<bool>()) {
      out.push_back(name);
    }
  }
  return out;
}

Outcome check(const std::string& input, const std::string& format, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"check", input, "--format", format});
  return run_words(more);
}

TEST(SarifBook, EveryCaseGivesAValidLogWithTheFindingsOfTheCheck) {
  std::size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kBook)) {
    const json expect = json::parse(std::ifstream(entry.path() / "expect.json"), nullptr, false);
    if (!expect.is_object() || expect["command_kind"] != "check") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    const std::string input = (entry.path() / expect["input"].get<std::string>()).string();
    std::vector<std::string> options = options_of(expect.value("options", json::object()));
    options.emplace_back("--facts");
    const Outcome sarif = check(input, "sarif", options);
    const Outcome plain = check(input, "json", options);
    EXPECT_EQ(sarif.status, plain.status);
    EXPECT_EQ(sarif.err, plain.err);
    const json log = json::parse(sarif.out);
    expect_log(log);
    const json& results = log["runs"][0]["results"];
    const json findings = json::parse(plain.out)["findings"];
    ASSERT_EQ(results.size(), findings.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i]["ruleId"], findings[i]["kind"]);
      EXPECT_EQ(results[i]["message"]["text"], findings[i]["summary"]);
      EXPECT_EQ(results[i]["level"] == "note", findings[i]["severity"] == "info");
    }
    EXPECT_EQ(log["runs"][0]["invocations"][0]["executionSuccessful"], sarif.status != kBadInput);
    EXPECT_EQ(check(input, "sarif", options).out, sarif.out) << "the same bytes again";
  }
  EXPECT_GE(cases, 39U);
}

class SarifCommand : public TemporaryFolder {};

const std::string kWar = kBook + "01-war-reader-then-writer/input.py";

TEST_F(SarifCommand, PlacesAreThoseOfTheProgram) {
  const json result = json::parse(check(kWar, "sarif").out)["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "missing_order");
  EXPECT_EQ(result["level"], "warning");
  const json& location = result["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["region"], json::parse(R"({"startLine":18})"));
  EXPECT_THAT(location["physicalLocation"]["artifactLocation"]["uri"].get<std::string>(),
              HasSubstr("/book/01-war-reader-then-writer/input.py"));
  EXPECT_EQ(location["logicalLocations"],
            json::parse(R"([{"fullyQualifiedName":"probe#0","kind":"task"},{"fullyQualifiedName":"scale#1","kind":"task"},)"
                        R"({"fullyQualifiedName":"acc","kind":"variable"}])"));
  EXPECT_EQ(result["properties"]["hazard"], "WAR");
}

TEST_F(SarifCommand, FingerprintsStayWhenLinesMove) {
  std::ifstream file(kWar);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto print_of = [](const Outcome& o) {
    return json::parse(o.out)["runs"][0]["results"][0]["partialFingerprints"]["depscope/1"].get<std::string>();
  };
  const std::string moved = write("moved.py", "# one more line\n\n" + text);
  EXPECT_EQ(print_of(check(kWar, "sarif")), print_of(check(moved, "sarif")));
}

TEST_F(SarifCommand, ARecordingNamesTheFileItWasMadeOf) {
  const std::string recording = (folder_ / "x.depscope").string();
  ASSERT_EQ(run_words({"run", kWar, "-o", recording}).status, kDone);
  const Outcome o = check(recording, "sarif");
  EXPECT_EQ(o.status, kFindings);
  EXPECT_THAT(o.out, HasSubstr(R"("artifactLocation":{"uri":"input.py"},"region":{"startLine":18}})"));
}

TEST_F(SarifCommand, ADirectoryNamesTheDumpThatWasRun) {
  const std::string directory = std::string(DEPSCOPE_TEST_DATA) + "/dump_directory";
  const json log = json::parse(check(directory, "sarif", {"--facts"}).out);
  expect_log(log);
  ASSERT_FALSE(log["runs"][0]["results"].empty());
  const std::string uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
  EXPECT_THAT(uri, HasSubstr("/tests/data/dump_directory/"));
  EXPECT_TRUE(uri.ends_with(".py")) << uri;
}

TEST_F(SarifCommand, AnInputThatCannotBeReadGivesALogToo) {
  const std::string broken = write("broken.py", "import pypto.language as pl\n\n@pl.program\nclass A(\n");
  const Outcome o = check(broken, "sarif");
  EXPECT_EQ(o.status, kBadInput);
  EXPECT_THAT(o.err, HasSubstr("broken.py:4:8:"));
  const json log = json::parse(o.out);
  expect_log(log);
  EXPECT_EQ(log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"],
            json::parse(R"({"startLine":4,"startColumn":8})"));

  const std::string damaged = write("damaged.depscope", "PK\x03\x04 and no more");
  const Outcome container = check(damaged, "sarif");
  EXPECT_EQ(container.status, kBadInput);
  expect_log(json::parse(container.out));
  EXPECT_EQ(json::parse(container.out)["runs"][0]["results"].size(), 1U);
}

TEST_F(SarifCommand, FormatsAreNamedOnce) {
  EXPECT_EQ(check(kWar, "json").out, run_words({"check", kWar, "--json"}).out);
  EXPECT_EQ(check(kWar, "json", {"--json"}).out, run_words({"check", kWar, "--json"}).out);
  EXPECT_EQ(check(kWar, "text").out, run_words({"check", kWar}).out);
  for (const char* other : {"text", "sarif"}) {
    const Outcome both = check(kWar, other, {"--json"});
    EXPECT_EQ(both.status, kBadInput);
    EXPECT_THAT(both.err, HasSubstr(std::string("--json means --format json, and --format ") + other + " is given as well"));
  }
  const Outcome unknown = check(kWar, "xml");
  EXPECT_EQ(unknown.status, kBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("--format xml: no such format (formats: text, json, sarif)"));
  EXPECT_EQ(unknown.out, "");
}

class CheckDocument : public DocumentExamples {};

TEST_F(CheckDocument, EveryCommandPrintsWhatStandsThere) {
  ASSERT_NO_FATAL_FAILURE(read(DEPSCOPE_SAMPLES "/../docs/check.md"));
  EXPECT_EQ(examples_.size(), 2U);
  check_all();
}

}  // namespace
}  // namespace depscope::app
