// Matched rows of the samples, run in two ways, beside the counts of the comparison and against looking rows up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "matching_errors.h"
#include "open_input.h"
#include "options.h"
#include "sample_files.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using replay::Comparison;
using replay::DifferenceKind;
using replay::marked;
using replay::Matching;
using replay::only;

recording::Recording record(const fs::path& path, OptionTexts texts) {
  const fs::path data = fs::path(DEPSCOPE_SAMPLES) / "data" / (path.stem().string() + ".json");
  if (fs::exists(data)) {
    std::ifstream file(data);
    const auto contents = nlohmann::json::parse(file);
    for (const auto& [name, values] : contents.items()) texts.data.push_back(name + "=" + values.dump());
  }
  return open_input(path.string(), parse(texts)).recording;
}

struct Ways {
  const char* name;
  OptionTexts a, b;
  std::vector<DifferenceKind> expected;  ///< that must be marked somewhere

  friend void PrintTo(const Ways& ways, std::ostream* out) { *out << ways.name; }
};

OptionTexts with(std::string OptionTexts::*option, const char* value) {
  OptionTexts texts;
  texts.*option = value;
  return texts;
}

class MatchSamples : public ::testing::TestWithParam<Ways> {};

/// By kind: the rows that are marked or stand alone.
std::map<DifferenceKind, std::uint64_t> marks_of(const Matching& m) {
  return {{DifferenceKind::Pass, only(m.passes)},
          {DifferenceKind::CallSite, only(m.call_sites)},
          {DifferenceKind::Direction, marked(m.arguments, DifferenceKind::Direction)},
          {DifferenceKind::Fallback, marked(m.regions, DifferenceKind::Fallback) + only(m.regions)},
          {DifferenceKind::Scope,
           marked(m.ir_scopes, DifferenceKind::Scope) + only(m.ir_scopes) + marked(m.functions, DifferenceKind::Scope)},
          {DifferenceKind::Task, only(m.tasks)},
          {DifferenceKind::BlockNum, marked(m.tasks, DifferenceKind::BlockNum)},
          {DifferenceKind::EarlyDispatch, marked(m.tasks, DifferenceKind::EarlyDispatch)},
          {DifferenceKind::Pair, only(m.edges)},
          {DifferenceKind::Flags, marked(m.edges, DifferenceKind::Flags)},
          {DifferenceKind::Provenance, marked(m.edges, DifferenceKind::Provenance)},
          {DifferenceKind::FinalFlags, marked(m.edges, DifferenceKind::FinalFlags)},
          {DifferenceKind::CompletionOrder, marked(m.tasks, DifferenceKind::CompletionOrder)},
          {DifferenceKind::Lifetime, marked(m.tasks, DifferenceKind::Lifetime)}};
}

TEST_P(MatchSamples, MarksAreWhatIsCounted) {
  std::map<DifferenceKind, std::uint64_t> seen;
  const std::vector<fs::path> paths = samples();
  ASSERT_GE(paths.size(), 10U);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    const recording::Recording a = record(path, GetParam().a);
    const recording::Recording b = record(path, GetParam().b);
    Matching m;
    const Comparison c = replay::compare(a, b, {}, m);
    EXPECT_EQ(replay::error_of_matching(m, a, b), "");
    EXPECT_EQ(replay::error_of_followers(m, a, b), "");
    EXPECT_EQ(c.alignment.matched + m.tasks.only_a.size(), a.tasks.rows());
    for (const auto& [kind, rows] : marks_of(m)) {
      EXPECT_EQ(rows, c.counts[static_cast<std::size_t>(kind)].total) << replay::difference_kind_name(kind);
      seen[kind] += rows;
    }
    // A function is told once for all passes after which its text differs.
    EXPECT_EQ(marked(m.functions, DifferenceKind::PassText), c.counts[static_cast<std::size_t>(DifferenceKind::PassText)].total);
    EXPECT_EQ(marked(m.passes, DifferenceKind::PassText) == 0, m.texts.empty());
    // A row of hazards may stand for many.
    EXPECT_LE(marked(m.hazards, DifferenceKind::Coverage),
              2 * c.counts[static_cast<std::size_t>(DifferenceKind::Coverage)].total);
    // With nothing asked for, the report is the same.
    EXPECT_EQ(replay::comparison_json(replay::compare(a, b), true), replay::comparison_json(c, true));
  }
  for (const DifferenceKind kind : GetParam().expected) EXPECT_GT(seen[kind], 0U) << replay::difference_kind_name(kind);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, MatchSamples,
    ::testing::Values(
        Ways{"analysis",
             {},
             with(&OptionTexts::analyze_auto_scopes, "true"),
             {DifferenceKind::Provenance, DifferenceKind::Fallback, DifferenceKind::Direction}},
        Ways{"edges", {}, with(&OptionTexts::edges, "coupled"), {DifferenceKind::Flags, DifferenceKind::Lifetime}},
        Ways{"reduce", with(&OptionTexts::reduce, "none"), with(&OptionTexts::reduce, "exact"), {DifferenceKind::FinalFlags}},
        Ways{"platform", {}, with(&OptionTexts::platform, "a5"), {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MatchSamplesAlone, EverySampleWithItself) {
  for (const fs::path& path : samples()) {
    SCOPED_TRACE(path.string());
    OptionTexts texts;
    texts.analyze_auto_scopes = "true";
    const recording::Recording r = record(path, texts);
    Matching m;
    EXPECT_EQ(replay::compare(r, r, {}, m).total(), 0U);
    for (const replay::MatchedRows* rows : {&m.passes, &m.functions, &m.call_sites, &m.arguments, &m.ir_scopes, &m.regions,
                                            &m.hazards, &m.tasks, &m.accesses, &m.tensors, &m.edges, &m.scopes})
      EXPECT_TRUE(replay::is_identity(*rows));
  }
}

/// A call more: its tasks and their edges, and nothing behind it moves, buffers that the runtime allocates included.
TEST(MatchSamplesAlone, ACallInTheMiddle) {
  const fs::path sample = fs::path(DEPSCOPE_SAMPLES) / "02_softmax_tiles.py";
  std::ifstream file(sample);
  std::string program(std::istreambuf_iterator<char>(file), {});
  const std::string call = "            y_tile = norm_tile(work, y_tile)\n";
  const std::size_t at = program.find(call);
  ASSERT_NE(at, std::string::npos);
  program.insert(at, call);
  std::string folder = (fs::temp_directory_path() / "depscope-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const fs::path more = fs::path(folder) / "more.py";
  std::ofstream(more) << program;
  const recording::Recording a = record(sample, {});
  const recording::Recording b = record(more, {});
  fs::remove_all(folder);
  Matching m;
  const Comparison c = replay::compare(a, b, {}, m);
  EXPECT_EQ(c.alignment.by, replay::AlignedBy::CallSiteIteration);
  EXPECT_TRUE(m.tasks.only_a.empty());
  EXPECT_EQ(m.call_sites.only_b.size(), 1U);
  for (const std::uint32_t task : m.tasks.only_b) EXPECT_EQ(b.tasks.call_site[task], m.call_sites.only_b[0]);
  EXPECT_EQ(m.tasks.only_b.size() + a.tasks.rows(), b.tasks.rows());
  for (const std::uint32_t edge : m.edges.only_b) {
    const bool new_task = b.tasks.call_site[b.edges.producer[edge]] == m.call_sites.only_b[0] ||
                          b.tasks.call_site[b.edges.consumer[edge]] == m.call_sites.only_b[0];
    EXPECT_TRUE(new_task) << edge;
  }
  EXPECT_EQ(replay::error_of_matching(m, a, b), "");
  EXPECT_EQ(replay::error_of_followers(m, a, b), "");
}

/// Two programs that share next to nothing: whatever is matched is matched both ways.
TEST(MatchSamplesAlone, DifferentSamples) {
  const std::vector<fs::path> paths = samples();
  for (std::size_t i = 1; i < paths.size(); ++i) {
    SCOPED_TRACE(paths[i].string());
    const recording::Recording a = record(paths[i - 1], {});
    const recording::Recording b = record(paths[i], {});
    Matching m;
    const Comparison c = replay::compare(a, b, {}, m);
    EXPECT_EQ(replay::error_of_matching(m, a, b), "");
    EXPECT_EQ(replay::error_of_followers(m, a, b), "");
    EXPECT_EQ(only(m.edges), c.counts[static_cast<std::size_t>(DifferenceKind::Pair)].total);
    EXPECT_EQ(only(m.tasks), c.counts[static_cast<std::size_t>(DifferenceKind::Task)].total);
  }
}

}  // namespace
}  // namespace depscope::app
