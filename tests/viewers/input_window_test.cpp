// What is typed, opened or sent to the window and is not what it expects: strange names, fields, files, signals.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "depscope/replay/file.h"
#include "sample_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array kPanels = {"Passes",    "Regions",  "Directions", "Graph",    "Timeline", "Memory",
                                "TensorMap", "Resource", "Events",     "Findings", "Inspector"};

class InputWindowTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    if (!IsSkipped()) fs::create_directories(path("temporary"));
  }
  /// The window with a directory of its own for temporary files, ended after a minute.
  [[nodiscard]] Result limited_view(const std::string& arguments) const {
    return run_command("TMPDIR='" + path("temporary") + "' timeout -s KILL 60 sh '" + DEPSCOPE_WITH_XVFB + "' '" +
                       DEPSCOPE_VIEW_PROGRAM + "' " + arguments);
  }
  /// Sends a signal to the window as soon as it and the run that it has started have made so many directories; the status is that
  /// of the window.
  [[nodiscard]] Result signalled(const std::string& signal, const std::string& arguments, int directories = 1) const {
    // A shell would let a background process ignore the interruption.
    write("signal.sh", fmt::format("env --default-signal=INT \"$@\" &\n"
                                   "window=$!\n"
                                   "until [ \"$(find '{}' -type d -name 'depscope-*' | wc -l)\" -ge {} ]; do sleep 0.05; done\n"
                                   "kill -{} $window\n"
                                   "wait $window\n",
                                   path("temporary"), directories, signal));
    return run_command("TMPDIR='" + path("temporary") + "' timeout -s KILL 60 sh '" + DEPSCOPE_WITH_XVFB + "' sh '" +
                       path("signal.sh") + "' '" + DEPSCOPE_VIEW_PROGRAM + "' " + arguments);
  }
  /// A program whose run takes long.
  void write_long(const std::string& name) const {
    std::ifstream in(std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string chunks = "\nCHUNKS = 1 ";
    const std::size_t at = text.find(chunks);
    ASSERT_NE(at, std::string::npos);
    write(name, text.replace(at, chunks.size(), "\nCHUNKS = 900000 "));
  }
};

/// Every text that is no object of JSON takes one of these names.
recording::Recording with_names(recording::Recording recording, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < recording.strings.rows(); ++i) texts.emplace_back(recording.strings.text(i));
  recording.strings.bytes.clear();
  recording.strings.offsets = {0};
  std::size_t next = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool kept = i == 0 || texts[i].starts_with('{');
    recording.strings.bytes += kept ? texts[i] : names[next++ % names.size()];
    recording.strings.offsets.push_back(recording.strings.bytes.size());
  }
  return recording;
}

std::string walk_through_panels() {
  std::string text;
  for (const char* panel : kPanels) text += fmt::format("panel {}\nwait 2\n", panel);
  for (const char* item : {"task 1", "edge 1", "tensor 0", "call-site 0", "event 3", "pass 2"})
    text += fmt::format("select {}\nkey ctrl+c\nkey ctrl+shift+c\n", item);
  text += "key End\n";
  for (const char* panel : kPanels) text += fmt::format("panel {}\nwait 2\nkey ctrl+c\n", panel);
  return text;
}

TEST_F(InputWindowTest, NamesOfAnyTextAreDrawn) {
  const std::vector<std::string> strange = {"%s%n%d%1000000d",
                                            "##",
                                            "###same",
                                            "a##b",
                                            "",
                                            "same",
                                            "same",
                                            std::string(10000, 'w'),
                                            "line\nbreak\ttab",
                                            "\xff\xfe broken \xc3",
                                            "名前 ü \"'\\",
                                            std::string("nul\0inside", 10),
                                            "\x1b[31m\x01",
                                            std::string(3000, '\n')};
  record("02_softmax_tiles", "softmax.depscope", "--analyze-auto-scopes");
  replay::save(with_names(load("softmax.depscope"), strange), path("strange.depscope"));
  replay::save(with_names(load("softmax.depscope"), {""}), path("nameless.depscope"));
  replay::save(with_names(load("softmax.depscope"), {"%n##"}), path("equal.depscope"));
  for (const char* name : {"strange.depscope", "nameless.depscope", "equal.depscope"}) {
    const Result result = script(walk_through_panels() + "open-b " + path("softmax.depscope") + "\n" + walk_through_panels(),
                                 "--screenshots '" + path(".") + "'", name);
    EXPECT_EQ(result.status, 0) << name << "\n" << result.output;
  }
}

TEST_F(InputWindowTest, NamesAreShownWhole) {
  record("02_softmax_tiles", "softmax.depscope");
  replay::save(with_names(load("softmax.depscope"), {"buffer##1"}), path("marks.depscope"));
  const Result result = script(
      "panel Resource\nwait 2\nexpect-element \"resource/tensor 0\" \"buffer##1\"\nclick-element \"resource/tensor 0\"\n"
      "expect \"buffer##1\"\npanel Graph\nclick \"Choose…\"\nwait 2\nexpect \"buffer##1 (\"\nclick \"buffer##1 (\"\nwait 2\n"
      "expect-element \"graph/filter\" \"buffer##1\"\n",
      "", "marks.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InputWindowTest, ATextThatIsTooLongForOneDrawingIsCut) {
  record("02_softmax_tiles", "softmax.depscope", "--analyze-auto-scopes");
  replay::save(with_names(load("softmax.depscope"), {std::string(30000, 'x')}), path("long.depscope"));
  std::string text = walk_through_panels();
  for (int y = 60; y < 800; y += 40) text += fmt::format("mouse 200 {}\nwait 1\nmouse 1000 {}\nwait 1\n", y, y);
  const Result result = script(text + "open " + path(std::string(200, 'y')) + "\nexpect \"Cannot open this\"\n",
                               "--screenshots '" + path(".") + "'", "long.depscope");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InputWindowTest, APanelThatIsNotDrawnYetIsCopied) {
  record("07_manual_pipeline", "manual.depscope");
  ASSERT_EQ(run_command(std::string("'") + DEPSCOPE_PROGRAM + "' run '" + DEPSCOPE_SAMPLES + "/01_vector_add.py' --json >'" +
                        path("deps.json") + "'")
                .status,
            0);
  for (const char* panel : kPanels) {
    const Result result =
        script(fmt::format("open {}\npanel {}\nwait 3\nkey ctrl+shift+3\nwait 3\nopen {}\nkey ctrl+c\n"
                           "key ctrl+shift+c\nopen {}\nkey ctrl+c\nkey ctrl+shift+c\n",
                           path("manual.depscope"), panel, path("deps.json"), path("manual.depscope")));
    EXPECT_EQ(result.status, 0) << panel << "\n" << result.output;
  }
}

TEST_F(InputWindowTest, UndoInAFieldWhoseTextWasChanged) {
  const std::string text = "and much more text than stands in the field afterwards";
  const std::string undo = "key ctrl+z\ntype edges compiler\nkey ctrl+z\nkey ctrl+z\nkey ctrl+y\ntype again\n";
  const std::string palette = "key ctrl+p\ntype " + text + "\nkey escape\nkey ctrl+p\n" + undo + "key escape\n";
  const std::string dialog = "key ctrl+o\ntype " + text + "\nkey escape\nkey ctrl+o\n" + undo +
                             "key ctrl+a\ntype sam\nkey Tab\n" + undo + "key ctrl+a\ntype ../" + text + "/\nkey Backspace\n" +
                             undo + "key escape\n";
  const std::string filter = "panel Graph\nkey alt+f\ntype kernel:fill kernel:" + text +
                             "\nkey enter\nkey alt+Backspace\nwait 2\nkey alt+f\n" + undo + "key escape\n";
  const std::string breakpoint = "key ctrl+b\ntype task:t1\nkey enter\nwait 2\n" + undo + "key escape\n";
  const std::string number =
      "key ctrl+g\ntype 123456789012345678901234567890\nkey enter\nkey Home\nkey ctrl+g\n" + undo + "key escape\n";
  const Result result = script(palette + dialog + palette + filter + breakpoint + number + "key ctrl+p\nexpect \"Enter runs\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(InputWindowTest, WhatIsNoFileIsToldAndNotWaitedFor) {
  for (const char* name : {"pipe", "pipe.depscope", "pipe.py", "pipe.zip"}) {
    ASSERT_EQ(mkfifo(path(name).c_str(), 0600), 0);
    const Result result = limited_view("'" + path(name) + "' --frames 1");
    EXPECT_EQ(result.status, 2) << name;
    EXPECT_EQ(result.output, "depscope: error: " + path(name) + ": is neither a file nor a directory\n");
  }
  const Result zero = limited_view("/dev/zero --frames 1");
  EXPECT_EQ(zero.status, 2);
  EXPECT_EQ(zero.output, "depscope: error: /dev/zero: is neither a file nor a directory\n");
}

TEST_F(InputWindowTest, OutputsThatCannotBeWrittenAreErrorsOfTheInput) {
  for (const char* verb : {"dump", "screenshot"}) {
    for (const std::string& where : {path("."), path("no/such/directory"), std::string("/proc/file")}) {
      const Result result = script(std::string("wait 1\n") + verb + " " + where + "\n");
      EXPECT_EQ(result.status, 2) << verb << " " << where;
      EXPECT_THAT(result.output, HasSubstr("depscope: error: ")) << verb << " " << where;
      EXPECT_THAT(result.output, HasSubstr(path("s.txt") + ":2:1: ")) << verb << " " << where;
      EXPECT_THAT(result.output, HasSubstr(where));
      EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    }
  }
}

TEST_F(InputWindowTest, SignalsLeaveNothingBehind) {
  write_long("long.py");
  ASSERT_FALSE(HasFatalFailure());
  write("s.txt", "wait 1\n");
  write("async.txt", "open-async " + path("long.py") + "\nwait 100000\nwait 100000\nwait 100000\n");
  for (const auto& [signal, number] : {std::pair{"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}}) {
    Result result = signalled(signal, "'" + path("long.py") + "' --script '" + path("s.txt") + "'");
    EXPECT_EQ(result.status, 128 + number) << signal << "\n" << result.output;
    EXPECT_TRUE(fs::is_empty(path("temporary"))) << signal << " while the first file is opened";
    result = signalled(signal, "--script '" + path("async.txt") + "'");
    EXPECT_EQ(result.status, 128 + number) << signal << "\n" << result.output;
    EXPECT_TRUE(fs::is_empty(path("temporary"))) << signal << " while a script runs";
    result = signalled(signal, "'" + path("long.py") + "' --settings '" + path("settings.json") + "'");
    EXPECT_EQ(result.status, 0) << signal << "\n" << result.output;
    EXPECT_TRUE(fs::is_empty(path("temporary"))) << signal << " in the window";
  }
}

TEST_F(InputWindowTest, WhatABundleUnpacksIsTakenAwayWhenItIsGivenUp) {
  write_long("long.py");
  ASSERT_FALSE(HasFatalFailure());
  ASSERT_EQ(run_command(std::string("'") + DEPSCOPE_PROGRAM + "' bundle '" + path("long.py") + "' --max-tasks 10 -o '" +
                        path("long.zip") + "'")
                .status,
            0);
  const Result result = signalled("TERM", "'" + path("long.zip") + "' --frames 1 -- --max-tasks 1000000", 2);
  EXPECT_EQ(result.status, 128 + SIGTERM) << result.output;
  EXPECT_TRUE(fs::is_empty(path("temporary")));
}

}  // namespace
}  // namespace depscope::viewers
