// Which task waits, directly or through others, for which. Private.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::replay {

/// Answers "is there a path from a to b?" over edges that lead from smaller to larger tasks rows.
///
/// Each task gets its level (longest path from a source) and, from three walks over the graph in different orders, an interval of
/// post-order numbers that contains those of everything it reaches. A level or an interval that does not fit is a proof that
/// there is no path; a place in the walk's own tree is a proof that there is one. What neither decides is searched from both
/// ends, pruned by the same tests. Building takes O(tasks + edges) time and memory (60 bytes a task, 8 an edge). A query takes
/// O(1) where a test decides, else at most the edges between the two tasks in submission order.
class Reach {
 public:
  /// Rows of `edges` for which keep(row) holds; others, and edges that do not lead forward, are left out.
  template <class Keep>
  Reach(std::uint32_t tasks, const recording::EdgesTable& edges, Keep&& keep) : tasks_(tasks) {
    const auto forward = [&](std::uint32_t e) { return edges.producer[e] < edges.consumer[e] && keep(e); };
    before_begin_.assign(tasks + std::size_t{1}, 0);
    after_begin_.assign(tasks + std::size_t{1}, 0);
    for (std::uint32_t e = 0; e < edges.rows(); ++e) {
      if (!forward(e)) continue;
      ++before_begin_[edges.consumer[e] + std::size_t{1}];
      ++after_begin_[edges.producer[e] + std::size_t{1}];
    }
    for (std::size_t i = 1; i <= tasks; ++i) {
      before_begin_[i] += before_begin_[i - 1];
      after_begin_[i] += after_begin_[i - 1];
    }
    before_.resize(before_begin_.back());
    after_.resize(after_begin_.back());
    std::vector<std::uint32_t> next_before(before_begin_.begin(), before_begin_.end() - 1);
    std::vector<std::uint32_t> next_after(after_begin_.begin(), after_begin_.end() - 1);
    for (std::uint32_t e = 0; e < edges.rows(); ++e) {
      if (!forward(e)) continue;
      before_[next_before[edges.consumer[e]]++] = edges.producer[e];
      after_[next_after[edges.producer[e]]++] = edges.consumer[e];
    }
    label();
  }

  /// Whether there is a path of at least one edge.
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to);
  /// Whether one edge leads there.
  [[nodiscard]] bool direct(std::uint32_t from, std::uint32_t to);

 private:
  static constexpr std::size_t kWalks = 3;
  struct Label {
    std::uint32_t rank = 0;   // post-order number
    std::uint32_t low = 0;    // smallest rank of what it reaches, itself included
    std::uint32_t start = 0;  // first rank of its subtree
  };
  enum class Verdict : std::uint8_t { No, Yes, Open };

  void label();
  void walk(std::size_t number);
  [[nodiscard]] Verdict judge(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] bool search(std::uint32_t from, std::uint32_t to);

  std::uint32_t tasks_;
  std::vector<std::uint32_t> before_begin_, before_;  // direct producers by task
  std::vector<std::uint32_t> after_begin_, after_;    // direct consumers by task
  std::vector<std::uint32_t> level_;
  std::vector<std::array<Label, kWalks>> labels_;

  std::vector<std::uint32_t> seen_forward_, seen_backward_;  // by task: number of the search
  std::vector<std::uint32_t> forward_, backward_;            // still to be expanded
  std::uint32_t searches_ = 0;
  std::vector<std::uint32_t> marked_;  // by producer: 1 + the task whose direct producers were marked last
  std::uint32_t marked_for_ = recording::kNoRow;
};

}  // namespace depscope::replay
