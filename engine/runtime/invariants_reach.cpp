// Invariants of the reduction (I28 to I30).
#include <fmt/format.h>

#include <algorithm>

#include "discovery.h"
#include "invariants.h"
#include "reduction.h"

namespace depscope::runtime {

void InvariantWatch::reach_event(EventKind kind, std::uint32_t subject) {
  const bool bitmap = reduction_.options().kind == ReductionKind::Bitmap;
  switch (kind) {
    case EventKind::SeqAssign: {
      if (s_.submission_counter != s_.options.first_submission_number + s_.tasks.size()) {
        report(28, subject, fmt::format("the submission counter is {} after {} tasks", s_.submission_counter, s_.tasks.size()));
      }
      if (!bitmap) break;
      std::vector<std::uint64_t>& own = own_reach(subject);
      std::fill(own.begin(), own.end(), 0);
      check_reach(subject);
      break;
    }
    case EventKind::DescriptorWrite: before_reduction(); break;
    case EventKind::ReachPublish: {
      if (!bitmap) break;
      std::vector<std::uint64_t>& own = own_reach(subject);
      ++epoch_;
      stack_.clear();
      const std::uint32_t window = reduction_.options().window;
      const auto visit = [&](std::uint32_t producer) {
        if (producer >= subject || subject - producer > window || mark_[producer] == epoch_) return;
        mark_[producer] = epoch_;
        const std::uint32_t bit = subject - producer - 1;
        own[bit / 64] |= std::uint64_t{1} << (bit % 64);
        stack_.push_back(producer);
      };
      for (const auto& [producer, flags] : unreduced_) {
        if ((flags & kWait) != 0) visit(producer);
      }
      while (!stack_.empty()) {
        const Seen& seen = seen_[stack_.back()];
        stack_.pop_back();
        for (std::uint32_t i = 0; i < seen.edges; ++i) {
          const SeenEdge& e = seen_edges_[seen.first_edge + i];
          if ((e.constructed & kWait) != 0) visit(e.producer);
        }
      }
      check_reach(subject);
      break;
    }
    case EventKind::PayloadFlush: check_reduction(subject); break;
    default: break;
  }
}

std::vector<std::uint64_t>& InvariantWatch::own_reach(std::uint32_t task) {
  const std::uint32_t window = reduction_.options().window;
  if (reaches_.empty()) reaches_.resize(window + std::size_t{1}, std::vector<std::uint64_t>((window + 63) / 64));
  return reaches_[task % (window + 1)];
}

void InvariantWatch::check_reach(std::uint32_t task) {
  const std::vector<std::uint64_t>& own = own_reach(task);
  const std::uint64_t* reach = reduction_.reach(task);
  for (std::size_t w = 0; w < own.size(); ++w) {
    if (reach[w] == own[w]) continue;
    report(28, task,
           fmt::format("word {} of the reach of task row {} is {:#x}; over its WAIT edges it reaches {:#x}", w, task, reach[w],
                       own[w]));
    return;
  }
}

void InvariantWatch::before_reduction() {
  unreduced_.clear();
  if (!builder_current_) return;
  for (const FaninEdge& e : discovery_.builder().edges()) {
    if (e.taken()) unreduced_.emplace_back(e.producer, e.flags);
  }
}

void InvariantWatch::check_reduction(std::uint32_t task) {
  const Seen& seen = seen_[task];
  if (unreduced_.size() != seen.edges) {
    report(30, task,
           fmt::format("task row {} had {} edges before the reduction and has {}", task, unreduced_.size(), seen.edges));
    return;
  }
  bool cleared = false;
  std::uint32_t nearest = kNoRow;
  for (std::uint32_t i = 0; i < seen.edges; ++i) {
    const SeenEdge& e = seen_edges_[seen.first_edge + i];
    const auto& [producer, flags] = unreduced_[i];
    if (e.producer != producer || e.constructed != flags || ((e.flags ^ flags) & ~kWait) != 0 || (e.flags & ~flags) != 0) {
      report(30, task,
             fmt::format("edge {} of task row {} had flags {} before the reduction and has {} (constructed: {})", i, task, flags,
                         e.flags, e.constructed),
             producer);
    }
    if ((e.constructed & kWait) == 0) continue;
    cleared = cleared || (e.flags & kWait) == 0;
    if (e.producer != task && (nearest == kNoRow || e.producer > seen_edges_[seen.first_edge + nearest].producer)) nearest = i;
    if (reduction_.options().kind == ReductionKind::Bitmap && task - e.producer <= reduction_.options().window &&
        e.producer != task) {
      check_reach(e.producer);
    }
  }
  if (!cleared) return;
  if (nearest != kNoRow && (seen_edges_[seen.first_edge + nearest].flags & kWait) == 0 &&
      reduction_.options().kind == ReductionKind::Bitmap) {
    report(28, task, fmt::format("the nearest producer of task row {} lost its WAIT", task),
           seen_edges_[seen.first_edge + nearest].producer);
  }
  check_cleared(task);
}

/// I29: by induction over the submits, every pair is still ordered if each producer that lost its WAIT is reached otherwise.
void InvariantWatch::check_cleared(std::uint32_t task) {
  const Seen& seen = seen_[task];
  std::uint32_t open = 0, oldest = kNoRow;
  for (std::uint32_t i = 0; i < seen.edges; ++i) {
    const SeenEdge& e = seen_edges_[seen.first_edge + i];
    if ((e.constructed & ~e.flags & kWait) == 0) continue;
    ++open;
    oldest = std::min(oldest, e.producer);
  }
  ++epoch_;
  std::size_t steps = 0;
  mark_[task] = epoch_;
  stack_.assign(1, task);
  while (!stack_.empty()) {
    const Seen& at = seen_[stack_.back()];
    stack_.pop_back();
    for (std::uint32_t i = 0; i < at.edges; ++i) {
      const SeenEdge& e = seen_edges_[at.first_edge + i];
      if (++steps > kSearchLimit) return;
      if ((e.flags & kWait) == 0 || e.producer < oldest || mark_[e.producer] == epoch_) continue;
      mark_[e.producer] = epoch_;
      stack_.push_back(e.producer);
    }
  }
  for (std::uint32_t i = 0; i < seen.edges && open != 0; ++i) {
    const SeenEdge& e = seen_edges_[seen.first_edge + i];
    if ((e.constructed & ~e.flags & kWait) == 0 || mark_[e.producer] == epoch_) continue;
    report(
        29, task,
        fmt::format("task row {} no longer waits for task row {} and does not reach it over other WAIT edges", task, e.producer),
        e.producer);
  }
}

}  // namespace depscope::runtime
