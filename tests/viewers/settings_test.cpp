// Settings and their file: values that fit, broken files, when something is written.
#include "depscope/viewers/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "depscope/base/diagnostics.h"
#include "depscope/viewers/settings_file.h"

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Settings, ValuesComeBack) {
  Settings settings;
  settings.set("text", std::string("with \"quotes\" and ü"));
  settings.set("number", 0.625);
  settings.set("truth", true);
  settings.set("list", std::vector<std::string>{"a", "b"});
  settings.set("one", std::vector<std::string>{"alone"});
  settings.set("none", std::vector<std::string>{});
  const Settings again = Settings::from_json("view.json", settings.to_json());
  EXPECT_EQ(again, settings);
  EXPECT_EQ(again.text("text"), "with \"quotes\" and ü");
  EXPECT_EQ(again.number("number", 1.0, 0.0, 1.0), 0.625);
  EXPECT_TRUE(again.truth("truth", false));
  EXPECT_THAT(again.list("list"), ElementsAre("a", "b"));
  EXPECT_THAT(again.list("one"), ElementsAre("alone"));
  EXPECT_THAT(again.list("none"), IsEmpty());
  EXPECT_THAT(settings.to_json(), HasSubstr("\n"));
}

TEST(Settings, WhatDoesNotFitIsOtherwise) {
  Settings settings;
  settings.set("word", std::string("many"));
  settings.set("large", 99.0);
  settings.set("small", -99.0);
  settings.set("infinite", std::string("inf"));
  settings.set("tail", std::string("0.5x"));
  EXPECT_EQ(settings.number("word", 0.25, 0.0, 1.0), 0.25);
  EXPECT_EQ(settings.number("missing", 0.25, 0.0, 1.0), 0.25);
  EXPECT_EQ(settings.number("infinite", 0.25, 0.0, 1.0), 0.25);
  EXPECT_EQ(settings.number("tail", 0.25, 0.0, 1.0), 0.25);
  EXPECT_EQ(settings.number("large", 0.25, 0.0, 1.0), 1.0);
  EXPECT_EQ(settings.number("small", 0.25, 0.0, 1.0), 0.0);
  EXPECT_TRUE(settings.truth("word", true));
  EXPECT_FALSE(settings.truth("word", false));
  EXPECT_EQ(settings.text("missing", "else"), "else");
}

TEST(Settings, BrokenTextsAreRefused) {
  for (const char* json : {"", "{", "[]", "7", "null", R"({"a": 1})", R"({"a": ["b", 1]})", R"({"a": {}})"}) {
    EXPECT_THROW(static_cast<void>(Settings::from_json("view.json", json)), InputError) << json;
  }
  EXPECT_THROW(static_cast<void>(Settings::from_json("view.json", std::string(200000, '['))), InputError);
}

class SettingsFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("depscope_settings_test_" + std::to_string(getpid()));
    fs::create_directories(directory_);
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(directory_, error);
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return directory_ / name; }
  static Settings with(const std::string& name, const std::string& value) {
    Settings settings;
    settings.set(name, value);
    return settings;
  }

 private:
  fs::path directory_;
};

TEST_F(SettingsFileTest, AChangeIsWrittenAndReadAgain) {
  const fs::path file = path("new/directory/view.json");
  {
    SettingsFile settings(file.string());
    EXPECT_EQ(settings.problem(), "");
    settings.begin(with("a", "first"));
    EXPECT_TRUE(settings.save(with("a", "first")));
    EXPECT_FALSE(fs::exists(file)) << "nothing changed";
    EXPECT_TRUE(settings.save(with("a", "second")));
    EXPECT_TRUE(fs::exists(file));
  }
  EXPECT_EQ(SettingsFile(file.string()).settings().text("a"), "second");
}

TEST_F(SettingsFileTest, NamesOfOtherVersionsAreKept) {
  std::ofstream(path("view.json")) << R"({"later.version": "stays", "a": "old"})";
  SettingsFile settings(path("view.json").string());
  settings.begin(with("a", "old"));
  EXPECT_TRUE(settings.save(with("a", "new")));
  const Settings again = SettingsFile(path("view.json").string()).settings();
  EXPECT_EQ(again.text("later.version"), "stays");
  EXPECT_EQ(again.text("a"), "new");
}

TEST_F(SettingsFileTest, ABrokenFileIsToldAndKept) {
  std::ofstream(path("view.json")) << "{broken";
  SettingsFile settings(path("view.json").string());
  EXPECT_THAT(settings.problem(), HasSubstr("view.json"));
  EXPECT_EQ(settings.problem().find('\n'), std::string::npos);
  EXPECT_EQ(settings.settings(), Settings());
  settings.begin(with("a", "1"));
  EXPECT_TRUE(settings.save(with("a", "1")));
  EXPECT_EQ(read(path("view.json")), "{broken") << "nothing changed";
  EXPECT_TRUE(settings.save(with("a", "2")));
  EXPECT_EQ(read(path("view.json.broken")), "{broken");
  EXPECT_EQ(SettingsFile(path("view.json").string()).settings().text("a"), "2");
}

TEST_F(SettingsFileTest, WhatCannotBeWrittenIsToldOnce) {
  fs::create_directories(path("view.json"));
  SettingsFile settings(path("view.json").string());
  EXPECT_THAT(settings.problem(), HasSubstr("not used"));
  EXPECT_FALSE(settings.save(with("a", "1")));
  EXPECT_THAT(settings.problem(), HasSubstr("not kept"));
  EXPECT_TRUE(settings.save(with("a", "1"))) << "the same is not tried again";
  EXPECT_TRUE(fs::is_directory(path("view.json")));
}

TEST_F(SettingsFileTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("view.json").c_str(), 0600), 0);
  SettingsFile settings(path("view.json").string());
  EXPECT_THAT(settings.problem(), HasSubstr("view.json is no file"));
  EXPECT_FALSE(settings.save(with("a", "1")));
  EXPECT_TRUE(fs::is_fifo(path("view.json")));
}

TEST_F(SettingsFileTest, WithoutAPathNothingIsKept) {
  SettingsFile settings("");
  EXPECT_TRUE(settings.save(with("a", "1")));
  EXPECT_EQ(settings.problem(), "");
}

TEST(SettingsPath, FollowsTheEnvironment) {
  const char* home = std::getenv("HOME");
  const std::string kept = home == nullptr ? "" : home;
  setenv("HOME", "/home/someone", 1);
  setenv("XDG_CONFIG_HOME", "/elsewhere", 1);
  EXPECT_EQ(default_settings_path(), "/elsewhere/depscope/view.json");
  setenv("XDG_CONFIG_HOME", "relative", 1);  // has to be ignored
  EXPECT_EQ(default_settings_path(), "/home/someone/.config/depscope/view.json");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(default_settings_path(), "/home/someone/.config/depscope/view.json");
  unsetenv("HOME");
  EXPECT_EQ(default_settings_path(), "");
  if (!kept.empty()) setenv("HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace depscope::viewers
