// The reason for an edge or for none. Private.
#pragma once

#include <string>
#include <vector>

#include "why_pair.h"

namespace depscope::replay {

struct Verdict {
  bool edge = false;
  std::string code, sentence, change;
  std::uint32_t region = recording::kNoRow;  ///< regions row that it is about
  std::vector<std::string> path;             ///< what stands between the two
};

[[nodiscard]] Verdict verdict_of(const WhyPair& pair);
/// What stands between the two, if edges of the program, or of its run, lead through others.
[[nodiscard]] std::vector<std::string> path_between(const WhyPair& pair);

}  // namespace depscope::replay
