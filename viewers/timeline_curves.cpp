#include "depscope/viewers/timeline_curves.h"

#include <algorithm>

#include "depscope/runtime/sink.h"
#include "depscope/viewers/timeline_scale.h"

namespace depscope::viewers {
namespace {

using runtime::EventKind;
using runtime::TaskState;

void widen(Extremes& extremes, std::int64_t least, std::int64_t most) {
  extremes.least = std::min(extremes.least, least);
  extremes.most = std::max(extremes.most, most);
}

}  // namespace

void StepCurve::add(std::uint32_t event, std::int64_t value) {
  if (!events_.empty() && events_.back() == event) {
    values_.back() = value;
  } else if (value != (values_.empty() ? 0 : values_.back())) {
    events_.push_back(event);
    values_.push_back(value);
  }
}

void StepCurve::finish() {
  most_ = 0;
  for (const std::int64_t value : values_) most_ = std::max(most_, value);
  const auto blocks = [](std::size_t size) { return (size + kFanout - 1) / kFanout; };
  levels_.clear();
  std::size_t size = values_.size();
  while (size > kFanout) {
    std::vector<Extremes> level(blocks(size));
    for (std::size_t i = 0; i < size; ++i) {
      const Extremes from = levels_.empty() ? Extremes{values_[i], values_[i]} : levels_.back()[i];
      Extremes& to = level[i / kFanout];
      if (i % kFanout == 0) to = from;
      widen(to, from.least, from.most);
    }
    size = level.size();
    levels_.push_back(std::move(level));
  }
}

std::uint32_t StepCurve::changes_before(std::uint32_t position) const {
  return static_cast<std::uint32_t>(std::lower_bound(events_.begin(), events_.end(), position) - events_.begin());
}

std::int64_t StepCurve::at(std::uint32_t position) const {
  const std::uint32_t changes = changes_before(position);
  return changes == 0 ? 0 : values_[changes - 1];
}

Extremes StepCurve::between(std::uint32_t first, std::uint32_t last) const { return Walk(*this, first).to(last); }

Extremes StepCurve::Walk::to(std::uint32_t last) {
  const std::uint32_t begin = change_;
  change_ = gallop(begin, static_cast<std::uint32_t>(curve_.events_.size()),
                   [&](std::uint32_t change) { return curve_.events_[change] >= last; });
  return curve_.of_changes(begin, change_);
}

Extremes StepCurve::of_changes(std::size_t begin, std::size_t end) const {
  const std::int64_t before = begin == 0 ? 0 : values_[begin - 1];
  Extremes out{before, before};
  // Ends that do not fill a block are read one by one, level by level.
  for (std::size_t level = 0; begin < end; ++level) {
    const auto take = [&](std::size_t i) {
      if (level == 0) {
        widen(out, values_[i], values_[i]);
      } else {
        widen(out, levels_[level - 1][i].least, levels_[level - 1][i].most);
      }
    };
    const bool last_level = level == levels_.size();
    while (begin < end && (last_level || begin % kFanout != 0)) take(begin++);
    while (begin < end && end % kFanout != 0) take(--end);
    begin /= kFanout;
    end /= kFanout;
  }
  return out;
}

Curves::Curves(const recording::Recording& r) {
  const auto& events = r.events;
  std::int64_t ready_now = 0;
  std::int64_t running_now = 0;
  std::array<std::int64_t, runtime::kRingCount> next{};
  std::array<std::int64_t, runtime::kRingCount> watermark{};
  for (std::uint32_t e = 0; e < events.rows(); ++e) {
    switch (static_cast<EventKind>(events.kind[e])) {
      case EventKind::Ready:
      case EventKind::Dispatch:
      case EventKind::Complete:
      case EventKind::Consume: {
        const auto change = [&](TaskState state, std::int64_t& count) {
          count += events.new_value[e] == static_cast<std::int64_t>(state) ? 1 : 0;
          count -= events.old_value[e] == static_cast<std::int64_t>(state) ? 1 : 0;
        };
        change(TaskState::Ready, ready_now);
        change(TaskState::Running, running_now);
        ready.add(e, ready_now);
        running.add(e, running_now);
        break;
      }
      case EventKind::Submit:
      case EventKind::Watermark: {
        const std::uint32_t ring = events.object[e];
        (static_cast<EventKind>(events.kind[e]) == EventKind::Submit ? next : watermark)[ring] = events.new_value[e];
        slots[ring].add(e, next[ring] - watermark[ring]);
        break;
      }
      default: break;
    }
  }
  ready.finish();
  running.finish();
  for (StepCurve& curve : slots) curve.finish();
}

}  // namespace depscope::viewers
