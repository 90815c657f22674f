// The Findings panel: a check in the background, the recording's own findings, filters, and the way to the place.
#include <fmt/format.h>

#include "depscope/replay/check.h"
#include "depscope/replay/compare.h"
#include "depscope/replay/file.h"
#include "synthetic_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

class FindingsWindowTest : public WindowTest {};

TEST_F(FindingsWindowTest, OpeningItChecksAndListsBySeverity) {
  record("08_fused_mlp_war", "w.depscope");
  const recording::Recording r = load("w.depscope");
  const replay::Check check(r);
  std::uint64_t warnings = 0;
  std::uint64_t infos = 0;
  std::string first_warning;
  check.each({.facts = true}, [&](const replay::CheckFinding& found) {
    if (found.severity == Severity::Warning && first_warning.empty()) first_warning = found.summary;
    warnings += found.severity == Severity::Warning ? 1U : 0U;
    infos += found.severity == Severity::Info ? 1U : 0U;
  });
  ASSERT_GT(warnings, 0U);
  const Result result =
      script(fmt::format("panel Findings\nwait-for \"checked\"\nwait 2\nexpect \"0 errors\"\nexpect \"{} warnings\"\n"
                         "expect \"{} infos\"\nexpect-element \"findings/row 0\" \"warning: \"\n"
                         "expect-element \"findings/row 0\" \"{}\"\nexpect-no-element \"findings/row {}\"\nexpect-legible\n",
                         warnings, infos, first_warning, warnings),
             "", "w.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(FindingsWindowTest, AClickOpensThePairItIsAbout) {
  record("08_fused_mlp_war", "w.depscope");
  const recording::Recording r = load("w.depscope");
  const replay::Check check(r, replay::TaskReference::Row);
  std::uint32_t first = recording::kNoRow;
  std::uint32_t second = recording::kNoRow;
  std::string label;
  check.each({.facts = true}, [&](const replay::CheckFinding& found) {
    if (found.kind != "missing_order" || first != recording::kNoRow) return;
    first = found.first;
    second = found.second;
    label = found.details.front().first + ": " + found.details.front().second;
  });
  ASSERT_NE(first, recording::kNoRow);
  const auto name = [&](std::uint32_t task) { return fmt::format("{} t{}", r.text(r.tasks.callee[task]), task); };
  const Result result =
      script(fmt::format("panel Findings\nwait-for \"checked\"\nkey ctrl+shift+G\nwait 2\ntype kind:missing_order\nwait 2\n"
                         "click-element \"findings/row 0\"\nwait 2\nexpect-element \"link/task {}\" \"{}\"\n"
                         "expect-element \"link/task {}\" \"{}\"\nexpect-element \"findings/details\" \"{}\"\n"
                         "expect \"Why is it waiting?\"\nexpect-not \"event 0 of\"\nkey Escape\n"
                         "key alt+left\nwait 2\nexpect \"{}\"\n",
                         first, name(first), second, name(second), label, name(second)),
             "--size 1280x1000", "w.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(FindingsWindowTest, ADifferenceLeadsToItsEdgeAndToTheOtherSide) {
  record("02_softmax_tiles", "a.depscope", "--program SoftmaxTilesDynamic --arg n=3");
  record("02_softmax_tiles", "b.depscope", "--program SoftmaxTilesDynamic --arg n=2");
  const recording::Recording a = load("a.depscope");
  const replay::Comparison report = replay::compare(a, load("b.depscope"));
  const replay::Difference* only_a = nullptr;
  for (const replay::Difference& d : report.differences) {
    if (d.kind == replay::DifferenceKind::Pair && d.subject.row_b == recording::kNoRow && only_a == nullptr) only_a = &d;
  }
  ASSERT_NE(only_a, nullptr);
  const std::uint32_t edge = only_a->subject.row_a;
  const auto& callee = a.tasks.callee;
  const std::string ends = fmt::format("{} t{}", a.text(callee[a.edges.consumer[edge]]), a.edges.consumer[edge]);
  const Result result = script(
      fmt::format(
          "panel Findings\nwait-for \"checked\"\nkey ctrl+shift+G\nwait 2\ntype \"kind:pair {}\"\nwait 2\n"
          "expect-element \"findings/row 0\" \"{}\"\nclick-element \"findings/row 0\"\nwait 2\n"
          "expect-element \"link/edge {}\" \"{}\"\nexpect \"in a\"\nexpect-legible\nexpect-no-element \"findings/show-there\"\n"
          "key Escape\nkey Tab\nwait-for \"checked\"\nwait 2\nexpect-element \"findings/show-there\" \"Show it in a\"\n"
          "expect \"only in a\"\nclick-element \"findings/show-there\"\nwait 3\n"
          "expect-element \"link/edge {}\" \"{}\"\nexpect \"Who asked for this edge?\"\n",
          "only in a", only_a->summary, edge, ends, edge, ends),
      "'" + path("b.depscope") + "' --size 1280x1000", "a.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(FindingsWindowTest, FiltersChooseSeveritiesAndKinds) {
  record("08_fused_mlp_war", "w.depscope");
  const Result result = script(
      "panel Findings\nwait-for \"checked\"\nclick-element \"findings/warning\"\nwait 2\nexpect \"No finding passes the "
      "filter\"\n"
      "click-element \"findings/info\"\nwait 2\nexpect-element \"findings/row 0\" \"info: \"\nexpect-legible\n",
      "", "w.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(FindingsWindowTest, ACleanRecordingSaysSo) {
  replay::save(recording::Recording(), path("empty.depscope"));
  const Result result = script("panel Findings\nwait-for \"the check is clean\"\nexpect \"checked\"\n", "", "empty.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(FindingsWindowTest, ClosingAndOpeningAgainDuringACheckIsSafe) {
  replay::save(replay::synthetic_recording({.tasks = 3000}), path("large.depscope"));
  const Result result = script("panel Findings\nwait 1\nkey F5\nwait 20\nexpect \"3000 tasks\"\nquit\n", "", "large.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
