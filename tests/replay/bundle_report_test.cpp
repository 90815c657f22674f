// report.md: names and messages stay text, whatever they hold.
#include "depscope/replay/bundle_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "depscope/replay/bundle.h"
#include "synthetic_recording.h"

namespace depscope::replay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BundleReportTest : public ::testing::Test {
 protected:
  BundleReportTest() {
    kept_.run.input = {{"demo.py", "x = 1\n"}};
    kept_.run.options = {{"--platform", "a5", std::nullopt}, {"--data", "n=", 0}, {"--arg", "m=a b", std::nullopt}};
    kept_.run.option_files = {{"it's.json", "[1, 2]"}};
    kept_.recording = "PK";
  }

  [[nodiscard]] std::string report(const std::vector<BundleDropped>& dropped = {}) const {
    return BundleReportWriter(&recording_, facts_).text(kept_, dropped);
  }

  recording::Recording recording_ = synthetic_recording();
  BundleReportFacts facts_{.file = "bug 1.zip", .versions = "depscope 9\n", .machine = "Linux x86_64"};
  Bundle kept_;
};

TEST_F(BundleReportTest, SaysWhatWasRunAndHowToRunItAgain) {
  EXPECT_THAT(report(),
              AllOf(HasSubstr("# DepScope report: Demo\n"),
                    HasSubstr("- Command: `depscope run demo.py --platform=a5 '--data=n=it'\\''s.json' '--arg=m=a b'`\n"),
                    HasSubstr("- Run it again: `depscope run 'bug 1.zip'`\n"), HasSubstr("- Machine: Linux x86_64\n"),
                    HasSubstr("```\ndepscope 9\n```\n"), HasSubstr("`depscope explain 'bug 1.zip'`"),
                    HasSubstr("| input/demo.py | 6 bytes | the input |"), Not(HasSubstr("Redacted"))));
  kept_.difference = "for a reason";
  kept_.redacted = true;
  EXPECT_THAT(report(),
              AllOf(HasSubstr("'bug 1.zip'` (gives another recording: for a reason)\n"), HasSubstr("- Redacted: names")));
  kept_.run.input.clear();
  EXPECT_THAT(report(), HasSubstr("- It cannot be run again from this bundle: for a reason\n"));
  kept_.difference.clear();
  EXPECT_THAT(report(), HasSubstr("- It cannot be run again from this bundle: the input was left out\n"));
}

TEST_F(BundleReportTest, BackticksDoNotEndWhatTheyStandIn) {
  facts_.file = "`x`.zip";
  facts_.versions = "```\n# not a title\n";
  kept_.run.input[0].name = "a``b.py";
  EXPECT_THAT(report(), AllOf(HasSubstr("- Run it again: ``depscope run '`x`.zip'``\n"),
                              HasSubstr("- Command: ```depscope run 'a``b.py' "), HasSubstr("````\n```\n# not a title\n````\n")));
}

TEST_F(BundleReportTest, ARunThatWasRefused) {
  kept_.recording.clear();
  kept_.error = "depscope: error: demo.py:1:1: no program\n";
  const std::string text = BundleReportWriter(nullptr, facts_).text(kept_, {});
  EXPECT_THAT(text, AllOf(HasSubstr("# DepScope report: demo.py\n"),
                          HasSubstr("## It does not run\n\n```\ndepscope: error: demo.py:1:1: no program\n```\n"),
                          Not(HasSubstr("## Findings")), Not(HasSubstr("recording.depscope"))));
}

TEST_F(BundleReportTest, WhatWasLeftOut) {
  EXPECT_THAT(report({{"page.html", 12'345}}),
              HasSubstr("| page.html | 12345 bytes | left out: the bundle would have been too large |\n"));
}

TEST(BundleReport, NamesAreNoMarkup) {
  recording::Recording recording = synthetic_recording({.tasks = 6});
  recording.program_name = "P\n# forged heading <img src=x> [link](y)";
  recording.input_name = "a`b.py";
  Bundle bundle;
  bundle.run.input.push_back({recording.input_name, "x"});
  bundle.difference = "a\n\n## forged too <b>";
  const BundleReportWriter writer(&recording, {"my `bundle`.zip", "v1\n```\n# out of the block\n", "m"});
  const std::string report = writer.text(bundle, {});
  EXPECT_THAT(report, HasSubstr("# DepScope report: P # forged heading \\<img src=x> \\[link](y)\n"));
  EXPECT_THAT(report, AllOf(Not(HasSubstr("\n# forged")), Not(HasSubstr("\n## forged")), Not(HasSubstr(" <b>"))));
  EXPECT_THAT(report, HasSubstr("- Command: ``depscope run 'a`b.py'``\n"));
  EXPECT_THAT(report, HasSubstr("- Run it again: ``depscope run 'my `bundle`.zip'`` (gives another recording: a  ## forged too"));
  EXPECT_THAT(report, HasSubstr("````\nv1\n```\n# out of the block\n````\n"));
  EXPECT_THAT(report, HasSubstr("Recorded by DepScope from ``a`b.py``"));
}

}  // namespace
}  // namespace depscope::replay
