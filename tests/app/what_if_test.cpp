// check --what-if: for the deadlocks of the casebook, and against programs whose scopes were moved by hand.
#include "what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string book(const std::string& name) { return std::string(DEPSCOPE_TEST_DATA) + "/book/" + name + "/input.py"; }

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

json moves_of(const std::vector<std::string>& words) {
  std::vector<std::string> all{"check", "--json"};
  all.insert(all.end(), words.begin(), words.end());
  const Outcome o = run_words(all);
  EXPECT_EQ(o.err, "");
  return json::parse(o.out)["what_if"];
}

const json& move(const json& what_if, const std::string& kind) {
  for (const json& m : what_if["moves"]) {
    if (m["move"] == kind) return m;
  }
  static const json kNone;
  ADD_FAILURE() << "no move " << kind << ": " << what_if.dump();
  return kNone;
}

TEST(WhatIf, AScopeThatIsFull) {
  const json w = moves_of({book("58-manual-scope-overfills-window"), "--ring-task-window", "32", "--what-if"});
  EXPECT_EQ(w["as_it_is"]["through"], false);
  EXPECT_THAT(w["as_it_is"]["stopped_by"].get<std::string>(), HasSubstr("fill#31 does not fit"));
  EXPECT_EQ(w["unlimited_time"], 34);
  EXPECT_EQ(move(w, "split")["text"], "scope 2 (MANUAL, depth 2) ends before fill#31, and begins again");
  EXPECT_EQ(move(w, "split")["through"], true);
  EXPECT_EQ(move(w, "parts")["through"], true);
  EXPECT_FALSE(w.dump().find("\"own\"") != std::string::npos);  // nobody can open a scope within a MANUAL one
  EXPECT_THAT(move(w, "join")["stopped_by"].get<std::string>(), HasSubstr("ring 1 has places for 31"));
  EXPECT_TRUE(move(w, "split")["more_findings"].empty());
}

/// The handles of what was allocated live on behind the end of the scope.
TEST(WhatIf, WhatASplitCostsIsTold) {
  const json w = moves_of({book("60-allocation-takes-a-slot"), "--ring-task-window", "4", "--what-if"});
  EXPECT_EQ(move(w, "split")["through"], true);
  EXPECT_EQ(move(w, "split")["more_findings"], (json{{"lifetime", 1}}));
  EXPECT_THAT(move(w, "split")["example"].get<std::string>(), HasSubstr("copy#1 uses memory of allocation of tmp#0"));
  EXPECT_TRUE(move(w, "own")["more_findings"].empty());
}

TEST(WhatIf, NothingToMove) {
  const json through = moves_of({book("58-manual-scope-overfills-window"), "--what-if"});
  EXPECT_TRUE(through["moves"].empty());
  EXPECT_THAT(through["nothing"].get<std::string>(), HasSubstr("the run comes through"));
  const json too_much = moves_of({book("63-fan-in-wider-than-dep-pool"), "--ring-dep-pool", "4", "--what-if"});
  EXPECT_TRUE(too_much["moves"].empty());
  EXPECT_THAT(too_much["nothing"].get<std::string>(), HasSubstr("no open scope holds"));
}

/// The parts are the largest: with one more task each the run, its scopes moved by hand, stops.
TEST(WhatIf, PartsAreTheLargestThatDo) {
  const json w = moves_of({book("58-manual-scope-overfills-window"), "--ring-task-window", "16", "--what-if"});
  const json& parts = move(w, "parts");
  ASSERT_EQ(parts["through"], true);
  const auto most = parts["tasks"].get<int>();
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 15);
}

class WhatIfByHand : public TemporaryFolder {};

/// The same program with the loop cut in two.
TEST_F(WhatIfByHand, ASplitIsTheProgramWithTwoScopes) {
  const std::string path = book("58-manual-scope-overfills-window");
  const json w = moves_of({path, "--ring-task-window", "64", "--what-if=split:fill#20"});
  std::string text = text_of_file(path);
  const std::size_t from = text.find("        with pl.manual_scope():");
  const std::size_t to = text.find("        return out");
  ASSERT_NE(from, std::string::npos);
  std::string twice;
  for (const char* range : {"pl.range(20)", "pl.range(20, 33)"}) {
    std::string part = text.substr(from, to - from);
    part.replace(part.find("pl.range(33)"), 12, range);
    twice += part;
  }
  const std::string by_hand = write("by_hand.py", text.substr(0, from) + twice + text.substr(to));
  const json as_written = moves_of({by_hand, "--ring-task-window", "64", "--what-if"});
  ASSERT_EQ(w["moves"].size(), 1U);
  for (const char* field : {"through", "waits", "waited", "time"}) {
    EXPECT_EQ(w["moves"][0][field], as_written["as_it_is"][field]) << field;
  }
}

TEST_F(WhatIfByHand, InTextEachMoveHasItsOutcome) {
  const Outcome o = run_words({"check", book("58-manual-scope-overfills-window"), "--ring-task-window", "32", "--what-if"});
  EXPECT_EQ(o.status, kFindings);
  EXPECT_THAT(o.out, HasSubstr("\nWhat moving a scope would do (logical time)\n  as it is  stops: fill#31 does not fit"));
  EXPECT_THAT(o.out, HasSubstr("  split     scope 2 (MANUAL, depth 2) ends before fill#31, and begins again\n"
                               "            comes through at 35, after 1 wait for 1 in all\n"));
}

/// Durations are looked up before the submit; a scope that moves may give the task another id.
TEST_F(WhatIfByHand, DurationsAreKeptWhereIdsChange) {
  const std::string timing = write("one.json", R"({"schema": "depscope.timing/1", "default": 7})");
  const json w = moves_of({book("60-allocation-takes-a-slot"), "--ring-task-window", "4", "--timing", timing, "--what-if"});
  EXPECT_EQ(move(w, "own")["through"], true);
  EXPECT_GE(move(w, "own")["time"].get<int>(), 14);
}

TEST_F(WhatIfByHand, ARunThatStopsWithoutLimitsHasNoTimeWithoutThem) {
  const std::string timing = write("never.json", R"({"schema": "depscope.timing/1", "default": "never"})");
  const json w = moves_of({book("60-allocation-takes-a-slot"), "--timing", timing, "--what-if"});
  EXPECT_TRUE(w["unlimited_time"].is_null());
  EXPECT_THAT(w["nothing"].get<std::string>(), HasSubstr("stops without any limits, too"));
}

TEST_F(WhatIfByHand, WishesThatCannotBeMet) {
  const std::string path = book("58-manual-scope-overfills-window");
  const auto refused = [](const std::vector<std::string>& words, const std::string& why) {
    const Outcome o = run_words(words);
    EXPECT_EQ(o.status, kBadInput);
    EXPECT_EQ(o.out, "");
    EXPECT_THAT(o.err, HasSubstr(why));
  };
  refused({"check", path, "--what-if=twist:fill#1"}, "only split:TASK, own:TASK and join:TASK are known");
  refused({"check", path, "--what-if=split"}, "only split:TASK, own:TASK and join:TASK are known");
  refused({"check", path, "--what-if=own:fill#3"}, "it stands in a MANUAL scope");
  refused({"check", path, "--what-if=split:fill#99"}, "--what-if=split:fill#99: 'fill#99' names no task");
  const std::string trace = write("a.trace.json", R"({"tasks": []})");
  refused({"check", trace, "--what-if"}, "scopes are moved in programs and dump directories only");
  const std::string choices = write("a.schedule", "0\n");
  refused({"check", path, "--what-if", "--schedule", "list:" + choices}, "the choices of --schedule list:FILE belong to");
}

}  // namespace
}  // namespace depscope::app
