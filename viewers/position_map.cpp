#include "depscope/viewers/position_map.h"

#include <algorithm>

#include "depscope/runtime/sink.h"

namespace depscope::viewers {

LifeEvents::LifeEvents(const recording::Recording& recording, const std::vector<std::uint32_t>& counterpart)
    : recording_(&recording), counterpart_(&counterpart) {
  counts_.reserve(events() / kStep + std::size_t{1});
  std::uint32_t count = 0;
  for (std::uint32_t event = 0; event < events(); ++event) {
    if (event % kStep == 0) counts_.push_back(count);
    count += is_life(event) ? 1 : 0;
  }
  if (events() % kStep == 0) counts_.push_back(count);
}

bool LifeEvents::is_life(std::uint32_t event) const {
  switch (static_cast<runtime::EventKind>(recording_->events.kind[event])) {
    case runtime::EventKind::Submit:
    case runtime::EventKind::Dispatch:
    case runtime::EventKind::Complete:
    case runtime::EventKind::Consume: break;
    default: return false;
  }
  const std::uint32_t task = recording_->events.subject[event];
  return task < counterpart_->size() && (*counterpart_)[task] != recording::kNoRow;
}

std::uint32_t LifeEvents::before(std::uint32_t position) const {
  if (counts_.empty()) return 0;
  const std::uint32_t step = position / kStep;
  std::uint32_t count = counts_[step];
  for (std::uint32_t event = step * kStep; event < position; ++event) count += is_life(event) ? 1 : 0;
  return count;
}

std::uint32_t LifeEvents::position_of(std::uint32_t count) const {
  if (count == 0) return 0;
  // The last step with fewer before it.
  const auto after = std::lower_bound(counts_.begin(), counts_.end(), count);
  if (after == counts_.begin()) return events() + 1;
  std::uint32_t event = static_cast<std::uint32_t>(after - counts_.begin() - 1) * kStep;
  for (std::uint32_t seen = *(after - 1); event < events(); ++event) {
    if (is_life(event) && ++seen == count) return event + 1;
  }
  return events() + 1;
}

std::uint32_t matching_position(const LifeEvents& here, const LifeEvents& there, std::uint32_t position) {
  if (position == 0) return 0;
  if (position >= here.events()) return there.events();
  const std::uint32_t count = here.before(position);
  const std::uint32_t least = there.position_of(count);
  if (least > there.events()) return there.events();
  const std::uint32_t most = there.position_of(count + 1) - 1;
  return std::min(least + (position - here.position_of(count)), most);
}

}  // namespace depscope::viewers
