// Hazards and edges as runs say the same as one by one, and take little room where they are many.
#include "depscope/recording/runs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "depscope/ir/text.h"
#include "depscope/pass/pass.h"
#include "depscope/recording/recorder.h"
#include "depscope/replay/explain_text.h"
#include "depscope/replay/facts_json.h"
#include "random_orchestration.h"

namespace depscope::replay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using recording::kNoRow;
using recording::Recording;

struct Recorded {
  Recording recording;
  std::string text;  ///< of the last program, runs written out
  bool ok = false;
};

Recorded record(const std::string& text, std::uint32_t max_single_priors, pass::Profile profile = pass::Profile::Seed) {
  Recorded out;
  const ir::ReadResult read = ir::read_text(std::make_shared<SourceFile>("case.py", text));
  if (!read.ok || read.programs.empty()) return out;
  const ir::Program& program = read.programs.back();
  recording::PassRecorder recorder(out.recording);
  pass::Options options;
  options.analyze_auto_scopes = true;
  options.profile = profile;
  options.max_single_priors = max_single_priors;
  pass::PassManager manager(pass::default_passes(program), options);
  manager.add_observer(recorder);
  try {
    const ir::Program last = manager.run(program, recorder);
    recorder.finish(last);
    out.text = ir::print_program(last);
    out.ok = true;
  } catch (const InputError&) {
  }
  return out;
}

/// Runs come in the order of their first hazards: the order of hazards is the only thing that they change.
json sorted_facts(const Recording& r) {
  json facts = json::parse(facts_json(r));
  for (json& function : facts["functions"]) {
    json& hazards = function["hazards"];
    std::vector<std::pair<std::string, json>> keyed;
    for (json& hazard : hazards) keyed.emplace_back(hazard.dump(), hazard);
    std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < keyed.size(); ++i) hazards[i] = keyed[i].second;
  }
  return facts;
}

std::string first_difference(const json& a, const json& b) {
  const json patch = json::diff(a, b);
  return patch.empty() ? "" : patch.dump();
}

/// Empty if runs and single rows say the same of a program.
std::string difference(const std::string& text, pass::Profile profile) {
  const Recorded single = record(text, 0xffffffffU, profile);
  const Recorded runs = record(text, 0, profile);
  if (single.ok != runs.ok) return "one of them is refused";
  if (!single.ok) return "";
  for (const std::uint32_t more : single.recording.hazards.more_count) {
    if (more != 0) return "a run where none was asked for";
  }
  if (single.text != runs.text) return "the programs differ:\n" + single.text + "\n" + runs.text;
  return first_difference(sorted_facts(single.recording), sorted_facts(runs.recording));
}

std::string content(const fs::path& path) { return std::string(SourceFile::read(path.string(), 1U << 24U).text()); }

TEST(RunsTest, SayTheSameAsSingleRowsForEveryProgram) {
  std::size_t programs = 0;
  std::size_t runs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(DEPSCOPE_TEST_DATA) / "programs")) {
    if (entry.path().extension() != ".py") continue;
    const std::string text = content(entry.path());
    for (const pass::Profile profile : {pass::Profile::Seed, pass::Profile::Upstream202608}) {
      EXPECT_EQ(difference(text, profile), "") << entry.path();
    }
    ++programs;
    const Recorded recorded = record(text, 0);
    runs += static_cast<std::size_t>(std::count_if(recorded.recording.hazards.more_count.begin(),
                                                   recorded.recording.hazards.more_count.end(),
                                                   [](std::uint32_t more) { return more != 0; }));
  }
  EXPECT_GT(programs, 20U);
  EXPECT_GT(runs, 20U);  // or nothing was compared
}

RC_GTEST_PROP(RunsTest, SayTheSameAsSingleRowsForRandomPrograms, ()) {
  const std::string text = pass::testing::random_program();
  const auto profile = *rc::gen::element(pass::Profile::Seed, pass::Profile::Upstream202608);
  const std::string found = difference(text, profile);
  if (!found.empty()) RC_LOG(text + "\n" + found);
  RC_ASSERT(found.empty());
}

constexpr const char* kHead =
    "import pypto.language as pl\n\n@pl.program\nclass Long:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def step(self, x: pl.Tensor[[64], pl.FP32], o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
    "        return o\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def look(self, x: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:\n"
    "        return x\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def fill(self, o: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:\n"
    "        return o\n"
    "    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
    "    def main(self, x: pl.Tensor[[64], pl.FP32], a: pl.Tensor[[64], pl.FP32], b: pl.Tensor[[64], pl.FP32]) -> "
    "pl.Tensor[[64], pl.FP32]:\n"
    "        with pl.scope():\n";

struct Shape {
  const char* name;
  std::string (*line)(int);  ///< what follows the i-th "r, t ="
  std::uint64_t edges;
};

class LongPrograms : public ::testing::TestWithParam<Shape> {};

// 1,000 launches: 499,500 pairs where all meet.
TEST_P(LongPrograms, TakeRoomThatGrowsWithTheirLength) {
  const int n = 1'000;
  std::string text = kHead;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 0) text += "            w" + std::to_string(i) + " = pl.create_tensor([64], dtype=pl.FP32)\n";
    text += "            r" + std::to_string(i) + ", t" + std::to_string(i) + " = pl.submit(" + GetParam().line(i) + ")\n";
  }
  text += "        return x\n";
  const Recorded recorded = record(text, 64);
  ASSERT_TRUE(recorded.ok);
  const Recording& r = recorded.recording;
  std::uint64_t edges = 0;
  for (std::uint32_t i = 0; i < r.pass_edges.rows(); ++i) edges += recording::edge_count(r, i);
  EXPECT_EQ(edges, GetParam().edges);
  // As long as an access meets no more than 64 there is a row for each; behind, there are a few rows a launch.
  EXPECT_LT(r.hazards.rows(), 10'000U + 4U * n);
  EXPECT_LT(r.pass_edges.rows(), 10'000U + 4U * n);
  EXPECT_LT(r.listed_accesses.rows(), 6U * n);
  EXPECT_LT(r.pool.size(), 400U * n);
  // The text that is kept to be looked at names the ends of long lists only; the program itself can be printed whole.
  if (GetParam().edges > 100'000) {
    EXPECT_LT(r.text(r.passes.text.back()).size(), recorded.text.size() * 2 / 3);
  }
  EXPECT_EQ(recorded.text, record(text, 0xffffffffU).text);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LongPrograms,
    ::testing::Values(
        Shape{"Chain", [](int) -> std::string { return "self.fill, a"; }, 499'500},
        Shape{"PingPong", [](int i) -> std::string { return i % 2 == 0 ? "self.step, a, b" : "self.step, b, a"; }, 499'500},
        Shape{"ReadersAndWriters", [](int i) -> std::string { return i % 2 == 0 ? "self.look, a" : "self.fill, a"; },
              // A reader waits for the writers before it, a writer for everything before it.
              500ULL * 499 / 2 + 500ULL * 500},
        Shape{"ReadersThenOneWriter", [](int i) -> std::string { return i == 999 ? "self.fill, a" : "self.look, a"; }, 999}),
    [](const auto& info) { return info.param.name; });

// A writer, 70 readers, a writer: the last one's edges are one run, its hazards two.
TEST(LongListsTest, NameTheFirstOfEachRun) {
  std::string text = kHead;
  for (int i = 0; i < 72; ++i) {
    text += "            r" + std::to_string(i) + ", t" + std::to_string(i) + " = pl.submit(self." +
            (i == 0 || i == 71 ? "fill" : "look") + ", a)\n";
  }
  const Recorded recorded = record(text + "        return x\n", 64);
  ASSERT_TRUE(recorded.ok);
  const std::string said = explain_text(recorded.recording, {.call_site = recorded.recording.call_sites.rows() - 1});
  std::string flat;  // without the line breaks
  for (const char c : said) {
    if (c != '\n' && (c != ' ' || flat.empty() || flat.back() != ' ')) flat += c;
    if (c == '\n' && !flat.empty() && flat.back() != ' ') flat += ' ';
  }
  EXPECT_NE(flat.find("compiler edge t0 from call 0 fill"), std::string::npos) << flat;
  EXPECT_NE(flat.find("and 70 more, the last one t70 from call 70 look"), std::string::npos) << flat;
  EXPECT_NE(flat.find("after call 1 look (line 18), argument a and 69 more, the last one call 70 look"), std::string::npos)
      << flat;
  EXPECT_NE(flat.find("a compiler edge each, the first one t1"), std::string::npos) << flat;
  EXPECT_NE(flat.find("WAR on a (70 times)"), std::string::npos) << flat;
}

TEST(LongListsTest, AreElidedInTheTextThatIsKept) {
  std::string text = kHead;
  for (int i = 0; i < 300; ++i) {
    text += "            r" + std::to_string(i) + ", t" + std::to_string(i) + " = pl.submit(self.fill, a)\n";
  }
  const Recorded recorded = record(text + "        return x\n", 64);
  ASSERT_TRUE(recorded.ok);
  const std::string_view kept = recorded.recording.text(recorded.recording.passes.text.back());
  // The last launch has 299 edges, of which the first and the last eight are named.
  EXPECT_NE(kept.find(", ... 283 more ..., "), std::string_view::npos);
  EXPECT_EQ(recorded.text.find("more ..."), std::string::npos);
  // What is kept of each call site is all there.
  std::vector<std::string> names;
  const std::uint32_t last = recorded.recording.call_sites.rows() - 1;
  recording::for_first_compiler_deps(recorded.recording, last, kNoRow,
                                     [&](std::uint32_t id) { names.emplace_back(ir::source_name(recorded.recording.text(id))); });
  ASSERT_EQ(names.size(), 299U);
  EXPECT_EQ(names.front(), "t0");
  EXPECT_EQ(names[150], "t150");
  EXPECT_EQ(names.back(), "t298");
  EXPECT_EQ(recording::compiler_dep_count(recorded.recording, last), 299U);
}

}  // namespace
}  // namespace depscope::replay
