#include "view_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError(std::move(diagnostic));
}

bool runnable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// What a child gets for its output and its process group.
class SpawnSetup {
 public:
  SpawnSetup(bool quiet, bool own_group) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    if (quiet) {
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (own_group) {  // so that what it starts itself ends with it
      posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
      posix_spawnattr_setpgroup(&attributes_, 0);
    }
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// The status when the child ends; none at the deadline.
std::optional<int> wait_for(pid_t child, const fs::path& program, std::optional<std::chrono::seconds> limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit.value_or(std::chrono::seconds(0));
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, limit ? WNOHANG : 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail(fmt::format("lost {}: {}", program.string(), std::strerror(errno)));
    if (limit && std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    if (limit) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error && runnable(self.parent_path() / name)) return self.parent_path() / name;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (colon > 0 && runnable(candidate)) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return std::nullopt;
}

std::optional<int> run_program(const fs::path& program, const std::vector<std::string>& arguments, bool quiet,
                               std::optional<std::chrono::seconds> limit) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const SpawnSetup setup(quiet, limit.has_value());
  pid_t child = 0;
  if (const int error = posix_spawn(&child, program.c_str(), setup.actions(), setup.attributes(), argv.data(), environ);
      error != 0)
    fail(fmt::format("cannot start {}: {}", program.string(), std::strerror(error)));
  const std::optional<int> status = wait_for(child, program, limit);
  if (!status) {
    kill(-child, SIGKILL);
    (void)wait_for(child, program, std::nullopt);
    return std::nullopt;
  }
  if (WIFEXITED(*status)) return WEXITSTATUS(*status);
  fail(fmt::format("{} was ended by signal {}", program.string(), WTERMSIG(*status)));
}

}  // namespace depscope::app
