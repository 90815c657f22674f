// Opening in the window: whatever depscope can run, errors, progress and giving up, two files, drops, the dialog by keyboard.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "depscope/replay/file.h"
#include "sample_recording.h"
#include "window_fixture.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OpeningWindowTest : public WindowTest {
 protected:
  /// The window with a directory of its own for temporary files.
  [[nodiscard]] Result view_with_temporary(const std::string& arguments) const {
    fs::create_directories(path("temporary"));
    return run_command("TMPDIR='" + path("temporary") + "' sh '" + DEPSCOPE_WITH_XVFB + "' '" + DEPSCOPE_VIEW_PROGRAM + "' " +
                       arguments);
  }
  /// vector_add with as many tasks.
  void write_vector_add(const std::string& name, int tasks) const {
    std::ifstream in(std::string(DEPSCOPE_SAMPLES) + "/01_vector_add.py");
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string chunks = "\nCHUNKS = 1 ";
    const std::size_t at = text.find(chunks);
    ASSERT_NE(at, std::string::npos);
    write(name, text.replace(at, chunks.size(), "\nCHUNKS = " + std::to_string(tasks) + " "));
  }
  static std::string depscope(const std::string& arguments) { return std::string("'") + DEPSCOPE_PROGRAM + "' " + arguments; }
};

/// Processes that have this text in their command line.
int processes_with(const std::string& text) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    found += line.find(text) != std::string::npos ? 1 : 0;
  }
  return found;
}

TEST_F(OpeningWindowTest, AProgramIsRunAndNothingIsLeftBehind) {
  write_vector_add("eight.py", 8);
  write("s.txt",
        "expect \"8 tasks\"\nexpect \"from eight.py\"\nexpect \"opened eight.py\"\nkey F5\nwait 3\nexpect \"8 tasks\"\n");
  const Result result = view_with_temporary("'" + path("eight.py") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::is_empty(path("temporary")));
}

TEST_F(OpeningWindowTest, OptionsBehindTwoDashesGoToTheRun) {
  write_vector_add("eight.py", 8);
  record("eight.py", "plain.depscope");
  record("eight.py", "short.depscope", "--events=summary");
  const auto events = [](const recording::Recording& r) { return std::to_string(r.events.rows()) + " events"; };
  const std::string plain = events(load("plain.depscope"));
  const std::string shorter = events(load("short.depscope"));
  ASSERT_NE(plain, shorter);
  write("s.txt", "expect \"" + shorter + "\"\nkey ctrl+o\nexpect \"--events=summary\"\n");
  Result result = view("'" + path("eight.py") + "' --script '" + path("s.txt") + "' -- --events=summary");
  EXPECT_EQ(result.status, 0) << result.output;
  write("s.txt", "expect \"" + plain + "\"\n");
  result = view("'" + path("eight.py") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  // The command passes everything on.
  write("s.txt", "expect \"" + shorter + "\"\n");
  result = run_command(
      std::string("sh '") + DEPSCOPE_WITH_XVFB + "' " +
      depscope("view '" + path("eight.py") + "' --events=summary --ground light --scale 1.5 --script '" + path("s.txt") + "'"));
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, DumpsTracesTaskGraphsAndBundlesOpen) {
  write_vector_add("eight.py", 8);
  ASSERT_EQ(run_command(depscope("run '" + path("eight.py") + "' --dump-passes '" + path("dumps") + "'")).status, 0);
  ASSERT_EQ(run_command(depscope("run '" + path("eight.py") + "' --json >'" + path("deps.json") + "'")).status, 0);
  ASSERT_EQ(run_command(depscope("bundle '" + path("eight.py") + "' -o '" + path("bug.zip") + "'")).status, 0);
  std::string trace;
  for (const auto& entry : fs::directory_iterator(std::string(DEPSCOPE_SAMPLES) + "/traces")) {
    if (entry.path().string().ends_with(".trace.json")) trace = std::max(trace, entry.path().string());
  }
  ASSERT_NE(trace, "");
  const Result result = script("open " + path("dumps") + "\nexpect \"opened dumps\"\nexpect \"8 tasks\"\nopen " +
                               path("deps.json") + "\nexpect \"opened deps.json\"\nexpect \"8 tasks\"\nopen " + path("bug.zip") +
                               "\nexpect \"opened bug.zip\"\nexpect \"8 tasks\"\nopen " + trace + "\nexpect \"opened " +
                               fs::path(trace).filename().string() + "\"\nexpect-not \"8 tasks\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, AnErrorIsShownWithItsCaretAndWhatWasOpenStays) {
  write_vector_add("bad.py", 8);
  std::ifstream in(path("bad.py"));
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string good = "zt = pl.add(xt, yt)";
  ASSERT_NE(text.find(good), std::string::npos);
  text.replace(text.find(good), good.size(), "zt = pl.add(xt, yt");
  write("bad.py", text);
  // What the program itself says is what has to be drawn.
  const Result said = run_command(depscope("run '" + path("bad.py") + "'"));
  ASSERT_EQ(said.status, 2);
  const std::size_t colon = said.output.find("bad.py:");
  ASSERT_NE(colon, std::string::npos) << said.output;
  const std::string place = said.output.substr(colon, said.output.find(": ", colon) - colon);
  const Result result =
      script("open " + path("bad.py") + "\nexpect \"Cannot open this\"\nexpect \"" + place +
             "\"\nexpect \"^\"\nexpect \"What was open before stays open.\"\nexpect \"20 tasks\"\n"
             "click \"Copy\"\nexpect-clipboard \"" +
             place + "\"\nexpect-clipboard \"^\"\nexpect \"the error is on the clipboard\"\nclick \"Close\"\n" +
             "expect-not \"Cannot open this\"\nexpect \"20 tasks\"\n" +
             // F5 tries again what failed, and reads again what is open.
             "open " + path("bad.py") + "\nkey F5\nwait 3\nexpect \"" + place +
             "\"\nkey Escape\nkey F5\nwait 3\nexpect-not \"Cannot open this\"\nexpect \"opened sample.depscope\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  const Result alone = view("'" + path("bad.py") + "' --frames 1");
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.output, HasSubstr("depscope: error: "));
  EXPECT_THAT(alone.output, HasSubstr(place));
}

TEST_F(OpeningWindowTest, ErrorsOfOptionsAndPathsAreTold) {
  const Result result =
      script("open " + path("nowhere.py") + "\nexpect \"No such file\"\nexpect \"Check the path\"\nkey Escape\n" +
             "expect-not \"No such file\"\nopen " + path(".") + "\nexpect \"Cannot open this\"\nexpect \"20 tasks\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  write_vector_add("eight.py", 8);
  const Result options = view("'" + path("eight.py") + "' --frames 1 -- --nonsense");
  EXPECT_EQ(options.status, 2);
  EXPECT_THAT(options.output, HasSubstr("--nonsense"));
}

TEST_F(OpeningWindowTest, ALongRunShowsHowFarItIsAndIsGivenUp) {
  write_vector_add("long.py", 900000);
  write("s.txt", "open-async " + path("long.py") + "\nwait-for \"Opening long.py\"\nexpect \"Cancel\"\nwait-for \"00 events\"\n" +
                     "expect \"20 tasks\"\nscreenshot " + path("p.png") + "\nkey Escape\nexpect-not \"Opening long.py\"\n" +
                     "expect \"gave up opening long.py\"\nexpect \"20 tasks\"\nopen " + path("sample.depscope") +
                     "\nexpect \"opened sample.depscope\"\n");
  const Result result = view_with_temporary("'" + path("sample.depscope") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::is_empty(path("temporary")));
  EXPECT_EQ(processes_with(path("long.py")), 0);
}

TEST_F(OpeningWindowTest, QuittingEndsTheRunAsDoesTheButton) {
  write_vector_add("long.py", 900000);
  write("s.txt", "open-async " + path("long.py") + "\nwait-for \"00 events\"\nclick \"Cancel\"\nexpect \"gave up\"\nopen-async " +
                     path("long.py") + "\nwait-for \"00 events\"\nkey ctrl+q\n");
  const Result result = view_with_temporary("'" + path("sample.depscope") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::is_empty(path("temporary")));
  EXPECT_EQ(processes_with(path("long.py")), 0);
}

TEST_F(OpeningWindowTest, TwoFilesAreCompared) {
  replay::save(sample_recording(30), path("other.depscope"));
  write("s.txt",
        "expect \"20 tasks\"\nexpect \"30 tasks\"\nexpect-element \"shell/side a\"\nexpect-element \"shell/side b\"\n"
        "expect \"comparing a sample.depscope with b other.depscope\"\nexpect \"20 unborn\"\nkey Tab\nexpect \"30 unborn\"\n"
        "expect \"b is shown\"\nkey Tab\nexpect \"20 unborn\"\nkey Tab\nkey ctrl+shift+w\nexpect \"30 unborn\"\n"
        "expect-not \"20 tasks\"\nexpect-no-element \"shell/side a\"\nkey Tab\nexpect \"no sides to swap\"\n");
  Result result = view("'" + path("sample.depscope") + "' '" + path("other.depscope") + "' --script '" + path("s.txt") + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  // One after the other, and another b while b is shown: what is shown is a then.
  replay::save(sample_recording(40), path("third.depscope"));
  result = script("open-b " + path("other.depscope") + "\nexpect \"30 tasks\"\nkey Tab\nopen-b " + path("third.depscope") +
                  "\nexpect \"30 unborn\"\nexpect \"40 tasks\"\nexpect-not \"20 tasks\"\nopen-b " + path("nowhere.depscope") +
                  "\nexpect \"Cannot open this\"\nkey Escape\nexpect \"40 tasks\"\nkey F5\nwait 4\nexpect \"30 tasks\"\n"
                  "expect \"40 tasks\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(view("a b c --frames 1").status, 2);
}

TEST_F(OpeningWindowTest, DroppedFilesOpen) {
  replay::save(sample_recording(30), path("other.depscope"));
  write_vector_add("eight.py", 8);
  const Result result = script("drop \"" + path("eight.py") + "\"\nexpect \"8 tasks\"\nexpect-not \"20 tasks\"\ndrop \"" +
                               path("sample.depscope") + "\" \"" + path("other.depscope") +
                               "\"\nexpect \"20 tasks\"\nexpect \"30 tasks\"\nexpect-element \"shell/side b\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, TheDialogWorksByKeyboardAlone) {
  fs::create_directories(path("inside"));
  replay::save(sample_recording(30), path("inside/first.depscope"));
  replay::save(sample_recording(40), path("inside/second.depscope"));
  write("inside/notes.txt", "x");
  const Result result = script(
      "key ctrl+o\nexpect-element \"open/entry sample.depscope\" \"recording\"\nexpect-element \"open/recent 1\" "
      "\"sample.depscope\"\n"
      "type ins\nexpect-no-element \"open/entry sample.depscope\"\nkey Enter\nexpect-element \"open/entry first.depscope\"\n"
      "expect-no-element \"open/entry notes.txt\"\nkey alt+a\nexpect-element \"open/entry notes.txt\"\nkey alt+a\n"
      "type se\nkey Tab\nexpect \"inside/second.depscope\"\nkey Enter\nexpect \"40 tasks\"\n"
      // Up to the parent, and down again with the arrows: two recent files, then the directory.
      "key ctrl+o\nexpect-element \"open/recent 1\" \"second\"\nkey Backspace\nexpect-element \"open/entry inside\"\n"
      "key Down\nkey Down\nkey Down\nkey Enter\nexpect-element \"open/entry first.depscope\"\nkey Escape\n"
      "expect-no-element \"open/entry first.depscope\"\nexpect \"40 tasks\"\n"
      // The newest but one of the recent files.
      "key ctrl+o\nkey Down\nkey Down\nkey Enter\nexpect \"20 tasks\"\n"
      // Beside it.
      "key ctrl+shift+o\nexpect \"Open for comparison\"\ntype inside/fi\nkey Enter\nexpect \"30 tasks\"\nexpect \"20 tasks\"\n"
      // A directory that is not there.
      "key ctrl+o\ntype nowhere/\nexpect \"cannot read\"\nexpect \"No such file\"\nkey Escape\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, ADirectoryAndOptionsFromTheDialog) {
  write_vector_add("eight.py", 8);
  ASSERT_EQ(run_command(depscope("run '" + path("eight.py") + "' --dump-passes '" + path("dumps") + "'")).status, 0);
  const Result result = script(
      "key ctrl+o\ntype dumps/\nkey ctrl+Enter\nexpect \"8 tasks\"\n"
      "key ctrl+o\ntype eight.py\nkey F2\ntype --reduce nonsense\nkey Enter\nexpect \"--reduce\"\nexpect \"nonsense\"\n"
      "expect \"Cannot open this\"\nkey Escape\nkey ctrl+o\nexpect \"--reduce nonsense\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, TenThousandEntriesAreListed) {
  fs::create_directories(path("many"));
  for (int i = 0; i < 10000; ++i) write("many/f" + std::to_string(10000 + i) + ".py", "");
  replay::save(sample_recording(30), path("many/zz.depscope"));
  const Result result = script(
      "key ctrl+o\ntype many/\nexpect-element \"open/entry f10000.py\"\nexpect-no-element \"open/entry f19999.py\"\n"
      "key Up\nexpect-element \"open/entry zz.depscope\"\nkey Up\nexpect-element \"open/entry f19999.py\"\nkey Down\nkey Enter\n"
      "expect \"30 tasks\"\n");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, RecentFilesAreRememberedAndMissingOnesAreDim) {
  replay::save(sample_recording(30), path("gone.depscope"));
  const std::string settings = " --settings '" + path("view.json") + "'";
  Result result = script(
      "open " + path("gone.depscope") + "\nopen " + path("sample.depscope") + "\nopen " + path("gone.depscope") + "\n", settings);
  EXPECT_EQ(result.status, 0) << result.output;
  fs::remove(path("gone.depscope"));
  result = script(
      "key ctrl+o\nexpect-element \"open/recent 1\" \"sample.depscope\"\nexpect-element \"open/recent 2\" \"gone.depscope\"\n"
      "expect-no-element \"open/recent 3\"\nexpect \"recent, not there\"\n",
      settings);
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(OpeningWindowTest, ProgressIsSaidAndChangesNothing) {
  write_vector_add("many.py", 3000);
  const Result quiet = run_command(depscope("run '" + path("many.py") + "' -o '" + path("quiet.depscope") + "'"));
  const Result told = run_command(depscope("run --progress '" + path("many.py") + "' -o '" + path("told.depscope") + "'"));
  ASSERT_EQ(quiet.status, 0);
  ASSERT_EQ(told.status, 0);
  EXPECT_EQ(quiet.output.find("progress"), std::string::npos);
  const recording::Recording r = load("told.depscope");
  const std::string of = " of " + std::to_string(r.passes.rows() - 1) + " ";  // the first is the input
  for (std::uint32_t pass = 1; pass < r.passes.rows(); ++pass)
    EXPECT_THAT(told.output,
                HasSubstr("progress: pass " + std::to_string(pass) + of + std::string(r.text(r.passes.name[pass])) + "\n"));
  ASSERT_GT(r.events.rows(), 50000U);
  EXPECT_THAT(told.output, HasSubstr("progress: 50000 events\n"));
  EXPECT_THAT(told.output, HasSubstr("progress: writing the recording\n"));
  const auto bytes = [&](const char* name) {
    std::ifstream in(path(name), std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  };
  EXPECT_EQ(bytes("quiet.depscope"), bytes("told.depscope"));
}

}  // namespace
}  // namespace depscope::viewers
