// The window itself: opening, selection, events, passes, sizes, errors.
#include <cstdlib>
#include <string>

#include "depscope/replay/file.h"
#include "depscope/runtime/sink.h"
#include "sample_recording.h"
#include "synthetic_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

using ::testing::HasSubstr;

/// Position behind the first event of a kind with this subject.
std::uint32_t after(const recording::Recording& r, runtime::EventKind kind, std::uint32_t subject) {
  for (std::uint32_t i = 0; i < r.events.rows(); ++i) {
    if (r.events.kind[i] == static_cast<std::uint8_t>(kind) && r.events.subject[i] == subject) return i + 1;
  }
  ADD_FAILURE() << "no such event";
  return 0;
}

TEST_F(WindowTest, SaysWhatToDoWithoutARecording) {
  write("s.txt", "expect \"No recording open\"\nexpect \"Ctrl+O\"\nexpect \"F1 lists all keys\"\n");
  const Result result = view("--script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, RecordingsWithoutProgramOrEventsSaySo) {
  replay::save(replay::synthetic_recording({.program = false}), path("trace.depscope"));
  replay::save(recording::Recording(), path("empty.depscope"));
  write("s.txt",
        "expect \"This recording has no passes\"\nkey Down\nkey G\nkey .\nkey End\nselect task 3\n"
        "expect \"Why is it waiting?\"\n");
  Result result = view("'" + path("trace.depscope") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  write("s.txt",
        "expect \"This recording has no events\"\nkey Right\nkey End\nkey N\nkey Space\nkey E\nkey T\nkey PageDown\n"
        "expect \"event 0 of 0\"\n");
  result = view("'" + path("empty.depscope") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, ABadFileOpenedInTheWindowIsToldThere) {
  write("bad.depscope", "not a recording");
  const Result result =
      script("key ctrl+o\nkey ctrl+a\ntype " + path("bad.depscope") + "\nclick \"Open\"\nwait 2\n" +
             "expect \"Cannot open this\"\nexpect \"bad.depscope: not a recording\"\nexpect \"20 tasks\"\nscreenshot " +
             path("c.png") + "\nkey Escape\nexpect-not \"Cannot open\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, PassesShowBadgesMarksAndLegend) {
  const Result result = script(
      "expect \"02 ConvertToSSA\"\nexpect \"no-op\"\nexpect \"compiler edge\"\nexpect \"output_existing\"\n"
      "key PageDown\nkey PageDown\nkey V\n"
      "expect \"after 05 AutoDeriveTaskDependencies\"\nexpect \"MANUAL candidate\"\nexpect \"no_dep\"\n"
      "screenshot " +
      path("a.png") +
      "\n"
      "key B\nkey .\nexpect \"compiler_manual_dep_edges\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const Picture picture(path("a.png"));
  ASSERT_NE(picture.pixels, nullptr);
  EXPECT_EQ(picture.width, 1280);
  EXPECT_EQ(picture.height, 800);
  EXPECT_GT(picture.count(240, 160, 60), 50) << "compiler edge badges";
  EXPECT_GT(picture.count(86, 170, 255), 50) << "user edge and input badges";
  EXPECT_GT(picture.count(29, 31, 37, 3), 100000) << "panel ground";
}

TEST_F(WindowTest, SelectionIsShared) {
  const recording::Recording r = sample_recording(20);
  constexpr std::uint32_t kEdge = 12;
  const std::uint32_t producer = r.edges.producer[kEdge];
  const std::string name = std::string(r.text(r.tasks.callee[producer])) + " t" + std::to_string(producer);
  const auto consumers = std::count(r.edges.producer.begin(), r.edges.producer.end(), producer);
  const Result result = script("seek " + std::to_string(after(r, runtime::EventKind::EdgeAdd, kEdge)) + "\nselect edge 12\n" +
                               "expect \"Who asked for this edge?\"\nexpect \"" + name + "\"\nexpect \"flags final\"\nclick \"" +
                               name + "\"\nexpect \"Why is it alive?\"\nexpect \"Consumers (" + std::to_string(consumers) +
                               ")\"\n"
                               "key alt+left\nexpect \"Who asked for this edge?\"\n"
                               "select call-site 1\nexpect \"main call 1 copy\"\nexpect \"Hazards with earlier calls (1)\"\n"
                               "key Escape\nexpect \"Nothing selected.\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, EventsStepFilterAndPlay) {
  const recording::Recording r = sample_recording(20);
  const std::string all = std::to_string(r.events.rows());
  const std::string submit = "event " + std::to_string(after(r, runtime::EventKind::Submit, 0)) + " of " + all;
  const Result result = script("expect \"event 0 of " + all + "\"\nkey Right\nexpect \"event 1 of " + all +
                               "\"\nkey Left\nexpect \"event 0 of " + all + "\"\nkey End\nexpect \"event " + all + " of " + all +
                               "\"\nexpect \"20 consumed\"\nkey Home\n"
                               "key N\nexpect \"" +
                               submit + "\"\nclick \"submit fill t0\"\nexpect \"" + submit +
                               "\"\n"
                               "key ctrl+f\ntype kind:complete task:3\nexpect \"1 of " +
                               all + " events\"\nkey ctrl+Backspace\nexpect \"" + all + " of " + all +
                               " events\"\n"
                               "key Space\nwait 60\nexpect-not \"" +
                               submit + "\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, KeysAreListedAndInTooltips) {
  const Result result = script(
      "click \"all kinds\"\nexpect \"tm-insert\"\nkey Escape\nexpect-not \"tm-remove\"\n"
      "key F1\nexpect \"Next event of the selection\"\nexpect \"Shift+T\"\nkey F1\nexpect-not \"Shift+T\"\n"
      "hover \"Play\"\nexpect \"Play or pause (Space)\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, ClickedNamesAreFollowed) {
  const Result result =
      script("click \"scratch__ssa_v0\"\nexpect \"following scratch\"\nkey shift+f\nexpect-not \"following scratch\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, LargerSizesAndScalesDraw) {
  const Result result = view("'" + path("sample.depscope") + "' --size 3840x2160 --scale 2 --screenshot '" + path("b.png") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  const Picture picture(path("b.png"));
  ASSERT_NE(picture.pixels, nullptr);
  EXPECT_EQ(picture.width, 3840);
  EXPECT_GT(picture.count(226, 229, 235, 40), 1000) << "text";
}

TEST_F(WindowTest, WorksWithoutTheFonts) {
  write("s.txt", "expect \"using the built-in font\"\n");
  const Result result = view("--fonts '" + path("nowhere") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WindowTest, FailedExpectationsAndBadInputsAreTold) {
  Result result = script("wait 1\nexpect \"no such text\"\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("s.txt:2: the text \"no such text\" is not drawn"));
  result = script("select task 99\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("no task 99: the recording has 20"));
  result = script("fly\n");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("s.txt:1:1: unknown command 'fly'"));
  write("bad.depscope", "not a recording");
  result = view("'" + path("bad.depscope") + "' --frames 1");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("bad.depscope"));
  result = view("--panel Nowhere --frames 1");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("no panel 'Nowhere'"));
  result = view("--frames 1 --screenshot '" + path("no/such/directory.png") + "'");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("cannot write the picture"));
}

TEST(WindowErrors, NoDisplayIsOneClearMessage) {
  const Result result = run_command(std::string("env -u DISPLAY -u WAYLAND_DISPLAY '") + DEPSCOPE_VIEW_PROGRAM + "'");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("depscope: error: cannot open a window: no display"));
}

TEST(WindowErrors, BadUsage) {
  const std::string program = std::string("'") + DEPSCOPE_VIEW_PROGRAM + "' ";
  for (const char* arguments :
       {"--size 10", "--size 10x10", "--frames 0", "--frames", "--nothing", "a b c", "--scale 99", "--scale nan", "--scale inf",
        "--scale 0", "--scale 0.1", "--scale 10", "--size 1x1", "--size 100x100", "--size 99999x99999", "--bench nothing"}) {
    const Result result = run_command(program + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_THAT(result.output, HasSubstr("depscope: error: ")) << arguments;
  }
  EXPECT_THAT(run_command(program + "--help").output, HasSubstr("Usage: depscope-view"));
}

}  // namespace
}  // namespace depscope::viewers
