// `depscope export --format perfetto` and `--format dot`: what viewers demand of such files, and that nothing of the run is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_outcome.h"
#include "depscope/replay/file.h"
#include "depscope/runtime/submission.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kSamples = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/";

class TraceExport : public TemporaryFolder {
 protected:
  std::string exported(const std::string& input, const char* format, const std::vector<std::string>& options = {}) {
    const std::string file = (folder_ / "out").string();
    std::vector<std::string> words{"export", input, "--format", format, "-o", file};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome o = run_words(words);
    EXPECT_EQ(o.status, kDone) << input << o.err;
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  struct Counts {
    std::size_t slices = 0, flows = 0, backward = 0, counters = 0;
  };

  /// What the format demands of each event; every flow has both ends, each within a slice of its track, and leads forward.
  static Counts checked(const std::string& text) {
    Counts out;
    const json trace = json::parse(text);
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
    std::map<int, std::vector<json>> flows;
    std::set<std::pair<int, int>> named;
    for (const json& e : trace["traceEvents"]) {
      const std::string phase = e["ph"];
      EXPECT_TRUE(e["pid"].is_number_integer() && e["tid"].is_number_integer()) << e.dump();
      if (phase == "M") {
        EXPECT_TRUE(e["name"] == "process_name" || e["name"] == "thread_name");
        EXPECT_TRUE(e["args"]["name"].is_string());
        named.emplace(e["pid"].get<int>(), e["tid"].get<int>());
        continue;
      }
      EXPECT_GE(e["ts"].get<double>(), 0) << e.dump();
      EXPECT_TRUE(e["name"].is_string()) << e.dump();
      if (phase == "X") {
        EXPECT_GE(e["dur"].get<double>(), 0) << e.dump();
        slices[std::pair(e["pid"].get<int>(), e["tid"].get<int>())].emplace_back(e["ts"],
                                                                                 e["ts"].get<double>() + e["dur"].get<double>());
        if (e["pid"] == 3) {
          ++out.slices;
          EXPECT_TRUE(named.contains({3, e["tid"].get<int>()})) << e.dump();
        }
      } else if (phase == "s" || phase == "f") {
        EXPECT_EQ(e["bp"], "e");
        flows[e["id"].get<int>()].push_back(e);
      } else if (phase == "C") {
        ++out.counters;
        for (const auto& [key, value] : e["args"].items()) EXPECT_GE(value.get<double>(), 0) << e.dump();
      } else {
        EXPECT_EQ(phase, "i") << e.dump();
        out.backward += e["name"] == "backward" ? 1 : 0;
      }
    }
    const auto within = [&](const json& e) {
      for (const auto& [begin, end] : slices[std::pair(e["pid"].get<int>(), e["tid"].get<int>())]) {
        if (begin <= e["ts"].get<double>() && e["ts"].get<double>() <= end) return true;
      }
      return false;
    };
    for (const auto& [id, ends] : flows) {
      EXPECT_EQ(ends.size(), 2U) << "flow " << id;
      if (ends.size() != 2) continue;
      EXPECT_EQ(ends[0]["ph"], "s");
      EXPECT_EQ(ends[1]["ph"], "f");
      EXPECT_LE(ends[0]["ts"].get<double>(), ends[1]["ts"].get<double>()) << id;
      EXPECT_TRUE(within(ends[0]) && within(ends[1])) << id;
    }
    out.flows = flows.size();
    return out;
  }
};

TEST_F(TraceExport, AMeasuredRun) {
  const Counts full = checked(exported(kSamples + "l2_full/dfx_outputs", "perfetto"));
  EXPECT_EQ(full.slices, 7U);
  // Allocation and barrier have no slices.
  const recording::Recording r = [&] {
    const std::string file = (folder_ / "r.depscope").string();
    run({"import", (kSamples + "l2_full").c_str(), "-o", file.c_str()});
    return replay::load(file);
  }();
  std::set<std::uint32_t> timed(r.measured_dispatches.task.begin(), r.measured_dispatches.task.end());
  std::size_t pairs = 0;
  for (std::uint32_t e = 0; e < r.edges.rows(); ++e)
    pairs += timed.contains(r.edges.producer[e]) && timed.contains(r.edges.consumer[e]) ? 1 : 0;
  EXPECT_EQ(full.flows + full.backward, pairs);
  EXPECT_EQ(full.backward, 1U);  // 2 ends after 5 began
  EXPECT_GT(full.counters, 0U);
  // The same from the recording.
  EXPECT_EQ(checked(exported((folder_ / "r.depscope").string(), "perfetto")).slices, 7U);
}

TEST_F(TraceExport, RunsOfTheModel) {
  for (const char* name : {"02_softmax_tiles.py", "08_fused_mlp_war.py", "11_retained_diamond.py"}) {
    const std::string program = std::string(DEPSCOPE_SAMPLES) + "/" + name;
    const std::string file = (folder_ / "r.depscope").string();
    ASSERT_EQ(run({"run", program.c_str(), "-o", file.c_str()}).status, kDone);
    const recording::Recording r = replay::load(file);
    const Counts counts = checked(exported(file, "perfetto"));
    std::size_t kernels = 0;
    for (const std::uint8_t kind : r.tasks.kind)
      kernels += static_cast<runtime::TaskKind>(kind) == runtime::TaskKind::Kernel ? 1 : 0;
    EXPECT_GE(counts.slices, kernels) << name;
    EXPECT_EQ(counts.backward, 0U) << name;
    EXPECT_GT(counts.flows, 0U) << name;
  }
}

TEST_F(TraceExport, AStoppedRunEndsItsSlices) {
  const std::string program = std::string(DEPSCOPE_TEST_DATA) + "/book/58-manual-scope-overfills-window/input.py";
  const json options = json::parse(
      std::ifstream(std::string(DEPSCOPE_TEST_DATA) + "/book/58-manual-scope-overfills-window/expect.json"))["options"];
  std::vector<std::string> words;
  for (const auto& [key, value] : options.items()) {
    std::string name = key;
    for (char& c : name) c = c == '_' ? '-' : c;
    words.push_back("--" + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  checked(exported(program, "perfetto", words));
}

TEST_F(TraceExport, DotHasEveryTaskAndEveryEdgeOnce) {
  const std::string program = std::string(DEPSCOPE_SAMPLES) + "/08_fused_mlp_war.py";
  const std::string file = (folder_ / "r.depscope").string();
  ASSERT_EQ(run({"run", program.c_str(), "--analyze-auto-scopes", "-o", file.c_str()}).status, kDone);
  const recording::Recording r = replay::load(file);
  const std::string dot = exported(file, "dot");
  EXPECT_TRUE(dot.starts_with("digraph tasks {\n"));
  EXPECT_TRUE(dot.ends_with("}\n"));
  std::istringstream lines(dot);
  std::size_t nodes = 0, edges = 0;
  for (std::string line; std::getline(lines, line);) {
    edges += line.find(" -> ") != std::string::npos ? 1 : 0;
    nodes += line.find("shape=") != std::string::npos && line.starts_with("  t") ? 1 : 0;
  }
  EXPECT_EQ(nodes, r.tasks.rows());
  EXPECT_EQ(edges, r.edges.rows());
  EXPECT_THAT(dot, HasSubstr("color=\"#2e7d32\", style=solid"));   // an edge of the TensorMap that waits
  EXPECT_THAT(dot, HasSubstr("color=\"#707070\", style=dotted"));  // a creator whose WAIT was removed
}

TEST_F(TraceExport, RealRuns) {
  const fs::path artefacts = fs::path(DEPSCOPE_SHARED) / "artefacts";
  if (!fs::is_directory(artefacts)) GTEST_SKIP() << "no artefacts beside the project";
  for (const auto& entry : fs::directory_iterator(artefacts)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    EXPECT_EQ(checked(exported(entry.path().string(), "perfetto")).backward, 0U);
  }
}

}  // namespace
}  // namespace depscope::app
