// The deps.json of an imported run, written again from its recording, says the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json parsed_file(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// What the documents leave open: order of tensors and edges, and what fields that are not there mean (artefacts.md 3.1, 3.3).
json normalised(const json& deps) {
  std::map<std::string, json> tasks, tensors;
  for (json task : deps["tasks"]) {
    if (!task.contains("early_dispatch")) task["early_dispatch"] = false;
    if (!task.contains("block_num")) task["block_num"] = 1;
    tasks[task["task_id"]] = task;
  }
  for (const json& tensor : deps["tensors"]) tensors[tensor["tensor_id"]] = tensor;
  std::vector<std::string> edges;
  for (json edge : deps["edges"]) {
    if (!edge.contains("flags"))
      edge["flags"] = edge["source"] == "tensormap" ? json::array({"wait"}) : json::array({"wait", "retain"});
    edges.push_back(edge.dump());
  }
  std::sort(edges.begin(), edges.end());
  return {{"tasks", tasks}, {"tensors", tensors}, {"edges", edges}};
}

class ImportDepsJson : public TemporaryFolder {
 protected:
  void same_again(const std::string& path) {
    SCOPED_TRACE(path);
    const std::string recording = (folder_ / "run.depscope").string(), again = (folder_ / "again.json").string();
    ASSERT_LE(run({"import", path.c_str(), "-o", recording.c_str()}).status, kFindings);
    ASSERT_EQ(run({"export", recording.c_str(), "--format", "deps-json", "-o", again.c_str()}).status, kDone);
    const json before = normalised(parsed_file(path)), after = normalised(parsed_file(again));
    for (const char* part : {"tasks", "tensors", "edges"}) EXPECT_EQ(before[part], after[part]) << part;
  }
};

TEST_F(ImportDepsJson, OfTheSamples) {
  const std::string samples = std::string(DEPSCOPE_TEST_DATA) + "/artefacts/";
  for (const char* name :
       {"l2_full/dfx_outputs", "l2_levels/level1", "host_graph", "l3_two_ranks/dfx_outputs/rank0/d1", "legacy/v2_5col"})
    same_again(samples + name + "/deps.json");
}

TEST_F(ImportDepsJson, OfRealRuns) {
  const std::string folder = std::string(DEPSCOPE_SHARED) + "/artefacts";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no files of real runs here";
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "deps.json") found.push_back(entry.path().string());
  }
  EXPECT_GE(found.size(), 24U);
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) same_again(path);
}

}  // namespace
}  // namespace depscope::app
