#include "depscope/replay/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "explain_words.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;
using recording::Recording;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExplainTextTest, AllOfAFunction) {
  EXPECT_EQ(explain_text(synthetic_recording({.tasks = 1})),
            "Demo (demo.py)\n"
            "Changed by: AutoDeriveTaskDependencies\n"
            "Unchanged by: ConvertToSSA\n"
            "Option profile: seed\n"
            "\n"
            "main (line 3): 2 call sites\n"
            "  Regions, as the analysis numbers them (scopes are numbered in the last program)\n"
            "    region 0   auto_scope (line 5): analysed\n"
            "  Calls\n"
            "    0   submit of fill (line 6), AUTO scope 0\n"
            "        scratch  Out -> output_existing (scalar), stays: an edge orders every hazard (else\n"
            "                 output_existing)\n"
            "    1   submit of copy (line 7), AUTO scope 0\n"
            "        scratch  In -> input (scalar) -> no_dep: an edge orders every hazard\n"
            "        compiler edge fill_tid from call 0 fill (line 6); covers RAW on scratch\n"
            "        RAW on scratch = scratch [0:64] after call 0 fill (line 6), argument scratch: compiler edge\n"
            "          fill_tid\n"
            "  Scopes\n"
            "    AUTO scope 0 of the user (line 5): kept\n"
            "  Phase fences\n"
            "    ids before the loop (line 9): no barrier, no_profit (N 2, M 2, saving 0)\n"
            "  Carried values\n"
            "    prev through the loop (line 9): assigned anew (rebind), 4 ids side by side\n");
}

TEST(ExplainTextTest, AFallbackSaysWhyAndWhatIsLost) {
  Recording r = synthetic_recording({.tasks = 1});
  r.regions.outcome[0] = static_cast<std::uint8_t>(pass::RegionOutcome::FellBack);
  r.regions.reason[0] = r.strings.add("producer_without_task_id");
  r.regions.offending_site[0] = 1;
  r.regions.offending_arg[0] = 0;
  r.regions.offending_hazard[0] = 0;
  r.hazards.verdict[0] = static_cast<std::uint8_t>(pass::HazardVerdict::FellBack);
  r.hazards.reason[0] = r.regions.reason[0];
  r.hazards.edge_row[0] = kNoRow;
  r.pass_edges.status[0] = static_cast<std::uint8_t>(pass::EdgeStatus::Stripped);
  r.pass_edges.stripped_by[0] = 0;
  EXPECT_THAT(explain_text(r), HasSubstr("    region 0   auto_scope (line 5): fell_back, producer_without_task_id\n"
                                         "        the task to wait for has no id that an edge could name\n"
                                         "        at call 1 copy (line 7), argument scratch\n"
                                         "        RAW on scratch = scratch [0:64] after call 0 fill (line 6), argument scratch\n"
                                         "          line 6: argument 'scratch' of fill\n"
                                         "        lost: edge fill_tid of call 1 copy (line 7)\n"
                                         "        lost: output_existing for argument scratch of call 0 fill (line 6)\n"
                                         "        what would change it: bind what call 0 fill (line 6) gives: `out = "
                                         "self.fill(...)`, or `out,\n          tid = pl.submit(self.fill, ...)`\n"));
  EXPECT_THAT(explain_text(r), HasSubstr("taken away: region 0 fell back\n"));
}

TEST(ExplainTextTest, OneCallHasItsAccesses) {
  Recording r = synthetic_recording({.tasks = 1});
  const std::string text = explain_text(r, {.function = 0, .call_site = 1});
  EXPECT_THAT(text, Not(HasSubstr("submit of fill")));
  EXPECT_THAT(text, HasSubstr("      accesses\n        R scratch scratch [0:64], region 0: recorded\n"));
  // The pair is a hazard; without it, what else it is shows.
  EXPECT_THAT(text, Not(HasSubstr("without a hazard")));
  r.hazards.verdict[0] = static_cast<std::uint8_t>(pass::HazardVerdict::Disjoint);
  r.pass_accesses.kind[0] = pass::kReads;
  EXPECT_THAT(explain_text(r, {.function = 0, .call_site = 1}),
              HasSubstr("      earlier accesses without a hazard\n        read_read: 1\n"
                        "          R scratch [0:64] with R scratch [0:64] of call 0 fill (line 6), argument scratch\n"));
  r.pass_accesses.kind[0] = pass::kWrites;
  EXPECT_THAT(explain_text(r, {.function = 0, .call_site = 1}), HasSubstr("        disjoint_boxes: 1\n"));
  r.pass_accesses.outcome[0] = static_cast<std::uint8_t>(pass::AccessOutcome::SiteFellBack);
  EXPECT_THAT(explain_text(r, {.function = 0, .call_site = 1}), HasSubstr("        not on record: its call fell back: 1\n"));
}

TEST(ExplainTextTest, LongListsAreCounted) {
  const Recording r = synthetic_recording({.tasks = 1});
  EXPECT_THAT(explain_text(r, {.max_calls = 1}),
              HasSubstr("    … and 1 more; use --function main, or --call N for one of them\n"));
  EXPECT_THAT(explain_text(r, {.function = 0, .max_calls = 1}), Not(HasSubstr("more")));
  EXPECT_THAT(explain_text(r, {.max_items = 0}), HasSubstr("        … and 1 more\n"));
}

TEST(ExplainTextTest, WarningsStandWithTheirFunction) {
  Recording r = synthetic_recording({.tasks = 1});
  for (const char* function : {"main", "pair", ""}) {
    r.findings.kind.push_back(r.strings.add("not_modelled"));
    r.findings.severity.push_back(1);
    r.findings.summary.push_back(r.strings.add(std::string("about ") + function));
    r.findings.fields.push_back(r.strings.add(std::string("{\"function\":\"") + function + "\"}"));
    r.findings.line.push_back(7);
  }
  const std::string text = explain_text(r);
  EXPECT_THAT(text, HasSubstr("  Warnings\n    not_modelled (line 7): about main\nWarnings\n"));
  EXPECT_THAT(text, HasSubstr("\nWarnings\n  not_modelled (line 7): about pair\n  not_modelled (line 7): about \n"));
}

TEST(ExplainTextTest, ATraceHasASummary) {
  EXPECT_THAT(explain_text(synthetic_recording({.tasks = 4, .program = false})), HasSubstr("Tasks: 4\n"));
}

TEST(TextLinesTest, WideTextGoesOnIndented) {
  TextLines out;
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  out.line(4, words);
  out.line(0, std::string(150, 'x') + " y");
  std::istringstream lines(out.take());
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    if (line.front() == 'x') {
      EXPECT_EQ(line.size(), 150U);  // a name is not broken
      continue;
    }
    EXPECT_LE(line.size(), kExplainColumns);
    EXPECT_EQ(line.substr(0, 4), line == "  y" ? "  y" : "    ");
    ++count;
  }
  EXPECT_GT(count, 4U);
}

}  // namespace
}  // namespace depscope::replay
