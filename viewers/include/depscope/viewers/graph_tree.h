// How the tasks of a recording nest: scope, loop, iteration, task. The graph opens and closes these groups.
//
// Every group is a run of tasks rows, because the orchestrator submits in order: all that belongs to a group can be found by two
// numbers, and what depends on what never runs backwards between two groups. Flat vectors; nothing is kept by task but its group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "depscope/recording/tables.h"

namespace depscope::viewers {

enum class GroupKind : std::uint8_t {
  Whole,      ///< all tasks, where no single scope is around them
  Scope,      ///< number = scopes row
  Loop,       ///< number = site_loops row of the loop, none if the recording does not tell its loops
  Iteration,  ///< number = the loop's counter
  Range,      ///< a run of parts of a group that has too many of them; number = position of its first part
};

struct TaskGroup {
  GroupKind kind = GroupKind::Whole;
  std::uint32_t number = 0;
  std::uint32_t iteration = recording::kNoRow;  ///< Scope: counter of the loop around it, where nothing else is in the iteration
  std::uint32_t begin = 0, end = 0;             ///< tasks rows [begin, end), never empty
  std::uint32_t parent = recording::kNoRow;     ///< a smaller index; none for group 0
  std::uint32_t first_child = recording::kNoRow;   ///< groups only
  std::uint32_t next_sibling = recording::kNoRow;  ///< groups only
  std::uint32_t parts = 0;                         ///< tasks and groups directly in it
  std::uint32_t depth = 0;                         ///< 0 for group 0
};

class GraphTree {
 public:
  /// A group with more parts than this gets ranges of kRangeParts (or 100 times as many, and so on).
  static constexpr std::uint32_t kMaxParts = 150;
  static constexpr std::uint32_t kRangeParts = 100;
  /// What nests deeper is put into the group at this depth.
  static constexpr std::uint32_t kMaxDepth = 64;

  GraphTree() = default;
  /// Two passes over the tasks. A loop or an iteration with one part only is left out: its part takes its place.
  explicit GraphTree(const recording::Recording& recording);

  /// In pre-order: a group comes before what is in it. Empty without tasks; else group 0 holds all.
  [[nodiscard]] const std::vector<TaskGroup>& groups() const { return groups_; }
  [[nodiscard]] const TaskGroup& group(std::uint32_t index) const { return groups_[index]; }
  [[nodiscard]] std::uint32_t group_of_task(std::uint32_t task) const { return group_of_task_[task]; }

  /// Calls f(is_group, index) for every part of a group, in order of submission.
  template <class F>
  void for_each_part(std::uint32_t group, F&& f) const {
    std::uint32_t child = groups_[group].first_child;
    for (std::uint32_t task = groups_[group].begin; task < groups_[group].end;) {
      if (child != recording::kNoRow && groups_[child].begin == task) {
        f(true, child);
        task = groups_[child].end;
        child = groups_[child].next_sibling;
      } else {
        f(false, task++);
      }
    }
  }

  /// "scope 2 AUTO, iteration 3", "parallel loop in line 40", "iteration 3", "t100 – t199".
  [[nodiscard]] std::string label(const recording::Recording& recording, std::uint32_t group) const;

 private:
  std::vector<TaskGroup> groups_;
  std::vector<std::uint32_t> group_of_task_;
};

}  // namespace depscope::viewers
