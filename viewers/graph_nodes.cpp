// Draws the boxes of the graph: tasks, closed groups, and tasks that only the other recording has.
#include <fmt/format.h>

#include <algorithm>

#include "graph_pen.h"

namespace depscope::viewers {

void GraphPanel::Pen::draw_nodes() {
  for (std::uint32_t i = 0; i < model_.nodes().size(); ++i) draw_node(i);
}

void GraphPanel::Pen::draw_node(std::uint32_t index) {
  const GraphNode& node = model_.nodes()[index];
  const Box box = box_of(node);
  if (!canvas_.visible(box.min, box.max)) return;
  const auto state = static_cast<runtime::TaskState>(
      node.kind == GraphNode::Kind::Task ? context_.document->cursor().state().task_state[node.row] : 0);
  const ImU32 state_colour = node.kind == GraphNode::Kind::There  ? context_.comparison->there_colour()
                             : node.kind == GraphNode::Kind::Task ? colour::state(state)
                                                                  : colour::grid();
  const std::uint32_t alpha = node.dim ? 70 : 255;
  const float height = box.max.y - box.min.y;
  if (height < 4.0F) {
    canvas_.box(box.min, {std::max(box.max.x, box.min.x + 1.0F), std::max(box.max.y, box.min.y + 1.0F)},
                colour::with_alpha(state_colour, alpha));
  } else {
    const float rounding = std::min(4.0F * px_, height * 0.2F);
    const float stripe = std::min(5.0F * px_, (box.max.x - box.min.x) * 0.2F);
    if (node.kind == GraphNode::Kind::Group) {  // a stack of sheets
      const float by = 3.0F * px_;
      canvas_.frame({box.min.x + by, box.min.y + by}, {box.max.x + by, box.max.y + by}, colour::with_alpha(colour::grid(), alpha),
                    rounding);
    }
    canvas_.box(box.min, box.max, colour::with_alpha(colour::node(), alpha), rounding);
    if (node.kind == GraphNode::Kind::Group) {
      draw_group_states(index, box);
    } else {
      canvas_.box(box.min, {box.min.x + stripe, box.max.y}, colour::with_alpha(state_colour, alpha), rounding);
    }
    const Item& current = context_.selection.current();
    const bool selected =
        node.kind == GraphNode::Kind::Group
            ? node.row == panel_.selected_group_ || (panel_.selected_group_ == kNoRow && current.kind != ItemKind::Scope &&
                                                     model_.node_of_task(context_.selection.row(ItemKind::Task)) == index)
            : node.kind == GraphNode::Kind::Task && current.kind != ItemKind::Scope &&
                  context_.selection.is(ItemKind::Task, node.row);
    ImU32 edge =
        colour::with_alpha(node.kind == GraphNode::Kind::There ? context_.comparison->there_colour() : colour::grid(), alpha);
    float thickness = 1.0F;
    if (context_.comparison != nullptr && node.kind == GraphNode::Kind::Task) {
      const Mark mark = context_.comparison->mark(ItemKind::Task, node.row);
      if (mark != Mark::Same) {
        edge = context_.comparison->colour(mark);
        thickness = 1.5F * px_;
      }
    }
    if (panel_.critical_nodes_[index]) {
      edge = colour::critical();
      thickness = 2.5F * px_;
    }
    if (selected || panel_.under_.node == index) {
      edge = colour::link();
      thickness = selected ? 3.0F * px_ : 1.5F * px_;
    }
    if (selected) canvas_.box(box.min, box.max, colour::selected_row(), rounding);
    canvas_.frame(box.min, box.max, edge, rounding, thickness);
    draw_words(index, box);
  }
  if (!context_.elements.recording()) return;
  const char* what = node.kind == GraphNode::Kind::Group   ? "graph/group {}"
                     : node.kind == GraphNode::Kind::There ? "graph/task there {}"
                                                           : "graph/task {}";
  const Face& face = panel_.faces_[index];
  std::string words = face.title;
  if (!face.detail.empty()) words += ", " + face.detail;
  if (node.kind == GraphNode::Kind::Task) words += fmt::format(", {}", runtime::task_state_name(state));
  if (node.dim) words += ", filtered out";
  context_.elements.add(fmt::format(fmt::runtime(what), node.row), box.min, box.max, words);
}

/// As many lines as the box has room for: name, state or counts.
void GraphPanel::Pen::draw_words(std::uint32_t index, const Box& box) {
  const GraphNode& node = model_.nodes()[index];
  const Face& face = panel_.faces_[index];
  const float line = ImGui::GetTextLineHeight();
  const float height = box.max.y - box.min.y;
  const float left = box.min.x + 10.0F * px_;
  const float width = box.max.x - left - 3.0F * px_;
  const int most = node.kind == GraphNode::Kind::Group ? 3 : 2;
  const int lines = std::min(most, static_cast<int>((height - 2.0F * px_) / line));
  if (lines < 1) return;
  const std::uint32_t alpha = node.dim ? 130 : 255;
  float y = box.min.y + (height - line * static_cast<float>(lines)) * 0.5F;
  canvas_.label({left, y}, width, colour::with_alpha(colour::text(), alpha), face.title);
  if (lines < 2) return;
  y += line;
  if (node.kind == GraphNode::Kind::Task) {
    const auto state = static_cast<runtime::TaskState>(context_.document->cursor().state().task_state[node.row]);
    const std::string_view name = runtime::task_state_name(state);
    if (face.detail.empty()) {
      canvas_.label({left, y}, width, colour::with_alpha(colour::state(state), alpha), name);
      return;
    }
    const Mark mark = context_.comparison == nullptr ? Mark::Same : context_.comparison->mark(ItemKind::Task, node.row);
    const ImU32 hue = mark == Mark::Same ? colour::text() : context_.comparison->colour(mark);
    // Beside the state if there is room, else instead of it: the stripe tells the state too.
    float by = ImGui::CalcTextSize(name.data(), name.data() + name.size()).x + 8.0F * px_;
    const bool both = by + ImGui::CalcTextSize(face.detail.c_str()).x <= width;
    if (both || mark == Mark::Same) canvas_.label({left, y}, width, colour::with_alpha(colour::state(state), alpha), name);
    if (!both && mark != Mark::Same) by = 0;
    canvas_.label({left + by, y}, width - by, colour::with_alpha(hue, alpha), face.detail);
    return;
  }
  const ImU32 colour = node.kind == GraphNode::Kind::There ? context_.comparison->there_colour() : colour::dim();
  canvas_.label({left, y}, width, colour::with_alpha(colour, alpha), face.detail);
  if (lines < 3 || !panel_.states_known_) return;
  y += line;
  std::string words;
  for (std::size_t s = 0; s < panel_.states_[index].size(); ++s) {
    if (const std::uint32_t count = panel_.states_[index][s]; count > 0) {
      words +=
          fmt::format("{}{} {}", words.empty() ? "" : ", ", count, runtime::task_state_name(static_cast<runtime::TaskState>(s)));
    }
  }
  canvas_.label({left, y}, width, colour::with_alpha(colour::dim(), alpha), words);
}

/// The stripe of a closed group: as much of each colour as tasks are in that state.
void GraphPanel::Pen::draw_group_states(std::uint32_t index, const Box& box) {
  const GraphNode& node = model_.nodes()[index];
  const float right = box.min.x + std::min(5.0F * px_, (box.max.x - box.min.x) * 0.2F);
  if (!panel_.states_known_) {
    canvas_.box(box.min, {right, box.max.y}, colour::grid());
    return;
  }
  const auto tasks = static_cast<float>(node.end - node.begin);
  float y = box.min.y;
  for (std::size_t s = 0; s < panel_.states_[index].size(); ++s) {
    const std::uint32_t count = panel_.states_[index][s];
    if (count == 0) continue;
    const float next = y + (box.max.y - box.min.y) * static_cast<float>(count) / tasks;
    canvas_.box({box.min.x, y}, {right, next},
                colour::with_alpha(colour::state(static_cast<runtime::TaskState>(s)), node.dim ? 70 : 255));
    y = next;
  }
}

}  // namespace depscope::viewers
