#include "browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace depscope::app {
namespace {

using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(90);

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Runs a program with its outputs in files; its exit status, or -1 if it did not end by itself.
int run_program(const std::vector<std::string>& arguments, const std::string& out, const std::string& err) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that its own processes can be ended with it
  pid_t child = -1;
  const int failed = posix_spawn(&child, arguments[0].c_str(), &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return -1;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The browser asks for things of its own (updates, accounts): such a request has "not an origin" for its initiator, and none of
/// the page's isolation key. Those of a page opened from a file have an opaque origin and the key "file://".
std::vector<std::string> requests_of_page(const json& log) {
  std::vector<std::string> out;
  const int start = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
  for (const json& event : log["events"]) {
    if (event["type"] != start || !event.contains("params") || !event["params"].contains("url")) continue;
    const json& params = event["params"];
    const std::string url = params["url"];
    if (url.starts_with("file:") || url.starts_with("data:")) continue;
    const auto text = [&params](const char* key) {
      return params.contains(key) && params[key].is_string() ? params[key].get<std::string>() : std::string();
    };
    const bool own = text("initiator") == "not an origin" && text("network_isolation_key").find("file:") == std::string::npos;
    if (!own) out.push_back(url);
  }
  return out;
}

}  // namespace

std::string find_browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string file = folder + "/" + name;
      if (access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

Visit visit(const std::string& browser, const std::string& page, const std::string& folder, int width) {
  Visit result;
  const std::string profile = folder + "/profile";
  const std::string network = folder + "/network.json";
  const std::string document = folder + "/document.html";
  const std::string errors = folder + "/errors.txt";
  std::filesystem::remove_all(profile);
  const int status = run_program({browser,
                                  "--headless",
                                  "--no-sandbox",
                                  "--disable-gpu",
                                  "--disable-dev-shm-usage",
                                  "--user-data-dir=" + profile,
                                  "--enable-logging=stderr",
                                  "--v=0",
                                  "--disable-background-networking",
                                  "--disable-component-update",
                                  "--disable-sync",
                                  "--disable-default-apps",
                                  "--disable-extensions",
                                  "--no-first-run",
                                  "--no-pings",
                                  "--host-resolver-rules=MAP * ~NOTFOUND",
                                  fmt::format("--window-size={},900", width),
                                  "--log-net-log=" + network,
                                  "--dump-dom",
                                  "file://" + page},
                                 document, errors);
  result.document = bytes_of(document);
  result.log = bytes_of(errors);
  std::istringstream lines(result.log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(":CONSOLE") != std::string::npos) result.console.push_back(line);
  }
  const json log = json::parse(bytes_of(network), nullptr, /*allow_exceptions=*/false);
  if (log.is_discarded() || !log.contains("events")) return result;
  result.requests = requests_of_page(log);
  result.loaded = status == 0 && !result.document.empty();
  return result;
}

}  // namespace depscope::app
