#include "memory_history.h"

#include <algorithm>

namespace depscope::viewers {

HeapHistory::HeapHistory(const Document& document, std::uint32_t ring) {
  const auto& tasks = document.recording().tasks;
  const auto& moments = document.moments();
  const std::uint32_t last = document.cursor().size();
  for (std::uint32_t task = 0; task < tasks.rows(); ++task) {
    if (runtime::ring_of(tasks.id[task]) == ring && tasks.heap_end[task] > tasks.heap_begin[task] &&
        moments.submitted[task] != replay::kNever)
      tasks_.push_back(task);
  }
  const auto submitted_before = [&](std::uint32_t a, std::uint32_t b) { return moments.submitted[a] < moments.submitted[b]; };
  if (!std::is_sorted(tasks_.begin(), tasks_.end(), submitted_before)) std::sort(tasks_.begin(), tasks_.end(), submitted_before);
  std::vector<Node> nodes;
  nodes.reserve(tasks_.size());
  for (const std::uint32_t task : tasks_) {
    const std::uint32_t begin = moments.submitted[task] + 1;  // positions: just after the event
    const std::uint32_t end = moments.reclaimed[task] == replay::kNever ? last : moments.reclaimed[task] + 1;
    const std::uint64_t bytes = tasks.heap_end[task] - tasks.heap_begin[task];
    nodes.push_back({begin, begin, end, end, tasks.heap_begin[task], tasks.heap_end[task],
                     static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xffffffffU)), true});
  }
  while (!nodes.empty()) {
    levels_.push_back(std::move(nodes));
    nodes.clear();
    const auto& below = levels_.back();
    if (below.size() == 1) break;
    for (std::size_t at = 0; at < below.size(); at += kFan) {
      Node all = below[at];
      for (std::size_t i = at + 1; i < std::min(at + kFan, below.size()); ++i) {
        const Node& one = below[i];
        all.begin = std::min(all.begin, one.begin);
        all.begin_most = std::max(all.begin_most, one.begin_most);
        all.end_least = std::min(all.end_least, one.end_least);
        all.end = std::max(all.end, one.end);
        all.contiguous = all.contiguous && one.contiguous && one.low == all.high;
        all.low = std::min(all.low, one.low);
        all.high = std::max(all.high, one.high);
        all.widest = std::max(all.widest, one.widest);
      }
      nodes.push_back(all);
    }
  }
}

std::uint32_t HeapHistory::index_of(std::uint32_t task) const {
  // Rows of a ring are submitted in order of rows.
  const auto found = std::lower_bound(tasks_.begin(), tasks_.end(), task);
  return found != tasks_.end() && *found == task ? static_cast<std::uint32_t>(found - tasks_.begin()) : kNoRow;
}

void HeapHistory::boxes(Window window, std::size_t limit, std::vector<HeapBox>& out) const {
  out.clear();
  if (levels_.empty()) return;
  while (!collect(window, levels_.size() - 1, 0, limit, out)) {
    out.clear();
    window.least_time *= 2.0;
    window.least_bytes *= 2.0;
  }
}

bool HeapHistory::collect(const Window& window, std::size_t level, std::uint32_t node, std::size_t limit,
                          std::vector<HeapBox>& out) const {
  const Node& n = levels_[level][node];
  if (n.end < window.begin || n.begin > window.end) return true;
  if (static_cast<double>(n.high) < window.low || static_cast<double>(n.low) > window.high) return true;
  const double time = static_cast<double>(n.end) - static_cast<double>(n.begin);
  const double bytes = static_cast<double>(n.high - n.low);
  // A sliver in time; or lines that are too thin to be told apart and lie together, so that one rectangle is what all of them
  // are.
  const bool begins_together = static_cast<double>(n.begin_most - n.begin) < window.least_time;
  const bool ends_together = static_cast<double>(n.end - n.end_least) < window.least_time;
  const bool thin = bytes < window.least_bytes || (n.contiguous && static_cast<double>(n.widest) < window.least_bytes);
  const bool folds = time < window.least_time || (thin && begins_together && ends_together);
  if (level == 0 || folds) {
    if (out.size() == limit) return false;
    std::uint32_t first = node;
    std::uint32_t width = 1;
    for (std::size_t i = 0; i < level; ++i) first *= kFan, width *= kFan;
    const auto total = static_cast<std::uint32_t>(tasks_.size());
    out.push_back({n.begin, n.end, n.low, n.high, first, std::min(width, total - first)});
    return true;
  }
  const auto below = static_cast<std::uint32_t>(levels_[level - 1].size());
  for (std::uint32_t i = node * kFan; i < std::min(node * kFan + kFan, below); ++i) {
    if (!collect(window, level - 1, i, limit, out)) return false;
  }
  return true;
}

std::uint32_t HeapHistory::at(double position, double byte) const {
  const std::uint32_t index = levels_.empty() ? kNoRow : find(levels_.size() - 1, 0, position, byte);
  return index == kNoRow ? kNoRow : tasks_[index];
}

std::uint32_t HeapHistory::find(std::size_t level, std::uint32_t node, double position, double byte) const {
  const Node& n = levels_[level][node];
  if (position < n.begin || position >= n.end) return kNoRow;
  if (byte < static_cast<double>(n.low) || byte >= static_cast<double>(n.high)) return kNoRow;
  if (level == 0) return node;
  const auto below = static_cast<std::uint32_t>(levels_[level - 1].size());
  for (std::uint32_t i = node * kFan; i < std::min(node * kFan + kFan, below); ++i) {
    if (const std::uint32_t found = find(level - 1, i, position, byte); found != kNoRow) return found;
  }
  return kNoRow;
}

}  // namespace depscope::viewers
