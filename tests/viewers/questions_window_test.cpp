// The questions that the window offers: every one leads to its answer by keys alone and by clicks alone.
#include <fmt/format.h>

#include "depscope/runtime/sink.h"
#include "depscope/runtime/submission.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

class QuestionsWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (!IsSkipped()) record("10_fallbacks", "r.depscope", "--analyze-auto-scopes --data cfg=[1,2,0,0]");
  }
  void passes(const std::string& text) const {
    const Result result = script(text, "--size 1280x800", "r.depscope");
    EXPECT_EQ(result.status, 0) << result.output;
  }
};

TEST_F(QuestionsWindowTest, WhyOneTaskWaitsForAnother) {
  const auto r = load("r.depscope");
  std::uint32_t edge = 0;
  while (edge < r.edges.rows() && (r.edges.provenance[edge] & runtime::kCompiler) == 0) ++edge;
  ASSERT_LT(edge, r.edges.rows());
  const std::string names = fmt::format("{} t{} {} t{}", r.text(r.tasks.callee[r.edges.consumer[edge]]), r.edges.consumer[edge],
                                        r.text(r.tasks.callee[r.edges.producer[edge]]), r.edges.producer[edge]);
  const std::string found = fmt::format("expect-element \"palette/row 1\" \"edge {}: \"\n", edge);
  passes("key ctrl+shift+y\ntype " + names + "\n" + found + "expect-no-element \"palette/row 2\"\nkey Enter\n" +
         "wait 2\nexpect \"The compiler added it\"\n");
  passes("click-element \"inspector/question Why does one task wait for another?\"\ntype " + names + "\n" + found +
         "click-element \"palette/row 1\"\nwait 2\nexpect \"The compiler added it\"\n");
  passes("click \"Why…\"\ntype " + names + "\n" + found);
}

TEST_F(QuestionsWindowTest, TheEdgesOfTheCompiler) {
  const auto r = load("r.depscope");
  std::size_t count = 0;
  std::string expected;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    if ((r.edges.provenance[edge] & runtime::kCompiler) == 0) continue;
    expected += fmt::format("expect-element \"palette/row {}\" \"edge {}: \"\n", ++count, edge);
  }
  ASSERT_GT(count, 1U);
  passes("key ctrl+shift+e\nwait 2\n" + expected + "click-element \"palette/row 2\"\nwait 2\n" +
         "expect \"The compiler added it\"\n");
}

TEST_F(QuestionsWindowTest, WhyARegionFellBack) {
  const auto r = load("r.depscope");
  passes("key ctrl+shift+f\nwait 3\nexpect-element \"shell/tab Regions\" \"front\"\nexpect \"Why did this region fall back?\"\n");
  passes(
      "click-element \"inspector/question Why did a region fall back?\"\nwait 3\nexpect \"Why did this region fall back?\"\n"
      "expect-legible\n");
}

TEST_F(QuestionsWindowTest, WhatKeepsABufferAlive) {
  passes(
      "key ctrl+shift+a\nwait 3\nexpect-element \"shell/tab Memory\" \"front\"\nexpect \"Why is it alive?\"\n"
      "expect-not \"It is not: its slot\"\nexpect \"another buffer\"\nexpect-legible\n");
}

TEST_F(QuestionsWindowTest, WhatDiffers) {
  passes("key ctrl+shift+v\nwait 3\nexpect \"Open for comparison\"\n");
  record("10_fallbacks", "without.depscope", "--data cfg=[1,2,0,0]");
  passes("open-b " + path("without.depscope") +
         "\nwait 2\nexpect-element \"shell/tab Events\" \"front\"\nkey ctrl+shift+v\nwait 2\n"
         "expect-element \"shell/tab Findings\" \"front\"\n");
}

/// From inside, with one recording open: the file is chosen, and its differences are listed without being asked for again.
TEST_F(QuestionsWindowTest, WhatDiffersIsListedWhenTheFileIsOpen) {
  record("10_fallbacks", "without.depscope", "--data cfg=[1,2,0,0]");
  const std::string choose = "wait 3\ntype without.depscope\nwait 3\nkey Enter\nwait 30\nexpect \"comparing a\"\n";
  passes("key ctrl+shift+v\n" + choose + "expect-element \"shell/tab Findings\" \"front\"\n");
  passes("key ctrl+shift+v\nwait 3\nkey Escape\nwait 2\nkey ctrl+shift+o\n" + choose +
         "expect-element \"shell/tab Events\" \"front\"\n");
}

/// The events keep their words when a second recording is opened beside them.
TEST_F(QuestionsWindowTest, EventsOfAComparisonSayWhatHappened) {
  record("10_fallbacks", "without.depscope", "--data cfg=[1,2,0,0]");
  passes("wait 3\nexpect \"config platform: a2a3\"\nopen-b " + path("without.depscope") +
         "\nwait 4\nexpect \"compared\"\nexpect \"config platform: a2a3\"\nkey ctrl+shift+w\nwait 4\nexpect \"config platform: "
         "a2a3\"\n");
}

TEST_F(QuestionsWindowTest, WhyThereIsNoEdge) {
  record("08_fused_mlp_war", "r.depscope", "");
  passes(
      "key ctrl+shift+y\ntype gelu t3 probe\nwait 2\nexpect-element \"palette/row 1\" \"gelu t3: no edge from probe t2\"\n"
      "expect \"First the task that waits\"\nkey Enter\nwait 2\nexpect \"gelu t3 is selected\"\n"
      "expect-element \"inspector/pair\" \"Between call 1 probe and call 2 gelu\"\n");
}

/// An answer that comes to lie under the pointer is not covered by a tooltip.
TEST_F(QuestionsWindowTest, NoTooltipUntilThePointerMoves) {
  const std::string tooltip = "the consumer starts only after the producer has completed";
  passes(
      "click-element \"inspector/question Which edges did the compiler add?\"\nwait 2\nkey Enter\nwait 4\n"
      "expect \"The compiler added it\"\nexpect-not \"" +
      tooltip + "\"\nhover \"WAIT\"\nwait 3\nexpect \"" + tooltip + "\"\n");
}

TEST_F(QuestionsWindowTest, ALinkToAnEventMovesTheCursor) {
  const auto r = load("r.depscope");
  std::uint32_t event = 0;  // the submit of the last task
  for (std::uint32_t row = 0; row < r.events.rows(); ++row) {
    if (static_cast<runtime::EventKind>(r.events.kind[row]) == runtime::EventKind::Submit) event = row;
  }
  ASSERT_GT(event, 0U);
  passes(
      fmt::format("select task {}\nwait 2\nexpect \"It is submitted by\"\nexpect \"event 0 of\"\n"
                  "click-element \"link/event {}\"\nwait 2\nexpect \"event {} of\"\n",
                  r.tasks.rows() - 1, event, event + 1));
}

}  // namespace
}  // namespace depscope::viewers
