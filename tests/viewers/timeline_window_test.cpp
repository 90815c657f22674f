// The timeline in the window: bars where the tables say, tooltips, clicks, folding, zoom, curves, colours.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "depscope/replay/cursor.h"
#include "depscope/replay/file.h"
#include "depscope/replay/task_moments.h"
#include "depscope/runtime/submission.h"
#include "synthetic_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using runtime::EventKind;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;

  [[nodiscard]] double middle() const { return (left + right) * 0.5; }
};

class TimelineWindowTest : public WindowTest {
 protected:
  /// What the last `dump` of a script wrote.
  [[nodiscard]] std::optional<Box> element(const std::string& name, const std::string& dump = "d.json") const {
    std::ifstream file(path(dump));
    const nlohmann::json all = nlohmann::json::parse(file);
    for (const auto& one : all["elements"]) {
      if (one["name"] == name) return Box{one["box"][0], one["box"][1], one["box"][2], one["box"][3], one["text"]};
    }
    return std::nullopt;
  }
  /// Pixel of a place on the axis after "Fit", when the axis ends at `end`.
  [[nodiscard]] double pixel(double x, double end) const {
    const Box ruler = element("timeline/ruler").value();
    return ruler.left + (x + 0.02 * end) / (1.04 * end) * (ruler.right - ruler.left);
  }
  [[nodiscard]] double place(double pixel, double end) const {
    const Box ruler = element("timeline/ruler").value();
    return (pixel - ruler.left) / (ruler.right - ruler.left) * 1.04 * end - 0.02 * end;
  }
  void run(const std::string& text, const std::string& recording, const std::string& arguments = "") const {
    const Result result = script("panel Timeline\nwait 2\n" + text, arguments, recording);
    ASSERT_EQ(result.status, 0) << result.output;
  }
  [[nodiscard]] std::string dump() const { return "dump " + path("d.json") + "\n"; }
  static std::string point(double x, double y) { return std::to_string(x) + " " + std::to_string(y); }
};

constexpr const char* kOnlyRings =
    "click-element \"timeline/orchestrator\"\nclick-element \"timeline/schedulers\"\nclick-element \"timeline/cores\"\n"
    "mouse 1000 20\nwait 2\n";
constexpr const char* kAway = "mouse 1000 20\nwait 2\n";

std::uint32_t last_event(const recording::Recording& r, EventKind kind, std::uint32_t subject, std::uint32_t object) {
  for (std::uint32_t e = r.events.rows(); e-- > 0;) {
    if (r.events.kind[e] == static_cast<std::uint8_t>(kind) && r.events.subject[e] == subject &&
        (object == recording::kNoRow || r.events.object[e] == object))
      return e;
  }
  ADD_FAILURE() << "no such event";
  return 0;
}

TEST_F(TimelineWindowTest, BarsAreWhereTheTablesSay) {
  for (const char* sample : {"02_softmax_tiles", "07_manual_pipeline", "09_scopes_and_lifetimes"}) {
    SCOPED_TRACE(sample);
    record(sample, "r.depscope");
    const recording::Recording r = load("r.depscope");
    const replay::TaskMoments moments(r);
    const double end = r.events.rows();
    run("key shift+e\nwait 2\n" + dump(), "r.depscope", "--size 1280x2000");
    int bars = 0;
    for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
      if (const auto bar = element("timeline/task " + std::to_string(task)); bar && r.tasks.block_num[task] == 1) {
        ++bars;
        EXPECT_NEAR(bar->right, pixel(last_event(r, EventKind::Finish, task, recording::kNoRow) + 1, end), 1.5) << task;
        EXPECT_GE(bar->left + 1.5, pixel(moments.dispatched[task], end)) << task;
      }
      if (const auto life = element("timeline/slot of task " + std::to_string(task))) {
        ++bars;
        EXPECT_NEAR(life->left, pixel(moments.submitted[task] + 1, end), 1.5) << task;
        const std::string completed = std::to_string(moments.completed[task] + 1);
        EXPECT_NE(life->text.find("allocated " + std::to_string(moments.submitted[task] + 1) + ".." + completed),
                  std::string::npos)
            << life->text;
      }
    }
    EXPECT_GT(bars, 20);
  }
}

TEST_F(TimelineWindowTest, TooltipsSayWhoHoldsASlot) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const double end = r.events.rows();
  run("key shift+e\n" + std::string(kOnlyRings) + dump(), "r.depscope");
  // Task 0 is the buffer that all read.
  const Box bar = element("timeline/slot of task 0").value();
  const auto position = static_cast<std::uint32_t>(place(bar.middle(), end));
  std::string expected;
  int holders = 0;
  for (std::uint32_t edge = 0; edge < r.edges.rows(); ++edge) {
    if (r.edges.producer[edge] != 0 || (r.edges.flags_final[edge] & runtime::kRetain) == 0) continue;
    const std::uint32_t consumer = r.edges.consumer[edge];
    const std::uint32_t given_back = last_event(r, EventKind::PinRelease, 0, consumer);
    if (last_event(r, EventKind::PinClaim, 0, consumer) >= position || given_back < position) continue;
    ++holders;
    expected += "expect \"held by " + std::string(r.text(r.tasks.callee[consumer])) + " t" + std::to_string(consumer) +
                " (RETAIN) until " + std::to_string(given_back + 1) + "\"\n";
  }
  ASSERT_GT(holders, 2);
  run("key shift+e\n" + std::string(kOnlyRings) +
          "hover-element \"timeline/slot of task 0\"\nwait 2\nexpect \"at the pointer: completed\"\n" + expected +
          "expect \"slot 0 of ring 2\"\n",
      "r.depscope");
  // With the cursor there, the state at the cursor answers.
  run("key shift+e\n" + std::string(kOnlyRings) + "seek " + std::to_string(position) + "\nwait 2\nmouse " +
          point(pixel(position, end), bar.top + 5) + "\nwait 2\nexpect \"at the cursor: completed\"\n" + expected,
      "r.depscope");
}

TEST_F(TimelineWindowTest, ClicksAndTheRulerMoveTheCursor) {
  record("02_softmax_tiles", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const double end = r.events.rows();
  run("key shift+e\nwait 2\n" + dump(), "r.depscope");
  const Box curve = element("timeline/curve ready").value();
  const Box ruler = element("timeline/ruler").value();
  const auto at = [&](double x) { return std::to_string(static_cast<int>(std::floor(place(x, end) + 0.5))); };
  const double one = std::round(ruler.left + 0.3 * (ruler.right - ruler.left));
  const double two = std::round(ruler.left + 0.8 * (ruler.right - ruler.left));
  run("key shift+e\nwait 2\nclick " + point(one, curve.top + 5) + "\nwait 2\nexpect-element \"timeline/cursor\" \"event " +
          at(one) + "\"\nexpect \"event " + at(one) + " of " + std::to_string(r.events.rows()) + "\"\ndrag " +
          point(one, ruler.top + 4) + " " + point(two, ruler.top + 4) + "\nwait 2\nexpect-element \"timeline/cursor\" \"event " +
          at(two) + "\"\n",
      "r.depscope");
  // By logical time, all that happens at that time has happened.
  const std::uint32_t last_time = r.events.time.back();
  run(dump(), "r.depscope");
  const double x = pixel(5.0, last_time);
  const auto position = std::upper_bound(r.events.time.begin(), r.events.time.end(), 5U) - r.events.time.begin();
  run("click " + point(std::round(x), curve.top + 5) + "\nwait 2\nexpect-element \"timeline/cursor\" \"time 5, event " +
          std::to_string(position) + "\"\n",
      "r.depscope");
}

TEST_F(TimelineWindowTest, BarsSelectAndSeek) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const replay::TaskMoments moments(r);
  run("key shift+e\n" + std::string(kOnlyRings) + dump() +
          "click-element \"timeline/slot of task 31\"\nwait 2\nexpect \"blend t31\"\nexpect \"Why is it alive?\"\n"
          // Inside "allocated".
          "double-click-element \"timeline/slot of task 31\"\nwait 2\nexpect-element \"timeline/cursor\" \"event " +
          std::to_string(moments.submitted[31] + 1) + "\"\n",
      "r.depscope");
  // A selection made elsewhere comes into view, and can be zoomed to.
  run("key shift+e\n" + std::string(kOnlyRings) +
          "expect-no-element \"timeline/slot of task 45\"\nselect task 45\nwait 2\n"
          "expect-element \"timeline/slot of task 45\"\nkey shift+x\nwait 2\n" +
          dump(),
      "r.depscope");
  const Box wide = element("timeline/slot of task 45").value();
  const Box ruler = element("timeline/ruler").value();
  EXPECT_GT((wide.right - wide.left) / (ruler.right - ruler.left), 0.75);
}

TEST_F(TimelineWindowTest, GroupsFoldAndTheWheelZooms) {
  record("09_scopes_and_lifetimes", "r.depscope");
  run("expect-element \"timeline/core 24\"\nclick-element \"timeline/cores\"\nwait 2\nexpect-no-element \"timeline/core 24\"\n"
      "expect-element \"timeline/cores\" \"16 lanes\"\nclick-element \"timeline/cores\"\nwait 2\n"
      "expect-element \"timeline/core 24\"\nkey shift+e\nwait 2\n" +
          dump(),
      "r.depscope");
  const Box before = element("timeline/task 8").value();
  run("key shift+e\nwait 2\nhover-element \"timeline/task 8\"\nwheel 4\nwait 2\n" + dump(), "r.depscope");
  const Box after = element("timeline/task 8").value();
  EXPECT_NEAR((after.right - after.left) / (before.right - before.left), std::pow(1.2, 4), 0.05);
  EXPECT_NEAR(after.middle(), before.middle(), 3.0) << "about the pointer";
  run("key shift+e\nwait 2\nhover-element \"timeline/task 8\"\nwheel 4\nwait 2\nkey shift+z\nwait 2\n" + dump(), "r.depscope");
  EXPECT_NEAR(element("timeline/task 8")->left, before.left, 0.5);
  // At the widest, bars are folded into counted records.
  replay::save(replay::synthetic_recording({.tasks = 3000}), path("big.depscope"));
  run("expect \" blocks\"\nexpect \" submits\"\nexpect \" steps\"\nexpect-no-element \"timeline/task 1500\"\n"
      "select task 1500\nkey shift+x\nwait 2\nexpect-element \"timeline/task 1500\"\n",
      "big.depscope");
}

TEST_F(TimelineWindowTest, CurvesHaveTheCountsOfTheCursor) {
  record("07_manual_pipeline", "r.depscope");
  const recording::Recording r = load("r.depscope");
  replay::Cursor cursor(r);
  std::uint32_t most = 0;
  for (std::uint32_t position = 0; position <= cursor.size(); ++position) {
    cursor.seek(position);
    most = std::max(most, cursor.state().tasks_in_state[static_cast<std::size_t>(runtime::TaskState::Running)]);
  }
  const std::uint32_t somewhere = cursor.size() * 2 / 3;
  cursor.seek(somewhere);
  const auto count = [&](runtime::TaskState state) {
    return std::to_string(cursor.state().tasks_in_state[static_cast<std::size_t>(state)]);
  };
  run("seek " + std::to_string(somewhere) + "\nwait 2\nexpect \"max " + std::to_string(most) +
          "\"\nexpect-element \"timeline/curve running\" \"max " + std::to_string(most) + ", " +
          count(runtime::TaskState::Running) + " at the cursor\"\nexpect-element \"timeline/curve ready\" \"" +
          count(runtime::TaskState::Ready) + " at the cursor\"\nkey shift+e\nwait 2\n" + dump(),
      "r.depscope");
  // Under the pointer.
  const Box curve = element("timeline/curve running").value();
  cursor.seek(static_cast<std::uint32_t>(place(std::round(curve.middle()), cursor.size())));
  run("key shift+e\nwait 2\nmouse " + point(std::round(curve.middle()), curve.top + 5) + "\nwait 2\nexpect \"running " +
          count(runtime::TaskState::Running) + "\"\nexpect \"ready " + count(runtime::TaskState::Ready) + "\"\n",
      "r.depscope");
}

TEST_F(TimelineWindowTest, SegmentsHaveTheirColours) {
  record("09_scopes_and_lifetimes", "r.depscope");
  const recording::Recording r = load("r.depscope");
  const double end = r.events.rows();
  run("key shift+e\n" + std::string(kOnlyRings) + "screenshot " + path("a.png") + "\n" + dump(), "r.depscope");
  const Picture picture(path("a.png"));
  ASSERT_NE(picture.pixels, nullptr);
  // Of slot 4 of ring 3: allocated until it completes, then a scope that holds it, then older tasks.
  const Box bar = element("timeline/slot of task 4").value();
  int allocated = 0;
  int last_reader = 0;
  int consumed = 0;
  int reused = 0;
  ASSERT_EQ(std::sscanf(bar.text.c_str(), "allocated %*d..%d, last reader %*d..%d, consumed %*d..%d, reused from %d", &allocated,
                        &last_reader, &consumed, &reused),
            4)
      << bar.text;
  const replay::TaskMoments moments(r);
  EXPECT_EQ(static_cast<std::uint32_t>(allocated), moments.completed[4] + 1);
  EXPECT_EQ(static_cast<std::uint32_t>(last_reader), moments.consumed[4] + 1);
  const auto pixels = [&](double from, double to, int red, int green, int blue) {
    return picture.count_in(static_cast<int>(pixel(from, end)) + 3, static_cast<int>(bar.bottom) - 5,
                            static_cast<int>(pixel(to, end)) - 3, static_cast<int>(bar.bottom) + 1, red, green, blue);
  };
  EXPECT_GT(pixels(moments.submitted[4] + 1, allocated, 86, 170, 255), 200);
  EXPECT_EQ(pixels(moments.submitted[4] + 1, allocated, 205, 140, 220), 0);
  EXPECT_GT(pixels(allocated, last_reader, 240, 225, 100), 50);
  EXPECT_GT(pixels(last_reader, consumed, 205, 140, 220), 50);
  const Box held = element("timeline/slot of task 3").value();
  EXPECT_GT(picture.count_in(static_cast<int>(held.left) + 20, static_cast<int>(held.bottom) - 5,
                             static_cast<int>(held.right) - 60, static_cast<int>(held.bottom) + 1, 70, 190, 130),
            200)
      << "completed, with readers";
}

TEST_F(TimelineWindowTest, WhatASummaryLacksIsSaid) {
  record("09_scopes_and_lifetimes", "s.depscope", "--events summary");
  run("expect \"a summary: not all is told\"\nexpect \"the first block of each task only\"\nexpect \"only the moment of each "
      "submit\"\n"
      "expect-legible\nkey shift+e\n" +
          std::string(kOnlyRings) +
          "select task 1\nkey shift+x\nwait 2\nhover-element \"timeline/slot of task 1\"\nwait 2\n"
          "expect \"held by\"\n",
      "s.depscope");
}

TEST_F(TimelineWindowTest, TracesFailuresAndNothingAreDrawn) {
  const Result made = run_command(std::string("'") + DEPSCOPE_PROGRAM + "' run '" + DEPSCOPE_SAMPLES +
                                  "/traces/diamond.trace.json' -o '" + path("t.depscope") + "'");
  ASSERT_EQ(made.status, 0) << made.output;
  run("expect-element \"timeline/curve ready\"\nexpect-legible\nkey shift+e\nwait 2\nexpect-legible\n", "t.depscope");
  replay::save(replay::synthetic_recording({.tasks = 30, .faults = true}), path("f.depscope"));
  run("key End\nkey shift+e\nwait 2\nexpect-element \"timeline/cursor\" \"event\"\nexpect-legible\n", "f.depscope");
  replay::save(recording::Recording(), path("e.depscope"));
  run("expect \"This recording has no events, so nothing has a time.\"\nkey shift+e\nkey shift+x\nkey shift+z\nwait 2\n",
      "e.depscope");
}

TEST_F(TimelineWindowTest, TextsAreLegibleAtBothSizes) {
  record("09_scopes_and_lifetimes", "r.depscope");
  replay::save(replay::synthetic_recording({.tasks = 3000}), path("big.depscope"));
  for (const char* size : {"--size 1280x800", "--size 2560x1440 --scale 2"}) {
    for (const char* recording : {"r.depscope", "big.depscope"}) {
      SCOPED_TRACE(std::string(size) + " " + recording);
      run(std::string("expect-legible\nseek 900\nselect task 8\nwait 2\nexpect-legible\nkey shift+e\nkey shift+x\nwait 2\n") +
              kAway + "expect-legible\n",
          recording, size);
    }
  }
}

}  // namespace
}  // namespace depscope::viewers
