// A real run in the window: its times on the timeline, its notes in the inspector, what panels say that cannot know.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MeasuredWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (IsSkipped()) return;
    const Result imported =
        run_command("'" DEPSCOPE_PROGRAM "' import '" DEPSCOPE_TEST_DATA "/artefacts/l2_full' -o '" + path("run.depscope") + "'");
    ASSERT_EQ(imported.status, 1) << imported.output;  // it has findings
  }
  /// The text of an element after a script; "none" without it.
  [[nodiscard]] std::string text_of(const std::string& element, const std::string& commands) const {
    const Result result = script(commands + "\nwait 2\ndump " + path("d.json") + "\n", "", "run.depscope");
    EXPECT_EQ(result.status, 0) << result.output;
    std::ifstream file(path("d.json"));
    const nlohmann::json all = nlohmann::json::parse(file);
    for (const auto& one : all["elements"]) {
      if (one["name"] == element) return one["text"];
    }
    return "none";
  }
};

TEST_F(MeasuredWindowTest, TheTimelineHasTheTimesOfTheRun) {
  // Position 40 of the run: the cursor tells microseconds.
  EXPECT_THAT(text_of("timeline/cursor", "panel Timeline\nwait 2\nseek 40"), HasSubstr(" us, event 40"));
  EXPECT_EQ(text_of("timeline/core 0", "panel Timeline"), "2 bars") << "r1t0 and the AIC half of r1t2";
  EXPECT_EQ(text_of("timeline/core 1", "panel Timeline"), "3 bars");
  EXPECT_THAT(text_of("timeline/ring 1", "panel Timeline"), HasSubstr("what keeps a slot then is not recorded"));
}

TEST_F(MeasuredWindowTest, TheInspectorHasTheNotesAndTheTimesOfATask) {
  EXPECT_THAT(text_of("inspector/real run", "wait 2"),
              AllOf(HasSubstr("5 of 5 tasks with times are in the task graph"), HasSubstr("critical path:")));
  EXPECT_EQ(text_of("inspector/measured", "select task 1\nwait 2"),
            "core 0 (AIC): 5.00 to 15.00 us, dispatched 4.00, end noticed 16.00");
}

}  // namespace
}  // namespace depscope::viewers
