// Two recordings in one window: marks in lists, one pass side by side, positions that belong together.
#include <fstream>
#include <iterator>
#include <string>

#include "depscope/replay/match.h"
#include "depscope/runtime/sink.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;
using recording::Recording;
using replay::DifferenceKind;

class ComparisonWindowTest : public WindowTest {
 protected:
  /// Opens a.depscope and b.depscope.
  [[nodiscard]] Result both(const std::string& text, const std::string& arguments = "") const {
    return script(text, "'" + path("b.depscope") + "' " + arguments, "a.depscope");
  }
  [[nodiscard]] replay::Matching matched() const {
    replay::Matching out;
    (void)replay::compare(load("a.depscope"), load("b.depscope"), {}, out);
    return out;
  }
};

std::string expect_element(const std::string& name, const std::string& text) {
  return "expect-element \"" + name + "\" \"" + text + "\"\n";
}

/// Position behind the first event of a kind with this subject.
std::uint32_t after(const Recording& r, runtime::EventKind kind, std::uint32_t subject) {
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (r.events.kind[i] == static_cast<std::uint8_t>(kind) && r.events.subject[i] == subject) return i + 1;
  }
  ADD_FAILURE() << "no such event";
  return 0;
}

constexpr int kPinkA[3] = {255, 130, 185};
constexpr int kLimeB[3] = {165, 225, 80};
constexpr int kYellow[3] = {240, 225, 100};

TEST_F(ComparisonWindowTest, PassesThatDifferAndOneOfThemSideBySide) {
  record("10_fallbacks", "a.depscope", "--data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'");
  record("10_fallbacks", "b.depscope",
         "--analyze-auto-scopes --data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'");
  const Recording a = load("a.depscope");
  const replay::Matching m = matched();
  std::string text;
  std::uint32_t differing = kNoRow;
  for (std::uint32_t pass = 0; pass < a.passes.rows(); ++pass) {
    const bool differs = m.passes.differs_in(pass, DifferenceKind::PassText);
    if (differs && differing == kNoRow) differing = pass;
    text += expect_element("passes/pass " + std::to_string(pass), differs                       ? "differs"
                                                                  : pass == 0                   ? "input"
                                                                  : a.passes.changed[pass] != 0 ? "changed"
                                                                                                : "no-op");
  }
  ASSERT_NE(differing, kNoRow);
  // The first call that differs is drawn with a diamond in both texts.
  std::uint32_t site = kNoRow;
  for (std::uint32_t s = 0; s < a.call_sites.rows() && site == kNoRow; ++s) {
    if (m.call_sites.differs_in(s, DifferenceKind::Direction)) site = s;
  }
  ASSERT_NE(site, kNoRow);
  const std::string name = std::string(a.text(a.passes.name[differing]));
  text += "key L\nselect pass " + std::to_string(differing) + "\nexpect-no-element \"passes/a\"\nkey X\nwait 2\n" +
          expect_element("passes/a", name) + expect_element("passes/b", name) +
          expect_element("before/call-site " + std::to_string(site), "differs") +
          expect_element("after/call-site " + std::to_string(m.call_sites.b_of_a[site]), "differs") +
          "expect-legible\nscreenshot " + path("x.png") + "\nclick \"only changes\"\nkey X\nwait 2\n" +
          "expect-no-element \"passes/a\"\nexpect \"before:\"\n";
  const Result result = both(text);
  EXPECT_EQ(result.status, 0) << result.output;
  const Picture picture(path("x.png"));
  ASSERT_NE(picture.pixels, nullptr);
  EXPECT_GT(picture.count_in(0, 40, 240, 300, kYellow[0], kYellow[1], kYellow[2], 60), 100) << "plates of the list";
  EXPECT_GT(picture.count_in(240, 60, 890, 150, kPinkA[0], kPinkA[1], kPinkA[2], 60), 5) << "plate a";
  EXPECT_GT(picture.count_in(240, 60, 890, 150, kLimeB[0], kLimeB[1], kLimeB[2], 60), 5) << "plate b";
  EXPECT_GT(picture.count_in(240, 120, 890, 510, kYellow[0], kYellow[1], kYellow[2], 40), 20) << "diamonds of calls";
}

TEST_F(ComparisonWindowTest, EventsShowMarksAndBothPositions) {
  record("10_fallbacks", "a.depscope", "--data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'");
  record("10_fallbacks", "b.depscope",
         "--analyze-auto-scopes --data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'");
  const Recording a = load("a.depscope");
  const Recording b = load("b.depscope");
  const replay::Matching m = matched();
  std::uint32_t task = kNoRow;
  std::uint32_t same = kNoRow;
  for (std::uint32_t t = 0; t < a.tasks.rows(); ++t) {
    if (m.tasks.differs[t] != 0 && task == kNoRow) task = t;
    if (m.tasks.differs[t] == 0 && same == kNoRow) same = t;
  }
  ASSERT_NE(task, kNoRow);
  ASSERT_NE(same, kNoRow);
  const std::uint32_t submit = after(a, runtime::EventKind::Submit, task);
  const std::uint32_t submit_same = after(a, runtime::EventKind::Submit, same);
  const std::string size_a = std::to_string(a.events.rows());
  const std::string size_b = std::to_string(b.events.rows());
  const Result result =
      both("expect \"a: 0 of " + size_a + "\"\nexpect \"b: 0 of " + size_b + "\"\nexpect \"compared\"\nseek " +
           std::to_string(submit) + "\nwait 2\n" + expect_element("mark/task " + std::to_string(task), "differs") +
           // Just after the submit here, the same task has just been submitted there.
           "expect \"a: " + std::to_string(submit) + " of " + size_a +
           "\"\nexpect \"b: " + std::to_string(after(b, runtime::EventKind::Submit, m.tasks.b_of_a[task])) + " of " + size_b +
           "\"\nseek " + std::to_string(submit_same) + "\nwait 2\nexpect-no-element \"mark/task " + std::to_string(same) +
           "\"\nkey End\nwait 2\nexpect \"a: " + size_a + " of " + size_a + "\"\nexpect \"b: " + size_b + " of " + size_b +
           "\"\nexpect-legible\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ComparisonWindowTest, APassThatOnlyOneSideRan) {
  record("02_softmax_tiles", "a.depscope");
  const Recording a = load("a.depscope");
  std::uint32_t left_out = kNoRow;
  std::string passes;
  for (std::uint32_t pass = 1; pass < a.passes.rows(); ++pass) {  // the input is no pass
    const std::string name(a.text(a.passes.name[pass]));
    if (name == "CollectCommGroups") {
      left_out = pass;
    } else {
      passes += (passes.empty() ? "" : ",") + name;
    }
  }
  ASSERT_NE(left_out, kNoRow);
  record("02_softmax_tiles", "b.depscope", "--passes " + passes);
  ASSERT_EQ(load("b.depscope").passes.rows() + 1, a.passes.rows());
  const std::string row = "pass " + std::to_string(left_out);
  const Result result = both(expect_element("passes/" + row, "only in a") + "click-element \"passes/" + row +
                             "\"\nkey X\nwait 2\nexpect \"b did not run this pass.\"\nkey Tab\nwait 2\n" +
                             expect_element("passes/only-there " + row, "only in a") + "click-element \"passes/only-there " +
                             row + "\"\nwait 2\nexpect \"b did not run this pass.\"\n" +
                             expect_element("passes/a", "CollectCommGroups") + "mouse 640 15\nwait 2\nexpect-legible\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ComparisonWindowTest, ACallThatOnlyOneSideHas) {
  record("02_softmax_tiles", "a.depscope", "--analyze-auto-scopes");
  std::ifstream sample(std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py");
  std::string program(std::istreambuf_iterator<char>(sample), {});
  const std::string call = "            y_tile = norm_tile(work, y_tile)\n";
  const std::size_t at = program.find(call);
  ASSERT_NE(at, std::string::npos);
  program.insert(at, call);
  write("more.py", program);
  record("more.py", "b.depscope", "--analyze-auto-scopes");
  const Recording b = load("b.depscope");
  const replay::Matching m = matched();
  ASSERT_FALSE(m.tasks.only_b.empty());
  ASSERT_FALSE(m.edges.only_b.empty());
  ASSERT_EQ(m.call_sites.only_b.size(), 1U);
  ASSERT_TRUE(m.tasks.only_a.empty());
  const std::string task = std::to_string(m.tasks.only_b.front());
  const std::string edge = std::to_string(m.edges.only_b.front());
  const std::uint32_t last = b.passes.rows() - 1;
  const Result result =
      both("key L\nselect pass " + std::to_string(last) + "\nkey X\nwait 2\n" +
           expect_element("after/call-there", "only in b") +  // a is shown, which has no such call
           "key Tab\nwait 2\n" + expect_element("after/call-site " + std::to_string(m.call_sites.only_b.front()), "only in b") +
           "seek " + std::to_string(after(b, runtime::EventKind::Submit, m.tasks.only_b.front())) + "\nwait 2\n" +
           expect_element("mark/task " + task, "only in b") + "seek " +
           std::to_string(after(b, runtime::EventKind::EdgeAdd, m.edges.only_b.front())) + "\nwait 2\n" +
           expect_element("mark/edge " + edge, "only in b") + "expect-legible\nscreenshot " + path("e.png") + "\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const Picture picture(path("e.png"));
  ASSERT_NE(picture.pixels, nullptr);
  EXPECT_GT(picture.count_in(415, 600, 515, 775, kLimeB[0], kLimeB[1], kLimeB[2], 60), 30) << "plates of events";
  EXPECT_EQ(picture.count_in(415, 600, 515, 775, kPinkA[0], kPinkA[1], kPinkA[2], 40), 0) << "nothing is only in a";
}

/// The analysis finds nothing to add there: no task differs, and positions are the same.
TEST_F(ComparisonWindowTest, EqualRunsHaveNoMarks) {
  record("02_softmax_tiles", "a.depscope");
  record("02_softmax_tiles", "b.depscope", "--analyze-auto-scopes");
  const std::string size = std::to_string(load("a.depscope").events.rows());
  const Result result = both("key L\nseek 300\nwait 2\nexpect \"a: 300 of " + size + "\"\nexpect \"b: 300 of " + size +
                                 "\"\nexpect-not \"differs\"\nexpect-not \"only in b\"\nselect pass 6\nkey X\nwait 2\n"
                                 "expect \"the same in\"\nexpect-legible\n",
                             "--size 2560x1440 --scale 2");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ComparisonWindowTest, WithOneRecordingThereIsNothingToCompare) {
  record("02_softmax_tiles", "a.depscope");
  const Result result = script("key X\nwait 2\nexpect \"one recording is open\"\nexpect-not \"compared\"\n", "", "a.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
