#include "depscope/replay/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "depscope/replay/file.h"

namespace depscope::replay {

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path followed = fs::weakly_canonical(path, error);
  if (!error && fs::is_symlink(fs::symlink_status(path, error))) target_ = followed.string();
  const fs::file_status status = fs::status(target_, error);
  if (status.type() == fs::file_type::none) {  // a loop of links, say: renaming would take the place of one
    errno = error.value();
    fail("cannot write");
  }
  if (fs::is_directory(status)) {
    errno = EISDIR;
    fail("cannot write");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot open for writing");
    return;
  }
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
    temporary_ = fmt::format("{}.{}-{}.tmp", target_, ::getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    temporary_.clear();  // not ours to remove
    fail("cannot create a file beside it");
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write");
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("cannot write");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename the finished file to it");
  temporary_.clear();
}

void OutputFile::fail(const std::string& what) {
  const std::string reason = std::strerror(errno);
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  throw FileError(FileFault::Unwritable, fmt::format("{}: {}: {}", path_, what, reason));
}

}  // namespace depscope::replay
