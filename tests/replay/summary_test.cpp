#include "depscope/replay/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "depscope/replay/facts_json.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FactsJsonTest, FactsOfTheOrchestrationFunctions) {
  const json facts = json::parse(facts_json(synthetic_recording({.tasks = 1})));
  EXPECT_EQ(facts["schema"], "depscope.facts/1");
  const json expected = json::parse(R"json({"main": {
    "kind": "Orchestration", "auto_scope": false, "compiler_manual_candidate": false,
    "calls": [{"index": 0, "kind": "submit", "callee": "fill", "results": ["_submit_tmp"], "line": 6, "args": ["scratch"],
               "directions_derived": ["output_existing"], "directions": ["output_existing"], "user_deps": [], "compiler_deps": [],
               "dummy": false, "loop_depth": 0, "scope_path": [0]},
              {"index": 1, "kind": "submit", "callee": "copy", "results": ["_submit_tmp"], "line": 7, "args": ["scratch"],
               "directions_derived": ["input"], "directions": ["no_dep"], "user_deps": [], "compiler_deps": ["fill_tid"],
               "dummy": false, "loop_depth": 0, "scope_path": [0]}],
    "scopes": [{"index": 0, "mode": "AUTO", "owner": "user", "parent": null}],
    "regions": [{"index": 0, "kind": "auto_scope", "outcome": "analysed", "reason": null, "offending_call": null,
                 "offending_arg": null, "parent": null}],
    "hazards": [{"prior": 0, "current": 1, "kind": ["RAW"], "root": "scratch", "verdict": "compiler_edge"}]}})json");
  EXPECT_EQ(facts["functions"], expected) << facts.dump(1);
  const json finding =
      json::parse(R"({"kind": "fallback", "severity": "info", "summary": "region 1 fell back", "function": "main",
    "region_kind": "auto_scope", "outcome": "fell_back"})");
  EXPECT_EQ(facts["findings"], json::array({finding}));
}

TEST(FactsJsonTest, NoDirectionsBeforeTheyAreDerived) {
  recording::Recording r = synthetic_recording({.tasks = 1});
  for (auto& value : r.arguments.direction) value = 0;
  for (auto& value : r.arguments.derived) value = 0;
  const json facts = json::parse(facts_json(r));
  EXPECT_EQ(facts["functions"]["main"]["calls"][0]["directions"], json::array());
  EXPECT_EQ(facts["functions"]["main"]["calls"][0]["args"], json::array({"scratch"}));
}

TEST(FactsJsonTest, TextThatIsNotUtf8DoesNotStopIt) {
  recording::Recording r = synthetic_recording({.tasks = 1});
  r.functions.name[0] = r.strings.add("bad\xff");
  EXPECT_EQ(json::parse(facts_json(r))["functions"].size(), 1U);
}

TEST(SummaryTextTest, PlainText) {
  const std::string text = summary_text(synthetic_recording({.tasks = 40}));
  EXPECT_THAT(text, HasSubstr("Demo (demo.py)\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  frontend                   input\n  ConvertToSSA               no-op\n  AutoDeriveTaskDependencies changed\n"));
  EXPECT_THAT(text, HasSubstr("  main auto_scope 0 analysed\n"));
  EXPECT_THAT(text, HasSubstr("Tasks: 40\n"));
  EXPECT_THAT(text, HasSubstr("(barrier) 2\n"));
  EXPECT_THAT(text, HasSubstr("  info fallback region 1 fell back line 5\n"));
}

TEST(SummaryTextTest, MarkdownAndLimits) {
  const std::string text = summary_text(synthetic_recording({.tasks = 40}), {.markdown = true, .max_rows = 2});
  EXPECT_THAT(text, HasSubstr("# Demo (demo.py)\n"));
  EXPECT_THAT(text, HasSubstr("| pass | result |\n| --- | --- |\n| frontend | input |\n"));
  EXPECT_THAT(text, HasSubstr("… and 1 more\n"));
  EXPECT_THAT(text, HasSubstr("Options: profile=seed.\n"));
}

TEST(SummaryTextTest, EmptySectionsAreLeftOut) {
  const std::string text = summary_text(synthetic_recording({.tasks = 4, .program = false}));
  EXPECT_THAT(text, Not(HasSubstr("Passes")));
  EXPECT_THAT(text, Not(HasSubstr("Findings")));
}

}  // namespace
}  // namespace depscope::replay
