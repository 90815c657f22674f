#pragma once

#include <filesystem>
#include <string>

namespace depscope::app {

/// A directory of our own that is gone, with what it holds, when this object is.
class TemporaryDirectory {
 public:
  /// Throws InputError if none can be made; `what_for` is named in the message.
  explicit TemporaryDirectory(const std::string& what_for);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes a new file. Throws replay::FileError (Unwritable).
void write_file(const std::filesystem::path& path, const std::string& bytes);
/// The bytes of a file. Throws replay::FileError (Unreadable).
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace depscope::app
