#include "temporary_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "depscope/base/diagnostics.h"
#include "depscope/replay/file.h"
#include "depscope/replay/output_file.h"

namespace depscope::app {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(const std::string& what_for) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  std::string name = (base / "depscope-XXXXXX").string();
  Diagnostic diagnostic;
  if (error) {
    diagnostic.message = fmt::format("cannot make a directory for {}: TMPDIR is no directory: {}", what_for, error.message());
    throw InputError(std::move(diagnostic));
  }
  if (mkdtemp(name.data()) == nullptr) {
    diagnostic.message = fmt::format("cannot make a directory for {} in {}: {}", what_for, base.string(), std::strerror(errno));
    throw InputError(std::move(diagnostic));
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void write_file(const fs::path& path, const std::string& bytes) {
  replay::OutputFile file(path.string());
  file.write(bytes);
  file.commit();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in)
    throw replay::FileError(replay::FileFault::Unreadable,
                            fmt::format("{}: cannot read: {}", path.string(), std::strerror(errno)));
  return bytes;
}

}  // namespace depscope::app
