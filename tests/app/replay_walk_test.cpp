// The samples, full and summary: walks, questions, changes and moves of the cursor against looking at every event.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "open_input.h"
#include "options.h"
#include "walks.h"

namespace depscope::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> samples() {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(DEPSCOPE_SAMPLES)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".py") || path.ends_with(".trace.json")) out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  return out;
}

class ReplayWalk : public ::testing::TestWithParam<const char*> {
 protected:
  static recording::Recording record(const std::string& path) {
    OptionTexts texts;
    texts.events = GetParam();
    const fs::path data = fs::path(DEPSCOPE_SAMPLES) / "data" / (fs::path(path).stem().string() + ".json");
    if (fs::exists(data)) {
      std::ifstream file(data);
      const auto contents = nlohmann::json::parse(file);
      for (const auto& [name, values] : contents.items()) texts.data.push_back(name + "=" + values.dump());
    }
    return open_input(path, parse(texts)).recording;
  }
};

TEST_P(ReplayWalk, SamplesAreWalkedAndAnsweredAsByAPlainReplay) {
  const std::vector<std::string> paths = samples();
  ASSERT_GE(paths.size(), 11U);
  constexpr std::uint32_t kMostEvents = 100000;  // the plain replay begins at the start for each question
  std::uint32_t seed = 1;
  std::vector<std::string> too_long;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const recording::Recording r = record(path);
    ASSERT_GT(r.events.rows(), 10U);
    if (r.events.rows() > kMostEvents) {
      too_long.push_back(fs::path(path).filename().string());
      continue;
    }
    EXPECT_EQ(replay::error_of_walks(r, seed, 200), "");
    EXPECT_EQ(replay::error_of_answers(r, r.events.rows() / 300 + 1), "");
    EXPECT_EQ(replay::error_of_watches(r, seed, 20), "");
    EXPECT_EQ(replay::error_of_moves(r, seed, 4), "");
    ++seed;
  }
  EXPECT_EQ(too_long, std::vector<std::string>{"H06_full_queue.py"});
}

INSTANTIATE_TEST_SUITE_P(Levels, ReplayWalk, ::testing::Values("full", "summary"),
                         [](const auto& level) { return std::string(level.param); });

}  // namespace
}  // namespace depscope::app
