#include "child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

constexpr int kPollMilliseconds = 50;
constexpr std::size_t kMaxLine = std::size_t{1} << 16U;
constexpr int kCannotStart = 127;

[[noreturn]] void fail(const std::filesystem::path& program, int error) {
  Diagnostic diagnostic;
  diagnostic.message = fmt::format("cannot start {}: {}", program.string(), std::strerror(error));
  throw InputError(std::move(diagnostic));
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> settings;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    const std::string_view text = *setting;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::none_of(variables.begin(), variables.end(), [&](const auto& variable) { return variable.first == name; }))
      settings.emplace_back(text);
  }
  for (const auto& [name, value] : variables) settings.push_back(fmt::format("{}={}", name, value));
  return settings;
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> settings = environment_with(variables);
  std::vector<char*> envp;
  envp.reserve(settings.size() + 1);
  for (std::string& setting : settings) envp.push_back(setting.data());
  envp.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, errno);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {  // only what is safe between fork and exec of a program with threads
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kCannotStart);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execve(program.c_str(), argv.data(), envp.data());
    constexpr std::string_view kMessage = "cannot start the program\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(kCannotStart);
  }
  const int error = errno;
  close(ends[1]);
  error_ = ends[0];
  if (child_ < 0) {
    close(std::exchange(error_, -1));
    fail(program, error);
  }
  setpgid(child_, child_);  // whichever of the two is first
}

void ChildProcess::end() {
  if (child_ > 0) kill(-child_, SIGKILL);
}

ChildProcess::~ChildProcess() {
  end();
  if (child_ > 0) {
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (error_ >= 0) close(error_);
}

int ChildProcess::wait(const std::function<void(const std::string&)>& on_line, const std::function<bool()>& give_up) {
  std::string line;
  std::array<char, 4096> buffer{};
  bool ended = false;
  while (true) {
    if (!ended && give_up()) {
      end();
      ended = true;
    }
    pollfd waiting{error_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0) continue;
    const ssize_t count = read(error_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (ssize_t i = 0; i < count; ++i) {
      if (buffer[static_cast<std::size_t>(i)] == '\n') {
        on_line(line);
        line.clear();
      } else if (line.size() < kMaxLine) {
        line += buffer[static_cast<std::size_t>(i)];
      }
    }
  }
  if (!line.empty()) on_line(line);
  // The pipe may have been closed before the end.
  int status = 0;
  while (true) {
    const pid_t done = waitpid(child_, &status, ended ? 0 : WNOHANG);
    if (done == child_) break;
    if (done < 0 && errno != EINTR) {
      child_ = -1;
      return kCannotStart;
    }
    if (!ended && give_up()) {
      end();
      ended = true;
    }
    if (done == 0) poll(nullptr, 0, kPollMilliseconds / 5);
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace depscope::app
