// `depscope import`: every value of the samples of artefacts.md 15, the health page, findings, what it writes and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
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

TEST_F(ImportCommands, KernelsHaveTheNamesOfTheirOwnProgram) {
  const json full = imported(kSamples + "l2_full");
  EXPECT_EQ(full["platform"], "a2a3");
  ASSERT_EQ(full["kernels"].size(), 5U);
  EXPECT_EQ(full["kernels"][2]["name"], "attn_aic");
  EXPECT_EQ(full["functions"][1]["name"], "vexp");
  EXPECT_THAT(run({"import", (kSamples + "l2_full").c_str()}).out,
              AllOf(HasSubstr("vexp                           3 rows, computes 8.20 us in the mean, dispatch to finish 11.53 us"),
                    HasSubstr("In w fp32[256]")));
  // Numbers count from 0 in each program.
  const json ranks = imported(kSamples + "l3_two_ranks");
  EXPECT_EQ(ranks["runs"]["rank0/d0"]["kernels"][0]["name"], "mm");
  EXPECT_EQ(ranks["runs"]["rank0/d1"]["kernels"][0]["name"], "reduce");
  EXPECT_EQ(ranks["runs"]["rank0/d1"]["kernels"].size(), 2U);
  // A dispatch that is given alone knows its program, too.
  const json alone = imported(kSamples + "l3_two_ranks/dfx_outputs/rank0/d1");
  EXPECT_EQ(alone["kernels"][0]["name"], "reduce");
}

TEST_F(ImportCommands, ArgumentsCountersHostPhasesAndLogs) {
  const json full = imported(kSamples + "l2_full");
  ASSERT_EQ(full["args"].size(), 4U);
  EXPECT_EQ(full["args"][1]["value"], 0.5);
  EXPECT_EQ(full["args"][3]["stage"], "before_dispatch");
  EXPECT_EQ(full["pmu"]["event_type"], "pipe");
  ASSERT_EQ(full["pmu"]["functions"].size(), 5U);
  EXPECT_EQ(full["pmu"]["functions"][1]["rows"], 3) << "vexp: two blocks and one";
  EXPECT_EQ(full["pmu"]["functions"][1]["cycles"], 18400 + 21300 + 5500);
  EXPECT_EQ(full["pmu"]["functions"][1]["sums"][0], 9000 + 9100 + 2000) << "vec_busy_cycles";
  EXPECT_THAT(run({"import", (kSamples + "l2_full").c_str()}).out,
              AllOf(HasSubstr("r1t2     argument 2 input (before_dispatch), scalar = 0.5\n"),
                    HasSubstr("vexp                           3 rows, 45200 cycles, vec_busy_cycles 20100")));
  const json host = imported(kSamples + "host_graph");
  EXPECT_EQ(host["clocks"]["calibrated"], true);
  EXPECT_EQ(host["clocks"]["uncertainty_ns"], 100);
  EXPECT_EQ(host["clocks"]["received_us"], 39.6);
  EXPECT_EQ(host["host_phases"]["passes"][0]["control_plane_ns"], 17000) << "host_orch and arena_h2d";
  const json log = imported(kSamples + "logs/run.log");
  const json& rounds = log["logs"][0]["rounds_us"];
  EXPECT_EQ(rounds["Host"], json::parse("[100.0, 100.0]"));
  EXPECT_EQ(rounds["Device"], json::parse("[61.4, 60.0]"));
  EXPECT_EQ(rounds["Effective"], json::parse("[61.4, 59.0]"));
  EXPECT_EQ(rounds["Orch"], json::parse("[12.0, 11.0]"));
  EXPECT_EQ(rounds["Sched"], json::parse("[59.4, 58.0]"));
  const json hang = imported(kSamples + "logs/device_stall.log");
  ASSERT_EQ(hang["logs"][0]["hangs"].size(), 1U);
  ASSERT_FALSE(hang["findings"].empty());
  EXPECT_EQ(hang["findings"][0]["severity"], "error");
}

TEST_F(ImportCommands, AMergedTraceStandsInForTheTiming) {
  const std::string folder = (folder_ / "merged").string();
  fs::copy(kSamples + "l2_full/dfx_outputs", folder, fs::copy_options::recursive);
  const json raw = imported(folder);
  fs::remove(folder + "/chip_swimlane_records.json");
  const json merged = imported(folder);
  for (const char* key : {"tasks", "total_us", "overhead", "functions", "switch_us_per_core", "sched_critical_path", "flows"})
    expect_same(raw[key], merged[key], key);
  EXPECT_EQ(merged["scheduler_threads"]["0"]["loops"], raw["scheduler_threads"]["0"]["loops"]);
  EXPECT_EQ(merged["backward_pairs"].size(), 1U);
  EXPECT_THAT(merged["health"].dump(), AllOf(HasSubstr("level 4, merged trace"), HasSubstr("read in place of")));
  // Cut anywhere, it gives what it has or an error.
  const std::string whole = text_of(folder + "/merged_swimlane_20260101_120000.json");
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    const std::string file = (folder_ / "merged_swimlane.json").string();
    std::ofstream(file) << whole.substr(0, size);
    const Outcome o = run({"import", file.c_str(), "--json"});
    EXPECT_LE(o.status, kBadInput);
    EXPECT_TRUE(json::accept(o.out)) << size;
  }
}

TEST_F(ImportCommands, RowsOfAMergeThatFailedAreCounted) {
  const std::string folder = (folder_ / "counters").string();
  fs::create_directory(folder);
  const std::string whole = text_of(kSamples + "l2_full/dfx_outputs/pmu.csv");
  const std::size_t cut = whole.rfind('\n', whole.size() - 2) + 1;
  std::ofstream(folder + "/pmu.csv") << whole.substr(0, cut);
  std::ofstream(folder + "/pmu.csv.shard0.tmp") << whole.substr(cut);
  const json both = imported(folder);
  EXPECT_EQ(both["pmu"]["rows"], 7);
  EXPECT_THAT(both["health"].dump(), HasSubstr("left behind by a merge that failed"));
}

TEST_F(ImportCommands, OfSeveralNameMapsTheOneOfTheRun) {
  const std::string folder = copy("l2_levels/level1");
  fs::remove(folder + "/name_map.json");
  const auto map = [&](const std::string& file, const std::string& name) {
    std::ofstream(folder + "/" + file) << R"({"level":2,"callable_id_to_name":{"0":")" << name << "\"}}";
  };
  const auto first_name = [&] { return imported(folder)["kernels"][0]["name"]; };
  map("name_map_other.json", "other");
  EXPECT_EQ(first_name(), "other") << "the only one";
  map("name_map_newer.json", "newer");
  const auto now = fs::last_write_time(folder + "/name_map_other.json");
  fs::last_write_time(folder + "/name_map_newer.json", now + std::chrono::seconds(5));
  EXPECT_EQ(first_name(), "newer");
  fs::last_write_time(folder + "/name_map_other.json", now + std::chrono::seconds(9));
  EXPECT_EQ(first_name(), "other");
  const std::string own = "name_map_" + fs::path(folder).filename().string() + ".json";
  map(own, "own");
  EXPECT_EQ(first_name(), "own") << "the name of the directory";
  EXPECT_THAT(imported(folder)["health"].dump(), HasSubstr("of 3 name maps the one of"));
  // One of level 3 numbers callables, not kernels.
  for (const char* file : {"name_map_other.json", "name_map_newer.json"}) fs::remove(folder + "/" + file);
  std::ofstream(folder + "/" + own) << R"({"level":3,"callable_id_to_name":{"0":"chip"}})";
  EXPECT_FALSE(imported(folder).contains("kernels"));
}

TEST_F(ImportCommands, JoinedWithTheModel) {
  // A trace that asks for the same tasks as the sample, without the late one's edges.
  const std::string graph = kSamples + "l2_full/dfx_outputs/deps.json";
  const std::string model = (folder_ / "model.depscope").string();
  EXPECT_EQ(run({"import", graph.c_str(), "-o", model.c_str()}).status, kDone);
  const std::string joined = (folder_ / "joined.depscope").string();
  const Outcome o = run({"import", (kSamples + "l2_full").c_str(), "--join", model.c_str(), "-o", joined.c_str()});
  EXPECT_EQ(o.status, kFindings) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("join\n  7 tasks are in both (by task_id); 0 only in the model, 0 only in the run\n"),
                           HasSubstr("  14 edges are in both; 0 only in the model, 0 only in the run\n")));
  const recording::Recording r = replay::load(joined);
  EXPECT_EQ(r.measured_dispatches.rows(), 7U);
  for (std::uint32_t i = 0; i < r.measured_dispatches.rows(); ++i)
    EXPECT_EQ(r.tasks.id[r.measured_dispatches.task[i]], r.measured_dispatches.task_id[i]);
  EXPECT_THAT(run({"import", (kSamples + "l2_full").c_str(), "--join", joined.c_str(), "-o", joined.c_str()}).err,
              HasSubstr("would overwrite the input"));
}

TEST_F(ImportCommands, ATraceIsRunWithTheMeasuredDurations) {
  const std::string trace = write("t.trace.json", R"({"tasks":[
{"task_id":"4294967296","scope":"auto","kernel_ids":[0,-1,-1],"block_num":1,"explicit_deps":[],"args":[]},
{"task_id":"4294967297","scope":"auto","kernel_ids":[-1,1,-1],"block_num":2,"explicit_deps":["4294967296"],"args":[]}]})");
  const Outcome o = run({"import", (kSamples + "l2_levels/level2").c_str(), "--join", trace.c_str(), "--json"});
  ASSERT_LE(o.status, kFindings) << o.err;
  const json j = json::parse(o.out);
  ASSERT_TRUE(j.contains("join")) << o.out;
  EXPECT_THAT(j["join"].dump(), HasSubstr("only in the run"));
  std::size_t differences = 0;
  for (const json& f : j["findings"]) differences += f["kind"] == "difference" ? 1 : 0;
  EXPECT_GT(differences, 0U);
}

TEST_F(ImportCommands, DurationsOfARun) {
  const std::string program = std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py";
  const std::string plain = run({"run", program.c_str()}).out;
  // Its directory, its timing in either form, and its recording say the same.
  const std::string file = (folder_ / "run.depscope").string();
  run({"import", (kSamples + "l2_levels/level2").c_str(), "-o", file.c_str()});
  const std::string records = kSamples + "l2_levels/level2/chip_swimlane_records.json";
  const auto timed = [&](const std::string& timing) {
    return run({"run", program.c_str(), "--timing", timing.c_str(), "--json"});
  };
  const Outcome raw = timed(records);
  EXPECT_EQ(raw.status, kDone) << raw.err;
  EXPECT_EQ(timed(file).out, raw.out);
  EXPECT_EQ(timed(kSamples + "l2_levels/level2").out, raw.out);
  EXPECT_EQ(timed(kSamples + "legacy/l2_swimlane_records_joined_us.json").status, kDone);
  const Outcome none = timed(kSamples + "legacy/deps_v1.json");
  EXPECT_EQ(none.status, kBadInput);
}

TEST_F(ImportCommands, APageOfARealRun) {
  const std::string page = (folder_ / "run.html").string();
  EXPECT_EQ(run({"export", (kSamples + "l2_full/dfx_outputs").c_str(), "--format", "html", "-o", page.c_str()}).status, kDone);
  const std::string html = text_of(page);
  EXPECT_THAT(html, AllOf(HasSubstr("<h2>Real run</h2>"), HasSubstr("partly limited by the scheduler (14.5 %)"),
                          HasSubstr("microseconds since the earliest time"), HasSubstr("attn_aic + attn_aiv"),
                          HasSubstr("what ends the life of slots and buffers is not recorded"), Not(HasSubstr("logical time"))));
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
  const std::string folder = (folder_ / "copy").string();
  fs::create_directory(folder);
  fs::copy(kSamples + "l2_full/dfx_outputs", folder, fs::copy_options::recursive);
  for (const char* file : {"deps.json", "chip_swimlane_records.json", "scope_stats/scope_stats.jsonl"}) {
    const std::string output = folder + "/" + file;
    EXPECT_THAT(run({"export", folder.c_str(), "--format", "perfetto", "-o", output.c_str()}).err,
                HasSubstr("would overwrite the input"));
  }
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
      // Binaries of arguments are not among the files of these runs.
      const bool values = file["kind"] == "args_dump.json";
      EXPECT_TRUE(graph || values || file["notes"].empty()) << name << file.dump();
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
