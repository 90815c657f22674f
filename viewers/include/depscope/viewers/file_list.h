// What the open dialog lists: a directory, filtered and sorted, and completion of paths. No drawing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depscope::viewers {

/// By name; what is in a file shows when it is opened.
enum class FileKind : std::uint8_t { Directory, Recording, Bundle, Program, Trace, TaskGraph, Other };
[[nodiscard]] std::string_view file_kind_name(FileKind kind);  ///< "recording", "task graph", …
[[nodiscard]] FileKind file_kind(std::string_view name);       ///< never Directory

struct FileEntry {
  std::string name;
  FileKind kind = FileKind::Other;
  std::uint64_t bytes = 0;  ///< of files
};

/// "1.5 MB"; powers of 1000.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// A path split as it is typed: "a/b/na" is the directory "a/b/" and the beginning "na". "//" and "/~/" begin anew, so that a
/// path can be pasted behind the one that stands there: "a//b/na" is "/b/na".
struct TypedPath {
  std::string directory;  ///< empty: the working directory; else it ends with '/', and "~/" stands as it was typed
  std::string name;
};
[[nodiscard]] TypedPath split_path(std::string_view typed);
/// With "~/" replaced by the home directory; begun anew as above.
[[nodiscard]] std::string real_path(std::string_view typed);
/// The directory above, ending with '/': of "a/b/" it is "a/"; of "" it is the absolute one above the working directory.
[[nodiscard]] std::string parent_directory(std::string_view directory);

class FileList {
 public:
  /// Reads a directory as it is typed. What cannot be read leaves an empty list and an error().
  void read(const std::string& directory);
  /// Shows the entries whose name contains the text, in any case, those that begin with it first; directories before files, each
  /// by name. Without `all_files` only what can be opened. Names with a dot in front show if the text begins with one.
  void filter(std::string_view text, bool all_files);

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::size_t size() const { return shown_.size(); }
  [[nodiscard]] const FileEntry& operator[](std::size_t row) const { return entries_[shown_[row]]; }
  /// Files that the filter leaves out because of their kind.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  /// What all shown names that begin with `beginning` begin with, the beginning itself if there is nothing to add; a directory
  /// that is the only one gets its '/'.
  [[nodiscard]] std::string complete(std::string_view beginning) const;

 private:
  std::vector<FileEntry> entries_;  // directories first, by name
  std::vector<std::uint32_t> shown_;
  std::size_t left_out_ = 0;
  std::string error_;
};

/// The files that were opened last, newest first, each once.
class RecentFiles {
 public:
  static constexpr std::size_t kMost = 10;
  void add(const std::string& path);  ///< made absolute
  void set(const std::vector<std::string>& paths);
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

}  // namespace depscope::viewers
