// `depscope replay FILE` at a terminal: the real program behind a pseudo terminal, with typed keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace depscope::app {
namespace {

using ::testing::HasSubstr;

constexpr int kPatience = 20000;  // ms without any output before the program counts as stuck

/// A program that believes that a person sits in front of it.
class Terminal {
 public:
  explicit Terminal(std::vector<std::string> arguments) {
    winsize size{};
    size.ws_row = 40;
    size.ws_col = 120;
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::setenv("TERM", "vt100", 1);
    ::execv(pointers.front(), pointers.data());
    ::_exit(127);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (terminal_ >= 0) ::close(terminal_);
    if (child_ > 0 && !ended_) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  [[nodiscard]] bool good() const { return child_ > 0; }

  void type(const std::string& keys) const {
    ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  /// What the program prints up to `mark` and with it, or until it ends; the rest is kept for the next call.
  std::string read_until(const std::string& mark) {
    std::size_t found = std::string::npos;
    while (mark.empty() || (found = kept_.find(mark)) == std::string::npos) {
      pollfd ready{terminal_, POLLIN, 0};
      if (::poll(&ready, 1, kPatience) <= 0) break;
      std::array<char, 4096> bytes{};
      const ssize_t count = ::read(terminal_, bytes.data(), bytes.size());
      if (count <= 0) break;  // EIO: the program has ended
      kept_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    const std::size_t end = found == std::string::npos ? kept_.size() : found + mark.size();
    std::string out = kept_.substr(0, end);
    kept_.erase(0, end);
    return out;
  }

  /// What it printed last, and its exit status.
  std::string end(int& status) {
    std::string out = read_until("");
    if (::waitpid(child_, &status, WNOHANG) == 0 && ::poll(nullptr, 0, 1000) == 0 && ::waitpid(child_, &status, WNOHANG) == 0) {
      ADD_FAILURE() << "the program goes on";
      ::kill(child_, SIGKILL);
      ::waitpid(child_, &status, 0);
    }
    ended_ = true;
    return out;
  }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string kept_;
  bool ended_ = false;
};

constexpr const char* kPrompt = "(depscope) ";

class ReplayTerminal : public ::testing::Test {
 protected:
  Terminal terminal_{{DEPSCOPE_PROGRAM, "replay", DEPSCOPE_SAMPLES "/11_retained_diamond.py"}};

  void SetUp() override {
    if (!terminal_.good()) GTEST_SKIP() << "no pseudo terminal here";
    const std::string greeting = terminal_.read_until(kPrompt);
    ASSERT_THAT(greeting, HasSubstr("before the first event"));
  }
  /// A line, and what comes up to the next prompt.
  std::string ask(const std::string& line) {
    terminal_.type(line + "\r");
    return terminal_.read_until(kPrompt);
  }
};

TEST_F(ReplayTerminal, AnswersCommandsAndRepeatsMoves) {
  EXPECT_THAT(ask("step 5"), HasSubstr("event 5 of "));
  EXPECT_THAT(ask(""), HasSubstr("event 10 of "));
  EXPECT_THAT(ask("jump"), HasSubstr("depscope: error: there is no command 'jump': help lists them"));
  EXPECT_THAT(ask("back"), HasSubstr("event 9 of "));
  terminal_.type("quit\r");
  int status = -1;
  terminal_.end(status);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "an error at a terminal is answered, not kept";
}

TEST_F(ReplayTerminal, CompletesWithTab) {
  EXPECT_THAT(ask("unw\t1"), HasSubstr("there is no watch 1"));
  EXPECT_THAT(ask("until back tasks:comp\t= 0"), HasSubstr("tasks:completed = 0 holds already"));
}

TEST_F(ReplayTerminal, ControlCGivesUpTheLineAndControlDLeaves) {
  terminal_.type("step 12");
  terminal_.read_until("step 12");
  terminal_.type("\x03");
  terminal_.read_until(kPrompt);
  EXPECT_THAT(ask("info"), HasSubstr("event 0 of ")) << "nothing was done, and the program goes on";
  terminal_.type("\x04");
  int status = -1;
  terminal_.end(status);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ReplayTerminal, HasTheLastLineInItsHistory) {
  EXPECT_THAT(ask("to 7"), HasSubstr("event 7 of "));
  EXPECT_THAT(ask("\x1b[A0"), HasSubstr("event 70 of ")) << "the key up";
}

/// What the program prints when commands come through a pipe.
std::string piped(const std::string& commands, const std::string& options) {
  const std::string line = "printf '" + commands +
                           "' | '" DEPSCOPE_PROGRAM "' replay '" DEPSCOPE_SAMPLES "/11_retained_diamond.py' " + options +
                           " 2>&1; echo status $?";
  std::string out;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> bytes{};
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) out.append(bytes.data(), count);
  ::pclose(pipe);
  return out;
}

TEST(ReplayPipe, CommandsComeFromStandardInput) {
  for (const char* options : {"--script -", "--interactive"}) {
    const std::string good = piped("step 3\\nback\\n", options);
    EXPECT_THAT(good, ::testing::StartsWith("(depscope) step 3\nevent 3 of "));
    EXPECT_THAT(good, ::testing::EndsWith("\nstatus 0\n"));
    const std::string bad = piped("step 3\\njump\\nback\\n", options);
    EXPECT_THAT(bad, HasSubstr("-:2: there is no command 'jump'"));
    EXPECT_THAT(bad, HasSubstr("(depscope) back\nevent 2 of ")) << "it goes on";
    EXPECT_THAT(bad, ::testing::EndsWith("\nstatus 2\n"));
  }
  const std::string json = piped("step 3\\n", "--interactive --json");
  EXPECT_THAT(json,
              ::testing::StartsWith("{\"schema\":\"depscope.replay/1\",\"findings\":[],\"command\":\"step 3\",\"position\":3"));
  // Without a terminal and without these, the state is printed once, as ever.
  EXPECT_THAT(piped("step 3\\n", "--limit 0"), HasSubstr(", state digest "));
}

}  // namespace
}  // namespace depscope::app
