#include "depscope/viewers/findings_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "sample_runs.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

TEST(FindingsModelTest, TheRecordingsOwnFindingsAreItsTable) {
  const auto& r = sample_run("08_fused_mlp_war", "--analyze-auto-scopes");
  const auto entries = run_entries(r);
  ASSERT_EQ(entries.size(), r.findings.rows());
  for (std::uint32_t row = 0; row < r.findings.rows(); ++row) {
    EXPECT_EQ(entries[row].kind, r.text(r.findings.kind[row]));
    EXPECT_EQ(entries[row].summary, r.text(r.findings.summary[row]));
    EXPECT_EQ(entries[row].finding, row);
    EXPECT_EQ(entries[row].line, r.findings.line[row]);
  }
}

TEST(FindingsModelTest, ACheckFindsWhatCheckFinds) {
  const auto& r = sample_run("08_fused_mlp_war", "--analyze-auto-scopes");
  const replay::Check check(r);
  std::vector<std::string> expected;
  check.each({.facts = true}, [&](const replay::CheckFinding& found) { expected.push_back(found.summary); });
  const auto entries = check_entries(r);
  ASSERT_EQ(entries.size(), expected.size());
  std::size_t missing = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].summary, expected[i]);
    if (entries[i].kind != "missing_order") continue;
    ++missing;
    EXPECT_LT(entries[i].first, r.tasks.rows());
    EXPECT_LT(entries[i].second, r.tasks.rows());
    EXPECT_FALSE(entries[i].details.empty());
    EXPECT_EQ(entries[i].source, FindingSource::Check);
  }
  EXPECT_EQ(missing, check.counts().missing_order);
  EXPECT_GT(missing, 0U);
  EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [](const FindingEntry& e) { return e.source == FindingSource::Run; }));
}

TEST(FindingsModelTest, SortedBySeverityOtherwiseInOrder) {
  auto entries = check_entries(sample_run("08_fused_mlp_war", "--analyze-auto-scopes"));
  const auto before = entries;
  sort_by_severity(entries);
  EXPECT_TRUE(
      std::is_sorted(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.severity > b.severity; }));
  std::vector<std::string> infos_before;
  std::vector<std::string> infos_after;
  for (const auto& e : before) {
    if (e.severity == Severity::Info) infos_before.push_back(e.summary);
  }
  for (const auto& e : entries) {
    if (e.severity == Severity::Info) infos_after.push_back(e.summary);
  }
  EXPECT_EQ(infos_before, infos_after);
}

TEST(FindingsModelTest, FiltersBySeverityKindAndWords) {
  FindingEntry entry;
  entry.severity = Severity::Warning;
  entry.kind = "missing_order";
  entry.summary = "gelu#0 may overwrite h";
  EXPECT_TRUE(parse_finding_filter("").matches(entry));
  EXPECT_TRUE(parse_finding_filter("warning GELU#0").matches(entry));
  EXPECT_TRUE(parse_finding_filter("error warning").matches(entry));
  EXPECT_FALSE(parse_finding_filter("error").matches(entry));
  EXPECT_TRUE(parse_finding_filter("kind:missing_order").matches(entry));
  EXPECT_FALSE(parse_finding_filter("kind:false_order").matches(entry));
  EXPECT_FALSE(parse_finding_filter("probe").matches(entry));
}

TEST(FindingsModelTest, APairLeadsToBothTasksAndToTheCursor) {
  const Document document(sample_run("08_fused_mlp_war", "--analyze-auto-scopes"), "war");
  for (const FindingEntry& entry : check_entries(document.recording())) {
    if (entry.kind != "missing_order") continue;
    const FindingPlace place = place_of(document, entry);
    ASSERT_GE(place.items.size(), 2U);
    EXPECT_EQ(place.items[0], (Item{ItemKind::Task, entry.first}));
    EXPECT_EQ(place.items[1], (Item{ItemKind::Task, entry.second}));
    EXPECT_EQ(place.position, document.moments().submitted[entry.second] + 1);
    return;
  }
  FAIL() << "no missing order";
}

TEST(FindingsModelTest, ALineLeadsToItsCallSite) {
  const Document document(sample_run("10_fallbacks", "--analyze-auto-scopes"), "fallbacks");
  const auto& r = document.recording();
  FindingEntry entry;
  entry.line = r.call_sites.line[4];
  const FindingPlace place = place_of(document, entry);
  EXPECT_TRUE(place.line);
  ASSERT_FALSE(place.items.empty());
  EXPECT_EQ(r.call_sites.line[place.items.back().row], entry.line);
}

TEST(FindingsModelTest, AnEdgeBetweenTwoTasksIsFound) {
  const Document document(sample_run("10_fallbacks", "--analyze-auto-scopes"), "fallbacks");
  const auto& e = document.recording().edges;
  ASSERT_GT(e.rows(), 5U);
  EXPECT_EQ(edge_between(document, e.producer[5], e.consumer[5]), 5U);
  EXPECT_EQ(edge_between(document, e.consumer[5], e.producer[5]), kNoRow);
}

TEST(FindingsModelTest, TheJobGivesWhatTheCheckGives) {
  const auto& r = sample_run("08_fused_mlp_war", "--analyze-auto-scopes");
  CheckJob job;
  EXPECT_EQ(job.state(), CheckJob::State::NotStarted);
  EXPECT_FALSE(job.poll());
  job.start(r);
  while (!job.poll()) std::this_thread::yield();
  EXPECT_EQ(job.state(), CheckJob::State::Done);
  EXPECT_EQ(job.entries().size(), check_entries(r).size());
  job.reset();
  EXPECT_EQ(job.state(), CheckJob::State::NotStarted);
  EXPECT_TRUE(job.entries().empty());
}

TEST(FindingsModelTest, DifferencesAreEntries) {
  const auto& a = sample_run("10_fallbacks", "--analyze-auto-scopes");
  const auto& b = sample_run("10_fallbacks", "");
  const replay::Comparison comparison = replay::compare(a, b);
  const auto entries = diff_entries(comparison);
  ASSERT_EQ(entries.size(), comparison.differences.size());
  ASSERT_FALSE(entries.empty());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].kind, replay::difference_kind_name(comparison.differences[i].kind));
    EXPECT_EQ(entries[i].summary, comparison.differences[i].summary);
    EXPECT_EQ(entries[i].source, FindingSource::Diff);
  }
}

/// The rows of a difference are those that its fields name.
TEST(FindingsModelTest, ADifferenceLeadsToItsRowsOnBothSides) {
  Document a(sample_run("10_fallbacks", "--analyze-auto-scopes"), "a");
  Document b(sample_run("10_fallbacks", ""), "b");
  Comparison comparison(a, b);
  const auto entries = diff_entries(comparison.report());
  std::size_t edges = 0;
  std::size_t regions = 0;
  for (int side = 0; side < 2; ++side) {
    const auto& here = comparison.here().recording();
    for (const FindingEntry& entry : entries) {
      const FindingPlace place = place_of(comparison, entry);
      const auto fields = nlohmann::json::parse(entry.fields);
      if (entry.kind == "pair" || entry.kind == "flags" || entry.kind == "provenance" || entry.kind == "final_flags") {
        ++edges;
        const bool only_there = fields[comparison.here_name()].is_null();
        ASSERT_EQ(place.items.empty(), only_there) << entry.summary;
        ASSERT_EQ(place.there.kind == ItemKind::Edge, only_there) << entry.summary;
        const auto& r = only_there ? comparison.there().recording() : here;
        const std::uint32_t row = only_there ? place.there.row : place.items.front().row;
        ASSERT_LT(row, r.edges.rows());
        const std::string mine = comparison.swapped() != only_there ? "task_b" : "task";
        const auto id = [&](const char* end) {
          const auto& task = fields[end];
          return task.contains(mine) ? task[mine].get<std::string>() : task["task"].get<std::string>();
        };
        EXPECT_EQ(std::to_string(r.tasks.id[r.edges.producer[row]]), id("first")) << entry.summary;
        EXPECT_EQ(std::to_string(r.tasks.id[r.edges.consumer[row]]), id("second")) << entry.summary;
      } else if (entry.kind == "fallback" && !place.items.empty()) {
        ++regions;
        EXPECT_EQ(place.items.front().kind, ItemKind::Region);
        EXPECT_EQ(here.regions.index[place.items.front().row], fields["region"].get<std::uint32_t>());
      }
    }
    comparison.swap();
  }
  EXPECT_GT(edges, 0U);
  EXPECT_GT(regions, 0U);
}

}  // namespace
}  // namespace depscope::viewers
