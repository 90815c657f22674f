// The Directions panel: every argument with what the callee declares, what was derived, what it is in the end, and why.
#include <fmt/format.h>

#include "depscope/pass/decisions.h"
#include "depscope/viewers/decision_words.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

constexpr const char* kFallbackOptions = "--analyze-auto-scopes --data '" DEPSCOPE_SAMPLES "/data/10_fallbacks.json'";

class DirectionsWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped()) return;
    record("10_fallbacks", "f.depscope", kFallbackOptions);
  }
};

TEST_F(DirectionsWindowTest, EveryArgumentIsListedAsItsTablesSay) {
  const recording::Recording r = load("f.depscope");
  ASSERT_GT(r.arguments.rows(), 50U);
  const auto& a = r.arguments;
  std::string script_text = fmt::format("panel Directions\nwait 2\nexpect-element \"directions/count\" \"{} of {}\"\n",
                                        a.rows() + r.wrapper_arguments.rows(), a.rows() + r.wrapper_arguments.rows());
  for (std::uint32_t i = 0; i < a.rows(); ++i) {
    const auto direction = [](std::uint8_t d) { return pass::arg_direction_name(static_cast<pass::ArgDirection>(d)); };
    script_text += fmt::format("select argument {}\nwait 1\nexpect-element \"directions/row {}\" \"{}, {} by {}, {}: {}\"\n", i,
                               i, callee_direction_name(a.callee_direction[i]), direction(a.derived[i]),
                               pass::direction_rule_name(static_cast<pass::DirectionRule>(a.rule[i])), direction(a.direction[i]),
                               a.derived[i] == a.direction[i] ? "stays" : "rewritten");
  }
  const Result result = script(script_text, "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(DirectionsWindowTest, FiltersAndTheToggleListWhatTheySay) {
  const recording::Recording r = load("f.depscope");
  std::uint32_t rewritten = 0;
  std::uint32_t dynamic = 0;
  for (std::uint32_t i = 0; i < r.arguments.rows(); ++i) {
    rewritten += r.arguments.derived[i] != r.arguments.direction[i] ? 1U : 0U;
    dynamic += r.arguments.rewrite[i] == static_cast<std::uint8_t>(pass::RewriteReason::DynamicRegion) ? 1U : 0U;
  }
  ASSERT_GT(rewritten, 0U);
  ASSERT_GT(dynamic, 0U);
  const Result result =
      script(fmt::format("panel Directions\nwait 2\nkey ctrl+shift+I\nwait 2\nexpect-element \"directions/count\" \"{} of \"\n"
                         "key ctrl+shift+I\nkey ctrl+shift+D\nwait 2\ntype reason:dynamic_region\nwait 2\n"
                         "expect-element \"directions/count\" \"{} of \"\nexpect \"its window is known at run time only\"\n"
                         "type x\nwait 2\nexpect \"no reason is called\"\nexpect-legible\n",
                         rewritten, dynamic),
             "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(DirectionsWindowTest, AClickSelectsTheArgumentAndItsCall) {
  const Result result = script(
      "panel Directions\nwait 2\nclick-element \"directions/row 2\"\nwait 2\n"
      "expect \"Why was this direction derived?\"\nexpect \"Why was this direction rewritten?\"\n"
      "expect \"main call 1 get\"\nexpect-legible\n"
      "double-click-element \"directions/row 2\"\nwait 3\nexpect \"after 01 ConvertToSSA\"\n",
      "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(DirectionsWindowTest, RulesAndReasonsAreExplainedUnderThePointer) {
  const Result result = script(
      "panel Directions\nwait 2\nhover \"callee_in\"\nwait 2\nexpect \"the callee only reads the parameter\"\n"
      "expect \"passes.md 4.4\"\nhover \"stays: no hazard\"\nwait 2\nexpect \"no call before it conflicts\"\n",
      "", "f.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(DirectionsWindowTest, IsLegibleAtBothSizes) {
  for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
    const Result result = script("panel Directions\nwait 2\nexpect-legible\nexpect \"output_existing\"\n", size, "f.depscope");
    EXPECT_EQ(result.status, 0) << size << ": " << result.output;
  }
}

}  // namespace
}  // namespace depscope::viewers
