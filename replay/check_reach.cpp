#include "check_reach.h"

#include <algorithm>

namespace depscope::replay {

void Reach::label() {
  level_.assign(tasks_, 0);
  for (std::uint32_t t = 0; t < tasks_; ++t) {
    for (std::uint32_t i = before_begin_[t]; i < before_begin_[t + std::size_t{1}]; ++i)
      level_[t] = std::max(level_[t], level_[before_[i]] + 1);
  }
  labels_.resize(tasks_);
  for (std::size_t number = 0; number < kWalks; ++number) walk(number);
  seen_forward_.assign(tasks_, 0);
  seen_backward_.assign(tasks_, 0);
  marked_.assign(tasks_, 0);
}

/// One depth-first walk. The walks take roots and consumers in different orders, so that a pair that one cannot decide is often
/// decided by another: as they stand, backwards, and beginning at a place that depends on the task.
void Reach::walk(std::size_t number) {
  struct Frame {
    std::uint32_t task;
    std::uint32_t next;  // consumers that were taken
  };
  constexpr std::uint32_t kUnseen = recording::kNoRow;
  for (auto& label : labels_) label[number].rank = kUnseen;
  std::vector<Frame> stack;
  std::uint32_t ranks = 0;
  const auto open = [&](std::uint32_t task) {
    labels_[task][number] = {kUnseen - 1, kUnseen, ranks};
    stack.push_back({task, 0});
  };
  for (std::uint32_t i = 0; i < tasks_; ++i) {
    const std::uint32_t root = number == 1 ? tasks_ - 1 - i : i;
    if (before_begin_[root] != before_begin_[root + std::size_t{1}]) continue;
    open(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::uint32_t begin = after_begin_[top.task];
      const std::uint32_t count = after_begin_[top.task + std::size_t{1}] - begin;
      if (top.next == count) {
        Label& own = labels_[top.task][number];
        own.rank = ranks++;
        own.low = std::min(own.low, own.rank);
        const std::uint32_t low = own.low;
        stack.pop_back();
        if (!stack.empty()) {
          std::uint32_t& above = labels_[stack.back().task][number].low;
          above = std::min(above, low);
        }
        continue;
      }
      std::uint32_t at = top.next++;
      if (number == 1) at = count - 1 - at;
      if (number == 2) at = static_cast<std::uint32_t>((std::uint64_t{at} + top.task * std::uint64_t{2654435761U}) % count);
      const std::uint32_t next = after_[begin + at];
      const Label& found = labels_[next][number];
      if (found.rank == kUnseen) {
        open(next);
      } else {
        std::uint32_t& own = labels_[top.task][number].low;
        own = std::min(own, found.low);
      }
    }
  }
}

Reach::Verdict Reach::judge(std::uint32_t from, std::uint32_t to) const {
  if (from >= to || level_[from] >= level_[to]) return Verdict::No;
  for (std::size_t i = 0; i < kWalks; ++i) {
    const Label& a = labels_[from][i];
    const Label& b = labels_[to][i];
    if (b.rank > a.rank || b.low < a.low) return Verdict::No;
    if (b.rank >= a.start) return Verdict::Yes;
  }
  return Verdict::Open;
}

bool Reach::direct(std::uint32_t from, std::uint32_t to) {
  if (marked_for_ != to) {
    marked_for_ = to;
    for (std::uint32_t i = before_begin_[to]; i < before_begin_[to + std::size_t{1}]; ++i) marked_[before_[i]] = to + 1;
  }
  return marked_[from] == to + 1;
}

bool Reach::reaches(std::uint32_t from, std::uint32_t to) {
  switch (judge(from, to)) {
    case Verdict::No: return false;
    case Verdict::Yes: return true;
    case Verdict::Open: return search(from, to);
  }
  return false;
}

bool Reach::search(std::uint32_t from, std::uint32_t to) {
  if (++searches_ == 0) {
    std::fill(seen_forward_.begin(), seen_forward_.end(), 0);
    std::fill(seen_backward_.begin(), seen_backward_.end(), 0);
    searches_ = 1;
  }
  forward_.assign(1, from);
  backward_.assign(1, to);
  seen_forward_[from] = seen_backward_[to] = searches_;
  while (!forward_.empty() && !backward_.empty()) {
    // One task of the smaller side at a time.
    const bool ahead = forward_.size() <= backward_.size();
    std::vector<std::uint32_t>& side = ahead ? forward_ : backward_;
    const std::uint32_t task = side.back();
    side.pop_back();
    const std::vector<std::uint32_t>& begin = ahead ? after_begin_ : before_begin_;
    const std::vector<std::uint32_t>& list = ahead ? after_ : before_;
    std::vector<std::uint32_t>& own = ahead ? seen_forward_ : seen_backward_;
    const std::vector<std::uint32_t>& other = ahead ? seen_backward_ : seen_forward_;
    for (std::uint32_t i = begin[task]; i < begin[task + std::size_t{1}]; ++i) {
      const std::uint32_t next = list[i];
      if (other[next] == searches_) return true;
      if (own[next] == searches_) continue;
      own[next] = searches_;
      const Verdict verdict = ahead ? judge(next, to) : judge(from, next);
      if (verdict == Verdict::Yes) return true;
      if (verdict == Verdict::Open) side.push_back(next);
    }
  }
  return false;
}

}  // namespace depscope::replay
