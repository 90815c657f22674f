// A file that is either written whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace depscope::replay {

/// Writes to a temporary file beside the target and renames it over the target in `commit`; without a commit the temporary
/// file is removed. A target that exists and is no regular file (a device, a pipe) is written directly, and a symbolic link
/// is followed. All errors are thrown as FileError (Unwritable) naming the path.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  /// Whether `write_at` may be called: not for a device or a pipe.
  [[nodiscard]] bool has_positions() const { return !temporary_.empty(); }
  /// Writes at `offset` bytes from the beginning; a gap before it reads as zero.
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(const std::string& what);

  std::string path_;       // as given, for messages
  std::string target_;     // after following links
  std::string temporary_;  // empty when written directly
  int descriptor_ = -1;
};

}  // namespace depscope::replay
