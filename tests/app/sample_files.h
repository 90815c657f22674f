// The programs of samples/, for tests that go through all of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace depscope::app {

/// By name.
[[nodiscard]] inline std::vector<std::filesystem::path> samples() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(DEPSCOPE_SAMPLES)) {
    if (entry.path().extension() == ".py") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace depscope::app
