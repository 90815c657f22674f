// depscope replay: moves, watches, tasks and the state in text and JSON.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kSample = DEPSCOPE_SAMPLES "/08_fused_mlp_war.py";

Outcome replay(std::vector<const char*> more) {
  more.insert(more.begin(), {"replay", kSample.c_str()});
  return run(more);
}

json object(std::vector<const char*> more) {
  more.push_back("--json");
  const Outcome o = replay(std::move(more));
  EXPECT_EQ(o.status, kDone) << o.err;
  return json::parse(o.out);
}

TEST(ReplayCommand, MovesAreMadeInOrderFromTheStart) {
  const json o = object({"--move", "next kind=complete", "--move", "change task:r2t0", "--move", "previous kind=submit", "--move",
                         "step 3", "--move", "next kind=error"});
  const json& moves = o["moves"];
  ASSERT_EQ(moves.size(), 5U);
  EXPECT_EQ(moves[0]["move"], "next kind=complete");
  EXPECT_TRUE(moves[0]["moved"]);
  EXPECT_FALSE(moves[0].contains("event"));
  EXPECT_EQ(moves[1]["position"], moves[1]["event"].get<std::uint32_t>() + 1);
  EXPECT_EQ(moves[1]["before"], "unborn");
  EXPECT_EQ(moves[1]["after"], "pending");
  EXPECT_THAT(moves[1]["event_text"].get<std::string>(), StartsWith("submit up t1"));
  EXPECT_EQ(moves[2]["position"], moves[1]["event"]);
  EXPECT_EQ(moves[3]["position"], moves[2]["position"].get<std::uint32_t>() + 3);
  EXPECT_FALSE(moves[4]["moved"]);
  EXPECT_EQ(moves[4]["position"], moves[3]["position"]);
  EXPECT_EQ(o["position"], moves[4]["position"]);
}

TEST(ReplayCommand, ToComesBeforeTheMoves) {
  EXPECT_EQ(object({"--to", "40", "--move", "back 2"})["position"], 38);
  EXPECT_EQ(object({"--move", "back 2"})["position"], 0);
  const json end = object({"--move", "end"});
  EXPECT_EQ(end["position"], end["events"]);
  EXPECT_FALSE(end["moves"].empty());
  EXPECT_FALSE(object({}).contains("moves"));
}

TEST(ReplayCommand, TheStateHasAnswersToEveryQuestion) {
  const json o = object({"--move", "change task:r2t2", "--watch", "task:r2t0", "--watch", "scope:1", "--task", "r2t0", "--task",
                         "t0", "--limit", "2"});
  EXPECT_EQ(o["level"], "full");
  EXPECT_EQ(o["watches"][0], (json{{"watch", "task:r2t0"}, {"value", o["task_details"][0]["state"]}}));
  EXPECT_EQ(o["watches"][1]["value"], "open");
  std::uint32_t tasks = 0;
  for (const auto& [state, list] : o["tasks"].items()) {
    EXPECT_EQ(list["total"], o["tasks_in_state"][state]);
    EXPECT_EQ(list["tasks"].size(), std::min<std::size_t>(2, list["total"]));
    tasks += list["total"].get<std::uint32_t>();
  }
  EXPECT_EQ(tasks, 4U);
  EXPECT_EQ(o["tensormap"]["total"], o["tensormap_entries"]);
  EXPECT_LE(o["tensormap"]["entries"].size(), 2U);
  ASSERT_FALSE(o["heaps"].empty());
  EXPECT_EQ(o["heaps"][0]["blocks"][0]["begin"], 0);
  EXPECT_EQ(o["open_scopes"][0]["mode"], "AUTO");
  EXPECT_EQ(o["open_scopes"][0]["live"].is_number(), true);
  EXPECT_GT(o["rings"][1]["slots_used"], 0);
  EXPECT_EQ(o["rings"][1]["heap_used"], o["rings"][1]["heap_top"]);
  const json& allocation = o["task_details"][1];
  EXPECT_EQ(allocation["row"], 0);
  EXPECT_EQ(allocation["state"], "completed");
  EXPECT_EQ(allocation["kept_by"][0]["kind"], "scope");
  EXPECT_EQ(allocation["kept_by"][1]["kind"], "consumer");
  // What was there before.
  for (const char* key : {"digest", "last_event", "running", "pending", "queues", "buffered_releases"})
    EXPECT_TRUE(o.contains(key)) << key;
}

TEST(ReplayCommand, ASummarySaysWhatItDoesNotTell) {
  const json o = object({"--events", "summary", "--move", "next kind=complete"});
  EXPECT_EQ(o["level"], "summary");
  for (const char* key : {"tensormap", "tensormap_entries", "running", "pending", "queues", "buffered_releases"})
    EXPECT_TRUE(o.at(key).is_null()) << key;
  EXPECT_TRUE(o["rings"][1]["dep_used"].is_null());
  EXPECT_FALSE(o["tasks"]["completed"]["tasks"].empty());
  EXPECT_THAT(replay({"--events", "summary"}).out, HasSubstr("the recording is a summary: "));
  const Outcome refused = replay({"--events", "summary", "--watch", "core:3"});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("the recording is a summary, which does not tell 'core:3': record with --events full"));
}

TEST(ReplayCommand, TextAndJsonTellTheSameMoves) {
  const Outcome o =
      replay({"--move", "change task:r2t0", "--move", "next kind=error", "--move", "step 100000", "--move", "next kind=ready"});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.out, StartsWith("change task:r2t0: event "));
  EXPECT_THAT(o.out, HasSubstr("(submit up t1 on ring 2), unborn -> pending\nnext kind=error: no such event, still after "));
  EXPECT_THAT(o.out, HasSubstr("step 100000: stopped after "));
}

TEST(ReplayCommand, BadMovesWatchesAndTasksAreOneError) {
  for (const auto& [option, text, message] : std::vector<std::array<const char*, 3>>{
           {"--move", "jump", "--move: 'jump' is no move; moves: to N, start, end, "},
           {"--move", "to 99999999", "--move: 'to 99999999': the recording has "},
           {"--move", "next kind=done", "--move: there is no event kind 'done' (kinds: config, "},
           {"--move", "next colour=red", "--move: 'colour=red' says nothing about events; what may be said: kind=NAME, "},
           {"--move", "change nothing", "--move: 'nothing' cannot be watched; what can: task:TASK, "},
           {"--watch", "task:r1t99", "--watch: there is no task 'r1t99': ring 1 has "},
           {"--watch", "ring:7.next", "--watch: 'ring:7.next': rings are numbered 0 to 3"},
           {"--task", "seven", "--task: 'seven' names no task: write r0t5 "},
       }) {
    const Outcome o = replay({option, text});
    EXPECT_EQ(o.status, kBadInput) << text;
    EXPECT_THAT(o.err, StartsWith(std::string("depscope: error: ") + message));
    EXPECT_EQ(o.out, "");
    const Outcome in_json = replay({option, text, "--json"});
    EXPECT_EQ(json::parse(in_json.out)["schema"], "depscope.replay/1");
  }
}

}  // namespace
}  // namespace depscope::app
