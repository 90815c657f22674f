#include "picture_name.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "depscope/base/diagnostics.h"

namespace depscope::app {

std::string next_picture_name(const std::string& directory) {
  constexpr int kMost = 99999;
  for (int number = 1; number <= kMost; ++number) {
    const std::filesystem::path path = std::filesystem::path(directory) / fmt::format("depscope-{:03}.png", number);
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return path.string();
  }
  Diagnostic diagnostic;
  diagnostic.file = directory;
  diagnostic.message = fmt::format("no number is left for a picture: there are {}", kMost);
  throw InputError(std::move(diagnostic));
}

}  // namespace depscope::app
