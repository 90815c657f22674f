#include "task_times.h"

#include <algorithm>

namespace depscope::replay {

TaskTimes::TaskTimes(const recording::Recording& r) : TaskMoments(r) {
  for (auto* column :
       {&submitted, &ready, &dispatched, &completed, &released, &last_reader, &consumed, &reclaimed, &scope_begin, &scope_end}) {
    for (std::uint32_t& event : *column) {
      if (event != kNever) event = r.events.time[event];
    }
  }
  if (r.events.rows() != 0) end = r.events.time.back();
}

std::uint32_t TaskTimes::held(std::uint32_t task) const {
  if (submitted[task] == kNever) return 0;
  return std::min(reclaimed[task], end) - submitted[task];
}

}  // namespace depscope::replay
