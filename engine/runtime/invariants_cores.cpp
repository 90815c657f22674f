// Invariants of cores and blocks (I31, I32).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "invariants.h"

namespace depscope::runtime {

void InvariantWatch::core_event(EventKind kind, std::uint32_t subject, std::uint32_t object) {
  if (kind != EventKind::Place && kind != EventKind::CoreAck && kind != EventKind::Finish && kind != EventKind::Observe &&
      kind != EventKind::SubtaskCount) {
    return;
  }
  if (object >= s_.cores.size()) {
    report(31, subject, fmt::format("a block of task row {} stands on core {}, which does not exist", subject, object));
    return;
  }
  if (kind == EventKind::Place) placed(subject, object);
  if (kind == EventKind::Observe) observed(subject, object);
  if (kind == EventKind::SubtaskCount) {
    const Task& t = s_.tasks[subject];
    seen_[subject].observed += observed_blocks_;
    if (seen_[subject].observed > t.subtasks_required) {
      report(32, subject,
             fmt::format("{} subtasks of task row {} were observed, but it has {}", seen_[subject].observed, subject,
                         t.subtasks_required));
    }
    if (seen_[subject].observed == t.subtasks_required) all_observed_.push_back(subject);
    return;
  }
  check_core(object, kind);
}

void InvariantWatch::placed(std::uint32_t task, std::uint32_t core) {
  const Task& t = s_.tasks[task];
  const Core& c = s_.cores[core];
  const auto lanes = static_cast<std::uint32_t>(std::popcount(t.lanes));
  const std::uint32_t number = seen_[task].placed++;
  const CoreBlock& place = c.pending.empty() ? c.running : c.pending;
  on_core_[core].emplace_back(task, place.block);
  // Tasks of very many blocks are placed in groups of as many blocks, but for the last.
  const std::uint32_t group = 1 + (t.block_num - 1) / kMostPlaced;
  if (lanes == 0 || place.task != task || place.block != number / lanes * group || place.block >= t.block_cursor) {
    report(32, task,
           fmt::format("core {} gets block {} of task row {} as its placement number {}; {} of its {} blocks are claimed", core,
                       place.block, task, number, t.block_cursor, t.block_num));
  }
}

void InvariantWatch::observed(std::uint32_t task, std::uint32_t core) {
  const Core& c = s_.cores[core];
  const auto holds = [](const CoreBlock& place, const auto& told) {
    return place.task == told.first && place.block == told.second;
  };
  auto& told = on_core_[core];
  const auto gone = std::find_if(told.begin(), told.end(), [&](const auto& block) {
    return block.first == task && !holds(c.running, block) && !holds(c.pending, block);
  });
  observed_blocks_ = 1;
  if (gone == told.end()) return;
  const Task& t = s_.tasks[task];
  observed_blocks_ = std::min(1 + (t.block_num - 1) / kMostPlaced, t.block_num - gone->second);
  told.erase(gone);
}

void InvariantWatch::check_core(std::uint32_t core, EventKind kind) {
  const Core& c = s_.cores[core];
  const std::uint32_t blocks = (c.running.empty() ? 0U : 1U) + (c.pending.empty() ? 0U : 1U);
  const std::uint32_t task = c.running.empty() ? c.pending.task : c.running.task;
  if (blocks != on_core_[core].size() || (c.running.empty() && !c.pending.empty())) {
    report(31, task,
           fmt::format("core {} holds {} blocks, but {} were placed and not observed", core, blocks, on_core_[core].size()));
  }
  if (!c.pending.empty() && !c.running.finished && (c.pending.finished || c.pending.acknowledged)) {
    report(31, task,
           fmt::format("the pending block of core {} (task row {}) has begun before the running one (task row {}) ended", core,
                       c.pending.task, c.running.task));
  }
  const CoreBlock& executing = c.running.finished ? c.pending : c.running;
  if (kind == EventKind::Finish) return;  // the pending block begins after it
  const auto begun = std::count(s_.begun.begin(), s_.begun.end(), core);
  if (begun != (executing.empty() || executing.finished ? 0 : 1)) {
    report(31, task, fmt::format("core {} is listed as running {} times", core, begun));
  }
}

}  // namespace depscope::runtime
