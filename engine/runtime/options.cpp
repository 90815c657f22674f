#include "depscope/runtime/options.h"

namespace depscope::runtime {

std::string_view platform_name(Platform platform) { return platform == Platform::A5 ? "a5" : "a2a3"; }

Topology topology_of(Platform platform) {
  if (platform == Platform::A5) return {.clusters = 36, .scheduler_threads = 4};
  return {.clusters = 24, .scheduler_threads = 3};
}

Topology topology_of(const ModelOptions& options) {
  Topology topology = topology_of(options.platform);
  if (options.clusters != 0) topology.clusters = options.clusters;
  if (options.scheduler_threads != 0) topology.scheduler_threads = options.scheduler_threads;
  return topology;
}

void ModelOptions::lift_limits() {
  ready_queue_entries = ~std::uint64_t{0};
  for (RingLimits& ring : limits) ring = {.task_window = kMaxTaskWindow, .heap = kMaxHeap, .dep_pool = kMaxDepPool};
  tensor_map_entries = kMaxDepPool;
}

}  // namespace depscope::runtime
