#include "depscope/replay/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SummaryTextTest, PlainText) {
  const std::string text = summary_text(synthetic_recording({.tasks = 40}));
  EXPECT_THAT(text, HasSubstr("Demo (demo.py)\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  frontend                   input\n  ConvertToSSA               no-op\n  AutoDeriveTaskDependencies changed\n"));
  EXPECT_THAT(text, HasSubstr("  main auto_scope 0 analysed\n"));
  EXPECT_THAT(text, HasSubstr("Tasks: 40\n"));
  EXPECT_THAT(text, HasSubstr("(barrier) 2\n"));
  EXPECT_THAT(text, HasSubstr("  info fallback region 1 fell back line 5\n"));
}

TEST(SummaryTextTest, WhatNeedsAttentionComesFirst) {
  recording::Recording r = synthetic_recording({.tasks = 4});
  r.findings.kind.push_back(r.strings.add("windowed_blanket"));
  r.findings.severity.push_back(1);
  r.findings.summary.push_back(r.strings.add("an id of unknown origin"));
  r.findings.fields.push_back(0);
  r.findings.line.push_back(0);
  EXPECT_THAT(summary_text(r, {.max_rows = 1}),
              HasSubstr("Findings: 2\n  warning windowed_blanket an id of unknown origin\n  … and 1 more\n"));
}

TEST(SummaryTextTest, MarkdownAndLimits) {
  const std::string text = summary_text(synthetic_recording({.tasks = 40}), {.markdown = true, .max_rows = 2});
  EXPECT_THAT(text, HasSubstr("# Demo (demo.py)\n"));
  EXPECT_THAT(text, HasSubstr("| pass | result |\n| --- | --- |\n| frontend | input |\n"));
  EXPECT_THAT(text, HasSubstr("… and 1 more\n"));
  EXPECT_THAT(text, HasSubstr("Options: profile=seed.\n"));
}

TEST(SummaryTextTest, EmptySectionsAreLeftOut) {
  const std::string text = summary_text(synthetic_recording({.tasks = 4, .program = false}));
  EXPECT_THAT(text, Not(HasSubstr("Passes")));
  EXPECT_THAT(text, Not(HasSubstr("Findings")));
}

}  // namespace
}  // namespace depscope::replay
