// Drives depscope-view on a virtual display, for the tests of all panels: scripts, pictures, recordings of the samples.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

struct Result {
  int status = -1;
  std::string output;  ///< both streams
};
[[nodiscard]] Result run_command(const std::string& command);

struct Picture {
  int width = 0, height = 0;
  std::unique_ptr<unsigned char, void (*)(void*)> pixels;

  explicit Picture(const std::filesystem::path& path);
  /// Number of pixels near a colour, in the whole picture or in a part of it.
  [[nodiscard]] int count(int red, int green, int blue, int within = 24) const;
  [[nodiscard]] int count_in(int left, int top, int right, int bottom, int red, int green, int blue, int within = 24) const;
};

/// Skips without Xvfb. Every test has a directory of its own, with "sample.depscope" in it (sample_recording of 20 tasks).
class WindowTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  /// Runs depscope-view.
  [[nodiscard]] Result view(const std::string& arguments) const;
  /// Opens a recording of the directory and runs a script on it.
  [[nodiscard]] Result script(const std::string& text, const std::string& arguments = "",
                              const std::string& recording = "sample.depscope") const;
  /// Runs `depscope run` on samples/NAME.py, or on a file of this directory; the recording is called OUT.
  void record(const std::string& program, const std::string& out, const std::string& options = "") const;
  [[nodiscard]] recording::Recording load(const std::string& name) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace depscope::viewers
