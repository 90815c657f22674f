// What the open dialog lists: order, filter, completion, errors; recent files.
#include "depscope/viewers/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace depscope::viewers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FileListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("depscope_file_list_test_" + std::to_string(getpid()));
    fs::create_directories(directory_ / "zoo");
    fs::create_directories(directory_ / "passes_dump");
    for (const char* name :
         {"b.depscope", "a.py", "notes.txt", "deps.json", "x.trace.json", "bug.zip", ".hidden.py", "passes.py"})
      std::ofstream(directory_ / name) << "12345";
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(directory_, error);
  }
  [[nodiscard]] FileList list() const {
    FileList files;
    files.read(directory_.string() + "/");
    return files;
  }
  static std::vector<std::string> names(const FileList& files) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < files.size(); ++i) out.push_back(files[i].name);
    return out;
  }
  fs::path directory_;
};

TEST_F(FileListTest, DirectoriesFirstAndOnlyWhatCanBeOpened) {
  FileList files = list();
  files.filter("", false);
  EXPECT_THAT(names(files),
              ElementsAre("passes_dump", "zoo", "a.py", "b.depscope", "bug.zip", "deps.json", "passes.py", "x.trace.json"));
  EXPECT_EQ(files.left_out(), 1U);
  EXPECT_EQ(files[0].kind, FileKind::Directory);
  EXPECT_EQ(files[2].kind, FileKind::Program);
  EXPECT_EQ(files[2].bytes, 5U);
  EXPECT_EQ(files[3].kind, FileKind::Recording);
  EXPECT_EQ(files[4].kind, FileKind::Bundle);
  EXPECT_EQ(files[5].kind, FileKind::TaskGraph);
  EXPECT_EQ(files[7].kind, FileKind::Trace);
  files.filter("", true);
  EXPECT_THAT(names(files), ::testing::Contains("notes.txt"));
  EXPECT_EQ(files.left_out(), 0U);
}

TEST_F(FileListTest, TypingFilters) {
  FileList files = list();
  files.filter("DE", false);
  EXPECT_THAT(names(files), ElementsAre("deps.json", "b.depscope")) << "what begins with it first";
  files.filter(".h", false);
  EXPECT_THAT(names(files), ElementsAre(".hidden.py"));
  files.filter("nothing", true);
  EXPECT_EQ(files.size(), 0U);
}

TEST_F(FileListTest, CompletionGoesAsFarAsNamesAgree) {
  FileList files = list();
  files.filter("pas", false);
  EXPECT_EQ(files.complete("pas"), "passes");
  files.filter("passes_", false);
  EXPECT_EQ(files.complete("passes_"), "passes_dump/");
  files.filter("a", false);
  EXPECT_EQ(files.complete("a"), "a.py") << "passes_dump contains an a, but does not begin with it";
  files.filter("q", false);
  EXPECT_EQ(files.complete("q"), "q");
}

TEST_F(FileListTest, WhatCannotBeReadSaysSo) {
  FileList files;
  files.read((directory_ / "nowhere/").string());
  files.filter("", true);
  EXPECT_EQ(files.size(), 0U);
  EXPECT_THAT(files.error(), HasSubstr("nowhere"));
  EXPECT_THAT(files.error(), HasSubstr("No such file"));
  files.read(directory_.string());
  EXPECT_EQ(files.error(), "");
}

TEST(TypedPaths, AreSplitAndClimb) {
  EXPECT_EQ(split_path("a/b/na").directory, "a/b/");
  EXPECT_EQ(split_path("a/b/na").name, "na");
  EXPECT_EQ(split_path("na").directory, "");
  EXPECT_EQ(split_path("/").directory, "/");
  // A path that was pasted behind the one that stood there.
  EXPECT_EQ(split_path("/home/me//data/x").directory, "/data/");
  EXPECT_EQ(split_path("/home/me//data/x").name, "x");
  EXPECT_EQ(split_path("/home/me/~/x").directory, "~/");
  EXPECT_EQ(real_path("/home/me//data/x"), "/data/x");
  EXPECT_EQ(parent_directory("/a/b/"), "/a/");
  EXPECT_EQ(parent_directory("/a/"), "/");
  EXPECT_EQ(parent_directory("/"), "/");
  EXPECT_EQ(parent_directory(""),
            fs::current_path().parent_path().string() + (fs::current_path().parent_path() == "/" ? "" : "/"));
  const char* home = std::getenv("HOME");
  const std::string kept = home == nullptr ? "" : home;
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(real_path("~/x"), "/home/someone/x");
  EXPECT_EQ(real_path("~other/x"), "~other/x");
  if (!kept.empty()) setenv("HOME", kept.c_str(), 1);
}

TEST(Sizes, AreShort) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1500), "1.5 kB");
  EXPECT_EQ(size_text(999'999), "1.0 MB");
  EXPECT_EQ(size_text(12'300'000'000ULL), "12.3 GB");
}

TEST(RecentFiles, NewestFirstEachOnceAndTen) {
  RecentFiles recent;
  for (int i = 0; i < 12; ++i) recent.add("/r/" + std::to_string(i));
  EXPECT_EQ(recent.paths().size(), RecentFiles::kMost);
  EXPECT_EQ(recent.paths().front(), "/r/11");
  recent.add("/r/x/../5");
  EXPECT_EQ(recent.paths().front(), "/r/5");
  EXPECT_EQ(recent.paths().size(), RecentFiles::kMost);
  EXPECT_EQ(std::count(recent.paths().begin(), recent.paths().end(), "/r/5"), 1);
  RecentFiles again;
  again.set(recent.paths());
  EXPECT_EQ(again.paths(), recent.paths());
  again.add("relative.py");
  EXPECT_EQ(again.paths().front(), (fs::current_path() / "relative.py").string());
}

}  // namespace
}  // namespace depscope::viewers
