// Pictures for a bundle: a script in the place of depscope-view keeps what it is told and "draws".
#include "screenshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "command_outcome.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "dump_directories.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A variable of the environment, as it was before when this ends.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class ScreenshotsTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    fs::create_directories(folder_ / "bin");
    const std::string sample = std::string(DEPSCOPE_SAMPLES) + "/10_fallbacks.py";
    ASSERT_EQ(
        run_words({"run", sample, "--data", "cfg=[1,2,0,0]", "--analyze-auto-scopes", "-o", (folder_ / "x.depscope").string()})
            .status,
        kDone);
    recording_ = replay::load((folder_ / "x.depscope").string());
  }

  /// A program on PATH, where there is nothing else but what the shell needs.
  void install(const std::string& name, const std::string& lines) {
    const fs::path file = folder_ / "bin" / name;
    write_text(file, "#!/bin/sh\n" + lines);
    fs::permissions(file, fs::perms::owner_all);
  }

  /// The window: the file, the size and the script go to a log, the picture that is asked for is made.
  void install_view(const std::string& name = "depscope-view") {
    install(name,
            "for word; do case \"$word\" in --script=*) script=${word#--script=};; esac; done\n"
            "echo \"$@\" >> '" +
                log().string() +
                "'\n"
                "while read -r verb rest; do\n"
                "  echo \"$verb $rest\" >> '" +
                log().string() +
                "'\n"
                "  if [ \"$verb\" = screenshot ]; then echo picture > \"$rest\"; fi\n"
                "done < \"$script\"\n");
  }

  [[nodiscard]] fs::path log() const { return folder_ / "log"; }

  [[nodiscard]] Screenshots taken(const std::string& display) const {
    const Variable path("PATH", (folder_ / "bin").string());
    const Variable x11("DISPLAY", display);
    const Variable wayland("WAYLAND_DISPLAY", "");
    return take_screenshots(recording_, folder_ / "x.depscope");
  }

  recording::Recording recording_;
};

TEST_F(ScreenshotsTest, OfTheFallbackAndOfTheRun) {
  install_view();
  const Screenshots shots = taken(":7");
  EXPECT_EQ(shots.missing, "");
  ASSERT_EQ(shots.pictures.size(), 2U);
  EXPECT_EQ(shots.pictures[0].member, "screenshots/passes.png");
  EXPECT_EQ(shots.pictures[1].member, "screenshots/run.png");
  EXPECT_EQ(shots.pictures[0].bytes, "picture\n");
  const std::string told = text_of(log());
  EXPECT_THAT(told, AllOf(HasSubstr("x.depscope --size="), HasSubstr("select call-site 12\n"), HasSubstr("select task "),
                          HasSubstr("seek " + std::to_string(recording_.events.rows() / 2) + "\n")));
}

TEST_F(ScreenshotsTest, AVirtualDisplayWhereThereIsNone) {
  install_view();
  EXPECT_THAT(taken("").missing, HasSubstr("no display, and no xvfb-run"));
  install("xvfb-run", "echo virtual \"$1\" >> '" + log().string() + "'\nshift 3\nexec \"$@\"\n");
  const Screenshots shots = taken("");
  EXPECT_EQ(shots.missing, "");
  EXPECT_EQ(shots.pictures.size(), 2U);
  EXPECT_THAT(text_of(log()), HasSubstr("virtual -a\n"));
}

TEST_F(ScreenshotsTest, WhyThereAreNone) {
  EXPECT_THAT(taken(":7").missing, HasSubstr("depscope-view is not installed"));
  install("depscope-view", "exit 3\n");
  Screenshots shots = taken(":7");
  EXPECT_TRUE(shots.pictures.empty());
  EXPECT_THAT(shots.missing, HasSubstr("depscope-view ended with status 3"));
  install("depscope-view", "exit 0\n");  // and no picture
  shots = taken(":7");
  EXPECT_TRUE(shots.pictures.empty());
  EXPECT_THAT(shots.missing, HasSubstr(".png: cannot read"));
  install("depscope-view", "kill -9 $$\n");
  EXPECT_THAT(taken(":7").missing, HasSubstr("was ended by signal 9"));
}

TEST_F(ScreenshotsTest, ABundleHasThemOrSaysWhyNot) {
  const std::string zip = (folder_ / "b.zip").string();
  const std::string recording = (folder_ / "x.depscope").string();
  const Variable path("PATH", (folder_ / "bin").string());
  const Variable x11("DISPLAY", ":7");
  Outcome o = run_words({"bundle", recording, "-o", zip});
  EXPECT_EQ(o.status, kDone);
  EXPECT_THAT(o.err, HasSubstr("no screenshots: depscope-view is not installed"));
  install_view();
  o = run_words({"bundle", recording, "-o", zip});
  EXPECT_EQ(o.err, "");
  const std::string with = text_of(zip);
  EXPECT_THAT(with, AllOf(HasSubstr("screenshots/passes.png"), HasSubstr("screenshots/run.png")));
  ASSERT_EQ(run_words({"bundle", recording, "-o", zip, "--no-screenshots"}).status, kDone);
  EXPECT_THAT(text_of(zip), ::testing::Not(HasSubstr("screenshots/")));
}

}  // namespace
}  // namespace depscope::app
