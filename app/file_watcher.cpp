#include "file_watcher.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "depscope/base/diagnostics.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kAppeared = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t kOfItself = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t kEvents =
    kAppeared | kOfItself | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB | IN_ONLYDIR;
constexpr std::size_t kEventBytes = std::size_t{1} << 16U;

[[noreturn]] void refuse(const std::string& path, std::string message) {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  throw InputError(std::move(d));
}

int new_inotify() {
  const int out = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (out < 0) refuse("", fmt::format("cannot watch files: {}", std::strerror(errno)));
  return out;
}

/// Without a slash at its end, which would hide its name.
fs::path absolute_name(const std::string& path) {
  std::error_code ignored;
  fs::path out = fs::absolute(path, ignored);
  while (!out.has_filename() && out.has_relative_path()) out = out.parent_path();
  return out;
}

}  // namespace

FileWatcher::FileWatcher(std::vector<std::string> paths) : paths_(std::move(paths)), inotify_(new_inotify()) {
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (::fstat(output, &status) == 0 && S_ISREG(status.st_mode)) own_outputs_.emplace_back(status.st_dev, status.st_ino);
  }
  try {
    watch_all();
  } catch (...) {
    ::close(inotify_);
    throw;
  }
}

FileWatcher::~FileWatcher() { ::close(inotify_); }

void FileWatcher::start_over() {
  const int next = new_inotify();
  ::close(inotify_);
  inotify_ = next;
  directories_.clear();
  directories_changed_ = false;
  watch_all();
}

void FileWatcher::watch_all() {
  for (const std::string& path : paths_) {
    const fs::path name = absolute_name(path);
    watch_name(name);
    std::error_code error;
    const fs::path real = fs::weakly_canonical(name, error);
    if (!error && real != name) watch_name(real);
    if (fs::is_directory(name, error)) watch_tree(name);
  }
}

/// From the root down: whatever appears while this goes on is either found or told.
void FileWatcher::watch_name(const fs::path& path) {
  fs::path directory = path.root_path();
  for (const fs::path& part : path.relative_path()) {
    if (Directory* watched = watch_directory(directory)) watched->names.insert(part.string());
    directory /= part;
  }
}

void FileWatcher::watch_tree(const fs::path& directory) {
  std::vector<fs::path> open{directory};
  while (!open.empty()) {
    const fs::path next = std::move(open.back());
    open.pop_back();
    Directory* watched = watch_directory(next);
    if (watched == nullptr) continue;
    watched->whole = true;
    // A directory may go while it is read: what is gone needs no watch.
    std::error_code error;
    for (fs::directory_iterator at(next, error), end; !error && at != end; at.increment(error)) {
      std::error_code unknown;
      if (!at->is_symlink(unknown) && at->is_directory(unknown)) open.push_back(at->path());
    }
  }
}

FileWatcher::Directory* FileWatcher::watch_directory(const fs::path& path) {
  const int watch = ::inotify_add_watch(inotify_, path.c_str(), kEvents);
  if (watch < 0) {
    if (errno == ENOSPC) {
      refuse(path.string(), "cannot watch it: the system has no watches left (fs.inotify.max_user_watches)");
    }
    return nullptr;  // it is not there, or nobody may read it: then its parent tells when that changes
  }
  const auto [at, is_new] = directories_.try_emplace(watch);
  if (is_new) at->second.path = path;
  if (directories_.size() > kMaxWatchedDirectories)
    refuse(path.string(), fmt::format("too many directories to watch (limit: {})", kMaxWatchedDirectories));
  return &at->second;
}

bool FileWatcher::is_own_output(const fs::path& path) const {
  struct stat status {};
  if (own_outputs_.empty() || ::lstat(path.c_str(), &status) != 0) return false;
  const std::pair file{status.st_dev, status.st_ino};
  return std::find(own_outputs_.begin(), own_outputs_.end(), file) != own_outputs_.end();
}

bool FileWatcher::matters(int watch, std::uint32_t mask, std::string_view name) {
  if ((mask & IN_Q_OVERFLOW) != 0) {
    directories_changed_ = true;  // perhaps: events were lost
    return true;
  }
  const auto found = directories_.find(watch);
  if (found == directories_.end()) return false;
  if ((mask & IN_IGNORED) != 0) {
    directories_.erase(found);
    return false;
  }
  const Directory& directory = found->second;
  if ((mask & kOfItself) != 0) {
    directories_changed_ = true;
    return true;
  }
  if (name.empty() || (!directory.whole && !directory.names.contains(std::string(name)))) return false;
  const fs::path path = directory.path / name;
  const bool whole = directory.whole;
  if ((mask & IN_ISDIR) == 0) return !is_own_output(path);
  if ((mask & IN_ATTRIB) != 0 && !whole) return false;  // of a directory above
  directories_changed_ = true;
  if ((mask & kAppeared) == 0) return true;
  // What happens in it belongs to the same change.
  if (whole) {
    watch_tree(path);
  } else {
    watch_all();
  }
  return true;
}

bool FileWatcher::take_events() {
  alignas(inotify_event) std::array<char, kEventBytes> bytes;
  bool out = false;
  for (;;) {
    const ssize_t count = ::read(inotify_, bytes.data(), bytes.size());
    if (count <= 0) return out;  // EAGAIN: all are taken
    for (ssize_t at = 0; at < count;) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* name = bytes.data() + at + sizeof event;
      out |= matters(event.wd, event.mask, event.len == 0 ? std::string_view() : std::string_view(name));
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

bool FileWatcher::wait(std::chrono::milliseconds settle, int interrupt) {
  std::optional<Clock::time_point> quiet_at;  // none: nothing has changed yet
  for (;;) {
    std::array<pollfd, 2> ready{{{inotify_, POLLIN, 0}, {interrupt, POLLIN, 0}}};
    int timeout = -1;
    if (quiet_at) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*quiet_at - Clock::now());
      timeout = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }
    const int count = ::poll(ready.data(), ready.size(), timeout);
    if (count < 0 && errno != EINTR) refuse("", fmt::format("cannot wait for changes: {}", std::strerror(errno)));
    if (count < 0) continue;
    if (ready[1].revents != 0) return false;
    if (ready[0].revents != 0 && take_events()) quiet_at = Clock::now() + settle;
    if (!quiet_at || Clock::now() < *quiet_at) continue;
    if (directories_changed_) start_over();
    return true;
  }
}

}  // namespace depscope::app
