// check --sizing: limits that bind in their order and what becomes of them, least values that are run, what is said where nothing
// can be run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "command_outcome.h"
#include "open_input.h"
#include "sample_files.h"
#include "sizing_oracle.h"
#include "smallest_settings.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using runtime::RingResource;
using ::testing::HasSubstr;
using ::testing::Not;

/// Every round keeps a buffer in the outer scope (ring 1) and has one for itself (ring 2).
constexpr const char* kSums = R"(import pypto.language as pl

@pl.program
class Sums:
    @pl.function(type=pl.FunctionType.InCore)
    def square(self, x: pl.Tensor[[64, 32], pl.FP32], row: pl.Scalar[pl.INDEX],
               out: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        out = pl.store(pl.load(x, [row, 0], [8, 32]), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, x: pl.Tensor[[8, 32], pl.FP32],
             out: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        out = pl.store(pl.load(x, [0, 0], [8, 32]), [0, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[64, 32], pl.FP32],
             last: pl.InOut[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        with pl.scope():
            for i in pl.range(8):
                kept = pl.create_tensor([8, 32], dtype=pl.FP32)
                with pl.scope():
                    row: pl.Scalar[pl.INDEX] = i * 8
                    tile = pl.create_tensor([8, 32], dtype=pl.FP32)
                    tile = self.square(x, row, tile)
                    kept = self.copy(tile, kept)
        return last
)";

class SizingCommand : public TemporaryFolder {
 protected:
  static Outcome check(const std::string& input, std::vector<std::string> options) {
    options.insert(options.begin(), {"check", input, "--json"});
    return run_words(options);
  }
  static json sizing(const std::string& input, std::vector<std::string> options) {
    options.emplace_back("--sizing");
    const Outcome o = check(input, std::move(options));
    EXPECT_NE(o.out, "") << o.err;
    return json::parse(o.out)["sizing"];
  }
  static bool deadlocks(const std::string& input, const std::vector<std::string>& options) {
    const json said = json::parse(check(input, options).out);
    for (const json& f : said["findings"]) {
      if (f["kind"] == "deadlock") return true;
    }
    return false;
  }
  static const json& peak(const json& sizing, const std::string& resource, const json& ring) {
    for (const json& row : sizing["peaks"]) {
      if (row["resource"] == resource && row["ring"] == ring) return row;
    }
    static const json kNone;
    ADD_FAILURE() << "no peak of " << resource;
    return kNone;
  }
};

using Limits = std::map<std::string, std::vector<std::uint64_t>>;

std::vector<std::string> options_of(const Limits& limits) {
  std::vector<std::string> out;
  for (const auto& [option, values] : limits) {
    out.push_back(option);
    std::string text;
    for (const std::uint64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    out.push_back(text);
  }
  return out;
}

TEST_F(SizingCommand, LimitsStandInTheOrderInWhichTheyAreMet) {
  const std::string input = write("sums.py", kSums);
  const json s = sizing(input, {"--ring-heap", "0,6144,3072,0", "--ring-task-window", "0,0,16,0"});
  ASSERT_EQ(s["caps"].size(), 3U) << s["caps"].dump(1);
  const json& inner = s["caps"][0];  // tile#3 while kept#0 to #3 lie on the other ring
  EXPECT_EQ(inner["resource"], "heap");
  EXPECT_EQ(inner["ring"], 2);
  EXPECT_EQ(inner["needed"], 4096);
  EXPECT_EQ(inner["capacity"], 3072);
  EXPECT_EQ(inner["task"]["alloc"], "tile");
  EXPECT_EQ(inner["task"]["occurrence"], 3);
  EXPECT_EQ(inner["scope"]["function"], "main");
  EXPECT_EQ(inner["scope"]["line"], 23);
  EXPECT_EQ(inner["outcome"], "waits");
  EXPECT_GT(inner["waits"], 0);
  EXPECT_GT(inner["waited"], 0);
  EXPECT_EQ(s["caps"][1]["resource"], "task_window");
  EXPECT_EQ(s["caps"][1]["outcome"], "no_wait");  // the heap holds the orchestrator back before
  const json& outer = s["caps"][2];
  EXPECT_EQ(outer["resource"], "heap");
  EXPECT_EQ(outer["ring"], 1);
  EXPECT_EQ(outer["needed"], 7168);
  EXPECT_EQ(outer["task"]["occurrence"], 6);
  EXPECT_EQ(outer["scope"]["line"], 20);
  EXPECT_EQ(outer["outcome"], "stops");
  EXPECT_EQ(outer["error_code"], 2);
  EXPECT_EQ(outer["class"], "structural");
  EXPECT_LT(inner["event"], s["caps"][1]["event"]);
  EXPECT_LT(s["caps"][1]["event"], outer["event"]);

  // The waits are those of the events.
  const Opened opened = open_input(input, parse([] {
                                     OptionTexts t;
                                     t.ring_heap = "0,6144,3072,0";
                                     t.ring_task_window = "0,0,16,0";
                                     return t;
                                   }()));
  std::uint64_t blocks = 0;
  for (std::uint32_t e = 0; e < opened.recording.events.rows(); ++e) {
    blocks += opened.recording.events.kind[e] == static_cast<std::uint8_t>(runtime::EventKind::Unblock) &&
                      opened.recording.events.object[e] == 2
                  ? 1
                  : 0;
  }
  EXPECT_EQ(inner["waits"], blocks);
  EXPECT_EQ(peak(s, "heap", 2)["waits"], blocks);
}

TEST_F(SizingCommand, WhatComesAfterTheStopIsNotReached) {
  const std::string input = std::string(DEPSCOPE_TEST_DATA) + "/book/58-manual-scope-overfills-window/input.py";
  const json s = sizing(input, {"--ring-task-window", "32"});
  ASSERT_EQ(s["caps"].size(), 2U);
  EXPECT_EQ(s["caps"][0]["resource"], "scope");
  EXPECT_EQ(s["caps"][0]["needed"], 32);
  EXPECT_EQ(s["caps"][0]["capacity"], 31);
  EXPECT_EQ(s["caps"][0]["outcome"], "stops");
  EXPECT_EQ(s["caps"][0]["error_code"], 1);
  EXPECT_EQ(s["caps"][1]["resource"], "task_window");
  EXPECT_EQ(s["caps"][1]["outcome"], "not_reached");
  EXPECT_EQ(peak(s, "scope", 2)["as_set"]["in_use"], 31);
  EXPECT_EQ(peak(s, "scope", 2)["as_set"]["headroom_percent"], 0.0);
  EXPECT_EQ(peak(s, "scope", 2)["unlimited"]["in_use"], 33);
  EXPECT_THAT(s["smallest"]["reason"].get<std::string>(), HasSubstr("see the setting"));
  EXPECT_EQ(s["as_set"]["stop"]["error_code"], 1);
  EXPECT_TRUE(s["unlimited"]["stop"].is_null());
}

TEST_F(SizingCommand, DeadlocksOfTheCasebook) {
  const std::string book = std::string(DEPSCOPE_TEST_DATA) + "/book/";
  const json deep = sizing(book + "61-deep-scopes-share-ring-3/input.py", {"--ring-task-window", "4"});
  EXPECT_EQ(deep["caps"][0]["resource"], "task_window");
  EXPECT_EQ(deep["caps"][0]["ring"], 3);
  EXPECT_EQ(deep["caps"][0]["needed"], 4);
  EXPECT_EQ(deep["caps"][0]["outcome"], "stops");
  EXPECT_EQ(deep["caps"][0]["error_code"], 3);
  const json wide = sizing(book + "63-fan-in-wider-than-dep-pool/input.py", {"--ring-dep-pool", "4"});
  EXPECT_EQ(wide["caps"][0]["resource"], "dep_pool");
  EXPECT_EQ(wide["caps"][0]["needed"], 5);
  EXPECT_EQ(wide["caps"][0]["outcome"], "stops");
  EXPECT_EQ(wide["caps"][0]["error_code"], 4);
  const json clean = sizing(book + "59-scope-per-iteration-drains-clean/input.py", {});
  EXPECT_TRUE(clean["caps"].empty());
}

/// Each least value runs through, and the next smaller one does not.
TEST_F(SizingCommand, LeastValuesAreRun) {
  const std::string sums = write("sums.py", kSums);
  const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/09_scopes_and_lifetimes.py";
  const std::vector<std::tuple<std::string, Limits>> inputs{
      {sums, {}},
      {sample, {}},
      {sample, {{"--ring-task-window", {16, 16, 16, 16}}, {"--ring-heap", {49152, 49152, 49152, 49152}}}},
  };
  for (const auto& [input, limits] : inputs) {
    SCOPED_TRACE(input);
    const json s = sizing(input, options_of(limits));
    ASSERT_FALSE(s["smallest"].contains("reason"));
    ASSERT_FALSE(s["smallest"]["settings"].empty());
    EXPECT_LE(s["smallest"]["runs"], kMaxSizingRuns);
    for (const json& setting : s["smallest"]["settings"]) {
      SCOPED_TRACE(setting.dump());
      Limits changed = limits;
      auto& values = changed.try_emplace(setting["option"], 4, 0).first->second;
      values.at(setting["ring"]) = setting["value"];
      EXPECT_FALSE(deadlocks(input, options_of(changed)));
      if (setting["one_less"].is_null()) continue;
      EXPECT_LT(setting["one_less"], setting["value"]);
      values.at(setting["ring"]) = setting["one_less"];
      EXPECT_TRUE(deadlocks(input, options_of(changed)));
    }
  }
}

/// The canonical schedule submits everything before it looks at anything else: no other keeps more. The TensorMap is an
/// exception: a write whose producer is retired is not found any more, and what covers it leaves its entry where it is.
TEST_F(SizingCommand, NoScheduleUsesMoreThanTheCanonicalOneWithoutLimits) {
  bool more_entries = false;
  for (const char* name : {"/02_softmax_tiles.py", "/09_scopes_and_lifetimes.py", "/11_retained_diamond.py"}) {
    const std::string input = std::string(DEPSCOPE_SAMPLES) + name;
    const json canonical = sizing(input, {});
    for (const char* seed : {"1", "2", "3"}) {
      SCOPED_TRACE(input + seed);
      const json random = sizing(input, {"--schedule", "random", "--granularity", "fine", "--seed", seed});
      ASSERT_EQ(random["peaks"].size(), canonical["peaks"].size());
      for (std::size_t i = 0; i < random["peaks"].size(); ++i) {
        const std::uint64_t most = canonical["peaks"][i]["unlimited"]["in_use"];
        const std::uint64_t used = random["peaks"][i]["unlimited"]["in_use"];
        if (canonical["peaks"][i]["resource"] == "tensormap") {
          more_entries = more_entries || used > most;
        } else {
          EXPECT_LE(used, most) << canonical["peaks"][i];
        }
      }
    }
  }
  EXPECT_TRUE(more_entries);
}

TEST_F(SizingCommand, SamplesAgainstTheOracle) {
  for (const auto& path : samples()) {
    SCOPED_TRACE(path);
    if (path.filename() == "06_moe_dispatch.py") continue;  // needs the contents of a tensor that no file has
    OptionTexts texts;
    if (path.filename() == "04_paged_attention_decode.py")
      texts.data = {std::string(DEPSCOPE_SAMPLES) + "/data/04_paged_attention_decode.json"};
    if (path.filename() == "10_fallbacks.py") texts.data = {"cfg=[1,2,0,0]"};
    for (const char* heap : {"", "200000"}) {
      texts.ring_heap = heap;
      const Opened opened = open_input(path.string(), parse(texts));
      const replay::RunUse run = replay::use_of_run(opened.recording);
      ASSERT_TRUE(run.full);
      EXPECT_EQ(replay::difference(replay::sizing_oracle(opened.recording, run.capacity), run.use), "");
    }
  }
}

TEST_F(SizingCommand, ARecordingGivesWhatWasInUse) {
  const std::string input = write("sums.py", kSums);
  const std::string recording = (folder_ / "sums.depscope").string();
  ASSERT_EQ(run_words({"run", input, "-o", recording}).status, kDone);
  const json of_run = sizing(input, {});
  const json of_recording = sizing(recording, {});
  ASSERT_EQ(of_run["peaks"].size(), of_recording["peaks"].size());
  for (std::size_t i = 0; i < of_run["peaks"].size(); ++i) {
    EXPECT_EQ(of_run["peaks"][i]["as_set"], of_recording["peaks"][i]["as_set"]);
    EXPECT_TRUE(of_recording["peaks"][i]["unlimited"].is_null());
  }
  EXPECT_TRUE(of_recording["unlimited"].is_null());
  EXPECT_EQ(of_recording["no_unlimited"], "a recording cannot be run again");
  EXPECT_TRUE(of_recording["caps"].is_null());
  EXPECT_TRUE(of_recording["smallest"]["settings"].empty());
  const Outcome text = run_words({"check", recording, "--sizing"});
  EXPECT_THAT(text.out, HasSubstr("without limits: not known, since a recording cannot be run again"));
}

TEST_F(SizingCommand, ABundleIsRunAgainWithItsOwnOptions) {
  const std::string input = write("sums.py", kSums);
  const std::string bundle = (folder_ / "sums.zip").string();
  const Outcome made = run_words({"bundle", input, "-o", bundle, "--no-screenshots", "--ring-heap", "0,0,3072,0"});
  ASSERT_EQ(made.status, kDone) << made.err;
  EXPECT_EQ(sizing(bundle, {}), sizing(input, {"--ring-heap", "0,0,3072,0"}));
}

TEST_F(SizingCommand, ATraceHasNoLimitsUnlessTheyAreGiven) {
  const std::string input = std::string(DEPSCOPE_SAMPLES) + "/traces/diamond.trace.json";
  const json s = sizing(input, {});
  EXPECT_TRUE(peak(s, "task_window", 0)["capacity"].is_null());
  EXPECT_EQ(peak(s, "task_window", 0)["as_set"]["in_use"], 3);
  EXPECT_TRUE(peak(s, "task_window", 0)["as_set"]["scope"].is_null());
  EXPECT_EQ(s["smallest"]["settings"][0]["value"], 4);
}

TEST_F(SizingCommand, APrescribedScheduleIsNotRunAgain) {
  const std::string input = write("sums.py", kSums);
  const std::string choices = (folder_ / "choices").string();
  ASSERT_EQ(run_words({"run", input, "--schedule", "random", "--save-schedule", choices}).status, kDone);
  const json s = sizing(input, {"--schedule", "list:" + choices});
  EXPECT_THAT(s["no_unlimited"].get<std::string>(), HasSubstr("prescribed"));
  EXPECT_EQ(s["smallest"]["reason"], s["no_unlimited"]);
  EXPECT_EQ(peak(s, "scope", 2)["as_set"]["in_use"], 3);
}

TEST_F(SizingCommand, ASummaryNamesWhatItDoesNotTell) {
  const std::string input = write("sums.py", kSums);
  const json s = sizing(input, {"--events", "summary"});
  EXPECT_EQ(s["as_set"]["events"], "summary");
  EXPECT_TRUE(peak(s, "dep_pool", 1)["as_set"].is_null());
  EXPECT_EQ(peak(s, "heap", 1)["as_set"]["in_use"], 8192);
  EXPECT_THAT(run_words({"check", input, "--sizing", "--events", "summary"}).out, HasSubstr("--events full"));
}

TEST_F(SizingCommand, ALargeRunIsNotRunAgainAndAgain) {
  const std::string input = std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py";
  const json s = sizing(input, {"--program", "SoftmaxTilesDynamic", "--arg", "n=5001", "--events", "summary"});
  EXPECT_THAT(s["smallest"]["reason"].get<std::string>(), HasSubstr("the run has 20004 tasks, and more than 20000"));
  EXPECT_EQ(s["caps"][0]["resource"], "task_window");
  EXPECT_EQ(s["caps"][0]["outcome"], "waits");
}

TEST_F(SizingCommand, TheExitStatusIsThatOfTheCheck) {
  const std::string input = write("sums.py", kSums);
  const std::string diamond = std::string(DEPSCOPE_TEST_DATA) + "/book/58-manual-scope-overfills-window/input.py";
  // Waits are no finding.
  const Outcome waits = run_words({"check", input, "--sizing", "--ring-heap", "0,0,3072,0"});
  EXPECT_THAT(waits.out, HasSubstr("the orchestrator waits for it"));
  EXPECT_EQ(waits.status, run_words({"check", input, "--ring-heap", "0,0,3072,0"}).status);
  EXPECT_EQ(run_words({"check", diamond, "--sizing", "--ring-task-window", "32"}).status, kFindings);
  const Outcome without = run_words({"check", input});
  EXPECT_THAT(without.out, Not(HasSubstr("sizing")));
  EXPECT_FALSE(json::parse(check(input, {}).out).contains("sizing"));
}

/// By rules that the test makes up: every value of a result was tried.
TEST(LeastValues, EachAloneWithTheOthersAsTheyAre) {
  const LimitsOfRings set{runtime::all_rings(64), runtime::all_rings(1U << 20U), runtime::all_rings(100)};
  std::vector<std::uint64_t> heaps;
  const auto run = [&](const LimitsOfRings& limits) -> RunEnd {
    heaps.push_back(limits[1][1]);
    return {.through = limits[0][1] >= 16 && limits[1][1] >= 50001 && limits[2][2] >= 7, .limit = {}};
  };
  std::vector<LeastValue> wanted(4);
  wanted[0].limit = {.resource = RingResource::TaskWindow, .ring = 1};
  wanted[0].enough = 8;  // it is not
  wanted[1].limit = {.resource = RingResource::Heap, .ring = 1};
  wanted[1].enough = 60000;
  wanted[2].limit = {.resource = RingResource::DepPool, .ring = 2};
  wanted[3].limit = {.resource = RingResource::DepPool, .ring = 3};
  const std::uint32_t runs = least_values(set, run, wanted);
  ASSERT_EQ(wanted.size(), 4U);
  EXPECT_EQ(wanted[0].value, 16U);
  EXPECT_EQ(wanted[0].one_less, 8U);
  EXPECT_EQ(wanted[1].value, 50001U);  // though only multiples of 1024 are likely
  EXPECT_EQ(wanted[1].one_less, 50000U);
  EXPECT_EQ(std::count(heaps.begin(), heaps.end(), 50000U), 1);
  EXPECT_EQ(wanted[2].value, 7U);
  EXPECT_EQ(wanted[2].one_less, 6U);
  EXPECT_EQ(wanted[3].value, 4U);
  EXPECT_EQ(wanted[3].one_less, 0U);
  EXPECT_EQ(runs, heaps.size());
  EXPECT_LT(runs, 50U);
}

TEST(LeastValues, WhatWasNotFoundInTimeIsLeftOut) {
  const LimitsOfRings set{runtime::all_rings(64), runtime::all_rings(runtime::kMaxHeap), runtime::all_rings(100)};
  const auto run = [](const LimitsOfRings& limits) -> RunEnd { return {.through = limits[1][0] > 777777777, .limit = {}}; };
  std::vector<LeastValue> wanted(20);
  for (LeastValue& least : wanted) least.limit = {.resource = RingResource::Heap, .ring = 0};
  EXPECT_EQ(least_values(set, run, wanted), kMaxSizingRuns);
  EXPECT_LT(wanted.size(), 20U);
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(wanted.back().value, 777777778U);
}

}  // namespace
}  // namespace depscope::app
