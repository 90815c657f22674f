// The smallest limits with which a run comes through: by rules that the test makes up, and for every deadlock of the casebook.
#include "smallest_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using runtime::RingResource;
using ::testing::HasSubstr;

LimitsOfRings start() { return {runtime::all_rings(4), runtime::all_rings(1024), runtime::all_rings(4)}; }

std::uint64_t at(const LimitsOfRings& limits, RingResource resource, std::uint32_t ring) {
  return limits[static_cast<std::size_t>(resource)][ring];
}

RunEnd stopped_by(RingResource resource, std::uint32_t ring) { return {.through = false, .limit = RingLimit{resource, ring}}; }

TEST(SmallestSettings, ARunThatComesThroughNeedsNothing) {
  const SmallestSettings found =
      smallest_settings(start(), [](const LimitsOfRings&) { return RunEnd{.through = true, .limit = {}}; });
  EXPECT_TRUE(found.through);
  EXPECT_TRUE(found.raised.empty());
  EXPECT_EQ(found.runs, 1U);
}

TEST(SmallestSettings, TheLeastValueToTheByteAndToThePowerOfTwo) {
  const auto run = [](const LimitsOfRings& limits) -> RunEnd {
    if (at(limits, RingResource::TaskWindow, 2) < 60) return stopped_by(RingResource::TaskWindow, 2);
    if (at(limits, RingResource::Heap, 1) < 70001) return stopped_by(RingResource::Heap, 1);
    if (at(limits, RingResource::DepPool, 0) < 5) return stopped_by(RingResource::DepPool, 0);
    return {.through = true, .limit = {}};
  };
  const SmallestSettings found = smallest_settings(start(), run);
  EXPECT_TRUE(found.through);
  ASSERT_EQ(found.raised.size(), 3U);  // in the order in which they stop the run
  EXPECT_EQ(found.raised[0].to, 64U);
  EXPECT_EQ(found.raised[0].one_less, 32U);
  EXPECT_EQ(found.raised[1].to, 70001U);
  EXPECT_EQ(found.raised[1].one_less, 70000U);
  EXPECT_EQ(found.raised[1].limit, (RingLimit{RingResource::Heap, 1}));
  EXPECT_EQ(found.raised[2].to, 5U);
  EXPECT_EQ(found.raised[2].from, 4U);
}

/// A larger heap makes do with a smaller window: what is given in the end cannot be lowered one by one.
TEST(SmallestSettings, WhatWasRaisedTooFarIsLoweredAgain) {
  const auto run = [](const LimitsOfRings& limits) -> RunEnd {
    const std::uint64_t window = at(limits, RingResource::TaskWindow, 0);
    const std::uint64_t heap = at(limits, RingResource::Heap, 0);
    if (heap < 3000 && window < 256) return stopped_by(RingResource::TaskWindow, 0);
    if (heap < 5000) return stopped_by(RingResource::Heap, 0);
    if (window < 16) return stopped_by(RingResource::TaskWindow, 0);
    return {.through = true, .limit = {}};
  };
  const SmallestSettings found = smallest_settings(start(), run);
  ASSERT_TRUE(found.through);
  LimitsOfRings limits = start();
  for (const auto& raised : found.raised) limits[static_cast<std::size_t>(raised.limit.resource)][raised.limit.ring] = raised.to;
  EXPECT_TRUE(run(limits).through);
  for (const auto& raised : found.raised) {
    LimitsOfRings less = limits;
    less[static_cast<std::size_t>(raised.limit.resource)][raised.limit.ring] = raised.one_less;
    EXPECT_FALSE(run(less).through);
  }
  EXPECT_EQ(at(limits, RingResource::TaskWindow, 0), 16U);
}

/// Each needs a little more of the other in turn: they must not creep up one by one.
TEST(SmallestSettings, LimitsThatNeedEachOther) {
  const auto run = [](const LimitsOfRings& limits) -> RunEnd {
    const std::uint64_t heap = at(limits, RingResource::Heap, 0);
    const std::uint64_t nodes = at(limits, RingResource::DepPool, 0);
    if (nodes >= 5000 && heap >= 1024 * 5000) return {.through = true, .limit = {}};
    return stopped_by(heap < 1024 * nodes ? RingResource::Heap : RingResource::DepPool, 0);
  };
  const SmallestSettings found = smallest_settings(start(), run);
  ASSERT_TRUE(found.through);
  ASSERT_EQ(found.raised.size(), 2U);
  for (const auto& raised : found.raised) EXPECT_EQ(raised.to, raised.limit.resource == RingResource::Heap ? 5120000U : 5000U);
  EXPECT_LT(found.runs, 150U);
}

TEST(SmallestSettings, WhereNoLimitHelpsItSaysSoAndEnds) {
  const SmallestSettings stuck =
      smallest_settings(start(), [](const LimitsOfRings&) { return stopped_by(RingResource::Heap, 3); });
  EXPECT_FALSE(stuck.through);
  EXPECT_LE(stuck.runs, kMaxSizingRuns);
  const SmallestSettings other = smallest_settings(start(), [](const LimitsOfRings&) { return RunEnd{}; });
  EXPECT_FALSE(other.through);
  EXPECT_EQ(other.runs, 1U);
}

struct Case {
  const char* name;
  std::vector<std::string> options;
};

class SmallestSettingsOfTheBook : public ::testing::TestWithParam<Case> {};

json deadlock_in(const Outcome& o) {
  const json said = json::parse(o.out);
  for (const json& f : said["findings"]) {
    if (f["kind"] == "deadlock") return f;
  }
  return {};
}

/// What `check` suggests, applied, runs through; one less of any does not.
TEST_P(SmallestSettingsOfTheBook, AppliedItRunsThroughOneLessDoesNot) {
  const std::string input = std::string(DEPSCOPE_TEST_DATA) + "/book/" + GetParam().name + "/input.py";
  const auto check = [&](const std::vector<std::string>& options) {
    std::vector<const char*> arguments{"check", input.c_str(), "--json"};
    for (const std::string& option : options) arguments.push_back(option.c_str());
    return run(arguments);
  };
  const json deadlock = deadlock_in(check(GetParam().options));
  ASSERT_TRUE(deadlock.contains("smallest")) << deadlock.dump();
  const json& smallest = deadlock["smallest"];
  ASSERT_TRUE(smallest["through"]);
  ASSERT_FALSE(smallest["settings"].empty());
  std::vector<std::string> options;
  for (const std::string text : smallest["options"]) {
    std::istringstream words(text);
    for (std::string word; words >> word;) options.push_back(word);
  }
  EXPECT_TRUE(deadlock_in(check(options)).is_null());
  for (const json& setting : smallest["settings"]) {
    std::vector<std::string> less = options;
    const std::string resource = setting["resource"];
    const std::string name = resource == "task_window" ? "--ring-task-window"
                             : resource == "heap"      ? "--ring-heap"
                                                       : "--ring-dep-pool";
    const auto at = std::find(less.begin(), less.end(), name);
    ASSERT_NE(at, less.end());
    std::istringstream values(*(at + 1));
    std::string changed;
    int ring = 0;
    for (std::string value; std::getline(values, value, ','); ++ring) {
      if (ring == setting["ring"].get<int>()) {
        EXPECT_EQ(value, std::to_string(setting["value"].get<std::uint64_t>()));
        value = std::to_string(setting["one_less"].get<std::uint64_t>());
      }
      changed += (changed.empty() ? "" : ",") + value;
    }
    *(at + 1) = changed;
    EXPECT_FALSE(deadlock_in(check(less)).is_null()) << *at << ' ' << changed;
  }
}

INSTANTIATE_TEST_SUITE_P(Book, SmallestSettingsOfTheBook,
                         ::testing::Values(Case{"58-manual-scope-overfills-window", {"--ring-task-window", "32"}},
                                           Case{"60-allocation-takes-a-slot", {"--ring-task-window", "4"}},
                                           Case{"61-deep-scopes-share-ring-3", {"--ring-task-window", "4"}},
                                           Case{"63-fan-in-wider-than-dep-pool", {"--ring-dep-pool", "4"}},
                                           Case{"58-manual-scope-overfills-window",
                                                {"--ring-task-window", "4", "--ring-heap", "1024", "--ring-dep-pool", "4"}}),
                         [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(SmallestSettings, TheTextNamesTheOption) {
  const std::string input = std::string(DEPSCOPE_TEST_DATA) + "/book/58-manual-scope-overfills-window/input.py";
  const Outcome o = run({"check", input.c_str(), "--ring-task-window", "32"});
  EXPECT_THAT(o.out, HasSubstr("    setting --ring-task-window 32,32,64,32 lets it through, 32 slots on ring 2 does not"));
}

}  // namespace
}  // namespace depscope::app
