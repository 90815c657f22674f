#include "depscope/replay/facts_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using nlohmann::json;
using recording::Recording;

json facts_of(const Recording& r) { return json::parse(facts_json(r)); }

TEST(FactsJsonTest, FactsOfTheOrchestrationFunctions) {
  const json facts = facts_of(synthetic_recording({.tasks = 1}));
  EXPECT_EQ(facts["schema"], "depscope.facts/1");
  const json expected = json::parse(R"json({"main": {
    "kind": "Orchestration", "auto_scope": false, "compiler_manual_candidate": false,
    "calls": [{"index": 0, "kind": "submit", "callee": "fill", "results": ["_submit_tmp"], "line": 6, "args": ["scratch"],
               "directions_derived": ["output_existing"], "directions": ["output_existing"], "user_deps": [], "compiler_deps": [],
               "dummy": false, "loop_depth": 0, "scope_path": [0],
               "argument_records": [{"index": 0, "name": "scratch", "callee_direction": "out", "rule": "scalar",
                                     "derived": "output_existing", "final": "output_existing", "rewrite": "rewritten",
                                     "undone": "output_existing"}]},
              {"index": 1, "kind": "submit", "callee": "copy", "results": ["_submit_tmp"], "line": 7, "args": ["scratch"],
               "directions_derived": ["input"], "directions": ["no_dep"], "user_deps": [], "compiler_deps": ["fill_tid"],
               "dummy": false, "loop_depth": 0, "scope_path": [0],
               "argument_records": [{"index": 0, "name": "scratch", "callee_direction": "in", "rule": "scalar",
                                     "derived": "input", "final": "no_dep", "rewrite": "rewritten"}]}],
    "scopes": [{"index": 0, "mode": "AUTO", "owner": "user", "parent": null, "line": 5, "change": "kept", "decision": "kept"}],
    "regions": [{"index": 0, "kind": "auto_scope", "outcome": "analysed", "reason": null, "offending_call": null,
                 "offending_arg": null, "parent": null, "line": 5, "stripped_edges": 0, "kept_edges": 0, "prior_call": null,
                 "lineage": [{"line": 6, "what": "argument 'scratch' of fill"}],
                 "rewrites_undone": [{"call": 0, "arg": 0, "from": "inout", "to": "output_existing"}]}],
    "hazards": [{"prior": 0, "current": 1, "kind": ["RAW"], "root": "scratch", "verdict": "compiler_edge",
                 "prior_arg": 0, "prior_arg_name": "scratch", "current_arg": 0, "current_arg_name": "scratch", "region": 0,
                 "prior_storage": {"root": "scratch", "kind": "box", "box": {"offset": [0], "shape": [64]}, "line": 4},
                 "current_storage": {"root": "scratch", "kind": "box", "box": {"offset": [0], "shape": [64]}, "line": 4},
                 "by_memref": false, "edge": "fill_tid", "synthetic": false, "edge_index": 0, "reason": null}],
    "edges": [{"consumer": 1, "id": "fill_tid", "origin": "compiler", "synthetic": false, "producer": 0, "status": "kept",
               "stripped_by": null, "imported_from_region": null, "hazards": 1}],
    "accesses": [{"call": 0, "arg": 0, "arg_name": "scratch", "direction": "output_existing", "kind": "W",
                  "storage": {"root": "scratch", "kind": "box", "box": {"offset": [0], "shape": [64]}, "line": 4},
                  "id": "fill_tid", "in_loop": false, "dynamic_serial": 0, "region": 0, "outcome": "recorded"},
                 {"call": 1, "arg": 0, "arg_name": "scratch", "direction": "input", "kind": "R",
                  "storage": {"root": "scratch", "kind": "box", "box": {"offset": [0], "shape": [64]}, "line": 4},
                  "id": null, "in_loop": false, "dynamic_serial": 0, "region": 0, "outcome": "recorded"}],
    "fences": [{"line": 9, "array": "ids", "N": 2, "M": 2, "saving": 0, "accepted": false, "reason": "no_profit"}],
    "carries": [{"line": 9, "index": 0, "name": "prev", "class": "rebind", "array_size": 4}],
    "scope_decisions": [{"scope": 0, "line": 5, "mode": "AUTO", "change": "kept", "decision": "kept"}]}})json");
  EXPECT_EQ(facts["functions"], expected) << facts.dump(1);
  const json finding =
      json::parse(R"({"kind": "fallback", "severity": "info", "summary": "region 1 fell back", "function": "main",
    "region_kind": "auto_scope", "outcome": "fell_back"})");
  EXPECT_EQ(facts["findings"], json::array({finding}));
}

TEST(FactsJsonTest, WrappersHaveSignaturesAndCalls) {
  const json expected = json::parse(R"json({"pair": {"kind": "Group", "param_directions": ["in", "inout"], "calls": [
    {"index": 0, "kind": "call", "callee": "copy", "results": ["result"], "line": 21, "args": ["source"],
     "directions_derived": ["input"], "directions": ["input"], "user_deps": [], "compiler_deps": [], "dummy": false,
     "loop_depth": 1, "scope_path": [],
     "argument_records": [{"index": 0, "name": "source", "callee_direction": "in", "rule": "callee_in", "derived": "input",
                           "final": "input", "rewrite": "pass_not_run"}]}]}})json");
  const json facts = facts_of(synthetic_recording({.tasks = 1}));
  EXPECT_EQ(facts["wrappers"], expected) << facts["wrappers"].dump(1);
}

TEST(FactsJsonTest, OneCallSite) {
  const Recording r = synthetic_recording({.tasks = 1});
  const auto selected = [&](std::uint32_t site) {
    std::string out;
    write_facts_json(r, {.function = 0, .call_site = site}, [&](std::string_view piece) { out.append(piece); });
    return json::parse(out)["functions"]["main"];
  };
  EXPECT_EQ(selected(1)["calls"].size(), 1U);
  EXPECT_EQ(selected(1)["calls"][0]["callee"], "copy");
  EXPECT_EQ(selected(1)["hazards"].size(), 1U);
  EXPECT_EQ(selected(1)["edges"].size(), 1U);
  EXPECT_EQ(selected(1)["accesses"].size(), 1U);
  EXPECT_EQ(selected(0)["hazards"].size(), 0U);
  EXPECT_EQ(selected(0)["edges"].size(), 0U);
}

TEST(FactsJsonTest, NoDirectionsBeforeTheyAreDerived) {
  Recording r = synthetic_recording({.tasks = 1});
  for (auto& value : r.arguments.direction) value = 0;
  for (auto& value : r.arguments.derived) value = 0;
  const json call = facts_of(r)["functions"]["main"]["calls"][0];
  EXPECT_EQ(call["directions"], json::array());
  EXPECT_EQ(call["args"], json::array({"scratch"}));
  EXPECT_EQ(call["argument_records"][0]["derived"], json());
  EXPECT_EQ(call["argument_records"][0]["rule"], json());
}

TEST(FactsJsonTest, TextThatIsNotUtf8DoesNotStopIt) {
  Recording r = synthetic_recording({.tasks = 1});
  r.functions.name[0] = r.strings.add("bad\xff\"");
  r.call_sites.callee[0] = r.strings.add("also\xfe");
  r.storage.root[0] = r.strings.add("and\xfd");
  const json facts = facts_of(r);
  ASSERT_EQ(facts["functions"].size(), 1U);
  EXPECT_EQ(facts["functions"].begin()->at("calls").size(), 2U);
}

TEST(FactsJsonTest, WhatIsGoneIsNull) {
  Recording r = synthetic_recording({.tasks = 1});
  r.hazards.prior[0] = recording::kNoRow;
  r.hazards.prior_storage[0] = recording::kNoRow;
  r.hazards.edge_row[0] = recording::kNoRow;
  r.pass_edges.producer[0] = recording::kNoRow;
  r.pass_accesses.storage[0] = recording::kNoRow;
  const json main = facts_of(r)["functions"]["main"];
  EXPECT_EQ(main["hazards"][0]["prior"], json());
  EXPECT_EQ(main["hazards"][0]["prior_arg_name"], json());
  EXPECT_EQ(main["hazards"][0]["prior_storage"], json());
  EXPECT_EQ(main["hazards"][0]["edge_index"], json());
  EXPECT_EQ(main["edges"][0]["producer"], json());
  EXPECT_EQ(main["edges"][0]["hazards"], 0);
  EXPECT_EQ(main["accesses"][0]["storage"], json());
}

TEST(FindingJsonTest, ItsFieldsFollowKindSeverityAndSummary) {
  Recording r = synthetic_recording({.tasks = 1});
  EXPECT_EQ(finding_json(r, 0), R"({"kind":"fallback","severity":"info","summary":"region 1 fell back",)"
                                R"("function":"main","region_kind":"auto_scope","outcome":"fell_back"})");
  r.findings.fields[0] = 0;
  EXPECT_EQ(finding_json(r, 0), R"({"kind":"fallback","severity":"info","summary":"region 1 fell back"})");
  r.findings.fields[0] = r.strings.add("{}");
  EXPECT_EQ(finding_json(r, 0), R"({"kind":"fallback","severity":"info","summary":"region 1 fell back"})");
  // What a finding says of itself does not hide what the table says.
  r.findings.fields[0] = r.strings.add(R"({"kind":"other","a":1,"summary":"x"})");
  EXPECT_EQ(finding_json(r, 0), R"({"kind":"fallback","severity":"info","summary":"region 1 fell back","a":1})");
}

}  // namespace
}  // namespace depscope::replay
