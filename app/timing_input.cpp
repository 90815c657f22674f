#include "timing_input.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "depscope/execute/durations.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "depscope/replay/timing_text.h"
#include "imported_input.h"

namespace depscope::app {
namespace {

/// Timing before June 2026 was written in microseconds.
bool in_microseconds(const std::string& path) {
  std::array<char, 4096> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<std::size_t>(file.gcount()));
  return text.find("\"start_time_us\"") != std::string_view::npos;
}

}  // namespace

SourceFile read_timing(const std::string& path) {
  std::error_code ignored;
  const bool recording = replay::container_kind(path) == replay::ContainerKind::Recording;
  if (!recording && !std::filesystem::is_directory(path, ignored) && !in_microseconds(path))
    return SourceFile::read(path, execute::kMaxTimingBytes);
  std::string text = replay::timing_text(recording ? replay::load(path) : read_run(path));
  if (text.empty()) {
    Diagnostic d;
    d.file = path;
    d.message = "has no measured times: chip_swimlane_records.json was not recorded";
    throw InputError(std::move(d));
  }
  return {"timing.json", std::move(text)};
}

}  // namespace depscope::app
