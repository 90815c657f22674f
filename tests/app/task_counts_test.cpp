// What the samples submit, against counts taken from the compiler's own last dumps: once from the sample through our passes, and
// once from the dump as it stands. tests/data/counts/counts.jsonl has a line per program and setting of the analysis.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depscope/runtime/submission.h"
#include "open_input.h"

namespace depscope::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kCounts = fs::path(DEPSCOPE_TEST_DATA) / "counts";

/// The same keys as in the file.
json counts_of(const recording::Recording& r) {
  std::map<std::string, int> by_kernel;
  int kernels = 0;
  int dummies = 0;
  int in_manual = 0;
  for (std::uint32_t t = 0; t < r.tasks.rows(); ++t) {
    const auto kind = static_cast<runtime::TaskKind>(r.tasks.kind[t]);
    // Barriers that only the lowering makes stand in no text.
    if (kind == runtime::TaskKind::Dummy && r.tasks.call_site[t] != recording::kNoRow) ++dummies;
    if (kind != runtime::TaskKind::Kernel) continue;
    ++kernels;
    ++by_kernel[std::string(r.text(r.tasks.callee[t]))];
    if ((r.tasks.flags[t] & 1U) != 0) ++in_manual;
  }
  int edges = 0;
  for (std::uint32_t i = 0; i < r.edge_reasons.rows(); ++i) {
    if (r.edge_reasons.arg[i] < 0 && (r.edge_reasons.source[i] & (runtime::kUser | runtime::kFence)) != 0) ++edges;
  }
  std::uint32_t scopes = 0;
  std::uint32_t depth = 0;
  for (std::uint32_t s = 0; s < r.scopes.rows(); ++s) {
    constexpr std::uint8_t kImplicitRoot = 3;
    if (r.scopes.owner[s] == kImplicitRoot) continue;
    ++scopes;
    depth = std::max(depth, r.scopes.depth[s]);
  }
  int buffers = 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t a = 0; a < r.accesses.rows(); ++a) {
    if (static_cast<runtime::TaskKind>(r.tasks.kind[r.accesses.task[a]]) != runtime::TaskKind::Alloc) continue;
    ++buffers;
    const std::uint32_t rank = r.accesses.geometry_begin_count[a] / 3;
    std::uint64_t elements = 1;
    for (std::uint32_t d = 0; d < rank; ++d) elements *= r.pool[r.accesses.geometry_begin[a] + d];
    bytes += elements * runtime::element_size(static_cast<runtime::ElementType>(r.tensors.dtype[r.accesses.tensor[a]]));
  }
  return {{"tasks", kernels},
          {"dummy_tasks", dummies},
          {"by_kernel", by_kernel},
          {"explicit_dep_edges", edges},
          {"tasks_in_manual_scope", in_manual},
          {"runtime_scopes_opened", scopes},
          {"max_scope_depth", depth},
          {"created_buffers", buffers},
          {"created_bytes", bytes}};
}

std::vector<json> lines() {
  std::vector<json> out;
  std::ifstream file(kCounts / "counts.jsonl");
  for (std::string line; std::getline(file, line);) out.push_back(json::parse(line));
  return out;
}

RunOptions options_for(const json& line) {
  RunOptions o;
  o.profile = Profile::Upstream2026_08;
  const fs::path data =
      fs::path(DEPSCOPE_SAMPLES) / "data" / fs::path(line["sample"].get<std::string>()).replace_extension(".json");
  if (fs::exists(data)) o.data.emplace_back("", data.string());
  if (line["program"] == "SoftmaxTilesDynamic") o.args.emplace_back("n", "4");
  return o;
}

void expect_counts(const std::string& path, const RunOptions& options, const json& line) {
  const json& functions = line["orchestration"];
  ASSERT_EQ(functions.size(), 1U);
  json want = functions.begin().value();
  want.erase("peak_live_bytes_if_freed_at_scope_end");  // no count of what is submitted
  EXPECT_EQ(counts_of(open_input(path, options).recording), want) << path << (options.analyze_auto_scopes ? " analysed" : "");
}

TEST(TaskCounts, OfEverySampleThroughOurPasses) {
  const std::vector<json> all = lines();
  EXPECT_EQ(all.size(), 28U);
  for (const json& line : all) {
    RunOptions o = options_for(line);
    o.program = line["program"];
    o.analyze_auto_scopes = line["analyze"];
    expect_counts((fs::path(DEPSCOPE_SAMPLES) / line["sample"].get<std::string>()).string(), o, line);
  }
}

TEST(TaskCounts, OfEveryDumpAsItStands) {
  int dumps = 0;
  for (const json& line : lines()) {
    if (!line.contains("text")) continue;
    ++dumps;
    RunOptions o = options_for(line);
    o.passes.emplace();
    expect_counts((kCounts / line["text"].get<std::string>()).string(), o, line);
  }
  EXPECT_EQ(dumps, 22);
}

}  // namespace
}  // namespace depscope::app
