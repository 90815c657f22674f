#include "depscope/viewers/graph_model.h"

#include <algorithm>

namespace depscope::viewers {
namespace {

constexpr std::uint32_t kFewGraphNodes = 40;
constexpr float kTaskHeight = 42;
constexpr float kGroupHeight = 64;
constexpr float kGroupWidth = 230;

/// Wide enough for the label at the first look, where letters are larger than their boxes.
float task_width(std::size_t letters) { return std::clamp(9.6F * static_cast<float>(letters) + 26.0F, 120.0F, 320.0F); }

}  // namespace

void GraphModel::attach(const Document* document, const Comparison* comparison) {
  document_ = document;
  comparison_ = comparison;
  tree_ = document == nullptr ? GraphTree() : GraphTree(document->recording());
  filter_ = {};
  passes_.clear();
  focus_.clear();
  there_.clear();
  open_.assign(tree_.groups().size(), false);
  if (document != nullptr) {
    find_there();
    open_what_fits(kFirstGraphNodes, kFewGraphNodes);
  }
  rebuild();
}

/// Opens group by group, from the outside inwards, as long as no more than `most` boxes are shown. A level that does not fit as a
/// whole is begun only while fewer than `few` boxes are shown.
void GraphModel::open_what_fits(std::uint32_t most, std::uint32_t few) {
  if (open_.empty()) return;
  open_.assign(open_.size(), false);
  std::vector<std::uint32_t> level{0};
  std::uint32_t shown = 1;
  while (!level.empty()) {
    std::vector<std::uint32_t> next;
    std::uint64_t with_level = shown;
    for (const std::uint32_t group : level) with_level += tree_.group(group).parts - 1;
    for (const std::uint32_t group : level) {
      const std::uint32_t parts = tree_.group(group).parts;
      if (group != 0 && with_level > most && (shown - 1 + parts > most || shown >= few)) continue;
      shown += parts - 1;
      open_[group] = true;
      for (std::uint32_t child = tree_.group(group).first_child; child != kNoRow; child = tree_.group(child).next_sibling) {
        next.push_back(child);
      }
    }
    level = std::move(next);
  }
}

/// Tasks that only the other recording has stand behind the last task before them that both have.
void GraphModel::find_there() {
  if (comparison_ == nullptr || document_ != &comparison_->here()) return;
  const std::uint32_t rows = comparison_->there().recording().tasks.rows();
  std::uint32_t anchor = 0;
  std::uint32_t row = 0;
  for (const std::uint32_t only : comparison_->rows(ItemKind::Task).only_there) {
    for (; row < only && row < rows; ++row) {
      if (const std::uint32_t here = comparison_->counterpart_there(ItemKind::Task, row); here != kNoRow) anchor = here;
    }
    if (only < rows) there_.push_back({anchor, only});
  }
  std::stable_sort(there_.begin(), there_.end(), [](const There& a, const There& b) { return a.anchor < b.anchor; });
}

std::uint32_t GraphModel::shown_with(std::uint32_t most) const {
  std::uint32_t shown = 1;
  std::vector<std::uint32_t> stack;
  if (!open_.empty() && open_[0]) stack.push_back(0);
  while (!stack.empty() && shown <= most) {
    const std::uint32_t group = stack.back();
    stack.pop_back();
    shown += tree_.group(group).parts - 1;
    for (std::uint32_t child = tree_.group(group).first_child; child != kNoRow; child = tree_.group(child).next_sibling) {
      if (open_[child]) stack.push_back(child);
    }
  }
  return shown;
}

bool GraphModel::open(std::uint32_t group) {
  if (open_[group]) return true;
  open_[group] = true;
  if (shown_with(kMaxGraphNodes) > kMaxGraphNodes) {
    open_[group] = false;
    return false;
  }
  rebuild();
  return true;
}

void GraphModel::close(std::uint32_t group) {
  if (!open_[group]) return;
  open_[group] = false;
  rebuild();
}

bool GraphModel::open_all() {
  open_what_fits(kMaxGraphNodes, kMaxGraphNodes);
  rebuild();
  return std::find(open_.begin(), open_.end(), false) == open_.end();
}

void GraphModel::close_all() {
  open_.assign(open_.size(), false);
  std::uint32_t group = open_.empty() ? kNoRow : 0;
  while (group != kNoRow) {
    open_[group] = true;
    group = tree_.group(group).parts == 1 ? tree_.group(group).first_child : kNoRow;  // one box alone tells nothing
  }
  rebuild();
}

bool GraphModel::open_to(std::uint32_t task) {
  std::vector<std::uint32_t> opened;
  for (std::uint32_t group = tree_.group_of_task(task); group != kNoRow; group = tree_.group(group).parent) {
    if (!open_[group]) opened.push_back(group);
    open_[group] = true;
  }
  const bool fits = shown_with(kMaxGraphNodes) <= kMaxGraphNodes;
  if (!fits) {
    for (const std::uint32_t group : opened) open_[group] = false;
  }
  if (!opened.empty()) rebuild();
  return fits;
}

void GraphModel::set_filter(GraphFilter filter) {
  if (filter == filter_) return;
  filter_ = std::move(filter);
  passes_.clear();
  if (document_ != nullptr) passes_ = passing_tasks(document_->recording(), filter_);
  rebuild();
}

void GraphModel::set_focus(std::vector<std::uint32_t> tasks) {
  if (tasks == focus_) return;
  focus_ = std::move(tasks);
  rebuild();
}

void GraphModel::set_top_to_bottom(bool on) {
  if (on == top_to_bottom_) return;
  top_to_bottom_ = on;
  rebuild();
}

void GraphModel::rebuild() {
  nodes_.clear();
  frames_.clear();
  edges_.clear();
  unseen_.clear();
  node_of_there_.clear();
  edges_left_out_ = 0;
  width_ = height_ = 0;
  if (document_ == nullptr || tree_.groups().empty()) {
    node_of_task_.clear();
    return;
  }
  node_of_task_.assign(document_->recording().tasks.rows(), kNoRow);
  const std::uint32_t top = focus_.empty() ? 0 : focus_frame_of(0);
  if (!focus_.empty() || open_[top]) {
    frames_.push_back({top, kNoRow, 0, 0, 0, 0, 0});
    collect(top, 0);
  } else {
    add_group(top, kNoRow);
  }
  std::sort(node_of_there_.begin(), node_of_there_.end());
  collect_edges();
  collect_edges_there();
  lay_out();
  place_ends();
}

bool GraphModel::in_focus(std::uint32_t begin, std::uint32_t end) const {
  const auto found = std::lower_bound(focus_.begin(), focus_.end(), begin);
  return found != focus_.end() && *found < end;
}

/// The innermost group with all tasks of the focus that are in `group`: frames around one thing tell nothing.
std::uint32_t GraphModel::focus_frame_of(std::uint32_t group) const {
  const TaskGroup& outer = tree_.group(group);
  const std::uint32_t first = *std::lower_bound(focus_.begin(), focus_.end(), outer.begin);
  const std::uint32_t last = *(std::lower_bound(focus_.begin(), focus_.end(), outer.end) - 1);
  std::uint32_t inner = tree_.group_of_task(first);
  while (inner != group && tree_.group(inner).end <= last) inner = tree_.group(inner).parent;
  return inner;
}

void GraphModel::collect(std::uint32_t group, std::uint32_t frame) {
  const auto part = [&](bool is_group, std::uint32_t index) {
    if (!is_group) {
      add_task(index, frame);
      add_there(index, index + 1, frame);
      return;
    }
    const bool all = focus_.empty();
    if (all && !open_[index]) {
      add_group(index, frame);
      return;
    }
    const std::uint32_t inner = all ? index : focus_frame_of(index);
    const auto next = static_cast<std::uint32_t>(frames_.size());
    frames_.push_back({inner, frame, frames_[frame].depth + 1, 0, 0, 0, 0});
    collect(inner, next);
  };
  if (focus_.empty()) {
    tree_.for_each_part(group, part);
    return;
  }
  // Only what has tasks of the focus in it, found from the tasks.
  const TaskGroup& own = tree_.group(group);
  auto next = std::lower_bound(focus_.begin(), focus_.end(), own.begin);
  while (next != focus_.end() && *next < own.end) {
    std::uint32_t inner = tree_.group_of_task(*next);
    if (inner == group) {
      part(false, *next++);
      continue;
    }
    while (tree_.group(inner).parent != group) inner = tree_.group(inner).parent;
    const TaskGroup& child = tree_.group(inner);
    const auto after = std::lower_bound(next, focus_.end(), child.end);
    if (after - next == 1) {
      part(false, *next);
    } else {
      part(true, inner);
    }
    next = after;
  }
}

void GraphModel::add_task(std::uint32_t task, std::uint32_t frame) {
  const auto& r = document_->recording();
  GraphNode node;
  node.row = task;
  node.frame = frame;
  node.begin = task;
  node.end = task + 1;
  node.dim = !passes_.empty() && !passes_[task];
  node.width = task_width(r.text(r.tasks.callee[task]).size() + 2 + std::to_string(task).size());
  node.height = kTaskHeight;
  node_of_task_[task] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
}

void GraphModel::add_group(std::uint32_t group, std::uint32_t frame) {
  const TaskGroup& own = tree_.group(group);
  GraphNode node;
  node.kind = GraphNode::Kind::Group;
  node.row = group;
  node.frame = frame;
  node.begin = own.begin;
  node.end = own.end;
  node.width = kGroupWidth;
  node.height = kGroupHeight;
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  std::fill(node_of_task_.begin() + own.begin, node_of_task_.begin() + own.end, index);
  if (!passes_.empty()) {
    node.dim = std::find(passes_.begin() + own.begin, passes_.begin() + own.end, true) == passes_.begin() + own.end;
  }
  const auto [first, last] = there_in(own.begin, own.end);
  node.there = static_cast<std::uint32_t>(last - first);
  for (std::size_t i = first; i < last; ++i) node_of_there_.emplace_back(there_[i].row, index);
  nodes_.push_back(node);
}

std::pair<std::size_t, std::size_t> GraphModel::there_in(std::uint32_t begin, std::uint32_t end) const {
  const auto before = [](const There& there, std::uint32_t task) { return there.anchor < task; };
  const auto first = std::lower_bound(there_.begin(), there_.end(), begin, before);
  const auto last = std::lower_bound(first, there_.end(), end, before);
  return {static_cast<std::size_t>(first - there_.begin()), static_cast<std::size_t>(last - there_.begin())};
}

void GraphModel::add_there(std::uint32_t begin, std::uint32_t end, std::uint32_t frame) {
  const auto [first, last] = there_in(begin, end);
  for (std::size_t i = first; i < last && nodes_.size() < kMaxGraphNodes; ++i) {
    const auto& r = comparison_->there().recording();
    GraphNode node;
    node.kind = GraphNode::Kind::There;
    node.row = there_[i].row;
    node.frame = frame;
    node.width = task_width(r.text(r.tasks.callee[node.row]).size() + 2 + std::to_string(node.row).size());
    node.height = kTaskHeight;
    node_of_there_.emplace_back(node.row, static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(node);
  }
}

std::uint32_t GraphModel::node_of_task(std::uint32_t task) const {
  return task < node_of_task_.size() ? node_of_task_[task] : kNoRow;
}

std::uint32_t GraphModel::node_of_there(std::uint32_t task) const {
  const auto found = std::lower_bound(node_of_there_.begin(), node_of_there_.end(), std::pair{task, std::uint32_t{0}});
  return found != node_of_there_.end() && found->first == task ? found->second : kNoRow;
}

std::uint32_t GraphModel::frame_of_group(std::uint32_t group) const {
  for (std::uint32_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].group == group) return i;
  }
  return kNoRow;
}

std::uint32_t GraphModel::node_of_group(std::uint32_t group) const {
  if (group >= tree_.groups().size()) return kNoRow;
  const std::uint32_t node = node_of_task(tree_.group(group).begin);
  return node != kNoRow && nodes_[node].kind == GraphNode::Kind::Group && nodes_[node].row == group ? node : kNoRow;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> GraphModel::kernels(std::uint32_t begin, std::uint32_t end) const {
  const auto& callee = document_->recording().tasks.callee;
  std::vector<std::uint32_t> sorted(callee.begin() + begin, callee.begin() + end);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const std::uint32_t kernel : sorted) {
    if (found.empty() || found.back().first != kernel) found.emplace_back(kernel, 0);
    ++found.back().second;
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return found;
}

std::span<const std::uint32_t> GraphModel::iteration(std::uint32_t task) const {
  const auto& r = document_->recording();
  return std::span(r.pool).subspan(r.tasks.iteration_begin[task], r.tasks.iteration_begin_count[task]);
}

}  // namespace depscope::viewers
