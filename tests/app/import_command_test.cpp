// `depscope import`: every value of the samples of artefacts.md 15, the health page, findings, what it writes and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_outcome.h"
#include "depscope/replay/file.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kSamples = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/";
const std::string kBook = std::string(DEPSCOPE_TEST_DATA) + "/book/";

json parsed_file(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

json imported(const std::string& path) {
  const Outcome o = run({"import", path.c_str(), "--json"});
  EXPECT_LE(o.status, kFindings) << o.err;
  EXPECT_EQ(o.err, "");
  return json::parse(o.out);
}

/// What is expected must be there; more may be. Numbers with a fraction count to three decimals.
void expect_same(const json& want, const json& got, const std::string& where) {
  if (want.is_object()) {
    for (const auto& [key, value] : want.items()) {
      ASSERT_TRUE(got.is_object() && got.contains(key)) << where << "." << key;
      expect_same(value, got[key], where + "." + key);
    }
  } else if (want.is_array()) {
    ASSERT_TRUE(got.is_array() && got.size() == want.size()) << where << ": " << got.dump();
    for (std::size_t i = 0; i < want.size(); ++i) expect_same(want[i], got[i], where + "[" + std::to_string(i) + "]");
  } else if (want.is_number_float()) {
    ASSERT_TRUE(got.is_number()) << where;
    EXPECT_NEAR(want.get<double>(), got.get<double>(), 0.0011) << where;
  } else {
    EXPECT_EQ(want, got) << where;
  }
}

TEST(ImportSamples, EveryValueOfTheFourLevels) {
  const json expected = parsed_file(kSamples + "expected.json");
  const std::vector<std::pair<std::string, std::string>> runs{
      {"l2_full", "l2_full"}, {"level1", "l2_levels/level1"}, {"level2", "l2_levels/level2"}, {"level3", "l2_levels/level3"}};
  for (const auto& [key, path] : runs) expect_same(expected[key], imported(kSamples + path), key);
  const json level1 = imported(kSamples + "l2_levels/level1");
  EXPECT_FALSE(level1.contains("overhead"));
  EXPECT_THAT(level1["no_overhead"].get<std::string>(), HasSubstr("level 1"));
}

TEST(ImportSamples, GraphAndScopes) {
  const json expected = parsed_file(kSamples + "expected.json");
  const json full = imported(kSamples + "l2_full");
  expect_same(expected["deps"], full["deps"], "deps");
  expect_same(expected["scope_v6"], full["scope"], "scope_v6");
  expect_same(expected["scope_v4"], imported(kSamples + "legacy/scope_stats_v4.jsonl")["scope"], "scope_v4");
}

/// The table of artefacts.md 15.
TEST(ImportSamples, ArrowsAndMeans) {
  const json full = imported(kSamples + "l2_full");
  EXPECT_EQ(full["flows"],
            json::parse(R"({"worker":{"dependency":19,"hb_violation":1},"scheduler":{"dependency":8,"hb_violation":2}})"));
  EXPECT_EQ(imported(kSamples + "l2_levels/level3")["flows"]["worker"], json::parse(R"({"dependency":13,"hb_violation":1})"));
  EXPECT_EQ(imported(kSamples + "l2_levels/level2")["flows"]["worker"], json::parse(R"({"dependency":9,"hb_violation":1})"));
  EXPECT_EQ(imported(kSamples + "l2_levels/level1")["flows"],
            json::parse(R"({"worker":{"dependency":9,"hb_violation":1},"scheduler":{"dependency":0,"hb_violation":0}})"));
  const std::vector<double> exec{10.00, 8.20, 12.00, 6.60, 10.00}, latency{12.00, 11.53, 14.00, 8.80, 12.00};
  ASSERT_EQ(full["functions"].size(), exec.size());
  for (std::size_t f = 0; f < exec.size(); ++f) {
    EXPECT_NEAR(full["functions"][f]["exec_mean_us"].get<double>(), exec[f], 0.005);
    EXPECT_NEAR(full["functions"][f]["latency_mean_us"].get<double>(), latency[f], 0.005);
  }
  EXPECT_EQ(full["total_us"], 57.0);
  EXPECT_EQ(imported(kSamples + "l2_levels/level1")["total_us"], 55.5);
}

TEST(ImportSamples, HostGraphRanksAndOldShapes) {
  const json host = imported(kSamples + "host_graph");
  EXPECT_EQ(host["overhead"]["by_engine_us"]["aiv"], 3.0);  // 12.5 % of 24
  EXPECT_EQ(host["overhead"]["window_us"], 24.0);
  EXPECT_THAT(host["health"]["assumed"].dump(), HasSubstr("edges have no flags"));
  const json ranks = imported(kSamples + "l3_two_ranks");
  EXPECT_EQ(ranks["place"], "distributed build");
  std::vector<std::string> where;
  for (const auto& [key, value] : ranks["runs"].items()) where.push_back(key);
  EXPECT_THAT(where, ElementsAre("rank0/d0", "rank0/d1", "rank1/d0"));
  EXPECT_EQ(ranks["runs"]["rank0/d1"]["program"], "chip_b");
  EXPECT_EQ(ranks["runs"]["rank0/d1"]["critical_path_tool"]["makespan_ticks"], 200);
  EXPECT_EQ(ranks["runs"]["rank0/d1"]["critical_path_tool"]["static_cpm_ticks"], 150);
  EXPECT_EQ(ranks["runs"]["rank1/d0"]["critical_path_tool"]["makespan_ticks"], 2750);
  // The reference of the present tools crashes on five columns; the times are the same.
  EXPECT_EQ(imported(kSamples + "legacy/v2_5col")["critical_path_tool"]["makespan_ticks"], 2750);
  const json joined = imported(kSamples + "legacy/l2_swimlane_records_joined_us.json");
  EXPECT_EQ(joined["health"]["files"][0]["version"], "level 3, joined");
  EXPECT_EQ(joined["tasks"][0], json::parse(R"(["4294967296",0,"aic",1.2,1.2,11.2,0.2,12.2])"));
  EXPECT_EQ(imported(kSamples + "legacy/l2_perf_records_2026_05.json")["health"]["files"][0]["version"],
            "level 2, joined, with fanout");
  EXPECT_EQ(imported(kSamples + "legacy/deps_v1.json")["health"]["files"][0]["version"], "1");
  EXPECT_EQ(imported(kSamples + "legacy/deps_v2.json")["health"]["files"][0]["version"], "2");
}

TEST(ImportBook, FullHeapOldCountersAndAConsumerThatIsTooEarly) {
  for (const char* name : {"68-full-heap-looks-empty", "69-old-heap-counters-wrap", "83-consumer-started-too-early"}) {
    const json expect = parsed_file(kBook + name + "/expect.json");
    const Outcome o = run({"import", (kBook + name + "/dfx").c_str(), "--json"});
    EXPECT_EQ(o.status, kFindings) << name;
    const json findings = json::parse(o.out)["findings"];
    ASSERT_EQ(findings.size(), 1U) << name << findings.dump();
    expect_same(expect["must"][0], findings[0], name);
  }
}

class ImportCommands : public TemporaryFolder {
 protected:
  std::string copy(const std::string& sample) {
    fs::copy(kSamples + sample, folder_ / "run", fs::copy_options::recursive);
    return (folder_ / "run").string();
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
  }
};

TEST_F(ImportCommands, TheHealthPageComesFirst) {
  const Outcome o = run({"import", (kSamples + "l2_full").c_str()});
  EXPECT_EQ(o.status, kFindings);  // task 5 began before task 2 had ended
  EXPECT_THAT(o.out, ::testing::StartsWith("health\n  complete   l2_full/dfx_outputs/deps.json (current)\n"));
  EXPECT_THAT(o.out, AllOf(HasSubstr("(level 4, raw, 6 columns)"), HasSubstr("5 of 5 tasks with times are in the task graph"),
                           HasSubstr("partly limited by the scheduler (14.5 %)"), HasSubstr("started 4.000 us before")));
  const std::string only = (kSamples + "legacy/deps_v1.json");
  EXPECT_THAT(run({"import", only.c_str()}).out,
              AllOf(HasSubstr("missing    chip_swimlane_records.json: not known is when anything ran"),
                    HasSubstr("pairs of tasks only")));
}

TEST_F(ImportCommands, ARecordingKeepsWhatWasMeasured) {
  const std::string file = (folder_ / "run.depscope").string();
  EXPECT_EQ(run({"import", (kSamples + "l2_full").c_str(), "-o", file.c_str()}).status, kFindings);
  const recording::Recording r = replay::load(file);
  EXPECT_EQ(r.measured_dispatches.rows(), 7U);
  EXPECT_EQ(r.measured_phases.rows(), 26U);  // 19 of the scheduler, 7 submits
  EXPECT_GT(r.scope_samples.rows(), 0U);
  for (std::uint32_t i = 0; i < r.measured_dispatches.rows(); ++i)
    EXPECT_EQ(r.tasks.id[r.measured_dispatches.task[i]], r.measured_dispatches.task_id[i]);
  EXPECT_EQ(r.measured_dispatches.start[0], 250U);  // 5 us at 50 MHz
  // The same bytes each time.
  const std::string again = (folder_ / "again.depscope").string();
  run({"import", (kSamples + "l2_full").c_str(), "-o", again.c_str()});
  EXPECT_EQ(text_of(file), text_of(again));
  // Other commands read it, and the directory itself.
  const Outcome check = run({"check", file.c_str()});
  EXPECT_EQ(check.status, kFindings);
  EXPECT_THAT(check.out, HasSubstr("started 4.000 us before"));
  EXPECT_EQ(run({"check", (kSamples + "l2_full/dfx_outputs").c_str()}).status, kFindings);
  EXPECT_EQ(run({"diff", file.c_str(), (kSamples + "l2_full/dfx_outputs").c_str()}).status, kDone);
}

TEST_F(ImportCommands, OneOfSeveralRuns) {
  const std::string file = (folder_ / "run.depscope").string();
  const std::string root = kSamples + "l3_two_ranks";
  const Outcome several = run({"import", root.c_str(), "-o", file.c_str()});
  EXPECT_EQ(several.status, kBadInput);
  EXPECT_THAT(several.err, HasSubstr("give one of them with --run: rank0/d0, rank0/d1, rank1/d0"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(run({"import", root.c_str(), "--run", "rank0/d1", "-o", file.c_str()}).status, kDone);
  EXPECT_TRUE(fs::exists(file));
  EXPECT_THAT(run({"import", root.c_str(), "--run", "rank7/d0"}).err, HasSubstr("there is no such run"));
}

TEST_F(ImportCommands, ADamagedFileIsToldAndTheOthersAreRead) {
  const std::string run_path = copy("l2_levels/level3");
  const std::string records = run_path + "/chip_swimlane_records.json";
  const std::string whole = text_of(records);
  std::ofstream(records) << whole.substr(0, whole.size() / 2);
  const json cut = imported(run_path);
  EXPECT_EQ(cut["health"]["files"][1]["state"], "cut");
  EXPECT_EQ(cut["findings"][0]["kind"], "input_error");
  EXPECT_EQ(cut["findings"][0]["byte_offset"], whole.size() / 2);
  EXPECT_EQ(cut["deps"]["unique_edges"], 14);
  std::ofstream(records) << "[1, 2]";
  const json unreadable = imported(run_path);
  EXPECT_EQ(unreadable["health"]["files"][1]["state"], "unreadable");
  EXPECT_EQ(unreadable["deps"]["unique_edges"], 14);
  EXPECT_THAT(unreadable["health"]["missing"].dump(), HasSubstr("chip_swimlane_records.json"));
}

TEST_F(ImportCommands, FilesOfDifferentRunsAreTold) {
  const std::string run_path = copy("l2_levels/level2");
  fs::copy_file(kSamples + "host_graph/deps.json", run_path + "/deps.json", fs::copy_options::overwrite_existing);
  const json mixed = imported(run_path);
  ASSERT_FALSE(mixed["findings"].empty());
  EXPECT_THAT(mixed["findings"][0]["summary"].get<std::string>(), HasSubstr("5 of 5 tasks with times are not in the task graph"));
}

TEST_F(ImportCommands, WhatIsNoRunIsRefused) {
  const std::string nothing = write("notes.txt", "hello");
  for (const std::string& path :
       {nothing, folder_.string(), (folder_ / "absent").string(), kSamples + "l2_levels/level1/name_map.json"}) {
    const Outcome o = run({"import", path.c_str(), "--json"});
    EXPECT_EQ(o.status, kBadInput) << path;
    EXPECT_EQ(json::parse(o.out)["schema"], "depscope.summary/1") << path;
    EXPECT_NE(o.err, "") << path;
  }
  const std::string records = copy("l2_levels/level2") + "/chip_swimlane_records.json";
  const std::string before = text_of(records);
  EXPECT_THAT(run({"import", records.c_str(), "-o", records.c_str()}).err, HasSubstr("would overwrite the input"));
  EXPECT_EQ(text_of(records), before);
}

/// Cut anywhere, a file gives what it has or an error, never anything else.
TEST_F(ImportCommands, CutAtEveryByte) {
  for (const char* name : {"l2_levels/level3/chip_swimlane_records.json", "legacy/l2_swimlane_records_joined_us.json",
                           "legacy/scope_stats_v4.jsonl"}) {
    const std::string whole = text_of(kSamples + name);
    const std::string file = (folder_ / fs::path(name).filename()).string();
    for (std::size_t size = 0; size<whole.size(); size += whole.size()> 2000 ? 7 : 1) {
      std::ofstream(file) << whole.substr(0, size);
      const Outcome o = run({"import", file.c_str(), "--json"});
      ASSERT_LE(o.status, kBadInput) << name << " cut at " << size << ": " << o.err;
      ASSERT_TRUE(json::accept(o.out)) << name << " cut at " << size;
    }
  }
}

TEST(ImportRealRuns, EverythingJoinsAndAddsUp) {
  const fs::path artefacts = fs::path(DEPSCOPE_SHARED) / "artefacts";
  if (!fs::is_directory(artefacts)) GTEST_SKIP() << "no artefacts beside the project";
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator(artefacts)) {
    if (!entry.is_directory()) continue;
    ++runs;
    const std::string name = entry.path().filename().string();
    const Outcome o = run({"import", entry.path().c_str(), "--json"});
    EXPECT_EQ(o.status, kDone) << name << o.err;
    const json s = json::parse(o.out);
    EXPECT_TRUE(s["health"]["complete"]) << name;
    EXPECT_EQ(s["health"]["timed_tasks"], s["health"]["timed_tasks_in_graph"]) << name;
    EXPECT_EQ(s["scope_status"], "healthy") << name;
    for (const json& file : s["health"]["files"]) {
      const bool graph = file["kind"] == "deps.json";
      EXPECT_TRUE(graph || file["notes"].empty()) << name << file.dump();
    }
    for (const json& peak : s["scope"]) EXPECT_GE(peak["peak"], 0) << name;
    if (!s.contains("critical_path_tool")) {
      EXPECT_TRUE(s["tasks"].empty()) << name;
      continue;
    }
    const json& path = s["critical_path_tool"];
    EXPECT_EQ(path["compute_ticks"].get<std::uint64_t>() + path["stall_ticks"].get<std::uint64_t>(), path["makespan_ticks"])
        << name;
    EXPECT_LE(path["static_cpm_ticks"], path["makespan_ticks"]) << name;
    EXPECT_EQ(s["flows"]["worker"]["hb_violation"], 0) << name;
    for (const json& row : s["tasks"]) {
      EXPECT_LE(row[3].get<double>(), row[4].get<double>()) << name;
      EXPECT_LE(row[4].get<double>(), row[5].get<double>()) << name;
    }
  }
  EXPECT_EQ(runs, 24U);
}

}  // namespace
}  // namespace depscope::app
