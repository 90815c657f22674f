// Where the graph is looked at, and what the pointer does there.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "depscope/viewers/widgets.h"
#include "graph_pen.h"

namespace depscope::viewers {
namespace {

constexpr double kClosest = 4.0;     // pixels at 96 dots per inch for one unit
constexpr double kFirstScale = 1.2;  // units per pixel that a first look does not exceed: letters can be read
constexpr std::size_t kMostExplained = 12;
constexpr std::uint32_t kMostStates = 200'000;  // tasks in closed groups whose states are counted when the cursor moves

}  // namespace

void GraphPanel::show_at(double x, double y, double scale, ImVec2 size) {
  const auto width = static_cast<double>(size.x);
  const auto height = static_cast<double>(size.y);
  x_.show(x, x + width * scale);
  y_.show(y, y + height * scale);
  scale_ = x_.per_pixel();
}

/// Both axes have the same scale, and the same limits of it, whatever the shape of the canvas.
void GraphPanel::keep_scale(ImVec2 size) {
  x_.resize(size.x);
  y_.resize(size.y);
  const auto width = static_cast<double>(model_.width());
  const auto height = static_cast<double>(model_.height());
  const double least = 1.0 / kClosest;
  const double most = std::max({width / static_cast<double>(size.x), height / static_cast<double>(size.y), 1.0});
  const auto limit = [&](Axis& axis, double extent, float pixels) {
    const double seen = std::max(extent, most * static_cast<double>(pixels));
    const double from = (extent - seen) * 0.5;
    axis.limit(from, from + seen, least * static_cast<double>(pixels));
  };
  limit(x_, width, size.x);
  limit(y_, height, size.y);
}

void GraphPanel::fit(ImVec2 size, bool whole) {
  const double margin = 1.04;
  const auto width = static_cast<double>(model_.width());
  const auto height = static_cast<double>(model_.height());
  double scale = std::max(width * margin / static_cast<double>(size.x), height * margin / static_cast<double>(size.y));
  scale = std::max(scale, 0.8 / pixel_scale_);
  const double least = kFirstScale / pixel_scale_;
  if (whole || scale <= least) {
    show_at((width - static_cast<double>(size.x) * scale) * 0.5, (height - static_cast<double>(size.y) * scale) * 0.5, scale,
            size);
    return;
  }
  // Too large to be read as a whole: begins with the first task.
  const GraphNode& first = model_.nodes()[0];
  const double seen_x = static_cast<double>(size.x) * least;
  const double seen_y = static_cast<double>(size.y) * least;
  const double x = width <= seen_x ? (width - seen_x) * 0.5 : std::min(static_cast<double>(first.x) - 40.0, width - seen_x);
  const double y = height <= seen_y ? (height - seen_y) * 0.5
                                    : std::clamp(static_cast<double>(first.y) - seen_y * 0.4, -40.0, height - seen_y + 40.0);
  show_at(x, y, least, size);
}

void GraphPanel::reveal_node(std::uint32_t index) {
  if (index == kNoRow) return;
  const GraphNode& node = model_.nodes()[index];
  x_.reveal(static_cast<double>(node.x + node.width * 0.5F));
  y_.reveal(static_cast<double>(node.y + node.height * 0.5F));
}

void GraphPanel::draw_canvas(Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size(std::max(room.x, context.theme.px(60)),
                    std::max(room.y - ImGui::GetTextLineHeightWithSpacing(), context.theme.px(60)));
  pixel_scale_ = static_cast<double>(context.theme.scale);
  Canvas canvas(context.cost, "graph", size);
  keep_scale(size);
  if (fit_ != Fit::No) {
    fit(size, fit_ == Fit::Whole);
    fit_ = Fit::No;
  } else if (size.x != canvas_width_ || size.y != canvas_height_) {
    show_at(x_.begin(), y_.begin(), scale_, size);
  }
  canvas_width_ = size.x;
  canvas_height_ = size.y;
  if (held_group_ != kNoRow) {
    const std::uint32_t frame = model_.frame_of_group(held_group_);
    const std::uint32_t node = model_.node_of_group(held_group_);
    if (frame != kNoRow || node != kNoRow) {
      const float x = frame != kNoRow ? model_.frames()[frame].x : model_.nodes()[node].x;
      const float y = frame != kNoRow ? model_.frames()[frame].y : model_.nodes()[node].y;
      show_at(static_cast<double>(x) - held_x_ * scale_, static_cast<double>(y) - held_y_ * scale_, scale_, size);
    }
    held_group_ = kNoRow;
  }
  follow_selection(context);
  canvas.navigate(&x_, &y_, true);
  scale_ = x_.per_pixel();
  under_ = canvas.hovered() ? find_under(canvas) : Under{};
  take_mouse(context, canvas);
  if (faces_.size() != model_.nodes().size()) changed(context);
  explain(context);
  count_states(context);
  Pen(*this, context, canvas).draw();
  canvas.end();
  if (under_.node != kNoRow || under_.line != kNoRow) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 34.0F);
    text(under_.node != kNoRow ? node_tooltip(context, under_.node) : line_tooltip(context, model_.edges()[under_.line]));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

GraphPanel::Under GraphPanel::find_under(const Canvas& canvas) const {
  Under under;
  const ImVec2 mouse = canvas.mouse();
  const auto x = static_cast<float>(x_.to_world(mouse.x));
  const auto y = static_cast<float>(y_.to_world(mouse.y));
  const auto inside = [&](const auto& box) {
    return x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;
  };
  for (std::uint32_t i = 0; i < model_.nodes().size(); ++i) {
    if (inside(model_.nodes()[i])) {
      under.node = i;
      return under;
    }
  }
  // The nearest line within a few pixels.
  const auto reach = static_cast<float>(5.0 * pixel_scale_ * scale_);
  float nearest = reach;
  for (std::uint32_t i = 0; i < model_.edges().size(); ++i) {
    const float distance = distance_to_line(model_.edges()[i], model_.top_to_bottom(), x, y, nearest);
    if (distance >= nearest) continue;
    nearest = distance;
    under.line = i;
  }
  if (under.line != kNoRow) return under;
  for (std::uint32_t i = 0; i < model_.frames().size(); ++i) {  // inner frames come later
    if (inside(model_.frames()[i])) under.frame = i;
  }
  return under;
}

void GraphPanel::take_mouse(Context& context, Canvas& canvas) {
  if (canvas.double_clicked()) {
    ignore_click_ = true;
    std::uint32_t group = kNoRow;
    if (under_.node != kNoRow) {
      const GraphNode& node = model_.nodes()[under_.node];
      if (node.kind == GraphNode::Kind::Group) group = node.row;
    } else if (under_.line == kNoRow && under_.frame != kNoRow) {
      group = model_.frames()[under_.frame].group;
    }
    if (group != kNoRow) toggle(context, group);
    return;
  }
  if (!canvas.clicked()) return;
  if (ignore_click_) {
    ignore_click_ = false;
    return;
  }
  click(context);
}

void GraphPanel::click(Context& context) {
  std::uint32_t group = kNoRow;
  Item item;
  if (under_.node != kNoRow) {
    const GraphNode& node = model_.nodes()[under_.node];
    if (node.kind == GraphNode::Kind::Task) item = {ItemKind::Task, node.row};
    if (node.kind == GraphNode::Kind::Group) group = node.row;
  } else if (under_.line != kNoRow) {
    const GraphEdge& line = model_.edges()[under_.line];
    if (!line.there) {
      // A line of many edges gives them one after the other.
      const std::vector<std::uint32_t> edges = model_.edges_of_line(line, 1000);
      const auto at = std::find(edges.begin(), edges.end(), context.selection.row(ItemKind::Edge));
      const bool next = at != edges.end() && at + 1 != edges.end();
      if (!edges.empty()) item = {ItemKind::Edge, next ? *(at + 1) : edges.front()};
    }
  } else if (under_.frame != kNoRow) {
    group = model_.frames()[under_.frame].group;
  }
  if (group != kNoRow && model_.tree().group(group).kind == GroupKind::Scope) {
    item = {ItemKind::Scope, model_.tree().group(group).number};
  }
  selected_group_ = group;
  if (item.kind != ItemKind::None) {
    context.selection.select(item);
    if (group == kNoRow) return;
  }
  // A group that is no scope is selected here only.
  if (item.kind == ItemKind::None && group != kNoRow) context.selection.clear();
  seen_selection_ = context.selection.revision();
}

/// Finds why the removed WAITs of what is selected or under the pointer are redundant.
void GraphPanel::explain(const Context& context) {
  if (explained_for_ == context.selection.revision() + 1 && under_ == under_before_) return;
  explained_for_ = context.selection.revision() + 1;
  under_before_ = under_;
  explained_.clear();
  explained_lines_.clear();
  const Document& document = *context.document;
  const auto add = [&](std::uint32_t edge) {
    if (explained_.size() >= kMostExplained || (edge_fate(document.recording(), edge) & kWaitRemoved) == 0) return;
    for (const Explained& one : explained_) {
      if (one.edge == edge) return;
    }
    explained_.push_back(explain_edge(document, edge));
  };
  const auto add_task = [&](std::uint32_t task) {
    const auto [first, last] = document.edges_of_consumer(task);
    for (std::uint32_t edge = first; edge < last; ++edge) add(edge);
    for (const std::uint32_t edge : document.edges_of_producer().of(task)) {
      if (explained_.size() >= kMostExplained) break;
      add(edge);
    }
  };
  if (under_.line != kNoRow && !model_.edges()[under_.line].there) {
    for (const std::uint32_t edge : model_.edges_of_line(model_.edges()[under_.line], kMostExplained)) add(edge);
  }
  if (under_.node != kNoRow && model_.nodes()[under_.node].kind == GraphNode::Kind::Task)
    add_task(model_.nodes()[under_.node].row);
  const Item& current = context.selection.current();
  if (current.kind == ItemKind::Edge) add(current.row);
  if (current.kind == ItemKind::Task) add_task(current.row);
  for (const Explained& one : explained_) {
    for (const std::uint32_t edge : one.way) {
      if (const std::uint32_t line = model_.line_of_edge(edge); line != kNoRow) explained_lines_.push_back(line);
    }
  }
  std::sort(explained_lines_.begin(), explained_lines_.end());
  explained_lines_.erase(std::unique(explained_lines_.begin(), explained_lines_.end()), explained_lines_.end());
}

/// Once each time the cursor moves or the graph changes, and only as long as closed groups do not hold too many tasks.
void GraphPanel::count_states(const Context& context) {
  const std::uint32_t position = context.document->cursor().position();
  if (states_position_ == position) return;
  states_position_ = position;
  states_.assign(model_.nodes().size(), {});
  std::uint64_t tasks = 0;
  for (const GraphNode& node : model_.nodes()) tasks += node.kind == GraphNode::Kind::Group ? node.end - node.begin : 0;
  states_known_ = tasks <= kMostStates;
  if (!states_known_) return;
  const auto& state = context.document->cursor().state().task_state;
  for (std::size_t i = 0; i < model_.nodes().size(); ++i) {
    const GraphNode& node = model_.nodes()[i];
    if (node.kind != GraphNode::Kind::Group) continue;
    for (std::uint32_t task = node.begin; task < node.end; ++task) ++states_[i][state[task]];
  }
}

}  // namespace depscope::viewers
