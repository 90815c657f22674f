// `depscope watch PATH`: the real program behind a pipe, while files change under it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_outcome.h"

namespace depscope::app {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr int kPatience = 20000;  // ms without any output before the program counts as stuck

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kBook = std::string(DEPSCOPE_TEST_DATA) + "/book/";
const std::string kRuntime = std::string(DEPSCOPE_TEST_DATA) + "/runtime/";

/// The program, and what it prints.
class Watch {
 public:
  explicit Watch(std::vector<std::string> arguments, const std::string& output = "") {
    arguments.insert(arguments.begin(), {DEPSCOPE_PROGRAM, "watch"});
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::close(pipe[0]);
      ::close(pipe[1]);
      if (!output.empty() && std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
      std::vector<char*> pointers;
      for (std::string& argument : arguments) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      ::execv(pointers.front(), pointers.data());
      ::_exit(127);
    }
    ::close(pipe[1]);
    out_ = pipe[0];
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (out_ >= 0) ::close(out_);
    if (child_ > 0 && !ended_) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  /// The next line, without its end; empty if none comes.
  std::string line() {
    std::size_t end = 0;
    while ((end = kept_.find('\n')) == std::string::npos) {
      if (!more()) return "";
    }
    std::string out = kept_.substr(0, end);
    kept_.erase(0, end + 1);
    return out;
  }
  json look() { return json::parse(line(), nullptr, /*allow_exceptions=*/false); }

  void interrupt() const { ::kill(child_, SIGINT); }
  /// Its exit status; -1 if it did not end by itself. `rest`: what it printed last.
  int end(std::string& rest) {
    while (more()) {
    }
    rest = std::move(kept_);
    int status = 0;
    if (::waitpid(child_, &status, 0) == child_) ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  bool more() {
    pollfd ready{out_, POLLIN, 0};
    if (::poll(&ready, 1, kPatience) <= 0) return false;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(out_, bytes.data(), bytes.size());
    if (count > 0) kept_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  pid_t child_ = -1;
  int out_ = -1;
  std::string kept_;
  bool ended_ = false;
};

class WatchCommandTest : public TemporaryFolder {
 protected:
  /// Whole at once, as editors do it.
  void replace(const std::string& name, const std::string& text) const { fs::rename(write("part", text), folder_ / name); }

  const std::string chain_ = text_of(kRuntime + "01_chain.trace.json");
  const std::string diamond_ = text_of(kRuntime + "03_diamond_abcd.trace.json");
};

TEST_F(WatchCommandTest, SaysTheStateAndThenWhatAChangeMade) {
  const std::string war = text_of(kBook + "01-war-reader-then-writer/input.py");
  std::string repaired = war;
  const std::string call = "        acc = self.scale(acc)\n        return acc\n";
  ASSERT_NE(repaired.find(call), std::string::npos);
  repaired.replace(repaired.find(call), call.size(), "        return acc\n");
  const std::string input = write("a.py", war);
  Watch watch({input, "--times", "3"});
  EXPECT_EQ(watch.line(), "look 1: 3 tasks, 2 edges; 0 errors, 1 warning, 3 infos");
  EXPECT_EQ(watch.line(), "    found   warning: missing_order: scale#1 may overwrite acc while probe#0 still reads it (WAR)");
  replace("a.py", repaired);
  EXPECT_THAT(watch.line(), StartsWith("look 2: 2 tasks, 1 edge; 0 errors, 0 warnings"));
  std::string all;
  for (std::string line = watch.line(); !line.empty(); line = watch.line()) {
    all += line + "\n";
    if (line.find("    gone ") == 0) break;
  }
  EXPECT_THAT(all, HasSubstr("    differs task_count 2: "));
  EXPECT_THAT(all,
              HasSubstr("    gone    warning: missing_order: scale#1 may overwrite acc while probe#0 still reads it (WAR)\n"));
  replace("a.py", repaired + "\n");
  std::string rest;
  EXPECT_EQ(watch.end(rest), 0) << "after the looks that were asked for";
  EXPECT_THAT(rest, StartsWith("look 3: 2 tasks, 1 edge; "));
  EXPECT_TRUE(rest.ends_with("; no difference\n")) << rest;
}

TEST_F(WatchCommandTest, GoesOnAgainstTheLastGoodState) {
  const std::string input = write("a.trace.json", chain_);
  Watch watch({input, "--json"});
  json look = watch.look();
  EXPECT_EQ(look["schema"], "depscope.watch/1");
  EXPECT_EQ(look["number"], 1);
  EXPECT_EQ(look["tasks"], 3);
  EXPECT_EQ(look["edges"], 2);
  EXPECT_EQ(look["differences"], json::array());
  EXPECT_TRUE(look["error"].is_null());

  replace("a.trace.json", diamond_.substr(0, diamond_.size() / 2));
  look = watch.look();
  EXPECT_EQ(look["number"], 2);
  EXPECT_TRUE(look["tasks"].is_null());
  EXPECT_THAT(look["error"].get<std::string>(), HasSubstr("a.trace.json"));

  replace("a.trace.json", diamond_);
  look = watch.look();
  EXPECT_EQ(look["number"], 3);
  EXPECT_EQ(look["tasks"], 4);
  EXPECT_TRUE(look["error"].is_null());
  EXPECT_FALSE(look["differences"].empty()) << "against the chain";
}

TEST_F(WatchCommandTest, AnErrorIsToldOnce) {
  const std::string input = (folder_ / "a.trace.json").string();
  Watch watch({input, "--settle", "20"});
  EXPECT_THAT(watch.line(), HasSubstr("look 1: error: " + input + ": cannot open: No such file or directory"));
  replace("a.trace.json", "{");
  EXPECT_THAT(watch.line(), StartsWith("look 2: error: "));
  std::string line;
  while ((line = watch.line()).find("look ") != 0 && !line.empty()) {  // the lines below the error
    if (line.find('^') != std::string::npos) break;
  }
  replace("a.trace.json", "{");
  EXPECT_EQ(watch.line(), "look 3: the same error");
  replace("a.trace.json", chain_);
  EXPECT_THAT(watch.line(), StartsWith("look 4: 3 tasks, 2 edges; "));
}

TEST_F(WatchCommandTest, FilesAreWrittenDeletedAndReplaced) {
  const std::string input = write("a.trace.json", chain_);
  Watch watch({input, "--json"});
  EXPECT_EQ(watch.look()["tasks"], 3);
  ASSERT_FALSE(write("other.txt", "not watched").empty());
  {
    std::ofstream file(input);  // in many pieces, which are one change
    for (const char c : diamond_) file << c << std::flush;
  }
  EXPECT_EQ(watch.look()["tasks"], 4);
  fs::remove(input);
  EXPECT_THAT(watch.look()["error"].get<std::string>(), HasSubstr("cannot open"));
  fs::rename(write("b", chain_), input);
  const json look = watch.look();
  EXPECT_EQ(look["tasks"], 3);
  EXPECT_EQ(look["number"], 4);
}

TEST_F(WatchCommandTest, DirectoriesComeAndGo) {
  const fs::path build = folder_ / "build";
  const fs::path input = build / "run" / "a.trace.json";
  Watch watch({input.string(), "--json", "--settle", "50"});
  EXPECT_FALSE(watch.look()["error"].is_null()) << "nothing is there yet";
  for (int round = 0; round < 2; ++round) {
    // Made elsewhere and moved here, so that no look can fall between.
    fs::create_directories(folder_ / "new" / "run");
    std::ofstream(folder_ / "new" / "run" / "a.trace.json") << chain_;
    fs::rename(folder_ / "new", build);
    EXPECT_EQ(watch.look()["tasks"], 3);
    fs::rename(build, folder_ / ("old" + std::to_string(round)));
    EXPECT_FALSE(watch.look()["error"].is_null());
  }
}

TEST_F(WatchCommandTest, ADirectoryIsWatchedWithWhatIsInIt) {
  const fs::path dumps = folder_ / "build" / "passes_dump";
  fs::create_directories(dumps);
  const fs::path sample = fs::path(DEPSCOPE_TEST_DATA) / "dump_directory/passes_dump";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(sample)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 2U);
  fs::copy(files[0], dumps);
  Watch watch({(folder_ / "build").string(), "--json"});
  json look = watch.look();
  ASSERT_TRUE(look["error"].is_null()) << look;
  EXPECT_EQ(look["number"], 1);
  for (std::size_t i = 1; i < files.size(); ++i) fs::copy(files[i], dumps);
  look = watch.look();
  EXPECT_EQ(look["number"], 2);
  EXPECT_TRUE(look["error"].is_null()) << look;
  // A directory that is new is watched, too.
  fs::create_directory(dumps / "more");
  EXPECT_EQ(watch.look()["number"], 3);
  std::ofstream(dumps / "more" / "note.txt") << "text";
  EXPECT_EQ(watch.look()["number"], 4);
}

TEST_F(WatchCommandTest, WhatItPrintsIntoTheDirectoryIsNoChange) {
  const fs::path dumps = folder_ / "passes_dump";
  fs::create_directories(dumps);
  for (const auto& entry : fs::directory_iterator(fs::path(DEPSCOPE_TEST_DATA) / "dump_directory/passes_dump"))
    fs::copy(entry, dumps);
  const std::string log = (dumps / "log.txt").string();
  Watch watch({dumps.string(), "--settle", "0", "--times", "2"}, log);
  for (int ms = 0; ms < kPatience && text_of(log).find('\n') == std::string::npos; ++ms) ::usleep(1000);
  EXPECT_THAT(text_of(log), StartsWith("look 1: "));
  for (const auto& entry : fs::directory_iterator(dumps)) {
    if (entry.path().extension() == ".py") replace("passes_dump/" + entry.path().filename().string(), "no program");
  }
  std::string rest;
  EXPECT_EQ(watch.end(rest), 0);
  EXPECT_THAT(text_of(log), HasSubstr("\nlook 2: error: ")) << "else the second look was one at its own output";
}

TEST_F(WatchCommandTest, ControlCEndsIt) {
  Watch watch({write("a.trace.json", chain_)});
  EXPECT_THAT(watch.line(), StartsWith("look 1: "));
  watch.interrupt();
  std::string rest;
  EXPECT_EQ(watch.end(rest), 0);
  EXPECT_EQ(rest, "");
}

TEST_F(WatchCommandTest, FilesThatOptionsNameAreWatchedToo) {
  const std::string input = write("a.trace.json", chain_);
  const std::string list = write("choices.txt", "x");
  Watch watch({input, "--json", "--schedule", "list:" + list});
  EXPECT_THAT(watch.look()["error"].get<std::string>(), HasSubstr("choices.txt:1:1"));
  replace("choices.txt", "0\n");
  EXPECT_EQ(watch.look()["number"], 2);
}

TEST_F(WatchCommandTest, UsageErrors) {
  const std::string input = write("a.trace.json", chain_);
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--times", "0"}, "--times 0: at least one look was expected"},
           {{"--settle", "60001"}, "--settle 60001: the limit is 60000 ms"},
           {{"--print-ir"}, "--print-ir belongs to 'run'"},
           {{"--save-schedule", "s.txt"}, "--save-schedule belongs to 'run'"},
           {{"--dump-passes", "d"}, "--dump-passes belongs to 'run'"},
           {{"--reduce", "half"}, "--reduce"}}) {
    std::vector<std::string> all{"watch", input};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome o = run_words(all);
    EXPECT_EQ(o.status, kBadInput) << words[0];
    EXPECT_THAT(o.err, HasSubstr(message));
    EXPECT_EQ(o.out, "");
  }
}

}  // namespace
}  // namespace depscope::app
