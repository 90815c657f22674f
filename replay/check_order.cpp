#include "check_order.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "check_cells.h"

namespace depscope::replay {
namespace {

using recording::kNoRow;

constexpr std::size_t kFirstPruning = 32;  // readers of one cell before those that others stand for are looked for

class Sweep {
 public:
  Sweep(std::uint32_t tasks, const Touches& touches, Reach& reach, const OrderLimits& limits)
      : touches_(touches), reach_(reach), limits_(limits), cells_(touches) {
    local_.assign(touches.regions(), 0);
    local_root_.assign(touches.regions(), kNoRow);
    asked_.assign(tasks, 0);
    ordered_.assign(tasks, 0);
    found_at_.assign(tasks, 0);
  }

  OrderResult run() {
    const std::vector<Touch>& all = touches_.all();
    std::vector<std::uint32_t> begin(touches_.roots() + std::size_t{1}, 0);
    for (const Touch& touch : all) ++begin[touch.root + std::size_t{1}];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> by_root(all.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < all.size(); ++i) by_root[next[all[i].root]++] = i;
    for (std::uint32_t root = 0; root < touches_.roots(); ++root)
      sweep(root, std::span(by_root).subspan(begin[root], begin[root + std::size_t{1}] - begin[root]));
    std::sort(out_.pairs.begin(), out_.pairs.end(), [](const UnorderedPair& a, const UnorderedPair& b) {
      if (a.second != b.second) return a.second < b.second;
      return a.first != b.first ? a.first < b.first : a.root < b.root;
    });
    return std::move(out_);
  }

 private:
  struct Entry {
    std::uint32_t task = kNoRow;
    std::uint8_t mode = 0;
  };
  struct Cell {
    std::uint32_t last_write = 0;  // tasks row after which nothing needs to be remembered
    std::uint32_t prune_at = kFirstPruning;
    bool written = false;
    std::uint8_t mode = 0;  // of the current task
    Entry writer;
    std::vector<Entry> readers;    // since the writer
    std::vector<Entry> unordered;  // before the writer, no path leads from them to it
  };

  void sweep(std::uint32_t root, std::span<const std::uint32_t> indices) {
    if (indices.size() < 2) return;
    const auto touch = [&](std::size_t i) -> const Touch& { return touches_.all()[indices[i]]; };
    bool several = false;
    bool written = false;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      several = several || touch(i).task != touch(0).task;
      written = written || (touch(i).mode & kTouchWrites) != 0;
    }
    if (!several || !written) return;
    ++out_.buffers;
    root_ = root;
    regions_.clear();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::uint32_t region = touch(i).region;
      if (local_root_[region] == root) continue;
      local_root_[region] = root;
      local_[region] = static_cast<std::uint32_t>(regions_.size());
      regions_.push_back(region);
    }
    if (!cells_.build(regions_)) {
      ++out_.skipped;
      return;
    }
    reset_cells();
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if ((touch(i).mode & kTouchWrites) == 0) continue;
      for (const std::uint32_t cell : cells_.of(local_[touch(i).region])) {
        state_[cell].written = true;
        state_[cell].last_write = std::max(state_[cell].last_write, touch(i).task);
      }
    }
    for (std::size_t i = 0; i < indices.size();) {
      const std::uint32_t task = touch(i).task;
      here_.clear();
      for (; i < indices.size() && touch(i).task == task; ++i) {
        for (const std::uint32_t cell : cells_.of(local_[touch(i).region])) {
          Cell& state = state_[cell];
          if (!state.written) continue;
          if (state.mode == 0) here_.push_back(cell);
          state.mode |= touch(i).mode;
        }
      }
      take(task);
    }
  }

  void reset_cells() {
    if (state_.size() < cells_.count()) state_.resize(cells_.count());
    for (std::uint32_t i = 0; i < cells_.count(); ++i) {
      Cell& cell = state_[i];
      cell.last_write = 0;
      cell.prune_at = kFirstPruning;
      cell.written = false;
      cell.mode = 0;
      cell.writer = {};
      cell.readers.clear();
      cell.unordered.clear();
    }
  }

  /// Whether a path leads from `earlier` to the current task.
  bool ordered(std::uint32_t earlier, std::uint32_t task) {
    if (asked_[earlier] != question_) {
      asked_[earlier] = question_;
      ordered_[earlier] = reach_.direct(earlier, task) || reach_.reaches(earlier, task) ? 1 : 0;
      ++out_.judged;
    }
    return ordered_[earlier] != 0;
  }

  void take(std::uint32_t task) {
    ++question_;
    found_.clear();
    for (const std::uint32_t cell : here_) {
      judge(cell, task);
      remember(state_[cell], task);
      state_[cell].mode = 0;
    }
    out_.unordered += found_.size();
    for (const UnorderedPair& pair : found_) {
      if (out_.pairs.size() < limits_.max_pairs) {
        out_.pairs.push_back(pair);
      } else {
        out_.cut = true;
      }
    }
  }

  /// Fills open_ with the accesses that conflict with the current one and that no path orders, the latest first, and reports.
  void judge(std::uint32_t cell, std::uint32_t task) {
    const Cell& state = state_[cell];
    const bool writes = (state.mode & kTouchWrites) != 0;
    open_.clear();
    const auto ask = [&](const Entry& entry) {
      if (!ordered(entry.task, task)) open_.push_back(entry);
    };
    if (state.writer.task != kNoRow) ask(state.writer);
    if (writes) {
      for (const Entry& entry : state.readers) ask(entry);
    }
    for (const Entry& entry : state.unordered) {
      if (writes || (entry.mode & kTouchWrites) != 0) ask(entry);
    }
    if (open_.empty() || !cells_.certain(cell)) return;
    std::sort(open_.begin(), open_.end(), [](const Entry& a, const Entry& b) { return a.task > b.task; });
    const bool after_write = state.writer.task != kNoRow && ordered(state.writer.task, task);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Entry& entry = open_[i];
      if (entry.mode == kTouchReads && after_write && entry.task < state.writer.task) continue;
      if (stood_for(i)) continue;
      report(cell, entry, task, state.mode);
    }
  }

  /// Whether a path leads from open_[i] to one of those behind it.
  bool stood_for(std::size_t i) {
    for (std::size_t k = i > limits_.nearest ? i - limits_.nearest : 0; k < i; ++k) {
      if (reach_.reaches(open_[i].task, open_[k].task)) return true;
    }
    return false;
  }

  void report(std::uint32_t cell, const Entry& first, std::uint32_t second, std::uint8_t mode) {
    std::uint32_t& at = found_at_[first.task];
    if (at >= found_.size() || found_[at].first != first.task) {
      at = static_cast<std::uint32_t>(found_.size());
      found_.push_back({.first = first.task, .second = second, .root = root_});
    }
    UnorderedPair& pair = found_[at];
    const bool reads = (mode & kTouchReads) != 0;
    const bool writes = (mode & kTouchWrites) != 0;
    if ((first.mode & kTouchWrites) != 0 && reads) pair.hazards |= kHazardRaw;
    if ((first.mode & kTouchReads) != 0 && writes) pair.hazards |= kHazardWar;
    if ((first.mode & kTouchWrites) != 0 && writes) pair.hazards |= kHazardWaw;
    if (cells_.bytes(cell) == 0) return;
    pair.bytes += cells_.bytes(cell);
    if (pair.address == 0 || cells_.address(cell) < pair.address) pair.address = cells_.address(cell);
  }

  void remember(Cell& state, std::uint32_t task) {
    if ((state.mode & kTouchWrites) != 0) {
      // open_ holds all conflicting accesses without a path: a writer conflicts with every one.
      if (open_.size() > limits_.nearest) {
        std::sort(open_.begin(), open_.end(), [](const Entry& a, const Entry& b) { return a.task > b.task; });
        open_.resize(limits_.nearest);
        out_.cut = true;
      }
      state.unordered.assign(open_.begin(), open_.end());
      state.readers.clear();
      state.prune_at = kFirstPruning;
      state.writer = {task, state.mode};
      return;
    }
    if (task > state.last_write) return;
    // A reader that is ordered before a later one needs no memory of its own: whatever conflicts with it conflicts with that.
    if (state.readers.size() >= state.prune_at) {
      std::erase_if(state.readers, [&](const Entry& reader) { return reach_.reaches(reader.task, task); });
      state.prune_at = std::max<std::uint32_t>(kFirstPruning, static_cast<std::uint32_t>(2 * state.readers.size()));
    }
    state.readers.push_back({task, state.mode});
  }

  const Touches& touches_;
  Reach& reach_;
  const OrderLimits& limits_;
  Cells cells_;
  OrderResult out_;

  std::uint32_t root_ = 0;
  std::vector<std::uint32_t> regions_;     // of the root
  std::vector<std::uint32_t> local_;       // by region: position in regions_
  std::vector<std::uint32_t> local_root_;  // by region: root that local_ speaks of
  std::vector<Cell> state_;
  std::vector<std::uint32_t> here_;  // cells of the current task

  std::uint32_t question_ = 0;         // number of the current task and root
  std::vector<std::uint32_t> asked_;   // by task: question that ordered_ answers
  std::vector<std::uint8_t> ordered_;  // by task
  std::vector<Entry> open_;
  std::vector<UnorderedPair> found_;     // of the current task
  std::vector<std::uint32_t> found_at_;  // by first task: place in found_
};

}  // namespace

OrderResult find_unordered(const recording::Recording& recording, const Touches& touches, Reach& reach,
                           const OrderLimits& limits) {
  return Sweep(recording.tasks.rows(), touches, reach, limits).run();
}

}  // namespace depscope::replay
