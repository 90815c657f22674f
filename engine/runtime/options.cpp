#include "depscope/runtime/options.h"

namespace depscope::runtime {

std::string_view platform_name(Platform platform) { return platform == Platform::A5 ? "a5" : "a2a3"; }

Topology topology_of(Platform platform) {
  if (platform == Platform::A5) return {.clusters = 36, .scheduler_threads = 4};
  return {.clusters = 24, .scheduler_threads = 3};
}

}  // namespace depscope::runtime
