// What the panels show of two recordings beside Passes and Events: rows that differ, rows that only one side has, and the other
// side's cursor, in both views.
#include <fmt/format.h>

#include <algorithm>
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

class ComparisonPanelsTest : public WindowTest {
 protected:
  /// a is a sample, b the same program with one more call in it.
  void record_one_call_more() {
    record("02_softmax_tiles", "a.depscope", "--analyze-auto-scopes");
    std::ifstream sample(std::string(DEPSCOPE_SAMPLES) + "/02_softmax_tiles.py");
    std::string program(std::istreambuf_iterator<char>(sample), {});
    const std::string call = "            y_tile = norm_tile(work, y_tile)\n";
    const std::size_t at = program.find(call);
    ASSERT_NE(at, std::string::npos);
    program.insert(at, call);
    write("more.py", program);
    record("more.py", "b.depscope", "--analyze-auto-scopes");
    matched();
  }
  void record_analysis() {
    const std::string data = "--data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'";
    record("10_fallbacks", "a.depscope", data);
    record("10_fallbacks", "b.depscope", "--analyze-auto-scopes " + data);
    matched();
  }
  [[nodiscard]] Result both(const std::string& text) const { return script(text, "'" + path("b.depscope") + "'", "a.depscope"); }

  Recording a_, b_;
  replay::Matching m_;

 private:
  void matched() {
    a_ = load("a.depscope");
    b_ = load("b.depscope");
    (void)replay::compare(a_, b_, {}, m_);
  }
};

std::string element(const std::string& name, const std::string& text = {}) {
  return "expect-element \"" + name + "\"" + (text.empty() ? "" : " \"" + text + "\"") + "\n";
}

/// First row of a that differs.
std::uint32_t first_different(const std::vector<std::uint32_t>& differs) {
  const auto found = std::find_if(differs.begin(), differs.end(), [](std::uint32_t kinds) { return kinds != 0; });
  return found == differs.end() ? kNoRow : static_cast<std::uint32_t>(found - differs.begin());
}

TEST_F(ComparisonPanelsTest, TasksAndAccessesThatOnlyOneSideHas) {
  record_one_call_more();
  ASSERT_FALSE(m_.tasks.only_b.empty());
  ASSERT_TRUE(m_.tasks.only_a.empty());
  const std::uint32_t only = m_.tasks.only_b.front();
  const std::uint32_t differs = first_different(m_.tasks.differs);
  ASSERT_NE(differs, kNoRow);
  const std::string task = std::to_string(only);
  const std::string end_b = std::to_string(b_.events.rows());
  const Result result =
      both("panel Graph\naction \"Fit the graph\"\nwait 2\n" + element("graph/task there " + task, "only in b") +
           element(fmt::format("graph/task {}", differs), "differs") + "expect \"only in b\"\nexpect \"compared\"\n" +
           // Both sides have their lanes in the timeline.
           "panel Timeline\nwait 2\nexpect \"a submits\"\nexpect \"b submits\"\nexpect \"compared\"\nexpect-legible\n" +
           fmt::format("panel Memory\nselect task {}\nkey End\nwait 2\nexpect \"compared\"\nexpect-legible\n", differs) +
           // The extra call comes after all tasks of its scope: at its submit, the slots before it are taken.
           "panel Graph\nkey Tab\nwait 3\nselect task " + task + "\naction \"Fit the graph\"\nwait 2\n" +
           element("graph/task " + task, "only in b") + "expect \"b: " + end_b + " of " + end_b + "\"\n" +
           // Nothing of the selection is in a.
           "key Tab\nwait 2\nexpect \"which has nothing of what was selected\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ComparisonPanelsTest, AccessesOfTheOtherSideStandByTheirTensor) {
  record_one_call_more();
  ASSERT_FALSE(m_.accesses.only_b.empty());
  ASSERT_TRUE(m_.accesses.only_a.empty());
  // The accesses of the first task that only b has: one of them reads a tensor that both have.
  const std::uint32_t task = m_.tasks.only_b.front();
  std::string there;
  std::string elsewhere;
  std::uint32_t tensor = kNoRow;
  for (const std::uint32_t access : m_.accesses.only_b) {
    const std::uint32_t of = b_.accesses.tensor[access];
    if (b_.accesses.task[access] == task && b_.text(b_.tensors.name[of]) == "work") {
      there = std::to_string(access);
      const auto& other = m_.tensors.b_of_a;
      tensor = static_cast<std::uint32_t>(std::find(other.begin(), other.end(), of) - other.begin());
    } else if (b_.accesses.task[access] != task && b_.text(b_.tensors.name[of]) == "work" && elsewhere.empty()) {
      elsewhere = std::to_string(access);
    }
  }
  ASSERT_FALSE(there.empty());
  ASSERT_FALSE(elsewhere.empty());
  ASSERT_LT(tensor, a_.tensors.rows());
  const Result result =
      both(fmt::format("panel Resource\nselect tensor {}\nwait 2\n", tensor) + element("resource/there " + there, "only in b") +
           // Another buffer has the same name; its accesses are not this one's.
           "expect-no-element \"resource/there " + elsewhere + "\"\nexpect \"compared\"\nexpect-legible\n" + "key Tab\nwait 3\n" +
           element("resource/access " + there, "only in b") + "expect-legible\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(ComparisonPanelsTest, DecisionsThatDiffer) {
  record_analysis();
  const std::uint32_t argument = first_different(m_.arguments.differs);
  const std::uint32_t region = first_different(m_.regions.differs);
  ASSERT_NE(argument, kNoRow);
  ASSERT_NE(region, kNoRow);
  const std::string row = std::to_string(argument);
  const std::string row_b = std::to_string(m_.arguments.b_of_a[argument]);
  const Result result =
      both("panel Regions\nwait 2\n" + element(fmt::format("mark/region {}", region), "differs") +
           "expect \"compared\"\nexpect-legible\npanel Directions\nselect argument " + row + "\nwait 2\n" +
           element("mark/argument " + row, "differs") + element("inspector/mark", "differs") +
           "expect \"compared\"\nexpect-legible\npanel Findings\nwait-for \"checked\"\nexpect \"a | b\"\nexpect-legible\n" +
           // The selection goes to its counterpart.
           "key Tab\nwait 3\n" + element("mark/argument " + row_b, "differs") + element("inspector/mark", "differs"));
  EXPECT_EQ(result.status, 0) << result.output;
}

/// Other programs: nothing but the shape is the same.
TEST_F(ComparisonPanelsTest, TensorMapEntriesOfBothSides) {
  const std::string data = "--data '" + std::string(DEPSCOPE_SAMPLES) + "/data/10_fallbacks.json'";
  record("10_fallbacks", "a.depscope", data);
  record("02_softmax_tiles", "b.depscope", "--analyze-auto-scopes");
  const Result result = both(
      "panel TensorMap\nseek 250\nwait 2\nexpect \"compared\"\nexpect \"only in a\"\nexpect \"only in b\"\nexpect-legible\n"
      "key Tab\nwait 3\nexpect \"only in a\"\nexpect \"only in b\"\nexpect-legible\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace depscope::viewers
