// What a bundle needs to run again: gathered from an input or a recording, and laid out in a directory to be run.
#pragma once

#include <string>
#include <vector>

#include "depscope/base/diagnostics.h"
#include "depscope/recording/tables.h"
#include "depscope/replay/bundle.h"
#include "depscope/replay/file.h"
#include "open_input.h"
#include "options.h"
#include "temporary_directory.h"

namespace depscope::app {

/// The files of an input and the options that were given for it, those of the environment included. Throws InputError or
/// replay::FileError.
[[nodiscard]] replay::BundleRun run_of_input(const std::string& path, InputKind kind, const RunOptions& options);

/// The same from what a recording keeps. The input is empty if the recording does not hold it whole.
[[nodiscard]] replay::BundleRun run_of_recording(const recording::Recording& recording);

/// The files of a run in a directory of their own.
class UnpackedRun {
 public:
  /// Throws InputError or replay::FileError if they cannot be written, UsageError for options that there are not; `where` is
  /// named in messages.
  UnpackedRun(const replay::BundleRun& run, const std::string& where);

  /// What to open: a file or a directory, there as long as this object.
  [[nodiscard]] const std::string& input() const { return input_; }
  /// The options of the run, and on top of them those of `changes`. The environment has no say. Throws as `parse` does.
  [[nodiscard]] RunOptions options(const OptionTexts& changes = {}) const;
  /// The run itself. Diagnostics name files as they were called before they were unpacked. Throws as `open_input` does.
  [[nodiscard]] Opened open(const RunOptions& options, Depth depth = Depth::Run) const;
  /// The same of any diagnostics of the run.
  [[nodiscard]] InputError without_directories(const InputError& error) const;
  [[nodiscard]] replay::FileError without_directories(const replay::FileError& error) const;

 private:
  [[nodiscard]] std::string short_names(std::string text) const;

  TemporaryDirectory directory_;
  std::string input_;
  std::string where_;
  std::vector<std::string> directories_;  // of all files, longest first
  OptionTexts texts_;
};

}  // namespace depscope::app
