// Tells when files change (Linux inotify).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depscope::app {

/// Directories watched at once, by one command.
inline constexpr std::size_t kMaxWatchedDirectories = 10'000;

/// Watches files, and directories with all that is in them. A file is watched through its directory, so that it may be replaced,
/// or not be there yet; the same for the directories above. Links are followed where they are named, not inside directories.
class FileWatcher {
 public:
  /// Every change after the constructor has returned is seen. Throws InputError if the system refuses to watch, or if there are
  /// more than kMaxWatchedDirectories.
  explicit FileWatcher(std::vector<std::string> paths);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  /// Sleeps until something has changed and then nothing has for `settle`; a change that came before counts. False if
  /// `interrupt`, a file descriptor, can be read before that. What this program prints into a watched directory is no change.
  /// Throws as the constructor.
  [[nodiscard]] bool wait(std::chrono::milliseconds settle, int interrupt);

 private:
  struct Directory {
    std::filesystem::path path;
    bool whole = false;           ///< whatever changes in it matters
    std::set<std::string> names;  ///< else only these
  };

  /// Sets every watch; those that are there stay.
  void watch_all();
  void watch_name(const std::filesystem::path& path);
  void watch_tree(const std::filesystem::path& directory);
  Directory* watch_directory(const std::filesystem::path& path);
  /// Forgets all watches and sets them again: where directories were moved, the old ones are elsewhere.
  void start_over();
  /// Takes what there is; whether any of it matters.
  bool take_events();
  bool matters(int watch, std::uint32_t mask, std::string_view name);
  [[nodiscard]] bool is_own_output(const std::filesystem::path& path) const;

  std::vector<std::string> paths_;
  int inotify_ = -1;
  std::unordered_map<int, Directory> directories_;  // by watch descriptor
  bool directories_changed_ = false;                // since the watches were set
  std::vector<std::pair<dev_t, ino_t>> own_outputs_;
};

}  // namespace depscope::app
