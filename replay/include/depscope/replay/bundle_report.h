// report.md of a bundle: what a person pastes into an issue.
#pragma once

#include <string>
#include <vector>

#include "depscope/recording/tables.h"
#include "depscope/replay/bundle.h"

namespace depscope::replay {

/// What the recording does not say.
struct BundleReportFacts {
  std::string file;      ///< name of the bundle, without directories
  std::string versions;  ///< what --version prints
  std::string machine;   ///< operating system and compiler that the tool was built for and with
};

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
};

}  // namespace depscope::replay
