// report.md of a bundle: what a person pastes into an issue.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/bundle.h"

namespace depscope::replay {

/// What the recording does not say.
struct BundleReportFacts {
  std::string file;      ///< name of the bundle, without directories
  std::string versions;  ///< what --version prints
  std::string machine;   ///< where it ran: operating system, processor, and the compiler that the tool was built with
};

/// A word of a command line, quoted where a shell would take it for something else.
[[nodiscard]] std::string shell_word(const std::string& text);

/// `recording` is what came of the run, null if it was refused; `kept` and `dropped` as `write_bundle` gives them. What check
/// says takes a moment, so it is worked out once.
class BundleReportWriter {
 public:
  BundleReportWriter(const recording::Recording* recording, BundleReportFacts facts);
  [[nodiscard]] std::string text(const Bundle& kept, const std::vector<BundleDropped>& dropped) const;

 private:
  const recording::Recording* recording_;
  BundleReportFacts facts_;
  std::string findings_;             ///< lines as check prints them
  std::vector<std::string> places_;  ///< commands that lead to what was found, with what it is
  std::size_t more_places_ = 0;      ///< that were not listed
};

}  // namespace depscope::replay
