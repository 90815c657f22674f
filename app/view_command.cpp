#include "view_command.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "open_input.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "depscope-view";

[[noreturn]] void fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  throw InputError(std::move(diagnostic));
}

bool runnable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Beside this program, else on PATH.
fs::path find_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error && runnable(self.parent_path() / kProgram)) return self.parent_path() / kProgram;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, colon)) / kProgram;
    if (colon > 0 && runnable(candidate)) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  fail(
      fmt::format("the window is not installed: no {} beside depscope and none on PATH. Every other command works without it; to "
                  "build it, configure with -DDEPSCOPE_VIEW=ON.",
                  kProgram));
}

/// A directory that is gone when this object is.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "depscope-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      fail(fmt::format("cannot make a directory for the recording in {}", fs::temp_directory_path().string()));
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

int start(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ); error != 0) {
    fail(fmt::format("cannot start {}: {}", program.string(), std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail(fmt::format("lost {}: {}", program.string(), std::strerror(errno)));
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fail(fmt::format("{} was ended by signal {}", program.string(), WTERMSIG(status)));
}

}  // namespace

void ViewCommand::add_options(CLI::App& app) {
  app.add_option("FILE", file_, "Recording, or an input that is run first");
  app.add_option("--screenshot", screenshot_, "Draw, write a PNG, end");
  app.add_option("--script", script_, "Run the commands of a file, then end");
  app.add_option("--frames", frames_, "End after N frames")->check(CLI::Range(1, 1000000));
  app.add_option("--bench", bench_, "Measure frames: idle, play, scroll, passes");
  app.add_option("--panel", panel_, "Panel to bring to the front");
  app.add_option("--size", size_, "Size of the window in pixels, as in 1280x800");
  add_run_options(app, texts_);
}

int ViewCommand::run() {
  const RunOptions options = parse(texts_);
  const fs::path program = find_program();
  std::vector<std::string> arguments;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.push_back(fmt::format("{}={}", option, value));
  };
  add("--screenshot", screenshot_);
  add("--script", script_);
  add("--bench", bench_);
  add("--panel", panel_);
  add("--size", size_);
  if (frames_ > 0) add("--frames", std::to_string(frames_));
  if (file_.empty()) return start(program, arguments);
  arguments.emplace_back("--");
  if (kind_of_input(file_) == InputKind::RecordingFile) {
    arguments.push_back(file_);
    return start(program, arguments);
  }
  const Opened opened = open_input(file_, options);
  const TemporaryDirectory directory;
  const fs::path recording = directory.path() / (fs::path(file_).filename().string() + ".depscope");
  replay::save(opened.recording, recording.string());
  arguments.push_back(recording.string());
  return start(program, arguments);
}

}  // namespace depscope::app
