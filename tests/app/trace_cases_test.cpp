// Whole traces against what the real replay and the reference reductions say, through the same path as `depscope run --json`.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "depscope/replay/cursor.h"
#include "depscope/replay/deps_json.h"
#include "open_input.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using Pair = std::pair<std::string, std::string>;

constexpr const char* kEdgeKeys[] = {"pred",
                                     "succ",
                                     "arg",
                                     "source",
                                     "flags",
                                     "overlap",
                                     "consumer_dtype",
                                     "consumer_shape",
                                     "consumer_start_offset",
                                     "consumer_strides",
                                     "producer_shape",
                                     "producer_start_offset",
                                     "producer_strides"};

std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  if (!std::filesystem::is_directory(folder)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with(".trace.json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

json expected_of(const std::filesystem::path& trace) {
  std::string name = trace.string();
  name.replace(name.size() - std::string(".trace.json").size(), std::string::npos, ".expected.json");
  return read_json(name);
}

std::vector<std::string> canonical_edges(const json& edges) {
  std::vector<std::string> out;
  for (const json& e : edges) {
    json kept = json::object();
    for (const char* key : kEdgeKeys) {
      if (e.contains(key) && !e[key].is_null()) kept[key] = e[key];
    }
    out.push_back(kept.dump());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Pair ends(const json& pair) { return {pair["pred"].get<std::string>(), pair["succ"].get<std::string>()}; }

std::map<Pair, std::pair<std::set<std::string>, std::set<std::string>>> pair_map(const json& pairs) {
  std::map<Pair, std::pair<std::set<std::string>, std::set<std::string>>> out;
  for (const json& p : pairs) {
    const bool added =
        out.emplace(ends(p), std::pair(p["flags"].get<std::set<std::string>>(), p["provenance"].get<std::set<std::string>>()))
            .second;
    EXPECT_TRUE(added) << p;
  }
  return out;
}

std::set<Pair> cleared_pairs(const json& pairs) {
  std::set<Pair> out;
  for (const json& p : pairs) {
    const auto before = p["flags"].get<std::set<std::string>>();
    const auto after = p["flags_final"].get<std::set<std::string>>();
    if (before.count("wait") != 0 && after.count("wait") == 0) out.insert(ends(p));
    EXPECT_EQ(before.count("retain"), after.count("retain"));
    EXPECT_EQ(p["via"].is_null(), before == after) << p;
  }
  return out;
}

class TraceCases : public ::testing::TestWithParam<runtime::Platform> {
 protected:
  void check(const std::filesystem::path& trace) {
    SCOPED_TRACE(trace.filename().string());
    const json expected = expected_of(trace);
    RunOptions options;
    options.platform = GetParam();
    options.events = EventChoice::Full;
    const Opened plain = open_input(trace.string(), options);
    const json got = json::parse(replay::deps_json(plain.recording));
    EXPECT_EQ(canonical_edges(got["edges"]), canonical_edges(expected["edges"]));
    EXPECT_EQ(pair_map(got["pairs"]), pair_map(expected["pairs"]));
    EXPECT_FALSE(got.contains("window_misses"));
    play(plain.recording);
    const json reductions = expected.value("reduced", json::object());
    for (const auto& [algorithm, cleared] : reductions.items()) {
      SCOPED_TRACE(algorithm);
      options.reduction = parse_reduction("--reduce", algorithm);
      const Opened reduced = open_input(trace.string(), options);
      const json object = json::parse(replay::deps_json(reduced.recording));
      std::set<Pair> want;
      for (const json& pair : cleared) want.insert({pair[0].get<std::string>(), pair[1].get<std::string>()});
      EXPECT_EQ(cleared_pairs(object["pairs"]), want);
      const std::size_t colon = algorithm.find(':');
      if (colon != std::string::npos) {
        EXPECT_EQ(object["window_misses"], expected["window_misses"][algorithm.substr(colon + 1)]);
      }
      play(reduced.recording);
    }
  }

  /// Every event applies to the state before it, every task ends consumed, and going back restores the start.
  static void play(const recording::Recording& recording) {
    replay::Cursor cursor(recording);
    const std::uint64_t start = cursor.state().digest();
    while (cursor.step()) {
    }
    for (const std::uint8_t state : cursor.state().task_state)
      EXPECT_EQ(state, static_cast<std::uint8_t>(runtime::TaskState::Consumed));
    while (cursor.back()) {
    }
    EXPECT_EQ(cursor.state().digest(), start);
  }
};

TEST_P(TraceCases, OwnTraces) {
  const auto traces = traces_in(std::filesystem::path(DEPSCOPE_TEST_DATA) / "runtime");
  EXPECT_GE(traces.size(), 40U);
  for (const auto& trace : traces) check(trace);
}

TEST_P(TraceCases, TracesOfRealRuns) {
  const auto traces = traces_in(std::filesystem::path(DEPSCOPE_SHARED) / "cases/runtime/real");
  if (traces.empty()) GTEST_SKIP() << "no traces of real runs here";
  for (const auto& trace : traces) check(trace);
}

INSTANTIATE_TEST_SUITE_P(Platforms, TraceCases, ::testing::Values(runtime::Platform::A2A3, runtime::Platform::A5),
                         [](const auto& info) { return std::string(platform_name(info.param)); });

TEST(DepsJson, UpstreamSchemaHasOnlyItsKeys) {
  const std::string path = std::string(DEPSCOPE_TEST_DATA) + "/runtime/11_no_dep.trace.json";
  const Opened opened = open_input(path, {});
  const std::string text = replay::deps_json(opened.recording, replay::DepsSchema::Upstream);
  const json object = json::parse(text);
  EXPECT_EQ(object.size(), 3U);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  std::set<std::string> types;
  for (const json& task : object["tasks"]) {
    for (const json& arg : task["args"]) types.insert(arg["type"].get<std::string>());
  }
  EXPECT_EQ(types.count("UNKNOWN"), 1U);
  EXPECT_EQ(types.count("NO_DEP"), 0U);
  std::set<std::string> ids;
  for (const json& tensor : object["tensors"]) EXPECT_TRUE(ids.insert(tensor["tensor_id"].get<std::string>()).second);
}

TEST(DepsJson, TensorIdIsFnv1aOverAddressAndVersion) {
  EXPECT_EQ(replay::tensor_id(0, 0), 0x5467b0da1d106495ULL);
  EXPECT_EQ(replay::tensor_id(4096, 1), 0xa8d6e54fb4368754ULL);
  EXPECT_EQ(replay::tensor_id(0x123456789abcULL, -1), 0x3bc69e3da4b61787ULL);
}

}  // namespace
}  // namespace depscope::app
