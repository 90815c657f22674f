// The most memory that something takes, beyond what there was before.
#pragma once

#include <fstream>
#include <string>

namespace depscope::bench {

/// The most memory since this was made, beyond what there was then; 0 where the system does not let it be measured.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak
    before_ = line("VmRSS:");
  }
  [[nodiscard]] double megabytes() const { return (line("VmHWM:") - before_) / 1024.0; }

 private:
  static double line(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word != name) continue;
      double kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
    return 0;
  }
  double before_ = 0;
};

}  // namespace depscope::bench
