#include "depscope/viewers/graph_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "depscope/runtime/submission.h"

namespace depscope::viewers {
namespace {

using recording::kNoRow;
using recording::Recording;

/// A loop around a task, and its counter.
struct Turn {
  std::uint32_t loop = kNoRow;  ///< number of the loop
  std::uint32_t row = kNoRow;   ///< site_loops row
  std::uint32_t iteration = 0;

  /// An allocation has no call site, so that nothing tells its loops: any loop with that counter may be it.
  [[nodiscard]] bool may_be(const Turn& other) const {
    return iteration == other.iteration && (loop == other.loop || loop == kNoRow || other.loop == kNoRow);
  }
};

struct Step {
  GroupKind kind = GroupKind::Whole;
  std::uint32_t number = 0;  ///< Loop: the loop's number
  std::uint32_t row = kNoRow;

  [[nodiscard]] bool may_be(const Step& open) const {
    return kind == open.kind && (number == open.number || (kind == GroupKind::Loop && number == kNoRow));
  }
};

/// Where each task stands, read from the tables.
class Paths {
 public:
  explicit Paths(const Recording& recording) : r_(recording) {
    const auto& column = r_.site_loops.call_site;
    first_loop_.assign(std::size_t{r_.call_sites.rows()} + 1, 0);
    for (const std::uint32_t site : column) {
      if (site < r_.call_sites.rows()) ++first_loop_[site + 1];
    }
    for (std::size_t site = 0; site < r_.call_sites.rows(); ++site) first_loop_[site + 1] += first_loop_[site];
    shared_.assign(r_.scopes.rows(), 0);
    speaker_.assign(r_.scopes.rows(), kNoRow);
    for (std::uint32_t task = 0; task < r_.tasks.rows(); ++task) note_scopes(task);
  }

  /// The groups around a task, outermost first.
  void of(std::uint32_t task, std::vector<Step>& path) {
    path.clear();
    path.push_back({});
    turns_of(task, turns_);
    chain_of(r_.tasks.scope[task]);
    std::size_t turn = 0;
    for (std::size_t i = 0; i < chain_.size(); ++i) {
      // A loop is around a scope if all tasks of the scope run in the same iteration of it.
      if (i > 0 && turn < shared_[chain_[i]]) {
        turns_of(speaker_[chain_[i]], others_);
        for (; turn < shared_[chain_[i]]; ++turn) push(path, others_[turn]);
      }
      path.push_back({GroupKind::Scope, chain_[i], chain_[i]});
    }
    for (; turn < turns_.size(); ++turn) push(path, turns_[turn]);
    if (path.size() > GraphTree::kMaxDepth) path.resize(GraphTree::kMaxDepth);
  }

 private:
  static void push(std::vector<Step>& path, const Turn& turn) {
    path.push_back({GroupKind::Loop, turn.loop, turn.row});
    path.push_back({GroupKind::Iteration, turn.iteration, turn.iteration});
  }

  void turns_of(std::uint32_t task, std::vector<Turn>& turns) const {
    turns.clear();
    const std::uint32_t count = r_.tasks.iteration_begin_count[task];
    const std::uint32_t site = r_.tasks.call_site[task];
    for (std::uint32_t i = 0; i < count; ++i) {
      Turn turn;
      turn.iteration = r_.pool[r_.tasks.iteration_begin[task] + i];
      if (site < r_.call_sites.rows() && first_loop_[site] + i < first_loop_[site + 1]) {
        turn.row = first_loop_[site] + i;
        turn.loop = r_.site_loops.loop[turn.row];
      }
      turns.push_back(turn);
    }
  }

  void chain_of(std::uint32_t scope) {
    chain_.clear();
    while (scope < r_.scopes.rows() && chain_.size() < GraphTree::kMaxDepth) {
      chain_.push_back(scope);
      if (r_.scopes.parent[scope] == scope) break;
      scope = r_.scopes.parent[scope];
    }
    std::reverse(chain_.begin(), chain_.end());
  }

  /// Counts how many outer iterations all tasks of each scope around the task share. Allocations without any say nothing.
  void note_scopes(std::uint32_t task) {
    turns_of(task, turns_);
    if (turns_.empty() && r_.tasks.kind[task] == static_cast<std::uint8_t>(runtime::TaskKind::Alloc)) return;
    chain_of(r_.tasks.scope[task]);
    for (const std::uint32_t scope : chain_) {
      std::uint32_t& speaker = speaker_[scope];
      if (speaker == kNoRow) {
        speaker = task;
        shared_[scope] = static_cast<std::uint32_t>(turns_.size());
        continue;
      }
      turns_of(speaker, others_);
      std::uint32_t common = 0;
      while (common < turns_.size() && common < others_.size() && turns_[common].may_be(others_[common])) ++common;
      shared_[scope] = std::min(shared_[scope], common);
      const bool tells_more = r_.tasks.call_site[speaker] == kNoRow && r_.tasks.call_site[task] != kNoRow;
      if (tells_more && turns_.size() >= shared_[scope]) speaker = task;
    }
  }

  const Recording& r_;
  std::vector<std::uint32_t> first_loop_;  // by call site: first row in site_loops, grouped by call site
  std::vector<std::uint32_t> shared_;      // by scope: outer iterations that all its tasks share
  std::vector<std::uint32_t> speaker_;     // by scope: a task that tells which
  std::vector<Turn> turns_, others_;
  std::vector<std::uint32_t> chain_;
};

/// Groups as they nest in the program, before what is of no use is left out.
std::vector<TaskGroup> raw_groups(const Recording& r) {
  std::vector<TaskGroup> groups;
  std::vector<std::uint32_t> last_child;
  std::vector<std::pair<Step, std::uint32_t>> open;
  std::vector<Step> path;
  Paths paths(r);
  for (std::uint32_t task = 0; task < r.tasks.rows(); ++task) {
    paths.of(task, path);
    std::size_t same = 0;
    while (same < open.size() && same < path.size() && path[same].may_be(open[same].first)) ++same;
    for (; open.size() > same; open.pop_back()) groups[open.back().second].end = task;
    for (std::size_t i = same; i < path.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(groups.size());
      TaskGroup group;
      group.kind = path[i].kind;
      group.number = path[i].row;
      group.begin = task;
      if (!open.empty()) {
        group.parent = open.back().second;
        std::uint32_t& last = last_child[group.parent];
        (last == kNoRow ? groups[group.parent].first_child : groups[last].next_sibling) = index;
        last = index;
        ++groups[group.parent].parts;
      }
      groups.push_back(group);
      last_child.push_back(kNoRow);
      open.emplace_back(path[i], index);
    }
    ++groups[open.back().second].parts;
  }
  for (const auto& [step, index] : open) groups[index].end = r.tasks.rows();
  return groups;
}

/// A part of a group: a raw group, or a task.
struct Part {
  bool is_group = false;
  std::uint32_t index = 0;
  std::uint32_t iteration = kNoRow;
};

class Builder {
 public:
  Builder(const std::vector<TaskGroup>& raw, std::vector<TaskGroup>& groups, std::vector<std::uint32_t>& group_of_task)
      : raw_(raw), groups_(groups), group_of_task_(group_of_task) {}

  void build() {
    Part top{true, 0, kNoRow};
    if (raw_[0].parts == 1 && raw_[0].first_child != kNoRow) top.index = raw_[0].first_child;
    add(top, kNoRow);
  }

 private:
  [[nodiscard]] std::uint32_t begin_of(const Part& part) const { return part.is_group ? raw_[part.index].begin : part.index; }
  [[nodiscard]] std::uint32_t end_of(const Part& part) const { return part.is_group ? raw_[part.index].end : part.index + 1; }

  [[nodiscard]] std::vector<Part> parts_of(std::uint32_t raw) const {
    std::vector<Part> parts;
    parts.reserve(raw_[raw].parts);
    std::uint32_t child = raw_[raw].first_child;
    for (std::uint32_t task = raw_[raw].begin; task < raw_[raw].end;) {
      if (child != kNoRow && raw_[child].begin == task) {
        parts.push_back(only_part({true, child, kNoRow}));
        task = raw_[child].end;
        child = raw_[child].next_sibling;
      } else {
        parts.push_back({false, task++, kNoRow});
      }
    }
    return parts;
  }

  /// What stands in for a loop or an iteration that has one part only.
  [[nodiscard]] Part only_part(Part part) const {
    while (part.is_group) {
      const TaskGroup& group = raw_[part.index];
      if (group.parts != 1 || (group.kind != GroupKind::Loop && group.kind != GroupKind::Iteration)) break;
      if (group.kind == GroupKind::Iteration) part.iteration = group.number;
      part.is_group = group.first_child != kNoRow;
      part.index = part.is_group ? group.first_child : group.begin;
    }
    return part;
  }

  std::uint32_t add_group(GroupKind kind, std::uint32_t number, std::uint32_t begin, std::uint32_t end, std::uint32_t parent) {
    TaskGroup group;
    group.kind = kind;
    group.number = number;
    group.begin = begin;
    group.end = end;
    group.parent = parent;
    const auto index = static_cast<std::uint32_t>(groups_.size());
    if (parent != kNoRow) {
      group.depth = groups_[parent].depth + 1;
      std::uint32_t& last = last_child_[parent];
      (last == kNoRow ? groups_[parent].first_child : groups_[last].next_sibling) = index;
      last = index;
    }
    groups_.push_back(group);
    last_child_.push_back(kNoRow);
    return index;
  }

  void add(const Part& part, std::uint32_t parent) {
    if (!part.is_group) {
      group_of_task_[part.index] = parent;
      return;
    }
    const TaskGroup& raw = raw_[part.index];
    const std::uint32_t index = add_group(raw.kind, raw.number, raw.begin, raw.end, parent);
    if (raw.kind == GroupKind::Scope) groups_[index].iteration = part.iteration;
    const std::vector<Part> parts = parts_of(part.index);
    add_parts(parts, index, 0);
  }

  void add_parts(std::span<const Part> parts, std::uint32_t parent, std::uint32_t first) {
    std::size_t width = 1;
    while (parts.size() / width > GraphTree::kMaxParts) width *= GraphTree::kRangeParts;
    if (width == 1) {
      groups_[parent].parts = static_cast<std::uint32_t>(parts.size());
      for (const Part& part : parts) add(part, parent);
      return;
    }
    groups_[parent].parts = static_cast<std::uint32_t>((parts.size() + width - 1) / width);
    for (std::size_t i = 0; i < parts.size(); i += width) {
      const std::span<const Part> some = parts.subspan(i, std::min(width, parts.size() - i));
      const auto number = first + static_cast<std::uint32_t>(i);
      add_parts(some, add_group(GroupKind::Range, number, begin_of(some.front()), end_of(some.back()), parent), number);
    }
  }

  const std::vector<TaskGroup>& raw_;
  std::vector<TaskGroup>& groups_;
  std::vector<std::uint32_t>& group_of_task_;
  std::vector<std::uint32_t> last_child_;
};

}  // namespace

GraphTree::GraphTree(const Recording& recording) {
  if (recording.tasks.rows() == 0) return;
  group_of_task_.assign(recording.tasks.rows(), 0);
  const std::vector<TaskGroup> raw = raw_groups(recording);
  Builder(raw, groups_, group_of_task_).build();
}

std::string GraphTree::label(const Recording& r, std::uint32_t index) const {
  const TaskGroup& group = groups_[index];
  switch (group.kind) {
    case GroupKind::Whole: return "all tasks";
    case GroupKind::Scope: {
      std::string name = fmt::format("scope {} {}", group.number, r.scopes.manual[group.number] != 0 ? "MANUAL" : "AUTO");
      if (group.iteration != kNoRow) name += fmt::format(", iteration {}", group.iteration);
      return name;
    }
    case GroupKind::Loop: {
      if (group.number == kNoRow) return "loop";
      const std::string_view what = r.site_loops.parallel[group.number] != 0 ? "parallel loop" : "loop";
      const std::uint32_t line = r.site_loops.line[group.number];
      return line == 0 ? std::string(what) : fmt::format("{} in line {}", what, line);
    }
    case GroupKind::Iteration: return fmt::format("iteration {}", group.number);
    case GroupKind::Range: return fmt::format("t{} – t{}", group.begin, group.end - 1);
  }
  return {};
}

}  // namespace depscope::viewers
